"""A noisy perceptron: half-spaces in many dimensions, if records keep a declared distance from the boundary.

[Nov63] [BDMN05] [CKS20] [Cov65] [Hoe63]  docs/references.bib        proof: docs/proofs/half_space_learner.md

Throughout this file
    d, a   the dimension, and the side of the grid {0 … a − 1}^d
    γ      the declared margin: the distance of all records from the boundary, relative to the radius of the grid
    g      the margin of lifted records, relative to their length: about γ/(2 − γ)
    D      the number of weights
    T      the number of rounds
    θ      the bar: a step is divided by the noisy number of missed records, or by θ if θ is larger
    σ      the noise of each coordinate of a sum, relative to the length of a record: √(2T/ρ), rounded up
    ν      the slack: with high probability, no noisy number of missed records is off by more
    s, κ   σ and ν as shares of the bar: σ/θ and ν/θ
    b      any number above T
    n'     the size of the ghost sample, a second sample that only the proof draws
    m      how many of the n records the rule misses at most
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor, isqrt, log, sqrt
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import gammaln, psi

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.vectors.half_spaces import HalfSpace, HalfSpaces, simplest
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.certificates.deviation import ROUNDING
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.half_spaces.perceptron import (
    FINENESS,
    UNIT,
    Lift,
    NoisyPerceptron,
    SignedRecords,
    Weights,
    rho_of,
)
from privpac.privacy.ledger import Records

OFF = 1 / 8  # the share of β for runs in which some noisy number is off by more than ν
UNFINISHED = 3 / 8  # the share of β for runs in which all noisy numbers exceed θ
LENGTHS = np.geomspace(1.5, 16, 16)  # the values of T·g² to try
SPREADS = np.geomspace(1.02, 300, 80)[:, None]  # the values of b/T to try
DRIFTS = np.append(np.linspace(1.5, 12, 22), np.geomspace(13, 800, 40))[None, :]  # −ln P(noise turns the weights back)
BAR_STEPS = 40  # steps of the bisection for θ
GHOSTS = (1, 2, 4, 8, 16, 32, 64)  # the values of n'/n to try
WIDEST = 2**24  # the largest side: sums and weights of wider grids would not fit into floats
LEAST_MARGIN = 0.05  # a smaller margin would take more than 8000 rounds
NOISE_SHARE = 8  # the noise of a sum is at most n divided by this, unless there is only one round


class PerceptronLearner(Learner):
    """Learn a half-space in many dimensions, if records keep a declared distance from its boundary.

    Privacy   (ε, δ), for all inputs: half space learner, Theorem 3
    Utility   if labels are realizable with the margin: half space learner, Theorem 6
    Time      two passes over the records for each of about 5/g² rounds

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
        Universe(HalfSpaces(1, 1, margin=1), "1 point, one round", ((0,),), (Trial(1, 1e-6, 1, 0),)),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        H = concept_class
        return isinstance(H, HalfSpaces) and (H.margin or 0) >= LEAST_MARGIN and H.side <= WIDEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        lift, plan = lift_of(self.concept_class), self.schedule(records.size)
        perceptron = NoisyPerceptron(self.cost, lift, plan.rounds, plan.bar)
        sums = ask(perceptron, records.see(lambda sample: SignedRecords.of(lift, sample)))
        weights = perceptron.path(sums)
        if plan.rounds == 1:
            return half_space_rule(lift, weights[-1])
        missed = [noisy_sum[0] for noisy_sum in sums]  # noisy numbers of missed records
        return half_space_rule(lift, weights[missed.index(min(missed))])

    def schedule(self, n: int) -> Schedule:
        """The schedule for n records: that of the certificate, or fewer rounds if these would need too much noise."""
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
        overfitting = overfitting_chance(n, plan.bar + plan.slack, alpha, self.concept_class.dim)
        return min(1.0, float(self.terms.beta) / 2 + overfitting)

    @property
    def within(self) -> str:
        return f"with margin {self.concept_class.margin:g}"

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        apart = f"at least {self.concept_class.margin:g} of the radius of the grid away from every record"
        return (f"the boundary of the best half-space is {apart}",)


class Schedule(NamedTuple):
    """The public numbers of a noisy perceptron: T, θ, and ν."""

    rounds: int
    bar: int
    slack: float


@lru_cache(maxsize=64)
def schedule(D: int, margin: float, rho: float, beta: float) -> Schedule:
    """The schedule whose rules miss the fewest records."""
    schedules = [_schedule_of(max(1, ceil(x / margin**2)), D, margin, rho, beta) for x in LENGTHS]
    return min(schedules, key=lambda plan: plan.bar + plan.slack)


