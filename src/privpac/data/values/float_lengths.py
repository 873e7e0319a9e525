"""How much of a line each of its numbers takes up: integers alike, floats nearly by the length up to the next float.

Half of all floats lie between −1 and 1, and most of these are tiny. A candidate that is drawn among floats should not
be tiny because most floats are. So a float has as many places as the line is long up to the next one; and, because a
value that many records share needs some room, a little more: all these extras together are 2^-20 of the line.

Throughout this file
    j      a number of the line, 0 … N − 1        at(j)   the first of its places; at(0) = 0
    B      the extra of each number; 1 if all numbers are alike, which then have no other places
    H      a float in units of 2^-1074, of which every float is a multiple
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import frexp, ldexp

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.columns import Array
from privpac.data.values.line_codes import floats_with

EXTRA_BITS = 20  # all extras together are 2^-20 of the line
LEAST_BITS = 64  # with smaller extras, lengths would not be nearly continuous
WIDEST = 1e12  # a wider line of floats is declared by where floats end, not by what is measured
UNITS = 1074


@dataclass(frozen=True)
class Places:
    """The places of the numbers of a line; with ``first``, the code of its first float, by length.

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
        """The places of the floats from one code on: by length, unless the line is too long or too short for that."""
        low, high = floats_with(np.array([first, first + size - 1])).tolist()
        found = Places(size, first)
        return found if high / 2 - low / 2 <= WIDEST / 2 and found.extra.bit_length() > LEAST_BITS else Places(size)

    @cached_property
    def extra(self) -> int:
        """B, a power of two."""
        return (
            1
            if self.first is None
            else 1 << max((self._height(self.size - 1) // self.size).bit_length() - EXTRA_BITS, 0)
        )

    def _height(self, j: int) -> int:
        """H of number j, minus that of number 0."""
        low, value = floats_with(np.array([self.first, (self.first or 0) + j])).tolist()
        return _units(value) - _units(low)

    def at(self, j: int) -> int:
        """The first place of number j."""
        return j if self.first is None else j * self.extra + self._height(j)

    @cached_property
    def whole(self) -> int:
        """The first place of the last number."""
        return self.at(self.size - 1)

    @property
    def choices(self) -> int:
        """How many times larger all places together are than those of any number, at most."""
        return self.size if self.first is None else self.whole // self.extra + 2

    def lengths(self, starts: Array, numbers: Array) -> Array:
        """How many places the numbers starts[i], …, starts[i] + numbers[i] − 1 have; the last number has B."""
        if self.first is None:
            return numbers
        pairs = zip(starts.tolist(), numbers.tolist(), strict=True)
        return np.array([self._end(i + each) - self.at(i) for i, each in pairs], dtype=object)

    def _end(self, j: int) -> int:
        return self.at(j) if j < self.size else self.whole + self.extra

    def number_at(self, place: int) -> int:
        """The number that has this place; those before the first and after the last have none."""
        if self.first is None:
            return place
        low, high = 0, self.size  # at(low) ≤ place < at(high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.at(middle) <= place else (low, middle)
        return low

    def apart(self, numbers: Array) -> tuple[NDArray[np.float64], float]:
        """How far apart neighbors are, from number 0 over these, in order, to number N − 1, without extras; and B.

        Both in one unit, as floats within a factor 1 ± 2^-52.
        """
        if self.first is None:
            return np.zeros(len(numbers) + 1), 1.0
        ends = np.array([self.first, self.first + self.size - 1])
        inner = numbers.astype(np.int64) + np.int64(self.first)  # modulo 2^64: exact
        values = floats_with(np.concatenate([ends[:1], inner, ends[1:]]))
        _, e = frexp(values[-1] - values[0])
        return np.diff(np.ldexp(values, -e)), ldexp(1.0, self.extra.bit_length() - 1 - UNITS - e)


def _units(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << UNITS) // denominator
