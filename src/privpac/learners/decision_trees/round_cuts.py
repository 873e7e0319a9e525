"""Cuts of a column at numbers that people like to read: 1, 2, 5, 10, 20, 50, …, and multiples of a round number.

They depend on the declared line alone, never on records. If it has few values, every cut is used. Otherwise, about half
of the cuts are equally spaced, and half grow with the distance from 0, so that small and large numbers are both told
apart. Times are cut where years, months, days, … begin.

Throughout this file
    t      a cut: it divides the values with numbers below t from the others        N    the number of values
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import count
from math import ceil, floor

import numpy as np

from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import UNBOUNDED, decade
from privpac.learners.grids.grids import cell_starts

ROUND = (1, 2, 5)
DECADES = 4  # on a line of floats, growing cuts start this many decades below its largest number
USUAL = (-3, 12)  # decades of growing cuts if a line is so wide that its bounds say nothing about its values
CALENDAR = ("Y", "M", "D", "h", "m", "s", "ms", "us", "ns")


@lru_cache(maxsize=2**12)
def round_cuts(line: Line, most: int) -> tuple[int, ...]:
    """About ``most`` cuts t, 0 < t < N, in order.

    >>> [[line.decode(t) for t in round_cuts(line, 12)] for line in (Line(0, 9), Line(18, 90))]
    [[1, 2, 3, 4, 5, 6, 7, 8, 9], [20, 30, 40, 50, 60, 70, 80]]
    >>> [Line(0, 10**6).decode(t) for t in round_cuts(Line(0, 10**6), 12)]
    [2, 20, 200, 2000, 20000, 200000, 400000, 600000, 800000]
    >>> from datetime import date
    >>> ten_years = Line(date(2017, 1, 1), date(2026, 12, 31))
    >>> [ten_years.decode(t).year for t in round_cuts(ten_years, 4)]
    [2019, 2021, 2023, 2025]
    """
    if line.size - 1 <= most + most // 3:  # up to a third more cuts than asked for are all used
        return tuple(range(1, line.size))
    if line.kind == "string":
        cuts = [int(t) for t in cell_starts(line, most + 1)]
    elif line.kind.startswith("datetime64"):
        cuts = _times(line, most)
    else:
        low, high = Fraction(line.low), Fraction(line.high)
        sizes = sorted(_growing(line, low, high))
        growing = {sizes[i] for i in _even(len(sizes), most // 2)}
        cuts = [_number(line, value) for value in _with_multiples(growing, low, high, most)]
    return tuple(sorted({t for t in cuts if 0 < t < line.size} or {line.size // 2}))


def _number(line: Line, value: Fraction) -> int:
    """The number of the first value of the line that is at least ``value``, rounded to a float among floats."""
    if line.kind == "float":
        rounded = float(value)
        number = int(line.encode(np.array([rounded]))[0])
        return number + int(line.decode(number) < rounded)
    return ceil(value * Fraction(10) ** line.precision / line.units) - line.ends[0]


def _with_multiples(growing: set[Fraction], low: Fraction, high: Fraction, most: int) -> set[Fraction]:
    """``growing`` and all multiples of a round step strictly between ``low`` and ``high``, at most ``most`` in all.

    The step is the smallest one for which they are not more.
    """
    smallest = decade(high - low) - len(str(most)) - 1  # 10^smallest is too small a step
    for step in (Fraction(10) ** exponent * mantissa for exponent in count(smallest) for mantissa in ROUND):
        first, last = floor(low / step) + 1, ceil(high / step) - 1
        if last - first < most and len(cuts := growing | {step * i for i in range(first, last + 1)}) <= most:
            return cuts
    raise AssertionError("a step beyond the bounds has at most one multiple between them")


def _growing(line: Line, low: Fraction, high: Fraction) -> Iterator[Fraction]:
    """±1, ±2, ±5, ±10, … strictly between ``low`` and ``high``, and ±0.5, ±0.2, … as far as the line has them."""
    largest = max(abs(low), abs(high))
    first, last = USUAL if largest > UNBOUNDED else (decade(largest) - DECADES, decade(largest))
    first = first if line.kind == "float" else -line.precision
    for size in (Fraction(10) ** exponent * mantissa for exponent in range(first, last + 1) for mantissa in ROUND):
        yield from (value for value in (size, -size) if low < value < high)


def _times(line: Line, most: int) -> list[int]:
    """``most`` times, evenly chosen, at which a calendar unit begins: the coarsest one that begins that often."""
    low, high = (np.array(code, dtype=np.int64).view(line.kind) for code in (line.first, line.last))
    for unit in CALENDAR:
        first, last = (int(time.astype(f"datetime64[{unit}]").astype(np.int64)) for time in (low, high))
        if last - first >= most:
            chosen = [first + 1 + i for i in _even(last - first, most)]
            begins = np.array(chosen, dtype=np.int64).view(f"datetime64[{unit}]").astype(line.kind)
            return [-(-code // line.units) - line.ends[0] for code in begins.astype(np.int64).tolist()]
    return [int(t) for t in cell_starts(line, most + 1)]


def _even(size: int, most: int) -> list[int]:
    """The positions 0 … size − 1 or, if these are more than ``most``, that many of them, equally spaced."""
    return [(2 * i + 1) * size // (2 * most) for i in range(most)] if size > most else [*range(size)]
