"""Witnesses: points and concepts whose labels prove a bound, to anyone who can evaluate concepts on points.

Throughout this file
    d      the bound that a witness proves; ``kind`` is its dimension, and ``bound`` says whether it is lower or upper
    heap   the nodes of a complete binary tree in rows: node i has the children 2i + 1 (label 0) and 2i + 2 (label 1)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, explicit
from privpac.classes.hypothesis import Labels
from privpac.dimensions.dimension import Dimension


@dataclass(frozen=True)
class ShatteredSet:
    """Points on which all patterns occur; the labels of concept i are the bits of i, the highest first."""

    kind: ClassVar[str] = "VC"
    bound: ClassVar[str] = "lower"

    points: tuple[Hashable, ...]
    concepts: tuple[Hashable, ...]

    @property
    def value(self) -> int:
        """The number of points; −1 for the empty class, which has no pattern on no points."""
        return len(self.points) if self.concepts else -1

    def __str__(self) -> str:
        if not self.points:
            return "there is a concept" if self.concepts else "no concept"
        return f"all {len(self.concepts)} patterns occur on {_list(self.points)}"

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether concept i has the pattern i."""
        d = len(self.points)
        if len(self.concepts) not in (0, 2**d):
            return False
        patterns = [[i >> (d - 1 - j) & 1 for j in range(d)] for i in range(len(self.concepts))]
        return bool(_labels(concept_class, self.concepts, self.points).tolist() == patterns)


@dataclass(frozen=True)
class MistakeTree:
    """A complete tree of points, as a heap, and a concept for each path: concept i has the bits of i, highest first."""

    kind: ClassVar[str] = "Littlestone"
    bound: ClassVar[str] = "lower"

    points: tuple[Hashable, ...]
    concepts: tuple[Hashable, ...]

    @property
    def value(self) -> int:
        """The depth; −1 for the empty class."""
        return len(self.concepts).bit_length() - 1

    @property
    def complete(self) -> bool:
        """Whether it has all 2^d − 1 points and 2^d concepts of a tree of depth d, or is empty."""
        return len(self.concepts) == len(self.points) + 1 == 2**self.value or not (self.points or self.concepts)

    def __str__(self) -> str:
        if not self.points:
            return "a single concept" if self.concepts else "no concept"
        levels = [self.points[2**level - 1 : 2 ** (level + 1) - 1] for level in range(min(self.value, 4))]
        ending = f", … {self.value} levels" if self.value > len(levels) else ""
        return "a tree of points, level by level: " + " | ".join(map(_list, levels)) + ending

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether every concept has, along its path, the labels that lead to it."""
        d = self.value
        if not self.complete:
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
    """Points and concepts, ordered so that concept i is 1 on point j iff i ≤ j."""

    kind: ClassVar[str] = "threshold"
    bound: ClassVar[str] = "lower"

    points: tuple[Hashable, ...]
    concepts: tuple[Hashable, ...]

    @property
    def value(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        return f"points {_list(self.points)} against concepts {_list(self.concepts)}" if self.points else "nothing"

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether the labels are 1 on and above the diagonal and 0 below it."""
        d = len(self.points)
        if len(self.concepts) != d or d > min(concept_class.matrix.shape):
            return False
        triangle = np.triu(np.ones((d, d), dtype=bool))
        return bool((_labels(concept_class, self.concepts, self.points) == triangle).all())


