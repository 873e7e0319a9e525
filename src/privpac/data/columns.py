"""Columns of a table as arrays, without conversions that could change a value.

Main declarations
    column         one value per record
    cells          one value or one row per record
    parts          the columns of a table that names them
    python         a column as an array of Python values, None where Python has no such value
    objects        a list as an array of Python values, whatever they are
    numbered       a number, checked against the size of a domain
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from contextlib import suppress
from datetime import UTC, date, timedelta
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.number_columns import numbers_at_once

FEW = 64  # entries that are read one by one because of one that Python cannot hold


def column(values: Any, name: str) -> NDArray[Any]:
    """One value per record: numbers in numpy's own types, everything else value by value as Python objects.

    Numpy does not get to convert a column: one missing value must not turn its neighbors into floats.

    >>> column([1, None, 2**70], "values").tolist()
    [1, None, 1180591620717411303424]
    """
    array = cells(values, name)
    nested = array.dtype.kind == "O" and any(issubclass(each, (list, np.ndarray)) for each in set(map(type, array)))
    if array.ndim != 1 or nested:
        raise ValueError(f"{name} must be one-dimensional")
    return array


def cells(values: Any, name: str) -> NDArray[Any]:
    """The same, but an array may also have rows."""
    frame = hasattr(values, "columns")
    if frame or isinstance(values, (np.ma.MaskedArray, Mapping, Set, str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, an unmasked array, or a column, with one value per record")
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "is_temporal", bool)() and (times := np.asarray(values)).dtype.kind in "mM":
        return _times(times, getattr(dtype, "time_zone", None))
    if (numbers := numbers_at_once(values)) is not None:
        return numbers
    tensor = hasattr(values, "__dlpack__") and not hasattr(values, "to_pylist")  # numbers of one type, none missing
    if isinstance(dtype, np.dtype) or tensor:
        array = np.asarray(values)
        if array.ndim == 0:
            raise ValueError(f"{name} must be one-dimensional")
        return array
    return python(values)


def parts(table: Any) -> list[tuple[Hashable, Any]]:
    """The columns of a DataFrame or a mapping in order, each with its name; two may have the same name.

    >>> parts({"a": [1, 2], "b": [3, 4]})
    [('a', [1, 2]), ('b', [3, 4])]
    """
    if hasattr(table, "items"):  # a mapping, or pandas
        return list(table.items())
    if hasattr(table, "column_names"):  # pyarrow
        return list(zip(table.column_names, table.columns, strict=True))
    return [(each.name, each) for each in table.get_columns()]  # polars


def python(values: Any) -> NDArray[Any]:
    """The entries in Python's types; an entry that they cannot hold, such as a date in the year 29349, is missing.

    >>> import pyarrow
    >>> days = pyarrow.array([18_300, 10_000_000], pyarrow.int32())
    >>> python(days.view(pyarrow.date32())).tolist()
    [datetime.date(2020, 2, 8), None]
    """
    with suppress(OverflowError, ValueError):  # the error may quote its record and must not affect others
        return objects(_listed(values))
    return objects(each for start in range(0, len(values), FEW) for each in _block(values, start))


def _listed(values: Any) -> Any:
    return values.to_pylist() if hasattr(values, "to_pylist") else values  # pyarrow's scalars are not numbers


def _block(values: Any, start: int) -> list[Any]:
    """Some entries; only these are read one by one if Python cannot hold one of them."""
    with suppress(OverflowError, ValueError):
        return list(_listed(getattr(values, "iloc", values)[start : start + FEW]))  # pandas' brackets look up names
    return [_entry(values, i) for i in range(start, min(start + FEW, len(values)))]


def _times(times: NDArray[Any], zone: str | None) -> NDArray[Any]:
    """Times and durations of polars, which cannot make Python values of all of them, nor of nanoseconds."""
    nanoseconds = np.datetime_data(times.dtype)[0] == "ns"
    if nanoseconds and zone is None:
        return times
    there = (times.astype("datetime64[us]") if nanoseconds else times).tolist()
    held: list[Any] = [each if isinstance(each, date | timedelta) else None for each in there]
    return objects(held if zone is None else [each and each.replace(tzinfo=UTC) for each in held])


def _entry(values: Any, i: int) -> Any:
    try:
        value = getattr(values, "iloc", values)[i]
        return value.as_py() if hasattr(value, "as_py") else value
    except (OverflowError, ValueError):
        return None


def objects(values: Iterable[Any]) -> NDArray[Any]:
    """A one-dimensional array of Python values: tuples stay tuples.

    >>> objects([("a", 1), ("b", 2)]).shape
    (2,)
    """
    return np.fromiter(values, dtype=object)


def numbered(number: Any, size: int | float) -> int:
    """``number``, if it is one of 0 … size − 1.

    >>> numbered(2, 3)
    2
    """
    if not 0 <= index(number) < size:
        raise ValueError("no value has this number; numbers run from 0 to size − 1")
    return index(number)
