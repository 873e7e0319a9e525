"""Half-planes and half-spaces on grids of integer points, in exact arithmetic.

Throughout this file
    d         the dimension of the space        a       the side of the grid {0 … a − 1}^d
    (w, b)    the half-space w·x ≥ b, with integers w and b
    V         n distinct points of ℤ^d, as an n × d array
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, cast

import numpy as np

from privpac.classes.concept_class import SIDES, Family, Known
from privpac.classes.finite.patterns import PatternTable
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.matrices import check_matrix_size
from privpac.classes.picture_shapes import Corner, DrawnWeights, Plane, Shape
from privpac.classes.shell_options import Dim, Margin, Side, whole
from privpac.classes.vectors.separable_subsets import cuts
from privpac.classes.vectors.vector_class import VectorClass, coordinate_names, lines
from privpac.data.domains.domain import Domain
from privpac.data.domains.grid import Grid, integer_rows
from privpac.data.values.value_text import value_text
from privpac.refusals.refusal import Refused

HIGHEST_DIMENSION = 100  # the highest dimension of a class
HIGHEST_LISTED = 5  # the highest dimension in which patterns are listed
LARGEST_COUNTED = 2**17  # the largest side at which half-planes are counted exactly


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
        limit = largest * max(1, sum(map(abs, self.normal))) + abs(
            self.bias
        )  # no number in the sum w·x or the comparison exceeds it
        kind = np.int64 if limit < 2**63 else object  # Python's integers where int64 would overflow
        return np.asarray(V.astype(kind) @ np.array(self.normal, dtype=kind) >= self.bias, dtype=bool)

    def sentence(self, *names: str) -> str:
        """The inequality, turned so that its first coefficient is positive."""
        if not any(self.normal):
            return "always" if self.bias <= 0 else "never"
        turn = 1 if next(filter(None, self.normal)) > 0 else -1
        x = coordinate_names(names, len(self.normal))
        terms = [(turn * w, x[i]) for i, w in enumerate(self.normal) if w]
        signed = (f"{'−' if w < 0 else '+'} {'' if abs(w) == 1 else f'{abs(w)}·'}{name}" for w, name in terms)
        left = " ".join(signed).removeprefix("+ ")
        return f"{left} {'≥' if turn > 0 else '≤'} {value_text(turn * self.bias)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
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
        if not 1 <= self.domain.dim <= HIGHEST_DIMENSION:
            raise Refused.must("dim", f"be from 1 to {HIGHEST_DIMENSION}")
        if self.margin is not None and not 0 < self.margin <= 1:
            raise Refused.must("margin", "be above 0 and at most 1: a share of the radius of the grid")

    def __repr__(self) -> str:
        margin = "" if self.margin is None else f", margin={self.margin!r}"
        return f"HalfSpaces(dim={self.dim}, side={self.side}{margin})"

    @property
    def domain(self) -> Grid:
        return Grid(0, self.side - 1, self.dim)

    @property
    def size(self) -> int:
        """The number of half-spaces on a line and, up to side 2^17, in the plane; otherwise an upper bound.

        The bound is 2·Σ_{i ≤ d} C(n − 1, i), for n points; ``materialize().size`` counts the half-spaces.

        >>> HalfSpaces(1, 10).size, HalfSpaces(2, 3).size, HalfSpaces(3, 2).size
        (20, 58, 128)
        """
        if self.dim == 2 and self.side <= LARGEST_COUNTED:
            return 2 + 2 * _coprime_pairs(self.side)
        return _most_dichotomies(self.domain.size, self.dim)

    def known(self, kind: str) -> Known | None:
        """The VC dimension, d + 1; on a line and on a single point all dimensions, since half-lines are thresholds."""
        if self.dim == 1 or self.side == 1:
            return Thresholds(0, self.side - 1, direction="either").known(kind)
        return Known(self.dim + 1, "docs/proofs/dimensions.md, Half-spaces") if kind == "VC" else None

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        V = self.domain.points(points)
        if self.dim > HIGHEST_LISTED:
            raise ValueError(f"half-spaces are listed in up to {HIGHEST_LISTED} dimensions; ask for fewer columns")
        check_matrix_size(_most_dichotomies(len(V), self.dim), len(V))
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
    """The half-space w·x ≥ b of ℤ^d, written with the smallest integers.

    >>> print(simplest([6, -4], 5))
    3·x₁ − 2·x₂ ≥ 3
    """
    g = math.gcd(*w)
    return HalfSpace(tuple(weight // g for weight in w), -(-b // g))


def half_plane(normal: Sequence[int], bias: int, low: int, high: int) -> tuple[Corner, ...]:
    """The corners of the part of the square from ``low`` to ``high`` where normal·x ≥ bias, in order around it.

    >>> [(int(x), int(y)) for x, y in half_plane((1, 0), 3, 0, 10)]
    [(3, 0), (10, 0), (10, 10), (3, 10)]
    """
    square = [(low, low), (high, low), (high, high), (low, high)]
    corners: list[Corner] = []
    for (x, y), (next_x, next_y) in zip(square, [*square[1:], square[0]], strict=True):  # the two ends of each side
        value = normal[0] * x + normal[1] * y - bias
        next_value = normal[0] * next_x + normal[1] * next_y - bias
        if value >= 0:
            corners.append((Fraction(x), Fraction(y)))
        if (value < 0) != (next_value < 0):
            share = Fraction(value, value - next_value)  # of the side, up to where the boundary cuts it
            corners.append((x + share * (next_x - x), y + share * (next_y - y)))
    return tuple(dict.fromkeys(corners))


def _most_dichotomies(n: int, d: int) -> int:
    """The most subsets of n points in d dimensions that half-spaces can cut off, ∅ and all points included."""
    return 2 * sum(math.comb(n - 1, i) for i in range(d + 1))


def _coprime_pairs(a: int) -> int:
    """The number of pairs of points of {0 … a − 1}² whose difference has coprime coordinates, by Möbius inversion."""
    rising = 0  # the pairs on rising lines; a difference (i, j) occurs (a − i)·(a − j) times
    for g, mu in enumerate(mobius(a)[1:], 1):
        m = (a - 1) // g
        rising += mu * (a * m - g * m * (m + 1) // 2) ** 2  # the square of Σ a − i over the multiples i < a of g
    return 2 * a * (a - 1) + 2 * rising  # neighbors in a row or a column; pairs on rising and on falling lines


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
