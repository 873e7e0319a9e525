"""Conjunctions of equalities over columns of any values: "carrier = EV and origin = JFK".

proof: docs/proofs/equality_learner.md

Throughout this file
    r       e^(ε/2)
    κ       the number of levels: choices of 1 to j of the columns; a record satisfies one conjunction on each
    a, T    δ/((1 − δ)·κ), and 1 + ln(1/a)/ln r: a conjunction needs T errors less than never to weigh as much

Main declarations
    ConjunctionExponential    the selection, and why it is private
    EqualityLearner           (ε, δ): one discounted selection among conjunctions of positive records, never, always
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import ClassVar

from privpac.classes.base import ConceptClass, Constant, Hypothesis
from privpac.classes.equalities import Equalities
from privpac.data.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.points import missed_point
from privpac.learners.universe import Tried, Universe
from privpac.learners.views.equality_counts import SeenConjunctions, discounted
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.public_stable import DiscountedExponential
from privpac.mechanisms.selection import log_at_least
from privpac.privacy.ledger import Records

PAIRS = Equalities(0, 1, at_most=2)
ROWS = (("a", "b"), (1, "c"), (True, "d"))  # the last two share a value
MOSTLY_ZERO = Tried(1, 1e-6, 1, 30), Tried(0.2, 0.3, 2, 70), Tried(6, 0.3, 2, 3)


@dataclass(frozen=True)
class ConjunctionExponential(DiscountedExponential):
    """The selection among never, always, and the conjunctions of positive records."""

    theorem: ClassVar[str] = "equality learner, Theorem 1"


class EqualityLearner(Learner):
    """Learn which values, in at most j of the columns, make a record positive; the values need not be declared.

    Never stands for all conjunctions without a positive record, so the learner is not proper.

    Privacy   (ε, δ) for all inputs: equality learner, Theorem 1
    Utility   noisy labels or not: equality learner, Theorem 2
    Cost      κ sorts of the records, whatever the values

    >>> from privpac import PrivateClassifier
    >>> flights = {"carrier": ["EV", "UA", "B6"] * 400, "origin": ["JFK", "LGA"] * 600, "day": list(range(1200))}
    >>> late = [carrier == "EV" and origin == "JFK" for carrier, origin in zip(flights["carrier"], flights["origin"])]
    >>> rules = Equalities("carrier", "origin", "day", at_most=2)
    >>> print(PrivateClassifier(rules, epsilon=1, delta=1e-6).fit(flights, late).hypothesis_)
    carrier = EV and origin = JFK
    """

    concept_class: Equalities
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Equalities,)
    title: ClassVar[str] = "discounted exponential mechanism over the conjunctions seen"
    theorem: ClassVar[str] = "equality learner, Theorem 2"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        # among negative records, always is out of the question, and one positive record brings κ conjunctions
        Universe(PAIRS, "2 columns, mostly 0", ROWS, MOSTLY_ZERO, crowd_label=0),
        Universe(PAIRS, "2 columns", ROWS, (Tried(1, 1e-6, 1, 14), Tried(6, 0.3, 3, 0))),
    )

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        H = self.concept_class

        def conjunctions(sample: Sample) -> SeenConjunctions:
            return SeenConjunctions.of(sample, H.columns, H.at_most)

        mechanism = ConjunctionExponential(self.cost, levels=H.levels)
        found = ask(mechanism, records.see(lambda sample: discounted(conjunctions(sample))))
        return found if isinstance(found, Constant) else H.hypothesis(dict(found))

    def failure(self, n: int, alpha: float) -> float:
        κ, δ = self.concept_class.levels, self.cost.delta
        T = 1 + log_at_least(κ * (1 - δ) / δ) / self.log_r
        realizable = self.terms.regime == "realizable"
        brought = self.chance(log(κ * max(n, 1)), n - 1, alpha, max(0.0, -T) + (0 if realizable else 1))
        if realizable:  # if both constants are bad, one of them errs on half of the records or more
            constants = sum(missed_point(n, error, max(0.0, T), self.log_r) for error in (alpha, max(alpha, 0.5)))
        else:
            constants = self.chance(log(2), n, alpha, max(0.0, T))
        return min(1.0, brought + constants)
