"""[BBKN14, §5.2]: learners that hide a concept in independent noise, and why that does not help with INTERVAL.

Throughout this file
    T, c_j    as in intervals.py: the domain {1, …, T}, and the concept that is 1 on all x < j
    c*        what the inner learner returns       h     c* with every label flipped with probability μ
    dirty     a flipped point; others are clean    R     the points on one side of j: j − 1 below, T + 1 − j from j on
    C_n       the Catalan numbers 1, 1, 2, 5, …    x     μ(1 − μ)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf, isinf
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Hypothesis
from privpac.mechanisms.algorithm import Ask
from privpac.papers.bbkn14.improper import RandomPlaces
from privpac.papers.bbkn14.intervals import interval, labels_of
from privpac.papers.paper_learner import Examples, PaperLearner, WrapperLearner
from privpac.privacy.budget import as_rational


@dataclass(frozen=True)
class NoiseLearner(WrapperLearner):
    """The inner learner's concept with every label flipped with probability μ; None ("fail") if it is not a concept.

    In [BBKN14, Def. 5.6] the noise may be all that makes this private. Here the inner learner is private already, and
    the noise adds no cost.

    Privacy   that of the inner learner, for all inputs: bbkn14, Theorem 19

    >>> from privpac.papers.bbkn14.intervals import IntervalExponential
    >>> from privpac.privacy.budget import Budget
    >>> inner = IntervalExponential(6, Budget(1), 0.1, 0.05)
    >>> outer = NoiseLearner(inner, frozenset(interval(6, j) for j in range(1, 8)), Fraction(1, 50))
    >>> law = outer.law([(3, 1)] * 200 + [(4, 0)] * 200)
    >>> print(max(law, key=law.get), round(float(max(law.values())), 3))
    x is one of 1, 2, 3 0.886
    """

    inner: PaperLearner
    concepts: frozenset[Hypothesis]
    mu: Fraction
    name: ClassVar[str] = "independent noise"
    theorem: ClassVar[str] = "bbkn14, Theorem 19"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", as_rational(self.mu, "mu"))
        if not 0 <= self.mu < Fraction(1, 2):
            raise ValueError("mu must be at least 0 and less than 1/2")

    @property
    def T(self) -> int:  # noqa: N802  (the paper's letter)
        return int(self.domain.size)

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples, if the inner learner accepts them."""
        return self.inner.check(data)

    def run(self, data: Examples, ask: Ask) -> Hypothesis | None:
        c = ask(self.inner, data)
        if c not in self.concepts:
            return None
        labels = labels_of(c, self.T)
        labels[list(ask(RandomPlaces(self.mu), self.T))] ^= True
        return Listed(tuple(range(1, self.T + 1)), tuple(labels.tolist()))


def mismatches(h: Hypothesis, T: int) -> NDArray[np.int64]:
    """On how many points c_1, …, c_(T + 1) differ from h.

    >>> mismatches(interval(4, 3), 4)
    array([2, 1, 0, 1, 2])
    """
    labels = labels_of(h, T)
    zeros_before, ones_from = np.cumsum(~labels), np.cumsum(labels[::-1])[::-1]
    return np.asarray(np.concatenate([[0], zeros_before]) + np.concatenate([ones_from, [0]]))


def reconstruct(h: Hypothesis, T: int) -> Hypothesis | None:
    """The concept that differs from h on the fewest points; None if there are two of them.

    >>> print(reconstruct(Listed((1, 2, 3, 4, 5), (True, True, False, True, True)), 5))
    always
    >>> reconstruct(Listed((1, 2), (False, True)), 2) is None
    True
    """
    distances = mismatches(h, T)
    (nearest,) = np.nonzero(distances == distances.min())
    return interval(T, int(nearest[0]) + 1) if len(nearest) == 1 else None


@dataclass(frozen=True)
class DenoisedLearner(WrapperLearner):
    """Reconstruct the concept under the noise. It sees no example, so it adds nothing to the outer learner's cost.

    Where the paper says "FAIL", it returns c_1, a public concept.

    Privacy   that of the outer learner, for all inputs: bbkn14, Theorem 19
    Utility   the inner learner's, with a failure that is at most 4μ(1 − μ) larger: bbkn14, Theorem 20

    >>> from privpac.papers.bbkn14.intervals import IntervalExponential
    >>> from privpac.privacy.budget import Budget
    >>> inner = IntervalExponential(1000, Budget(1), 0.1, 0.05)
    >>> outer = NoiseLearner(inner, frozenset(interval(1000, j) for j in range(1, 1002)), Fraction(1, 10**6))
    >>> print(DenoisedLearner(outer).learn([300] * 300 + [301] * 300, [1] * 300 + [0] * 300, rng=7))
    x < 301
    """

    inner: NoiseLearner  # the outer learner of the paper
    name: ClassVar[str] = "independent noise, removed"
    theorem: ClassVar[str] = "bbkn14, Theorem 19"

    def check(self, data: Sequence[tuple[Hashable, Hashable]]) -> Examples:
        """The examples, if the outer learner accepts them."""
        return self.inner.check(data)

    def run(self, data: Examples, ask: Ask) -> Hypothesis:
        h, T = ask(self.inner, data), self.inner.T
        return (h and reconstruct(h, T)) or interval(T, 1)  # E-BBKN14-20


def catalan(n: int) -> int:
    """C_n, the number of Dyck words of length 2n.

    >>> [catalan(n) for n in range(7)]
    [1, 1, 2, 5, 14, 42, 132]
    """
    return comb(2 * n, n) // (n + 1)


def side_failure(R: float, mu: Fraction) -> Fraction:
    """Pr[some k on this side has at least as many dirty as clean points before it]: 2μ for R = ∞, less for R < ∞.

    "Before k" goes outward from j. The sum has μ for a dirty first point, and x^n for each word of n clean and n dirty
    points that is balanced at its end and not before: there are C_(n−1) of these words, for n ≤ R/2.

    >>> side_failure(2, Fraction(1, 10)), side_failure(inf, Fraction(1, 10))
    (Fraction(19, 100), Fraction(1, 5))
    """
    if isinf(R):
        return min(2 * mu, Fraction(1))
    x = mu * (1 - mu)
    return (mu if R else Fraction(0)) + sum((catalan(n - 1) * x**n for n in range(1, int(R) // 2 + 1)), Fraction(0))


def failure(T: float, j: float, mu: Fraction) -> Fraction:
    """Pr[the reconstruction of c_j from its noisy labels on 1, …, T is not c_j]; at most 4μ(1 − μ).

    >>> failure(2, 2, Fraction(1, 10)), failure(inf, inf, Fraction(1, 10))
    (Fraction(19, 100), Fraction(9, 25))
    """
    above = inf if isinf(T) else T + 1 - j
    return 1 - (1 - side_failure(j - 1, mu)) * (1 - side_failure(above, mu))


def dyck_bound(mu: float) -> float:
    """μ + Σ_{n ≥ 1} C_n·x^n = μ + μ/(1 − μ) for μ < ½: it counts words that are balanced before their end too.

    >>> dyck_bound(0.02) < 2.03 * 0.02
    True
    """
    return mu + mu / (1 - mu)


def largest_noise(alpha: float, T: float = inf) -> float:
    """2α′ + 1/T: with more noise, the error on T equally likely points is ≤ α′ with probability at most 1/2.

    >>> largest_noise(0.01)
    0.02
    """
    return 2 * alpha + 1 / T  # E-BBKN14-15
