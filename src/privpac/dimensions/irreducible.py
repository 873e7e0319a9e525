"""k-irreducibility: how many points must be fixed before the Littlestone dimension drops. [GGKM21, §4]

Throughout this file
    G      a class, d its Littlestone dimension; G|S the concepts of G with the labels S
    σ      SOA_G [GGKM21, Def. 4.2]: at x the label y with the larger Ldim(G|x=y), and 1 if they are equal
    A      a set of points; it *reduces* G if Ldim < d for the concepts of G that agree with σ on A
    κ      the largest k such that G is k-irreducible [GGKM21, Def. 4.1]
    rows   a sub-class as a bitset: bit i of the integer is concept i
    c      the class as an explicit class, with names of points and concepts

G with at least one concept is k-irreducible iff no A of at most k points reduces it (docs/proofs/dimensions.md), so
that κ + 1 is the least size of a reducing set. A set reduces ``rows`` iff every mistake tree of depth d in ``rows`` has
a concept that disagrees with σ on the set: a hitting-set problem. If G has only one concept, no set reduces it, and
κ = ∞. Otherwise, the labels of σ on all points leave at most one concept, and κ ≤ min(|X| − 1, |G| − 2^d).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

import numpy as np

from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, Listed, explicit
from privpac.classes.hypothesis import Labels
from privpac.dimensions.closure import tree_sauer
from privpac.dimensions.dimension import Dimension
from privpac.dimensions.littlestone import Littlestone
from privpac.dimensions.time_limit import Clock, OutOfTime, Progress
from privpac.dimensions.witnesses import ReducingSet


def soa(concept_class: ClassOrMatrix) -> Listed:
    """SOA_G: the label that keeps the larger Littlestone dimension, and 1 if both keep the same [GGKM21, Def. 4.2].

    >>> print(soa([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), "|", soa([[1, 0], [0, 1]]))
    never | x is one of 0, 1
    """
    c = explicit(concept_class)
    if c.size == 0:
        raise ValueError("a class without concepts has no SOA hypothesis; give at least one concept")
    G = Littlestone(c.matrix)
    labels = soa_labels(G, G.everything)[c.columns(c.all_points)]
    return Listed(c.all_points, tuple(labels.tolist()))


def soa_labels(G: Littlestone, rows: int) -> Labels:
    """SOA of the sub-class ``rows`` of G, a label for each point of G."""
    return np.array([G.soa(rows, ones) for ones in G.columns])


def irreducibility(
    concept_class: ClassOrMatrix, *, time_limit: float | None = None, progress: Progress | None = None
) -> Dimension:
    """κ, the largest k such that the class is k-irreducible; ∞ if it has at most one concept.

    The witness, a :class:`ReducingSet`, proves the upper bound; a search proves the lower one. If the time limit (in
    seconds) ends the search, bounds are returned. If no reducing set is known by then, the upper bound is
    min(|X| − 1, |G| − 2^d), without a witness.

    >>> points = np.eye(9)
    >>> κ = irreducibility(points)
    >>> κ.value, len(κ.witness.points)
    (7, 8)
    """
    clock = Clock(time_limit, progress)
    c = explicit(concept_class)
    if c.size <= 1:
        return Dimension("irreducibility", math.inf, math.inf, None, "at most one concept: no label tells two apart")
    # Bounds on the size of the smallest reducing set, which is κ + 1.
    least, most, witness, reason = 1, min(len(c.points), c.size - 1), None, "time limit"
    with suppress(OutOfTime):
        search = _reduction(c, clock)
        everything = search.G.everything
        most = min(most, c.size - 2**search.d + 1)
        if most == 1:
            x = next(x for x, ones in enumerate(search.G.columns) if 0 < ones.bit_count() < c.size)
            label = search.G.soa(everything, search.G.columns[x])
            witness = ReducingSet((c.points[x],), (bool(label),), search.d)
            return Dimension("irreducibility", 0, 0, witness, f"2^{search.d} concepts: any label leaves too few")
        witness = search.witness(c, search.greedy())
        most = len(witness.points)
        least = max(search.lower_bound(everything), len(search.obstacles(everything)))
        while least < most:
            clock.say(f"irreducibility ≥ {least - 1} and ≤ {most - 1}; trying sets of {least} points")
            columns = search.reduce(everything, least)
            if columns is None:
                least += 1
            else:
                most, witness = least, search.witness(c, columns)
        reason = f"search; Littlestone dimension {search.d}"
    return Dimension("irreducibility", least - 1, most - 1, witness, reason)


def is_irreducible(concept_class: ClassOrMatrix, k: int) -> bool:
    """Whether the class is k-irreducible. Every class is 0-irreducible.

    >>> is_irreducible(np.eye(9), 7), is_irreducible(np.eye(9), 8)
    (True, False)
    """
    if not isinstance(k, int) or k < 0:
        raise ValueError("k must be a whole number, 0 or more: it counts points")
    c = explicit(concept_class)
    if c.size <= 1:
        return True
    search = _reduction(c, Clock(None, None))
    return len(search.greedy()) > k and search.reduce(search.G.everything, k) is None


def reducing_array(concept_class: ClassOrMatrix) -> ReducingSet:
    """A reducing set, found greedily: each point leaves strictly fewer concepts, until Ldim drops.

    Every row of its array leaves a sub-class that is not empty and has a smaller Ldim, as in [GGKM21, Lemma 4.5], but
    the class need not be (k − 1)-irreducible. The set proves that the class is not k-irreducible for any k ≥ its size.
    It says nothing about smaller k: use :func:`irreducibility` or :func:`is_irreducible` for those.

    >>> reducing_array([[0, 0, 1], [0, 1, 1], [1, 1, 1]]).array
    ((True,), (False, False), (False, True))
    """
    c = explicit(concept_class)
    if c.size <= 1:
        raise ValueError("a class with at most one concept is k-irreducible for every k; it has no reducing array")
    search = _reduction(c, Clock(None, None))
    return search.witness(c, search.greedy())


def _reduction(c: ExplicitClass, clock: Clock) -> Reduction:
    G = Littlestone(c.matrix)
    G.clock = clock
    return Reduction(G, c.matrix, G.everything)


class _Attempt(NamedTuple):
    """An attempt to reduce ``rows`` by at most k points, the first of which is one of ``candidates``."""

    rows: int
    k: int
    candidates: Iterator[int]


class Reduction:
    """The search for small reducing sets of a sub-class with at least two concepts.

    ``rows`` is the sub-class, as a bitset, of the class G with this ``matrix``. A reducing set is a tuple of columns.
    """

    def __init__(self, G: Littlestone, matrix: Labels, rows: int) -> None:
        self.G = G
        self.rows = rows
        self.d = G.dimension(rows)
        self._matrix = matrix
        self._failed: dict[int, int] = {}  # the most points that are known not to reduce a sub-class

    @cached_property
    def sigma(self) -> Labels:
        """σ, at every point."""
        return soa_labels(self.G, self.rows)

    @cached_property
    def agreeing(self) -> list[int]:
        """For every point, the concepts that agree with σ on it."""
        pairs = zip(self.G.columns, self.sigma, strict=True)
        return [ones if label else self.G.everything & ~ones for ones, label in pairs]

    @cached_property
    def _nearest(self) -> list[int]:
        """Entry i: the i concepts nearest to σ, as a bitset."""
        nearest = [0]
        for concept in np.argsort((self._matrix != self.sigma).sum(axis=1), kind="stable"):
            nearest.append(nearest[-1] | 1 << int(concept))
        return nearest

    def greedy(self) -> tuple[int, ...]:
        """A reducing set: add the point that leaves the fewest concepts, again and again, until Ldim drops."""
        rows, columns = self.rows, []
        while self.G.at_least(rows, self.d):
            columns.append(min(range(len(self.agreeing)), key=lambda x: (rows & self.agreeing[x]).bit_count()))
            rows &= self.agreeing[columns[-1]]
        return tuple(columns)

    def reduce(self, rows: int, k: int) -> tuple[int, ...] | None:
        """At most k points that reduce ``rows``, or None. A loop, because k may exceed the limit of recursion."""
        path: list[_Attempt] = []
        columns: list[int] = []  # the point chosen in each attempt on the path
        while self.G.at_least(rows, self.d):
            path.append(_Attempt(rows, k, iter(self._candidates(rows, k))))
            while (x := next(path[-1].candidates, None)) is None:
                failed = path.pop()
                self._failed[failed.rows] = max(failed.k, self._failed.get(failed.rows, 0))
                if not path:
                    return None
            rows, k = path[-1].rows & self.agreeing[x], path[-1].k - 1
            columns[len(path) - 1 :] = [x]
        return tuple(columns)

    def _candidates(self, rows: int, k: int) -> list[int]:
        """Points to try: every reducing set of ``rows`` has one of them. [] if k points are known not to suffice."""
        if k <= self._failed.get(rows, 0):
            return []
        self.G.clock.tick()
        if k < self.lower_bound(rows) or k < len(obstacles := self.obstacles(rows)):
            return []
        return sorted(obstacles[0], key=lambda x: (rows & self.agreeing[x]).bit_count())

    def lower_bound(self, rows: int) -> int:
        """A lower bound, by counting, on the number of points that reduce ``rows``.

        Let n points split ``rows``. Each removes the concepts that disagree with σ on it, so j points remove at most as
        many as the j points that remove most. If the concepts left have Ldim < d, there are at most
        Σ_{i < d} C(n − j, i) of them, by the lemma of Sauer, Shelah and Perles on the n − j other points.
        """
        left = {rows & agree for agree in self.agreeing} - {rows}  # what a point may leave of ``rows``
        n = len({min(part, rows ^ part) for part in left})  # equal and complementary points count once
        remaining, j = rows.bit_count(), 0
        for removed in sorted((rows.bit_count() - part.bit_count() for part in left), reverse=True):
            if remaining <= tree_sauer(n - j, self.d - 1):
                break
            remaining, j = remaining - removed, j + 1
        return j

    def obstacles(self, rows: int) -> list[list[int]]:
        """Disjoint sets of points; every reducing set of ``rows`` must hit each of them.

        An obstacle has the points on which some concept of a mistake tree of depth d disagrees with σ. The next tree is
        built from the concepts that agree with σ on all these points.
        """
        obstacles = []
        while self.G.at_least(rows, self.d):
            tree = sum(1 << i for i in self.G.tree(self._nearest_part(rows), self.d)[1])
            obstacles.append([x for x, agree in enumerate(self.agreeing) if tree & ~agree])
            for x in obstacles[-1]:
                rows &= self.agreeing[x]
        return obstacles

    def witness(self, c: ExplicitClass, columns: tuple[int, ...]) -> ReducingSet:
        """The reducing set of these columns, with the names of its points."""
        return ReducingSet(tuple(c.points[x] for x in columns), tuple(self.sigma[list(columns)].tolist()), self.d)

    def _nearest_part(self, rows: int) -> int:
        """The concepts of ``rows`` nearest to σ, just enough for Ldim d: their obstacles are small."""
        last = len(self._nearest) - 1
        enough = bisect_left(self._nearest, True, hi=last, key=lambda near: self.G.at_least(rows & near, self.d))
        return rows & self._nearest[enough]
