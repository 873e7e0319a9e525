"""Bounds of a line of values, and the integer codes of its values.

The code of an integer is the integer itself. A float has its bits as code, a time its count of units since 1970. Codes
are in the order of the values and have no bounds of their own; a line subtracts the code of its lower bound.
"""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.allowed_types import exact, missing, too_long
from privpac.data.values.columns import Array
from privpac.data.values.equal_values import finest
from privpac.refusals.refusal import InPython, Refused, RefusedType, Setting

EXACT_FLOATS = 2**53  # a whole float below 2^53 stands for itself only; a larger one may be a rounded integer
STORED_AS_FLOATS = InPython(" (a missing value makes pandas store integers as floats)")
NO_INTEGERS = (
    *("values must be integers, like low and high; for other numbers, say how finely they count: ",),
    *(Setting.to("step", 0.1), ', or kind = "decimal" in a schema', STORED_AS_FLOATS),
)
BOTH = Setting("low"), " and ", Setting("high")
NOWHERE = 2  # the side of a missing value, which is neither below the bounds (−1) nor within (0) nor above (1)
VALUES_AT_ONCE = 2**15  # so that intermediate arrays stay in the processor's cache
DECIMAL_DIGITS = 1000  # the most digits of a decimal bound before its point, and after it; codes hold them all


def bounds(low: Any, high: Any, step: Any = None) -> tuple[Any, Any]:
    """The bounds, both in one type. An integer takes the type of the other bound; two integers take that of the step.

    >>> bounds(np.int8(0), 2.5), bounds(0, Decimal("2.5")), bounds(0, 150, 0.1)
    ((0.0, 2.5), (Decimal('0'), Decimal('2.5')), (0.0, 150.0))
    """
    low, high, step = _python(low), _python(high), _python(step)
    kinds = {kind_of(low), kind_of(high)}
    if kinds == {"integer"} and isinstance(step, float | Decimal):
        kinds.add(kind_of(step))
    if kinds == {"integer", "float"}:
        low, high = as_float(low), as_float(high)
    elif kinds == {"integer", "decimal"}:
        low, high = Decimal(low), Decimal(high)
    elif len(kinds) > 1:
        raise RefusedType("high", *BOTH, " must have the same type: integers, floats, decimals, dates, times, or text")
    for name, bound in (("low", low), ("high", high)):
        if missing(bound) or (isinstance(bound, (float, Decimal)) and bound in (math.inf, -math.inf)):
            raise Refused(name, *BOTH, " must be finite numbers, or times that are not NaT")
        if isinstance(bound, Decimal) and max(abs(bound.adjusted()), -int(bound.as_tuple().exponent)) > DECIMAL_DIGITS:
            raise Refused(name, *BOTH, f" may have at most {DECIMAL_DIGITS} digits before and after the point")
        if isinstance(bound, str) and too_long(bound):
            raise Refused(name, *BOTH, " may have at most 10,000 bytes in UTF-8, as all texts")
    if low > high:
        raise Refused("low", BOTH[0], " must not exceed ", BOTH[2])
    return low, high


def kind_of(bound: object) -> str:
    """What a bound is: integer, float, decimal, string, or a numpy time unit such as datetime64[D].

    >>> kind_of(3), kind_of(date(2026, 11, 15))
    ('integer', 'datetime64[D]')
    """
    bound = _python(bound)
    if isinstance(bound, np.datetime64) and not finest(bound):
        return str(bound.dtype)
    if isinstance(bound, datetime):
        if bound.tzinfo is not None:
            raise RefusedType("low", "times must not have a time zone; convert them all to one zone and drop it")
        return "datetime64[us]"
    if isinstance(bound, date):
        return "datetime64[D]"
    for kind, cls in (("integer", int), ("float", float), ("decimal", Decimal), ("string", str)):
        if isinstance(bound, cls) and not isinstance(bound, bool):
            return kind
    raise RefusedType("low", *BOTH, " must be integers, floats, decimals, dates, times (to the nanosecond), or text")


def _python(bound: Any) -> Any:
    """A numpy number or a pandas time in Python's type; a pandas time in nanoseconds in numpy's type."""
    if isinstance(bound, (np.integer, np.floating)) and not isinstance(bound, np.timedelta64):
        return int(bound) if isinstance(bound, np.integer) else float(bound)
    if hasattr(bound, "to_datetime64") and bound.tzinfo is None:
        numpy_time = bound.to_datetime64()
        return numpy_time if np.datetime_data(numpy_time.dtype)[0] == "ns" else bound.to_pydatetime()
    return bound


