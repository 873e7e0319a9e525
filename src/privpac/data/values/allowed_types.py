"""The values that a record may hold, in Python's own types.

The list is closed: text, bytes, numbers, dates, times, durations, UUIDs, and tuples and frozensets of them, in the
types of Python, numpy, and pandas, and their subclasses. Any other value is refused before anything is spent, or its
record is void: it counts in n, the number of records, but in no score. Other types are not allowed because a type that
defines its own equality or its own printed form could tell records apart.

A value is copied into Python's own type by that type's own code, whatever a subclass overrides.

A long value is refused by its length alone, before it is read, so no record takes more than a public amount of work.
(Integers may have any length; each domain bounds them.)

proof: docs/proofs/engines.md
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any, TypeVar
from uuid import UUID

import numpy as np

Entry = TypeVar("Entry", bound=Hashable)
Form = Callable[[Any], Hashable]  # takes a value to the form in which it is compared
DEPTH = 32  # levels of tuples in tuples
LONGEST = 10_000  # bytes of a text, in UTF-8
SURELY_SHORT = LONGEST // 4  # characters: each takes at most four bytes
ENTRY_COST = 40  # characters that an entry of a tuple counts for, in addition to its text
DIGITS = 2_000  # the most digits of a decimal, of the parts of a fraction, and of integers without bounds
LONG = 10**DIGITS  # the first integer with too many digits
DECIMAL_BYTES = Decimal(LONG - 1).__sizeof__()  # compared instead of digits, which take time to count
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)  # with it, decimals are never rounded
DAY = 24 * 3600  # seconds
DATETIME = ("year", "month", "day", "hour", "minute", "second", "microsecond")
NEVER_COPIED = frozenset({str, bytes, bool, int, date})  # Python's own types whose values are never missing
WITH_LENGTH = (str, bytes)
UNITS = ("as", "fs", "ps", "ns", "us", "ms", "s", "D")
# A time in one of these units is first converted to the finer unit of UNITS that it maps to.
REWRITTEN = {"m": "s", "h": "s", "W": "D", "M": "D", "Y": "D", "generic": "D"}
UNLISTED = "values must be text, numbers, dates, times, durations, bytes, UUIDs, or tuples or frozensets of them"
NO_DURATION = "durations must be whole numbers of microseconds; give finer ones, months, or years as integers"
TOO_FAR = "times must be ones that numpy can also count in days or seconds; leave out those that are farther away"
NO_FINE_ZONE = "times with a time zone must be whole numbers of microseconds; round finer ones, or drop their zone"
TOO_DEEP = f"tuples may be nested at most {DEPTH} deep"
TOO_LONG = "values may have at most 10,000 bytes in UTF-8; cut longer ones first, or leave them out"
TOO_MANY_DIGITS = "values may have at most 2,000 digits; leave longer ones out"
TOO_MANY = f"tuples may have at most {LONGEST // ENTRY_COST} entries, and fewer if these are long texts"


class Unlisted(TypeError):
    """Raised for a value that no record may hold; the message does not quote it."""


def too_long(text: str | bytes) -> bool:
    """Whether a text has more bytes than a record may hold. One with too many characters is not even encoded.

    >>> too_long("ü" * 5_000), too_long("ü" * 5_001)
    (False, True)
    """
    if isinstance(text, str) and SURELY_SHORT < len(text) <= LONGEST:
        return len(text.encode("utf-8", "surrogatepass")) > LONGEST
    return len(text) > LONGEST


def missing(value: Any) -> bool:
    """Whether ``value`` is None, NaN, NaT, or pandas' NA.

    >>> [missing(value) for value in (None, float("nan"), np.datetime64("NaT"), "", 0)]
    [True, True, True, False, False]
    """
    kind = type(value)  # isinstance would call the value's own code
    if issubclass(kind, (str, int)):
        return False
    if issubclass(kind, (float, np.floating)):
        return math.isnan(value)
    if issubclass(kind, Decimal):
        return Decimal.is_nan(value)  # a signalling NaN cannot even be compared
    if issubclass(kind, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return value is None or kind.__name__ in ("NAType", "NaTType")


def gaps(values: Iterable[object]) -> list[bool]:
    """Which values are missing."""
    return [
        type(value) not in NEVER_COPIED and missing(value) for value in values
    ]  # most values need no call of ``missing``


def exact(value: Any, depth: int = DEPTH, characters_left: list[int] | None = None) -> Hashable:
    """``value`` in Python's own type, lists and arrays as tuples; None if it is missing; Unlisted if it is not allowed.

    A time without a zone becomes a date if it is midnight, else a datetime, or numpy's type if Python's datetime cannot
    hold it. A time with a zone is converted to UTC.

    ``depth`` is how many levels of tuples may follow; ``_entries`` explains ``characters_left``.

    >>> exact((np.int8(3), np.datetime64("2026-11-15T00", "ns"), datetime(2026, 11, 15)))
    (3, datetime.date(2026, 11, 15), datetime.date(2026, 11, 15))
    """
    if type(value) in NEVER_COPIED:
        return value if type(value) not in WITH_LENGTH or len(value) <= SURELY_SHORT else _text(value)
    try:
        if type(value) is tuple:
            return tuple(_entries(value, depth, characters_left))
        return None if missing(value) else _copy(value, depth, characters_left)
    except Unlisted:
        raise
    except Exception:  # a subclass may raise anything, and its message may quote the value,
        pass  # so the error is dropped here; InOtherWords would do the same, but takes a third longer per value
    raise Unlisted(UNLISTED)


def declared(value: object) -> Hashable:
    """A public value as ``exact`` copies it, or unchanged if its type is not listed.

    Public values may have any type. For example, the points of a dual class are rules.

    >>> declared(np.int8(3)), declared(Ellipsis)
    (3, Ellipsis)
    """
    try:
        return exact(value)
    except Unlisted:
        return value


def _text(text: Any) -> str | bytes:
    """A copy of a text, or of bytes, in Python's own type; Unlisted if it is too long."""
    python_type = next(kind for kind in WITH_LENGTH if isinstance(text, kind))
    if python_type.__len__(text) > LONGEST or too_long(copy := COPY_TEXT[python_type](text)):
        raise Unlisted(TOO_LONG)
    return copy


