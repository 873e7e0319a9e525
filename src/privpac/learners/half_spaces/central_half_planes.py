"""Half-planes through a public point: the exponential mechanism over a circle of candidates.

[MT07]  docs/references.bib        proof: docs/proofs/plane_learner.md

Throughout this file
    S          the largest coordinate of the grid, counted from the center
    Q          2^L: there are 2Q candidates on the half circle, at the positions (2j + 1)/2Q; no point of the grid is at
               such a position, since Q > S
    place      of a record: how many candidates come before its line
    turned     a record on the other half circle is replaced by its opposite point, with the other label
    e          the errors of a candidate with 1 to its left; with 1 to its right, it errs on all other records

All numbers are integers, and a record's place depends only on that record. A record at the center has no place: all
rules label it 1, so it favors none of them.

Only arcs with few errors matter. So we first count the records in 4096 sectors of the half circle. If all arcs of a
sector have too many errors, its records stay together as one entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes, Positions, positions
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import FEW, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.half_spaces.arcs import ArcExponential, Arcs, arcs_between
from privpac.privacy.ledger import Records

SPARE_BITS = 4  # bits of Q beyond those of S²: between neighboring lines of the grid there are at least 8 candidates
SECTOR_BITS = 12  # there are 2^12 sectors
RECORDS_AT_ONCE = 1 << 15  # records in a pass that stays in the cache


def circle_bits(S: int) -> int:
    """The number L of bits of Q."""
    return 2 * S.bit_length() + SPARE_BITS


def candidate_direction(L: int, candidate: int) -> tuple[int, int]:
    """The direction of a candidate of the half circle, as integers.

    >>> [candidate_direction(1, candidate) for candidate in range(4)]
    [(2, -1), (2, 1), (1, 2), (-1, 2)]
    """
    second, k = divmod(candidate, 1 << L)
    slope = 2 * k + 1 - (1 << L)
    return (-slope, 1 << L) if second else (1 << L, slope)


@dataclass(frozen=True, eq=False)
class Circle:
    """A sample as directions from the center."""

    concept_class: CentralHalfPlanes
    sample: Sample

    def arcs(self, reach: int | None = None) -> Arcs:
        """All arcs; given ``reach``, at least those with at most 2·``reach`` errors more than the best."""
        L = circle_bits(self.concept_class.reach)
        if reach is None or len(self.sample.labels) <= RECORDS_AT_ONCE or L < SECTOR_BITS:
            places, gains = self._places(slice(None), L)
            return arcs_between(places, gains, int(np.abs(gains).sum()), 2 << L)
        sectors, zeros, ones = self._sector_counts()
        total, e = int((zeros + ones).sum()), int(zeros.sum()) + np.cumsum(ones - zeros)  # e after each sector
        most = min(int(e.min()), total - int(e.max())) + 2 * reach
        near = (e - ones <= most) | (total - e - zeros <= most)  # an arc in the sector may have at most ``most`` errors
        far = np.flatnonzero(~near & (zeros + ones > 0))
        places, gains = self._places(np.append(near, False)[sectors], L)
        places = np.concatenate([places, far.astype(places.dtype) << (L + 1 - SECTOR_BITS)])
        return arcs_between(places, np.concatenate([gains, (ones - zeros)[far]]), total, 2 << L)

    def _places(self, chosen: Any, L: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The places of the chosen records that are not at the center, and by how much e grows after each.

        Candidate j, at (2j + 1)/2Q, comes before a position if 2j + 1 is at most 2Q times that position.
        """
        turned, ahead, norm = self._positions(chosen, L + 1)
        counts = 1 if self.sample.counts is None else self.sample.counts[chosen][norm > 0]
        places = (((ahead << (L + 1)) // np.maximum(norm, 1)) + 1) >> 1
        signs = 2 * (turned ^ self.sample.labels[chosen]).astype(np.int64) - 1
        return places[norm > 0], signs[norm > 0] * counts

    def _sector_counts(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """The sector of each record, and the records of each label in each sector; the center is one sector more."""
        n, center = len(self.sample.labels), 1 << SECTOR_BITS
        sectors, counted = np.empty(n, dtype=np.int32), np.zeros(2 * center + 2, dtype=np.int64)
        for start in range(0, n, RECORDS_AT_ONCE):
            block = slice(start, start + RECORDS_AT_ONCE)
            turned, ahead, norm = self._positions(block, SECTOR_BITS - 1)
            if not norm.min():
                ahead[norm == 0], norm[norm == 0] = 2, 1  # a position beyond the half circle
            sectors[block] = (ahead << (SECTOR_BITS - 1)) // norm
            counts = None if self.sample.counts is None else self.sample.counts[block]
            place = 2 * sectors[block] + (turned ^ self.sample.labels[block])
            counted += np.bincount(place, counts, len(counted)).astype(np.int64)  # floats are exact below 2^53
        return sectors, counted[:-2:2], counted[1:-2:2]

    def _positions(self, chosen: Any, shift: int) -> Positions:
        """The positions of chosen records, in integers wide enough to be shifted."""
        room = max(
            self.concept_class.reach.bit_length() + shift + 2,
            self.concept_class.low.bit_length(),
            self.concept_class.high.bit_length(),
        )
        kind = np.int32 if room < 32 else np.int64 if room < 64 else object
        return positions(*self.concept_class.offsets(self.sample.points[chosen].astype(kind, copy=False)))


class ArcLearner(Learner):
    """Learn a half-plane through a public point: the candidates are a circle of directions.

    Privacy   ε, for all inputs: plane learner, Theorem 1
    Utility   noisy labels or not: plane learner, Theorem 2
    Time      one sort of an integer per record

    >>> from privpac import PrivateClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(-1000, 1000, (5000, 2), endpoint=True)
    >>> y = 3 * X[:, 0] >= 2 * X[:, 1]
    >>> clf = PrivateClassifier(CentralHalfPlanes(-1000, 1000), method="ArcLearner", epsilon=1).fit(X, y)
    >>> bool((clf.predict(X) == y).mean() > 0.99), clf.guarantee_.utility.alpha < 0.12
    (True, True)
    """

    concept_class: CentralHalfPlanes
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (CentralHalfPlanes,)
    title: ClassVar[str] = "exponential mechanism over arcs of directions"
    theorem: ClassVar[str] = "plane learner, Theorem 2"
    pure: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(CentralHalfPlanes(-1, 1), "9 points", ((1, 0), (0, 0)), FEW),)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class
        L = circle_bits(H.reach)
        candidate, side = ask(ArcExponential(self.cost, 2 << L), records.see(lambda sample: Circle(H, sample)))
        u, v = candidate_direction(L, candidate)
        return H.left_of((-u, -v) if side else (u, v))

    def failure(self, n: int, alpha: float) -> float:
        S = self.concept_class.reach
        Q = 1 << circle_bits(S)
        return self.chance(log(4 * Q) - log(Q // (2 * S * S)), n, alpha)
