"""The public terms of a request, and an algorithm for a class on these terms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from privpac.classes.base import ConceptClass
from privpac.data.domains.base import Domain
from privpac.mechanisms.algorithm import Algorithm
from privpac.privacy.budget import Budget
from privpac.refusals.option_words import InvalidRule, Regime


@dataclass(frozen=True)
class Terms:
    """The public terms on which a rule is learned.

    >>> Terms(Budget(1, 1e-6)).regime
    'agnostic'
    """

    cost: Budget  # of the rule, per record
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)
    regime: Regime = "agnostic"
    on_invalid: InvalidRule = "raise"
    units: bool = False  # whether units are protected instead of records
    random_state: int | None = None


@dataclass(frozen=True)
class ForClass(Algorithm):
    """An algorithm for ``concept_class`` on the given ``terms``."""

    concept_class: ConceptClass
    terms: Terms

    kinds: ClassVar[tuple[type[ConceptClass], ...]]  # the types of classes it is for, all or some of each
    title: ClassVar[str]  # its name for people
    theorem: ClassVar[str]  # in docs/proofs
    pure: ClassVar[bool] = False  # it spends no δ

    @classmethod
    def supports(cls, concept_class: ConceptClass) -> bool:
        """Whether this algorithm is for the class."""
        return isinstance(concept_class, cls.kinds) and cls._supports(concept_class)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        """Whether it is for this class, which is one of its ``kinds``."""
        return True

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        """The algorithm for a class; None if it does not support the class, or needs δ > 0 and δ = 0."""
        if not cls.supports(concept_class) or not (cls.pure or terms.cost.delta):
            return None
        return cls(concept_class, replace(terms, cost=Budget(terms.cost.epsilon)) if cls.pure else terms)

    @property
    def name(self) -> str:
        """Its name as a ``method``."""
        return type(self).__name__

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of what it releases, per record."""
        return self.terms.cost

    @property
    def domain(self) -> Domain:
        """How records are read: as the class says, unless the algorithm reads only some values."""
        return self.concept_class.domain
