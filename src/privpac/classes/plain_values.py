"""Values to JSON and back: the parts of a hypothesis, without pickle.

None, truth values, strings, finite floats, and integers of any width travel as they are. JSON has no dates, times,
decimals, bytes, tuples, or sets, and no NaN or infinity; each travels as an object with one key that names its kind.
All values that a record may hold can be written, in the types that ``privpac.data.values.allowed_types.exact`` copies
them into.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, NoReturn
from uuid import UUID

import numpy as np

from privpac.data.values.equal_values import MOST_PLACES

Plain = Any  # a value in the types of JSON: None, a truth value, a number, a text, a list, or a dictionary
DIGITS = 4000  # the most digits of a numerator or denominator that is read here; Python itself reads at most 4300
RATIO = re.compile(rf"-?[0-9]{{1,{DIGITS}}}(/[0-9]{{1,{DIGITS}}})?")


def _fraction(text: str) -> Fraction:
    if not RATIO.fullmatch(text):
        raise ValueError
    return Fraction(text)


def _decimal(text: str) -> Decimal:
    number = Decimal(text)
    if number.is_finite() and abs(number.adjusted()) > MOST_PLACES:  # 1e999999999 would fill the memory as an integer
        raise ValueError
    return number


def _duration(parts: list[int]) -> timedelta:
    if len(parts) != 3 or any(type(part) is not int for part in parts):
        raise ValueError
    return timedelta(*parts)


class Kind(NamedTuple):
    """A type that JSON lacks, with the functions that write its values in types of JSON and read them back."""

    python_type: type
    write: Callable[[Any], Plain]
    read: Callable[[Plain], Any]


KINDS: dict[str, Kind] = {  # by the key that names the kind in JSON
    "datetime": Kind(datetime, datetime.isoformat, datetime.fromisoformat),  # before date, its base class
    "date": Kind(date, date.isoformat, date.fromisoformat),
    "time": Kind(time, time.isoformat, time.fromisoformat),
    "duration": Kind(timedelta, lambda v: [v.days, v.seconds, v.microseconds], _duration),
    "datetime64": Kind(np.datetime64, lambda v: [str(v), _unit(v)], lambda v: np.datetime64(*v)),
    "decimal": Kind(Decimal, str, _decimal),
    "fraction": Kind(Fraction, str, _fraction),
    "float": Kind(float, repr, float),
    "complex": Kind(complex, repr, complex),
    "tuple": Kind(tuple, lambda v: list(map(to_plain, v)), lambda v: tuple(map(from_plain, v))),
    # Members are sorted, so that equal sets give equal text.
    "set": Kind(frozenset, lambda v: sorted(map(to_plain, v), key=repr), lambda v: frozenset(map(from_plain, v))),
    "bytes": Kind(bytes, bytes.hex, bytes.fromhex),
    "uuid": Kind(UUID, str, UUID),
}
LISTED = {"datetime64", "duration", "tuple", "set"}  # the kinds written as JSON lists; all others are written as text


def to_plain(value: Any) -> Plain:
    """``value`` in the types that JSON has.

    >>> to_plain((1, date(2026, 11, 15)))
    {'tuple': [1, {'date': '2026-11-15'}]}
    """
    if hasattr(value, "to_datetime64") and value.tzinfo is None:
        value = value.to_datetime64()  # a pandas Timestamp; datetime would lose its nanoseconds
    # numpy's durations are refused, because item() may return a bare integer. In records, ``exact`` has already turned
    # them into timedeltas.
    if isinstance(value, np.generic) and not isinstance(value, (np.datetime64, np.timedelta64)):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value)):
        return value
    for name, kind in KINDS.items():
        if isinstance(value, kind.python_type):
            return {name: kind.write(value)}
    instead = "use numbers, text, dates, or tuples of them"
    raise TypeError(f"values of type {type(value).__name__} have no JSON form; {instead}")


def _unit(time: np.datetime64) -> str:
    """The unit of a time and the number of units per step, such as 25s."""
    unit, step = np.datetime_data(time.dtype)
    return unit if step == 1 else f"{step}{unit}"


def from_plain(plain: Plain) -> Any:
    """The value that :func:`to_plain` wrote."""
    if not isinstance(plain, (dict, list)):
        return plain
    try:
        ((name, content),) = plain.items()  # type: ignore[union-attr]
        if isinstance(content, list if name in LISTED else str):
            return KINDS[name].read(content)
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError, RecursionError):
        pass  # its message may quote the text, so the error below replaces it
    raise ValueError("this JSON does not hold a value that privpac wrote")


def _not_json(constant: str) -> NoReturn:
    """Refuse NaN and Infinity: Python reads them, but they are not JSON, and privpac writes them as text."""
    raise ValueError(constant)


def parse(text: str) -> Plain:
    """JSON text in the types of JSON; ValueError if it is not JSON."""
    try:
        return json.loads(text, parse_constant=_not_json)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is not JSON, or it is incomplete ({error}); pass the text as it was written") from None
    except (TypeError, ValueError, RecursionError):
        raise ValueError("this is not JSON as privpac writes it") from None
