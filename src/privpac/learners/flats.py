"""Affine flats, such as "these bits agree": subsets of the records vote for what their positive points span.

proof: docs/proofs/flat_learner.md

Throughout this file
    k      the largest dimension of a flat          C      the cap of the selection

Main declarations
    FlatLearner         (ε, δ), labels without noise: one selection among the flats that subsets vote for, and never
    HeavyFlatLearner    (ε, δ), noisy labels: heavy points first, then a selection among the flats that they span
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import ClassVar

from privpac.classes.affine import AffineSubspace
from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.subspaces import AffineSubspaces
from privpac.data.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.flats import Vote
from privpac.learners.universe import Tried, Universe
from privpac.learners.views.flats import NEVER, Hulls, ballots, tallied_points
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.signed_histogram import SignedHistogram
from privpac.mechanisms.votes import VoteExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

MOST_FLATS = 2**11  # that heavy points may span, when each choice of them is tried
HEAVY_SHARE = Fraction(1, 2)  # of ε, for the heavy points
BITS, CORNERS = AffineSubspaces(p=2, n=2, dim=1), ((0, 0), (1, 1))


class FlatLearner(Learner):
    """Learn a flat that contains all positive records and no negative one.

    Disjoint subsets of the records, dealt by coins, vote for the flats that their positive points span. Never stands
    for all other flats, so the learner is not proper.

    Privacy   (ε, δ) for all inputs: flat learner, Theorem 1
    Utility   labels without noise: flat learner, Theorem 2
    Cost      at most 16 deals of the records, and a few sizes of subsets for each

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
        Universe(BITS, "2 bits", CORNERS, (Tried(1, 1e-6, 1, 0), Tried("0.2", "0.3", 2, 0), Tried(6, "0.3", 3, 0))),
        # subsets of one record and of two
        Universe(BITS, "2 bits, 2 sizes", CORNERS, (Tried(1, 1e-6, 2, 0), Tried(6, "0.3", 2, 0)), given={"alpha": 0.6}),
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
    is never. A flat whose points are all light is not found, and no error is certified.

    Privacy   (ε, δ) for all inputs: flat learner, Theorem 3
    Utility   none proved: a flat may have many points with a few records each
    Cost      one pass, and a look at each of at most 2048 flats

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
            (Tried(2, "8.534e-7", 1, 0), Tried(2, "8.534e-7", 1, 27), Tried("0.4", "0.31842", 2, 0)),
        ),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, (heavy_cost, flat_cost) = self.concept_class, self.costs
        shown = ask(SignedHistogram(heavy_cost), records.see(tallied_points))
        candidates: list[Hypothesis] = [NEVER, *spanned(H, [point for point, _ in shown])]

        def scores(sample: Sample) -> list[int]:
            hulls = Hulls(H, sample)
            return [-hulls.errors_of(each) if isinstance(each, AffineSubspace) else -hulls.P for each in candidates]

        return candidates[ask(PermuteAndFlip(flat_cost), records.see(scores))]

    @property
    def costs(self) -> tuple[Budget, Budget]:
        """What the two releases cost."""
        first = Budget(self.cost.epsilon * HEAVY_SHARE, self.cost.delta)
        return first, Budget(self.cost.epsilon - first.epsilon)

    def failure(self, n: int, alpha: float) -> float:
        return 1.0


def spanned(H: AffineSubspaces, points: list[tuple[int, ...]]) -> list[AffineSubspace]:
    """The flats of the class that some of the points span, each once; only of the first points if there are many.

    >>> flats = spanned(AffineSubspaces(p=2, n=2, dim=1), [(0, 0), (0, 1), (1, 1)])
    >>> print(*flats, sep="; ")
    x₁ = x₂ = 0; x₁ = 0 and x₂ = 1; x₁ = x₂ = 1; x₁ = 0; x₁ = x₂; x₂ = 1
    """
    while sum(comb(len(points), i + 1) for i in range(H.dim + 1)) > MOST_FLATS:
        points = points[:-1]
    level = {AffineSubspace(H.p, x): i for i, x in enumerate(points)}  # the last point that a flat was joined with
    found = dict.fromkeys(level)
    for d in range(1, H.dim + 1):
        joined = ((flat.joined(x), j) for flat, i in level.items() for j, x in enumerate(points[i + 1 :], i + 1))
        level = {}
        for flat, j in joined:
            if flat.dimension == d:
                level[flat] = min(j, level.get(flat, j))
        found |= dict.fromkeys(level)
    return list(found)
