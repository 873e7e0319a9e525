"""Codes of single kinds of values: the kind of a bound, and numbers, floats and times on the unbounded line.

Main declarations
    kind_of        integer, float, decimal, string, or a numpy time unit
    number         a number as Python's int, float or Decimal
    as_float       a number as a float, NaN if it is missing
    float_near     the float next to a number, on one side of it
    float_codes    floats as integers, in order
    time_codes     times as integers, in order
"""

from __future__ import annotations

import math
from datetime import date, datetime
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.records import missing


def number(value: Any) -> int | float | Decimal:
    """``value`` as it is, numpy's integers and floats as Python's; TypeError if it is no number.

    >>> number(np.int8(3)), number(Decimal("0.1"))
    (3, Decimal('0.1'))
    """
    if type(value) in (int, float, Decimal):
        return value  # type: ignore[no-any-return]
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, Decimal)):
        raise TypeError("values must be numbers, like low and high")
    return int(value) if isinstance(value, (int, np.integer)) else float(value)


def as_float(value: Any) -> float:
    """The nearest float, infinite beyond all; TypeError if ``value`` is no number.

    >>> as_float(2**53 + 1), as_float(-(10**400)), as_float(None)
    (9007199254740992.0, -inf, nan)
    """
    if missing(value):
        return math.nan
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError("values must be numbers, like low and high")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def float_near(number: int | Decimal, end: float) -> float:
    """Among the floats between ``number`` and this ``end`` of the line, the one next to ``number``.

    As a decimal a float is what it prints, which rounds to no other float.

    >>> float_near(2**53 + 1, math.inf), float_near(Decimal("0.29"), -math.inf)
    (9007199254740994.0, 0.29)
    """
    near = float(number) if isinstance(number, Decimal) else as_float(number)
    read = Decimal(repr(near)) if isinstance(number, Decimal) else near
    beyond = read < number if end > 0 else read > number
    return math.nextafter(near, end) if beyond else near


def float_codes(array: NDArray[np.float64]) -> NDArray[np.int64]:
    """The magnitude's bits with the sign: in the order of the numbers, 0 for both zeros, NaNs beyond the infinities.

    >>> float_codes(np.array([-5e-324, -0.0, 0.0, 1e-323])).tolist()
    [-1, 0, 0, 2]
    """
    bits = array.view(np.int64)
    sign = bits >> 63  # −1 or 0
    codes = sign & np.int64(2**63 - 1)
    codes ^= bits
    codes -= sign
    return codes


def time_codes(array: NDArray[Any], kind: str) -> NDArray[np.int64]:
    """Counts of the unit of ``kind``; times that a finer unit cannot hold go to the ends, NaT lies below all.

    >>> time_codes(np.array(["1970-01-02T05", "1969-12-31T23"], "M8[h]"), "datetime64[D]").tolist()
    [1, -1]
    """
    codes = array.astype(kind).astype(np.int64)
    if np.can_cast(array.dtype, kind):
        lost = codes.view(kind).astype(array.dtype) != array
        codes[lost] = np.where(array[lost].astype(np.int64) > 0, 2**63 - 1, -(2**63))
    return codes


def kind_of(bound: Any) -> str:
    """What a bound is: integer, float, decimal, string, or a numpy time unit such as datetime64[D].

    >>> kind_of(3), kind_of(date(2026, 11, 15))
    ('integer', 'datetime64[D]')
    """
    if isinstance(bound, np.datetime64):
        return str(bound.dtype)
    if isinstance(bound, datetime):
        if bound.tzinfo is not None:
            raise TypeError("times must carry no zone; convert them to one zone and drop it")
        return "datetime64[us]"
    if isinstance(bound, date):
        return "datetime64[D]"
    if isinstance(bound, (int, np.integer)) and not isinstance(bound, (bool, np.bool_)):
        return "integer"
    for kind, cls in (("float", (float, np.floating)), ("decimal", Decimal), ("string", str)):
        if isinstance(bound, cls):
            return kind
    raise TypeError("low and high must be integers, floats, decimals, dates, datetimes or text")
