"""Everything that one fit releases, as one algorithm; and what it would cost and promise, before it reads a record."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.learners.algorithm import Learner
from privpac.learners.alternatives import wider
from privpac.learners.error import ErrorEstimate, error_estimate
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.privacy.accounting.units import PerUnit, per_unit
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Mechanism, Records
from privpac.privacy.parts import largest
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import Conditions


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
        return cls(learner.for_records(conditions.sizes(n).learned), conditions.telling, conditions.k)

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


@dataclass(frozen=True)
class Preview:
    """A fit of ``n`` records that has not happened; everything here is public.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.learners.classifier import PrivateClassifier
    >>> ahead = PrivateClassifier(Thresholds(0, 120), epsilon=1, report_error=True).preview(5000)
    >>> print(ahead.learner, ahead.cost, ahead.learned, ahead.held, sep="; ")
    PureThresholdLearner; ε = 1; 4000; 1000
    """

    n: int
    learner: str  # the name that ``method`` takes
    title: str  # what it does
    cost: Budget  # per record, or per unit
    learned: int  # how many records the rule is learned from
    held: int  # how many other records measure its error
    protected: int  # how many records or units are protected
    utility: Utility | None = None

    @classmethod
    def of(cls, fit: Fit, conditions: Conditions, n: int) -> Preview:
        """The preview of a fit. With units, rounding leaves a little of δ unspent; the account must hold all of it."""
        learner, sizes = fit.learner, conditions.sizes(n)
        cost = conditions.price_ahead(n, learner.cost)
        utility = learner.utility(sizes.learned) if fit.k == 1 else None
        return cls(n, learner.name, learner.described, cost, sizes.learned, sizes.held, n // conditions.k, utility)

    @property
    def delta_n(self) -> Fraction:
        """How many of the records or units δ allows to be revealed outright, on average."""
        return self.cost.delta * self.protected
