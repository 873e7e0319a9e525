"""Rules that constrain each coordinate separately: boxes of integers, conjunctions of literals.

Throughout this file
    d      the number of coordinates                  V      finitely many points
    u      the values of a coordinate on V, in order
    Π_i    the patterns on V of the conditions on coordinate i: a matrix with a row for each condition

A box or a conjunction puts one condition on each coordinate, so its pattern on V is the meet (the bitwise "and") of one
pattern from each Π_i. The code meets one Π_i at a time and drops duplicates. Every Π_i has the pattern that is 1
everywhere, so no step has more patterns than the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import SIDES, Family, Known
from privpac.classes.finite.patterns import PatternTable, first_of_each
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.lines.intervals import Intervals
from privpac.classes.matrices import check_matrix_size
from privpac.classes.picture_shapes import CutLine, Pills, Plane, Shape, Word, drawn_together
from privpac.classes.shell_options import Dim, High, Low, whole
from privpac.classes.vectors.vector_class import VectorClass, check_positions, coordinate_names, lines
from privpac.data.domains.domain import Domain
from privpac.data.domains.grid import Grid, integer_rows
from privpac.data.domains.line import Line
from privpac.data.values.value_text import value_text


@dataclass(frozen=True)
class Box(Hypothesis):
    """``low`` ≤ x ≤ ``high`` in every coordinate; None means no bound.

    >>> h = Box((2, None), (5, 3))
    >>> print(h, h([(2, -7), (6, 0)]))
    2 ≤ x₁ ≤ 5 and x₂ ≤ 3 [ True False]
    """

    low: tuple[int | None, ...]
    high: tuple[int | None, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < len(self.low) == len(self.high):
            raise ValueError("a box needs a low and a high bound, or None, for every coordinate")

    def __call__(self, column: Column, /) -> Labels:
        V = integer_rows(column, len(self.low))
        labels = np.ones(len(V), dtype=bool)
        for x, low, high in zip(V.T, self.low, self.high, strict=True):
            if low is not None:
                labels &= (x >= low).astype(bool)
            if high is not None:
                labels &= (x <= high).astype(bool)
        return labels

    @property
    def constant(self) -> bool | None:
        return None if {*self.low, *self.high} - {None} else True

    def sentence(self, *names: str) -> str:
        sides = zip(self.low, coordinate_names(names, len(self.low)).values(), self.high, strict=True)
        bounds = [_bounds(low, x, high) for low, x, high in sides if low is not None or high is not None]
        return " and ".join(bounds) or "always"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        names, axes = tuple(coordinate_names(columns, len(self.low)).values()), lines(domain)
        if len(axes) != len(names):
            return ()
        sides = list(zip(axes, self.low, self.high, strict=True))
        if len(sides) == 2:
            (left, right), (bottom, top) = (
                (axis.low if low is None else low, axis.high if high is None else high) for axis, low, high in sides
            )
            corners = ((left, bottom), (right, bottom), (right, top), (left, top))
            return (Plane(corners, axes[0].low, axes[0].high, names),)
        bounded = [(name, side) for name, side in zip(names, sides, strict=True) if side[1:] != (None, None)]
        return drawn_together("and", [[_side(name, *side)] for name, side in bounded])


@dataclass(frozen=True)
class Rectangles(VectorClass):
    """All boxes of the grid {low … high}^dim, and the empty set.

    >>> rectangles = Rectangles(low=0, high=3, dim=2)
    >>> rectangles.size, rectangles.known("VC").value
    (101, 4)
    >>> print(rectangles.representatives([(0, 1), (3, 2)])[1])
    x₂ ≤ 1
    """

    shell_name: ClassVar[str] = "rectangles"
    low: int
    high: int
    dim: int

    @classmethod
    def from_shell(cls, low: Low, high: High, dim: Dim) -> Rectangles:
        return cls(whole(low, "low"), whole(high, "high"), cast(int, dim))

    def family(self) -> Family:
        grids = [(side, replace(self, low=0, high=side - 1)) for side in SIDES]
        return Family("side of the grid", self.domain.side, grids)

    @property
    def domain(self) -> Grid:
        return Grid(self.low, self.high, self.dim)

    @property
    def size(self) -> int:
        """The number of boxes: an interval for each coordinate, and ∅."""
        a = self.domain.side
        return int((a * (a + 1) // 2) ** self.dim) + 1

    def known(self, kind: str) -> Known | None:
        """The VC dimension. On a line, all that intervals know as well; on {0, 1}^d, all that conjunctions know."""
        if self.dim == 1 or self.domain.side == 1:
            return Intervals(self.low, self.high).known(kind)
        if self.domain.side == 2:
            return Conjunctions(self.dim).known(kind)
        return Known(2 * self.dim, "docs/proofs/dimensions.md, Boxes") if kind == "VC" else None

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """A box for each pattern, with sides at values that occur among the points."""
        V = self.domain.points(points)
        values = [np.unique(x) for x in V.T]
        ends = [_intervals(len(u), len(V)) for u in values]
        patterns = [
            ((x >= u[first, None]) & (x <= u[last, None])).astype(bool)
            for x, u, (first, last) in zip(V.T, values, ends, strict=True)
        ]
        labels, choices = _meets(patterns)
        lows, highs = [], []
        # A bound at the least or the greatest value excludes no point, so it is left out: None.
        for u, (first, last), chosen in zip(values, ends, choices.T, strict=True):
            low, high = [None, *u[1:].tolist()], [*u[:-1].tolist(), None]
            lows.append([low[i] for i in first[chosen]])
            highs.append([high[i] for i in last[chosen]])
        boxes: list[Hypothesis] = [
            Box(*sides) for sides in zip(zip(*lows, strict=True), zip(*highs, strict=True), strict=True)
        ]
        return _with_empty_pattern(labels, boxes)


@dataclass(frozen=True)
class Conjunction(Hypothesis):
    """The bits at ``ones`` are 1 and those at ``zeros`` are 0, out of ``d`` bits; positions count from 0.

    >>> h = Conjunction(3, (0,), (2,))
    >>> print(h, h([(1, 0, 0), (1, 1, 1)]))
    x₁ and not x₃ [ True False]
    """

    d: int
    ones: tuple[int, ...]
    zeros: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positions(self.d, (*self.ones, *self.zeros))

    def __call__(self, column: Column, /) -> Labels:
        V = Grid(0, 1, self.d).points(column).astype(bool)
        return np.asarray(V[:, list(self.ones)].all(axis=1) & ~V[:, list(self.zeros)].any(axis=1))

    @property
    def constant(self) -> bool | None:
        return None if self.ones or self.zeros else True

    def sentence(self, *names: str) -> str:
        x = coordinate_names(names, self.d, (*self.ones, *self.zeros))
        literals = {i: x[i] for i in self.ones} | {i: f"not {x[i]}" for i in self.zeros}
        return " and ".join(literals[i] for i in sorted(literals)) or "always"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        names = coordinate_names(columns, self.d, (*self.ones, *self.zeros))
        literals = sorted([(i, 1) for i in self.ones] + [(i, 0) for i in self.zeros])
        if not literals:
            return Constant(True).drawing(domain, columns)
        return (Word("all of"), Pills(tuple((f"{names[i]} = {bit}", True) for i, bit in literals)))


@dataclass(frozen=True)
class Conjunctions(VectorClass):
    """All conjunctions of literals on {0, 1}^d, including the empty one and the contradiction.

    With ``monotone=True``, only those without negations: the empty one, but not the contradiction.

    >>> Conjunctions(5).size, Conjunctions(5, monotone=True).size
    (244, 32)
    >>> Conjunctions(5).known("Littlestone").value
    6
    """

    d: int
    monotone: bool = False

    @property
    def domain(self) -> Grid:
        return Grid(0, 1, self.d)

    @property
    def size(self) -> int:
        return int(2**self.d) if self.monotone else int(3**self.d) + 1

    def known(self, kind: str) -> Known | None:
        littlestone = self.d if self.monotone else self.d + 1
        vc = 2 if self.d == 1 and not self.monotone else self.d
        value = {"VC": vc, "Littlestone": littlestone}.get(kind)
        return None if value is None else Known(value, "docs/proofs/dimensions.md, Conjunctions")

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        V = self.domain.points(points)
        always = np.ones(len(V), dtype=bool)
        # The conditions on a bit, by their number: 0 none, 1 the bit is 1, 2 the bit is 0.
        patterns = [np.array([always, x == 1] if self.monotone else [always, x == 1, x == 0]) for x in V.T]
        labels, choices = _meets(patterns)
        rules: list[Hypothesis] = [
            Conjunction(self.d, tuple(np.flatnonzero(c == 1).tolist()), tuple(np.flatnonzero(c == 2).tolist()))
            for c in choices
        ]
        return (labels, rules) if self.monotone else _with_empty_pattern(labels, rules)


def _intervals(k: int, n: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first and last element of every interval of 0 … k − 1; longer intervals come first, so they are preferred.

    ``n`` is the number of points on which these intervals are patterns: the matrix of all labels must fit in memory.
    """
    check_matrix_size(k * (k + 1) // 2, n)
    first, last = np.triu_indices(k)
    order = np.argsort(first - last, kind="stable")
    return first[order], last[order]


def _meets(patterns: list[Labels]) -> tuple[Labels, NDArray[np.intp]]:
    """The distinct meets of one row from each Π_i, and the numbers of the rows that form each of them."""
    n = patterns[0].shape[1]
    labels, choices = np.ones((1, n), dtype=bool), np.zeros((1, 0), dtype=np.intp)
    for Π in patterns:
        check_matrix_size(len(labels) * len(Π), n)
        meets = (labels[:, None] & Π).reshape(-1, n)
        first = first_of_each(meets)
        labels, choices = meets[first], np.column_stack([choices[first // len(Π)], first % len(Π)])
    return labels, choices


def _with_empty_pattern(labels: Labels, rules: list[Hypothesis]) -> PatternTable:
    """The patterns and their rules, and also the empty pattern if it is not among them."""
    if not labels.any(axis=1).all():
        return labels, rules
    return np.vstack([labels, np.zeros_like(labels[:1])]), [*rules, Constant(False)]


def _side(name: str, axis: Line, low: int | None, high: int | None) -> CutLine:
    """The picture of the bounds on one coordinate; None means no bound."""
    cuts = tuple(end for end in (low, high) if end is not None)
    return CutLine(axis, name, cuts, (False,) * (low is not None) + (True,) + (False,) * (high is not None))


def _bounds(low: int | None, x: str, high: int | None) -> str:
    """The bounds on a coordinate called ``x`` in words; at least one is not None."""
    if low == high:
        return f"{x} = {value_text(low)}"
    if low is None:
        return f"{x} ≤ {value_text(high)}"
    return f"{x} ≥ {value_text(low)}" if high is None else f"{value_text(low)} ≤ {x} ≤ {value_text(high)}"