def number(value: object) -> int | float | Decimal | Fraction:
    """``value`` as one of Python's numbers, not rounded; TypeError if it is not a number."""
    if type(value) is int or type(value) is float:
        return value
    python_value = exact(value)
    if isinstance(python_value, (int, float, Decimal, Fraction)) and not isinstance(python_value, bool):
        return python_value
    raise TypeError("values must be numbers, like low and high; parse text first, or let schema.open(file) read it")


def as_float(value: object) -> float:
    """The nearest float, infinite if ``value`` is too large; TypeError if it is not a number.

    >>> as_float(2**53 + 1), as_float(-(10**400)), as_float(None)
    (9007199254740992.0, -inf, nan)
    """
    if missing(value):
        return math.nan
    exact_number = number(value)
    try:
        return float(exact_number)
    except OverflowError:
        return math.inf if exact_number > 0 else -math.inf


def float_near(number: int | float | Decimal, end: float) -> float:
    """The float nearest to ``number`` among those between it and ``end``, which is inf or −inf.

    Compared with a decimal, a float counts as the decimal that it prints as. No other float prints as that decimal.

    >>> float_near(2**53 + 1, math.inf), float_near(Decimal("0.29"), -math.inf)
    (9007199254740994.0, 0.29)
    """
    nearest = float(number) if isinstance(number, Decimal) else as_float(number)
    compared = Decimal(repr(nearest)) if isinstance(number, Decimal) else nearest
    on_wrong_side = compared < number if end > 0 else compared > number
    return math.nextafter(nearest, end) if on_wrong_side else nearest


def integer_codes(array: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Integers unchanged, and a mask of the missing ones. Floats must be whole; NaN and |x| ≥ 2^53 count as missing.

    >>> integer_codes(np.array([37.0, np.nan]))
    (array([37,  0]), array([False,  True]))
    """
    if array.dtype.kind != "f":
        return array, np.zeros(array.shape, dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):  # a signalling NaN is a NaN; a half float ends below 2^53
        absent = ~(np.abs(array) < EXACT_FLOATS)
    numbers = np.where(absent, 0.0, array)
    if (np.floor(numbers) != numbers).any():
        raise RefusedType("values", *NO_INTEGERS)
    return numbers.astype(np.int64), absent


def float_codes(array: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each float, the bits of its magnitude as an integer, with the sign of the float.

    Codes are in the order of the floats. Both zeros have code 0, and NaNs lie beyond the infinities.

    >>> float_codes(np.array([-5e-324, -0.0, 0.0, 1e-323])).tolist()
    [-1, 0, 0, 2]
    """
    codes = np.empty(array.shape, dtype=np.int64)
    for start in range(0, len(array), VALUES_AT_ONCE):
        bits = array[start : start + VALUES_AT_ONCE].view(np.int64)
        sign = bits >> 63  # −1 or 0
        np.subtract((sign & np.int64(2**63 - 1)) ^ bits, sign, out=codes[start : start + VALUES_AT_ONCE])
    return codes


def floats_with(codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The floats that have these codes."""
    magnitudes = np.abs(codes).view(np.float64)
    return np.where(codes < 0, -magnitudes, magnitudes)


def time_codes(array: Array, kind: str) -> NDArray[np.int64]:
    """Times as counts of the unit of ``kind`` since 1970, rounded down.

    A time that is too far away to be counted in a finer unit gets the first or the last code. NaT lies below all times.

    >>> time_codes(np.array(["1970-01-02T05", "1969-12-31T23"], "M8[h]"), "datetime64[D]").tolist()
    [1, -1]
    """
    array = array.astype("datetime64[ns]") if finest(array) else array  # numpy cannot convert these to days
    codes = array.astype(kind).astype(np.int64)
    codes[(array.astype(np.int64) < 0) & (codes > 0)] = -(2**63)  # rounding down the earliest times overflowed
    if np.can_cast(array.dtype, kind):
        overflowed = codes.view(kind).astype(array.dtype) != array
        codes[overflowed] = np.where(array[overflowed].astype(np.int64) > 0, 2**63 - 1, -(2**63))
    return codes
