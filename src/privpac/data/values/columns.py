"""Columns as arrays, without conversions that could change a value.

A number never passes through another type, so a missing entry does not change the others: 2⁶⁰ + 1 stays 2⁶⁰ + 1 even
beside a missing entry. A missing float is NaN. A column of integers or truth values with missing entries is read
together with a mask. Where a single array must hold such a column, its entries become Python values, with None for a
missing one.

Columns of numbers in polars, pyarrow, or pandas are read all at once, other columns value by value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

NUMBER_TYPES = frozenset(  # the names of types in polars, pyarrow, and pandas, in lower case
    [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
    + ["float", "double", "float32", "float64", "bool", "boolean"]
)
Array = NDArray[Any]  # numbers or times in one of numpy's types, or Python objects
Reader = Callable[[Any], tuple[Array, NDArray[np.bool_]]]  # column → its entries (0 if missing), mask of missing ones
BLOCK = 64  # entries that are read at once; if Python cannot hold one of them, they are read one by one


def column(values: object, name: str) -> Array:
    """One value per record: numbers in numpy's own types, everything else as Python objects.

    Numpy itself must not convert a list: one missing value would turn its neighbors into floats.

    >>> column([1, None, 2**70], "values").tolist()
    [1, None, 1180591620717411303424]
    """
    array = cells(values, name)
    nested = array.dtype.kind == "O" and any(issubclass(kind, (list, np.ndarray)) for kind in set(map(type, array)))
    if array.ndim != 1 or nested:
        raise ValueError(f"{name} must be one-dimensional")
    return array


def cells(values: object, name: str) -> Array:
    """One value per record, read as in :func:`column`; an array may have more than one dimension."""
    is_frame = hasattr(values, "columns")
    refused = (np.ma.MaskedArray, Mapping, Set, str, bytes)
    if is_frame or isinstance(values, refused) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, an unmasked array, or a column, with one value per record")
    dtype = getattr(values, "dtype", None)
    # ``is_temporal`` is a method of polars' types; for other types, ``bool()`` is False.
    if getattr(dtype, "is_temporal", bool)() and (times := np.asarray(values)).dtype.kind in "mM":
        return _times(times, getattr(dtype, "time_zone", None))
    if (read := numbers_and_gaps(values)) is not None:
        return _with_none(*read)
    # A tensor has one type, and none of its entries is missing. (Arrow's columns have ``to_pylist``.)
    is_tensor = hasattr(values, "__dlpack__") and not hasattr(values, "to_pylist")
    if isinstance(dtype, np.dtype) or is_tensor:
        array = np.asarray(values)
        if array.ndim == 0:
            raise ValueError(f"{name} must be one-dimensional")
        return array
    return python_values(values)


def python_values(values: Any) -> Array:
    """The entries in Python's types. An entry that Python cannot hold, such as a date in the year 29349, is missing.

    >>> import pyarrow
    >>> days = pyarrow.array([18_300, 10_000_000], pyarrow.int32())
    >>> python_values(days.view(pyarrow.date32())).tolist()
    [datetime.date(2020, 2, 8), None]
    """
    with suppress(OverflowError, ValueError):  # the error may quote a record, and one record must not affect others
        return objects(_python_entries(values))
    return objects(entry for start in range(0, len(values), BLOCK) for entry in _block(values, start))


def _python_entries(values: Any) -> Any:
    """The entries of a column, to iterate over; pyarrow's own iterator would yield scalars of pyarrow."""
    return values.to_pylist() if hasattr(values, "to_pylist") else values


def _block(values: Any, start: int) -> list[Any]:
    """The entries from ``start`` on, up to BLOCK of them; read one by one only if Python cannot hold one."""
    with suppress(OverflowError, ValueError):
        by_position = getattr(values, "iloc", values)  # pandas' own brackets look up labels
        return list(_python_entries(by_position[start : start + BLOCK]))
    return [_entry(values, i) for i in range(start, min(start + BLOCK, len(values)))]


def _entry(values: Any, i: int) -> Any:
    """The entry at position i, None if Python cannot hold it."""
    try:
        value = getattr(values, "iloc", values)[i]
        return value.as_py() if hasattr(value, "as_py") else value
    except (OverflowError, ValueError):
        return None


def _times(times: Array, zone: str | None) -> Array:
    """Times and durations of a polars column, None where Python cannot hold one; nanoseconds stay in numpy's type.

    Polars itself cannot turn all times, or nanoseconds, into Python values.
    """
    nanoseconds = np.datetime_data(times.dtype)[0] == "ns"
    if nanoseconds and zone is None:
        return times
    entries = (times.astype("datetime64[us]") if nanoseconds else times).tolist()
    if zone is None:
        return objects([entry if isinstance(entry, date | timedelta) else None for entry in entries])
    return objects([entry.replace(tzinfo=UTC) if isinstance(entry, datetime) else None for entry in entries])


def parts(table: Any) -> list[tuple[Hashable, Any]]:
    """The columns of a DataFrame or a mapping, in order, each with its name. Two columns may have the same name.

    >>> parts({"a": [1, 2], "b": [3, 4]})
    [('a', [1, 2]), ('b', [3, 4])]
    """
    if hasattr(table, "items"):  # a mapping, or pandas
        return list(table.items())
    if hasattr(table, "column_names"):  # pyarrow
        return list(zip(table.column_names, table.columns, strict=True))
    return [(series.name, series) for series in table.get_columns()]  # polars


