"""Steps: how finely a line tells values apart.

The values of a line with a step are the multiples of the step. A value between two of them counts as the lower one, so
x ≥ c has the same answer for a value and for its multiple, whatever multiple c is. Steps are public: declared, or
derived from the bounds alone.

The step of a line of floats is a decimal. The line's values are the floats nearest to its multiples, so they print as
the multiples do (0.3, never 0.30000000000000004).

Throughout this file
    s      the step                  k      a whole number: the multiple k·s
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import EXACT, missing
from privpac.data.values.columns import Array
from privpac.data.values.line_codes import DECIMAL_DIGITS, EXACT_FLOATS, as_float
from privpac.refusals.option_words import Finest, words_of
from privpac.refusals.refusal import Refused, RefusedType, Setting

(FINEST,) = words_of(Finest)
SIGNIFICANT_DIGITS = 4  # of the line's width; the default step of a line of floats is one unit of the last of them
UNBOUNDED = Fraction(10**12)  # the bounds of a wider line only say "any float"; they do not bound what is measured
SPARE = 16  # units in the last place: the least step of floats, so that different multiples are different floats
LARGEST_POWER = 10**22  # the largest power of ten that is a float
StepArgument = int | float | Decimal | np.integer | np.floating | timedelta | np.timedelta64 | Finest
MICROSECOND = timedelta(microseconds=1)
MICROSECONDS_IN = {  # each of numpy's time units that always has the same length
    unit: Fraction(timedelta(**{name: 1}) // MICROSECOND)
    for unit, name in (("W", "weeks"), ("D", "days"), ("h", "hours"), ("m", "minutes"), ("s", "seconds"))
} | {"ms": Fraction(1000), "us": Fraction(1), "ns": Fraction(1, 1000)}
NUMBER = Setting("step"), " must be a positive number, such as ", Setting.to("step", 0.1)
TIME = Setting("step"), " must be a duration: timedelta(minutes=15) in Python, 15m on the command line"


def own_step(step: object, kind: str) -> Any:
    """The step as an integer, a decimal, or a duration of Python; Refused if lines of this kind cannot have it.

    >>> own_step(0.1, "float"), own_step(5, "integer")
    (Decimal('0.1'), 5)
    """
    if kind == "string":
        raise Refused("step", Setting("step"), " applies to numbers and times, not to text; leave it out")
    if kind.startswith("datetime64"):
        duration = step.item() if isinstance(step, np.timedelta64) else step
        if not isinstance(duration, timedelta):
            raise RefusedType("step", *TIME)
        return timedelta(duration.days, duration.seconds, duration.microseconds)
    number = step.item() if isinstance(step, np.integer | np.floating) else step
    if isinstance(number, bool) or not isinstance(number, int if kind == "integer" else int | float | Decimal):
        raise RefusedType("step", *NUMBER)
    if missing(number) or not 0 < number < math.inf:
        raise Refused("step", *NUMBER)
    if kind == "integer":
        return number
    decimal = Decimal(repr(number) if isinstance(number, float) else number).normalize(EXACT)
    if max(abs(decimal.adjusted()), places_of(decimal)) > DECIMAL_DIGITS:
        raise Refused("step", Setting("step"), f" may have at most {DECIMAL_DIGITS} digits before and after the point")
    return decimal


def units_in(step: Any, kind: str, precision: int) -> int:
    """How many codes of a line of this kind lie in one ``step``; Refused if that is not a whole number.

    >>> units_in(timedelta(minutes=1), "datetime64[s]", 0), units_in(Decimal("0.5"), "decimal", 2)
    (60, 50)
    """
    if not kind.startswith("datetime64"):
        return int(Fraction(step) * 10**precision)
    unit, count = np.datetime_data(kind)  # datetime64[15m] counts units of 15 minutes
    if unit in MICROSECONDS_IN:
        units = Fraction(step // MICROSECOND) / (MICROSECONDS_IN[unit] * count)
    else:
        units = Fraction(1, 2)  # refused below: months and years have no fixed length
    if units < 1 or units.denominator > 1:
        raise Refused("step", Setting("step"), " must be a whole number of the units of low and high, such as days")
    return int(units)


def places_of(step: Decimal) -> int:
    """How many decimals the multiples of ``step`` have.

    >>> places_of(Decimal("0.05")), places_of(Decimal("10"))
    (2, 0)
    """
    return max(0, -int(step.as_tuple().exponent))


def usual_step(low: Any, high: Any, kind: str) -> Any:
    """The default step: four significant digits of the width of a line of floats, a minute for times, else None.

    >>> usual_step(0.0, 150.0, "float"), usual_step(-1.0, 1.0, "float"), usual_step(0, 9, "integer")
    (Decimal('0.1'), Decimal('0.001'), None)
    """
    if kind.startswith("datetime64"):
        unit, count = np.datetime_data(kind)
        minute = MICROSECONDS_IN["m"]
        spacing = MICROSECONDS_IN.get(unit, MICROSECONDS_IN["D"]) * count  # months and years are longer than a minute
        return timedelta(minutes=1) if spacing < minute and minute % spacing == 0 else None
    if kind != "float" or not 0 < (width := Fraction(high) - Fraction(low)) <= UNBOUNDED:
        return None
    step = Decimal(1).scaleb(decade(width) - SIGNIFICANT_DIGITS + 1)
    return step if FloatSteps(step, max(abs(low), abs(high))).distinct else None


def decade(number: Fraction) -> int:
    """The j with 10^j ≤ ``number`` < 10^(j + 1).

    >>> decade(Fraction(150)), decade(Fraction(1, 10)), decade(Fraction(3, 100))
    (2, -1, -2)
    """
    guess = math.floor(math.log10(number.numerator) - math.log10(number.denominator))
    return next(j for j in (guess + 1, guess, guess - 1) if Fraction(10) ** j <= number)


@dataclass(frozen=True)
class FloatSteps:
    """The floats nearest to the multiples of ``step``, on a line that reaches up to ``farthest`` from 0.

    >>> tenths = FloatSteps(Decimal("0.1"), farthest=150.0)
    >>> tenths.value(3), tenths.numbers(np.array([0.1 + 0.2, 0.3, 0.29999999999999993])).tolist()
    (0.3, [3, 3, 2])
    """

    step: Decimal
    farthest: float

    @property
    def distinct(self) -> bool:
        """Whether the step is coarse enough that different multiples are different floats."""
        return self._exact_step >= SPARE * Fraction(math.ulp(self.farthest))

    def value(self, k: int) -> float:
        """The float nearest to k·s, infinite beyond the largest float."""
        return as_float(k * self._exact_step)

    def numbers(self, values: NDArray[np.float64]) -> Array:
        """For each value, the largest k whose float is at most the value."""
        if not self.fast:
            return np.array([self._number(value) for value in values.tolist()], dtype=object)
        # Because top, bottom, and k·top are exact floats, (k·top)/bottom is the float nearest to k·s. The first guess
        # of k is wrong by one at most, because multiples are at least SPARE units in the last place apart.
        top, bottom = self.quotient
        k = np.floor(values / float(self._exact_step))
        k += ((k + 1) * top) / bottom <= values
        k -= (k * top) / bottom > values
        return k.astype(np.int64)

    @property
    def quotient(self) -> tuple[float, float]:
        """Two floats whose quotient is the step; they are exact if ``fast``."""
        top, bottom = self._exact_step.as_integer_ratio()
        return float(top), float(bottom)

    @property
    def fast(self) -> bool:
        """Whether all numbers that ``numbers`` computes with are exact floats."""
        top, bottom = self._exact_step.as_integer_ratio()
        largest = (math.ceil(Fraction(self.farthest) / self._exact_step) + 2) * top
        return largest <= EXACT_FLOATS and bottom <= LARGEST_POWER and int(float(bottom)) == bottom

    def _number(self, value: float) -> int:
        k = math.floor(Fraction(value) / self._exact_step)
        return next(candidate for candidate in (k + 1, k, k - 1) if self.value(candidate) <= value)

    @cached_property
    def _exact_step(self) -> Fraction:
        return Fraction(self.step)