def _schedule_of(T: int, D: int, margin: float, rho: float, beta: float) -> Schedule:
    """The schedule of T rounds with the smallest bar, found by bisection."""
    σ, σ_number = sqrt(2 * T / rho + 1 / FINENESS), sqrt(2 * T / (3 * rho) + 1 / FINENESS)
    ν = σ_number * sqrt(2 * log(2 * T / (OFF * beta)))
    low, high = ν, 2.0**40 * ν
    for _ in range(BAR_STEPS):
        middle = sqrt(low * high)
        enough = unfinished_chance(T, middle, σ, ν, D, margin) <= UNFINISHED * beta
        low, high = (low, middle) if enough else (middle, high)
    return Schedule(T, ceil(high), ν)


def unfinished_chance(T: int, bar: float, noise: float, slack: float, D: int, margin: float) -> float:  # noqa: PLR0917
    """An upper bound on the probability that all T noisy numbers exceed θ, if each is off by at most ν."""
    s, κ = noise / bar, slack / bar
    # How far T steps lead toward the best half-space, at least, unless the noise turns them back.
    forward = margin * T * (1 - κ) - T * sqrt(D) / UNIT - s * np.sqrt(2 * T * DRIFTS)
    b = SPREADS * T
    longer = D / 2 * np.log(b / (b - T)) + (1 + κ) ** 2 / (2 * s * s) * (psi(b) - psi(b - T))
    beyond = np.exp(np.minimum(longer - np.maximum(forward, 0) ** 2 / (2 * s * s * b), 0))
    return min(1.0, float((beyond + np.exp(-DRIFTS)).min()) * ROUNDING)


def overfitting_chance(n: int, missed: float, alpha: float, d: int) -> float:
    """An upper bound on the probability that some half-space misses few of n records, but more than α of all."""
    if n < 1 or alpha <= 0:
        return 1.0
    m = floor(missed)
    logs = [_log_overfitting_chance(n, ghosts * n, m, floor(alpha * ghosts * n), d) for ghosts in GHOSTS]
    return min(1.0, exp(min(0.0, *logs)) * ROUNDING)


def _log_overfitting_chance(n: int, ghosts: int, m: int, g: int, d: int) -> float:
    """ln of 2·(patterns of n + n' points)·P(at most m of k = g + m marked points are among the first n).

    A marked point is among the first n with probability p. The divergence is that of m/k from p.
    """
    p, k = n / (n + ghosts), g + m
    if not k or m >= p * k:
        return 0.0
    q = m / k
    divergence = (q * log(q / p) if q else 0.0) + (1 - q) * log((1 - q) / (1 - p))
    return log(2) + _log_patterns(n + ghosts, d) - k * divergence


def _log_patterns(N: int, d: int) -> float:
    """ln of 2·Σ_{i ≤ d} C(N − 1, i), which bounds the affine dichotomies of N points [Cov65]."""
    i = np.arange(min(d, N - 1) + 1)
    return log(2) + float(np.logaddexp.reduce(gammaln(N) - gammaln(i + 1) - gammaln(N - i)))


def half_space_rule(lift: Lift, w: Weights) -> HalfSpace:
    """The half-space w·v(x) ≥ 0 of lifted records v(x), as an inequality for x.

    >>> print(half_space_rule(Lift(2, 11, 7), (3, -2, 5)))
    3·x₁ − 2·x₂ ≥ −12
    """
    *normal, last = w
    bias = -((last * lift.length - lift.width * sum(normal)) // 2)
    return simplest(normal, bias) if any(normal) else HalfSpace(tuple(normal), bias)


def lift_of(H: HalfSpaces) -> Lift:
    """The lift that keeps most of the margin: its length² is about max(1 − γ, γ)·d·(a − 1)²."""
    γ = Fraction(str(H.margin or 1))
    return Lift(H.dim, H.side, max(1, isqrt(int(max(1 - γ, γ) * H.dim * (H.side - 1) ** 2))))


def lifted_margin(H: HalfSpaces) -> float:
    """The margin g of lifted records, relative to their length."""
    lift, γ = lift_of(H), float(H.margin or 1)
    if H.side == 1:
        return 1.0
    radius = sqrt(H.dim) * lift.width
    return min(γ * radius / sqrt(1 + ((1 - γ) * radius / lift.length) ** 2), lift.length) / lift.norm
