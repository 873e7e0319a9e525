"""Noisy counts of all pairs of columns, made consistent with each other. Only released numbers are read here.

Throughout this file
    cell     one of the parts into which the values of a column are divided
    pair     two columns i < j, and the table of the records in each pair of their cells
    single   the number of records in each cell of one column
    n        the number of records in the cells, public or estimated
    σ²       the variance of the noise of every count

Main declarations
    column_pairs    all pairs of columns
    pair_counts     the counts of all pairs, one table after another
    NoisyPairs      noisy tables, with singles that agree with all of them
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.sample import Ints
from privpac.release.consistency import nonnegative

Floats = NDArray[np.float64]
Pair = tuple[int, int]
TINY = 1e-9  # keeps quotients of empty cells finite


def column_pairs(width: int) -> tuple[Pair, ...]:
    """All pairs of ``width`` columns.

    >>> column_pairs(3)
    ((0, 1), (0, 2), (1, 2))
    """
    return tuple(combinations(range(width), 2))


def numbers_of(places: NDArray[Any], shape: Sequence[int], pair: Pair) -> NDArray[np.intp]:
    """The number of the pair of cells that each row of ``places`` lies in."""
    i, j = pair
    return np.asarray(places[:, i] * shape[j] + places[:, j], dtype=np.intp)


def pair_counts(places: NDArray[Any], counts: Ints | None, shape: Sequence[int]) -> Ints:
    """How many records lie in each pair of cells, one table after another; row r of ``places`` counts ``counts[r]``.

    >>> pair_counts(np.array([[0, 1], [1, 1]]), np.array([5, 7]), (2, 2)).tolist()
    [0, 5, 0, 7]
    """
    found = [np.zeros(0, dtype=np.int64)]
    for i, j in column_pairs(len(shape)):
        table = np.zeros(shape[i] * shape[j], dtype=np.int64)
        np.add.at(table, numbers_of(places, shape, (i, j)), 1 if counts is None else counts)
        found.append(table)
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class NoisyPairs:
    """Tables of noisy counts. The noise of every count has the variance σ² and is independent of all others.

    >>> exact = NoisyPairs.of(np.array([300, 100, 0, 600]), (2, 2), 1.0, 1000, 1000)
    >>> [single.tolist() for single in exact.singles]
    [[400.0, 600.0], [300.0, 700.0]]
    """

    shape: tuple[int, ...]
    noisy: tuple[Floats, ...]
    variance: float
    total: float  # n

    @staticmethod
    def of(flat: Ints, shape: Sequence[int], variance: float, most: int, total: int | None) -> NoisyPairs:
        """Tables from :func:`pair_counts` with noise; without ``total``, n is what they suggest, ``most`` at most."""
        sides = [(shape[i], shape[j]) for i, j in column_pairs(len(shape))]
        parts = np.split(flat.astype(np.float64), np.cumsum([a * b for a, b in sides])[:-1])
        tables = tuple(part.reshape(side) for part, side in zip(parts, sides, strict=True))
        n = total if total is not None else round(_weighted((table.sum(), table.size) for table in tables))
        return NoisyPairs(tuple(shape), tables, variance, float(min(max(n, 0), most)))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Which columns each table is about."""
        return column_pairs(len(self.shape))

    @cached_property
    def singles(self) -> tuple[Floats, ...]:
        """The single of each column that agrees best with all tables, never negative, with the sum n."""

        def sums(column: int) -> Iterable[tuple[Floats, int]]:
            for (i, j), table in zip(self.pairs, self.noisy, strict=True):
                if column in (i, j):
                    yield table.sum(axis=int(column == i)), table.shape[int(column == i)]

        return tuple(nonnegative(_weighted(sums(column)), self.total) for column in range(len(self.shape)))

    @cached_property
    def consistent(self) -> tuple[Floats, ...]:
        """The nearest tables whose sums are the singles; some of their counts may be negative."""
        found = []
        for (i, j), table in zip(self.pairs, self.noisy, strict=True):
            a, b = table.shape
            rows = table + ((self.singles[i] - table.sum(axis=1)) / b)[:, None]
            found.append(rows + (self.singles[j] - rows.sum(axis=0)) / a)
        return tuple(found)

    @cached_property
    def independent(self) -> tuple[Floats, ...]:
        """The tables that the singles would have if no column depended on another."""
        whole = max(self.total, TINY)
        return tuple(np.outer(self.singles[i], self.singles[j]) / whole for i, j in self.pairs)

    @cached_property
    def shrunk(self) -> tuple[Floats, ...]:
        """Tables between the independent and the consistent ones, never negative; more noise moves them to the former.

        A count that would be e without dependence is believed to differ from it by about √(c·e). The c of a table
        follows from its noisy counts, and a difference is multiplied by c·e/(c·e + σ²).
        """
        return tuple(
            _shrunk(table, alone, self.variance, self.singles[i], self.singles[j])
            for (i, j), table, alone in zip(self.pairs, self.consistent, self.independent, strict=True)
        )


def _weighted(sums: Iterable[tuple[Any, int]]) -> Any:
    """The mean of several noisy sums; one of m counts has m times the variance of a count, and 1/m times the weight."""
    listed = list(sums)
    return sum(found / m for found, m in listed) / sum(1 / m for _, m in listed)


def _shrunk(table: Floats, alone: Floats, variance: float, rows: Floats, columns: Floats) -> Floats:
    apart, squares = table - alone, max(float((alone**2).sum()), TINY)
    c = max(float((alone * (apart**2 - variance)).sum()) / squares, 0.0)
    found = np.maximum(alone + apart * (c * alone / (c * alone + variance)), 0) + TINY * alone
    for _ in range(30):  # give the table its sums again, without negative counts
        found *= (rows / np.maximum(found.sum(axis=1), TINY))[:, None]
        found *= columns / np.maximum(found.sum(axis=0), TINY)
    return np.asarray(found)
