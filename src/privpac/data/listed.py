"""The values that a record may hold, in Python's own types.

The list is closed: text, bytes, numbers, dates, times, durations, UUIDs, and tuples and frozensets of them, in the
types of Python, numpy, and pandas, and their subclasses. Any other value is refused, or void, before anything is spent:
a type that defines its own equality or its own printed form could tell records apart.

A value is copied into Python's own type by that type's own code, whatever a subclass overrides.

Main declarations
    missing            whether a value is None, NaN, NaT, or the like
    gaps               which of many values are missing
    exact              a value in Python's own type, None if it is missing
    declared           a public value: exact, or unchanged if it is not listed
    filled_in_order    a frozenset; equal ones print alike
    Unlisted           raised for a value that is not listed
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np

DEPTH = 32  # of tuples in tuples
DAY = 24 * 3600
DATETIME = ("year", "month", "day", "hour", "minute", "second", "microsecond")
OWN = frozenset({str, bytes, bool, int, date})  # types whose values are their own copies, and never missing
UNITS = ("as", "fs", "ps", "ns", "us", "ms", "s", "D")
COARSER = {"m": "s", "h": "s", "W": "D", "M": "D", "Y": "D", "generic": "D"}  # units that can hold the others
UNLISTED = "values must be text, numbers, dates, times, durations, bytes, UUIDs, or tuples or frozensets of them"
NO_DURATION = "durations must be whole numbers of microseconds; give finer ones, months, or years as integers"
NO_INSTANT = "times with a time zone must be whole numbers of microseconds; round finer ones, or drop their zone"
TOO_FAR = "times must be ones that numpy can also count in days or seconds; leave out those that are farther away"
TOO_DEEP = f"tuples may be nested at most {DEPTH} deep"


class Unlisted(TypeError):
    """A value whose type is not listed; the message does not quote it."""


def missing(value: Any) -> bool:
    """Whether ``value`` is None, NaN, NaT, or pandas' NA.

    >>> [missing(value) for value in (None, float("nan"), np.datetime64("NaT"), "", 0)]
    [True, True, True, False, False]
    """
    kind = type(value)  # isinstance would ask the value
    if issubclass(kind, (str, int)):
        return False
    if issubclass(kind, (float, np.floating)):
        return math.isnan(value)
    if issubclass(kind, Decimal):
        return Decimal.is_nan(value)  # a signalling NaN cannot even be compared
    if issubclass(kind, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return value is None or kind.__name__ in ("NAType", "NaTType")


def gaps(values: Iterable[Any]) -> list[bool]:
    """Which values are missing.

    >>> gaps([37, None, float("nan")])
    [False, True, True]
    """
    return [type(value) not in OWN and missing(value) for value in values]  # most need no call


def exact(value: Any, depth: int = DEPTH) -> Any:
    """``value`` in Python's own type, lists and arrays as tuples; None if it is missing, TypeError if it is not listed.

    A time without a zone becomes a date if it is midnight, else a datetime, or numpy's type if Python's datetime cannot
    hold it. A time with a zone is in UTC.

    >>> exact((np.int8(3), np.datetime64("2026-11-15T00", "ns"), datetime(2026, 11, 15)))
    (3, datetime.date(2026, 11, 15), datetime.date(2026, 11, 15))
    """
    if type(value) in OWN:
        return value
    try:
        if type(value) is tuple:
            return tuple(_inside(value, depth))
        return None if missing(value) else _copied(value, depth)
    except Unlisted:
        raise
    except Exception:  # a subclass may raise anything, and its message may quote the value
        pass  # and is forgotten here: InOtherWords would take a third longer for each value
    raise Unlisted(UNLISTED)


def declared(name: Any) -> Any:
    """A public value, such as a rule that is a point of a dual class: exact if it is listed, else unchanged.

    >>> declared(np.int8(3)), declared(Ellipsis)
    (3, Ellipsis)
    """
    try:
        return exact(name)
    except Unlisted:
        return name


def _copied(value: Any, depth: int) -> Any:
    copy = OF_TYPE.get(type(value)) or next((each for kind, each in COPIES if isinstance(value, kind)), None)
    if copy is not None:
        return copy(value)
    for kind in (tuple, list, frozenset):
        if isinstance(value, kind):
            forms = _inside(kind.__iter__(value), depth)  # type: ignore[arg-type]
            return filled_in_order(forms) if kind is frozenset else tuple(forms)
    if type(value) is np.ndarray:  # not a masked array
        return tuple(_inside(value, depth))
    raise Unlisted(UNLISTED)


def _inside(entries: Iterable[Any], depth: int) -> list[Any]:
    if depth == 0:
        raise Unlisted(TOO_DEEP)
    return [exact(each, depth - 1) for each in entries]


def filled_in_order(forms: Iterable[Any]) -> frozenset[Any]:
    """A frozenset filled in sorted order: otherwise, equal ones could print in different orders."""
    return frozenset(sorted(forms, key=repr))


def _complex(value: complex) -> complex | None:
    there = complex.__complex__(value)
    return None if math.isnan(there.real) or math.isnan(there.imag) else there


def _from_numpy(value: np.generic) -> Any:
    """Numbers and truth values; a long double is a fraction."""
    if isinstance(value, np.longdouble) and np.isfinite(value):
        return Fraction(*np.longdouble.as_integer_ratio(value))
    python: Any = np.generic.item(value)
    return exact(python) if type(python) in (bool, int, float, complex) else float(python)


def _fields(value: Any, *names: str) -> list[int]:
    """These fields, read by Python's own type."""
    kind = next(kind for kind in (datetime, time, timedelta) if isinstance(value, kind))
    return [getattr(kind, name).__get__(value) for name in names]


