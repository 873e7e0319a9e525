"""One value of one record: whether it is missing, how it reads, and how it compares with public values.

Equal values have one form, :func:`plain`, whatever they came in: a date, the midnight it begins with, numpy's times of
any unit and pandas' are one value if they are one instant. A time with a zone equals none without.

Nothing here looks at two records at once.

Main declarations
    missing    None, NaN, NaT and their like
    shown      a value in a sentence
    begun      a bound or a cut in a sentence
    plain      a value in the form that all equal values have
    hashables  a column, or the rows of a table, as a list of plain values
    each       a test of one value, on all entries of a column
    finest     whether numpy's times are finer than nanoseconds
    member     which entries of a column are among a few public values
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.columns import cells, parts

LARGEST_FLOAT = np.finfo(np.float64).max.item()
TIME_UNITS = ("as", "fs", "ps", "ns", "us", "ms", "s", "D")
COARSER = {"m": "s", "h": "s", "W": "D", "M": "D", "Y": "D", "generic": "D"}  # what holds the other units
NO_DURATION = "durations must be whole numbers of microseconds; count finer ones, months or years as integers"


def missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA.

    >>> [missing(value) for value in (None, float("nan"), np.datetime64("NaT"), "", 0)]
    [True, True, True, False, False]
    """
    if isinstance(value, (str, int)):
        return False
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot even be compared
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def shown(value: Any) -> str:
    """``value`` as a sentence shows it; text that cannot be printed is escaped, numbers have a minus sign.

    >>> print(shown("J10"), shown(date(2026, 11, 15)), shown("J\\ud800"), shown(-3))
    J10 2026-11-15 'J\\ud800' −3
    """
    text = str(value)
    if isinstance(value, (Real, Decimal)):
        return text.replace("-", "−", 1) if text.startswith("-") else text
    return text if text.isprintable() and text.strip() == text != "" else ascii(text)


def begun(bound: Any) -> str:
    """A bound or a cut as a sentence shows it: text up to its first character that cannot be printed, then ….

    Cuts of text are drawn among all texts, so that most of their characters are none that anybody writes, and the first
    of these decides almost always.

    >>> print(begun("J10"), begun("WN\\x00\\U000e4e0f\\U0008b0c1"), begun(-3))
    J10 'WN\\x00'… −3
    """
    text = str(bound)
    readable = next((i for i, character in enumerate(text) if not character.isprintable()), len(text))
    return f"{text[: readable + 1]!r}…" if readable + 1 < len(text) else shown(bound)


def plain(value: Any) -> Any:
    """``value`` in Python's types, so that equal values have equal hashes; rows as tuples.

    A time is a date if it is midnight, else a datetime, else, where Python's are too coarse or too few, numpy's.

    >>> plain((np.int8(3), np.datetime64("2026-11-15T00", "ns"), datetime(2026, 11, 15)))
    (3, datetime.date(2026, 11, 15), datetime.date(2026, 11, 15))
    """
    if type(value) in (str, int, float, date):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return tuple(plain(each) for each in value)
    if isinstance(value, (datetime, timedelta)):
        if getattr(value, "tzinfo", None) is not None:
            return value
        finer = getattr(value, "to_datetime64", None) or getattr(value, "to_timedelta64", None)  # pandas
        if finer is None:
            return value.date() if isinstance(value, datetime) and value.time() == time() else value
        value = finer()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return _instant(value)
    return value.item() if isinstance(value, np.generic) else value


def hashables(values: Any, name: str) -> list[Any]:
    """The entries of a column as plain values; a row of a table is a tuple.

    >>> hashables(np.array([["a", "b"]]), "x"), hashables([("a", 1)], "x")
    ([('a', 'b')], [('a', 1)])
    """
    if hasattr(values, "columns"):  # a DataFrame
        return list(zip(*(hashables(part, name) for _, part in parts(values)), strict=True))
    listed = _plains(cells(values, name))
    try:
        frozenset(value for value in listed if not missing(value))
    except TypeError:
        raise TypeError(f"{name} must be text, numbers, dates, or tuples of them") from None
    return listed


