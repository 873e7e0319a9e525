"""[ABMS20, §§ 5–7]: how many examples relabeling needs, as printed and by the corrected proofs.

Throughout this file
    S, D     the examples of a step, and the first half of them, which scores the patterns
    d        |D|                                       n      the number of examples of a step: 2d, or 2d + 1
    K        an upper bound on the number of patterns on the points of a step
    V        VC dimension                              k      how many classes are combined
    gap      the error that a step may add beyond that of the base learner
    ε_R      ``relabel_epsilon``, the parameter of the mechanism that draws a pattern

Theorems without a paper are those of abms20.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, isfinite, log

from privpac.privacy.bisection import smallest, smallest_upto
from privpac.privacy.budget import Budget
from privpac.refusals.option_words import PaperConstants

MOST = 2**50  # more examples than any sample has
DIVISIONS = 32  # The gap is divided between two causes in multiples of gap/32; the best division counts.
Count = Callable[[int], float]  # n → an upper bound on the number of patterns on n points


def claim_5_4(alpha: float, beta: float, V: int, S: int) -> float:
    """(2/α)·ln(1/β) + (2V/α)·ln(e·|S|/V): how large |D| must be, for V ≥ 1 and |S| ≥ V.

    >>> round(claim_5_4(0.1, 0.05, 1, 1000))
    218
    """
    if not 1 <= V <= S:  # E-ABMS20-15
        raise ValueError("the bound on the number of patterns needs |S| ≥ V ≥ 1: (e·|S|/V)^V is too small below")
    return 2 / alpha * log(1 / beta) + 2 * V / alpha * log(exp(1) * S / V)


def claim_5_4_short(alpha: float, beta: float, V: int) -> float:
    """(4/α)·ln(1/β) + (10V/α)·ln(20e/α): how large |D| must be if it is at least half of |S|.

    >>> round(claim_5_4_short(0.1, 0.05, 1))
    750
    """
    return 4 / alpha * log(1 / beta) + 10 * V / alpha * log(20 * exp(1) / alpha)


def bad_pattern(K: float, d: int, gap: float, relabel_epsilon: float) -> float:
    """K·e^(−ε_R·gap·d/2), or 1: a bound on the probability of drawing a bad pattern (Theorem 3).

    A pattern is bad if it errs on gap·d more examples of D than the best one.

    >>> round(bad_pattern(101, 200, 0.1, 1.0), 4)
    0.0046
    """
    return exp(min(log(K) - relabel_epsilon * gap * d / 2, 0.0)) if isfinite(K) else 1.0


def bad_concept(size: float, K: float, d: int, gap: float) -> float:
    """A bound on the probability that D hides a bad concept (Theorem 4).

    D hides a concept if it looks at least as good on D as a fixed one although its error is larger by ``gap``. The
    bound is the smaller of |H|·e^(−d·gap²/2) and 2·K·e^(−d·t²/8) + e^(−2d(gap − t)²), where t = 4·gap/5, |H| is
    ``size``, and K is for 2d points.

    >>> round(bad_concept(2**16 + 1, 8001, 4000, 0.1), 6), round(bad_concept(inf, 40001, 20000, 0.1), 6)
    (0.000135, 0.009003)
    """
    finite = exp(min(log(size) - d * gap**2 / 2, 0.0)) if size < inf else 1.0
    t = 4 * gap / 5
    if inf == K:
        return finite
    return min(finite, exp(min(log(2 * K) - d * t**2 / 8, 0.0)) + exp(-2 * d * (gap - t) ** 2))


@dataclass(frozen=True)
class Step:
    """A step of Algorithm 4 or 5: relabel D by one of at most ``patterns(n)`` patterns, then run a learner on D.

    ``size`` is the number of concepts that the step may lead to, and ``growth_bound(n)`` bounds the number of their
    patterns on n points. ``cost`` is the price of the step.
    """

    patterns: Count
    size: float
    growth_bound: Count
    relabel_epsilon: float
    cost: Budget

    def failure(self, n: int, gap: float) -> float:
        """A bound on the probability that the step adds more than ``gap`` > 0 to the error of a proper learner on D."""
        d = n // 2
        K = self.patterns(2 * d + 1)  # the larger of the two n with this d, so that an odd n is never worse than n − 1
        growth = self.growth_bound(2 * d)
        parts = (gap * i / DIVISIONS for i in range(1, DIVISIONS))  # the part of the gap for a bad pattern
        return min(
            bad_pattern(K, d, a, self.relabel_epsilon) + bad_concept(self.size, growth, d, gap - a) for a in parts
        )

    def least(self, gap: float, failure: float) -> int:
        """The least n at which a proper learner adds at most ``gap``, except with probability ``failure`` > 0.

        >>> Step(lambda n: n + 1, 2**16 + 1, lambda n: n + 1, 1.0, Budget(2)).least(0.05, 0.02)
        27314
        """
        return smallest(lambda n: self.failure(n, gap) <= failure)

    def error(self, n: int, beta: float, inner: tuple[float, float], γ: float) -> float:
        """The most that any learner errs beyond the best concept, except with probability ``beta`` (Theorem 10).

        ``inner`` is the error and the failure probability that the base learner promises on its sample. γ is the part
        of ``beta`` for Markov's inequality, and u, r, a, and a′ (here ``apart``) are those of the theorem.
        """
        d, growth = n // 2, exp(float(self.cost.epsilon))
        K = self.patterns(2 * d + 1)
        u = min(γ / growth / 1000, (beta - γ) / 2)  # any u is allowed; a small one costs only a logarithm
        r = (beta - γ - u) / 2
        a = 2 * (log(K) - log(r)) / (self.relabel_epsilon * d)
        apart = (2 * log(K) - log(u)) / (log(2) * d)
        share = min(1.0, sum(inner) + apart + u)
        return a + apart + self._misled(d, r) + (growth * share + float(self.cost.delta)) / γ

    def _misled(self, d: int, failure: float) -> float:
        """The least gap, in thousandths, at which ``bad_concept`` is at most ``failure``; at most 1."""
        growth = self.growth_bound(2 * d)
        return smallest(lambda i: i >= 1000 or bad_concept(self.size, growth, d, i / 1000) <= failure) / 1000

    def least_for(self, alpha: float, beta: float, inner: tuple[float, float]) -> int | None:
        """The least n at which ``error`` is at most ``alpha``; None if the base learner aims too high for any n.

        >>> step = Step(lambda n: n + 1, 2**16, lambda n: n + 1, 1.0, Budget(2))
        >>> step.least_for(0.1, 0.05, (0.0001, 0.0001)), step.least_for(0.1, 0.05, (0.01, 0.0001))
        (361618, None)
        """

        def enough(n: int) -> bool:
            best_error = min(self.error(n, beta, inner, beta * i / 8) for i in range(1, 8))  # over seven values of γ
            return best_error <= alpha

        return smallest_upto(MOST, enough, 1)


def theorem_6_1(m: float, V: float, alpha: float, beta: float) -> float:
    """m + (V + ln(1/β))/α²: [ABMS20, Thm 6.1] with its hidden constants set to 1; m is what the base learner asks for.

    >>> round(theorem_6_1(300, 1, 0.1, 0.05))
    700
    """
    return m + (V + log(1 / beta)) / alpha**2


def theorem_7_1(
    k: int, V: float, m: float, alpha: float, beta: float, *, constants: PaperConstants = "printed"
) -> float:
    """(k³V + k²·ln(k/β))/α² + m: [ABMS20, Thm 7.1], hidden constants set to 1.

    m is the number of examples that all base learners ask for together. The proof needs k³(V + ln(k/β))/α² + m, which
    is "tight" here.

    >>> round(theorem_7_1(2, 2, 600, 0.1, 0.05)), round(theorem_7_1(2, 2, 600, 0.1, 0.05, constants="tight"))
    (3676, 5151)
    """
    weight = k**3 if constants == "tight" else k**2  # E-ABMS20-10
    return (k**3 * V + weight * log(k / beta)) / alpha**2 + m
