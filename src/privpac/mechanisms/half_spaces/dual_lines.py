"""Points as lines over public slopes: how many candidate half-planes make each number of errors.

proof: docs/proofs/half_plane_learner.md, Theorem 1

Throughout this file
    S, j, u    a power of 2; the number of a slope, 0 … S − 1; the slope u = 2j + 1 − S, always odd
    value      S·y − u·x for the point (x, y) at a slope. At no slope do two points of the grid have the same value
    w          the records of a point with label 1 minus those with label 0
    level      a number of errors of rules "value ≥ c"; just above a point it is larger by w than just below it
    edge       a point between two slopes where its level changes: slopes start … stop − 1
    OUTSIDE    stands for a level beyond the first or the last candidate
    turn       a slope where lines of grid points meet: a fraction p/q, q ≤ N. Between turns, the order of values stays

The number of candidates between two neighboring values is their difference. So the number of candidates of a level is a
sum over edges: plus the values of points that have the level just below them, minus the values of points that have it
just above them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints

OUTSIDE = -1
MOST_POINTS = 4096  # so there are fewer than 2^25 edges
PART_BITS = 19  # products of two parts stay below 2^38, and sums of 2^25 of them within ±2^63
PART_MASK = (1 << PART_BITS) - 1
MOST_BITS = 2 * PART_BITS  # the largest log₂ S; then N < 2^17
NUMBER_BITS = 12  # of a point's number, which is below MOST_POINTS
NUMBER_MASK = (1 << NUMBER_BITS) - 1
EDGES_AT_ONCE = 1 << 16


class Edges(NamedTuple):
    """Points (x, y) on slopes start … stop − 1, with their levels below and above.

    >>> column = np.array([1])
    >>> Edges(column, 2 * column, 0 * column, 4 * column, column, column).value_sum(bits=2)
    32
    """

    x: Ints
    y: Ints
    start: Ints
    stop: Ints
    below: Ints
    above: Ints

    def at(self, which: NDArray[np.bool_]) -> Edges:
        """Some of the edges, by a mask or by indices."""
        return Edges(*(column[which] for column in self))

    def factors(self, bits: int) -> tuple[Ints, Ints]:
        """The number of slopes of each edge, at most 2^38, and its mean value over these slopes, within ±2^56."""
        count = self.stop - self.start
        return count, ((self.x + self.y) << bits) - self.x * (self.start + self.stop)

    def value_sum(self, bits: int) -> int:
        """The exact sum of the values of all edges at all of their slopes; for at most 2^25 edges."""
        count, mean = self.factors(bits)
        return sum(int((p * q).sum()) << shift for p, q, shift in _parts(count, mean))

    def until(self, stop: int) -> Edges:
        """The parts of the edges on slopes before ``stop``."""
        return self._replace(start=np.minimum(self.start, stop), stop=np.minimum(self.stop, stop))


def _parts(count: Ints, mean: Ints) -> Iterator[tuple[Ints, Ints, int]]:
    """All (p, q, shift) with count·mean = Σ p·q·2^shift and parts p, q of 19 bits; the last q has the sign."""
    means = mean & PART_MASK, (mean >> PART_BITS) & PART_MASK, mean >> (2 * PART_BITS)
    for i, p in enumerate((count & PART_MASK, count >> PART_BITS)):
        for k, q in enumerate(means):
            yield p, q, PART_BITS * (i + k)


@dataclass(eq=False)
class NearLevels:
    """Tells which levels, or their complements, have at most ``reach`` errors more than the fewest so far.

    The complement of a level e has total − e errors. Each call may lower ``fewest``. So an early call may also mark
    levels that are not near, but no call misses a near one.

    >>> NearLevels(total=10, reach=1, fewest=5)(np.array([4, 3, 9, 2]))
    array([False, False,  True,  True])
    """

    total: int
    reach: int
    fewest: int

    def __call__(self, levels: Ints) -> NDArray[np.bool_]:
        if levels.size:
            self.fewest = min(self.fewest, int(levels.min()), self.total - int(levels.max()))
        return np.asarray((levels <= self.most) | (levels >= self.total - self.most))

    @property
    def most(self) -> int:
        """The most errors of a near level."""
        return self.fewest + self.reach


@lru_cache(maxsize=8)
def turns(N: int, bits: int) -> tuple[Ints, Ints, Ints]:
    """The first slopes after all turns from −1 to 1, and a fraction p/q between each turn and the next.

    >>> [column.tolist() for column in turns(2, 6)]
    [[0, 16, 32, 48, 64], [-2, -1, 1, 2], [3, 3, 3, 3]]
    """
    q, p = (column.ravel() for column in np.mgrid[1 : N + 1, -N : N + 1])
    turn = (np.abs(p) <= q) & (np.gcd(p, q) == 1)
    p, q = p[turn], q[turn]
    order = np.argsort(p / q)
    p, q = p[order], q[order]
    return _first_after(q, p, bits), p[:-1] + p[1:], q[:-1] + q[1:]


def _first_after(dx: Ints, dy: Ints, bits: int) -> Ints:
    """The number j of the first slope with u/S > dy/dx."""
    return np.asarray((((dx + dy) << bits) // dx + 1) >> 1)


@dataclass(frozen=True, eq=False)
class DualLines:
    """The distinct points with w ≠ 0 of a sample, on the grid {0 … N}² with 2^``bits`` slopes.

    ``zeros`` and ``ones`` count all records with label 0 and label 1.
    """

    x: Ints
    y: Ints
    w: Ints
    zeros: int
    ones: int
    N: int
    bits: int

    @property
    def total(self) -> int:
        """The largest level."""
        return self.zeros + self.ones

    def bounds(self) -> Edges:
        """Edges where candidates begin and end: at the least value of the row below the grid, at the greatest in it."""
        half, N = 1 << (self.bits - 1), self.N
        rows = [  # x, y, start, stop, below, above
            (0, -1, 0, half, OUTSIDE, self.zeros),
            (N, -1, half, 2 * half, OUTSIDE, self.zeros),
            (N, N, 0, half, self.ones, OUTSIDE),
            (0, N, half, 2 * half, self.ones, OUTSIDE),
        ]
        return Edges(*np.array(rows, dtype=np.int64).T)

    def edges(self, near: NearLevels | None = None) -> Iterator[Edges]:
        """All edges, or at least those with a near level, in batches."""
        yield self.bounds()
        if 2 * len(self.x) > self.N**2:  # there are few turns: about 3/5·N²
            starts, p, q = turns(max(self.N, 1), self.bits)
            rows = max(1, EDGES_AT_ONCE // len(self.x))
            for row in range(0, len(p), rows):
                batch = slice(row, row + rows)
                yield self._edges_between_turns(starts[row : row + rows + 1], p[batch, None], q[batch, None], near)
            return
        first, last = (np.argsort(self._values(j)) for j in (0, (1 << self.bits) - 1))
        rank = np.empty_like(last)
        rank[last] = np.arange(len(last))
        order = DualLines(self.x[first], self.y[first], self.w[first], self.zeros, self.ones, self.N, self.bits)
        rows = max(1, EDGES_AT_ONCE // (len(first) + 1))
        for row in range(0, len(first), rows):
            yield order._edges_of(np.arange(row, min(row + rows, len(first))), rank[first], near)

    def _edges_between_turns(self, starts: Ints, p: Ints, q: Ints, near: NearLevels | None) -> Edges:
        """The edges of all points from turn i to turn i + 1, where the order of values is that at the slope p[i]/q[i].

        ``starts`` are the first slopes after the turns.
        """
        values = (q * (self.y + self.N) - p * self.x).astype(np.int32)  # below 6·N² < 12·4096
        order = np.sort((values << NUMBER_BITS) | np.arange(len(self.x), dtype=np.int32), axis=1) & NUMBER_MASK
        above = self.w.take(order)
        np.cumsum(above, axis=1, out=above)
        above += self.zeros
        near_edge = np.ones(above.shape, dtype=bool) if near is None else near(above)
        near_edge[:, 1:] |= near_edge[:, :-1].copy()  # the level above a point is the level below the next one
        if near is not None:
            near_edge[:, 0] |= near(np.array([self.zeros]))  # the level below the first point
        row, column = np.nonzero(near_edge)
        point, level = order[row, column], above[row, column]
        return Edges(self.x[point], self.y[point], starts[row], starts[row + 1], level - self.w[point], level)

    def _edges_of(self, points: NDArray[np.intp], rank: NDArray[np.intp], near: NearLevels | None) -> Edges:
        """The edges of these points: the line of each point is cut where it meets the line of another point.

        The points are numbered in the order of their values at the first slope; ``rank`` is their order at the last.
        """
        S, number = 1 << self.bits, np.arange(len(self.x))
        dx, dy = self.x - self.x[points, None], self.y - self.y[points, None]
        meet = (rank < rank[points, None]) != (number < points[:, None])
        place = _first_after(np.where(meet, dx, 1), dy, self.bits)
        packed = np.sort((np.where(meet, place, S) << NUMBER_BITS) | number, axis=1)
        ends = np.empty((len(points), len(number) + 2), dtype=np.int64)
        ends[:, 0], ends[:, 1:-1], ends[:, -1] = 0, packed >> NUMBER_BITS, S
        crossing = packed & NUMBER_MASK  # the points whose lines meet this one, in the order of slopes
        levels = np.empty((len(points), len(number) + 1), dtype=np.int64)
        levels[:, 0] = self.zeros + (np.cumsum(self.w) - self.w)[points]
        # Where two lines meet, the crossing one passes from below to above, or the reverse.
        levels[:, 1:] = np.where(crossing < points[:, None], -1, 1) * self.w.take(crossing)
        np.cumsum(levels, axis=1, out=levels)  # lines that never meet come last, at S, where no slope is left
        row, column = np.nonzero(ends[:, 1:] > ends[:, :-1])
        point, level = points[row], levels[row, column]
        if near is not None:
            near_edge = near(level) | near(level + self.w[point])
            row, column, point, level = row[near_edge], column[near_edge], point[near_edge], level[near_edge]
        start, stop = ends[row, column], ends[row, column + 1]
        return Edges(self.x[point], self.y[point], start, stop, level, level + self.w[point])

    def _values(self, j: int) -> Ints:
        values: Ints = (self.y << self.bits) - (2 * j + 1 - (1 << self.bits)) * self.x
        return values

    def gaps(self, j: int) -> tuple[list[int], list[int]]:
        """The values at slope j in order, bounds included, and the levels between neighboring values."""
        u = 2 * j + 1 - (1 << self.bits)
        values = self._values(j)
        order = np.argsort(values)
        levels = self.zeros + np.concatenate([[0], np.cumsum(self.w[order])])
        least, most = -max(u, 0) * self.N - (1 << self.bits), (self.N << self.bits) - min(u, 0) * self.N
        return [least, *values[order].tolist(), most], levels.tolist()


def at_level(edges: Iterable[Edges], level: int) -> tuple[Edges, Edges]:
    """The edges with this level just below them, and those with it just above them."""
    batches = [(batch.at(batch.below == level), batch.at(batch.above == level)) for batch in edges]
    below, above = (Edges(*map(np.concatenate, zip(*parts, strict=True))) for parts in zip(*batches, strict=True))
    return below, above


def level_sizes(lines: DualLines, batches: Iterable[Edges] | None = None) -> dict[int, int]:
    """The number of candidates "value ≥ c" at each level that has candidates, counted from batches of edges.

    The number is right for the levels whose edges are all among them; without ``batches``, these are all levels.

    >>> none = np.zeros(0, dtype=np.int64)
    >>> level_sizes(DualLines(none, none, none, zeros=3, ones=3, N=2, bits=4)), 16**2 * 3 + 16**2
    ({3: 1024}, 1024)
    """
    sums: dict[int, Ints] = {}
    for edges in lines.edges() if batches is None else batches:
        for p, q, shift in _parts(*edges.factors(lines.bits)):
            part = sums.setdefault(shift, np.zeros(lines.total + 2, dtype=np.int64))  # the last one is OUTSIDE
            product = p * q
            np.add.at(part, edges.below, product)
            np.subtract.at(part, edges.above, product)
    levels = np.flatnonzero(np.any(list(sums.values()), axis=0)[:-1]).tolist()
    sizes = {e: sum(int(part[e]) << shift for shift, part in sums.items()) for e in levels}
    return {e: size for e, size in sizes.items() if size}
