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
    """Records without labels that anyone may see. Their ``digest`` tells them apart from others."""

    number: int
    digest: str = field(default="", repr=False)
    points: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # () if only their number is known

    @staticmethod
    def of(points: Iterable[Hashable], codes: Iterable[Any] | None = None) -> PublicRecords:
        """These records, in an order that tells nothing: that of hashes, whatever the order in which they come.

        Records of equal ``codes`` are equal, such as 1 and 1.0; without codes, those that Python writes alike are.
        """
        points = list(points)
        keyed = sorted(zip(map(_text, points if codes is None else codes), range(len(points)), strict=True))
        digest = hashlib.sha256("\n".join(key for key, _ in keyed).encode()).hexdigest()
        places = sorted(range(len(points)), key=lambda i: hashlib.sha256(f"{digest} {i}".encode()).digest())
        return PublicRecords(len(points), digest, tuple(points[keyed[i][1]] for i in places))

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
