"""Everything that one fit releases, as one algorithm.

Main declarations
    Fit    a rule and, on held-out records, an estimate of its error
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.data.refusal import Refused
from privpac.learners.algorithm import Learner
from privpac.learners.conditions import Conditions
from privpac.learners.error import ErrorEstimate, error_estimate
from privpac.learners.instead import wider
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.privacy.budget import Budget
from privpac.privacy.groups import PerUnit, per_unit
from privpac.privacy.ledger import Mechanism, Records
from privpac.privacy.parts import largest


@dataclass(frozen=True)
class Fit(Algorithm):
    """A rule and, if records are held out, an estimate of its error; up to ``k`` records of a unit are learned from."""

    learner: Learner
    telling: Budget
    k: int = 1
    theorem: ClassVar[str] = "composition, Theorem 1"

    @classmethod
    def of(cls, kind: type[Learner], concept_class: ConceptClass, conditions: Conditions, n: int = 1) -> Self:
        """A fit of n records by this algorithm; ValueError if it does not learn the class."""
        learner = kind.for_class(concept_class, conditions.terms(n))
        if learner is None:
            other = f"{kind.__name__} does not learn this class; choose one from the table in docs/guide/learners.md"
            raise Refused("kind", other)
        return cls(learner, conditions.telling, conditions.k)

    @property
    def name(self) -> str:
        return self.learner.name

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of rule and estimate together, per record or per unit; each pays for one of the two."""
        return largest(per_unit(self.learner.cost, self.k), self.telling)

    def run(self, records: Records, ask: Ask, held: Records | None = None) -> tuple[Hypothesis, ErrorEstimate | None]:
        """Learn from ``records``, and measure the error on those that are ``held`` out: one of each unit."""

        def per_unit_ask(mechanism: Mechanism, seen: Any) -> Any:
            return ask(PerUnit(mechanism, self.k) if self.k > 1 else mechanism, seen)

        rule, terms = self.learner.run(records, per_unit_ask), self.learner.terms
        if held is None:
            return rule, None
        void, more = terms.on_invalid != "raise", wider(self.learner.concept_class)
        return rule, error_estimate(rule, self.telling, terms.beta, held, ask, void=void, wider=more)