def names(table: Any) -> list[Hashable]:
    """The names of the columns, in order. Of a DataFrame with many of them, this is much faster than :func:`parts`.

    >>> names({"a": [1, 2], "b": [3, 4]})
    ['a', 'b']
    """
    if hasattr(table, "column_names"):  # pyarrow, whose ``columns`` are the columns themselves
        return list(table.column_names)
    if isinstance(table, Mapping):
        return list(table)
    column_names = getattr(table, "columns", table)
    return column_names.tolist() if hasattr(column_names, "tolist") else list(column_names)  # pandas; polars


def objects(values: Iterable[object]) -> Array:
    """A one-dimensional array of Python values. Tuples stay tuples.

    >>> objects([("a", 1), ("b", 2)]).shape
    (2,)
    """
    return np.fromiter(values, dtype=object)


def row_numbers(columns: Sequence[Array], sides: Sequence[int]) -> NDArray[np.int64]:
    """The number of each row in the list of all possible rows, if column i holds numbers below ``sides[i]``.

    Rows are listed in lexicographic order. Numpy's ``ravel_multi_index`` takes at most 64 columns.

    >>> row_numbers([np.array([0, 1]), np.array([2, 1])], (2, 3))
    array([2, 4])
    """
    numbers = np.zeros(len(columns[0]), dtype=np.int64)
    for entries, side in zip(columns, sides, strict=True):
        numbers = numbers * side + entries.astype(np.int64)
    return numbers


def totals(numbers: NDArray[np.intp], counts: ArrayLike, size: int) -> NDArray[np.int64]:
    """For each of the numbers 0 … size − 1, the sum of its ``counts``; numpy's ``bincount`` would add up floats.

    >>> totals(np.array([0, 1, 0]), np.array([5, 6, 7]), 3)
    array([12,  6,  0])
    """
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, numbers, counts)
    return sums


def number_below(number: SupportsIndex, size: int | float) -> int:
    """``number`` as an int, if it is one of 0 … size − 1; otherwise ValueError."""
    if not 0 <= index(number) < size:
        raise ValueError("no value has this number; numbers run from 0 to size − 1")
    return index(number)


def arrow_numbers(values: pa.Array | pa.ChunkedArray, missing: int = 0) -> Array:
    """The entries of an Arrow column of numbers or truth values, with ``missing`` in place of missing ones.

    Arrow's own ``to_numpy`` would import pandas, which takes as long as all other work for a small table.

    >>> import pyarrow
    >>> arrow_numbers(pyarrow.array([37, None]), -1), arrow_numbers(pyarrow.array([True, False]))
    (array([37, -1]), array([ True, False]))
    """
    is_truth = str(values.type) == "bool"
    numbers = values.cast("uint8") if is_truth else values
    numbers = numbers.fill_null(missing) if numbers.null_count else numbers
    array = np.array(np.from_dlpack(numbers.combine_chunks() if hasattr(numbers, "combine_chunks") else numbers))
    return array.view(np.bool_) if is_truth else array


def _with_none(filled: Array, absent: NDArray[np.bool_] | None) -> Array:
    """The ``filled`` numbers unchanged; if some are ``absent``, Python objects with None in their places."""
    if absent is None or not absent.any():
        return filled
    entries = filled.astype(object)
    entries[absent] = None
    return entries


def numbers_and_gaps(values: object) -> tuple[Array, NDArray[np.bool_] | None] | None:
    """The entries of a column of numbers in polars, pyarrow, or pandas, and a mask of the missing ones.

    Floats have no mask (None): a missing float is NaN. The result is None if ``values`` is not such a column.

    >>> import pyarrow
    >>> numbers_and_gaps(pyarrow.array([2**60 + 1, None]))
    (array([1152921504606846977,                   0]), array([False,  True]))
    """
    if (read := number_reader(values)) is None:
        return None
    filled, absent = read(values)
    if filled.dtype.kind == "f":
        return np.where(absent, filled.dtype.type(np.nan), filled), None
    return filled, absent


def number_reader(values: object) -> Reader | None:
    """The function that reads a column of numbers of polars, pyarrow, or pandas; None for any other column."""
    library = type(values).__module__.partition(".")[0]
    dtype = getattr(values, "type", None) if library == "pyarrow" else getattr(values, "dtype", None)
    type_name = str(dtype).partition("[")[0].lower()  # pandas has types such as int64[pyarrow]
    if isinstance(dtype, np.dtype) or type_name not in NUMBER_TYPES or getattr(values, "ndim", 1) != 1:
        return None
    return READERS.get(library)


def _from_polars(values: pl.Series) -> tuple[Array, NDArray[np.bool_]]:
    absent = values.is_null().to_numpy()
    return np.asarray(values.fill_null(strategy="zero").to_numpy()), np.asarray(absent)


def _from_pyarrow(values: pa.Array) -> tuple[Array, NDArray[np.bool_]]:
    return arrow_numbers(values), arrow_numbers(values.is_null())


def _from_pandas(values: pd.Series) -> tuple[Array, NDArray[np.bool_]]:
    dtype = values.dtype.numpy_dtype
    return np.asarray(values.to_numpy(dtype=dtype, na_value=dtype.type(0).item())), np.asarray(values.isna())


READERS = {"polars": _from_polars, "pyarrow": _from_pyarrow, "pandas": _from_pandas}
