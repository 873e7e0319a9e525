"""The part of a table's release that sees records: the cells of each column, and the counts of combinations of cells.

[CKS20]  docs/references.bib        proof: docs/proofs/tables.md

Throughout this file
    σ²      the variance of the noise of the counts
    θ       a cell should not have fewer records than this

A column is searched for cells unless all its values can be cells. A line is halved again and again where noisy counts
are large; then neighboring leaves with few records are merged into one cell. In a column without an order, the values
that a truncated histogram shows are cells, and all others share one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb, prod, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.crosstabs import CellsInEngine, crosstabs, values_of
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.domains.with_missing import WithMissing
from privpac.data.samples.sample import Ints, Sample
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.privacy.accounting.gaussian_counts import ZERO
from privpac.privacy.budget import Budget
from privpac.refusals.refusal import Refused
from privpac.release.noise_choice import Noise
from privpac.release.postprocessing.consistency import ColumnSet
from privpac.release.tables.cells import OTHER, CellsWithMissing, ColumnCells, KeyCells, LineCells
from privpac.release.tables.noisy_tables import column_pairs
from privpac.release.tables.price import TablePrice

FEW = 8  # a line of at most this many values keeps them all
MOST_COUNTS, MOST_CELLS = 2**22, 256  # counts of all tables together; cells of a column
MOST_IN_PAIRS = 1448  # the most columns whose pairs have at most MOST_COUNTS counts, if each column has two cells
SIDE = 16  # a guess, before the search, at how many cells a column will have
PARTS_OF_N, NOISES, SURE = 10, 16, 6  # θ is at least n/10, 16 σ, and 6 standard deviations of the noise of a leaf
MOST_LEAVES = 256  # about the most leaves of a line
DEEPEST = 128  # halvings of a line, at most


class CountedTables(NamedTuple):
    """The cells of each column, and a noisy count of each combination of cells, one table after another."""

    cells: tuple[ColumnCells, ...]
    counts: Ints


class Leaf(NamedTuple):
    """The numbers low … stop − 1 of a line, and their noisy count."""

    low: int
    stop: int
    records: int


@dataclass(frozen=True)
class TableCounts(Algorithm):
    """Cells of each column of ``columns``, then counts of all cells of ``asked`` sets of columns, with noise.

    Without ``asked``, the sets are all pairs of columns. ``extra_weight`` is κ: if the noise is Gaussian, the same cost
    also covers one more number that changes by 1 at most, with noise of the variance σ²/κ.

    >>> from privpac.data.domains.listing import Listing
    >>> from privpac.exact.entropy import SYSTEM
    >>> columns = Columns(("job", "late"), (Listing(("clerk", "nurse")), Listing((False, True))))
    >>> sample = Sample(np.array([[0, 1], [1, 1]]), np.ones(2, bool), np.array([5000, 7000]), 12000)
    >>> TableCounts(Budget(1, 1e-6), columns).release(sample, SYSTEM).counts.round(-3).tolist()
    [0, 5000, 0, 7000]
    """

    cost: Budget
    columns: Columns
    asked: tuple[ColumnSet, ...] = ()
    extra_weight: Fraction = ZERO
    name: ClassVar[str] = "cells and combinations of cells"
    theorem: ClassVar[str] = "tables, Theorem 1"

    def __post_init__(self) -> None:
        if self.most < 2:
            widest = max(map(len, self.asked), default=2)
            few = f"ask for at most {MOST_COUNTS >> widest} marginals of {widest} columns"
            fewer = few if self.asked else f"declare at most {MOST_IN_PAIRS} columns"
            raise Refused("schema", f"these tables have more than {MOST_COUNTS} counts; {fewer}")

    def run(self, data: Sample | CellsInEngine, ask: Ask) -> CountedTables:
        of_values = (self._cells(i, data, ask) for i in range(len(self.columns.names)))
        cells = tuple(map(_with_missing, of_values, self.columns.domains))
        counts = [table.reshape(-1) for table in crosstabs(data, cells, self.sets)]
        return CountedTables(cells, ask(self.noise, np.concatenate(counts)))

    def _cells(self, i: int, data: Sample | CellsInEngine, ask: Ask) -> ColumnCells:
        """The cells of the values of column i, without the cell of missing entries."""
        column, domain = str(self.columns.names[i]), self.columns.domains[i].present
        if i not in self.searched:
            return _every_value(column, domain)
        codes, counts = self._values(data, i)
        most = self.most - self.columns.domains[i].optional
        if domain.line is None:
            shown = ask(self.price.histogram, _key_counts(codes, counts))
            keys = [key for key in shown if domain.decode(key) != OTHER]
            return KeyCells(column, domain, tuple(keys[: most - 1]), other=True)
        numbers = codes.astype(np.int64 if domain.line.size < 2**63 else object)
        leaves = self._leaves(domain.line, (numbers, counts), data.size, ask)
        starts = merged(leaves, self.least(data.size, domain.line), most)
        first, _, records = zip(*leaves, strict=True)
        return LineCells(column, domain.line, first, starts, records)

    def _values(self, data: Sample | CellsInEngine, i: int) -> tuple[NDArray[Any], Ints]:
        """The codes of a column and their counts, without missing entries, which have a cell of their own."""
        codes, counts = values_of(data, i)
        domain = self.columns.domains[i]
        present = ~domain.absent(codes) if isinstance(domain, WithMissing) else slice(None)
        return codes[present], counts[present]

    def _leaves(self, line: Line, values: tuple[NDArray[Any], Ints], n: int, ask: Ask) -> list[Leaf]:
        """The leaves of a line: in each round, every leaf with a large noisy count is halved.

        ``values`` are the numbers on the line that records have, with their counts.
        """
        leaves, noise = [Leaf(0, line.size, n)], self.price.leaf_noise(halvings(line))
        large = max(SURE * sqrt(noise.variance), n / MOST_LEAVES)
        for _ in range(halvings(line)):
            open_leaves = [leaf for leaf in leaves if leaf.records >= large and leaf.stop - leaf.low > 1]
            if not open_leaves:
                break
            halves = [half for leaf in open_leaves for half in _halves(leaf)]
            noisy = ask(noise, _between(halves, *values))
            finer = [Leaf(low, stop, int(count)) for (low, stop), count in zip(halves, noisy, strict=True)]
            leaves = sorted([*(leaf for leaf in leaves if leaf not in open_leaves), *finer])
        return leaves

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """The columns that are searched for cells."""
        return tuple(i for i, domain in enumerate(self.columns.domains) if not self._listed(domain))

    @property
    def too_wide(self) -> tuple[str, ...]:
        """The searched columns, if all of them declare their values one by one, but too many; otherwise ()."""
        domains = [self.columns.domains[i] for i in self.searched]
        declared = all(domain.numbered and domain.present.line is None for domain in domains)
        return tuple(str(self.columns.names[i]) for i in self.searched) if declared else ()

    def _listed(self, domain: Domain) -> bool:
        """Whether every value of a column is a cell."""
        few = domain.present.line is None or domain.present.size <= FEW
        return few and domain.size <= self.most and domain.numbered

    @cached_property
    def sets(self) -> tuple[ColumnSet, ...]:
        """The columns of each table."""
        return self.asked or column_pairs(len(self.columns.names))

    @cached_property
    def most(self) -> int:
        """The most cells that a column may have, so that all tables have at most MOST_COUNTS counts."""
        columns = len(self.columns.names)
        sets_by_width = Counter(map(len, self.asked)) or {min(columns, 2): max(comb(columns, 2), 1)}

        def counts(side: int) -> int:
            return sum(number * side**width for width, number in sets_by_width.items())

        return max((side for side in range(1, MOST_CELLS + 1) if counts(side) <= MOST_COUNTS), default=0)

    @cached_property
    def price(self) -> TablePrice:
        """What each part costs."""
        lines = [self.columns.domains[i].present.line for i in self.searched]
        halved = tuple(halvings(line) for line in lines if line is not None)
        unordered = sum(line is None for line in lines)
        return TablePrice(self.cost, len(self.sets), self._expected, halved, unordered, self.extra_weight)

    @property
    def _expected(self) -> int:
        """How many counts there are; before a search, a guess with SIDE cells in each column."""
        sizes = [SIDE if self.searched else int(domain.size) for domain in self.columns.domains]
        return sum(prod(sizes[i] for i in chosen) for chosen in self.sets)

    @property
    def noise(self) -> Noise:
        """The noise of the tables."""
        return self.price.noise

    def least(self, n: int, line: Line) -> float:
        """θ, the least number of records that a cell should have."""
        leaf = SURE * sqrt(self.price.leaf_noise(halvings(line)).variance)
        return max(n / PARTS_OF_N, NOISES * sqrt(self.noise.variance), leaf)


def _with_missing(cells: ColumnCells, domain: Domain) -> ColumnCells:
    """The cells, with one for missing entries if there may be some."""
    return CellsWithMissing(cells, domain) if isinstance(domain, WithMissing) else cells


def halvings(line: Line) -> int:
    """How often a line can be halved.

    >>> halvings(Line(0, 120))
    7
    """
    return min((line.size - 1).bit_length(), DEEPEST)


def merged(leaves: list[Leaf], least: float, most: int) -> tuple[int, ...]:
    """The first numbers of cells: neighboring leaves with fewer records together than ``least`` are one cell.

    >>> merged([Leaf(0, 1, 900), Leaf(1, 2, 3), Leaf(2, 4, 5), Leaf(4, 8, 92)], 100, 9)
    (0, 1, 4)
    """
    starts, count = [leaves[0].low], leaves[0].records
    for leaf in leaves[1:]:
        if count + leaf.records < least:
            count += leaf.records
        else:
            starts.append(leaf.low)
            count = leaf.records
    return tuple(starts) if len(starts) <= most else merged(leaves, 1.5 * least, most)


def _every_value(column: str, domain: Domain) -> ColumnCells:
    """The cells of a column in which every value is a cell."""
    every = tuple(range(int(domain.size)))
    if domain.line is None:
        return KeyCells(column, domain, every, other=False)
    return LineCells(column, domain.line, every, every, (0,) * len(every))


def _halves(leaf: Leaf) -> list[tuple[int, int]]:
    middle = (leaf.low + leaf.stop) // 2
    return [(leaf.low, middle), (middle, leaf.stop)]


def _between(parts: list[tuple[int, int]], codes: NDArray[Any], counts: Ints) -> Ints:
    """How many records lie in each of these disjoint parts of a line, pairs of a first number and the one after it."""
    edges = np.array(sorted({end for part in parts for end in part}), dtype=codes.dtype)
    places, stretches = np.searchsorted(edges, codes, side="right"), np.zeros(len(edges) + 1, dtype=np.int64)
    np.add.at(stretches, places, counts)
    return stretches[np.searchsorted(edges, np.array([low for low, _ in parts], dtype=codes.dtype), side="right")]


def _key_counts(codes: NDArray[Any], counts: Ints) -> dict[Hashable, int]:
    """How many records have each code."""
    records: Counter[Hashable] = Counter()
    for key, count in zip(codes.tolist(), counts.tolist(), strict=True):
        records[key] += count
    return records
