"""Everything that one release costs, as one algorithm.

proof: docs/proofs/measured_certificate.md

Main declarations
    Releasing    answers to all queries and, where their bounds are not certain, a measured certificate
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

from privpac.classes.base import ConceptClass
from privpac.data.refusal import Refused
from privpac.learners.conditions import Conditions
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.mechanisms.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget
from privpac.privacy.groups import PerUnit, per_unit
from privpac.privacy.ledger import Mechanism, Records
from privpac.release.answers import Answers
from privpac.release.choice import sanitizer
from privpac.release.sanitizer import Sanitizer

LEAST_PART = Fraction(
    1, 10**11
)  # what answers, and their certificate, cost per record; noise then fits machine integers


@dataclass(frozen=True)
class Releasing(Algorithm):
    """Answers, then the measured gap of these very answers at the cost ``certifying``; ``k`` records per unit count."""

    sanitizer: Sanitizer
    certifying: Budget  # per record; zero if nothing is measured
    k: int = 1
    theorem: ClassVar[str] = "composition, Theorem 1"

    @classmethod
    def of(cls, concept_class: ConceptClass, conditions: Conditions, method: str, certify: Fraction, n: int) -> Self:
        """A release of n records; a share ``certify`` of ε pays for the certificate, unless the bounds are certain."""
        terms = conditions.terms(n)
        whole = sanitizer(concept_class, terms, method)
        if whole.certain or not certify:
            return cls(whole, Budget(0), conditions.k)
        ε, δ = terms.cost.epsilon, terms.cost.delta
        if min(certify, 1 - certify) * ε < LEAST_PART:
            raise Refused.must(
                "certify", "leave at least 1e-11 of epsilon per record to the answers and to their bound"
            )
        answering = replace(terms, cost=Budget((1 - certify) * ε, δ))
        return cls(sanitizer(concept_class, answering, whole.name), Budget(certify * ε), conditions.k)

    @property
    def name(self) -> str:
        return self.sanitizer.name

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of answers and certificate together, per record or per unit."""
        return per_unit(self.sanitizer.cost, self.k) + per_unit(self.certifying, self.k)

    def least_gap(self, n: int) -> Fraction | None:
        """A lower bound on the error of every release that costs as much as answers and certificate together."""
        whole = self.sanitizer.cost + self.certifying
        return replace(self.sanitizer, terms=replace(self.sanitizer.terms, cost=whole)).least_gap(n)

    def run(self, records: Records, ask: Ask) -> tuple[Answers, int | None]:
        """The answers, and a bound on the error of all of them; None if it was not measured."""

        def per_unit_ask(mechanism: Mechanism, seen: Any) -> Any:
            return ask(PerUnit(mechanism, self.k) if self.k > 1 else mechanism, seen)

        answers = self.sanitizer.run(records, per_unit_ask)
        if not self.certifying.epsilon:
            return answers, None
        bound = per_unit_ask(MeasuredGap(self.certifying, self.sanitizer.terms.beta), records.see(answers.gap))
        return answers, min(bound, answers.farthest)
