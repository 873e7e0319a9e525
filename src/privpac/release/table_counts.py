"""The part of a table's release that sees records: the cells of each column, and the counts of all pairs of cells.

[CKS20]  docs/references.bib        proof: docs/proofs/tables.md

Throughout this file
    n       the number of records, public
    K       the number of pairs of columns
    ρ       the whole cost in zCDP; ρ_c is the part of one column whose cells must be found
    σ²      the variance of the noise of the counts of pairs: K/(ρ of the pairs), or less if no cells must be found
    θ       a cell should not have fewer records than this

A line is halved again and again where noisy counts are large; neighboring leaves with few records are then one cell.
Values that are not declared one by one, or too many, are shown if a truncated histogram shows them.

Main declarations
    TableCounts     cells of all columns, and noisy counts of all pairs of cells; (ε, δ)-DP
    CountedPairs    both
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.domain import Domain
from privpac.data.line import Line
from privpac.data.named_columns import Columns
from privpac.data.refusal import Refused
from privpac.data.sample import Ints, Sample
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.mechanisms.gaussian import DiscreteGaussian, GaussianCounts, GaussianShare
from privpac.mechanisms.truncated_histogram import TruncatedHistogram
from privpac.privacy.budget import Budget
from privpac.privacy.concentrated import Concentrated
from privpac.release.cells import OTHER, ColumnCells, KeyCells, LineCells
from privpac.release.pairs import pair_counts

FEW = 8  # a line of at most as many values keeps them all
MOST_PAIRS, MOST_CELLS = 2**22, 256  # cells of all pairs together; cells of a column
CELLS = Fraction(1, 16)  # of ρ, for finding cells
KEYS = Fraction(1, 4)  # of δ, for showing values that are not declared
PARTS_OF_N, NOISES, SURE = 10, 16, 6  # θ: n/10, 16 times the noise of a pair, 6 times the noise of a leaf
MOST_LEAVES = 256  # about
DEEPEST = 128  # halvings of a line
ROOT = 2**64  # ε of a column is a multiple of 1/ROOT


class CountedPairs(NamedTuple):
    """The cells of each column, and a noisy count of each pair of cells, one table after another."""

    cells: tuple[ColumnCells, ...]
    counts: Ints


class Leaf(NamedTuple):
    """The numbers low … stop − 1 of a line, and their noisy count."""

    low: int
    stop: int
    held: int


@dataclass(frozen=True)
class TableCounts(Algorithm):
    """Cells of each column of ``columns``, then counts of all pairs of cells with discrete Gaussian noise.

    >>> from privpac.data.listing import Listing
    >>> from privpac.exact.entropy import SYSTEM
    >>> columns = Columns(("job", "late"), (Listing(("clerk", "nurse")), Listing((False, True))))
    >>> sample = Sample(np.array([[0, 1], [1, 1]]), np.ones(2, bool), np.array([5000, 7000]), 12000)
    >>> TableCounts(Budget(1, 1e-6), columns).release(sample, SYSTEM).counts.round(-3).tolist()
    [0, 5000, 0, 7000]
    """

    cost: Budget
    columns: Columns
    few: int = FEW
    name: ClassVar[str] = "cells and pairs of cells"
    theorem: ClassVar[str] = "tables, Theorem 1"

    def __post_init__(self) -> None:
        if self.most < 2:
            raise Refused("schema", f"the schema has {len(self.columns.names)} columns; declare fewer of them")

    def run(self, data: Sample, ask: Ask) -> CountedPairs:
        cells = tuple(self._cells(i, data, ask) for i in range(len(self.columns.names)))
        counts = pair_counts(places(cells, data.points), data.counts, shape_of(cells))
        return CountedPairs(cells, ask(self.noise, counts))

    def _cells(self, i: int, data: Sample, ask: Ask) -> ColumnCells:
        column, domain, codes = str(self.columns.names[i]), self.columns.domains[i], data.points[:, i]
        if i not in self.searched:
            return _every_value(column, domain)
        if domain.line is None:
            shown = ask(self.histogram, _key_counts(codes, data.counts))
            named = [key for key in shown if domain.decode(key) != OTHER]
            return KeyCells(column, domain, tuple(named[: self.most - 1]), other=True)
        leaves = self._leaves(domain.line, numbers_on(domain.line, codes), data, ask)
        starts = merged(leaves, self.least(data.size, domain.line), self.most)
        return LineCells(
            column, domain.line, tuple(leaf.low for leaf in leaves), starts, tuple(leaf.held for leaf in leaves)
        )

    def _leaves(self, line: Line, codes: NDArray[Any], data: Sample, ask: Ask) -> list[Leaf]:
        """Halve every leaf whose noisy count is large, round by round."""
        leaves, noise = [Leaf(0, line.size, data.size)], self.leaf_noise(line)
        large = max(SURE * sqrt(noise.variance), data.size / MOST_LEAVES)
        for _ in range(halvings(line)):
            open_leaves = [leaf for leaf in leaves if leaf.held >= large and leaf.stop - leaf.low > 1]
            if not open_leaves:
                break
            halves = [half for leaf in open_leaves for half in _halves(leaf)]
            noisy = ask(noise, _between(halves, codes, data.counts))
            finer = [Leaf(low, stop, int(count)) for (low, stop), count in zip(halves, noisy, strict=True)]
            leaves = sorted([*(leaf for leaf in leaves if leaf not in open_leaves), *finer])
        return leaves

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """The columns whose cells depend on the records."""
        return tuple(i for i, each in enumerate(self.columns.domains) if not self._listed(each))

    def _listed(self, domain: Domain) -> bool:
        """Whether every value of a column is a cell."""
        return domain.size <= (self.most if domain.line is None else min(self.few, self.most)) and domain.numbered

    @property
    def most(self) -> int:
        """How many cells a column may have."""
        return min(MOST_CELLS, isqrt(MOST_PAIRS // number_of_pairs(len(self.columns.names))))

    @cached_property
    def rho(self) -> Fraction:
        """ρ: what stays within the cost after the δ of the histograms."""
        return Concentrated.within(self.cost, self._histogram_delta * len(self._unordered)).rho

    @property
    def _unordered(self) -> list[int]:
        return [i for i in self.searched if self.columns.domains[i].line is None]

    @property
    def _histogram_delta(self) -> Fraction:
        return KEYS * self.cost.delta / max(len(self._unordered), 1)

    @property
    def column_rho(self) -> Fraction:
        """ρ_c."""
        return CELLS * self.rho / max(len(self.searched), 1)

    @cached_property
    def histogram(self) -> TruncatedHistogram:
        """Which values of a column are shown; ε²/2 ≤ ρ_c."""
        ε = Fraction(isqrt(int(2 * self.column_rho * ROOT**2)), ROOT)
        return TruncatedHistogram(Budget(ε, self._histogram_delta))

    def leaf_noise(self, line: Line) -> GaussianShare:
        """The noise of one round of halvings: a record changes two of their counts."""
        return GaussianShare(self.cost, 2, self.column_rho / halvings(line))

    @cached_property
    def noise(self) -> DiscreteGaussian:
        """The noise of the pairs: a record changes two counts of each of them."""
        changes = 2 * number_of_pairs(len(self.columns.names))
        if not self.searched:
            return GaussianCounts(self.cost, changes)
        return GaussianShare(self.cost, changes, self.rho - len(self.searched) * self.column_rho)

    def least(self, n: int, line: Line) -> float:
        """θ."""
        leaf = SURE * sqrt(self.leaf_noise(line).variance)
        return max(n / PARTS_OF_N, NOISES * sqrt(self.noise.variance), leaf)


def number_of_pairs(width: int) -> int:
    """K; a column alone makes a pair with one that has a single cell.

    >>> number_of_pairs(13), number_of_pairs(1)
    (78, 1)
    """
    return max(width * (width - 1) // 2, 1)


def shape_of(cells: tuple[ColumnCells, ...]) -> tuple[int, ...]:
    """How many cells each column has; a second column with one cell stands beside a column that is alone."""
    sizes = tuple(each.size for each in cells)
    return sizes if len(sizes) > 1 else (*sizes, 1)


def places(cells: tuple[ColumnCells, ...], points: NDArray[Any]) -> NDArray[np.intp]:
    """The cell of each record in each column, as in :func:`shape_of`."""
    found = [each.of(points[:, i]) for i, each in enumerate(cells)]
    return np.stack(found if len(found) > 1 else [*found, np.zeros(len(points), dtype=np.intp)], axis=1)


def halvings(line: Line) -> int:
    """How often a line can be halved.

    >>> halvings(Line(0, 120))
    7
    """
    return min((line.size - 1).bit_length(), DEEPEST)


def numbers_on(line: Line, codes: NDArray[Any]) -> NDArray[Any]:
    """The numbers of records on a line, in an array that can be sorted fast if they are small."""
    return codes.astype(np.int64 if line.size < 2**63 else object)


def merged(leaves: list[Leaf], least: float, most: int) -> tuple[int, ...]:
    """The first numbers of cells: neighboring leaves with fewer records together than ``least`` are one cell.

    >>> merged([Leaf(0, 1, 900), Leaf(1, 2, 3), Leaf(2, 4, 5), Leaf(4, 8, 92)], 100, 9)
    (0, 1, 4)
    """
    starts, held = [leaves[0].low], leaves[0].held
    for leaf in leaves[1:]:
        if held + leaf.held < least:
            held += leaf.held
        else:
            starts.append(leaf.low)
            held = leaf.held
    return tuple(starts) if len(starts) <= most else merged(leaves, 1.5 * least, most)


def _every_value(column: str, domain: Domain) -> ColumnCells:
    every = tuple(range(int(domain.size)))
    if domain.line is None:
        return KeyCells(column, domain, every, other=False)
    return LineCells(column, domain.line, every, every, (0,) * len(every))


def _halves(leaf: Leaf) -> list[tuple[int, int]]:
    middle = (leaf.low + leaf.stop) // 2
    return [(leaf.low, middle), (middle, leaf.stop)]


def _between(parts: list[tuple[int, int]], codes: NDArray[Any], counts: Ints | None) -> Ints:
    """How many records lie in each of some disjoint parts of a line."""
    edges = np.array(sorted({end for part in parts for end in part}), dtype=codes.dtype)
    where, inner = np.searchsorted(edges, codes, side="right"), np.zeros(len(edges) + 1, dtype=np.int64)
    np.add.at(inner, where, 1 if counts is None else counts)
    return inner[np.searchsorted(edges, np.array([low for low, _ in parts], dtype=codes.dtype), side="right")]


def _key_counts(codes: NDArray[Any], counts: Ints | None) -> dict[Hashable, int]:
    found: dict[Hashable, int] = {}
    for key, count in zip(codes.tolist(), [1] * len(codes) if counts is None else counts.tolist(), strict=True):
        found[key] = found.get(key, 0) + count
    return found
