"""A class together with public records, from which learners choose candidates or measure how good candidates are."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from privpac.classes.concept_class import ConceptClass, Known
from privpac.classes.hypothesis import Hypothesis, Value
from privpac.data.domains.domain import Domain


@dataclass(frozen=True)
class PublicRecords:
    """Records without labels that anyone may see. Different records have different digests."""

    number: int
    digest: str = field(default="", repr=False)
    points: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # () if only their number is known

    @staticmethod
    def of(points: Iterable[Hashable], codes: Iterable[Any] | None = None) -> PublicRecords:
        """These records, in an order that depends on their values alone: the order of a hash, not the given one.

        Records with equal ``codes`` count as equal, such as 1 and 1.0; without codes, records with equal ``repr``.
        """
        points = list(points)
        texts = list(map(_text, points if codes is None else codes))
        by_text = sorted(range(len(points)), key=lambda i: (texts[i], i))
        digest = hashlib.sha256("\n".join(texts[i] for i in by_text).encode()).hexdigest()
        order = sorted(range(len(points)), key=lambda rank: hashlib.sha256(f"{digest} {rank}".encode()).digest())
        return PublicRecords(len(points), digest, tuple(points[by_text[rank]] for rank in order))

    @cached_property
    def distinct(self) -> tuple[Any, ...]:
        """The records, each once."""
        return tuple(dict.fromkeys(self.points))


def _text(value: Any) -> str:
    """A value as text that is the same in every process; the repr of a set is not."""
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    return f"({', '.join(map(_text, value))})" if isinstance(value, tuple | list) else repr(value)


@dataclass(frozen=True)
class WithPublic(ConceptClass):
    """The concepts of ``concept_class``, and public records on its domain."""

    concept_class: ConceptClass
    public: PublicRecords

    def __str__(self) -> str:
        return f"{self.concept_class} with {self.public.number} public records"

    @property
    def size(self) -> int | float:
        return self.concept_class.size

    @property
    def domain(self) -> Domain:
        return self.concept_class.domain

    def known(self, kind: str) -> Known | None:
        return self.concept_class.known(kind)

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        return list(self.concept_class.representatives(points))
