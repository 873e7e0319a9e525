"""One value of one record: whether it is missing, how it reads, and how it compares with public values.

Nothing here looks at two records at once.

Main declarations
    missing    None, NaN, NaT and their like
    shown      a value in a sentence
    hashables  a column, or the rows of a table, as a list of Python values
    objects    a list as an array of Python values, whatever they are
    each       a test of one value, on all entries of a column
    member     which entries of a column are among a few public values
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import date
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = np.finfo(np.float64).max.item()


def missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA, which is not equal to anything but does not say so.

    >>> [missing(value) for value in (None, float("nan"), np.datetime64("NaT"), "", 0)]
    [True, True, True, False, False]
    """
    if value is None or isinstance(value, (str, int)):
        return value is None
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling NaN cannot even be compared
    return type(value).__name__ == "NAType" or (np.ndim(value) == 0 and bool(value != value))  # noqa: PLR0124


def shown(value: Any) -> str:
    """``value`` as a sentence shows it; text that cannot be printed is escaped.

    >>> print(shown("J10"), shown(date(2026, 11, 15)), shown("J\\ud800"))
    J10 2026-11-15 'J\\ud800'
    """
    text = str(value)
    return text if text.isprintable() and text.strip() == text != "" else ascii(text)


def hashables(values: Any, name: str) -> list[Any]:
    """The entries of a column as Python values; a row of a table is a tuple.

    >>> hashables(np.array([["a", "b"]]), "x"), hashables([("a", 1)], "x")
    ([('a', 'b')], [('a', 1)])
    """
    if hasattr(values, "itertuples"):  # a DataFrame
        values = values.itertuples(index=False, name=None)
    if isinstance(values, (np.ma.MaskedArray, Mapping, Set, str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, an array or a column, without a mask, one value per record")
    plain = isinstance(getattr(values, "dtype", None), np.dtype)
    array = np.asarray(values) if plain else None
    whole = array is None or array.dtype.kind == "M"  # numpy's times have no Python form that keeps their unit
    return [_plain(value) for value in (values if whole else array.tolist())]  # type: ignore[union-attr]


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """A one-dimensional array of Python values: tuples stay tuples.

    >>> objects([("a", 1), ("b", 2)]).shape
    (2,)
    """
    return np.fromiter(values, dtype=object)


def each(values: Any, test: Callable[[Any], bool]) -> NDArray[np.bool_]:
    """The outcome of ``test`` on every entry of a column, once for each distinct value; False where one is missing.

    >>> each(["ab", None, "b"], lambda text: "a" in text).tolist()
    [True, False, False]
    """
    listed = hashables(values, "values")
    outcome = {value: test(value) for value in set(listed) if not missing(value)}
    return np.array([outcome.get(value, False) for value in listed], dtype=bool)


def member(values: Any, allowed: Iterable[Any]) -> NDArray[np.bool_]:
    """Which entries of a column equal one of the ``allowed`` values, exactly. A missing entry equals nothing.

    >>> member(np.array([2**53, 2**53 + 1]), [float(2**53)]).tolist()
    [True, False]
    >>> member(["UA", None, ("UA", 1)], ["UA", None]).tolist()
    [True, False, False]
    """
    chosen = [_plain(value) for value in allowed]
    plain = isinstance(getattr(values, "dtype", None), np.dtype) and not isinstance(values, np.ma.MaskedArray)
    array = np.asarray(values) if plain else None
    if array is None or array.ndim != 1 or array.dtype.kind not in "iufM":
        return each(values, frozenset(chosen).__contains__)
    labels = np.zeros(len(array), dtype=bool)
    for value in chosen:
        labels |= _equal(array, value)
    return labels


def _plain(value: Any) -> Any:
    """numpy's scalars as Python's, so that equal values have equal hashes; rows as tuples."""
    if isinstance(value, (list, np.ndarray)):
        return tuple(_plain(each) for each in value)
    return value.item() if isinstance(value, np.generic) and not isinstance(value, np.datetime64) else value


def _equal(array: NDArray[Any], value: Any) -> NDArray[np.bool_]:
    """``array == value`` as Python means it: no rounding of either side, no comparison across kinds."""
    kind = array.dtype.kind
    number = isinstance(value, (Real, Decimal)) and not missing(value)
    finite = number and -LARGEST <= value <= LARGEST
    if kind in "iu" and finite and value == int(value):
        return np.asarray(array == int(value))
    if kind == "f" and number and (finite or value in (math.inf, -math.inf)) and float(value) == value:
        return np.asarray(array.astype(np.float64) == float(value))
    if kind == "M" and isinstance(value, (date, np.datetime64)):
        time = np.datetime64(value)
        there = array.astype(time.dtype)
        return np.asarray((there == time) & (there.astype(array.dtype) == array))
    return np.zeros(len(array), dtype=bool)
