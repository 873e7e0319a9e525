"""Columns of numbers that polars, pyarrow, or pandas hold, as arrays of numpy's types: all entries at once.

A number never passes through another type, so a missing entry does not change the others: 2⁶⁰ + 1 stays 2⁶⁰ + 1 next to
it. A missing float is NaN. A column of integers or truth values in which some are missing is read with a mask; where a
single array must hold it, it becomes Python values, None where one is missing.

Main declarations
    numbers_and_gaps    such a column as an array, and which entries are missing; None if ``values`` is another column
    numbers_at_once     the same as a single array
    holds_numbers       whether ``values`` is such a column
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = frozenset(  # of types, as each library spells them
    [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
    + ["float", "double", "float32", "float64", "bool", "boolean"]
)

Reader = Callable[[Any], tuple[NDArray[Any], NDArray[np.bool_]]]


def numbers_and_gaps(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None] | None:
    """The entries of a column of numbers, and which are missing (None: they are floats, and these are NaN).

    >>> import pyarrow
    >>> numbers_and_gaps(pyarrow.array([2**60 + 1, None]))
    (array([1152921504606846977,                   0]), array([False,  True]))
    """
    if (read := _reader(values)) is None:
        return None
    filled, absent = read(values)
    if filled.dtype.kind == "f":
        return np.where(absent, filled.dtype.type(np.nan), filled), None
    return filled, absent


def numbers_at_once(values: Any) -> NDArray[Any] | None:
    """The entries of a column of numbers, None if ``values`` is another column.

    >>> import pyarrow
    >>> numbers_at_once(pyarrow.array([2**60 + 1, 3]))
    array([1152921504606846977,                   3])
    >>> numbers_at_once(pyarrow.array([2**60 + 1, None])).tolist()
    [1152921504606846977, None]
    """
    read = numbers_and_gaps(values)
    if read is None or read[1] is None or not read[1].any():
        return None if read is None else read[0]
    found = read[0].astype(object)
    found[read[1]] = None
    return found


def holds_numbers(values: Any) -> bool:
    """Whether ``values`` is a column of numbers that polars, pyarrow, or pandas hold.

    >>> import pyarrow
    >>> holds_numbers(pyarrow.array([37, None])), holds_numbers(pyarrow.array(["37"]))
    (True, False)
    """
    return _reader(values) is not None


def _reader(values: Any) -> Reader | None:
    library = type(values).__module__.partition(".")[0]
    kind = getattr(values, "type", None) if library == "pyarrow" else getattr(values, "dtype", None)
    name = str(kind).partition("[")[0].lower()  # pandas: int64[pyarrow]
    other = isinstance(kind, np.dtype) or name not in NAMES or getattr(values, "ndim", 1) != 1
    return None if other else READERS.get(library)


def _from_polars(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    absent = values.is_null().to_numpy()
    return np.asarray(values.fill_null(strategy="zero").to_numpy()), np.asarray(absent)


def _from_pyarrow(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    absent = values.is_null().to_numpy(zero_copy_only=False)
    zero = False if str(values.type) == "bool" else 0
    return np.asarray(values.fill_null(zero).to_numpy(zero_copy_only=False)), absent


def _from_pandas(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    own = values.dtype.numpy_dtype
    return np.asarray(values.to_numpy(dtype=own, na_value=own.type(0).item())), np.asarray(values.isna())


READERS = {"polars": _from_polars, "pyarrow": _from_pyarrow, "pandas": _from_pandas}
