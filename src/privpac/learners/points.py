"""Single values: x = v for one of the values seen, out of a domain without bound, or out of 0 … N − 1.

[BBKN14, Def. 3.3]  docs/references.bib        proof: docs/proofs/point_learner.md

Throughout this file
    r          e^(ε/2)
    err(v)     records that x = v gets wrong: positives elsewhere and negatives at v; never errs on all P positives
    a, T       δ/(1 − δ), and 1 + ln(1/a)/ln r: a value needs T records more than its errors to weigh as much as never
    J          positives of the target among n records, if the class makes no error: Bin(n, α) for a target of mass α
    N          how many values there are, if they are 0 … N − 1

Main declarations
    PointLearner          (ε, δ), any values: one discounted selection among those with a positive record, and never
    ProperPointLearner    pure ε, the values 0 … N − 1: all of them are candidates, those unseen as one group
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import ConceptClass, Constant, Hypothesis
from privpac.classes.points import OneOf, Points
from privpac.data.sample import Sample
from privpac.exact.weighted import Weights
from privpac.learners.base import PrivateLearner, Spend
from privpac.learners.certificates.deviation import at_most, chance
from privpac.mechanisms.selection import Outcome, Selection, log_at_least
from privpac.mechanisms.stable import DiscountedExponential, Stable
from privpac.privacy.budget import Budget

NEVER = Constant(False)
STEPS = 4096  # of the exact certificate's sum
NO_NUMBERS = "some values are none of the integers 0 … N − 1; number them, or allow a δ: PointLearner reads any values"


class PointLearner(PrivateLearner):
    """Learn which value is the positive one, whatever the values are.

    Never stands for all values without a positive record; it is no rule of the class, so the learner is not proper.

    Privacy   (ε, δ) for all inputs: point learner, Theorem 1
    Utility   noisy labels or not: point learner, Theorem 2
    Cost      O(n) time, one pass; memory O(distinct values)

    >>> carriers, late = ["EV"] * 300 + ["UA"] * 700, [1] * 270 + [0] * 700 + [1] * 30
    >>> print(PointLearner(Points(), epsilon=1, delta=1e-6, feature=None).fit(carriers, late).hypothesis_)
    x = EV
    """

    title: ClassVar[str] = "discounted exponential mechanism over the values seen"
    theorem: ClassVar[str] = "point learner, Theorem 2"
    proper: ClassVar[bool] = False

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        return isinstance(concept_class, Points)

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        value = spend(DiscountedExponential(cost, levels=1), seen)
        return NEVER if value is NEVER else OneOf(frozenset([value]))

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        log_r = float(cost.epsilon / 2)
        T = 1 + log_at_least((1 - cost.delta) / cost.delta) / log_r
        if self.regime == "realizable":
            return missed(n, alpha, T, log_r)
        others = chance(log(max(n, 1)), 1 + max(0.0, -T), n - 1, alpha, log_r, "agnostic")
        return min(1.0, others + chance(0, max(0.0, T), n, alpha, log_r, "agnostic"))


def seen(sample: Sample) -> tuple[dict[Hypothesis, int], Stable]:
    """Never with its errors, and every value that has a positive record.

    >>> records = Sample(np.array(["EV", "UA", "EV"], dtype=object), np.array([True, False, False]), None, 3)
    >>> seen(records)[1]
    Stable(names=['EV'], level=array([0]), support=array([1]), errors=array([1]), counts=None)
    """
    values, zeros, ones = sample.tally()
    there = ones > 0
    support, P = ones[there], sample.positives
    return {NEVER: P}, Stable(values[there].tolist(), support * 0, support, P - support + zeros[there])


def missed(n: int, alpha: float, T: float, log_r: float) -> float:
    """At least E[1/(1 + r^(J − T))], J ~ Bin(n, α), where J = 0 counts 1: the target is not released.

    Summed by parts over the first so many J, beyond which the term is less than e^(−40), in at most so many steps.

    >>> missed(419, 0.1, 28.63, 0.5) <= 0.05 < missed(380, 0.1, 28.63, 0.5)
    True
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    last = int(max(T, 0.0) + 40 / log_r) + 2
    J = np.unique(np.linspace(0, last, min(last, STEPS) + 1).astype(np.int64))
    term = np.append(1.0, 1 / (1 + np.exp(np.minimum((J[1:] - T) * log_r, 700))))
    below = at_most(J[1:] - 1, n, alpha)  # P(J < J_1), P(J < J_2), …
    return min(1.0, float(below @ -np.diff(term) + term[-1]) * (1 + 1e-9))


