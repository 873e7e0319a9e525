"""The contract of a sanitizer: an algorithm that answers all queries of a class privately.

Main declarations
    Sanitizer    ``run`` is its pseudo-code
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from privpac.classes.base import ConceptClass
from privpac.data.held import RecordsInEngine
from privpac.learners.algorithm import ForClass
from privpac.mechanisms.adaptive import Ask
from privpac.privacy.ledger import Records
from privpac.release.answers import Answers


@dataclass(frozen=True)
class Sanitizer(ForClass):
    """An algorithm that answers all queries of ``concept_class``; ``theorem`` is that of its privacy."""

    certain: ClassVar[bool] = False  # its answers have bounds that always hold, so none is measured

    @classmethod
    def answers(cls, concept_class: ConceptClass) -> bool:
        """Whether this algorithm answers the queries of the class."""
        return isinstance(concept_class, cls.kinds)

    @classmethod
    def suits(cls, concept_class: ConceptClass) -> bool:
        return cls.answers(concept_class)

    @property
    def stays_as(self) -> type[RecordsInEngine] | None:
        """As what records may stay in an engine, because the algorithm sees only counts; None if they must arrive."""
        return None

    def how(self, n: int) -> str:
        """What it does with n records, in a few words."""
        return self.title

    @abstractmethod
    def run(self, records: Records, ask: Ask) -> Answers:
        """The algorithm; every ``ask(mechanism, records.see(view))`` is a release."""

    def beside_certificate(self, share: Fraction) -> tuple[Self, Fraction] | None:
        """This sanitizer with noise that leaves ``share`` of the whole to a certificate, and the latter's variance.

        None if its noise is not Gaussian: the costs of the answers and of their certificate are then added.
        """
        return None

    def least_gap(self, n: int) -> Fraction | None:
        """A lower bound, as a fraction of n records, on the error of every private release; None if none is known."""
        return None

    def known_gap(self, n: int) -> int | None:
        """How many of n records every answer is off by at most, except with probability β; known before any is read.

        None if nothing is proved: the error is then known only as measured.
        """
        return None
