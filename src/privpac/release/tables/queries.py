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
from privpac.refusals.absent_names import no_such_column
from privpac.refusals.refusal import Refused, Setting
from privpac.release.postprocessing.consistency import ColumnSet

MOST_ORDER = 8  # columns of a marginal, at most


@dataclass(frozen=True)
class MarginalsExample:
    """Marginals as they are written in Python, and as they are typed in a shell.

    >>> print(Setting.to("marginals", MarginalsExample()), str(MarginalsExample()))
    marginals=[('age', 'sex'), ('age', 'region', 'sex')] age*sex,age*region*sex
    """

    def __repr__(self) -> str:
        return "[('age', 'sex'), ('age', 'region', 'sex')]"

    def __str__(self) -> str:
        return "age*sex,age*region*sex"


EXAMPLE = "name columns of the schema, as in ", Setting.to("marginals", MarginalsExample())


@dataclass(frozen=True)
class TableQueries(ConceptClass):
    """All queries that name a cell for at most two columns of the table that ``schema`` declares.

    With ``marginals``, a query names cells for columns of one marginal instead, and columns in none are left out. The
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
        """The queries about these marginals, which name columns; None for all pairs of columns."""
        if marginals is None:
            return TableQueries(schema)
        named = [_entries([marginal] if isinstance(marginal, str) else marginal) for marginal in _entries(marginals)]
        names = [name for marginal in named for name in marginal]
        if not named or not all(named) or not all(isinstance(name, str) for name in names):
            raise Refused("marginals", *EXAMPLE)
        known = sorted(column.name for column in TableQueries(schema).columns)
        if unknown := [name for name in names if name not in known]:
            raise Refused("marginals", f"{no_such_column(unknown[0], known, has='the schema declares')}; ", *EXAMPLE)
        if any(len(set(marginal)) < len(marginal) or len(marginal) > MOST_ORDER for marginal in named):
            raise Refused("marginals", f"name at most {MOST_ORDER} columns in a marginal, each of them once")
        return TableQueries(schema, tuple(map(tuple, named)))

    def without_label(self) -> TableQueries:
        """The queries about a table with labels: without the column of labels."""
        label = self.schema.label
        if label is not None and any(label.column in marginal for marginal in self.marginals):
            raise Refused("marginals", f"column {label.column!r} holds the labels; leave it out of the marginals")
        return replace(self, schema=replace(self.schema, label=None))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns and the column of labels; with marginals, those of them that some marginal names."""
        label = self.schema.label
        counted = label is not None and label.condition is None  # a condition is not a column
        labels = (Column(label.column, "category", values=label.classes),) if label and counted else ()
        wanted = {name for marginal in self.marginals for name in marginal}
        return tuple(column for column in (*self.schema.columns, *labels) if not wanted or column.name in wanted)

    @cached_property
    def sets(self) -> tuple[ColumnSet, ...]:
        """The columns of each marginal by their positions, without marginals that lie within another one."""
        number = {column.name: i for i, column in enumerate(self.columns)}
        sets = {tuple(sorted(number[name] for name in marginal)) for marginal in self.marginals}
        widths = {len(columns) for columns in sets}
        subsets = {T for columns in sets for k in widths if k < len(columns) for T in combinations(columns, k)}
        return tuple(sorted(sets - subsets))

    @cached_property
    def domain(self) -> Columns:
        names = tuple(column.name for column in self.columns)
        return Columns(names, tuple(column.part.domain.columns[0] for column in self.columns))

    @property
    def size(self) -> float:
        """∞, since the cells are not known yet."""
        return math.inf

    def representatives(self, points: Sequence[object]) -> Iterable[Hypothesis]:
        """Refused: cells are found when a table is released."""
        raise Refused("points", "the cells of a table are known only after its release; ask the release for its counts")


def check_table(queries: TableQueries, table: object, unit: object) -> None:
    """Refused if ``table`` lacks a column that queries are about, or if declared units are not protected."""
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
