"""Cuts of a line: values from t on are positive, or those below it.

proof: docs/proofs/threshold_learner.md

Throughout this file
    N        the size of the declared line, numbered 0 … N − 1           b    its bits
    t        a cut, 0 ≤ t ≤ N; at the ends of the line it is a constant
    err(t)   records that the cut gets wrong, void ones never
    C        the cap of public-stable selection

Main declarations
    ThresholdLearner        public-stable selection on the trie of the line; n grows with log log N
    PureThresholdLearner    the exponential mechanism over all cuts; pure ε; n grows with log N
"""

from __future__ import annotations

from functools import cache, partial
from typing import ClassVar

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.line import Thresholds
from privpac.learners.base import PrivateLearner, Spend
from privpac.learners.certificates.cuts import CappedCuts, NoisyCuts, PureCuts
from privpac.mechanisms.cuts import CutExponential, CutStable
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.mechanisms.ordered_cuts import ordered
from privpac.privacy.budget import Budget

LABELS_ABOVE = {"above": (True,), "below": (False,), "either": (True, False)}  # the label above a cut
LARGEST_CAP = 2**60  # a cap beyond it changes nothing


class ThresholdLearner(PrivateLearner):
    """Learn a cut by public-stable selection: all cuts, those that trie nodes with records propose, both constants.

    Privacy   (ε, δ) for all inputs: threshold learner, Theorem 2; noise, Theorem 1
    Utility   realizable: threshold learner, Theorem 4; agnostic, after a noisy count of the best errors: Theorem 5
    Cost      one sort

    >>> import numpy as np
    >>> ages = np.arange(18, 90).repeat(20)
    >>> print(ThresholdLearner(Thresholds(0, 120), epsilon=3, feature=None).fit(ages, ages >= 40).hypothesis_)
    x ≥ ...
    """

    title: ClassVar[str] = "public-stable selection on the trie"
    theorem: ClassVar[str] = "threshold learner, Theorems 4 and 5"

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        return isinstance(concept_class, Thresholds)

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        H, directions = self.concept_class, LABELS_ABOVE[self.concept_class.direction]
        N = H.domain.size
        in_order = cache(partial(ordered, size=N))
        certified = self._certificate(cost)
        if isinstance(certified, NoisyCuts):
            errors = spend(DiscreteLaplace(certified.noise), lambda sample: in_order(sample).least(directions))
            cost, C = certified.rest, min(max(certified.margin + errors, -LARGEST_CAP), LARGEST_CAP)
        else:
            C = certified.cap
        rule: Hypothesis = H.at(*spend(CutStable(cost, N, directions, C, certified.proposals), in_order))
        return rule

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        return self._certificate(cost).failure(n, alpha)

    def _certificate(self, cost: Budget) -> CappedCuts:
        kind = NoisyCuts if self.regime == "agnostic" else CappedCuts
        H = self.concept_class
        return _kept(kind, cost, H.domain.size, len(LABELS_ABOVE[H.direction]), float(self._beta))


class PureThresholdLearner(PrivateLearner):
    """Learn a cut by the exponential mechanism over all cuts and both constants.

    Privacy   ε, for all inputs: threshold learner, Theorem 1
    Utility   noisy labels or not: threshold learner, Theorem 3
    Cost      one sort

    >>> import numpy as np
    >>> ages = np.arange(18, 90).repeat(20)
    >>> print(PureThresholdLearner(Thresholds(0, 120), epsilon=3, feature=None).fit(ages, ages >= 40).hypothesis_)
    x ≥ ...
    """

    title: ClassVar[str] = "exponential mechanism over all cuts"
    theorem: ClassVar[str] = "threshold learner, Theorem 3"
    pure: ClassVar[bool] = True

    @classmethod
    def applies(cls, concept_class: ConceptClass, regime: str) -> bool:
        return isinstance(concept_class, Thresholds)

    def _learn(self, cost: Budget, n: int, spend: Spend) -> Hypothesis:
        H = self.concept_class
        N = H.domain.size
        selection = CutExponential(cost, N, LABELS_ABOVE[H.direction])
        rule: Hypothesis = H.at(*spend(selection, partial(ordered, size=N)))
        return rule

    def _failure(self, cost: Budget, n: int, alpha: float) -> float:
        H = self.concept_class
        return PureCuts(cost, H.domain.size, len(LABELS_ABOVE[H.direction])).failure(n, alpha, self.regime)


@cache
def _kept(kind: type[CappedCuts], cost: Budget, size: int, ways: int, beta: float) -> CappedCuts:
    """A certificate with what it has computed."""
    return kind(cost, size, ways, beta)
