"""A model's labels for the rows of a table in an engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.decision_trees.rules import answer_is, simplified
from privpac.classes.exports.ibis_conditions import EngineTerms
from privpac.classes.exports.rule_conditions import condition
from privpac.data.counting.engine_values import as_literal, engine_values, no_form
from privpac.data.domains.domain import WhichFit
from privpac.data.domains.on_invalid import spelled_columns, valid
from privpac.data.engines.batches import batches
from privpac.data.engines.views import check_columns
from privpac.refusals.refusal import Refused
from privpac.requests.labels import predicted

if TYPE_CHECKING:
    from privpac.learners.model import Model


COMPUTING = ("duckdb", "postgres")  # engines whose arithmetic is tested against Python's


class LabeledRows(NamedTuple):
    """A few rows of a table: all columns in its order, the labels, and how many records do not fit the domain."""

    columns: list[NDArray[Any]]
    labels: NDArray[Any]
    misfits: int
    risks: NDArray[Any] | None = None  # of the positive label; of more than two labels, a column for each

    def all_columns(self, digits: int) -> list[NDArray[Any]]:
        """The columns, the labels, and the risks, which are rounded to this number of digits."""
        risks = [] if self.risks is None else list(np.atleast_2d(self.risks.round(digits).T))
        return [*self.columns, self.labels, *risks]


def labeled(model: Model, table: Any, *, risk: bool = False) -> Iterator[LabeledRows]:
    """All rows of an Ibis table with the labels, and if asked the risks, that the model predicts, a few at a time."""
    names, rules = model.reading(model.on_invalid).names(table), {model.on_invalid, model.counting}
    check_columns(table, names, "columns")
    places = [table.columns.index(name) for name in names]
    for columns in batches(table, table.columns):
        spelled = spelled_columns(model.domain, [columns[place] for place in places])
        read = {rule: valid(model.domain, spelled, rule) for rule in rules}
        labels = predicted(model.hypothesis, model.classes, [read[model.on_invalid]])
        risks = model.risk_of([read[model.on_invalid]]) if risk else None
        yield LabeledRows(columns, labels, misfit_count(read[model.counting][1]), risks)


def in_engine(model: Model, table: Any, name: str) -> Any:
    """The Ibis table with one more column, ``name``: the labels that the model predicts, wherever it predicts any."""
    engine, rule = table.get_backend().name, model.on_invalid
    if name in table.columns:
        raise Refused("name", f"the table has a column {name!r}; name the new one: in_engine(table, name='label')")
    names = model.reading(rule).names(table)
    check_columns(table, names, "columns")
    if engine not in COMPUTING or len({type(each) for each in model.classes}) > 1:
        raise no_form()
    pairs = zip(model.domain.columns, names, strict=True)
    columns = [engine_values(domain, table[column], engine, rule) for domain, column in pairs]
    terms = EngineTerms([each.values for each in columns], model.domain.column_names, engine)
    fits = reduce(and_, [each.fits for each in columns])
    first, *others = model.classes
    predictions = as_literal(first)
    for label in others:
        answer = answer_is(model.hypothesis, label) if model.several else model.hypothesis
        holds = fits & cast(Any, condition(simplified(answer), terms, ()))
        predictions = holds.ifelse(as_literal(label), predictions)
    return table.mutate(**{name: predictions})


def misfit_count(fits: WhichFit | None) -> int:
    """How many records do not fit.

    >>> misfit_count(None)
    0
    """
    return 0 if fits is None else int((~fits).sum())
