"""What every algorithm that learns says of itself: its pseudo-code, and what is proved about it.

Throughout this room
    H      the concept class            n      how many records there are, public
    ε, δ   what the rule may cost, per record
    α, β   what a certificate says: with probability ≥ 1 − β the error is at most α (beyond that of the best rule of H,
           if labels may be noisy)

Main declarations
    Terms         what a rule is learned for: public numbers
    Learner       an algorithm that learns: ``run`` is its pseudo-code, ``failure`` its certificate
    Assumption    what most certificates assume
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.exact.smallest import smallest_upto
from privpac.learners.certificates.deviation import chance
from privpac.learners.universe import Universe
from privpac.mechanisms.adaptive import Algorithm, Ask
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Utility
from privpac.privacy.ledger import Records

MOST = 2**30  # certificates stop improving at this many records
TOLD = Fraction(1, 10**4)  # the least ε of a record for which errors are certified
FINENESS = 10_000  # certified errors are multiples of 1/FINENESS


class Assumption(StrEnum):
    """What most certificates assume. All other assumptions say which best rule is meant."""

    INDEPENDENT = "records are drawn independently from one distribution"
    UNITS = "units are drawn independently from one distribution, and one record of each counts"
    REALIZABLE = "some rule of the class makes no error"
    SUCH = "some such rule makes no error"
    FITTING = "errors are counted on records that fit the declared domain"


def is_usual(assumption: str) -> bool:
    """Whether most certificates assume it, as read from a model, say.

    >>> is_usual("some rule of the class makes no error"), is_usual("the moon is full")
    (True, False)
    """
    return assumption in list(Assumption)


@dataclass(frozen=True)
class Terms:
    """What a rule is learned for.

    >>> Terms(Budget(1, 1e-6)).regime
    'agnostic'
    """

    cost: Budget  # of the rule, per record
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)
    regime: str = "agnostic"
    on_invalid: str = "raise"
    units: bool = False  # whether units are protected, not records
    random_state: int | None = None


@dataclass(frozen=True)
class Learner(Algorithm):
    """An algorithm that learns a rule of ``concept_class`` on ``terms``."""

    concept_class: ConceptClass
    terms: Terms

    kinds: ClassVar[tuple[type[ConceptClass], ...]]  # the classes that it learns, or some of each
    title: ClassVar[str]  # what people call it
    theorem: ClassVar[str]  # of its certificate about errors, in docs/proofs; what it asks for has theorems of privacy
    proper: ClassVar[bool] = True  # its rules are rules of the class
    pure: ClassVar[bool] = False  # it spends no δ
    automatic: ClassVar[bool] = True  # a good first choice; the others are taken if nothing else is left
    audited: ClassVar[tuple[Universe, ...]]  # where its claims are tight

    @classmethod
    def learns(cls, concept_class: ConceptClass) -> bool:
        """Whether this algorithm learns this class, one of its kinds."""
        return isinstance(concept_class, cls.kinds)

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        """The algorithm for a class; None if it does not learn the class, or needs a δ and has none."""
        if not cls.learns(concept_class) or not (cls.pure or terms.cost.delta):
            return None
        return cls(concept_class, replace(terms, cost=Budget(terms.cost.epsilon)) if cls.pure else terms)

    @abstractmethod
    def run(self, records: Records, ask: Ask) -> Hypothesis:
        """The algorithm: ``ask(mechanism, records.see(view))`` is a release."""

    @abstractmethod
    def failure(self, n: int, alpha: float) -> float:
        """At least the probability that n records lead to an error beyond α; 1.0 where nothing is proved."""

    @property
    def name(self) -> str:
        """What ``method`` calls it."""
        return type(self).__name__

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """Of a rule, per record."""
        return self.terms.cost

    @property
    def log_r(self) -> float:
        """ln r, where r = e^(ε/2): each error more makes a rule r times less likely."""
        return float(self.cost.epsilon / 2)

    def chance(self, log_candidates: float, n: int, alpha: float, handicap: float = 0) -> float:
        """At least the probability that a rule errs beyond α, chosen among candidates by their errors alone."""
        return chance(log_candidates, handicap, n, alpha, self.log_r, self.terms.regime)

    @property
    def meant(self) -> tuple[str, ...]:
        """Among which rules the best is sought, where these are not all of the class."""
        return ()

    @property
    def besides(self) -> tuple[str, ...]:
        """What else the certificate assumes."""
        return ()

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the certificate assumes of records and labels."""
        exact = Assumption.SUCH if self.meant else Assumption.REALIZABLE
        return (
            Assumption.UNITS if self.terms.units else Assumption.INDEPENDENT,
            *self.meant,
            *([exact] if self.terms.regime == "realizable" else []),
            *([Assumption.FITTING] if self.terms.on_invalid != "raise" else []),
            *self.besides,
        )

    def certified_alpha(self, n: int, beta: Fraction | None = None) -> Fraction | None:
        """The least error that is certified for n records; None if none is, or only one that is close to 1."""
        β = float(self.terms.beta if beta is None else beta)
        if self.cost.epsilon < TOLD or n < 1:
            return None
        return _certified_alpha(self, min(n, MOST), β)

    def utility(self, n: int) -> Utility | None:
        """What is certified for n records."""
        α = self.certified_alpha(n)
        if α is None:
            return None
        return Utility(α, self.terms.beta, self.terms.regime, self.theorem, tuple(map(str, self.assumptions)))


@lru_cache(maxsize=64)
def _certified_alpha(learner: Learner, n: int, beta: float) -> Fraction | None:
    step = smallest_upto(FINENESS, lambda k: learner.failure(n, k / FINENESS) <= beta)
    return Fraction(step, FINENESS) if step is not None and step < FINENESS else None
