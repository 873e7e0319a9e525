"""How many records lie in each combination of cells of a few columns.

proof: docs/proofs/marginals.md

Throughout this file
    c      the number of columns            j      the order: how many columns a query may read
    K      the number of tables: the ways to choose j of the c columns
    T      the columns of a table, by their positions
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from math import prod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tables.column_cells import Cells
from privpac.classes.tables.marginals import Marginals, place_of
from privpac.data.counting.crosstabs import CellsInEngine, crosstabs
from privpac.data.samples.sample import Ints, Sample
from privpac.exact.entropy import Entropy, entropy
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.ledger import Records
from privpac.release.charts import Chart, ChartColumn, table_charts, table_subject
from privpac.release.noise_choice import Noise, NoisySanitizer, noise_for, public_total
from privpac.release.postprocessing.consistency import (
    ColumnSet,
    Effects,
    Floats,
    as_tables,
    consistent_effects,
    nonnegative,
)
from privpac.release.postprocessing.fitted_weights import fitted_weights
from privpac.release.sanitizer import RECORDS, Answers, Frame, headings
from privpac.release.tables.noisy_tables import NoisyTables
from privpac.release.tables.pool import dependent_rows, membership
from privpac.release.tables.synthetic_rows import table_rows
from privpac.requests.json_values import STORED

LISTED = 2**21  # the most entries of all tables, for all combinations of cells together
SMOOTHINGS = 20  # rounds of making tables non-negative and consistent, where combinations cannot be listed

STORED["Cells"] = Cells


@dataclass(frozen=True)
class MarginalAnswers(Answers):
    """The counts of all tables of at most ``order`` columns, those of fewer columns first."""

    n: int
    cells: tuple[Cells, ...]
    order: int
    tables: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if not 0 <= self.order <= len(self.cells):
            raise ValueError("the order must not exceed the number of columns")
        sizes = [prod(self.shape[i] for i in columns) for columns in self.choices]
        if [len(table) for table in self.tables] != sizes:
            raise ValueError("give a count for every combination of cells")
        if not all(0 <= min(table) <= max(table) <= self.n for table in self.tables):
            raise ValueError("counts must lie between 0 and n")

    @property
    def shape(self) -> tuple[int, ...]:
        """How many cells each column has."""
        return tuple(column.size for column in self.cells)

    @property
    def choices(self) -> Iterator[ColumnSet]:
        """The columns of each table, those of fewer columns first."""
        return (columns for j in range(self.order + 1) for columns in combinations(range(len(self.cells)), j))

    @cached_property
    def by_columns(self) -> dict[ColumnSet, Ints]:
        """Each table, with an axis for each of its columns."""
        tables = zip(self.choices, self.tables, strict=True)
        return {T: np.array(table, dtype=np.int64).reshape([self.shape[i] for i in T]) for T, table in tables}

    def count(self, query: Hypothesis) -> int:
        columns, cells = place_of(query, self.cells, self.order)
        return int(self.by_columns[columns][cells])

    @property
    def fitting(self) -> tuple[int, int]:
        return int(self.by_columns[()]), 1

    def gap(self, sample: Sample | CellsInEngine) -> int:
        true = table_counts(sample, self.cells, tuple(self.choices))
        return int(np.abs(true - np.concatenate([np.array(table, dtype=np.int64) for table in self.tables])).max())

    def counts(self) -> Frame:
        """A line for each query; a column that it does not read has the entry None."""
        names = [column.names for column in self.cells]
        heads = headings((column.column for column in self.cells), RECORDS)
        frame: Frame = {head: [] for head in (*heads, RECORDS)}
        for columns, table in self.by_columns.items():
            for place, number in np.ndenumerate(table):
                entries = dict(zip(columns, place, strict=True))
                for i, head in enumerate(heads):
                    frame[head].append(names[i][entries[i]] if i in entries else None)
                frame[RECORDS].append(int(number))
        return frame

    @property
    def subject(self) -> str:
        return table_subject([str(column.column) for column in self.cells], self.order)

    def drawing(self) -> tuple[Chart, ...]:
        return table_charts([ChartColumn.of(column.column, column.names) for column in self.cells], self.by_columns)

    def rows(self, size: int, coins: Entropy) -> Frame:
        return table_rows(self.cells, self.by_columns, size, coins)


def table_counts(sample: Sample | CellsInEngine, cells: Sequence[Cells], chosen: Sequence[ColumnSet]) -> Ints:
    """How many records lie in each combination of cells of each choice of columns, one table after another."""
    return np.concatenate([table.reshape(-1) for table in crosstabs(sample, cells, chosen)])


@dataclass(frozen=True)
class MarginalSanitizer(NoisySanitizer):
    """Noisy counts of all tables of ``order`` columns, fitted by weights of all combinations of cells.

    Privacy   ε or (ε, δ) for all inputs: marginals, Theorem 1
    Time      O(n·K) to count; up to 1500 rounds over K tables of all combinations of cells, where they can be listed

    >>> import privpac as pp
    >>> pairs = pp.Marginals(*(pp.Points().on(name, values=(0, 1)) for name in "abc"), order=2)
    >>> X = {"a": [0, 1] * 5000, "b": [0, 1] * 5000, "c": [1] * 10_000}
    >>> release = pp.PrivateRelease(pairs, epsilon=1, delta=1e-6).fit(X)
    >>> abs(release.answer(pairs.hypothesis({"a": 1, "b": 1})) - 0.5) < 0.01
    True
    """

    concept_class: Marginals
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Marginals,)
    title: ClassVar[str] = "fitted noisy tables of declared columns"
    theorem: ClassVar[str] = "marginals, Theorem 1"
    reads_missing: ClassVar[bool] = True

    @property
    def records_in_engine(self) -> type[CellsInEngine]:
        return CellsInEngine

    @property
    def noise(self) -> Noise:
        """The noise of all counts: one record changes two cells of each table, by 1 each."""
        shape, tables = self._counted.shape, self._counted.tables
        return noise_for(self.terms.cost, 2 * len(tables), sum(prod(shape[i] for i in columns) for columns in tables))

    @property
    def _counted(self) -> TableShape:
        """The tables that get noise."""
        return TableShape(self.concept_class.shape, self.concept_class.tables, self.concept_class.order)

    def _counts(self, sample: Any) -> Ints:
        """The counts of these tables, one table after another."""
        return table_counts(sample, self.concept_class.cells, self.concept_class.tables)

    def fitted(self, records: Records, ask: Ask) -> Callable[[ColumnSet], Ints]:
        """The table of any columns of a counted table, in whole records: noisy counts, made to agree, and fitted."""
        n, noise, (shape, tables, _) = records.size, self.noise, self._counted
        noisy = as_tables(ask(noise, records.see(self._counts)), tables, shape)
        effects = consistent_effects(noisy, shape, public_total(self.terms, n))
        answers = smoothed(effects, self._counted, float(noise.variance), n)
        return lambda columns: np.clip(np.rint(answers.table(columns)), 0, n).astype(np.int64)

    def run(self, records: Records, ask: Ask) -> Answers:
        table = self.fitted(records, ask)
        return self._answers(records.size, map(table, self.concept_class.choices))

    def _answers(self, n: int, tables: Iterable[Ints]) -> MarginalAnswers:
        numbers = tuple(tuple(table.reshape(-1).tolist()) for table in tables)
        return MarginalAnswers(n, self.concept_class.cells, self.concept_class.order, numbers)


class TableShape(NamedTuple):
    """Which tables are counted: the number of cells of each column, the columns of each table, and the order."""

    shape: tuple[int, ...]
    tables: tuple[ColumnSet, ...]
    order: int


def smoothed(effects: Effects, counted: TableShape, variance: float, n: int) -> Effects:
    """Effects of tables that records could have, near the noisy ``effects``.

    They are those of fitted weights of combinations of cells; without a fit, tables are made non-negative and
    consistent in turns.
    """
    shape, tables, _ = counted
    total = min(max(effects.total, 0.0), float(n))
    fitted = fitted_tables(effects, counted, variance, total)
    if fitted is not None:
        return consistent_effects(as_tables(fitted, tables, shape), shape)
    for _ in range(SMOOTHINGS):
        positive = {columns: nonnegative(effects.table(columns), total) for columns in tables}
        effects = consistent_effects(positive, shape, total)
    return effects


def fitted_tables(effects: Effects, counted: TableShape, variance: float, total: float) -> Floats | None:
    """The tables of the weights that fit, one after another; None if none fit.

    If not all combinations of cells can be listed, only those that a tree of dependent columns makes likely have
    weights.
    """
    shape, tables, order = counted
    if prod(shape) * len(tables) <= LISTED:
        rows = combinations_of_cells(shape)
        singles = [nonnegative(effects.table((i,)), total) / max(total, 1.0) for i in range(len(shape))]
        start = total * reduce(lambda before, single: np.outer(before, single).reshape(-1), singles)
    elif order == 1:
        return None  # tables of single columns do not show which columns depend on each other
    else:
        pairs: dict[ColumnSet, Floats] = {pair: effects.table(pair) for pair in combinations(range(len(shape)), 2)}
        size = max(LISTED // len(tables), 1)
        coins = entropy(0)  # equal tables have equal rows
        rows = dependent_rows(NoisyTables(shape, pairs, variance, total), size, coins)
        start = np.full(size, total / size)
    y = np.concatenate([effects.table(columns).reshape(-1) for columns in tables])
    adjoint = membership(rows, shape, tables)
    A = adjoint.T.tocsr()  # from weights of rows to the counts of all tables
    w = fitted_weights(
        y, lambda w: np.asarray(A @ w), lambda r: np.asarray(adjoint @ r), start, effects.rank * variance
    )
    return None if w is None else np.asarray(A @ w)


def combinations_of_cells(shape: Sequence[int]) -> Ints:
    """All combinations of cells, one in each row; numpy's own function takes at most 63 columns.

    >>> combinations_of_cells((2, 2)).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    number, columns = np.arange(prod(shape)), list[Ints]()
    for side in reversed(shape):
        number, cell = np.divmod(number, side)
        columns.append(cell)
    return np.stack(columns[::-1], axis=1)
