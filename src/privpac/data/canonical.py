"""One form for equal values, so that what is released does not say which of the equal ones a record held.

Python's 1, 1.0, True and Decimal("1.00") are equal, as is one instant in two time zones, and a record may hold any of
them. A rule that names a value names its canonical form.

Main declarations
    canonical    the form that all equal values have
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

from privpac.data.values import plain

DIGITS = 4000  # of an integer: Python writes no more than 4300, so longer ones are decimals
LONG = 10**DIGITS
DAY = 24 * 3600


def canonical(value: Any) -> Any:
    """The form of ``value``: text, numbers, dates and times, and tuples and sets of them.

    Whole numbers are integers, others floats if a float equals them, else decimals if they end, else fractions; an
    instant with a zone is in UTC. A value of another type that equals an integer or a float is that number; all others
    stay what they are.

    >>> [canonical(value) for value in (True, 1.0, Decimal("1.00"), Decimal("0.50"), (np.float64(2), "a"))]
    [1, 1, 1, 0.5, (2, 'a')]
    """
    value = plain(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, complex):
        value = value.real if value.imag == 0 else complex(value.real + 0.0, value.imag + 0.0)  # −0.0 + 0.0 is 0.0
    if isinstance(value, (int, float, Decimal, Fraction, np.floating)):
        return _number(value)
    if isinstance(value, (date, time)):
        return _when(value)
    if isinstance(value, (tuple, frozenset)):
        return (tuple if isinstance(value, tuple) else frozenset)(map(canonical, value))
    return value if isinstance(value, np.generic) else _as_number(value)


def _as_number(value: Any) -> Any:
    """A number of a type that others define (flint's, sympy's) as Python's; what is none stays."""
    for kind in (int, float):
        try:
            number = kind(value)
            if number == value and hash(number) == hash(value):
                return _number(number)
        except Exception:  # whatever a type that is no number may raise
            continue
    return value


def _number(value: Any) -> int | float | Decimal | Fraction:
    if not value or (isinstance(value, int) and -LONG < value < LONG):
        return int(value)
    if not (value.is_finite() if isinstance(value, Decimal) else isinstance(value, Rational) or np.isfinite(value)):
        return float(value)
    d = _decimal(Fraction(*value.as_integer_ratio()) if isinstance(value, np.floating) else value)
    if d is None:
        return Fraction(value)
    if d.as_tuple().exponent >= 0:  # type: ignore[operator]
        return int(d) if d.adjusted() < DIGITS else d
    return float(d) if float(d) == d else d


def _decimal(value: int | float | Decimal | Fraction) -> Decimal | None:
    """``value``, which is not 0, without trailing zeros; None if it has no end."""
    shift = 0
    if isinstance(value, Fraction):
        shift = _places(value.denominator)
        if shift < 0:
            return None
        value = int(value * 10**shift)
    sign, digits, exponent = Decimal(value).as_tuple()
    kept = len(digits)
    while digits[kept - 1] == 0:
        kept -= 1
    return Decimal((sign, digits[:kept], exponent + len(digits) - kept - shift))  # type: ignore[operator]


def _places(denominator: int) -> int:
    """The least k for which it divides 10^k; −1 if none does."""
    twos = (denominator & -denominator).bit_length() - 1
    rest, fives = denominator >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else -1


def _when(value: date | time) -> date | time:
    if isinstance(value, datetime):
        return _instant(value)
    return _clock(value) if isinstance(value, time) else date(value.year, value.month, value.day)


def _clock(value: time) -> time:
    """In UTC, where that is the same day, else at its first or last second; Python compares offsets by the second."""
    offset = value.utcoffset()
    if offset is None:
        return time(value.hour, value.minute, value.second, value.microsecond)
    seconds = 3600 * value.hour + 60 * value.minute + value.second - offset // timedelta(seconds=1)
    local = min(max(seconds, 0), DAY - 1)
    zone = timezone(timedelta(seconds=local - seconds))
    return time(local // 3600, local // 60 % 60, local % 60, value.microsecond, zone)


def _instant(value: datetime) -> datetime:
    if value.tzinfo is None:
        return _plain(value)
    try:
        value = value.astimezone(UTC)
    except OverflowError:  # before year 1 or after 9999 in UTC, but not in the zone that is farthest from it
        far = (timedelta(days=1) - timedelta(microseconds=1)) * (1 if value.year == 1 else -1)
        there = value.replace(tzinfo=None, fold=0) + (far - (value.utcoffset() or timedelta(0)))
        return there.replace(tzinfo=timezone(far))
    return _plain(value)


def _plain(value: datetime) -> datetime:
    """Python's own, without a fold; a time of pandas' with nanoseconds, which equals no other, stays."""
    if getattr(value, "nanosecond", 0):
        return value.replace(fold=0)
    return datetime.combine(value.date(), _clock(value.time()), tzinfo=value.tzinfo)
