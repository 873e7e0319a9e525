"""Oracles of classes that intersections leave closed, on domains of any size: sets of few values, and flats.

Throughout this file
    closed   a closed set is a finite set of values, or a flat, or ∅; intersections of concepts are closed. The join of
             two closed sets is the least closed set that contains both
    rank     the number of points that it takes to span a closed set; concepts have ranks up to the dimension
    hull     the join of the points with label 1     barred   joins of the hull and a point with label 0
    state    a version space                         σ        SOA of a state: the hull

The domain counts as infinite, and so does the dimension of the space of flats. So however many points have the label 0,
some point can still be added to the hull, and no state can be reduced. A learner of this class also learns its concepts
on a finite domain. The proofs: docs/proofs/ggkm21.md, Sets and flats of any domain.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import inf
from typing import Any, NamedTuple

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.points import OneOf, SparseSets
from privpac.classes.vectors.subspaces import AffineSubspace, AffineSubspaces

MOST_BITS = 64  # numbers of closed sets beyond 2^64 count as infinite
Closed = Any  # a closed set, as its class represents it: a frozenset of values, or a flat, None for ∅


class Part(NamedTuple):
    """The points of a part with label 1, and those with label 0."""

    ones: tuple[Hashable, ...] = ()
    zeros: tuple[Hashable, ...] = ()


@dataclass(frozen=True)
class VersionSpace:
    """The concepts that contain ``hull`` and none of ``barred``; it is empty if the hull is barred itself.

    >>> F = SetOracle(SparseSets(2))
    >>> F.restrict(F.everything, 3, True) & F.restrict(F.everything, 5, True) == F.version_space((3, 5), (7,))
    True
    """

    oracle: ClosureOracle
    hull: Closed
    barred: frozenset[Closed] = frozenset()

    def __bool__(self) -> bool:
        return self.hull not in self.barred

    def __and__(self, state: VersionSpace) -> VersionSpace:
        """The intersection, in the only form that equal version spaces have.

        Each barred set has a rank one above that of the hull. Above a hull of the largest rank, there are none.
        """
        F, hull = self.oracle, self.oracle.join(self.hull, state.hull)
        barred = frozenset(F.join(hull, closed) for closed in self.barred | state.barred)
        if F.rank(hull) > F.dimension or hull in barred:
            return F.nothing
        return VersionSpace(F, hull, barred if F.rank(hull) < F.dimension else frozenset())


@dataclass(frozen=True)
class ClosureOracle(ABC):
    """The common part of both oracles. They know the concepts that fit examples, but not those that err on a few."""

    concept_class: ConceptClass

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The rank of the largest concepts, which is the Ldim of the whole class."""

    @property
    @abstractmethod
    def parts(self) -> int | float:
        """The most closed sets other than ∅ that a concept may contain, itself included; ∞ beyond 2^64."""

    @property
    @abstractmethod
    def bottom(self) -> Closed:
        """∅, the least closed set."""

    @abstractmethod
    def points(self, xs: Sequence[Any]) -> list[Hashable]:
        """Points as the class reads them."""

    @abstractmethod
    def hull(self, points: Sequence[Any]) -> Closed:
        """The least closed set that contains ``points``; if its rank is too large, a part whose rank is too large."""

    @abstractmethod
    def inside(self, closed: Closed, points: Sequence[Any]) -> list[bool]:
        """Which points lie in a closed set."""

    @abstractmethod
    def join(self, first: Closed, second: Closed) -> Closed:
        """The least closed set that contains both."""

    @abstractmethod
    def rank(self, closed: Closed) -> int:
        """The rank of a closed set; 0 for ∅."""

    @abstractmethod
    def rule(self, closed: Closed) -> Hypothesis:
        """The rule that is true on exactly this closed set."""

    @property
    def everything(self) -> VersionSpace:
        """The whole class."""
        return VersionSpace(self, self.bottom)

    @property
    def nothing(self) -> VersionSpace:
        """The empty sub-class."""
        return VersionSpace(self, self.bottom, frozenset([self.bottom]))

    def version_space(self, ones: Sequence[Hashable], zeros: Sequence[Hashable]) -> VersionSpace:
        """The concepts that contain all ``ones`` and none of ``zeros``."""
        hull = self.hull(ones)
        if self.rank(hull) > self.dimension or any(self.inside(hull, zeros)):
            return self.nothing
        if self.rank(hull) == self.dimension:
            return VersionSpace(self, hull)
        return VersionSpace(self, hull, frozenset(self.join(hull, self.hull([x])) for x in zeros))

    def restrict(self, state: VersionSpace, x: Hashable, y: bool, /) -> VersionSpace:
        """The concepts of ``state`` with label ``y`` on ``x``."""
        points = self.points([x])
        return state & (self.version_space(points, ()) if y else self.version_space((), points))

    def ldim(self, state: VersionSpace, /) -> int:
        """Ldim(state): how many more points the hull can be joined with; −1 if it is empty."""
        return self.dimension - self.rank(state.hull) if state else -1

    def soa(self, state: VersionSpace, /) -> Hypothesis:
        """σ, the hull."""
        if not state:
            raise ValueError("a class without concepts has no SOA hypothesis; give at least one concept")
        return self.rule(state.hull)

    def reducing_set(self, state: VersionSpace, k: int, /) -> None:
        """None: every state is k-irreducible."""
        return

    def part(self, examples: Sequence[tuple[Any, bool]], /) -> Part:
        """The points of these examples by their labels, without repetitions."""
        points = self.points([x for x, _ in examples])
        ones, zeros = ([x for x, (_, y) in zip(points, examples, strict=True) if y == label] for label in (True, False))
        return Part(tuple(dict.fromkeys(ones)), tuple(dict.fromkeys(zeros)))

    def low_errors(self, part: Part, shares: Iterable[Fraction], /) -> dict[Fraction, VersionSpace]:
        """F_{P̂, α}, the concepts that err on at most a share α of a part, for each α of ``shares``.

        ValueError for 0 < α < 1, where these concepts are not a version space.
        """
        fitting = self.version_space(*part)

        def low_error(α: Fraction) -> VersionSpace:
            if 0 < α < 1:
                raise ValueError("concepts that err rarely are not known; leave out plan, and use tight constants")
            if α >= 1 or part == Part():
                return self.everything
            return self.nothing if α < 0 else fitting

        return {α: low_error(α) for α in shares}


