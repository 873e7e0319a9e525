"""Half-planes and half-spaces on grids of integer points, in exact arithmetic.

Throughout this file
    d         the dimension of the space        a       the side of the grid {0 … a − 1}^d
    (w, b)    the half-space w·x ≥ b, with integers w and b
    V         n distinct points of ℤ^d, as an n × d array
    t         a direction of a line             v, s    the values w·x and t·x on V

On finitely many points, the patterns of the class are the subsets that a hyperplane cuts off, with ∅ and all points.

If V spans the space, every proper subset that is cut off is cut off by a hyperplane through d affinely independent
points of V, tilted so that it splits the points on itself as a half-space of the hyperplane does: the weakly separating
(w, b) form a pointed cone, and an extreme ray of it is tight on such points. The tilt is exact: if |u·x − c| < M on V
and w·x ≠ b, then M(w·x − b) + (u·x − c) has the sign of w·x − b.

In the plane the tilted lines of one direction sort V by w·x and then by ± t·x; they cut off the ends of that order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, NamedTuple, cast

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from privpac.classes.concept_class import SIDES, Family, Known
from privpac.classes.finite.patterns import first_of_each
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.matrices import check_room
from privpac.classes.picture_shapes import Corner, DrawnWeights, Plane, Shape
from privpac.classes.shell_options import Dim, Margin, Side, whole
from privpac.classes.vectors.vector_class import VectorClass, Vectors, coordinate_names, lines
from privpac.data.domains.domain import Domain
from privpac.data.domains.grid import Grid, integer_rows
from privpac.data.values.value_text import value_text
from privpac.refusals.refusal import Refused

HIGHEST = 100  # the highest dimension
LISTED = 5  # the highest dimension in which patterns are listed
HALF_SPACES = "docs/proofs/dimensions.md, Half-spaces"
COUNTED = 2**17  # the largest side at which half-planes are counted exactly
BATCH = 2**18  # values w·x computed at a time


@dataclass(frozen=True)
class HalfSpace(Hypothesis):
    """``normal``·x ≥ ``bias``, for integer vectors x.

    >>> h = HalfSpace((3, -2), 5)
    >>> print(h, h([(1, 0), (3, 2)]))
    3·x₁ − 2·x₂ ≥ 5 [False  True]
    """

    normal: tuple[int, ...]
    bias: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.normal:
            raise ValueError("a half-space needs at least one coefficient")

    def __call__(self, column: Column, /) -> Labels:
        V = integer_rows(column, len(self.normal))
        largest = max(-int(V.min(initial=0)), int(V.max(initial=0)))
        reach = largest * max(1, sum(map(abs, self.normal))) + abs(self.bias)
        kind = np.int64 if reach < 2**63 else object  # Python's integers where int64 would overflow
        return np.asarray(V.astype(kind) @ np.array(self.normal, dtype=kind) >= self.bias, dtype=bool)

    def sentence(self, *names: str) -> str:
        """The inequality, turned so that its first coefficient is positive."""
        if not any(self.normal):
            return "always" if self.bias <= 0 else "never"
        turn = 1 if next(filter(None, self.normal)) > 0 else -1
        x = coordinate_names(names, len(self.normal))
        terms = [(turn * w, x[i]) for i, w in enumerate(self.normal) if w]
        left = " ".join(
            f"{'−' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w)}·'}{name}" for w, name in terms
        ).removeprefix("+ ")
        return f"{left} {'≥' if turn > 0 else '≤'} {value_text(turn * self.bias)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        """The plane and its positive part; otherwise the weights."""
        names = tuple(coordinate_names(columns, len(self.normal)).values())
        if len(self.normal) == 2 == len(axes := lines(domain)):
            low, high = axes[0].low, axes[0].high
            return (Plane(half_plane(self.normal, self.bias, low, high), low, high, names),)
        return (DrawnWeights(self.normal, names),)


@dataclass(frozen=True)
class HalfSpaces(VectorClass):
    """All affine half-spaces of the grid {0 … side − 1}^dim, including ∅ and the whole grid.

    ``margin`` declares how far all records are from the boundary of the half-space to be learned: at least this share
    of the radius of the grid, √dim·(side − 1)/2. It is about the records; the rules are the same with and without it.
    Learners in six dimensions and more need it.

    >>> HalfSpaces(dim=3, side=2).materialize()  # the threshold functions of three bits
    ExplicitClass(104 concepts, 8 points)
    >>> HalfSpaces(50, 1000, margin=0.1)
    HalfSpaces(dim=50, side=1000, margin=0.1)
    """

    shell_name: ClassVar[str] = "half-spaces"
    dim: int
    side: int
    margin: float | None = None

    @classmethod
    def from_shell(cls, dim: Dim, side: Side, margin: Margin = None) -> HalfSpaces:
        return HalfSpaces(cast(int, dim), whole(side, "side"), margin)

    def family(self) -> Family:
        return Family("side of the grid", self.side, [(side, replace(self, side=side)) for side in SIDES])

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.domain.dim <= HIGHEST:
            raise Refused.must("dim", f"be from 1 to {HIGHEST}")
        if self.margin is not None and not 0 < self.margin <= 1:
            raise Refused.must("margin", "be above 0 and at most 1: a share of the radius of the grid")

    def __repr__(self) -> str:
        near = "" if self.margin is None else f", margin={self.margin!r}"
        return f"HalfSpaces(dim={self.dim}, side={self.side}{near})"

    @property
    def domain(self) -> Grid:
        return Grid(0, self.side - 1, self.dim)

    @property
    def size(self) -> int:
        """The number of half-spaces on a line and, up to side 2^17, in the plane; otherwise an upper bound.

        n points have at most 2·Σ_{i ≤ d} C(n − 1, i) affine dichotomies; ``materialize().size`` counts them.

        >>> HalfSpaces(1, 10).size, HalfSpaces(2, 3).size, HalfSpaces(3, 2).size
        (20, 58, 128)
        """
        if self.dim == 2 and self.side <= COUNTED:
            return 2 + 2 * _coprime_pairs(self.side)
        return _most(self.domain.size, self.dim)

    def known(self, kind: str) -> Known | None:
        """The VC dimension, d + 1; on a line and on a single point all dimensions, since half-lines are thresholds."""
        if self.dim == 1 or self.side == 1:
            return Thresholds(0, self.side - 1, direction="either").known(kind)
        return Known(self.dim + 1, HALF_SPACES) if kind == "VC" else None

    def pattern_table(self, points: Sequence[Value]) -> tuple[Labels, list[Hypothesis]]:
        """The subsets that half-spaces cut off, each once."""
        V = self.domain.vectors(points)
        if self.dim > LISTED:
            raise ValueError(f"half-spaces are listed in up to {LISTED} dimensions; ask for fewer columns")
        check_room(_most(len(V), self.dim), len(V))
        proper = cuts(V)
        constants = np.repeat([[False], [True]], len(V), axis=1)
        spaces = [simplest(w, b) for w, b in zip(proper.normals.tolist(), proper.biases.tolist(), strict=True)]
        return np.concatenate([constants, proper.labels]), [Constant(False), Constant(True), *spaces]


@dataclass(frozen=True)
class HalfPlanes(HalfSpaces):
    """All affine half-planes of the grid {0 … side − 1}², including ∅ and the whole grid.

    There are 2 + 2·Σ (k − 1) of them, the sum over all lines through k ≥ 2 points: twice the number of pairs of points
    whose difference is coprime, plus 2.

    >>> HalfPlanes(5).size, HalfPlanes(5).materialize()
    (402, ExplicitClass(402 concepts, 25 points))
    >>> print(HalfPlanes(3).representatives([(0, 1), (1, 2), (2, 0)])[-1])
    x₁ − 2·x₂ ≥ −2
    """

    shell_name: ClassVar[str] = "half-planes"
    dim: int = field(default=2, init=False)
    margin: float | None = field(default=None, init=False)

    @classmethod
    def from_shell(cls, side: Side) -> HalfPlanes:  # type: ignore[override]
        return cls(whole(side, "side"))

    def __repr__(self) -> str:
        return f"HalfPlanes(side={self.side})"


def simplest(w: list[int], b: int) -> HalfSpace:
    """The same half-space of ℤ^d with a primitive normal.

    >>> print(simplest([6, -4], 5))
    3·x₁ − 2·x₂ ≥ 3
    """
    g = math.gcd(*w)
    return HalfSpace(tuple(each // g for each in w), -(-b // g))


def half_plane(normal: Sequence[int], bias: int, low: int, high: int) -> tuple[Corner, ...]:
    """The corners of the part of the square from ``low`` to ``high`` where w·x ≥ b, in order around it.

    >>> [(int(x), int(y)) for x, y in half_plane((1, 0), 3, 0, 10)]
    [(3, 0), (10, 0), (10, 10), (3, 10)]
    """
    square = [(low, low), (high, low), (high, high), (low, high)]
    corners: list[Corner] = []
    for (x, y), (u, v) in zip(square, [*square[1:], square[0]], strict=True):
        here, there = (normal[0] * p + normal[1] * q - bias for p, q in ((x, y), (u, v)))
        if here >= 0:
            corners.append((Fraction(x), Fraction(y)))
        if (here < 0) != (there < 0):
            t = Fraction(here, here - there)
            corners.append((x + t * (u - x), y + t * (v - y)))
    return tuple(dict.fromkeys(corners))


def _most(n: int, d: int) -> int:
    """The largest number of affine dichotomies of n points in d dimensions."""
    return 2 * sum(math.comb(n - 1, i) for i in range(d + 1))


def _coprime_pairs(a: int) -> int:
    """Pairs of points of {0 … a − 1}² whose difference has coprime coordinates, by Möbius inversion."""
    sums = (a * m - g * m * (m + 1) // 2 for g in range(1, a) for m in [(a - 1) // g])  # Σ a − g·i over g·i < a
    diagonal = sum(mu * total**2 for mu, total in zip(mobius(a)[1:], sums, strict=True))
    return 2 * a * (a - 1) + 2 * diagonal


def mobius(a: int) -> list[int]:
    """μ(0) … μ(a − 1), with 0 for μ(0).

    >>> mobius(7)
    [0, 1, -1, -1, 0, -1, 1]
    """
    values = [0, 1] + [0] * max(0, a - 2)
    for g in range(1, a):
        for multiple in range(2 * g, a, g):
            values[multiple] -= values[g]
    return values[:a]


class Cuts(NamedTuple):
    """Row i of the labels is 1 where normal i times x is at least bias i."""

    labels: Labels
    normals: Vectors
    biases: Vectors

    def distinct(self) -> Cuts:
        """The same cuts, each subset once."""
        return self._only(first_of_each(self.labels))

    def proper(self) -> Cuts:
        """Without ∅ and V, which a hyperplane with all other points on one side cuts off."""
        return self._only(np.flatnonzero(self.labels.any(axis=1) & ~self.labels.all(axis=1)))

    def with_complements(self) -> Cuts:
        """These subsets and their complements: w·x < b is −w·x ≥ 1 − b."""
        parts = zip(self, (~self.labels, -self.normals, 1 - self.biases), strict=True)
        return Cuts(*map(np.concatenate, parts)).distinct()

    def _only(self, rows: NDArray[np.intp]) -> Cuts:
        return Cuts(*(part[rows] for part in self))


def cuts(V: Vectors) -> Cuts:
    """Every subset of V, but ∅ and V, that a half-space cuts off, once.

    >>> proper = cuts(np.array([[0], [1], [3]]))
    >>> sorted(proper.labels.astype(int).tolist())
    [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]
    """
    return _cuts(V, {})


def _cuts(V: Vectors, memo: dict[tuple[tuple[int, ...], ...], Cuts]) -> Cuts:
    """The same; ``memo`` holds the cuts of point sets, which recur in many hyperplanes."""
    key = tuple(map(tuple, V.tolist()))
    if key not in memo:
        used = _coordinates(V)
        if len(used) < V.shape[1]:
            memo[key] = _lifted(_cuts(V[:, used], memo), used, V.shape[1])
        elif len(used) <= 2:
            memo[key] = _in_plane(V).with_complements()
        else:
            memo[key] = _in_space(V, memo).with_complements()
    return memo[key]


def _coordinates(V: Vectors) -> list[int]:
    """Coordinates that determine the others on the affine span of V, which they map one to one onto a whole space."""
    if len(V) == 1:
        return []
    echelon, _, rank = fmpz_mat((V[1:].astype(object) - V[0]).tolist()).rref()
    return [next(j for j in range(V.shape[1]) if echelon[i, j] != 0) for i in range(rank)]


def _lifted(part: Cuts, used: list[int], d: int) -> Cuts:
    """The same half-spaces where ``used`` are some of d coordinates."""
    normals = np.zeros((len(part.normals), d), dtype=part.normals.dtype)
    normals[:, used] = part.normals
    return Cuts(part.labels, normals, part.biases)


def _in_plane(V: Vectors) -> Cuts:
    """The cuts up to complements. V spans its space, of dimension d ≤ 2; a line is seen as a line in the plane."""
    n, d = V.shape
    V = np.hstack([V, np.zeros((n, 2 - d), dtype=V.dtype)])
    reach = 2 * int(np.abs(V.astype(object)).max())
    V = V if 8 * (reach + 1) ** 4 < 2**63 else V.astype(object)  # so that M·w·x does not overflow
    directions = np.array(_directions(V), dtype=V.dtype).reshape(-1, 2)
    parts = []
    for t in np.array_split(directions, 1 + len(directions) * n // BATCH):
        w = t[:, ::-1] * [-1, 1]
        s, v = t @ V.T, w @ V.T
        M = 1 + np.ptp(s, axis=1, keepdims=True)
        for tilt in (1, -1):
            normals, values = M * w + tilt * t, M * v + tilt * s
            order = np.argsort(values, axis=1)
            v_sorted = np.take_along_axis(v, order, axis=1)
            tied = np.pad(v_sorted[:, 1:] == v_sorted[:, :-1], ((0, 0), (1, 1)))
            line, place = np.nonzero(tied[:, :-2] | tied[:, 1:-1] | tied[:, 2:])  # cuts at a line with ≥ 2 points
            biases = np.take_along_axis(values, order, axis=1)[line, place + 1]
            parts.append(Cuts(values[line] >= biases[:, None], normals[line, :d], biases).distinct())
    return Cuts(*map(np.concatenate, zip(*parts, strict=True)))


def _directions(V: Vectors) -> list[tuple[int, int]]:
    """The primitive directions of the lines through two points of V ⊂ ℤ², each with one sign."""
    i, j = np.triu_indices(len(V), 1)
    t = V[j] - V[i]
    t //= np.gcd(t[:, 0], t[:, 1])[:, None]
    return list(dict.fromkeys((a, b) if (a, b) > (0, 0) else (-a, -b) for a, b in t.tolist()))


def _in_space(V: Vectors, memo: dict[tuple[tuple[int, ...], ...], Cuts]) -> Cuts:
    """The cuts up to complements. V spans its space, of dimension d ≥ 3."""
    V = V.astype(object)
    reach = np.abs(V).max(axis=0)
    parts = []
    for w, b in _hyperplanes(V):
        v = V @ w - b
        on = v == 0
        others = np.delete(np.arange(len(w)), np.flatnonzero(w)[0])  # on the hyperplane they determine this one
        inside = _lifted(_cuts(V[on][:, others], memo), others.tolist(), len(w))
        labels = np.tile(v > 0, (len(inside.labels) + 2, 1))
        labels[2:, on] = inside.labels
        labels[1, on] = True
        M = 1 + np.abs(inside.normals.astype(object)) @ reach + np.abs(inside.biases.astype(object))
        normals = [[w, w], M[:, None] * w + inside.normals]
        biases = [[b + 1, b], M * b + inside.biases]
        parts.append(Cuts(labels, np.concatenate(normals), np.concatenate(biases)))
    return Cuts(*map(np.concatenate, zip(*parts, strict=True))).proper().distinct()


def _hyperplanes(V: Vectors) -> list[tuple[Vectors, int]]:
    """The hyperplanes w·x = b through d affinely independent points of V ⊂ ℤ^d, w primitive, each once."""
    d = V.shape[1]
    corners = V[np.array(list(combinations(range(len(V)), d)))]
    edges = corners[:, 1:] - corners[:, :1]
    signs = (-1) ** np.arange(d)
    w = np.stack([signs[i] * _determinants(np.delete(edges, i, axis=2)) for i in range(d)], axis=1)
    proper = (w != 0).any(axis=1)
    w, corner = w[proper], corners[proper, 0]
    w //= np.gcd.reduce(w, axis=1, keepdims=True)
    w *= np.where([next(filter(None, each)) > 0 for each in w], 1, -1)[:, None]
    b = (w * corner).sum(axis=1)
    return [(np.array(row[:-1], dtype=object), row[-1]) for row in dict.fromkeys(map(tuple, np.column_stack([w, b])))]


def _determinants(A: Vectors) -> Vectors:
    """The determinants of a stack of small integer matrices, by the first row."""
    k = A.shape[1]
    if k == 1:
        return A[:, 0, 0]
    terms = [(-1) ** j * A[:, 0, j] * _determinants(np.delete(A[:, 1:], j, axis=2)) for j in range(k)]
    total: Vectors = sum(terms[1:], terms[0])
    return total
