"""Affine flats, such as "these bits agree": subsets of the records vote for what their positive points span.

proof: docs/proofs/flat_learner.md

Throughout this file
    p      the size of the field            k      the largest dimension of a flat of the class
    P      all positive records
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces
from privpac.data.samples.sample import Sample, Tally
from privpac.data.values.columns import objects
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.subspaces.flat_bounds import Vote
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.histograms.stability import SignedHistogram
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.votes import Ballots, VoteExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

NEVER = Constant(False)
TOO_WIDE = -1  # stands for the hull of points that span more than k dimensions
SMALL = 2**31  # fields whose products fit into int64
MOST_LISTED = 2**12  # the most points of a flat that are looked up one by one
MOST_FLATS = 2**11  # the most flats that heavy points may span, because each of them is tried
HEAVY_SHARE = Fraction(1, 2)  # the share of ε for the heavy points
BITS, CORNERS = AffineSubspaces(p=2, n=2, dim=1), ((0, 0), (1, 1))  # for audits


class FlatLearner(Learner):
    """Learn a flat that contains all positive records and no negative one.

    Disjoint subsets of the records, dealt by coins, vote for the flats that their positive points span. The rule
    *never* stands for all other flats, so the learner is not proper.

    Privacy   (ε, δ) for all inputs: flat learner, Theorem 1
    Utility   labels without noise: flat learner, Theorem 2
    Time      at most 16 deals of the records, and a few sizes of subsets for each

    >>> from privpac import PrivateClassifier
    >>> bits = [(i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1) for i in range(16)] * 300
    >>> label = [a == b and c == 0 for a, b, c, d in bits]
    >>> flats = AffineSubspaces(p=2, n=4, dim=2)
    >>> clf = PrivateClassifier(flats, method="FlatLearner", epsilon=1, delta=1e-6, regime="realizable")
    >>> print(clf.fit(bits, label).hypothesis_)
    x₁ = x₂ and x₃ = 0
    """

    concept_class: AffineSubspaces
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (AffineSubspaces,)
    title: ClassVar[str] = "votes of disjoint subsets for the flats they span"
    theorem: ClassVar[str] = "flat learner, Theorem 2"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(BITS, "2 bits", CORNERS, (Trial(1, 1e-6, 1, 0), Trial("0.2", "0.3", 2, 0), Trial(6, "0.3", 3, 0))),
        # subsets of one record and of two
        Universe(
            BITS, "2 bits, 2 sizes", CORNERS, (Trial(1, 1e-6, 2, 0), Trial(6, "0.3", 2, 0)), settings={"alpha": 0.6}
        ),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, vote = self.concept_class, self.vote(records.size)
        mechanism = VoteExponential.of(self.cost, sizes=vote.sizes, deals=vote.deals, cap=vote.cap)
        chosen: Hypothesis = ask(mechanism, records.see(lambda sample: ballots(H, sample)))
        return chosen

    def vote(self, n: int) -> Vote:
        """The public numbers of the vote of n records."""
        return Vote.of(self.cost, float(self.terms.alpha), self.concept_class.dim, n)

    def failure(self, n: int, alpha: float) -> float:
        if self.terms.regime != "realizable" or n < 1:
            return 1.0  # one wrong label in a subset spoils its vote
        return self.vote(n).failure(self.cost, self.concept_class.dim, self.concept_class.p, n, alpha)


class HeavyFlatLearner(Learner):
    """Learn a flat from noisy labels: points with many positive records first, then a flat that some of them span.

    The heaviest points are shown by a signed histogram. Every flat that some of them span is then a candidate, and so
    is *never*. A flat whose points are all light is not found, and no error is certified.

    Privacy   (ε, δ) for all inputs: flat learner, Theorem 3
    Utility   none proved: a flat may have many points with a few records each
    Time      one pass, and a look at each of at most 2048 flats

    >>> from privpac import PrivateClassifier
    >>> bits = [(i & 1, i >> 1 & 1, i >> 2 & 1) for i in range(8)] * 500
    >>> label = [(a == b) != (i % 11 == 0) for i, (a, b, c) in enumerate(bits)]
    >>> flats = AffineSubspaces(p=2, n=3, dim=2)
    >>> print(PrivateClassifier(flats, method="HeavyFlatLearner", epsilon=1, delta=1e-6).fit(bits, label).hypothesis_)
    x₁ = x₂
    """

    concept_class: AffineSubspaces
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (AffineSubspaces,)
    title: ClassVar[str] = "heavy points, then permute-and-flip over the flats they span"
    theorem: ClassVar[str] = "flat learner, Theorem 3"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            BITS,
            "2 bits",
            CORNERS,
            (Trial(2, "8.534e-7", 1, 0), Trial(2, "8.534e-7", 1, 27), Trial("0.4", "0.31842", 2, 0)),
        ),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, (heavy_cost, flat_cost) = self.concept_class, self.costs
        heaviest = ask(SignedHistogram(heavy_cost), records.see(point_tally))
        candidates: list[Hypothesis] = [NEVER, *spanned_flats(H, [point for point, _ in heaviest])]

        def scores(sample: Sample) -> list[int]:
            hulls = Hulls(H, sample)
            return [-hulls.errors(rule) if isinstance(rule, AffineSubspace) else -hulls.P for rule in candidates]

        return candidates[ask(PermuteAndFlip(flat_cost), records.see(scores))]

    @property
    def costs(self) -> tuple[Budget, Budget]:
        """What the release of heavy points costs, and what the selection of a flat costs."""
        heavy = Budget(self.cost.epsilon * HEAVY_SHARE, self.cost.delta)
        return heavy, Budget(self.cost.epsilon - heavy.epsilon)

    def failure(self, n: int, alpha: float) -> float:
        return 1.0


class Hulls:
    """The flats that positive points span. Points are numbered as in ``ones``, and flats in the order of discovery."""

    def __init__(self, H: AffineSubspaces, sample: Sample) -> None:
        self.H, self.P = H, sample.positives
        self.points, zeros, ones = sample.tally()
        self.gain = ones - zeros
        positive = np.flatnonzero(ones)
        self.ones = ones[positive]
        self._vectors = list(map(tuple, self.points[positive].tolist()))
        self.flats: list[AffineSubspace] = []
        self._numbers: dict[AffineSubspace, int] = {}
        self._joined: dict[tuple[int | None, int], int] = {}

    def hull(self, points: Sequence[int]) -> int | None:
        """The number of the smallest flat that contains these points; None if it is too wide for the class."""
        hull: int | None = None
        for point in points:
            known = self._joined.get((hull, point))
            hull = self._join(hull, point) if known is None else known
            if hull == TOO_WIDE:
                return None
        return hull

    def _join(self, hull: int | None, point: int) -> int:
        """The number of the smallest flat that contains this hull and this point."""
        x = self._vectors[point]
        wider = AffineSubspace(self.H.p, x) if hull is None else self.flats[hull].join(x)
        if wider.dimension > self.H.dim:
            number = TOO_WIDE
        else:
            number = self._numbers.setdefault(wider, len(self.flats))
            self.flats += [wider] * (number == len(self.flats))
        self._joined[hull, point] = number
        return number

    def errors(self, flat: AffineSubspace) -> int:
        """How many records a flat labels wrongly."""
        if flat.p < SMALL and flat.p**flat.dimension <= min(MOST_LISTED, len(self.points)):
            gained = sum(self._gains.get(row.tobytes(), 0) for row in _listed(flat))
        else:
            gained = int(self.gain[flat(self.points)].sum())
        return self.P - gained

    @cached_property
    def _gains(self) -> dict[bytes, int]:
        """For each point, its positive records minus its negative ones."""
        rows = self.points.astype(np.int64)
        return dict(zip((row.tobytes() for row in rows.reshape(-1, self.H.n)), self.gain.tolist(), strict=True))


def ballots(H: AffineSubspaces, sample: Sample) -> Ballots:
    """The records, in the form in which subsets of them vote for what their positive points span."""
    hulls = Hulls(H, sample)
    flats = hulls.flats
    return Ballots(
        hulls.ones, sample.size, {NEVER: hulls.P}, hulls.hull, lambda i: hulls.errors(flats[i]), lambda i: flats[i]
    )


def point_tally(sample: Sample) -> Tally:
    """How many records have each label at each distinct point; points are tuples."""
    points, zeros, ones = sample.tally()
    return Tally(objects(map(tuple, points.tolist())), zeros, ones)


def _listed(flat: AffineSubspace) -> NDArray[np.int64]:
    """All points of a flat."""
    origin, basis = np.array(flat.origin, dtype=np.int64), np.array(flat.basis, dtype=np.int64)
    weights = np.array(list(product(range(flat.p), repeat=flat.dimension)), dtype=np.int64)
    return (origin + weights.reshape(flat.p**flat.dimension, flat.dimension) @ basis.reshape(-1, len(origin))) % flat.p


def spanned_flats(H: AffineSubspaces, points: list[tuple[int, ...]]) -> list[AffineSubspace]:
    """The flats of the class that some of the points span, each once; only of the first points if there are many.

    >>> flats = spanned_flats(AffineSubspaces(p=2, n=2, dim=1), [(0, 0), (0, 1), (1, 1)])
    >>> print(*flats, sep="; ")
    x₁ = x₂ = 0; x₁ = 0 and x₂ = 1; x₁ = x₂ = 1; x₁ = 0; x₁ = x₂; x₂ = 1
    """
    while sum(comb(len(points), i + 1) for i in range(H.dim + 1)) > MOST_FLATS:
        points = points[:-1]
    level = {AffineSubspace(H.p, x): i for i, x in enumerate(points)}  # the last point that a flat was joined with
    flats = dict.fromkeys(level)
    for d in range(1, H.dim + 1):
        joined = ((flat.join(x), j) for flat, i in level.items() for j, x in enumerate(points[i + 1 :], i + 1))
        level = {}
        for flat, j in joined:
            if flat.dimension == d:
                level[flat] = min(j, level.get(flat, j))
        flats |= dict.fromkeys(level)
    return list(flats)
