"""What a dimension is here: a number, a witness that proves it is not smaller, and a reason why it is not larger.

Throughout this file
    d      the claimed lower bound; a witness proves it to anyone who can evaluate concepts on points
    heap   the nodes of a complete binary tree in rows: node i has the children 2i + 1 (label 0) and 2i + 2 (label 1)

Main declarations
    Dimension            bounds, witness, reason
    ShatteredSet         d points on which all 2^d patterns occur: VC ≥ d
    MistakeTree          a tree of points all of whose 2^d paths are realised: Littlestone ≥ d
    ThresholdSequence    points x₁ … x_d and concepts c₁ … c_d with c_i(x_j) = 1 iff i ≤ j: threshold ≥ d
    closed_form          what a class that is given by a rule knows about itself
    verify               does the witness prove the lower bound? (shares no code with any search)
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from privpac.classes.base import ConceptClass, Labels
from privpac.classes.explicit import ExplicitClass, explicit


class Witness(Protocol):
    """Points and concepts whose labels prove a bound on the dimension of its ``kind``.

    ``bound`` says which one: "lower", or "upper" for irreducibility.
    """

    kind: ClassVar[str]
    bound: ClassVar[str]

    @property
    def value(self) -> int:
        """The bound that the witness claims to prove."""

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether the labels are as claimed."""


@dataclass(frozen=True)
class Dimension:
    """A dimension between ``lower``, proved by ``witness``, and ``upper``, for the stated ``reason``.

    For irreducibility it is the upper bound that the witness proves.

    >>> print(Dimension("Littlestone", 14, 15, None, "time limit"))
    Littlestone dimension between 14 and 15 (time limit)
    """

    kind: str
    lower: int | float
    upper: int | float
    witness: Any
    reason: str

    @property
    def exact(self) -> bool:
        """Whether the bounds meet."""
        return self.lower == self.upper

    @property
    def value(self) -> int | float:
        """The dimension; ValueError if only bounds are known."""
        if not self.exact:
            raise ValueError(f"only bounds are known: {self}; allow more time, or use lower and upper")
        return self.lower

    def __str__(self) -> str:
        number = f"{self.lower}" if self.exact else f"between {self.lower} and {self.upper}"
        kind = self.kind if self.kind == "irreducibility" else f"{self.kind} dimension"
        return f"{kind} {number} ({self.reason})"


@dataclass(frozen=True)
class ShatteredSet:
    """Points on which all patterns occur; concept i has on point j the j-th highest bit of i."""

    kind: ClassVar[str] = "VC"
    bound: ClassVar[str] = "lower"

    points: tuple[Hashable, ...]
    concepts: tuple[Hashable, ...]

    @property
    def value(self) -> int:
        """The number of points; −1 for the empty class, which has no pattern on no points."""
        return len(self.points) if self.concepts else -1

    def __str__(self) -> str:
        return f"all {len(self.concepts)} patterns occur on {_list(self.points) or 'no points'}"

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether concept i has the pattern i."""
        d = len(self.points)
        if len(self.concepts) not in (0, 2**d):
            return False
        wanted = [[i >> (d - 1 - j) & 1 for j in range(d)] for i in range(len(self.concepts))]
        return bool(_labels(concept_class, self.concepts, self.points).tolist() == wanted)


@dataclass(frozen=True)
class MistakeTree:
    """A complete tree of points, as a heap, and its realised paths: concept i follows the bits of i, highest first."""

    kind: ClassVar[str] = "Littlestone"
    bound: ClassVar[str] = "lower"

    points: tuple[Hashable, ...]
    concepts: tuple[Hashable, ...]

    @property
    def value(self) -> int:
        """The depth; −1 for the empty class."""
        return len(self.concepts).bit_length() - 1

    def __str__(self) -> str:
        if not self.points:
            return f"{len(self.concepts)} concept, no tree"
        levels = [self.points[2**level - 1 : 2 ** (level + 1) - 1] for level in range(min(self.value, 4))]
        rest = f", … {self.value} levels" if self.value > len(levels) else ""
        return "a tree of points, level by level: " + " | ".join(map(_list, levels)) + rest

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether every concept has, along its path, the labels that lead to it."""
        d = self.value
        if len(self.points) != max(0, 2**d - 1) or len(self.concepts) not in (0, 2**d):
            return False
        rows = concept_class.rows(self.concepts)
        columns = concept_class.columns(self.points)
        node = np.zeros(len(rows), dtype=int)
        for level in range(d):
            label = np.arange(len(rows)) >> (d - 1 - level) & 1
            if (concept_class.matrix[rows, columns[node]] != label).any():
                return False
            node = 2 * node + 1 + label
        return True


@dataclass(frozen=True)
class ThresholdSequence:
    """Points and concepts in two orders such that concept i is 1 on point j iff i ≤ j."""

    kind: ClassVar[str] = "threshold"
    bound: ClassVar[str] = "lower"

    points: tuple[Hashable, ...]
    concepts: tuple[Hashable, ...]

    @property
    def value(self) -> int:
        """The length of the sequences."""
        return len(self.points)

    def __str__(self) -> str:
        return f"points {_list(self.points)} against concepts {_list(self.concepts)}" if self.points else "nothing"

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether the labels are 1 on and above the diagonal and 0 below it."""
        d = len(self.points)
        wanted = np.triu(np.ones((d, d), dtype=bool))
        return len(self.concepts) == d and bool((_labels(concept_class, self.concepts, self.points) == wanted).all())


def closed_form(concept_class: Any, kind: str) -> Dimension | None:
    """The dimension of a class that is given by a rule, if it is known; there is no witness then, but a theorem."""
    known = concept_class.known(kind) if isinstance(concept_class, ConceptClass) else None
    return None if known is None else Dimension(kind, known.value, known.value, None, known.why)


def verify(concept_class: Any, dimension: Dimension) -> bool:
    """Whether the witness proves its bound: that the dimension is at least ``dimension.lower``.

    For irreducibility, that it is at most ``dimension.upper``. The other bound, by exhaustive search or by a theorem,
    has no witness.

    >>> c = ExplicitClass([[0, 0], [0, 1], [1, 1]])
    >>> verify(c, Dimension("VC", 1, 1, ShatteredSet((0,), (0, 2)), "search"))
    True
    >>> verify(c, Dimension("VC", 2, 2, ShatteredSet((0, 1), (0, 1, 2)), "search"))
    False
    """
    witness, c = dimension.witness, explicit(concept_class)
    if witness is None or witness.kind != dimension.kind or witness.value != getattr(dimension, witness.bound):
        return False
    named = set(witness.points) <= set(c.all_points) and set(witness.concepts) <= {*c.concepts, *c.twins}
    return named and bool(witness.holds_in(c))


def _list(names: tuple[Hashable, ...], shown: int = 12) -> str:
    return ", ".join(map(str, names[:shown])) + (f", … ({len(names)})" if len(names) > shown else "")


def _labels(concept_class: ExplicitClass, concepts: tuple[Hashable, ...], points: tuple[Hashable, ...]) -> Labels:
    return concept_class.matrix[concept_class.rows(concepts)][:, concept_class.columns(points)]
