"""Affine subspaces over a prime field: small Littlestone dimension on a huge domain.

Throughout this file
    F      the field of p elements             k      the largest dimension of a subspace of the class
    lead   the first coordinate of a direction that is not 0
    W      the hull of the positive points, the least subspace that contains them; j its dimension
    N      the negative points                 V      the version space: concepts that contain W and miss N

Ldim V follows from the widest concept of V: if it has dimension k′, then Ldim V = k′ − j once there is a positive
point, and k′ + 1 before, unless at most k′ + 1 points are left outside N, in which case it is k′
(docs/proofs/dimensions.md, Affine subspaces; E-ABMS20-1). N makes no subspace impossible as long as it has fewer than
(p^(n−k+1) − 1)/(p − 1) points: then k′ = k.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from flint import fmpz

from privpac.classes.concept_class import Known
from privpac.classes.finite.patterns import PatternTable
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import Dim, Field, Length
from privpac.classes.vectors.vector_class import VectorClass, Vectors, coordinate_names
from privpac.data.domains.grid import Grid
from privpac.refusals.refusal import Refused

LARGEST_PRIME = 2**64  # testing a prime of thousands of digits, as from a foreign file, would take a long time
NOT_PRIME = "p must be a prime below 2^64"
LARGEST_SEARCHED = 2**12  # the most points of a space that is searched for the widest concept

Vector = tuple[int, ...]


class Equation(NamedTuple):
    """``constant`` plus the sum of factor · x[i], in the field; ``factors`` has the pairs (i, factor)."""

    constant: int
    factors: tuple[tuple[int, int], ...]

    def sentence(self, p: int, left: list[str], x: Mapping[int, str]) -> str:
        """The sentence that the names ``left`` equal this sum; ``x`` has the names of the coordinates in it.

        >>> Equation(1, ((0, 1), (2, 1))).sentence(2, ["b"], {0: "a", 2: "c"}), Equation(0, ()).sentence(3, ["b"], {})
        ('b = a ⊕ c ⊕ 1', 'b = 0')
        """
        if len(self.factors) == 1 and self.factors[0][1] == 1 and (p == 2 or not self.constant):
            name = x[self.factors[0][0]]
            return " = ".join([*left, f"not {name}"] if self.constant else [name, *left])
        terms = [x[i] if factor == 1 else f"{factor}·{x[i]}" for i, factor in self.factors]
        terms += [str(self.constant)] if self.constant or not terms else []
        total = (" ⊕ " if p == 2 else " + ").join(terms)
        return " = ".join([*left, total]) + (f" (mod {p})" if p > 2 and self.factors else "")


@dataclass(frozen=True)
class AffineSubspace(Hypothesis):
    """The points ``origin`` + span of ``basis`` over the field of ``p`` elements.

    Any directions are brought into canonical form: the basis is in reduced echelon form and the origin is 0 where
    the basis leads.

    >>> h = AffineSubspace(5, (3, 1), ((2, 4),))
    >>> print(h, h([(3, 1), (0, 1)]))
    x₂ = 2·x₁ (mod 5) [ True False]
    """

    p: int
    origin: Vector
    basis: tuple[Vector, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.origin or not all(len(row) == len(self.origin) for row in self.basis):
            raise ValueError("a subspace needs an origin, and directions of the same length")
        if self.p >= LARGEST_PRIME or not fmpz(self.p).is_prime():
            raise ValueError(NOT_PRIME)
        basis = _echelon(self.p, self.basis)
        object.__setattr__(self, "basis", basis)
        object.__setattr__(self, "origin", _reduced(self.p, self.origin, basis))

    @property
    def dimension(self) -> int:
        return len(self.basis)

    def __call__(self, column: Column, /) -> Labels:
        kind = np.int64 if self.p**2 * (self.dimension + 1) < 2**63 else object
        n = len(self.origin)
        directions = (Grid(0, self.p - 1, n).points(column).astype(kind) - np.array(self.origin, dtype=kind)) % self.p
        basis = np.array(self.basis, dtype=kind).reshape(-1, n)
        remainders = (directions - directions[:, [_lead(row) for row in self.basis]] @ basis) % self.p
        return np.asarray(~remainders.astype(bool).any(axis=1))  # 0 if the direction is in the span

    def join(self, x: Vector) -> AffineSubspace:
        """The smallest affine subspace that contains this one and the point ``x``."""
        direction = tuple(a - b for a, b in zip(x, self.origin, strict=True))
        return AffineSubspace(self.p, self.origin, (*self.basis, direction))

    @property
    def constant(self) -> bool | None:
        return True if self.dimension == len(self.origin) else None

    @property
    def equations(self) -> dict[Equation, list[int]]:
        """The right sides of the equations of the space, each with the positions of the coordinates that equal it."""
        free = [_lead(row) for row in self.basis]
        equations: dict[Equation, list[int]] = {}
        for i in sorted({*range(len(self.origin))} - {*free}):
            factors = tuple((lead, row[i]) for lead, row in zip(free, self.basis, strict=True) if row[i])
            equations.setdefault(Equation(self.origin[i], factors), []).append(i)
        return equations

    def sentence(self, *names: str) -> str:
        x = coordinate_names(names, len(self.origin))
        parts = [right.sentence(self.p, [x[i] for i in positions], x) for right, positions in self.equations.items()]
        return " and ".join(parts) or "always"


def _echelon(p: int, vectors: Iterable[Vector]) -> tuple[Vector, ...]:
    """The basis of the span of ``vectors`` in reduced echelon form, over the field of p elements."""
    basis: list[Vector] = []
    for vector in vectors:
        remainder = _reduced(p, vector, basis)
        if any(remainder):
            inverse = pow(remainder[_lead(remainder)], -1, p)
            row = tuple(inverse * x % p for x in remainder)
            basis = sorted([*(_reduced(p, earlier, [row]) for earlier in basis), row], key=_lead)
    return tuple(basis)


def _reduced(p: int, vector: Vector, basis: Iterable[Vector]) -> Vector:
    """``vector`` reduced to 0 in the leading positions of an echelon basis."""
    for row in basis:
        factor = vector[_lead(row)]
        vector = tuple((x - factor * b) % p for x, b in zip(vector, row, strict=True))
    return tuple(x % p for x in vector)


def _lead(row: Vector) -> int:
    """The position of the first coordinate that is not 0."""
    return next(i for i, x in enumerate(row) if x)


@dataclass(frozen=True)
class VersionSpace:
    """The concepts that contain ``hull``, if there is one, and none of ``negatives``."""

    hull: AffineSubspace | None = None
    negatives: frozenset[Vector] = frozenset()


@dataclass(frozen=True)
class AffineSubspaces(VectorClass):
    """The affine subspaces of F^n of dimension at most ``dim``, as sets of points; p is prime. ∅ does not belong.

    The oracle starts from ``VersionSpace()``.

    >>> flats = AffineSubspaces(p=2, n=256, dim=3)
    >>> flats.known("Littlestone").value
    4
    >>> zero, one = (0,) * 256, (1,) * 256
    >>> state = flats.restrict(flats.restrict(VersionSpace(), zero, True), one, False)
    >>> flats.ldim(state), flats.soa(state)([zero, one])
    (3, array([ True, False]))
    """

    shell_name: ClassVar[str] = "flats"
    p: int
    n: int
    dim: int

    @classmethod
    def from_shell(cls, length: Length, dim: Dim, field: Field = None) -> AffineSubspaces:
        p, n, k = 2 if field is None else field, length or 0, dim or 0
        if p >= LARGEST_PRIME or not fmpz(p).is_prime():
            raise Refused.must("field", "be a prime below 2^64, such as 2 for columns of bits")
        if n < 1:
            raise Refused.must("length", "be the number of columns, at least 1")
        if not 0 <= k <= n:
            raise Refused.must("dim", f"lie between 0 and {n}, the number of columns")
        return cls(p, n, k)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.p >= LARGEST_PRIME or not fmpz(self.p).is_prime():
            raise ValueError(NOT_PRIME)
        if not 0 <= self.dim <= self.n:
            raise ValueError(f"dim must be an integer from 0 to n = {self.n}")

    @property
    def domain(self) -> Grid:
        """F^n, its elements written 0 … p − 1."""
        return Grid(0, self.p - 1, self.n)

    @property
    def size(self) -> int:
        """The number of concepts: each linear subspace of dimension i ≤ dim has p^(n−i) translates."""
        total, linear = 0, 1  # linear: the number of linear subspaces of dimension i
        for i in range(self.dim + 1):
            total += self.p ** (self.n - i) * linear
            linear = linear * (self.p ** (self.n - i) - 1) // (self.p ** (i + 1) - 1)
        return total

    def known(self, kind: str) -> Known | None:
        """VC and Littlestone dimension: dim + 1; but 1 on the line of two points, because ∅ is not a concept."""
        value = 1 if (self.p, self.n) == (2, 1) else self.dim + 1
        return Known(value, "docs/proofs/dimensions.md, Affine subspaces") if kind in {"VC", "Littlestone"} else None

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The hulls of points of V, dimension by dimension, and one point outside V if there is one."""
        V = self.domain.points(points)
        check_matrix_size(min(self.size, sum(math.comb(len(V), i + 1) for i in range(self.dim + 1))), len(V))
        hulls = {AffineSubspace(self.p, tuple(x)): None for x in V.tolist()}
        level = list(hulls)
        for _ in range(self.dim):
            level = list(dict.fromkeys(wider for hull in level for wider in _extensions(hull, V)))
            hulls |= dict.fromkeys(level)
        rules: list[Hypothesis] = list(hulls)
        if len(V) < self.domain.size:
            codes = set(self.domain.encode(V).tolist())
            free_code = next(code for code in range(len(V) + 1) if code not in codes)
            rules.append(AffineSubspace(self.p, self.domain.decode(free_code)))
        return np.array([h(V) for h in rules]), rules

    def close(self, positives: Iterable[Value]) -> AffineSubspace | None:
        """The smallest concept that contains all of ``positives``; None if their hull has a larger dimension."""
        points = self.domain.points(list(positives)).tolist()
        if not points:
            raise ValueError("give at least one point: the hull of no points is empty, and no concept is")
        hull = AffineSubspace(self.p, tuple(points[0]))
        for x in points[1:]:
            hull = hull.join(tuple(x))
        return hull if hull.dimension <= self.dim else None

    def restrict(self, state: VersionSpace, x: Value, y: bool) -> VersionSpace | None:
        """The concepts of ``state`` that have the label ``y`` at ``x``; None if there are none."""
        (point,) = map(tuple, self.domain.points([x]).tolist())
        hull, negatives = state.hull, state.negatives
        if y:
            hull = hull.join(point) if hull else AffineSubspace(self.p, point)
        else:
            negatives |= {point}
        if hull is None:
            return VersionSpace(None, negatives) if len(negatives) < self.domain.size else None
        return VersionSpace(hull, negatives) if hull.dimension <= self.dim and _misses(hull, negatives) else None

    def ldim(self, state: VersionSpace) -> int:
        """The Littlestone dimension of a version space, exactly.

        If the negative points may exclude the widest concepts, this takes a search, which is refused in spaces of more
        than 4,096 points.
        """
        hull, negatives = state.hull, state.negatives
        if hull is not None:
            return self._largest_dimension(hull, negatives, {}) - hull.dimension
        if self._can_miss(len(negatives), self.n, self.dim):
            widest = self.dim
        else:
            memo: dict[AffineSubspace, int] = {}
            points = (AffineSubspace(self.p, x) for x in self._outside(negatives))
            widest = max(self._largest_dimension(point, negatives, memo) for point in points)
        points_left = self.domain.size - len(negatives)
        return widest + 1 if points_left > widest + 1 else widest

    def soa(self, state: VersionSpace) -> Hypothesis:
        """At each point the label that leaves the larger Littlestone dimension, 0 if both leave the same.

        That is the hull of the positive points. Before the first one it is "never", unless at most two points are left
        and form a concept: a point or, over the field of two elements, a line.
        """
        if state.hull is not None:
            return state.hull
        if self.domain.size - len(state.negatives) <= 2:
            hull = self.close(list(self._outside(state.negatives)))
            if hull is not None and _misses(hull, state.negatives):
                return hull
        return Constant(False)

    def _largest_dimension(
        self, hull: AffineSubspace, negatives: frozenset[Vector], memo: dict[AffineSubspace, int]
    ) -> int:
        """The dimension of the widest concept that contains ``hull`` and misses ``negatives``."""
        if self._can_miss(len(negatives), self.n - hull.dimension, self.dim - hull.dimension):
            return self.dim
        if hull not in memo:
            outside = np.array(list(self._outside(negatives)), dtype=object).reshape(-1, self.n)
            wider = [flat for flat in _extensions(hull, outside) if _misses(flat, negatives)]
            memo[hull] = max((self._largest_dimension(flat, negatives, memo) for flat in wider), default=hull.dimension)
        return memo[hull]

    def _can_miss(self, count: int, m: int, r: int) -> bool:
        """Whether, for any ``count`` points of F^m other than 0, a linear subspace of dimension r misses them all."""
        return r == 0 or count < (self.p ** (m - r + 1) - 1) // (self.p - 1)

    def _outside(self, negatives: frozenset[Vector]) -> Iterable[Vector]:
        """All points but ``negatives``; ValueError if the space is too large to list."""
        if self.domain.size > max(LARGEST_SEARCHED, len(negatives) + 2):
            search = "with this many negative points the dimension takes a search, and the space is too large for one"
            raise ValueError(f"{search}; use a space of at most {LARGEST_SEARCHED} points")
        points = map(self.domain.decode, range(self.domain.size))
        return (x for x in points if x not in negatives)


def _extensions(hull: AffineSubspace, V: Vectors) -> Iterable[AffineSubspace]:
    """The hulls of ``hull`` and one more point of V, each once."""
    covered = hull(V)
    while not covered.all():
        wider = hull.join(tuple(V[np.argmin(covered)].tolist()))
        covered |= wider(V)
        yield wider


def _misses(hull: AffineSubspace, points: frozenset[Vector]) -> bool:
    return not hull(list(points)).any()
