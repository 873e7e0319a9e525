"""Cells of a line with few records each: short where records are dense, long where they are rare.

[ZXX16]  docs/references.bib        proof: docs/proofs/split_tree.md

Throughout this file
    node     a stretch of the line, cut in two by a public rule; the root, at depth 0, is always cut
    c        the number of records that a node holds
    t        θ + l·d, the threshold at depth l: a node is cut if its noisy count reaches it
    w        counts below t − w are raised to t − w: ``floor``
    Z        discrete Laplace noise of rate x
    s(k)     Pr[Z ≥ k]: a node with c = t − k records is cut with probability s(min(k, w))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count as naturals
from math import ceil
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.samples.sample import InOrder, Ints
from privpac.exact.bulk_noise import discrete_laplaces
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.mechanisms.noise.laplace import laplace_tail
from privpac.privacy.bisection import smallest_between
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball

FINENESS = 2**12  # rates are multiples of ε/FINENESS
AT_ONCE = 512  # at least this many draws of noise are made together
NEGLIGIBLE = 40  # levels are added up one by one until what each adds is about e^(−40)
MOST = 2**40  # the largest θ, d, and w: thresholds are then machine integers at any depth that is reached


class Level(NamedTuple):
    """Nodes of one depth: their first and last values, and how many records lie below either end."""

    low: Integers
    high: Integers
    before: Ints
    until: Ints


class Stream:
    """Draws of noise, taken in order. They are made many at a time, which is faster; what nobody takes is dropped.

    >>> noise = Stream(lambda count: np.arange(count))
    >>> noise.take(2), noise.take(3)
    (array([0, 1]), array([2, 3, 4]))
    """

    def __init__(self, draw: Callable[[int], Ints]) -> None:
        self._draw, self._left = draw, draw(0)

    def take(self, count: int) -> Ints:
        """The next ``count`` draws."""
        if count > len(self._left):
            self._left = np.concatenate([self._left, self._draw(max(AT_ONCE, count))])
        taken, self._left = self._left[:count], self._left[count:]
        return taken


@dataclass(frozen=True)
class SplitTree(Mechanism):
    """The first values of the cells, in order; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> halves = InOrder.of(np.array([2**63] * 1000 + [9] * 1000, dtype=np.uint64), None)
    >>> starts = SplitTree(Budget(10), LineTree(2**64), theta=20, step=1, floor=2).release(halves, SYSTEM)
    >>> {0, 9, 10, 2**63, 2**63 + 1} <= set(starts)
    True
    """

    cost: Budget
    tree: LineTree
    theta: int  # θ
    step: int  # d ≥ 1
    floor: int  # w ≥ 1
    name: ClassVar[str] = "split tree"
    theorem: ClassVar[str] = "split tree, Theorem 1"

    def __post_init__(self) -> None:
        if not all(1 <= parameter <= MOST for parameter in (self.theta, self.step, self.floor)):
            raise ValueError(f"theta, step, and floor must lie in 1 … {MOST}")

    @cached_property
    def rate(self) -> Fraction:
        """x: the largest multiple of ε/FINENESS that certainly costs at most ε."""
        unit = self.cost.epsilon / FINENESS

        def is_too_costly(m: int) -> bool:
            with ctx.workprec(128):
                return not self.price(m * unit) <= ball(self.cost.epsilon)

        most = smallest_between(is_too_costly, 0, FINENESS) - 1
        if not most:
            raise ValueError("no noise makes this tree private at this ε; choose a larger step")
        return most * unit

    def price(self, x: Fraction) -> arb:
        """An upper bound on the privacy cost at rate x, for a path that gains a record and one that loses it."""
        return self.gains(x) + ball(x)

    def gains(self, x: Fraction) -> arb:
        """G₊: the most by which one more record raises the log-probability of the cuts on a path, over all depths."""
        levels = ceil(NEGLIGIBLE / (x * self.step))
        gains = (_gain(x, self.floor - i * self.step) for i in range(levels))
        return sum(gains, arb(0)) - laplace_tail(x, self.floor - levels * self.step).log()

    def threshold(self, depth: int) -> int:
        return self.theta + depth * self.step

    def least(self, depth: int) -> int:
        """t − w: a node with fewer records is cut as if it had this number."""
        return self.threshold(depth) - self.floor

    def splits(self, records: Ints, depth: int, noise: Stream) -> NDArray[np.bool_]:
        """Which nodes of a depth are cut, given how many records they hold."""
        return np.asarray(np.maximum(records, self.least(depth)) + noise.take(len(records)) >= self.threshold(depth))

    def _noise(self, coins: Entropy) -> Stream:
        return Stream(lambda count: discrete_laplaces(self.rate, count, coins))

    def release(self, data: InOrder, coins: Entropy) -> tuple[int, ...]:
        starts, level, noise = [self.tree.numbers([0])], self._root(data), self._noise(coins)
        for depth in naturals():
            if not len(level.low):
                break
            if depth:
                is_cut = self.splits(level.until - level.before, depth, noise)
                level = Level(*(column[is_cut] for column in level))
            cut, level = self._parts(level, data)
            starts.append(cut)
        return tuple(np.sort(np.concatenate(starts)).tolist())

    def _root(self, data: InOrder) -> Level:
        low, high = self.tree.numbers([0]), self.tree.numbers([self.tree.size - 1])
        if self.tree.size == 1:  # a single value is never cut
            low, high = low[:0], high[:0]
        return Level(low, high, data.below(low), data.up_to(high))

    def _parts(self, level: Level, data: InOrder) -> tuple[Integers, Level]:
        """Where the nodes are cut, and their parts; parts of a single value are left out: they are never cut."""
        low, high, before, until = level
        cut = self.tree.cuts(low, high)
        middle = data.below(cut)
        last = cut - self.tree.numbers([1])[0]
        parts = Level(*map(_in_turn, (low, last, before, middle), (cut, high, middle, until)))
        longer = np.asarray(parts.low < parts.high, dtype=bool)
        return cut, Level(*(column[longer] for column in parts))

    def law(self, data: InOrder) -> dict[tuple[int, ...], arb]:
        """The exact law. For small lines."""
        with ctx.workprec(128):
            return dict(self._cells(0, self.tree.size - 1, 0, data))

    def _cells(self, low: int, high: int, depth: int, data: InOrder) -> Iterator[tuple[tuple[int, ...], arb]]:
        """Every way to cut a node into cells, by their first values, with its probability."""
        if low == high:
            yield (low,), arb(1)
            return
        ends = self.tree.numbers([low]), self.tree.numbers([high])
        p = arb(1)
        if depth:
            p = self.chance(int(data.up_to(ends[1])[0] - data.below(ends[0])[0]), depth)
            yield (low,), 1 - p
        cut = int(self.tree.cuts(*ends)[0])
        upper = list(self._cells(cut, high, depth + 1, data))
        for left, q in self._cells(low, cut - 1, depth + 1, data):
            for right, r in upper:
                yield (*left, *right), p * q * r

    def chance(self, records: int, depth: int) -> arb:
        """The probability that a node is cut."""
        return laplace_tail(self.rate, self.threshold(depth) - max(records, self.least(depth)))


def _in_turn(left: Integers, right: Integers) -> Integers:
    """Left and right parts in the order of the line: searching in order is faster."""
    return np.stack([left, right], axis=1).ravel()


def _gain(x: Fraction, k: int) -> arb:
    """ln(s(k − 1)/s(k)): what one more record adds to the log-probability of a cut, without cancellation."""
    return ball(x) if k > 0 else (laplace_tail(x, k - 1) / laplace_tail(x, k)).log()