@dataclass(frozen=True)
class SetOracle(ClosureOracle):
    """The oracle of the sets of at most k values; values are read as the class says.

    >>> F = SetOracle(SparseSets(2, 2**64))
    >>> state = F.restrict(F.restrict(F.everything, 3, True), 5, False)
    >>> F.ldim(state), str(F.soa(state)), F.reducing_set(state, 10**6), F.ldim(F.restrict(state, 5, True))
    (1, 'x = 3', None, -1)
    >>> part = F.part([(3, True), (3, True), (8, False)])
    >>> [str(F.soa(G)) for G in F.low_errors(part, [Fraction(0), Fraction(1)]).values()], F.parts
    (['x = 3', 'never'], 3)
    """

    concept_class: SparseSets

    @property
    def dimension(self) -> int:
        return self.concept_class.k

    @property
    def parts(self) -> int | float:
        return 2**self.dimension - 1 if self.dimension <= MOST_BITS else inf

    @property
    def bottom(self) -> frozenset[Hashable]:
        return frozenset()

    def points(self, xs: Sequence[Any]) -> list[Hashable]:
        return list(self.concept_class.encode(xs).tolist())

    def hull(self, points: Sequence[Hashable]) -> frozenset[Hashable]:
        return frozenset(points)

    def inside(self, closed: frozenset[Hashable], points: Sequence[Hashable]) -> list[bool]:
        return [x in closed for x in points]

    def join(self, first: frozenset[Hashable], second: frozenset[Hashable]) -> frozenset[Hashable]:
        return first | second

    def rank(self, closed: frozenset[Hashable]) -> int:
        return len(closed)

    def rule(self, closed: frozenset[Hashable]) -> OneOf:
        return OneOf(closed)


@dataclass(frozen=True)
class FlatOracle(ClosureOracle):
    """The oracle of the affine subspaces up to some dimension, in a space of any dimension.

    >>> F = FlatOracle(AffineSubspaces(p=2, n=256, dim=1))
    >>> zero, one = (0,) * 256, (1,) * 256
    >>> state = F.restrict(F.restrict(F.everything, zero, True), one, False)
    >>> F.ldim(state), F.soa(state)([zero, one]).tolist(), F.ldim(F.restrict(state, one, True)), F.parts
    (1, [True, False], -1, 3)
    """

    concept_class: AffineSubspaces

    @property
    def dimension(self) -> int:
        return self.concept_class.dim + 1

    @property
    def parts(self) -> int | float:
        p, dim = self.concept_class.p, self.concept_class.dim
        if dim * (p.bit_length() - 1) > MOST_BITS:  # its points alone are more than 2^64
            return inf
        return AffineSubspaces(p, dim, dim).size if dim else 1

    @property
    def bottom(self) -> None:
        return None

    def points(self, xs: Sequence[Any]) -> list[Hashable]:
        return list(map(tuple, self.concept_class.domain.points(xs).tolist()))

    def hull(self, points: Sequence[Any]) -> AffineSubspace | None:
        flat: AffineSubspace | None = None
        while points and self.rank(flat) <= self.dimension:
            flat = self.join(flat, AffineSubspace(self.concept_class.p, points[0]))
            points = [x for x, inside in zip(points, self.inside(flat, points), strict=True) if not inside]
        return flat

    def inside(self, closed: AffineSubspace | None, points: Sequence[Any]) -> list[bool]:
        return [False] * len(points) if closed is None or not points else list(closed(list(points)).tolist())

    def join(self, first: AffineSubspace | None, second: AffineSubspace | None) -> AffineSubspace | None:
        if first is None or second is None:
            return second if first is None else first
        origin = second.origin
        spanning = [origin, *(tuple(a + b for a, b in zip(origin, row, strict=True)) for row in second.basis)]
        return reduce(AffineSubspace.join, spanning, first)

    def rank(self, closed: AffineSubspace | None) -> int:
        return 0 if closed is None else closed.dimension + 1

    def rule(self, closed: AffineSubspace | None) -> Hypothesis:
        return Constant(False) if closed is None else closed
