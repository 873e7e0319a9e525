"""How much of a line each of its values takes up: a float about the distance to the next float, other values the same.

Half of all floats lie between −1 and 1, and most of these are tiny. A candidate that is drawn among floats should not
be tiny just because most floats are. So the line is divided into equal places, and a float owns as many places as fit
between it and the next float. Because a value that many records share needs some room, each float owns a few extra
places; all extra places together are about 2^-20 of the line.

Throughout this file
    N      how many values the line has           j       the number of a value, 0 … N − 1
    at(j)  the first place of value j; at(0) = 0
    B      how many extra places each value owns; on a line of other values than floats, B = 1 and no value owns others
    H      a float as a multiple of 2^-1074, the smallest positive float
    code   the integer that stands for a float, in the order of the floats (line_codes.py)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.columns import Array
from privpac.data.values.line_codes import floats_with

EXTRA_BITS = 20  # all extra places together are about 2^-20 of the line
LEAST_BITS = 64  # B has more bits than this; with a smaller B, places would be too coarse
WIDEST = 1e12  # the bounds of a wider line only say "any float"; they do not bound what is measured
UNIT_EXPONENT = 1074  # H counts units of 2^-1074


@dataclass(frozen=True)
class Places:
    """The places of the values of a line. ``first`` is the code of its first float; None if all values own one place.

    >>> Places(8).at(3), Places(8).whole, Places(8).number_at(7)
    (3, 7, 7)
    >>> from privpac.data.values.line_codes import float_codes
    >>> zero, two = float_codes(np.array([0.0, 2.0])).tolist()
    >>> by_length = Places(two - zero + 1, zero)
    >>> one = 1023 << 52
    >>> round(by_length.at(one) / by_length.whole, 4), by_length.number_at(by_length.at(one) + 5) == one
    (0.5, True)
    """

    size: int  # N
    first: int | None = None

    @staticmethod
    def of_floats(first: int, size: int) -> Places:
        """Places of ``size`` floats from the code ``first`` on: by length, unless the line is too long or too short."""
        low, high = floats_with(np.array([first, first + size - 1])).tolist()
        by_length = Places(size, first)
        short_enough = high / 2 - low / 2 <= WIDEST / 2  # halves, because high − low may exceed all floats
        return by_length if short_enough and by_length.extra.bit_length() > LEAST_BITS else Places(size)

    @cached_property
    def extra(self) -> int:
        """B, a power of two."""
        if self.first is None:
            return 1
        average_length = self._height(self.size - 1) // self.size
        return 1 << max(average_length.bit_length() - EXTRA_BITS, 0)

    def _height(self, j: int) -> int:
        """H of value j, minus H of value 0."""
        low, value = floats_with(np.array([self.first, (self.first or 0) + j])).tolist()
        return _units(value) - _units(low)

    def at(self, j: int) -> int:
        """The first place of value j."""
        return j if self.first is None else j * self.extra + self._height(j)

    @cached_property
    def whole(self) -> int:
        """The first place of the last value."""
        return self.at(self.size - 1)

    @property
    def choices(self) -> int:
        """An upper bound on the ratio of all places to the places of any one value."""
        return self.size if self.first is None else self.whole // self.extra + 2

    def lengths(self, starts: Array, numbers: Array) -> Array:
        """How many places each run of values owns; run i has ``numbers[i]`` values, from number ``starts[i]`` on.

        The last value of the line owns B places.
        """
        if self.first is None:
            return numbers
        runs = zip(starts.tolist(), numbers.tolist(), strict=True)
        return np.array([self._end(start + count) - self.at(start) for start, count in runs], dtype=object)

    def _end(self, j: int) -> int:
        """The place after those of the first j values."""
        return self.at(j) if j < self.size else self.whole + self.extra

    def number_at(self, place: int) -> int:
        """The number of the value that owns this place, which must be a place of the line."""
        if self.first is None:
            return place
        low, high = 0, self.size  # at(low) ≤ place < at(high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.at(middle) <= place else (low, middle)
        return low

    def gaps(self, numbers: Array) -> tuple[NDArray[np.float64], float]:
        """The distances of neighbors in the list 0, ``numbers``, N − 1, without extra places; and B, in the same unit.

        ``numbers`` are in order. Results are floats, exact up to a factor 1 ± 2^-52.
        """
        if self.first is None:
            return np.zeros(len(numbers) + 1), 1.0
        ends = np.array([self.first, self.first + self.size - 1])
        inner = numbers.astype(np.int64) + np.int64(self.first)  # modulo 2^64: exact
        values = floats_with(np.concatenate([ends[:1], inner, ends[1:]]))
        _, exponent = frexp(values[-1] - values[0])  # the unit is 2^exponent, so no gap is larger than 1
        return np.diff(np.ldexp(values, -exponent)), ldexp(1.0, self.extra.bit_length() - 1 - UNIT_EXPONENT - exponent)


def _units(value: float) -> int:
    """H of a float."""
    numerator, denominator = value.as_integer_ratio()
    return (numerator << UNIT_EXPONENT) // denominator
