"""A model's labels for the rows of a table in an engine.

Main declarations
    LabeledRows    some rows of a table with their labels
    labeled        all rows of a table with their labels, a few at a time
    void           how many records do not fit
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy.typing import NDArray

from privpac.data.domain import WhichFit
from privpac.data.engine_batches import batches
from privpac.data.engine_views import check_columns
from privpac.data.valid import spelled_columns, valid
from privpac.learners.labels import predicted

if TYPE_CHECKING:
    from privpac.learners.model import Model


class LabeledRows(NamedTuple):
    """Some rows of a table: all columns in its order, the labels, and how many records do not fit the domain."""

    columns: list[NDArray[Any]]
    labels: NDArray[Any]
    misfits: int


def labeled(model: Model, table: Any) -> Iterator[LabeledRows]:
    """All rows of an Ibis table with the labels that the model predicts, a few at a time."""
    names, rules = model.reading(model.on_invalid).names(table), {model.on_invalid, model.counting}
    check_columns(table, names, "columns")
    places = [table.columns.index(name) for name in names]
    for columns in batches(table, table.columns):
        spelled = spelled_columns(model.domain, [columns[place] for place in places])
        read = {rule: valid(model.domain, spelled, rule) for rule in rules}
        labels = predicted(model.hypothesis, model.classes, [read[model.on_invalid]])
        yield LabeledRows(columns, labels, void(read[model.counting][1]))


def void(fits: WhichFit | None) -> int:
    """How many records do not fit.

    >>> void(None)
    0
    """
    return 0 if fits is None else int((~fits).sum())
