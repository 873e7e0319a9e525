"""Synthetic tables, and the counts of all pairs of cells, from a schema.

proof: docs/proofs/tables.md

Throughout this file
    n       the number of records, public
    cell    a part of the values of a column; a query names one cell of each of at most two columns
    pool    weighted rows of cells: an answer is the weight of the rows that satisfy the query, rounded

Main declarations
    TableQueries      the queries about a table that a schema declares
    check_table       refuses another table
    TableSanitizer    cells, noisy pairs, a pool of rows
    TableAnswers      the pool, which answers queries and gives synthetic records
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import ConceptClass, Constant, Hypothesis
from privpac.classes.composed import composed
from privpac.classes.gate import gate
from privpac.classes.marginals import place_of
from privpac.classes.schema import Column, Schema
from privpac.data.named_columns import Columns
from privpac.data.refusal import Refused, Setting, about
from privpac.data.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.learners.stored import STORED
from privpac.mechanisms.adaptive import Ask
from privpac.privacy.ledger import Records
from privpac.release.answers import Answers, Frame
from privpac.release.cells import ColumnCells, KeyCells, LineCells, column_rules
from privpac.release.charts import Chart, ChartColumn, table_charts, table_subject
from privpac.release.noise_choice import public_total
from privpac.release.pairs import NoisyPairs, column_pairs, pair_counts
from privpac.release.pool import PARTS, Pool, pool_of
from privpac.release.sanitizer import Sanitizer
from privpac.release.synthetic import spread
from privpac.release.table_counts import TableCounts, places, shape_of

ORDER = 2  # columns of a query
STORED |= {"LineCells": LineCells, "KeyCells": KeyCells}


@dataclass(frozen=True)
class TableQueries(ConceptClass):
    """Every query about a cell of one column, or of two, of the table that ``schema`` declares.

    The cells of numbers, dates, and open categories are found privately when a table is released.

    >>> schema = Schema((Column("age", "integer", 0, 120), Column("city", "text")))
    >>> TableQueries(schema).domain.names
    ('age', 'city')
    """

    schema: Schema

    @property
    def columns(self) -> tuple[Column, ...]:
        """The declared columns, and that of the labels."""
        label = self.schema.label
        labels = () if label is None else (Column(label.column, "category", values=label.classes),)
        return (*self.schema.columns, *labels)

    @property
    def domain(self) -> Columns:
        names = tuple(column.name for column in self.columns)
        return Columns(names, tuple(column.concept_class.domain for column in self.columns))

    @property
    def size(self) -> float:
        """Unknown before the cells are."""
        return math.inf

    def representatives(self, points: Sequence[Any]) -> Iterable[Hypothesis]:
        """Refused: cells are found when a table is released."""
        raise Refused("points", "the cells of a table are known only after its release; ask the release for its counts")


def check_table(schema: Schema, table: Any, unit: Any) -> None:
    """Refused if ``table`` lacks a declared column, or if the schema declares units and they are not protected."""
    if schema.unit is not None and unit is None:
        told = f"the schema declares units; protect them: fit(X, unit={schema.unit.column!r}) with "
        raise Refused("unit", told, Setting.to("max_records", schema.unit.max_records))
    names = table.keys() if isinstance(table, Mapping) else getattr(table, "columns", None)
    if names is not None:
        schema.check_names(names)


@dataclass(frozen=True)
class TableAnswers(Answers):
    """Weighted rows of cells. All counts are rounded sums of their weights."""

    n: int
    cells: tuple[ColumnCells, ...]
    rows_text: str  # as Pool.packed writes them
    weights_text: str

    def __post_init__(self) -> None:
        rows, shape = self.pool.rows, shape_of(self.cells)
        if len(rows) and (rows.max(axis=0) >= shape).any():
            raise ValueError("every row must lie in cells of its columns")

    @cached_property
    def pool(self) -> Pool:
        """The rows and their weights."""
        return Pool.unpacked(self.rows_text, self.weights_text, len(shape_of(self.cells)))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [each.column for each in self.cells]

    @cached_property
    def _tables(self) -> dict[tuple[int, ...], Ints]:
        """The count of every cell of every pair of columns, of every column, and of the whole table."""
        return {chosen: _rounded(table) for chosen, table in _all_tables(*self.pool, self.cells).items()}

    def count(self, query: Hypothesis) -> int:
        chosen, cells = place_of(query, self.cells, ORDER)
        return int(self._tables[chosen][cells])

    def gap(self, sample: Sample) -> int:
        many = np.ones(len(sample.points), dtype=np.int64) if sample.counts is None else sample.counts
        true = _all_tables(places(self.cells, sample.points), many, self.cells)
        return max(int(np.abs(table - true[chosen]).max()) for chosen, table in self._tables.items())

    def hypothesis(self, values: Mapping[str, Hashable]) -> Hypothesis:
        """The query about the cells in which these values lie: ``{"age": 37, "city": "Oslo"}``."""
        if not values.keys() <= set(self.columns) or len(values) > ORDER:
            raise Refused("values", f"give values for at most {ORDER} of these columns: {', '.join(self.columns)}")
        named = [each for each in self.cells if each.column in values]
        with about("values"):
            cells = [int(each.of(each.domain.encode([values[each.column]]))[0]) for each in named]
        rules = tuple(column_rules(each)[cell] for each, cell in zip(named, cells, strict=True))
        return composed(gate("and", len(rules)), rules) if rules else Constant(True)

    def counts(self) -> Frame:
        """Every cell of every column and of every pair of columns, and how many records it has."""
        found: Frame = {"column": [], "cell": [], "and column": [], "and cell": [], "records": []}
        names = [each.names for each in self.cells]
        for chosen, table in self._tables.items():
            for at, records in np.ndenumerate(table) if chosen else ():
                named = [(self.columns[i], names[i][k]) for i, k in zip(chosen, at, strict=True)]
                entries = [each for pair in (*named, (None, None))[:2] for each in pair]
                for column, entry in zip(found, [*entries, int(records)], strict=True):
                    found[column].append(entry)
        return found

    @property
    def subject(self) -> str:
        return table_subject(self.columns, ORDER)

    def drawing(self) -> tuple[Chart, ...]:
        return table_charts([ChartColumn.of(each.column, each.names) for each in self.cells], self._tables)

    def rows(self, size: int, coins: Entropy) -> Frame:
        """Rows of the pool as often as their weights say, with values in their cells."""
        rows = self.pool.rows[spread(self.pool.weights, size, coins)].astype(np.int64)  # type: ignore[arg-type]
        return {each.column: each.values(rows[:, i], coins) for i, each in enumerate(self.cells)}


def _all_tables(rows: NDArray[Any], weights: Ints, cells: tuple[ColumnCells, ...]) -> dict[tuple[int, ...], Ints]:
    """The weight in every cell of the whole table, of each column, and of each pair of columns."""
    shape, width = shape_of(cells), len(cells)
    rows = rows.astype(np.intp)
    pairs = column_pairs(len(shape))
    parts = np.split(pair_counts(rows, weights, shape), np.cumsum([shape[i] * shape[j] for i, j in pairs])[:-1])
    tables = {(i, j): each.reshape(shape[i], shape[j]) for (i, j), each in zip(pairs, parts, strict=True)}
    singles: dict[tuple[int, ...], Ints] = {(): np.asarray(weights.sum())}
    for i in range(width):
        singles[i,] = tables[i, i + 1].sum(axis=1) if i + 1 < len(shape) else tables[i - 1, i].sum(axis=0)
    return singles | ({} if width == 1 else tables)


def _rounded(weights: Ints) -> Ints:
    return np.asarray((weights + PARTS // 2) // PARTS)


@dataclass(frozen=True)
class TableSanitizer(Sanitizer):
    """Counts of all pairs of cells of a table, and synthetic records with about the same counts.

    Privacy   (ε, δ) for all inputs: tables, Theorem 1
    Utility   measured: the largest error over all cells of all columns and pairs of columns
    Cost      O(n + rows of the pool) for each pair of columns; half a minute for 13 columns

    >>> from privpac.release.private_release import PrivateRelease
    >>> schema = Schema((Column("job", "category", values=("clerk", "nurse")), Column("age", "integer", 0, 120)))
    >>> table = {"job": ["clerk", "nurse"] * 2000, "age": [30, 60] * 2000}
    >>> release = PrivateRelease(schema, epsilon=1, delta=1e-6).fit(table)
    >>> nurses = release.release_.answers_.hypothesis({"job": "nurse"})
    >>> abs(release.answer(nurses) - 0.5) < 0.1, list(release.synthetic(5))
    (True, ['job', 'age'])
    """

    concept_class: TableQueries
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (TableQueries,)
    title: ClassVar[str] = "weighted rows that fit noisy counts of all pairs of columns"
    theorem: ClassVar[str] = "tables, Theorem 1"

    def run(self, records: Records, ask: Ask) -> TableAnswers:
        counting = TableCounts(self.cost, self.concept_class.domain)
        cells, noisy = ask(counting, records.see(_itself))
        n, variance = records.size, float(counting.noise.variance)
        pairs = NoisyPairs.of(noisy, shape_of(cells), variance, n, public_total(self.terms, n))
        return TableAnswers(n, cells, *pool_of(pairs).packed())


def _itself(sample: Sample) -> Sample:
    return sample
