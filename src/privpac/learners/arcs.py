"""Half-planes through a public point: the exponential mechanism over a circle of candidates.

[MT07]  docs/references.bib        proof: docs/proofs/plane_learner.md

Throughout this file
    S          the largest coordinate of the grid, seen from the centre
    Q          2^L: there are 2Q candidates on the half circle, at the positions (2j + 1)/2Q; no point of the grid is at
               such a position, since Q > S
    place      of a record: how many candidates come before its line
    turned     records on the other half circle are read as their opposite points with the other label
    arc        the candidates between two neighbouring lines of records: they label all records alike
    e          errors of an arc's rules that say 1 to the left; those that say 1 to the right err on all other records

Everything is integers, and a record's place is computed from that record alone. A record at the centre has no place;
all rules label it 1, so that it counts for or against none.

Only arcs with few errors matter. So records are first counted in 4096 sectors of the half circle, and those of sectors
whose arcs all have too many errors stay together as one entry.

Main declarations
    Arcs              arcs in order, and their errors
    Circle            a sample on the circle: its arcs, or enough of them
    ArcExponential    a candidate and a side, by their errors; pure ε
    ArcLearner        learns CentralHalfPlanes, noisy labels or not
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil, log
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.central import CentralHalfPlanes, Positions, positions
from privpac.data.sample import Sample
from privpac.exact.weighted import Weights
from privpac.learners.base import PrivateLearner, Spend
from privpac.learners.certificates.deviation import chance
from privpac.mechanisms.quantile import LN2
from privpac.mechanisms.selection import Outcome, Selection
from privpac.privacy.budget import Budget

SPARE = 4  # bits of Q beyond those of S²: between neighbouring lines of the grid there are at least 8 candidates
SECTORS = 12  # 2^12 of them
BLOCK = 1 << 15  # records in a pass that stays in the cache


def bits(S: int) -> int:
    """L.

    >>> bits(2**15)
    36
    """
    return 2 * S.bit_length() + SPARE


def direction(L: int, candidate: int) -> tuple[int, int]:
    """The direction of a candidate of the half circle, as integers.

    >>> [direction(1, candidate) for candidate in range(4)]
    [(2, -1), (2, 1), (1, 2), (-1, 2)]
    """
    second, k = divmod(candidate, 1 << L)
    slope = 2 * k + 1 - (1 << L)
    return (-slope, 1 << L) if second else (1 << L, slope)


class Arcs(NamedTuple):
    """Arc i holds the candidates ends[i] … ends[i + 1] − 1, none where records share a line.

    Groups 0, 1, … are the arcs with 1 to the left, which err on e records; after them come the same with 1 to the
    right, which err on the others of ``total`` records.

    >>> Arcs(np.array([0, 32, 32, 128]), np.array([0, 1, 2]), total=2).errors(np.arange(6))
    array([0, 1, 2, 2, 1, 0])
    """

    ends: NDArray[Any]
    e: NDArray[np.int64]
    total: int

    def errors(self, groups: NDArray[np.intp]) -> NDArray[np.int64]:
        """The errors of the rules of each group."""
        side, arc = np.divmod(groups, len(self.e))
        return np.where(side, self.total - self.e[arc], self.e[arc])

    def lengths(self, groups: NDArray[np.intp]) -> NDArray[Any]:
        """How many candidates each group has."""
        arc = groups % len(self.e)
        lengths: NDArray[Any] = self.ends[arc + 1] - self.ends[arc]
        return lengths

    @property
    def least(self) -> int:
        """The fewest errors of a group, even if it has no candidates."""
        return min(int(self.e.min()), self.total - int(self.e.max()))

    def within(self, most: int) -> NDArray[np.intp]:
        """The groups with candidates and at most so many errors."""
        sides = self.e <= most, self.e >= self.total - most
        groups = np.concatenate([np.flatnonzero(sides[0]), len(self.e) + np.flatnonzero(sides[1])])
        return groups[self.lengths(groups) > 0]


@dataclass(frozen=True, eq=False)
class Circle:
    """A sample, seen from the centre.

    >>> sample = Sample(np.array([[1, 0], [-1, 0], [0, 0]]), np.array([True, False, True]), None, size=3)
    >>> Circle(CentralHalfPlanes(-1, 1), sample).arcs()
    Arcs(ends=array([  0,  32,  32, 128]), e=array([0, 1, 2]), total=2)
    """

    cls: CentralHalfPlanes
    sample: Sample

    def arcs(self, reach: int | None = None) -> Arcs:
        """All arcs; with ``reach``, at least those with up to twice as many errors more than the least."""
        L = bits(self.cls.reach)
        if reach is None or len(self.sample.labels) <= BLOCK or L < SECTORS:
            places, gains = self._placed(slice(None), L)
            return _arcs(places, gains, int(np.abs(gains).sum()), 2 << L)
        sectors, zeros, ones = self._counted()
        total, e = int((zeros + ones).sum()), int(zeros.sum()) + np.cumsum(ones - zeros)  # after each sector
        most = min(int(e.min()), total - int(e.max())) + 2 * reach
        near = (e - ones <= most) | (total - e - zeros <= most)  # some arc at or in the sector may have so few errors
        far = np.flatnonzero(~near & (zeros + ones > 0))
        places, gains = self._placed(np.append(near, False)[sectors], L)
        places = np.concatenate([places, far.astype(places.dtype) << (L + 1 - SECTORS)])
        return _arcs(places, np.concatenate([gains, (ones - zeros)[far]]), total, 2 << L)

    def _placed(self, chosen: Any, L: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The places of chosen records but those at the centre, and what passing each adds to e."""
        turned, ahead, norm = self._positions(chosen, L + 1)
        counts = 1 if self.sample.counts is None else self.sample.counts[chosen][norm > 0]
        places = (((ahead << (L + 1)) // np.maximum(norm, 1)) + 1) >> 1
        signs = 2 * (turned ^ self.sample.labels[chosen]).astype(np.int64) - 1
        return places[norm > 0], signs[norm > 0] * counts

    def _counted(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """The sector of each record, one beyond all for the centre, and the records of each label in each sector."""
        n, centre = len(self.sample.labels), 1 << SECTORS
        sectors, counted = np.empty(n, dtype=np.int32), np.zeros(2 * centre + 2, dtype=np.int64)
        for start in range(0, n, BLOCK):
            block = slice(start, start + BLOCK)
            turned, ahead, norm = self._positions(block, SECTORS - 1)
            if not norm.min():
                ahead[norm == 0], norm[norm == 0] = 2, 1  # a position beyond the half circle
            sectors[block] = (ahead << (SECTORS - 1)) // norm
            counts = None if self.sample.counts is None else self.sample.counts[block]
            labelled = 2 * sectors[block] + (turned ^ self.sample.labels[block])
            counted += np.bincount(labelled, counts, len(counted)).astype(np.int64)  # floats are exact below 2^53
        return sectors, counted[:-2:2], counted[1:-2:2]

    def _positions(self, chosen: Any, shift: int) -> Positions:
        """The positions of chosen records, in integers wide enough to be shifted."""
        room = max(self.cls.reach.bit_length() + shift + 2, self.cls.low.bit_length(), self.cls.high.bit_length())
        kind = np.int32 if room < 32 else np.int64 if room < 64 else object
        return positions(*self.cls.offsets(self.sample.points[chosen].astype(kind, copy=False)))


def _arcs(places: NDArray[Any], gains: NDArray[np.int64], total: int, end: int) -> Arcs:
    """The arcs between entries at these places, where passing an entry adds its gain to e."""
    order = np.argsort(places)
    e = (total - int(gains.sum())) // 2 + np.concatenate([[0], np.cumsum(gains[order])])
    return Arcs(np.concatenate([places[:0], [0], places[order], [end]]), e, total)


@dataclass(frozen=True)
class ArcExponential(Selection):
    """(candidate, side) with probability ∝ e^(−ε·errors/2), side 0 to the left and 1 to the right; ε-DP.

    There are ``size`` candidates; how they fall into arcs is the records' business.
    """

    cost: Budget
    size: int
    name: ClassVar[str] = "arc exponential"
    theorem: ClassVar[str] = "plane learner, Theorem 1"

    def menu(self, data: Circle) -> tuple[Weights, Outcome]:
        rate = self.cost.epsilon / 2
        # beyond this many errors more than one candidate, all of them together weigh less than 2^-64 of it
        reach = ceil(((2 * self.size).bit_length() + 64) * LN2 / rate)
        some = data.arcs(reach)
        near = some.within(most := some.least + 2 * reach)
        if not near.size or some.errors(near).min() > most - reach:
            some = data.arcs()
            near = some.within(most := some.total)

        @cache
        def everything() -> tuple[Arcs, NDArray[np.intp]]:
            full = data.arcs()
            first = full.within(most)  # the same arcs in the same order
            return full, np.concatenate([first, np.delete(np.arange(2 * len(full.e)), first)])

        def weights(arcs: Arcs, groups: NDArray[np.intp], **more: Any) -> Weights:
            return Weights(-arcs.errors(groups), rate, arcs.lengths(groups), **more)

        def outcome(group: int, member: int) -> tuple[int, int]:
            arcs, groups = (some, near) if group < len(near) else everything()
            side, arc = divmod(int(groups[group]), len(arcs.e))
            return int(arcs.ends[arc]) + member, side

        return weights(some, near, complete=lambda: weights(*everything())), outcome


class ArcLearner(PrivateLearner):
    """Learn a half-plane through a public point: the candidates are a circle of directions.

    Privacy   ε, for all inputs: plane learner, Theorem 1
    Utility   noisy labels or not: plane learner, Theorem 2
    Cost      a sort of one integer for each record

    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(-1000, 1000, (5000, 2), endpoint=True)
    >>> y = 3 * X[:, 0] >= 2 * X[:, 1]
    >>> learner = ArcLearner(CentralHalfPlanes(-1000, 1000), epsilon=1).fit(X, y)
    >>> bool((learner.predict(X) == y).mean() > 0.99), learner.guarantee_.utility.alpha < 0.12
    (True, True)
    """

    title: ClassVar[str] = "exponential mechanism over arcs of directions"
    theorem: ClassVar[str] = "plane learner, Theorem 2"
    pure: ClassVar[bool] = True

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        return isinstance(concept_class, CentralHalfPlanes)

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        H = self.concept_class
        L = bits(H.reach)
        candidate, side = spend(ArcExponential(cost, 2 << L), lambda sample: Circle(H, sample))
        u, v = direction(L, candidate)
        rule: Hypothesis = H.left_of((-u, -v) if side else (u, v))
        return rule

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        S = self.concept_class.reach
        Q = 1 << bits(S)
        return chance(log(4 * Q) - log(Q // (2 * S * S)), 0, n, alpha, float(cost.epsilon / 2), self.regime)
