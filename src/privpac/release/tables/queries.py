"""The queries about a table that a schema declares: which columns are counted together."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.schemas.schema import Column, Schema
from privpac.data.domains.named_columns import Columns
from privpac.refusals.refusal import Refused, Setting
from privpac.release.noisy_counts.consistency import Chosen

MOST_ORDER = 8  # columns of a marginal, at most
EXAMPLE = "name columns of the schema: marginals=[('age', 'sex'), ('age', 'region', 'sex')]"


@dataclass(frozen=True)
class TableQueries(ConceptClass):
    """Every query about a cell of one column, or of two, of the table that ``schema`` declares.

    With ``marginals``, the queries are about cells of the columns of one of them, and other columns are left out. The
    cells of numbers, dates, and open categories are found privately when a table is released.

    >>> schema = Schema((Column("age", "integer", 0, 120), Column("city", "text"), Column("day", "integer", 1, 31)))
    >>> TableQueries(schema).domain.names
    ('age', 'city', 'day')
    >>> TableQueries(schema, (("day", "age"),)).domain.names
    ('age', 'day')
    """

    schema: Schema
    marginals: tuple[tuple[str, ...], ...] = ()

    @staticmethod
    def of(schema: Schema, marginals: Iterable[Iterable[str]] | None) -> TableQueries:
        """The queries about the marginals that are asked for; None for all pairs of columns."""
        if marginals is None:
            return TableQueries(schema)
        named = [_entries([each] if isinstance(each, str) else each) for each in _entries(marginals)]
        if not named or not all(named):
            raise Refused("marginals", EXAMPLE)
        known = {column.name for column in TableQueries(schema).columns}
        if not all(isinstance(name, str) and name in known for each in named for name in each):
            raise Refused("marginals", f"{EXAMPLE}; the schema declares these columns: {', '.join(sorted(known))}")
        if any(len(set(each)) < len(each) or len(each) > MOST_ORDER for each in named):
            raise Refused("marginals", f"name at most {MOST_ORDER} columns in a marginal, each of them once")
        return TableQueries(schema, tuple(map(tuple, named)))

    def without_label(self) -> TableQueries:
        """The same queries, about columns other than that of the labels."""
        label = self.schema.label
        if label is not None and any(label.column in each for each in self.marginals):
            raise Refused("marginals", f"column {label.column!r} holds the labels; leave it out of the marginals")
        return replace(self, schema=replace(self.schema, label=None))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns, and that of the labels, as far as marginals have them."""
        label = self.schema.label
        known = label is not None and label.condition is None  # a condition is not a column that can be counted
        labels = (Column(label.column, "category", values=label.classes),) if label and known else ()
        asked = {name for each in self.marginals for name in each}
        return tuple(each for each in (*self.schema.columns, *labels) if not asked or each.name in asked)

    @cached_property
    def sets(self) -> tuple[Chosen, ...]:
        """The columns of each marginal by their positions; none of them lies within another."""
        number = {column.name: i for i, column in enumerate(self.columns)}
        asked = {tuple(sorted(number[name] for name in each)) for each in self.marginals}
        widths = {len(each) for each in asked}
        within = {some for each in asked for k in widths if k < len(each) for some in combinations(each, k)}
        return tuple(sorted(asked - within))

    @cached_property
    def domain(self) -> Columns:
        names = tuple(column.name for column in self.columns)
        return Columns(names, tuple(column.part.domain.columns[0] for column in self.columns))

    @property
    def size(self) -> float:
        """Unknown before the cells are."""
        return math.inf

    def representatives(self, points: Sequence[object]) -> Iterable[Hypothesis]:
        """Refused: cells are found when a table is released."""
        raise Refused("points", "the cells of a table are known only after its release; ask the release for its counts")


def check_table(queries: TableQueries, table: Any, unit: object) -> None:
    """Refused if ``table`` lacks a column that is asked about, or if declared units are not protected."""
    schema = queries.schema
    if schema.unit is not None and unit is None:
        advice = f"the schema declares units; protect them: fit(X, unit={schema.unit.column!r}) with "
        raise Refused("unit", advice, Setting.to("max_records", schema.unit.max_records))
    columns = getattr(table, "column_names", getattr(table, "columns", None))  # pyarrow's columns are not names
    names = table.keys() if isinstance(table, Mapping) else columns
    if names is not None:
        left_out = {column.name for column in TableQueries(schema).columns} - {*queries.domain.names}
        schema.check_names({*names, *left_out})


def _entries(names: object) -> list[Any]:
    """The entries of a collection; a text, and anything that cannot be read twice, has none."""
    return [] if isinstance(names, (str, bytes)) or not isinstance(names, Collection) else list(names)
