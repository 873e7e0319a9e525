"""Synthetic tables, and the counts of combinations of cells, from a schema.

proof: docs/proofs/tables.md

Throughout this file
    cell    a part of the values of a column
    set     the columns of one marginal, by their positions
    choice  some or all columns of a set, for each of which a query names a cell
    pool    weighted rows of cells: an answer is the weight of the rows that satisfy the query, rounded
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from typing import Any, ClassVar, Self

import numpy as np

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tables.marginals import place_of
from privpac.data.counting.crosstabs import CellsInEngine, cell_counts, crosstabs
from privpac.data.samples.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.accounting.gaussian_counts import ZERO, worth
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused, Setting, about
from privpac.release.charts import Chart, ChartColumn, table_charts, table_subject
from privpac.release.noise_choice import public_total
from privpac.release.postprocessing.consistency import ColumnSet
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import Answers, Frame, Sanitizer
from privpac.release.tables.cells import CellsWithMissing, ColumnCells, KeyCells, LineCells, column_rules, conjunction
from privpac.release.tables.measuring import TableCounts
from privpac.release.tables.noisy_tables import NoisyTables, column_pairs
from privpac.release.tables.pool import PARTS, Pool, pool_of
from privpac.release.tables.queries import TableQueries
from privpac.requests.conditions import Terms
from privpac.requests.json_values import STORED

# The types of cells that a stored release may contain.
STORED |= {"LineCells": LineCells, "KeyCells": KeyCells, "CellsWithMissing": CellsWithMissing}


@dataclass(frozen=True)
class TableAnswers(Answers):
    """Weighted rows of cells. All counts are rounded sums of their weights."""

    n: int
    cells: tuple[ColumnCells, ...]
    rows_text: str  # as ``Pool.packed`` writes them
    weights_text: str
    asked: tuple[tuple[int, ...], ...] = ()  # the sets; () for all pairs of columns

    def __post_init__(self) -> None:
        rows, shape = self.pool.rows, shape_of(self.cells)
        if len(rows) and (rows.max(axis=0) >= shape).any():
            raise ValueError("every row must lie in cells of its columns")
        if len(set(self.columns)) < len(self.columns) or int(self.pool.weights.sum()) > PARTS * (self.n + 1):
            raise ValueError("all columns must have different names, and all rows together at most n records")
        if set(chain(*self.sets)) != {*range(len(shape))}:
            raise ValueError("every marginal must have columns of the table, and every column a marginal")

    @cached_property
    def pool(self) -> Pool:
        """The rows and their weights."""
        return Pool.unpacked(self.rows_text, self.weights_text, len(shape_of(self.cells)))

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [column_cells.column for column_cells in self.cells]

    @property
    def sets(self) -> tuple[ColumnSet, ...]:
        """The columns of each marginal, by their positions."""
        return self.asked or column_pairs(len(self.cells))

    @cached_property
    def choices(self) -> tuple[ColumnSet, ...]:
        """The columns that a query may be about, fewer columns first: those of a set, or some of them."""
        subsets = {T for S in self.sets for k in range(len(S) + 1) for T in combinations(S, k)}
        return tuple(sorted(subsets, key=lambda T: (len(T), T)))

    @cached_property
    def by_columns(self) -> dict[ColumnSet, Ints]:
        """The count of every cell of every choice of columns."""
        rows, weights = self.pool
        tables = cell_counts(list(rows.T.astype(np.intp)), weights, shape_of(self.cells), self.choices)
        return {T: _rounded(table) for T, table in zip(self.choices, tables, strict=True)}

    def count(self, query: Hypothesis) -> int:
        chosen, cells = place_of(query, self.cells, max(map(len, self.sets)))
        if chosen not in self.by_columns:
            none = "this release has no marginal with these columns together; it has "
            raise Refused("query", none + self._marginals_in_words)
        return int(self.by_columns[chosen][cells])

    @property
    def fitting(self) -> tuple[int, int]:
        return int(self.by_columns[()]), 1

    def gap(self, sample: Sample | CellsInEngine) -> int:
        true = crosstabs(sample, self.cells, self.choices)
        pairs = zip(self.by_columns.values(), true, strict=True)
        return max(int(np.abs(answers - counts).max()) for answers, counts in pairs)

    @property
    def _marginals_in_words(self) -> str:
        return ", ".join("*".join(self.columns[i] for i in columns) for columns in self.sets)

    def hypothesis(self, values: Mapping[str, Hashable]) -> Hypothesis:
        """The query about the cells in which these values lie: ``{"age": 37, "city": "Oslo"}``."""
        chosen = tuple(i for i, name in enumerate(self.columns) if name in values)
        if not values.keys() <= set(self.columns) or chosen not in self.choices:
            all_pairs = f"at most 2 of these columns: {', '.join(self.columns)}"
            columns = f"columns of one of these marginals: {self._marginals_in_words}" if self.asked else all_pairs
            raise Refused("values", f"give values for {columns}")
        rules: list[ColumnRule] = []
        with about("values"):
            for column_cells in (self.cells[i] for i in chosen):
                code = column_cells.domain.encode([values[column_cells.column]])
                rules.append(column_rules(column_cells)[int(column_cells.numbers_of(code)[0])])
        return conjunction(rules)

    def counts(self) -> Frame:
        """Every cell of every choice of columns, and how many records it has."""
        heads = [name for k in range(max(map(len, self.sets))) for name in _heads(k)]
        frame: Frame = {head: [] for head in (*heads, "records")}
        names = [column_cells.names for column_cells in self.cells]
        for chosen, table in self.by_columns.items():
            for place, records in np.ndenumerate(table) if chosen else ():
                entries = list(chain(*((self.columns[i], names[i][k]) for i, k in zip(chosen, place, strict=True))))
                padded = [*entries, *[None] * (len(heads) - len(entries)), int(records)]
                for column, entry in zip(frame, padded, strict=True):
                    frame[column].append(entry)
        return frame

    @property
    def subject(self) -> str:
        if not self.asked:
            return table_subject(self.columns, 2)
        return f"How many records have each combination of values: {self._marginals_in_words}"

    def drawing(self) -> tuple[Chart, ...]:
        columns = [ChartColumn.of(column_cells.column, column_cells.names) for column_cells in self.cells]
        return table_charts(columns, self.by_columns)

    def rows(self, size: int, coins: Entropy) -> Frame:
        """Rows of the pool in proportion to their weights, with values from their cells."""
        rows = self.pool.rows[spread(self.pool.weights, size, coins)].astype(np.int64)
        return {
            column_cells.column: column_cells.values(rows[:, i], coins) for i, column_cells in enumerate(self.cells)
        }


def _heads(k: int) -> tuple[str, str]:
    """The two headings for the k-th column that a query names, and for its cell."""
    return (("column", "cell"), ("and column", "and cell"))[k] if k < 2 else (f"column {k + 1}", f"cell {k + 1}")


def shape_of(cells: tuple[ColumnCells, ...]) -> tuple[int, ...]:
    """How many cells each column has."""
    return tuple(column_cells.size for column_cells in cells)


def _rounded(weights: Ints) -> Ints:
    """Weights, in units of 1/PARTS of a record, to the nearest whole records."""
    return np.asarray((weights + PARTS // 2) // PARTS)


@dataclass(frozen=True)
class TableSanitizer(Sanitizer):
    """Counts of all pairs of cells of a table, or of the marginals asked for, and synthetic records like them.

    Privacy   (ε, δ) for all inputs: tables, Theorem 1
    Utility   measured: the largest error over all cells of all columns and marginals
    Time      O(n + rows of the pool) for each marginal; ten seconds for the pairs of 13 columns

    >>> from privpac.classes.schemas.schema import Column, Schema
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
    title: ClassVar[str] = "weighted rows that fit noisy counts of several columns together"
    theorem: ClassVar[str] = "tables, Theorem 1"
    reads_missing: ClassVar[bool] = True

    # κ: if positive, the noise is Gaussian, and the same cost also covers a certificate with noise of variance σ²/κ.
    # If 0, the cost of a certificate is added.
    extra_weight: Fraction = ZERO

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        """The sanitizer of a table; without δ, only if every value of every column can be a cell."""
        if not isinstance(concept_class, TableQueries):
            return None
        sanitizer = cls(concept_class, terms)
        counting = sanitizer.counting(terms.cost)
        if terms.cost.delta or not counting.searched:  # cells can be searched for only with δ
            return sanitizer
        if names := counting.too_wide:
            room = (
                f"these marginals leave room for {counting.most} values of a column, and {names[0]!r} declares more; "
            )
            raise Refused("delta", room, "ask for fewer columns together, or set ", Setting.to("delta", 1e-6))
        return None

    @property
    def records_in_engine(self) -> type[CellsInEngine]:
        return CellsInEngine

    def counting(self, cost: Budget) -> TableCounts:
        """The algorithm that sees the records, at this cost."""
        return TableCounts(cost, self.concept_class.domain, self.concept_class.sets, extra_weight=self.extra_weight)

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]
        """The whole allowed cost if cells are searched for; otherwise the cost of the noise, which may need no δ."""
        counting = self.counting(self.terms.cost)
        return counting.cost if counting.searched else counting.noise.cost

    def with_certificate(self, share: Fraction) -> tuple[Self, Fraction] | None:
        """This sanitizer with κ worth ``share`` of the cost, and σ²/κ; None if the noise is not Gaussian."""
        noisier = replace(self, extra_weight=worth(share, self.counting(self.cost).price.weight))
        noise = noisier.counting(noisier.cost).noise
        return None if isinstance(noise, DiscreteLaplaces) else (noisier, noise.variance / noisier.extra_weight)

    def run(self, records: Records, ask: Ask) -> Answers:
        return self._table(records, ask, lambda sample: sample)

    def _table(self, records: Records, ask: Ask, view: Callable[[Any], Any]) -> TableAnswers:
        """The answers about the columns of ``counting``; for labeled records, ``view`` adds the labels as a column."""
        counting = self.counting(self.cost)
        cells, noisy = ask(counting, records.see(view))
        n, variance = records.size, float(counting.noise.variance)
        known = public_total(self.terms, n)
        tables = NoisyTables.of(noisy, shape_of(cells), counting.sets, variance, n, total=known)
        return TableAnswers(n, cells, *pool_of(tables).packed(), counting.asked)
