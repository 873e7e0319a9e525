"""The contract of a sanitizer: an algorithm that answers all queries of a class privately.

Main declarations
    Sanitizer    ``run`` is its pseudo-code
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Self

from privpac.classes.base import ConceptClass
from privpac.data.domain import Domain
from privpac.learners.algorithm import Terms
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.release.answers import Answers


@dataclass(frozen=True)
class Sanitizer(Algorithm):
    """An algorithm that answers all queries of ``concept_class`` on the given ``terms``."""

    concept_class: ConceptClass
    terms: Terms

    kinds: ClassVar[tuple[type[ConceptClass], ...]]  # the types of classes it answers, all or some of each
    title: ClassVar[str]  # its name for people
    theorem: ClassVar[str]  # of its privacy, in docs/proofs
    pure: ClassVar[bool] = False  # it spends no δ
    by_cells: ClassVar[bool] = False  # it sees only counts of public cells, so records may stay in an engine
    certain: ClassVar[bool] = False  # its answers have bounds that always hold, so none is measured

    @classmethod
    def answers(cls, concept_class: ConceptClass) -> bool:
        """Whether this algorithm answers the queries of the class."""
        return isinstance(concept_class, cls.kinds)

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        """The algorithm for a class; None if it does not answer its queries, or needs δ > 0 and δ = 0."""
        if not cls.answers(concept_class) or not (cls.pure or terms.cost.delta):
            return None
        return cls(concept_class, replace(terms, cost=Budget(terms.cost.epsilon)) if cls.pure else terms)

    @abstractmethod
    def run(self, records: Records, ask: Ask) -> Answers:
        """The algorithm; every ``ask(mechanism, records.see(view))`` is a release."""

    @property
    def name(self) -> str:
        """Its name as a ``method``."""
        return type(self).__name__

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The privacy cost of the answers, per record."""
        return self.terms.cost

    @property
    def domain(self) -> Domain:
        """How records are read."""
        return self.concept_class.domain

    def least_gap(self, n: int) -> Fraction | None:
        """A lower bound, as a fraction of n records, on the error of every private release; None if none is known."""
        return None

    def known_gap(self, n: int) -> int | None:
        """How many of n records every answer is off by at most, except with probability β; known before any is read.

        None if nothing is proved: the error is then known only as measured.
        """
        return None
