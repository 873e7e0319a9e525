"""Columns of a table as arrays, without a conversion that could change a value.

Main declarations
    column    one value per record
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray


def column(values: Any, name: str) -> NDArray[Any]:
    """One value per record: numpy's own types as they are, everything else value by value as Python objects.

    A column that numpy would convert is not left to it: one missing value must not make floats of its neighbours.

    >>> column([1, None, 2**70], "values").tolist()
    [1, None, 1180591620717411303424]
    """
    table = hasattr(values, "columns")
    if table or isinstance(values, (np.ma.MaskedArray, Mapping, Set, str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a list, an array or a column, without a mask, one value per record")
    plain = isinstance(getattr(values, "dtype", None), np.dtype)
    array = np.asarray(values) if plain else np.array(list(values), dtype=object)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional")
    return array
