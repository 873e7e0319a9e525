"""Noisy tables of some sets of columns, made consistent with each other. Only released numbers are read here.

Throughout this file
    cell     one of the parts into which the values of a column are divided
    set      columns in increasing order; each set has a table: how many records lie in each combination of their
             cells
    single   the table of one column
    margin   a table, summed over some of its columns; each sum adds up m noisy counts
    n        the number of records in the cells, public or estimated
    σ²       the variance of the noise of every count
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from privpac.data.samples.sample import Ints
from privpac.release.postprocessing.consistency import ColumnSet, Floats, as_tables, nonnegative

Pair = tuple[int, int]
TINY = 1e-9  # keeps divisors above 0 where a whole table, row, or column is empty


def column_pairs(width: int) -> tuple[ColumnSet, ...]:
    """All pairs of ``width`` columns; a column alone if there is only one.

    >>> column_pairs(3), column_pairs(1)
    (((0, 1), (0, 2), (1, 2)), ((0,),))
    """
    return tuple(combinations(range(width), min(width, 2)))


@dataclass(frozen=True, eq=False)
class NoisyTables:
    """A table of noisy counts for each of ``sets``. The noise of every count has the variance σ².

    >>> exact = NoisyTables.of(np.array([300, 100, 0, 600]), (2, 2), [(0, 1)], 1.0, 1000, total=1000)
    >>> [single.tolist() for single in exact.singles]
    [[400.0, 600.0], [300.0, 700.0]]
    """

    shape: tuple[int, ...]
    noisy: Mapping[ColumnSet, Floats]
    variance: float
    total: float  # n

    @staticmethod
    def of(
        flat: Ints, shape: Sequence[int], sets: Sequence[ColumnSet], variance: float, most: int, *, total: int | None
    ) -> NoisyTables:
        """The tables from a flat array of their counts; without ``total``, n is estimated, between 0 and ``most``."""
        tables = as_tables(flat, sets, shape)
        n = total if total is not None else round(_weighted((table.sum(), table.size) for table in tables.values()))
        return NoisyTables(tuple(shape), tables, variance, float(min(max(n, 0), most)))

    @cached_property
    def singles(self) -> tuple[Floats, ...]:
        """The single of each column that agrees best with all tables, never negative, with the sum n."""

        def margins(column: int) -> Iterable[tuple[Floats, int]]:
            for columns, table in self.noisy.items():
                if column in columns:
                    yield _margin(table, columns, (column,))

        return tuple(nonnegative(_weighted(margins(column)), self.total) for column in range(len(self.shape)))

    @cached_property
    def consistent(self) -> dict[ColumnSet, Floats]:
        """The nearest tables whose margins are the singles; some of their counts may be negative."""
        return {columns: self._with_singles(columns, table) for columns, table in self.noisy.items()}

    def _with_singles(self, columns: ColumnSet, table: Floats) -> Floats:
        """The table, corrected evenly along each column until its margins are the singles.

        After the first column the total is right, so that later corrections do not change earlier margins.
        """
        for axis, i in enumerate(columns):
            margin, m = _margin(table, columns, (i,))
            side = [self.shape[i] if k == axis else 1 for k in range(len(columns))]
            table = table + ((self.singles[i] - margin) / m).reshape(side)
        return table

    @cached_property
    def pairs(self) -> dict[Pair, Floats]:
        """For each pair of columns that some table has, the counts that agree best with all of these tables."""
        known = sorted({(i, j) for columns in self.noisy for i, j in combinations(columns, 2)})
        return {pair: _weighted(self._margins_of(pair)) for pair in known}

    def _margins_of(self, pair: Pair) -> Iterable[tuple[Floats, int]]:
        """The margin of both columns in each table that has them, and its m."""
        for columns, table in self.consistent.items():
            if set(pair) <= set(columns):
                yield _margin(table, columns, pair)

    def independent(self, pair: Pair) -> Floats:
        """The table of the pair if its columns were independent: the product of their singles, divided by n."""
        return np.asarray(np.outer(self.singles[pair[0]], self.singles[pair[1]]) / max(self.total, TINY))

    @cached_property
    def shrunk(self) -> dict[Pair, Floats]:
        """Tables of pairs between the independent and the consistent ones, never negative.

        The model: a count that would be e without dependence differs from e by about √(c·e). The c of a table is
        estimated from its noisy counts, and a difference from e is multiplied by c·e/(c·e + u). Here u = σ²/Σ(1/m), the
        sum being over the tables that have the pair, is the variance of the noise of the pair's counts, corrections
        aside. So the more noise there is, the nearer a table moves to independence.
        """
        tables = {}
        for pair, table in self.pairs.items():
            variance = self.variance / sum(1 / m for _, m in self._margins_of(pair))
            rows, columns = (self.singles[i] for i in pair)
            tables[pair] = _shrunk(table, self.independent(pair), variance, rows, columns)
        return tables


def _margin(table: Floats, columns: ColumnSet, remaining: Sequence[int]) -> tuple[Floats, int]:
    """The margin of a table of ``columns``, summed over all but the ``remaining`` columns, and its m."""
    margin = np.asarray(table.sum(axis=tuple(axis for axis, i in enumerate(columns) if i not in remaining)))
    return margin, table.size // margin.size


def _weighted(margins: Iterable[tuple[Any, int]]) -> Any:
    """The mean of pairs of a margin and its m, weighted by 1/m: a sum of m counts has m times a count's variance."""
    listed = list(margins)
    return sum(margin / m for margin, m in listed) / sum(1 / m for _, m in listed)


def _shrunk(table: Floats, e: Floats, variance: float, rows: Floats, columns: Floats) -> Floats:
    """The table between ``table`` and the independent table e, with ``rows`` and ``columns`` as its singles."""
    difference, squares = table - e, max(float((e**2).sum()), TINY)
    # The mean of difference² is c·e + variance, so this fits c by least squares.
    c = max(float((e * (difference**2 - variance)).sum()) / squares, 0.0)
    # TINY·e keeps every row and column above 0, so that the factors below can restore it.
    shrunk = np.maximum(e + difference * (c * e / (c * e + variance)), 0) + TINY * e
    for _ in range(30):  # restore the singles, which the maximum with 0 changed, by factors for rows and columns
        shrunk *= (rows / np.maximum(shrunk.sum(axis=1), TINY))[:, None]
        shrunk *= columns / np.maximum(shrunk.sum(axis=0), TINY)
    return np.asarray(shrunk)
