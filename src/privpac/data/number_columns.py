"""Columns of numbers that polars, pyarrow, or pandas hold, as arrays of numpy's types: all entries at once.

A number never passes through another type, so a missing entry does not change the others: 2⁶⁰ + 1 stays 2⁶⁰ + 1 next to
it. A missing float is NaN. A column of integers or truth values in which some are missing becomes Python values, None
where one is missing.

Main declarations
    numbers_at_once    such a column as an array; None if ``values`` is another column
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = frozenset(  # of types, as each library spells them
    [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
    + ["float", "double", "float32", "float64", "bool", "boolean"]
)


def numbers_at_once(values: Any) -> NDArray[Any] | None:
    """The entries of a column of numbers, None if ``values`` is another column.

    >>> import pyarrow
    >>> numbers_at_once(pyarrow.array([2**60 + 1, 3]))
    array([1152921504606846977,                   3])
    >>> numbers_at_once(pyarrow.array([2**60 + 1, None])).tolist()
    [1152921504606846977, None]
    """
    library = type(values).__module__.partition(".")[0]
    kind = getattr(values, "type", None) if library == "pyarrow" else getattr(values, "dtype", None)
    read = READERS.get(library)
    name = str(kind).partition("[")[0].lower()  # pandas: int64[pyarrow]
    if read is None or isinstance(kind, np.dtype) or name not in NAMES or getattr(values, "ndim", 1) != 1:
        return None
    filled, absent = read(values)
    if absent is None or not absent.any():
        return filled
    if filled.dtype.kind == "f":
        return np.where(absent, filled.dtype.type(np.nan), filled)
    found = filled.astype(object)
    found[absent] = None
    return found


def _from_polars(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    if not values.null_count():
        return np.asarray(values.to_numpy()), None
    absent = values.is_null().to_numpy()
    return np.asarray(values.fill_null(strategy="zero").to_numpy()), np.asarray(absent)


def _from_pyarrow(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    whole = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    if not whole.null_count:
        return np.asarray(whole.to_numpy(zero_copy_only=False)), None
    absent = whole.is_null().to_numpy(zero_copy_only=False)
    zero = False if str(whole.type) == "bool" else 0
    return np.asarray(whole.fill_null(zero).to_numpy(zero_copy_only=False)), absent


def _from_pandas(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    own = values.dtype.numpy_dtype
    return np.asarray(values.to_numpy(dtype=own, na_value=own.type(0).item())), np.asarray(values.isna())


READERS = {"polars": _from_polars, "pyarrow": _from_pyarrow, "pandas": _from_pandas}
