"""Points as lines over public slopes: how many candidate half-planes make each number of errors.

proof: docs/proofs/half_plane_learner.md, Theorem 1

Throughout this file
    S, j, u    a power of 2; the number of a slope, 0 … S − 1; the slope u = 2j + 1 − S, always odd
    value      S·y − u·x for the point (x, y) at a slope. Two points of the grid never have the same value
    w          the records of a point with label 1 minus those with label 0
    level      a number of errors of rules "value ≥ c"; just above a point it is larger by w than just below it
    edge       a point between two slopes where its level changes: slopes start … stop − 1
    OUTSIDE    stands for a level beyond the first or the last candidate
    turn       a slope where lines of grid points meet: a fraction p/q, q ≤ N. Between turns, the order of values stays

The candidates between two neighboring values are as many as the difference of the two. So the number of candidates of a
level is a sum over edges: plus the values of points that have the level just below them, minus those of points that
have it just above them.
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
PART = 19  # bits: products of two parts stay below 2^38, and sums of 2^25 of them within ±2^63
PART_MASK = (1 << PART) - 1
MOST_BITS = 2 * PART  # the largest log₂ S; then N < 2^17
NUMBER = 12  # bits of a point's number, which is below MOST_POINTS
NUMBER_MASK = (1 << NUMBER) - 1
EDGES_AT_ONCE = 1 << 16  # edges that are looked at together


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
        """The number of slopes of each edge, at most 2^38, and the mean of its values, within ±2^56."""
        count = self.stop - self.start
        return count, ((self.x + self.y) << bits) - self.x * (self.start + self.stop)

    def value_sum(self, bits: int) -> int:
        """The sum of all values, exactly; at most 2^25 edges."""
        count, mean = self.factors(bits)
        return sum(int((p * q).sum()) << shift for p, q, shift in _parts(count, mean))

    def until(self, stop: int) -> Edges:
        """The parts of the edges on slopes before ``stop``."""
        return self._replace(start=np.minimum(self.start, stop), stop=np.minimum(self.stop, stop))


def _parts(count: Ints, mean: Ints) -> Iterator[tuple[Ints, Ints, int]]:
    """count·mean as a sum of products of 19-bit parts, each shifted; the last part of ``mean`` has the sign."""
    means = mean & PART_MASK, (mean >> PART) & PART_MASK, mean >> (2 * PART)
    for i, p in enumerate((count & PART_MASK, count >> PART)):
        for k, q in enumerate(means):
            yield p, q, PART * (i + k)


@dataclass(eq=False)
class NearLevels:
    """The levels with at most ``reach`` errors more than the fewest so far; a complement errs on all other records.

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
    q, p = (each.ravel() for each in np.mgrid[1 : N + 1, -N : N + 1])
    some = (np.abs(p) <= q) & (np.gcd(p, q) == 1)
    p, q = p[some], q[some]
    order = np.argsort(p / q)
    p, q = p[order], q[order]
    return _first_after(q, p, bits), p[:-1] + p[1:], q[:-1] + q[1:]


