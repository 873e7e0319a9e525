"""Half-planes through a public point, on a grid of integer points, in exact arithmetic.

Throughout this file
    c      the center, a point of the grid        x − c    a point relative to the center: (a, b)
    S      the largest |a| or |b| of the grid     F_S      fractions with denominators up to S, in order
    d      the direction of a boundary: the rule says 1 to the left of d, and at the center

Points opposite each other with respect to c always get different labels, so only the line through c and a point
matters. Directions are turned into the half circle from (1, −1) to (−1, 1). There, a position in [0, 2) takes the place
of the angle and increases with it: (1 + b/a)/2 in the first quarter of a circle, (3 − a/b)/2 in the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import SIDES, Family, Known
from privpac.classes.finite.patterns import PatternTable
from privpac.classes.hypothesis import Value
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import Center, High, Low, whole
from privpac.classes.vectors.half_spaces import LARGEST_COUNTED, HalfSpace, mobius
from privpac.classes.vectors.vector_class import VectorClass, Vectors
from privpac.data.domains.grid import Grid
from privpac.refusals.refusal import Refused


class Positions(NamedTuple):
    """Which directions had to be turned by 180°, and their positions in the half circle: ahead/norm, 0/0 for (0, 0)."""

    turned: NDArray[np.bool_]
    ahead: Vectors
    norm: Vectors


def positions(a: Vectors, b: Vectors) -> Positions:
    """The positions of directions (a, b): 1 + v/(|u| + |v|) for u = a + b and v = b − a, with −v if they are turned.

    >>> [column.astype(int).tolist() for column in positions(np.array([2, 1, -3]), np.array([-2, 3, 0]))]
    [[0, 0, 1], [0, 8, 3], [4, 6, 6]]
    """
    u, v = a + b, b - a
    norm = abs(u) + abs(v)
    turned = (u + u - (v > 0)) < 0  # u < 0, or u = 0 < v
    mask = -turned.astype(v.dtype)
    v = (v ^ mask) - mask  # −v where turned
    return Positions(turned, norm + v, norm)


@dataclass(frozen=True)
class CentralHalfPlanes(VectorClass):
    """The half-planes of {low … high}² whose boundary passes through ``center`` and through no other point of the grid.

    >>> cls = CentralHalfPlanes(-1, 1)
    >>> cls.size, cls.materialize()
    (8, ExplicitClass(8 concepts, 9 points))
    >>> print(CentralHalfPlanes(0, 9, center=(4, 4)).representatives([(5, 4), (4, 6)])[0])
    x₁ − 6·x₂ ≤ −20
    """

    shell_name: ClassVar[str] = "central-half-planes"
    low: int
    high: int
    center: tuple[int, ...] = (0, 0)

    @classmethod
    def from_shell(cls, low: Low, high: High, center: Center = None) -> CentralHalfPlanes:
        point = tuple(whole(text, "center", "each part of ") for text in (center or "0,0").split(","))
        return cls(whole(low, "low"), whole(high, "high"), point)

    def family(self) -> Family:
        grids = [(side, CentralHalfPlanes(0, side - 1)) for side in SIDES]
        return Family("side of the grid", self.domain.side, grids)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.center) != 2 or not all(self.low <= coordinate <= self.high for coordinate in self.center):
            raise Refused("center", "center must be a point of the grid: two integers between low and high")

    @property
    def domain(self) -> Grid:
        return Grid(self.low, self.high, 2)

    @property
    def reach(self) -> int:
        """S, at least 1."""
        return max(1, *(max(coordinate - self.low, self.high - coordinate) for coordinate in self.center))

    @property
    def size(self) -> int:
        """Two for each line through the center and another point, up to side 2^17; otherwise an upper bound."""
        return max(1, 2 * self._lines)

    def known(self, kind: str) -> Known | None:
        """The VC dimension, and the Littlestone dimension up to side 2^17: those of thresholds in both directions."""
        if kind == "VC" or (kind == "Littlestone" and self.domain.side <= LARGEST_COUNTED):
            thresholds = Thresholds(0, max(self._lines, 1) - 1, direction="either").known(kind)
            value = thresholds.value if thresholds and self._lines else 0
            return Known(value, "docs/proofs/dimensions.md, Half-planes through a point")
        return None

    def offsets(self, vectors: Vectors) -> tuple[Vectors, Vectors]:
        """(a, b) for rows of points."""
        return vectors[:, 0] - self.center[0], vectors[:, 1] - self.center[1]

    def left_of(self, direction: tuple[int, int]) -> HalfSpace:
        """The half-plane to the left of ``direction``, in small numbers that label the grid the same way.

        The mediant of its neighbors in F_S, the fraction between them with the least denominator, replaces the slope.

        >>> print(CentralHalfPlanes(-9, 9).left_of((1_000_000, 333_333)))
        3·x₁ − 10·x₂ ≤ 0
        """
        a, b = np.array(direction[:1], dtype=object), np.array(direction[1:], dtype=object)
        turned, ahead, norm = (column[0] for column in positions(a, b))
        quarter, share = divmod(Fraction(ahead, norm), 1)
        q, p = _mediant(2 * share - 1, self.reach)  # the slope p/q lies between −1 and 1 in either quarter
        x, y = (-p, q) if quarter else (q, p)  # the direction in small numbers
        normal = (y, -x) if turned else (-y, x)
        return HalfSpace(normal, normal[0] * self.center[0] + normal[1] * self.center[1])

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The two sides of a boundary just after each line through the center and a point."""
        V = self.domain.points(points).astype(object)
        turned, ahead, norm = positions(*self.offsets(V))
        off_center = norm > 0
        fractions = [Fraction(p, q) if q else None for p, q in zip(ahead, norm, strict=True)]
        lines = sorted({position for position in fractions if position is not None}) or [Fraction(0)]
        check_matrix_size(2 * len(lines), len(V))
        number = {position: k for k, position in enumerate(lines)}
        line_of_point = np.array([-1 if position is None else number[position] for position in fractions])
        left = np.array([(line_of_point > k) ^ turned for k in range(len(lines))])  # left of a boundary after line k
        rules = [self._just_after(position) for position in lines]
        if not off_center.any():
            return np.ones((1, len(V)), dtype=bool), [rules[0]]
        opposite = [HalfSpace((-h.normal[0], -h.normal[1]), -h.bias) for h in rules]
        return np.concatenate([left | ~off_center, ~left | ~off_center]).astype(bool), [*rules, *opposite]

    def _just_after(self, position: Fraction) -> HalfSpace:
        """The half-plane to the left of a direction after this position and before the next line of the grid."""
        quarter, share = divmod(position, 1)
        slope = 2 * share - 1 + Fraction(1, 2 * self.reach**2)
        p, q = slope.numerator, slope.denominator
        return self.left_of((-p, q) if quarter else (q, p))

    @cached_property
    def _lines(self) -> int:
        """The number of lines through the center and another point; an upper bound beyond side 2^17."""
        x, y = self.center
        sides = [(x - self.low, self.high - x), (y - self.low, self.high - y)]
        if self.domain.side > LARGEST_COUNTED:
            return self.domain.size - 1
        # A vector and its opposite lie on one line. Both are in the rectangle iff they are in its symmetric part.
        symmetric = [(min(pair), min(pair)) for pair in sides]
        return _coprime_vectors(sides) - _coprime_vectors(symmetric) // 2


def _coprime_vectors(sides: list[tuple[int, int]]) -> int:
    """The number of vectors with coprime coordinates in a rectangle around 0, by Möbius inversion.

    ``sides`` says how far it reaches: (left, right) and (down, up).
    """
    μ = mobius(max(max(pair) for pair in sides) + 1)
    g = np.arange(1, len(μ))
    (left, right), (down, up) = sides
    boxes = (left // g + right // g + 1) * (down // g + up // g + 1) - 1
    return int((np.array(μ[1:], dtype=np.int64) * boxes).sum())


def _mediant(t: Fraction, S: int) -> tuple[int, int]:
    """(q, p) for the first fraction p/q strictly between the neighbors of t in F_S; t itself is not in F_S."""
    near = t.limit_denominator(S)
    p, q = near.numerator, near.denominator
    side = 1 if near < t else -1  # the neighbor p'/q' on the other side has (p'q − pq')·side = 1 and the largest q' ≤ S
    residue = -side * pow(p, -1, q) % q  # of q' modulo q
    far_q = S - (S - residue) % q
    far_p = (p * far_q + side) // q
    return q + far_q, p + far_p
