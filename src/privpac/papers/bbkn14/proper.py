"""[BBKN14, §4.3]: if a learner of points labels few points 1, it yields a proper learner, which needs many examples.

So a learner from few examples must label many points 1.

Throughout this file
    A'       a pure learner of points that need not be proper: error at most α/4 with probability 3/4
    z        a hypothesis is light if it labels fewer than z points 1; at least half of the runs return a light one
    k        the number of runs of A', each on n' examples of its own        ℓ    examples for the choice that follows
    H_d      the points that light hypotheses label 1, and a few public ones
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, log, log1p
from typing import Any, ClassVar

import numpy as np

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.matrices import check_matrix_size
from privpac.classes.values.points import OneOf
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.occam import comparison_size, log_most_hypotheses, store_goal_as_fractions
from privpac.papers.bbkn14.points import STAR, OnPoints, ProperPoints, TableEntry, lemma_3_9
from privpac.privacy.budget import Budget, as_count


def positive_points(h: Hypothesis, T: int) -> list[int]:
    """The points of 0 … T − 1 that h labels 1. Unless h lists them, this evaluates h on all T points.

    >>> positive_points(OneOf(frozenset([3, 1])), 8)
    [1, 3]
    """
    if isinstance(h, OneOf):
        return sorted(int(j) for j in h.values)  # type: ignore[call-overload]
    return [int(j) for j in np.flatnonzero(h(range(T)))]


def weight(h: Hypothesis, T: int) -> int:
    """How many of 0 … T − 1 h labels 1 [BBKN14, Def. 4.10].

    >>> from privpac.classes.values.hashes import Keyed
    >>> weight(Keyed(3, 1, 7, 2), 7)
    2
    """
    return len(positive_points(h, T))


def repetitions(beta: Fraction) -> int:
    """k = ⌈ln(β/2)/ln(3/4)⌉: one of k runs returns a light and good hypothesis, except with probability ≤ β/2.

    A run does so with probability at least 1/2 + 3/4 − 1 = 1/4.

    >>> repetitions(Fraction(1, 20))
    13
    """
    return ceil(log(beta / 2) / log(3 / 4))


@dataclass(frozen=True)
class ProperFromLight(OnPoints):
    """A point that light hypotheses label 1, chosen by the exponential mechanism [BBKN14, Thm 4.11].

    ``learner`` is A', which may cost at most ``cost``. If there are more or fewer than N examples, they are divided in
    the same proportions.

    Privacy   ε, for all inputs: bbkn14, Theorem 12
    Utility   error at most α with probability at least 1 − β with N or more examples, if A' is as above: Theorem 13

    >>> light = ProperPoints(2**64, Budget(1), Fraction(1, 40), Fraction(1, 4), "tight")
    >>> learner = ProperFromLight(light, 2, Budget(1), Fraction(1, 10), Fraction(1, 20))
    >>> learner.k, learner.l, learner.N
    (13, 915, 61079)
    """

    learner: OnPoints
    z: int
    cost: Budget
    alpha: Fraction
    beta: Fraction
    name: ClassVar[str] = "proper from light hypotheses"
    theorem: ClassVar[str] = "bbkn14, Theorem 12"

    def __post_init__(self) -> None:
        super().__post_init__()
        as_count(self.z, "z")
        store_goal_as_fractions(self)
        if not self.learner.cost <= self.cost:
            raise ValueError("the learner must not cost more than the whole algorithm")
        _ = self.N  # a plan that is impossible fails here, before anything is spent

    @property
    def constants(self) -> str:  # type: ignore[override]
        """Those of A', because N includes the N of A'."""
        return self.learner.constants

    @property
    def T(self) -> int:  # type: ignore[override]  # noqa: N802  (the paper's letter)
        return self.learner.T

    @property
    def public_points(self) -> range:
        """The first ⌈4/α⌉ points, one of which has probability at most α/4; all T points if T is less."""
        return range(min(self.T, ceil(4 / self.alpha)))

    @property
    def k(self) -> int:
        return repetitions(self.beta)

    @property
    def l(self) -> int:  # noqa: E743  (the paper's letter)
        """ℓ, for the most candidates that there can be."""
        most = self.k * self.z + len(self.public_points)  # E-BBKN14-12
        ε, α, β = float(self.cost.epsilon), float(self.alpha), float(self.beta)
        return comparison_size(most, α / 2, α, β / 2, ε)

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        return self.k * self.learner.N + self.l  # E-BBKN14-12

    def check(self, data: Sequence[Any]) -> Any:
        """The entries; ValueError if A' may return a hypothesis that must be evaluated on too many points."""
        if not isinstance(self.learner, ProperPoints):
            check_matrix_size(self.T, 1)
        return super().check(data)

    def run(self, D: Sequence[TableEntry], ask: Ask) -> Hypothesis:
        n1 = len(D) * self.learner.N // self.N  # n'
        hypotheses = [ask(self.learner, D[i * n1 : (i + 1) * n1]) for i in range(self.k)]
        supports = [positive_points(h, self.T) for h in hypotheses if h is not None]
        light = [support for support in supports if len(support) < self.z]
        H_d = sorted(set(self.public_points).union(*light))  # E-BBKN14-11
        fresh = [example for example in D[self.k * n1 :] if example is not STAR]
        ones, zeros = Counter(x for x, y in fresh if y), Counter(x for x, y in fresh if not y)
        j = ask(Exponential(self.cost), [ones[j] - zeros[j] - ones.total() for j in H_d])
        return OneOf(frozenset([H_d[j]]))


def log_weight(T: int, examples: int, alpha: Fraction, beta: Fraction, epsilon: float) -> float:
    """log₂ of the least z for which A' may exist with n' = ``examples``; 0 if no z ≥ 1 is excluded.

    With a smaller z, ``ProperFromLight`` [BBKN14, Thm 4.11] would be a proper learner from fewer examples than [BBKN14,
    Lemma 3.9] allows.

    >>> round(log_weight(2**100_000, 1000, Fraction(1, 10), Fraction(1, 20), 1.0))
    1983
    """
    α, β, k = float(alpha), float(beta), repetitions(beta)
    least_l = lemma_3_9(T, α, β, epsilon) - k * examples - 1  # ℓ is at least this; − 1 because ℓ is rounded up
    log_H = log_most_hypotheses(least_l, α / 2, α, β / 2, epsilon)  # a lower bound on ln(kz + ⌈4/α⌉)
    public_points = ceil(4 / alpha)
    if log_H <= log(public_points + k):
        return 0.0
    return (log_H + log1p(-public_points * exp(-log_H)) - log(k)) / log(2)
