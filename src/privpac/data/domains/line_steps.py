"""Steps: how finely a line tells values apart.

The values of a line with a step are the multiples of the step. A value between two of them counts as the lower one, so
x ≥ c means the same for a value and for its multiple, whatever multiple c is. Steps are public: given, or derived from
the bounds alone.

A line of floats is stepped in decimals: its values are the floats nearest to the multiples of the step, which are those
that the printed multiples mean (0.3, never 0.30000000000000004).

Throughout this file
    s      the step                  k      a whole number: the multiple k·s
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import missing
from privpac.data.values.columns import Array
from privpac.data.values.line_codes import DECIMAL_DIGITS, EXACT_FLOATS, as_float
from privpac.refusals.option_words import Finest, words_of
from privpac.refusals.refusal import Refused, RefusedType, Setting

(FINEST,) = words_of(Finest)
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)  # moving the decimal point never rounds
SIGNIFICANT = 4  # digits of the width of a line of floats that its default step keeps
UNBOUNDED = Fraction(10**12)  # a wider line of floats is declared by where floats end, not by what is measured
SPARE = 16  # units in the last place that a step holds at least: nearest floats of multiples differ
LARGEST_POWER = 10**22  # the largest power of ten that is a float
GivenStep = int | float | Decimal | np.integer | np.floating | timedelta | np.timedelta64 | Finest
MICROSECOND = timedelta(microseconds=1)
OF_UNIT = {  # in microseconds
    unit: Fraction(timedelta(**{name: 1}) // MICROSECOND)
    for unit, name in (("W", "weeks"), ("D", "days"), ("h", "hours"), ("m", "minutes"), ("s", "seconds"))
} | {"ms": Fraction(1000), "us": Fraction(1), "ns": Fraction(1, 1000)}
NUMBER = Setting("step"), " must be a positive number, such as ", Setting.to("step", 0.1)
TIME = Setting("step"), " must be a duration: timedelta(minutes=15) in Python, 15m on the command line"


def own_step(step: object, kind: str) -> Any:
    """An integer, a decimal, or a duration; Refused if it does not suit lines of this kind.

    >>> own_step(0.1, "float"), own_step(5, "integer")
    (Decimal('0.1'), 5)
    """
    if kind == "string":
        raise Refused("step", Setting("step"), " applies to numbers and times, not to text; leave it out")
    if kind.startswith("datetime64"):
        size = step.item() if isinstance(step, np.timedelta64) else step
        if not isinstance(size, timedelta):
            raise RefusedType("step", *TIME)
        return timedelta(size.days, size.seconds, size.microseconds)
    size = step.item() if isinstance(step, np.integer | np.floating) else step
    if isinstance(size, bool) or not isinstance(size, int if kind == "integer" else int | float | Decimal):
        raise RefusedType("step", *NUMBER)
    if missing(size) or not 0 < size < math.inf:
        raise Refused("step", *NUMBER)
    if kind == "integer":
        return size
    own = Decimal(repr(size) if isinstance(size, float) else size).normalize(EXACT)
    if max(abs(own.adjusted()), places_of(own)) > DECIMAL_DIGITS:
        raise Refused("step", Setting("step"), f" may have at most {DECIMAL_DIGITS} digits before and after the point")
    return own


def units_in(step: Any, kind: str, precision: int) -> int:
    """How many units of the finest line of this kind ``step`` holds; Refused if that is not a whole number.

    >>> units_in(timedelta(minutes=1), "datetime64[s]", 0), units_in(Decimal("0.5"), "decimal", 2)
    (60, 50)
    """
    if not kind.startswith("datetime64"):
        return int(Fraction(step) * 10**precision)
    unit, many = np.datetime_data(kind)
    units = Fraction(step // MICROSECOND) / (OF_UNIT[unit] * many) if unit in OF_UNIT else Fraction(1, 2)
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
    """Four significant digits of the width of a line of floats, a minute for times; None: every value.

    >>> usual_step(0.0, 150.0, "float"), usual_step(-1.0, 1.0, "float"), usual_step(0, 9, "integer")
    (Decimal('0.1'), Decimal('0.001'), None)
    """
    if kind.startswith("datetime64"):
        unit, many = np.datetime_data(kind)
        fine = OF_UNIT.get(unit, OF_UNIT["D"]) * many
        return timedelta(minutes=1) if fine < OF_UNIT["m"] and OF_UNIT["m"] % fine == 0 else None
    if kind != "float" or not 0 < (width := Fraction(high) - Fraction(low)) <= UNBOUNDED:
        return None
    step = Decimal(1).scaleb(decade(width) - SIGNIFICANT + 1)
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
        return self._exactly >= SPARE * Fraction(math.ulp(self.farthest))

    def value(self, k: int) -> float:
        """The float nearest to k·s, infinite beyond the largest float."""
        return as_float(k * self._exactly)

    def numbers(self, values: NDArray[np.float64]) -> Array:
        """For each value, the largest k whose float is at most the value."""
        if not self.fast:
            return np.array([self._number(value) for value in values.tolist()], dtype=object)
        # The numbers top, bottom, and k·top are exact floats, and a quotient of exact floats is the nearest float. The
        # first k is wrong by one at most, since multiples are at least SPARE units in the last place apart.
        top, bottom = self.quotient
        k = np.floor(values / float(self._exactly))
        k += ((k + 1) * top) / bottom <= values
        k -= (k * top) / bottom > values
        return k.astype(np.int64)

    @property
    def quotient(self) -> tuple[float, float]:
        """The step as a quotient of two floats, exactly if they are ``fast``."""
        top, bottom = self._exactly.as_integer_ratio()
        return float(top), float(bottom)

    @property
    def fast(self) -> bool:
        """Whether exact floats hold all numbers that are compared."""
        top, bottom = self._exactly.as_integer_ratio()
        most = (math.ceil(Fraction(self.farthest) / self._exactly) + 2) * top
        return most <= EXACT_FLOATS and bottom <= LARGEST_POWER and int(float(bottom)) == bottom

    def _number(self, value: float) -> int:
        k = math.floor(Fraction(value) / self._exactly)
        return next(each for each in (k + 1, k, k - 1) if self.value(each) <= value)

    @cached_property
    def _exactly(self) -> Fraction:
        return Fraction(self.step)
