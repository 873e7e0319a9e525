"""Single values: x = v for one of the values seen, from an unbounded domain or from 0 … N − 1.

[BBKN14, Def. 3.3]  docs/references.bib        proof: docs/proofs/point_learner.md

Throughout this file
    r          e^(ε/2)
    never      the rule that answers 0 everywhere; it errs on all P positives
    err(v)     records that x = v gets wrong: positives elsewhere, and negatives at v
    a, T       δ/(1 − δ), and 1 + ln(1/a)/ln r: a value weighs as much as never if it makes T errors fewer
    J          positives of the target, the value that makes no error, among n records: Bin(n, α) if its mass is α
    N          the number of values, if they are 0 … N − 1
"""

from __future__ import annotations

from math import inf, log
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.points import OneOf, Points
from privpac.data.domains.anything import Numbers
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import ALONE, EQUAL, Universe
from privpac.learners.certificates.tree_orders import FailureByCount, upto
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import log_at_least
from privpac.mechanisms.selection.public_stable import DiscountedExponential, Stable
from privpac.mechanisms.values.points import PointExponential
from privpac.privacy.ledger import Records
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused

NEVER = Constant(False)
NUMBERED = "values are the integers from 0 to domain_size − 1"
NO_NUMBERS = "some values are not integers from 0 to N − 1; number them, or allow a δ: PointLearner reads any values"


class PointLearner(Learner):
    """Learn which value is the positive one, for any kind of values.

    *Never* stands for all values without a positive record. It is not in the class, so the learner is not proper.

    Privacy   (ε, δ) for all inputs: point learner, Theorem 1
    Utility   noisy labels or not: point learner, Theorem 2
    Time      O(n), one pass; memory O(distinct values)

    >>> from privpac import PrivateClassifier
    >>> carriers, late = ["EV"] * 300 + ["UA"] * 700, [1] * 270 + [0] * 700 + [1] * 30
    >>> clf = PrivateClassifier(Points(), method="PointLearner", epsilon=1, delta=1e-6, feature=None)
    >>> print(clf.fit(carriers, late).hypothesis_)
    x = EV
    """

    concept_class: Points
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Points,)
    title: ClassVar[str] = "discounted exponential mechanism over the values seen"
    theorem: ClassVar[str] = "point learner, Theorem 2"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (Universe(Points(), "any values", EQUAL, ALONE),)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        value = ask(DiscountedExponential(self.cost, levels=1), records.see(never_and_seen))
        return NEVER if value is NEVER else OneOf(frozenset([value]))

    def failure(self, n: int, alpha: float) -> float:
        T = 1 + log_at_least((1 - self.cost.delta) / self.cost.delta) / self.log_r
        if self.terms.regime == "realizable":
            return missed_point(n, alpha, T, self.log_r)
        seen = self.chance(log(max(n, 1)), n, alpha, max(0.0, -T), determined_by=1)
        never = self.chance(0, n, alpha, max(0.0, T))
        return min(1.0, seen + never)


def never_and_seen(sample: Sample) -> tuple[dict[Hypothesis, int], Stable]:
    """Never with its errors, and every value that has a positive record.

    >>> records = Sample(np.array(["EV", "UA", "EV"], dtype=object), np.array([True, False, False]), None, 3)
    >>> never_and_seen(records)[1]
    Stable(names=['EV'], level=array([0]), support=array([1]), errors=array([1]), counts=None, spare=None)
    """
    values, zeros, ones = sample.tally()
    positive = ones > 0
    support, P = ones[positive], sample.positives
    return {NEVER: P}, Stable(values[positive].tolist(), support * 0, support, P - support + zeros[positive])


def missed_point(n: int, alpha: float, T: float, log_r: float) -> float:
    """An upper bound on the probability that the target is not released: E[1/(1 + r^(J − T))], where J = 0 counts 1.

    The terms of the mean are negligible, below e^(−40), where the sum ends; of a long sum, only some are computed.
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    J = upto(int(max(T, 0.0) + 40 / log_r) + 2)
    return FailureByCount(J, np.append(1.0, 1 / (1 + np.exp(np.minimum((J[1:] - T) * log_r, 700))))).mean(n, alpha)


class ProperPointLearner(Learner):
    """Learn which of the values 0 … N − 1 is the positive one; the rule always belongs to the class.

    N is the ``domain_size`` of the class. Values are numbers here because the learner may also release an unseen value,
    so every value needs a name. With ``on_invalid`` other than "raise", all other values count for no rule.

    Privacy   ε, for all inputs: point learner, Theorem 3
    Utility   noisy labels or not: point learner, Theorem 4
    Time      O(n) for any N

    >>> from privpac import PrivateClassifier
    >>> ids, fraud = [2**40] * 400 + list(range(600)), [1] * 380 + [0] * 620
    >>> clf = PrivateClassifier(Points(2**64), method="ProperPointLearner", epsilon=1, feature=None)
    >>> print(clf.fit(ids, fraud).hypothesis_)
    x = 1099511627776
    """

    concept_class: Points
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Points,)
    title: ClassVar[str] = "exponential mechanism over all values"
    theorem: ClassVar[str] = "point learner, Theorem 4"
    pure: ClassVar[bool] = True
    automatic: ClassVar[bool] = False  # it reads numbers only
    audited: ClassVar[tuple[Universe, ...]] = (Universe(Points(4), "4 values", (0, 1, 3)),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return concept_class.size < inf

    @property
    def domain(self) -> Numbers:
        return Numbers(self.concept_class.domain_size)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        N = cast(int, self.concept_class.domain_size)
        errors = records.see(lambda sample: number_errors(sample, N, self.terms.on_invalid))
        return OneOf(frozenset([ask(PointExponential(self.cost, N), errors)]))

    def failure(self, n: int, alpha: float) -> float:
        N = cast(int, self.concept_class.domain_size)
        return self.chance(log(N) if N > 1 else -inf, n, alpha)

    @property
    def extra_assumptions(self) -> tuple[str, ...]:
        return (NUMBERED,)


def number_errors(sample: Sample, N: int, on_invalid: InvalidRule) -> tuple[list[int], NDArray[np.int64], int]:
    """The values seen, in order, with the errors of each; and P, the errors of every other value.

    >>> number_errors(Sample(np.array([5, 2, 5], dtype=object), np.array([True, False, True]), None, 3), 8, "raise")
    ([2, 5], array([3, 0]), 2)
    """
    values, zeros, ones = sample.tally()
    seen = values.tolist()
    valid = [type(value) is int and 0 <= value < N for value in seen]
    if on_invalid == "raise" and not all(valid):
        raise Refused("X", NO_NUMBERS)
    order = sorted((i for i, fits in enumerate(valid) if fits), key=seen.__getitem__)
    return [seen[i] for i in order], sample.positives - ones[order] + zeros[order], sample.positives
