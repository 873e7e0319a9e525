"""Zoom: a short stretch of a long line that holds most records.

[MT07]  docs/references.bib        proof: docs/proofs/private_cuts.md

Throughout this file
    node     number j of level k: the values j·2^k … (j + 2)·2^k − 1. Nodes of a level overlap by half, so any 2^k
             consecutive values lie within one of them. The top level has a node that holds the whole line
    depth    the number of levels above a node
    c        the number of records that one more level of depth is worth
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, log
from typing import ClassVar, NamedTuple

import numpy as np

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import MOST_SCORES, Integers, Weights
from privpac.mechanisms.selection.exponential import Menu, Selection, reach, short_list
from privpac.privacy.budget import Budget

LN_WORTH = Fraction(1, 2)  # ln(a node's weight / that of a node one level above with the same records) is at least this
FEWEST = 64  # shorter lists of values are filled up to this length, so that time does not reveal how short they are
LOG2_NODES = 48  # log₂ of a bound on the number of nodes of a level that hold records
SURE = 5.0  # ln of the ratio by which the whole line should outweigh all stretches without records together


class ValueCounts(NamedTuple):
    """Distinct values in order, and how many records have each; ``void`` records have none.

    >>> ValueCounts.of(np.array([7, 3, 7]), np.array([1, 1, 5]), size=9)
    ValueCounts(values=array([3, 7]), counts=array([1, 6]), void=2)
    """

    values: Integers
    counts: Ints
    void: int

    @staticmethod
    def of(codes: Integers, counts: Ints | None, size: int) -> ValueCounts:
        """The distinct values among the codes of ``size`` records.

        ``counts[i]`` of them have the value ``codes[i]``; if ``counts`` is None, each code is that of one record.
        """
        values, place = np.unique(codes, return_inverse=True)
        totals = np.zeros(len(values), dtype=np.int64)
        np.add.at(totals, place.reshape(-1), 1 if counts is None else counts)
        return ValueCounts(values[totals > 0], totals[totals > 0], size - int(totals.sum()))

    def places_within(self, first: int, stop: int) -> Integers:
        """The place of each record in first … stop − 1, from 0 on.

        Records outside get the place at the nearer end, and void ones get the place 0.
        """
        places = (np.clip(self.values, first, stop - 1) - first).astype(np.uint64 if stop - first <= 2**64 else object)
        # ``void`` is negative if ``of`` was given a size below the sum of the counts; then there are no void records.
        return np.append(np.zeros(max(self.void, 0), dtype=places.dtype), np.repeat(places, self.counts))


Groups = tuple[Ints, Ints, Integers]  # for groups of nodes: the level, the records inside, the number of nodes


class ZoomLevel(NamedTuple):
    """The nodes of one level that hold records, in order, and how many records each holds.

    Entries with 0 records are not nodes: they fill up the list to a public length.
    """

    k: int
    nodes: Integers
    inside: Ints

    def with_records(self, inside: int, member: int) -> int:
        """The node with this number among all that hold ``inside`` records; any node if there are fewer."""
        so_far, last = np.cumsum(self.inside == inside), len(self.inside) - 1
        return int(self.nodes[min(int(np.searchsorted(so_far, min(member, last), side="right")), last)])

    def without_records(self, member: int) -> int:
        """The node with this number among all without records.

        If node j is number i of those with records, j − i nodes without records come before it.
        """
        real = self.inside > 0
        before = self.nodes + 1 - np.cumsum(real).astype(self.nodes.dtype)
        return member + int(np.count_nonzero((before <= member) & real))


def levels(data: ValueCounts, finest: int, top: int) -> Iterator[ZoomLevel]:
    """The levels from ``finest`` to ``top``. All arrays have a length that depends on the number of values alone.

    Node j is half j and half j + 1, of 2^k values each. Each occupied half h yields node h, and also node h − 1 if half
    h − 1 is empty. Every value has an entry for both nodes; after the first value of a half, these entries hold 0.

    >>> for level in levels(ValueCounts.of(np.array([2, 3]), None, 2), 0, 1):
    ...     print(level.k, level.nodes[:4], level.inside[:4])
    0 [1 2 2 3] [1 2 0 1]
    1 [0 1 0 1] [2 2 0 0]
    """
    size = max(len(data.values), FEWEST)
    values = np.append(data.values, np.full(size - len(data.values), data.values.max(initial=0), data.values.dtype))
    so_far, place = np.zeros(size + 1, dtype=np.int64), np.arange(size)
    np.cumsum(data.counts, out=so_far[1 : 1 + len(data.counts)])
    so_far[1 + len(data.counts) :] = so_far[len(data.counts)]
    for k in range(finest, top + 1):
        halves = values >> k  # the half in which each value lies
        steps = np.append(halves[:1], halves[1:] - halves[:-1])
        # Comparisons of Python's integers give arrays of objects, so the results are made bool.
        first = np.append(True, (steps[1:] != 0).astype(bool))
        # ends: for each value, the place after the last value of its half
        ends = np.minimum.accumulate(np.append(np.where(first, place, size)[1:], size)[::-1])[::-1]
        after = np.append(ends, size)[ends]  # where the next occupied half ends
        # for the half h of each value: whether half h + 1 holds records; whether half h − 1 exists and holds none
        next_occupied = np.append((steps == 1).astype(bool), False)[ends]
        previous_empty = np.append((halves[:1] > 0).astype(bool), (steps[1:] != 1).astype(bool))
        in_half = so_far[ends] - so_far[:-1]
        in_node = so_far[np.where(next_occupied, after, ends)] - so_far[:-1]
        nodes = np.stack([halves - 1, halves], axis=1)
        inside = np.stack([in_half * (first & previous_empty), in_node * first], axis=1)
        yield ZoomLevel(k, nodes.reshape(-1), inside.reshape(-1))


@dataclass(frozen=True)
class Zoom(Selection):
    """A stretch (first, stop) with probability ∝ e^(ε/2·(records inside + c·depth)); ε-DP.

    No stretch is shorter than 2^(finest + 1) values, unless the end of the line cuts it off.

    >>> from privpac.exact.entropy import SYSTEM
    >>> Zoom(Budget(40), 2**64).release(ValueCounts.of(np.arange(1000), None, 1000), SYSTEM)
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
    def level_worth(self) -> int:
        """c: the number of records that one more level is worth."""
        return ceil(2 * LN_WORTH / self.cost.epsilon)

    def node_count(self, k: int) -> int:
        """The number of nodes of level k."""
        return -(-self.size >> k)

    def outside(self, beta: float) -> int:
        """A number that the records outside the stretch exceed with probability at most β (Theorem 3)."""
        nodes = sum(map(self.node_count, range(self.finest, self.top + 1)))
        return self.level_worth * (self.top - self.finest) + ceil((log(nodes) - log(beta)) / float(self.rate))

    def enough(self, n: int) -> bool:
        """Whether n records anywhere on the line outweigh all stretches without records."""
        return bool(n * float(self.rate) >= SURE + self._log_empty())

    @lru_cache(maxsize=64)  # noqa: B019  (a few public numbers)
    def _log_empty(self) -> float:
        """ln of what all stretches would weigh without records."""
        deeper, levels = self.level_worth * float(self.rate), range(self.finest, self.top + 1)
        return float(np.logaddexp.reduce([log(self.node_count(k)) + deeper * (self.top - k) for k in levels]))

    @property
    def rate(self) -> Fraction:
        """ln of how much more a node weighs for each record."""
        return self.cost.epsilon / 2

    def menu(self, data: ValueCounts) -> Menu:
        """Groups of nodes of the same level with equally many records.

        Groups of nodes with records, but at least ``far`` fewer than the best of their level, are listed only if the
        draw needs them. If ``far`` is too large for a short list, all groups are listed at once.
        """
        far = reach(LOG2_NODES, self.rate)
        if far > MOST_SCORES:
            return self._menu(data, 0, full=True)
        return short_list(self._menu(data, far, full=False), lambda: self._menu(data, far, full=True))

    def _menu(self, data: ValueCounts, far: int, *, full: bool) -> Menu:
        """The menu of the near groups, and of all others if it is to be ``full``."""
        near, others = [], []
        for level in levels(data, self.finest, self.top):
            near.append(self._near(level, far))
            if full:
                others.append(self._others(level, far))
        k, inside, members = (np.concatenate(part) for part in zip(*near, *others, strict=True))

        def outcome(group: int, member: int) -> tuple[int, int]:
            (level,) = levels(data, int(k[group]), int(k[group]))
            # Both nodes are computed, because time must not tell which of them is taken.
            nodes = level.without_records(member), level.with_records(inside[group], member)
            node = nodes[int(inside[group] > 0)]
            return node << level.k, min(node + 2 << level.k, self.size)

        return Weights(inside + self.level_worth * (self.top - k), self.rate, members), outcome

    def empty_nodes(self, level: ZoomLevel) -> int:
        """The number of nodes of a level that hold no records."""
        return self.node_count(level.k) - int(np.count_nonzero(level.inside))

    def _near(self, level: ZoomLevel, far: int) -> Groups:
        """Nodes without records, and those with 0, 1, …, far − 1 records fewer than the best: a public list."""
        gaps = np.where(level.inside > 0, level.inside.max() - level.inside, far)
        nodes = np.bincount(np.minimum(gaps, far), minlength=far + 1)[:far]
        inside = np.append(0, level.inside.max() - np.arange(far))
        empty: Integers = np.array([self.empty_nodes(level)], dtype=self._count_type)
        return np.full(far + 1, level.k), inside, np.append(empty, nodes.astype(self._count_type))

    def _others(self, level: ZoomLevel, far: int) -> Groups:
        """All other nodes with records."""
        gaps = level.inside.max() - level.inside
        inside, nodes = np.unique(level.inside[(level.inside > 0) & (gaps >= far)], return_counts=True)
        return np.full(len(inside), level.k), inside, nodes.astype(self._count_type)

    @property
    def _count_type(self) -> type:
        """The type that holds the number of nodes of any level."""
        return np.uint64 if self.node_count(self.finest) < 2**64 else object
