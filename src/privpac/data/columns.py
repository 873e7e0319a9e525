"""Columns of a table as arrays, without a conversion that could change a value.

Main declarations
    column     one value per record
    cells      one value or one row per record
    parts      the columns of a table that names them
    objects    a list as an array of Python values, whatever they are
    numbered   a number, if so many values have numbers
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Set
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray


def column(values: Any, name: str) -> NDArray[Any]:
    """One value per record: numpy's own types as they are, everything else value by value as Python objects.

    A column that numpy would convert is not left to it: one missing value must not make floats of its neighbours.

    >>> column([1, None, 2**70], "values").tolist()
    [1, None, 1180591620717411303424]
    """
    array = cells(values, name)
    nested = array.dtype.kind == "O" and any(isinstance(each, (list, np.ndarray)) for each in array)
    if array.ndim != 1 or nested:
        raise ValueError(f"{name} must be one-dimensional")
    return array


def cells(values: Any, name: str) -> NDArray[Any]:
    """The same, where an array may also have rows."""
    frame = hasattr(values, "columns")
    if frame or isinstance(values, (np.ma.MaskedArray, Mapping, Set, str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, an array or a column, without a mask, one value per record")
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "time_unit", None) == "ns" and getattr(dtype, "time_zone", None) is None:
        return np.asarray(values)  # polars, whose Python values lose the nanoseconds
    if isinstance(dtype, np.dtype):
        return np.asarray(values)
    return objects(values.to_pylist() if hasattr(values, "to_pylist") else values)  # pyarrow's scalars are no numbers


def parts(table: Any) -> list[tuple[Hashable, Any]]:
    """The columns of a DataFrame or a mapping in their order, each with its name; two may be called alike.

    >>> parts({"a": [1, 2], "b": [3, 4]})
    [('a', [1, 2]), ('b', [3, 4])]
    """
    if hasattr(table, "items"):  # a mapping, or pandas
        return list(table.items())
    if hasattr(table, "column_names"):  # pyarrow
        return list(zip(table.column_names, table.columns, strict=True))
    return [(each.name, each) for each in table.get_columns()]  # polars


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