class ProperPointLearner(PrivateLearner):
    """Learn which of the values 0 … N − 1 is the positive one: the rule is always one of the class.

    N is the ``domain_size`` of the class. A value that no record has is as possible as any other, and must have a name:
    this is why the values are numbers here. With ``on_invalid`` other than "raise", other values count for no rule.

    Privacy   ε, for all inputs: point learner, Theorem 3
    Utility   noisy labels or not: point learner, Theorem 4
    Cost      O(n) time whatever N is

    >>> ids, fraud = [2**40] * 400 + list(range(600)), [1] * 380 + [0] * 620
    >>> print(ProperPointLearner(Points(2**64), epsilon=1, feature=None).fit(ids, fraud).hypothesis_)
    x = 1099511627776
    """

    title: ClassVar[str] = "exponential mechanism over all values"
    theorem: ClassVar[str] = "point learner, Theorem 4"
    pure: ClassVar[bool] = True
    automatic: ClassVar[bool] = False  # it reads numbers only

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        return isinstance(concept_class, Points) and concept_class.domain_size is not None

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        N = self.concept_class.domain_size
        value = spend(PointExponential(cost, N), lambda sample: numbers(sample, N, self.on_invalid))
        return OneOf(frozenset([value]))

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        return chance(log(self.concept_class.domain_size), 0, n, alpha, float(cost.epsilon / 2), self.regime)


def numbers(sample: Sample, N: int, on_invalid: str) -> tuple[list[int], NDArray[np.int64], int]:
    """The values seen, in order, with the errors of each; and P, the errors of every other value.

    >>> numbers(Sample(np.array([5, 2, 5], dtype=object), np.array([True, False, True]), None, 3), 8, "raise")
    ([2, 5], array([3, 0]), 2)
    """
    values, zeros, ones = sample.tally()
    forms = values.tolist()
    valid = [type(value) is int and 0 <= value < N for value in forms]
    if on_invalid == "raise" and not all(valid):
        raise ValueError(NO_NUMBERS)
    there = sorted((i for i, fits in enumerate(valid) if fits), key=forms.__getitem__)
    return [forms[i] for i in there], sample.positives - ones[there] + zeros[there], sample.positives


@dataclass(frozen=True)
class PointExponential(Selection):
    """v of 0 … N − 1 with probability ∝ r^(−err(v)), from the values seen, their errors, and those of all others."""

    cost: Budget
    N: int
    name: ClassVar[str] = "exponential over points"
    theorem: ClassVar[str] = "point learner, Theorem 3"

    def menu(self, data: tuple[Sequence[int], NDArray[np.int64], int]) -> tuple[Weights, Outcome]:
        values, errors, P = data
        k = len(values)
        counts = np.ones(k + 1, dtype=np.int64 if self.N < 2**63 else object)
        counts[k] = self.N - k
        weights = Weights(-np.append(errors, P), self.cost.epsilon / 2, counts)

        def outcome(group: int, member: int) -> int:
            if group < k:
                return values[group]
            # the number of values below the member-th unseen one: values[i] − i unseen ones lie below values[i]
            return member + bisect_right(range(k), member, key=lambda i: values[i] - i)

        return weights, outcome
