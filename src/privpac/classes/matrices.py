"""Matrices of labels, read strictly: booleans or 0 and 1, rows of equal length, distinct names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ENTRIES = 2**28  # patterns times points: the most labels in a matrix of patterns


def boolean(matrix: object) -> NDArray[np.bool_]:
    """A two-dimensional boolean array; anything that is not made of 0 and 1 is refused."""
    if not isinstance(matrix, np.ndarray):
        if not isinstance(matrix, Iterable) or isinstance(matrix, (str, bytes, Mapping)):
            raise TypeError("a class must be a matrix, with one row of labels for each concept")
        rows = list(matrix)
        if not all(isinstance(row, Iterable) and not isinstance(row, (str, bytes)) for row in rows):
            raise TypeError("every concept needs a row of labels")
        rows = [list(row) for row in rows]
        if len({len(row) for row in rows}) > 1:
            raise ValueError("the rows differ in length; every concept needs one label for each point")
        matrix = np.array(rows, dtype=object)
    if matrix.ndim > 2:
        raise ValueError("a class must be a matrix of two dimensions, with one row of labels for each concept")
    if matrix.ndim < 2 or matrix.shape[1] == 0:
        raise ValueError("a class needs at least one point: give a row of labels for each concept, all of one length")
    if matrix.dtype.kind == "O":
        binary = all(isinstance(cell, (int, float, np.number, np.bool_)) and cell in (0, 1) for cell in matrix.flat)
    else:
        binary = matrix.dtype == bool or (matrix.dtype.kind in "iuf" and bool(((matrix == 0) | (matrix == 1)).all()))
    if not binary:
        raise ValueError("labels must be booleans, or 0 and 1")
    return np.asarray(matrix.astype(bool))


def as_label(y: object) -> bool:
    """A boolean, or 0 or 1, as a boolean."""
    if not isinstance(y, (bool, int, np.bool_, np.integer)) or y not in (0, 1):
        raise ValueError("labels must be booleans, or 0 and 1")
    return bool(y)


def read_frame(table: Any) -> tuple[NDArray[Any], list[Hashable], list[Hashable] | None]:
    """The matrix of a data frame, its points (the columns), and its concepts (the index; None if it counts rows)."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  (needed only for frames)

    native = nw.from_native(table, eager_only=True)
    index = getattr(table, "index", None)
    concepts = None if index is None or type(index).__name__ == "RangeIndex" else list(index)
    return native.to_numpy(), list(native.columns), concepts


def names_of(names: Iterable[Hashable] | None, count: int, what: str) -> tuple[Hashable, ...]:
    """``count`` distinct names; without names, the numbers 0, 1, 2 ….

    ``what`` is what error messages call these things.
    """
    all_names = tuple(range(count)) if names is None else tuple(names)
    if len(all_names) != count:
        raise ValueError(f"{count} {what} need {count} names, but {len(all_names)} were given")
    if len(set(all_names)) < count:
        raise ValueError(f"{what} must have distinct names")
    return all_names


def without_clashes(names: Iterable[Hashable], taken: Iterable[Hashable]) -> list[Hashable]:
    """The names in order; a taken name becomes ("other", name), and so on until it is free.

    >>> without_clashes(["a", "b"], ["a", ("other", "a")])
    [('other', ('other', 'a')), 'b']
    """
    names, taken = list(names), set(taken)
    used, chosen = {*taken, *names}, list[Hashable]()
    for name in names:
        new = name
        while name in taken and new in used:
            new = ("other", new)
        used.add(new)
        chosen.append(new)
    return chosen


def distinct_rows(rows: NDArray[np.uint8], names: tuple[Hashable, ...]) -> tuple[list[int], dict[Hashable, Hashable]]:
    """The index of the first of each group of equal rows; and for every other row, its name and that of its first.

    >>> distinct_rows(np.array([[2], [3], [2]], dtype=np.uint8), ("a", "b", "c"))
    ([0, 1], {'c': 'a'})
    """
    first_index: dict[bytes, int] = {}  # by the content of the row
    twins = {}
    for i, row in enumerate(rows):
        if (j := first_index.setdefault(row.tobytes(), i)) != i:
            twins[names[i]] = names[j]
    return list(first_index.values()), twins


def packed_columns(matrix: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The columns as rows of bytes: ``np.packbits(matrix.T, axis=1)``, without transposing the unpacked matrix."""
    packed = np.zeros((-(-len(matrix) // 8), matrix.shape[1]), dtype=np.uint8)
    for bit in range(8):
        rows = matrix[bit::8].view(np.uint8)
        packed[: len(rows)] |= rows << np.uint8(7 - bit)
    return np.ascontiguousarray(packed.T)


def check_matrix_size(patterns: int, points: int) -> None:
    """ValueError if a matrix with this many patterns and points is too large to write out."""
    if patterns * points > MOST_ENTRIES:
        raise ValueError(f"up to {patterns} patterns on {points} points are too many to list; choose fewer points")