def _datetime(value: datetime) -> Any:
    offset = datetime.utcoffset(value)
    if offset is None and hasattr(value, "to_datetime64"):  # pandas, which has nanoseconds
        return _coarsest(value.to_datetime64())
    own = type(value) is datetime and offset is None and not value.fold
    there = value if own else datetime(*_fields(value, *DATETIME))  # type: ignore[arg-type]
    if offset is None:
        return there.date() if there.time() == time() else there
    if getattr(value, "nanosecond", 0):
        raise Unlisted(NO_INSTANT)
    try:
        return (there - offset).replace(tzinfo=UTC)
    except OverflowError:  # before year 1 or after 9999 in UTC, but not in the most distant zone
        far = (timedelta(days=1) - timedelta(microseconds=1)) * (1 if there.year == 1 else -1)
        return (there + (far - offset)).replace(tzinfo=timezone(far))


def _time(value: time) -> time:
    """In UTC, where that is the same day, else at its first or last second; Python compares offsets by the second."""
    hour, minute, second, microsecond = _fields(value, "hour", "minute", "second", "microsecond")
    offset = time.utcoffset(value)
    if offset is None:
        return time(hour, minute, second, microsecond)
    seconds = 3600 * hour + 60 * minute + second - offset // timedelta(seconds=1)
    local = min(max(seconds, 0), DAY - 1)
    zone = timezone(timedelta(seconds=local - seconds))
    return time(local // 3600, local // 60 % 60, local % 60, microsecond, zone)


def _duration(value: timedelta) -> Any:
    if hasattr(value, "to_timedelta64"):
        return _coarsest(value.to_timedelta64())
    return timedelta(*_fields(value, "days", "seconds", "microseconds"))


def _coarsest(value: np.datetime64 | np.timedelta64) -> Any:
    """A time in the coarsest unit that holds it, a duration in Python's."""
    own = np.datetime_data(value.dtype)[0]
    if isinstance(value, np.timedelta64) and own in ("Y", "M", "generic"):
        raise Unlisted(NO_DURATION)
    finest, *coarser = UNITS[UNITS.index(COARSER.get(own, own)) :]
    there = value.astype(f"{value.dtype.kind}8[{finest}]")
    if there.astype(value.dtype) != value:  # numpy takes it for another time: its ==, and its hash, overflow
        raise Unlisted(TOO_FAR)
    value = there
    for unit in coarser:  # step by step: numpy cannot convert attoseconds to days directly
        there = value.astype(f"{value.dtype.kind}8[{unit}]")
        if there.astype(value.dtype) != value:
            break
        value = there
    python = value.item()
    if isinstance(value, np.timedelta64) and not isinstance(python, timedelta):
        raise Unlisted(NO_DURATION)
    if isinstance(python, datetime):
        return python.date() if python.time() == time() else python
    return python if isinstance(python, (date, timedelta)) else value


COPIES: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (int, int.__index__),
    (float, float.__float__),
    (Decimal, Decimal),
    (Fraction, lambda x: Fraction(int.__index__(x.numerator), int.__index__(x.denominator))),
    (complex, _complex),
    (datetime, _datetime),  # before date, of which it is a subclass
    (date, lambda day: date.fromordinal(date.toordinal(day))),
    (time, _time),
    (timedelta, _duration),
    ((np.datetime64, np.timedelta64), _coarsest),
    ((np.bool_, np.number), _from_numpy),
    (UUID, lambda name: UUID(int=int.__index__(name.int))),
)
OF_TYPE = {kind: copy for kind, copy in COPIES if isinstance(kind, type)}