@dataclass(frozen=True)
class ReducingSet:
    """A reducing set a₁ … a_k with the labels σ(a₁) … σ(a_k), for a class with Ldim ≥ ``dimension``.

    It proves an *upper* bound: all k + 1 rows of its array leave Ldim < ``dimension``. They are the leaves of a tree of
    depth k, so that the class is not k-irreducible, and κ ≤ k − 1.
    """

    kind: ClassVar[str] = "irreducibility"
    bound: ClassVar[str] = "upper"
    concepts: ClassVar[tuple[Hashable, ...]] = ()  # it names no concepts

    points: tuple[Hashable, ...]
    labels: tuple[bool, ...]
    dimension: int

    @property
    def value(self) -> int:
        """The upper bound on κ that the set proves."""
        return len(self.points) - 1

    def __str__(self) -> str:
        return ", ".join(f"{point} = {label:d}" for point, label in zip(self.points, self.labels, strict=True))

    @property
    def array(self) -> tuple[tuple[bool, ...], ...]:
        """The reducing array [GGKM21, Def. 4.3]: k rows (σ(a₁) … σ(a_{j−1}), not σ(a_j)), and (σ(a₁) … σ(a_k)).

        >>> ReducingSet(("p", "q"), (False, False), 1).array
        ((True,), (False, True), (False, False))
        """
        leaves = [(*self.labels[:j], not label) for j, label in enumerate(self.labels)]
        return (*leaves, self.labels)

    def holds_in(self, concept_class: ExplicitClass) -> bool:
        """Whether the class has Ldim ≥ ``dimension`` and every row of the array leaves less, by the definition of Ldim.

        No short proof of "less" is known, so this searches again, without any of the code that found the set.
        """
        # A set of concepts is an integer: bit i says whether concept i is in it.
        everything = (1 << concept_class.size) - 1
        columns = [sum(1 << int(i) for i in np.flatnonzero(column)) for column in concept_class.matrix.T]
        columns_of_set = [columns[x] for x in concept_class.columns(self.points)]

        @cache
        def reaches(rows: int, k: int) -> bool:
            """Whether these concepts have Ldim ≥ k: some point splits them into two parts with Ldim ≥ k − 1."""
            if k == 0 or rows.bit_count() < 1 << k:
                return rows.bit_count() >= 1 << k
            return any(reaches(rows & ones, k - 1) and reaches(rows & ~ones, k - 1) for ones in columns)

        def leaf(labels: tuple[bool, ...]) -> int:
            """The concepts with these labels on the first points of the set."""
            rows = everything
            for ones, label in zip(columns_of_set, labels, strict=False):
                rows &= ones if label else ~ones
            return rows

        return (
            len(self.points) == len(self.labels)
            and self.dimension in range(1, concept_class.size.bit_length())
            and reaches(everything, self.dimension)
            and not any(reaches(leaf(labels), self.dimension) for labels in self.array)
        )


def verify(concept_class: ClassOrMatrix, dimension: Dimension) -> bool:
    """Whether the witness proves its bound: that the dimension is at least ``dimension.lower``.

    For irreducibility, that it is at most ``dimension.upper``. The other bound, by exhaustive search or by a theorem,
    has no witness.

    >>> c = ExplicitClass([[0, 0], [0, 1], [1, 1]])
    >>> verify(c, Dimension("VC", 1, 1, ShatteredSet((0,), (0, 2)), "search"))
    True
    >>> verify(c, Dimension("VC", 2, 2, ShatteredSet((0, 1), (0, 1, 2)), "search"))
    False
    """
    witness = dimension.witness
    if type(witness) not in (ShatteredSet, MistakeTree, ThresholdSequence, ReducingSet):
        return False
    c = explicit(concept_class)
    if witness.kind != dimension.kind or witness.value != getattr(dimension, witness.bound):
        return False
    is_known = _all_known(witness.points, c.all_points) and _all_known(witness.concepts, (*c.concepts, *c.twins))
    return is_known and bool(witness.holds_in(c))


def whole_tree(tree: object) -> MistakeTree:
    """``tree`` if it is a mistake tree with at least one concept; otherwise an error that says what to do."""
    if not isinstance(tree, MistakeTree):
        instead = "if a theorem answers instead, materialize() the class and ask again"
        raise TypeError(f"expected a mistake tree, the witness of a Littlestone dimension; {instead}")
    if not tree.complete or not tree.concepts:
        raise ValueError("a mistake tree needs 2^d concepts and 2^d − 1 points; an empty class has no mistake tree")
    return tree


def _all_known(names: Iterable[Any], known: Iterable[Hashable]) -> bool:
    known_names = set(known)
    try:
        return all(name in known_names for name in names)
    except TypeError:  # an unhashable value is not a name
        return False


def _list(names: tuple[Hashable, ...], most: int = 12) -> str:
    return ", ".join(map(str, names[:most])) + (f", … ({len(names)})" if len(names) > most else "")


def _labels(concept_class: ExplicitClass, concepts: tuple[Hashable, ...], points: tuple[Hashable, ...]) -> Labels:
    return concept_class.matrix[concept_class.rows(concepts)][:, concept_class.columns(points)]
