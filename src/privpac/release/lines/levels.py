"""Noisy counts of cells in a row, of groups of neighboring cells, of groups of groups, and so on, made to agree.

[HRMS10] [JS61] [Kol33]  docs/references.bib        proof: docs/proofs/split_tree.md, Theorem 2

A sum over many cells adds up the noise of all of them; a sum over a few groups has little noise. But levels share the
budget, so with few cells one level is best.

Throughout this file
    K    the number of cells          L    the number of levels
    b    a group joins b neighbors of the level below
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.release.postprocessing.consistency import Floats

KOLMOGOROV = 1.36  # a Brownian bridge stays within ± this number with probability .95
MOST_CELLS = (125, 1500, 30_000)  # for one, two, three levels: measured, and near the least of L³·K^(1/L)


@dataclass(frozen=True)
class CountLevels:
    """The levels above ``cells`` cells in a row.

    >>> levels = CountLevels(400)
    >>> levels.number, levels.wide, [len(each) for each in levels.counts(np.ones(400, dtype=np.int64))]
    (2, 20, [400, 20])
    """

    cells: int

    @property
    def number(self) -> int:
        """L, which grows with the number of cells."""
        return 1 + bisect_left(MOST_CELLS, self.cells)

    @property
    def wide(self) -> int:
        """b, about the L-th root of the number of cells."""
        root: float = self.cells ** (1 / self.number)
        return max(2, ceil(root))

    def counts(self, cells: Ints) -> list[Ints]:
        """The counts of all levels, the cells first."""
        levels = [cells]
        for _ in range(self.number - 1):
            levels.append(self._joined(levels[-1]))
        return levels

    def _joined(self, level: NDArray[Any]) -> NDArray[Any]:
        return np.add.reduceat(level, np.arange(0, len(level), self.wide))

    def least_squares(self, noisy: list[Floats], total: float) -> Floats:
        """The counts of the cells by least squares, given that all of them add up to ``total``.

        Bottom-up, each group takes the mean of its own count and the sum of its parts, weighted by their precision;
        top-down, each group spreads what its parts miss over them, in proportion to their variances.
        """
        best, variances = [noisy[0]], [np.ones(len(noisy[0]))]  # all noise has the same variance: the unit
        for own in noisy[1:]:
            parts, variance = self._joined(best[-1]), self._joined(variances[-1])
            best.append((parts + variance * own) / (1 + variance))
            variances.append(variance / (1 + variance))
        counts = best[-1] + (total - best[-1].sum()) * variances[-1] / variances[-1].sum()
        for level, variance in zip(best[-2::-1], variances[-2::-1], strict=True):
            missing = (counts - self._joined(level)) / self._joined(variance)
            counts = level + variance * np.repeat(missing, self.wide)[: len(level)]
        return np.asarray(counts)


def non_decreasing(values: Floats) -> Floats:
    """A non-decreasing sequence that is no farther from any other such sequence than ``values``, in maximum norm.

    >>> non_decreasing(np.array([0.0, 3.0, 1.0, 4.0]))
    array([0., 2., 2., 4.])
    """
    rising, falling = np.maximum.accumulate(values), np.minimum.accumulate(values[::-1])[::-1]
    return np.asarray((rising + falling) / 2)


def toward(prior: Floats, noisy: Floats, variance: float) -> Floats:
    """``noisy``, moved toward ``prior`` by as much as noise of this variance accounts for the difference [JS61].

    >>> toward(np.zeros(4), np.array([1.0, -1.0, 1.0, -1.0]), variance=1.0)
    array([ 0.5, -0.5,  0.5, -0.5])
    """
    apart = noisy - prior
    share = 1 - max(0, len(noisy) - 2) * variance / max(float(apart @ apart), variance)
    return np.asarray(prior + max(0.0, share) * apart)


def is_expected(prior: Floats, noisy: Floats, variance: float) -> bool:
    """Whether running sums of ``noisy`` and ``prior`` differ no more than noise of this variance explains [Kol33].

    >>> [is_expected(np.zeros(2), np.array([x, -x]), variance=1.0) for x in (1.0, 9.0)]
    [True, False]
    """
    farthest = np.abs(np.cumsum(noisy - prior)).max()
    return bool(farthest <= KOLMOGOROV * sqrt(len(noisy) * variance))