def _first_after(dx: Ints, dy: Ints, bits: int) -> Ints:
    """The first slope greater than dy/dx."""
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
        """Where candidates begin and end: the least value in the row below the grid, and the greatest in the grid."""
        half, N = 1 << (self.bits - 1), self.N
        rows = [
            (0, -1, 0, half, OUTSIDE, self.zeros),
            (N, -1, half, 2 * half, OUTSIDE, self.zeros),
            (N, N, 0, half, self.ones, OUTSIDE),
            (0, N, half, 2 * half, self.ones, OUTSIDE),
        ]
        return Edges(*np.array(rows, dtype=np.int64).T)

    def edges(self, near: NearLevels | None = None) -> Iterator[Edges]:
        """All edges, or at least those with a near level, some at a time."""
        yield self.bounds()
        if 2 * len(self.x) > self.N**2:  # there are few turns: about 3/5·N²
            starts, p, q = turns(max(self.N, 1), self.bits)
            rows = max(1, EDGES_AT_ONCE // len(self.x))
            for row in range(0, len(p), rows):
                some = slice(row, row + rows)
                yield self._swept(starts[row : row + rows + 1], p[some, None], q[some, None], near)
            return
        first, last = (np.argsort(self._values(j)) for j in (0, (1 << self.bits) - 1))
        rank = np.empty_like(last)
        rank[last] = np.arange(len(last))
        order = DualLines(self.x[first], self.y[first], self.w[first], self.zeros, self.ones, self.N, self.bits)
        rows = max(1, EDGES_AT_ONCE // (len(first) + 1))
        for row in range(0, len(first), rows):
            yield order._edges(np.arange(row, min(row + rows, len(first))), rank[first], near)

    def _swept(self, starts: Ints, p: Ints, q: Ints, near: NearLevels | None) -> Edges:
        """The edges of all points between some turns and the next; the order of values is that at the slope p/q."""
        values = (q * (self.y + self.N) - p * self.x).astype(np.int32)  # below 6·N² < 12·4096
        order = np.sort((values << NUMBER) | np.arange(len(self.x), dtype=np.int32), axis=1) & NUMBER_MASK
        above = self.w.take(order)
        np.cumsum(above, axis=1, out=above)
        above += self.zeros
        kept = np.ones(above.shape, dtype=bool) if near is None else near(above)
        kept[:, 1:] |= kept[:, :-1].copy()  # a level above a point is that below the next
        row, column = np.nonzero(kept)
        point, level = order[row, column], above[row, column]
        return Edges(self.x[point], self.y[point], starts[row], starts[row + 1], level - self.w[point], level)

    def _edges(self, some: NDArray[np.intp], rank: NDArray[np.intp], near: NearLevels | None) -> Edges:
        """The edges of some points: where they meet the lines of all others, in order.

        The points are in the order of their values at the first slope; ``rank`` is their order at the last one.
        """
        S, number = 1 << self.bits, np.arange(len(self.x))
        dx, dy = self.x - self.x[some, None], self.y - self.y[some, None]
        meet = (rank < rank[some, None]) != (number < some[:, None])
        place = _first_after(np.where(meet, dx, 1), dy, self.bits)
        packed = np.sort((np.where(meet, place, S) << NUMBER) | number, axis=1)
        ends = np.empty((len(some), len(number) + 2), dtype=np.int64)
        ends[:, 0], ends[:, 1:-1], ends[:, -1] = 0, packed >> NUMBER, S
        other = packed & NUMBER_MASK
        levels = np.empty((len(some), len(number) + 1), dtype=np.int64)
        levels[:, 0] = self.zeros + (np.cumsum(self.w) - self.w)[some]
        levels[:, 1:] = np.where(other < some[:, None], -1, 1) * self.w.take(other)  # it was below, or above
        np.cumsum(levels, axis=1, out=levels)  # lines that never meet come last, at S, where no slope is left
        row, column = np.nonzero(ends[:, 1:] > ends[:, :-1])
        point, level = some[row], levels[row, column]
        if near is not None:
            kept = near(level) | near(level + self.w[point])
            row, column, point, level = row[kept], column[kept], point[kept], level[kept]
        start, stop = ends[row, column], ends[row, column + 1]
        return Edges(self.x[point], self.y[point], start, stop, level, level + self.w[point])

    def _values(self, j: int) -> Ints:
        values: Ints = (self.y << self.bits) - (2 * j + 1 - (1 << self.bits)) * self.x
        return values

    def gaps(self, j: int) -> tuple[list[int], list[int]]:
        """The values at slope j in order, with the bounds, and the level between each and the next."""
        u = 2 * j + 1 - (1 << self.bits)
        values = self._values(j)
        order = np.argsort(values)
        levels = self.zeros + np.concatenate([[0], np.cumsum(self.w[order])])
        least, most = -max(u, 0) * self.N - (1 << self.bits), (self.N << self.bits) - min(u, 0) * self.N
        return [least, *values[order].tolist(), most], levels.tolist()


def at_level(edges: Iterable[Edges], level: int) -> tuple[Edges, Edges]:
    """The edges with this level just below them, and those with it just above them."""
    parts = [(each.at(each.below == level), each.at(each.above == level)) for each in edges]
    below, above = (Edges(*map(np.concatenate, zip(*part, strict=True))) for part in zip(*parts, strict=True))
    return below, above


def level_sizes(lines: DualLines, every: Iterable[Edges] | None = None) -> dict[int, int]:
    """The number of candidates "value ≥ c" at each level that has some, if ``every`` edge of the level is given.

    >>> none = np.zeros(0, dtype=np.int64)
    >>> level_sizes(DualLines(none, none, none, zeros=3, ones=3, N=2, bits=4)), 16**2 * 3 + 16**2
    ({3: 1024}, 1024)
    """
    sums: dict[int, Ints] = {}
    for edges in lines.edges() if every is None else every:
        for p, q, shift in _parts(*edges.factors(lines.bits)):
            part = sums.setdefault(shift, np.zeros(lines.total + 2, dtype=np.int64))  # the last one is OUTSIDE
            product = p * q
            np.add.at(part, edges.below, product)
            np.subtract.at(part, edges.above, product)
    some = np.flatnonzero(np.any(list(sums.values()), axis=0)[:-1]).tolist()
    sizes = {e: sum(int(part[e]) << shift for shift, part in sums.items()) for e in some}
    return {e: size for e, size in sizes.items() if size}