def _plains(array: NDArray[Any]) -> list[Any]:
    if array.dtype.kind == "M" and array.ndim == 1:
        there = array.astype("datetime64[us]")
        found = zip(array, there.tolist(), there.astype(array.dtype) == array, strict=True)
        return [plain(python if exact and isinstance(python, date) else value) for value, python, exact in found]
    # numpy's times have no Python form that keeps their unit
    return [plain(value) for value in (array if array.dtype.kind in "mM" else array.tolist())]


def each(values: Any, test: Callable[[Any], bool]) -> NDArray[np.bool_]:
    """The outcome of ``test`` on every entry of a column, once for each distinct value; False where one is missing.

    >>> each(["ab", None, "b"], lambda text: "a" in text).tolist()
    [True, False, False]
    """
    listed = hashables(values, "values")
    outcome = {value: test(value) for value in {value for value in listed if not missing(value)}}
    return np.array([not missing(value) and outcome[value] for value in listed], dtype=bool)


def member(values: Any, allowed: Iterable[Any]) -> NDArray[np.bool_]:
    """Which entries of a column equal one of the ``allowed`` values, exactly. A missing entry equals nothing.

    >>> member(np.array([2**53, 2**53 + 1]), [float(2**53)]).tolist()
    [True, False]
    >>> member(["UA", None, ("UA", 1)], ["UA", None]).tolist()
    [True, False, False]
    """
    chosen = [plain(value) for value in allowed]
    array = None if hasattr(values, "columns") else cells(values, "values")
    if array is None or array.ndim != 1 or array.dtype.kind not in "biufM" or array.dtype.itemsize > 8 or finest(array):
        present = frozenset(value for value in chosen if not missing(value))
        return each(values if array is None else array, present.__contains__)
    labels = np.zeros(len(array), dtype=bool)
    for value in chosen:
        labels |= _equal(array, value)
    return labels


def _instant(value: np.datetime64 | np.timedelta64) -> Any:
    """A time in the coarsest unit that holds it, a duration in Python's."""
    own = np.datetime_data(value.dtype)[0]
    if isinstance(value, np.timedelta64) and own in ("Y", "M", "generic"):
        raise TypeError(NO_DURATION)
    for unit in TIME_UNITS[
        TIME_UNITS.index(COARSER.get(own, own)) :
    ]:  # unit by unit: numpy has no factor from the last to the first
        there = value.astype(f"{value.dtype.kind}8[{unit}]")
        if there.astype(value.dtype) != value:
            break
        value = there
    python = value.item()
    if isinstance(value, np.timedelta64) and not isinstance(python, timedelta) and not missing(value):
        raise TypeError(NO_DURATION)
    return python if isinstance(python, (date, timedelta)) else value


def finest(times: Any) -> bool:
    """Whether the unit of numpy's times is finer than nanoseconds, which numpy cannot convert to days.

    >>> finest(np.datetime64(3, "ps")), finest(np.array([1, 2]))
    (True, False)
    """
    return times.dtype.kind == "M" and np.datetime_data(times.dtype)[0] in TIME_UNITS[:3]


def _equal(array: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """``array == value`` as Python means it: no rounding of either side, no comparison across kinds."""
    array = array.view(np.int8) if array.dtype.kind == "b" else array  # False and True are 0 and 1
    kind = array.dtype.kind
    number = isinstance(value, (Real, Decimal)) and not missing(value)
    finite = number and -LARGEST_FLOAT <= value <= LARGEST_FLOAT
    if kind in "iu" and finite and value == int(value):
        return np.asarray(array == int(value))
    if kind == "f" and number and (finite or value in (math.inf, -math.inf)) and float(value) == value:
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            return np.asarray(array.astype(np.float64) == float(value))
    if kind == "M" and isinstance(value, (date, np.datetime64)) and getattr(value, "tzinfo", None) is None:
        instant = np.datetime64(value)
        if finest(instant):
            return np.zeros(len(array), dtype=bool)
        there = array.astype(instant.dtype)
        return np.asarray((there == instant) & (there.astype(array.dtype) == array))
    return np.zeros(len(array), dtype=bool)
