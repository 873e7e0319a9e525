"""Zoom: a short stretch of a long line that holds most records.

[MT07]  docs/references.bib        proof: docs/proofs/private_cuts.md

Throughout this file
    N        the number of values of the line
    node     number j of level k: the values j·2^k … (j + 2)·2^k − 1. Nodes of a level overlap by half, so any 2^k
             neighboring values lie within one of them. The top level has a node that holds the whole line
    depth    the number of levels above a node
    c        what a level further down is worth, in records

Main declarations
    Held     the distinct values of a column, in order, and how many records have each
    Zoom     a node with many records, as deep as possible; ε-DP
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.sample import Ints
from privpac.exact.weighted import Weights
from privpac.mechanisms.selection import Menu, Selection
from privpac.privacy.budget import Budget

WORTH = Fraction(1, 2)  # ln of how much more a node weighs than one above it that holds the same records
SURE = 5.0  # ln of how much more the whole line should weigh than all stretches without records


class Held(NamedTuple):
    """Distinct values in order, and how many records have each; ``void`` records have none.

    >>> Held.of(np.array([7, 3, 7]), np.array([1, 1, 5]), size=9)
    Held(values=array([3, 7]), counts=array([1, 6]), void=2)
    """

    values: NDArray[Any]
    counts: Ints
    void: int

    @staticmethod
    def of(codes: NDArray[Any], counts: Ints | None, size: int) -> Held:
        """Values that stand for ``counts`` records each, among ``size`` records."""
        values, place = np.unique(codes, return_inverse=True)
        held = np.zeros(len(values), dtype=np.int64)
        np.add.at(held, place.reshape(-1), 1 if counts is None else counts)
        return Held(values[held > 0], held[held > 0], size - int(held.sum()))

    def within(self, first: int, stop: int) -> NDArray[Any]:
        """All records, void ones included, by their places in first … stop − 1; those outside are at the nearer end."""
        places = (np.clip(self.values, first, stop - 1) - first).astype(np.uint64 if stop - first <= 2**64 else object)
        return np.append(np.zeros(max(self.void, 0), dtype=places.dtype), np.repeat(places, self.counts))


class ZoomLevel(NamedTuple):
    """The nodes of one level that hold records, and how many."""

    k: int
    nodes: NDArray[Any]
    inside: Ints


def levels(data: Held, finest: int, top: int) -> Iterator[ZoomLevel]:
    """The levels from ``finest`` to ``top``.

    >>> for level in levels(Held.of(np.array([2, 3]), None, 2), 0, 1):
    ...     print(level.k, level.nodes, level.inside)
    0 [2 3 1] [2 1 1]
    1 [1 0] [2 2]
    """
    halves, counts = data.values >> finest, data.counts
    for k in range(finest, top + 1):
        first = np.flatnonzero(np.append(True, halves[1:] != halves[:-1])[: len(halves)])
        halves, counts = halves[first], np.add.reduceat(counts, first) if len(first) else counts
        beside = (halves[1:] - halves[:-1] == 1).astype(bool)  # the next half holds records as well
        alone = np.append((halves[:1] > 0).astype(bool), ~beside)  # the half before holds none
        both = counts.copy()
        both[:-1] += np.where(beside, counts[1:], 0)
        yield ZoomLevel(k, np.append(halves, halves[alone] - 1), np.append(both, counts[alone]))
        halves = halves >> 1


@dataclass(frozen=True)
class Zoom(Selection):
    """A stretch (first, stop) with probability ∝ e^(ε/2·(records inside + c·depth)); ε-DP.

    No stretch is shorter than 2^(finest + 1) values.

    >>> from privpac.exact.entropy import SYSTEM
    >>> Zoom(Budget(8), 2**64).release(Held.of(np.arange(1000), None, 1000), SYSTEM)
    (0, 1024)
    """

    cost: Budget
    size: int
    finest: int = 0  # the deepest level
    name: ClassVar[str] = "zoom"
    theorem: ClassVar[str] = "private cuts, Theorem 1"

    @property
    def top(self) -> int:
        """The level of the node that holds the whole line."""
        return max((self.size - 1).bit_length() - 1, self.finest)

    @property
    def worth(self) -> int:
        """c."""
        return ceil(2 * WORTH / self.cost.epsilon)

    def many(self, k: int) -> int:
        """How many nodes level k has."""
        return -(-self.size >> k)

    def outside(self, beta: float) -> int:
        """More records lie outside with probability at most β (private cuts, Theorem 3)."""
        nodes = sum(map(self.many, range(self.finest, self.top + 1)))
        return self.worth * (self.top - self.finest) + ceil((log(nodes) - log(beta)) / self._rate)

    def enough(self, n: int) -> bool:
        """Whether n records anywhere on the line outweigh all stretches without records."""
        return bool(n * self._rate >= SURE + self._log_empty())

    @lru_cache(maxsize=64)  # noqa: B019  (a few public numbers)
    def _log_empty(self) -> float:
        """ln of what all stretches would weigh without records."""
        deeper, levels = self.worth * self._rate, range(self.finest, self.top + 1)
        return float(np.logaddexp.reduce([log(self.many(k)) + deeper * (self.top - k) for k in levels]))

    @property
    def _rate(self) -> float:
        return float(self.cost.epsilon / 2)

    def menu(self, data: Held) -> Menu:
        groups: list[tuple[int, int]] = []  # level, records inside
        members: list[int] = []
        for level in levels(data, self.finest, self.top):
            inside, nodes = np.unique(level.inside, return_counts=True)
            groups += [(level.k, 0), *((level.k, each) for each in inside.tolist())]
            members += [self.many(level.k) - len(level.nodes), *nodes.tolist()]

        def outcome(group: int, member: int) -> tuple[int, int]:
            k, inside = groups[group]
            (level,) = levels(data, k, k)
            if inside:
                node = sorted(level.nodes[level.inside == inside].tolist())[member]
            else:  # i-th node with records: number j, after j − i without
                node = member + bisect_right([j - i for i, j in enumerate(sorted(level.nodes.tolist()))], member)
            return node << k, min(node + 2 << k, self.size)

        scores = [inside + self.worth * (self.top - k) for k, inside in groups]
        return Weights(scores, self.cost.epsilon / 2, members), outcome