def _decimal(value: Decimal) -> Decimal:
    if Decimal.__sizeof__(value) > DECIMAL_BYTES:
        raise Unlisted(TOO_MANY_DIGITS)
    return Decimal(value)


def _fraction(value: Fraction) -> Fraction:
    numerator, denominator = int.__index__(value.numerator), int.__index__(value.denominator)
    if not (-LONG < numerator < LONG and denominator < LONG):
        raise Unlisted(TOO_MANY_DIGITS)
    return Fraction(numerator, denominator)


def _copy(value: object, depth: int, characters_left: list[int] | None) -> Hashable:
    """A copy in Python's own type of a value that is not missing; Unlisted if its type is not listed."""
    copy = COPY_OF_TYPE.get(type(value)) or next((copy for kind, copy in COPIES if isinstance(value, kind)), None)
    if copy is not None:
        return copy(value)
    for kind in (tuple, list, frozenset):
        if isinstance(value, kind):
            entries = _entries(kind.__iter__(value), depth, characters_left)  # type: ignore[arg-type]
            return filled_in_order(entries) if kind is frozenset else tuple(entries)
    if type(value) is np.ndarray:  # not a masked array
        return tuple(_entries(value, depth, characters_left))
    raise Unlisted(UNLISTED)


def _entries(entries: Iterable[object], depth: int, characters_left: list[int] | None) -> list[Hashable]:
    """Copies of the entries of a tuple.

    ``characters_left`` holds one number: how many characters are left for these entries and for all that follow in the
    outermost value. It is a list so that nested tuples can share and change it; None means that this tuple is the
    outermost one.
    """
    if depth == 0:
        raise Unlisted(TOO_DEEP)
    characters_left = [LONGEST] if characters_left is None else characters_left
    copies: list[Hashable] = []
    for entry in entries:
        copies.append(copy := exact(entry, depth - 1, characters_left))
        characters_left[0] -= ENTRY_COST + (len(copy) if isinstance(copy, (str, bytes)) else 0)
        if characters_left[0] < 0:
            raise Unlisted(TOO_MANY)
    return copies


def filled_in_order(entries: Iterable[Entry]) -> frozenset[Entry]:
    """A frozenset, filled in sorted order. Otherwise, equal sets could print in different orders."""
    return frozenset(sorted(entries, key=repr))


def _complex(value: complex) -> complex | None:
    number = complex.__complex__(value)
    return None if math.isnan(number.real) or math.isnan(number.imag) else number


def _from_numpy(value: np.generic) -> Hashable:
    """A number or a truth value of numpy in Python's type; a long double becomes a fraction, which is exact."""
    if isinstance(value, np.longdouble) and np.isfinite(value):
        return Fraction(*np.longdouble.as_integer_ratio(value))
    python_value = np.generic.item(value)
    return exact(python_value) if type(python_value) in (bool, int, float, complex) else float(python_value)


