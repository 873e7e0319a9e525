"""Half-spaces in many dimensions, if records keep a declared distance from the boundary: a noisy perceptron.

[Nov63] [BDMN05]  docs/references.bib        proof: docs/proofs/half_space_learner.md

Throughout this file
    d, a      the dimension, and the side of the grid {0 … a − 1}^d
    γ         the declared margin: the distance of all records from the boundary, relative to the radius of the grid
    g         the margin of lifted records, relative to their length: about γ/(2 − γ)
    T, θ, ν   the number of rounds, the bar, and the slack of noisy numbers: privpac.learners.certificates.perceptron

Main declarations
    PerceptronLearner    learns HalfSpaces with a margin; (ε, δ)
    lift_of              the public lift of a grid, for a margin
    lifted_margin        g
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt, sqrt
from typing import ClassVar

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.plane import HalfSpace, HalfSpaces, simplest
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.perceptron import Schedule, overfitted, schedule
from privpac.learners.universe import Tried, Universe
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.perceptron import Lift, NoisyPerceptron, SignedRecords, Weights, rho_of
from privpac.privacy.ledger import Records

WIDEST = 2**24  # the largest side: wider sums and weights would leave the floats
LEAST_MARGIN = 0.05  # a smaller one takes more than 8000 rounds
NOISE_SHARE = 8  # the noise of a sum is at most this part of all records, unless there is one round


class PerceptronLearner(Learner):
    """Learn a half-space in many dimensions, if records keep a declared distance from its boundary.

    Privacy   (ε, δ), for all inputs: half space learner, Theorem 3
    Utility   if labels are realizable with the margin: half space learner, Theorem 6
    Cost      two passes over the records for each of about 5/g² rounds

    >>> import numpy as np
    >>> from privpac import PrivateClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 100, (40_000, 20))
    >>> X = X[abs(X @ np.ones(20) - 990) > 60]
    >>> clf = PrivateClassifier(HalfSpaces(20, 100, margin=0.3), epsilon=1).fit(X, X.sum(axis=1) > 990)
    >>> bool((clf.predict(X) == (X.sum(axis=1) > 990)).mean() > 0.95)
    True
    """

    concept_class: HalfSpaces
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (HalfSpaces,)
    title: ClassVar[str] = "noisy perceptron on lifted records"
    theorem: ClassVar[str] = "half space learner, Theorem 6"
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(HalfSpaces(1, 1, margin=1), "1 point, one round", ((0,),), (Tried(1, 1e-6, 1, 0),)),
    )

    @classmethod
    def learns(cls, concept_class: ConceptClass) -> bool:
        H = concept_class
        return isinstance(H, HalfSpaces) and (H.margin or 0) >= LEAST_MARGIN and H.side <= WIDEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        lift, plan = lift_of(self.concept_class), self.schedule(records.size)
        perceptron = NoisyPerceptron(self.cost, lift, plan.rounds, plan.bar)
        sums = ask(perceptron, records.see(lambda sample: SignedRecords.of(lift, sample)))
        weights = perceptron.path(sums)
        if plan.rounds == 1:
            return half_space_rule(lift, weights[-1])
        missed = [each[0] for each in sums]
        return half_space_rule(lift, weights[missed.index(min(missed))])

    def schedule(self, n: int) -> Schedule:
        """As many rounds as the certificate needs, unless n records are too few for that much noise."""
        plan, most = self.certified, int(rho_of(self.cost) * n * n / (2 * NOISE_SHARE**2))
        return plan._replace(rounds=min(plan.rounds, max(1, most)))

    @property
    def certified(self) -> Schedule:
        """The schedule of the certificate."""
        H = self.concept_class
        return schedule(H.dim + 1, lifted_margin(H), float(rho_of(self.cost)), float(self.terms.beta))

    def failure(self, n: int, alpha: float) -> float:
        plan = self.certified
        if self.terms.regime == "agnostic" or self.schedule(n) != plan:
            return 1.0
        found = overfitted(n, plan.bar + plan.slack, alpha, self.concept_class.dim)
        return min(1.0, float(self.terms.beta) / 2 + found)

    @property
    def within(self) -> str:
        """The margin."""
        return f"with margin {self.concept_class.margin:g}"

    @property
    def besides(self) -> tuple[str, ...]:
        """How far the best half-space keeps from all records."""
        apart = f"at least {self.concept_class.margin:g} of the radius of the grid away from every record"
        return (f"the boundary of the best half-space is {apart}",)


def half_space_rule(lift: Lift, w: Weights) -> HalfSpace:
    """w·v(x) ≥ 0 as an inequality of x.

    >>> print(half_space_rule(Lift(2, 11, 7), (3, -2, 5)))
    3·x₁ − 2·x₂ ≥ −12
    """
    *normal, last = w
    bias = -((last * lift.length - lift.width * sum(normal)) // 2)
    return simplest(normal, bias) if any(normal) else HalfSpace(tuple(normal), bias)


def lift_of(H: HalfSpaces) -> Lift:
    """The lift that keeps most of the margin: c² is about (1 − γ)·d·R², and γ·d·R² for large γ.

    >>> lift_of(HalfSpaces(4, 101, margin=0.19))
    Lift(dim=4, side=101, length=180)
    """
    γ = Fraction(str(H.margin or 1))
    return Lift(H.dim, H.side, max(1, isqrt(int(max(1 - γ, γ) * H.dim * (H.side - 1) ** 2))))


def lifted_margin(H: HalfSpaces) -> float:
    """g.

    >>> round(lifted_margin(HalfSpaces(4, 101, margin=0.2)), 4)
    0.111
    """
    lift, γ = lift_of(H), float(H.margin or 1)
    if H.side == 1:
        return 1.0
    radius = sqrt(H.dim) * lift.width
    return min(γ * radius / sqrt(1 + ((1 - γ) * radius / lift.length) ** 2), lift.length) / lift.norm
