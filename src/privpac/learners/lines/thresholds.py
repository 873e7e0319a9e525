"""Cuts of a line: the values at or above t are positive, or those below t.

proof: docs/proofs/threshold_learner.md

Throughout this file
    N        the size of the declared line, numbered 0 … N − 1
    t        a cut, 0 ≤ t ≤ N; with t = 0 or t = N, the rule is constant
    C        the cap of public-stable selection
"""

from __future__ import annotations

from functools import cache, partial
from math import log
from typing import ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import CROWDED, Universe
from privpac.learners.lines.threshold_bounds import CappedCuts, NoisyCuts, PureCuts
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.lines.cuts import CutExponential, CutStable
from privpac.mechanisms.lines.ordered_cuts import ordered
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.requests.weights import once

LABELS_ABOVE = {"above": (True,), "below": (False,), "either": (True, False)}  # the label above a cut
LARGEST_CAP = 2**60  # beyond any number of errors, so a larger cap would change nothing


class ThresholdLearner(Learner):
    """Learn a cut by public-stable selection among the constants, the cuts that nodes of a trie propose, and all cuts.

    Privacy   (ε, δ) for all inputs: threshold learner, Theorem 2; noise, Theorem 1
    Utility   realizable: threshold learner, Theorem 4; agnostic, after a noisy count of the best errors: Theorem 5
    Time      one sort

    >>> from privpac import PrivateClassifier
    >>> ages = list(range(18, 90)) * 20
    >>> clf = PrivateClassifier(Thresholds(0, 120), method="ThresholdLearner", epsilon=3, feature=None)
    >>> print(clf.fit(ages, [age >= 40 for age in ages]).hypothesis_)
    x ≥ ...
    """

    concept_class: Thresholds
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Thresholds,)
    title: ClassVar[str] = "public-stable selection on the trie"
    theorem: ClassVar[str] = "threshold learner, Theorems 4 and 5"
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Thresholds(0, 15, direction="above"), "16 values", (3, 12), CROWDED[:1]),
        Universe(Thresholds(0, 15, direction="either"), "16 values, both directions", (3, 12), CROWDED[:1]),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H, directions = self.concept_class, LABELS_ABOVE[self.concept_class.direction]
        N = H.domain.size
        in_order = cache(partial(ordered, size=N))
        certificate, cost = self._certificate, self.cost
        if isinstance(certificate, NoisyCuts):
            errors = ask(
                DiscreteLaplace(certificate.noise), records.see(lambda sample: in_order(sample).least(directions))
            )
            cost, C = certificate.selection_cost, min(max(certificate.margin + errors, -LARGEST_CAP), LARGEST_CAP)
        else:
            C = certificate.cap
        return H.at(*ask(CutStable(cost, N, directions, C, certificate.proposals), records.see(in_order)))

    def failure(self, n: int, alpha: float) -> float:
        certificate = self._certificate
        if isinstance(certificate, NoisyCuts) and self.copies > 1:
            return certificate.weighted_failure(n, alpha, self.copies, self.cheapest)
        return certificate.failure(n, alpha)

    @property
    def _certificate(self) -> CappedCuts:
        kind = NoisyCuts if self.terms.regime == "agnostic" else CappedCuts
        H = self.concept_class
        return _certificate_of(kind, self.cost, H.domain.size, len(LABELS_ABOVE[H.direction]), float(self.terms.beta))


class PureThresholdLearner(Learner):
    """Learn a cut by the exponential mechanism over all cuts and both constants.

    Privacy   ε, for all inputs: threshold learner, Theorem 1
    Utility   noisy labels or not: threshold learner, Theorem 3
    Time      one sort

    >>> from privpac import PrivateClassifier
    >>> ages = list(range(18, 90)) * 20
    >>> clf = PrivateClassifier(Thresholds(0, 120), method="PureThresholdLearner", epsilon=3, feature=None)
    >>> print(clf.fit(ages, [age >= 40 for age in ages]).hypothesis_)
    x ≥ ...
    """

    concept_class: Thresholds
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Thresholds,)
    title: ClassVar[str] = "exponential mechanism over all cuts"
    theorem: ClassVar[str] = "threshold learner, Theorem 3"
    pure: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Thresholds(0, 3, direction="above"), "4 values", (0, 1, 3)),
        Universe(Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2)),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class
        N, (_, ask_once) = H.domain.size, once(records, ask)  # ``span`` counts a record with all its copies
        selection = CutExponential(self._per_record, N, LABELS_ABOVE[H.direction], self.span)
        return H.at(*ask_once(selection, records.see(partial(ordered, size=N))))

    @property
    def span(self) -> int:
        """How much one record can change the difference of two rules' costs, for labels that cost a and b.

        That is a + b if all rules have one direction, and 2·max(a, b) otherwise.
        """
        by_label = self.terms.weights.by_label
        return 2 * max(by_label) if self.concept_class.direction == "either" else sum(by_label)

    @property
    def log_r(self) -> float:
        return float(self._per_record.epsilon / self.span)

    @property
    def _per_record(self) -> Budget:
        return Budget(self.copies * self.cost.epsilon)

    def failure(self, n: int, alpha: float) -> float:
        H = self.concept_class
        cuts = PureCuts(self.cost, H.domain.size, len(LABELS_ABOVE[H.direction]))
        if self.copies == 1:
            return cuts.failure(n, alpha, self.terms.regime)
        # With weights: the smaller of two union bounds, over all cuts, and over runs of cuts between two records.
        over_cuts = self.chance(cuts.log_rules, n, alpha)
        log_runs = log(cuts.ways * (n + 1))
        over_runs = self.chance(log_runs, n, alpha, cuts.log_rules / self.log_r, determined_by=1)
        return min(over_cuts, over_runs)


@cache
def _certificate_of(kind: type[CappedCuts], cost: Budget, size: int, ways: int, beta: float) -> CappedCuts:
    """The certificate, created once so that it can cache its results."""
    return kind(cost, size, ways, beta)