def _fields(value: datetime | time | timedelta, *names: str) -> list[int]:
    """The fields with these names, such as ``hour``, read by Python's own code, whatever a subclass overrides."""
    python_type = next(kind for kind in (datetime, time, timedelta) if isinstance(value, kind))
    return [getattr(python_type, name).__get__(value) for name in names]


def _datetime(value: datetime) -> Hashable:
    """A date if the time is midnight without a zone; a datetime in UTC if it has a zone."""
    offset = datetime.utcoffset(value)
    if offset is None and hasattr(value, "to_datetime64"):  # pandas' times have nanoseconds
        return _coarsest(value.to_datetime64())
    plain = type(value) is datetime and offset is None and not value.fold
    clock = value if plain else datetime(*_fields(value, *DATETIME))  # type: ignore[arg-type]
    if offset is None:
        return clock.date() if clock.time() == time() else clock
    if getattr(value, "nanosecond", 0):
        raise Unlisted(NO_FINE_ZONE)
    try:
        return (clock - offset).replace(tzinfo=UTC)
    except OverflowError:
        # In UTC the year would be before 1 or after 9999, so the time is given in the most distant zone instead.
        far = (timedelta(days=1) - timedelta(microseconds=1)) * (1 if clock.year == 1 else -1)
        return (clock + (far - offset)).replace(tzinfo=timezone(far))


def _time(value: time) -> time:
    """A time of day in UTC. If that is on another day, it is the day's first or last second, with a suitable offset.

    Offsets are rounded down to seconds, because Python compares times of day by offsets in seconds.
    """
    hour, minute, second, microsecond = _fields(value, "hour", "minute", "second", "microsecond")
    offset = time.utcoffset(value)
    if offset is None:
        return time(hour, minute, second, microsecond)
    utc_second = 3600 * hour + 60 * minute + second - offset // timedelta(seconds=1)
    second_of_day = min(max(utc_second, 0), DAY - 1)
    zone = timezone(timedelta(seconds=second_of_day - utc_second))
    return time(second_of_day // 3600, second_of_day // 60 % 60, second_of_day % 60, microsecond, zone)


def _duration(value: timedelta) -> Hashable:
    if hasattr(value, "to_timedelta64"):
        return _coarsest(value.to_timedelta64())
    return timedelta(*_fields(value, "days", "seconds", "microseconds"))


def _coarsest(value: np.datetime64 | np.timedelta64) -> Hashable:
    """A numpy time in the coarsest unit that holds it, in Python's type if possible; a duration as a timedelta."""
    stored_unit = np.datetime_data(value.dtype)[0]
    if isinstance(value, np.timedelta64) and stored_unit in ("Y", "M", "generic"):
        raise Unlisted(NO_DURATION)
    finest, *coarser = UNITS[UNITS.index(REWRITTEN.get(stored_unit, stored_unit)) :]
    rewritten = value.astype(f"{value.dtype.kind}8[{finest}]")
    if rewritten.astype(value.dtype) != value:  # the cast overflowed, so numpy would compare it as another time
        raise Unlisted(TOO_FAR)
    value = rewritten
    for unit in coarser:  # step by step: numpy cannot convert attoseconds to days directly
        coarser_value = value.astype(f"{value.dtype.kind}8[{unit}]")
        if coarser_value.astype(value.dtype) != value:
            break
        value = coarser_value
    python_value = value.item()  # an integer if Python's types cannot hold the time
    if isinstance(value, np.timedelta64) and not isinstance(python_value, timedelta):
        raise Unlisted(NO_DURATION)
    if isinstance(python_value, datetime):
        return python_value.date() if python_value.time() == time() else python_value
    return python_value if isinstance(python_value, (date, timedelta)) else value


COPY_TEXT: dict[type, Callable[[Any], str | bytes]] = {str: str.__str__, bytes: bytes.__bytes__}
# Each type and the function that copies its values. If a value is an instance of several types, the first one counts.
COPIES: tuple[tuple[type | tuple[type, ...], Callable[[Any], Hashable]], ...] = (
    (str, _text),
    (bytes, _text),
    (int, int.__index__),
    (float, float.__float__),
    (Decimal, _decimal),
    (Fraction, _fraction),
    (complex, _complex),
    (datetime, _datetime),  # before date, its base class
    (date, lambda day: date.fromordinal(date.toordinal(day))),
    (time, _time),
    (timedelta, _duration),
    ((np.datetime64, np.timedelta64), _coarsest),
    ((np.bool_, np.number), _from_numpy),
    (UUID, lambda name: UUID(int=int.__index__(name.int))),
)
COPY_OF_TYPE = {kind: copy for kind, copy in COPIES if isinstance(kind, type)}
