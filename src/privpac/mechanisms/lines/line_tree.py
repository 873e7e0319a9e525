"""A public binary tree over the values of a line, in which small magnitudes are not far from the root.

Halving 0 … 2^64 − 1 reaches the numbers below 1000 after 54 steps. Here it takes about 11 steps, and no value is more
than about 2·log₂ log₂ N steps deeper than by halving.

Throughout this file
    N           the size of the line, numbered 0 … N − 1
    origin      the number of the value 0, or of the end of the line that is nearest to it
    side        the values from the origin upward, or those below it
    offset      the distance of a value from its side's inner end: 0, 1, 2, …
    magnitude   the bit length of an offset
    node        the values ``low`` … ``high``, both included

The tree cuts the line at the origin, then each side. A node then lies within one magnitude, or holds several whole
ones. Within one magnitude, it is halved. Of the magnitudes next to the origin, the outermost one is cut off first, then
the outermost two of the rest, then four, eight …; such a group of magnitudes is halved by their number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privpac.data.domains.line import Line
from privpac.exact.exponential_weights import Integers

BY_MAGNITUDE = ("integer", "decimal")  # kinds whose values are multiples of a unit


@dataclass(frozen=True)
class LineTree:
    """The tree over 0 … ``size`` − 1 with its ``origin``, 0 ≤ origin ≤ size.

    >>> tree = LineTree(16)
    >>> tree.cuts(tree.numbers([0]), tree.numbers([15])), tree.cuts(tree.numbers([0]), tree.numbers([7]))
    (array([8], dtype=uint64), array([2], dtype=uint64))
    >>> LineTree(2**70, 5).cuts(np.array([0], dtype=object), np.array([2**70 - 1], dtype=object))
    array([5], dtype=object)
    """

    size: int
    origin: int = 0

    @staticmethod
    def of(line: Line) -> LineTree:
        """Magnitudes count from the value 0 if values are multiples of a unit, and from the low end otherwise.

        >>> LineTree.of(Line(-5, 10)), LineTree.of(Line(1900, 2100)), LineTree.of(Line("A", "Z")).origin
        (LineTree(size=16, origin=5), LineTree(size=201, origin=0), 0)
        """
        multiples = line.kind in BY_MAGNITUDE or (line.kind == "float" and line.step is not None)
        return LineTree(line.size, min(max(-line.ends[0], 0), line.size) if multiples else 0)

    def numbers(self, values: list[int]) -> Integers:
        """Numbers of values as an array."""
        return np.array(values, dtype=np.uint64 if self.size <= 2**64 else object)

    def cuts(self, low: Integers, high: Integers) -> Integers:
        """Where nodes of more than one value are cut: the first values of their upper parts."""
        one, two = self.numbers([1, 2])
        width = high - low
        cut: Integers = low + width // two + one
        for i in np.flatnonzero(width >= self._nearest(low, high)).tolist():
            cut[i] = self._between(int(low[i]), int(high[i]))
        return cut

    def magnitudes(self) -> list[int]:
        """Where magnitudes and sides begin or end, in order, without the ends of the line.

        >>> LineTree(16, 5).magnitudes()
        [1, 3, 4, 5, 6, 7, 9, 13]
        """
        powers = [1 << k for k in range(self.size.bit_length())]
        ends = [*(self.origin - power for power in reversed(powers)), self.origin, *(self.origin + p for p in powers)]
        return [end for end in ends if 0 < end < self.size]

    def _nearest(self, low: Integers, high: Integers) -> Integers:
        """The smallest offset in each node; 0 in one that has values on both sides.

        In a node of several magnitudes, high − low is at least this offset; in others it is less.
        """
        origin, one, zero = self.numbers([min(self.origin, self.size - 1), 1, 0])
        if self.origin == 0:
            return np.asarray(low)
        if self.origin == self.size:
            return np.asarray(origin - high)
        below = np.where(high < origin, origin - high - one, zero)  # np.where drops differences that wrap around
        return np.asarray(np.where(low >= origin, low - origin, below))

    def _between(self, low: int, high: int) -> int:
        """The cut of a node that has several magnitudes, or values on both sides."""
        if low < self.origin <= high:
            return self.origin
        if low >= self.origin:
            return self.origin + self._outer(low - self.origin, high - self.origin, self.size - 1 - self.origin)
        return self.origin - self._outer(self.origin - 1 - high, self.origin - 1 - low, self.origin - 1)

    @staticmethod
    def _outer(near: int, far: int, farthest: int) -> int:
        """The first offset of the outer part of a node with offsets ``near`` … ``far`` of several magnitudes."""
        inner, outer = near.bit_length(), far.bit_length()
        middle = (inner + outer + 1) // 2
        if near == 0:  # at the origin, cut off one more magnitude than all earlier cuts together, at most half
            cut_off = farthest.bit_length() - outer
            middle = max(outer - cut_off, middle)
        return 1 << middle - 1  # the smallest number of ``middle`` bits


@dataclass(frozen=True)
class DoubledTree(LineTree):
    """Two lines of ``size``/2 values each, one after the other: the root is cut between them, then each as a line.

    The second line starts at the number size/2. ``origin`` is that of either line.

    >>> tree = DoubledTree.of_two(LineTree(16))
    >>> tree.cuts(tree.numbers([0, 16]), tree.numbers([31, 31])), tree.half
    (array([16, 24], dtype=uint64), LineTree(size=16, origin=0))
    """

    @staticmethod
    def of_two(half: LineTree) -> DoubledTree:
        """The tree over two copies of a line."""
        return DoubledTree(2 * half.size, half.origin)

    @property
    def half(self) -> LineTree:
        """The tree over one of the lines."""
        return LineTree(self.size // 2, self.origin)

    def cuts(self, low: Integers, high: Integers) -> Integers:
        half, firsts = self.half, self.numbers([0, self.size // 2])
        middle = firsts[1]
        on_one_line = ~np.asarray((low < middle) & (high >= middle), dtype=bool)
        cut = np.full(len(low), middle, dtype=firsts.dtype)
        start = firsts[np.asarray(low >= middle, dtype=np.intp)[on_one_line]]
        own = half.cuts(*((ends[on_one_line] - start).astype(half.numbers([]).dtype) for ends in (low, high)))
        cut[on_one_line] = own.astype(cut.dtype) + start
        return cut

    def magnitudes(self) -> list[int]:
        """Where magnitudes begin or end on both lines, and where the second line begins.

        >>> DoubledTree.of_two(LineTree(4)).magnitudes()
        [1, 2, 4, 5, 6]
        """
        middle, own = self.size // 2, self.half.magnitudes()
        return [*own, middle, *(middle + end for end in own)]
