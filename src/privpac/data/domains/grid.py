"""Integer vectors: rows of a table as arrays, and the grids they live on.

Throughout this file
    d      how many coordinates a vector has          n      how many vectors there are
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.values.allowed_types import declared
from privpac.data.values.columns import Array, number_below, objects
from privpac.data.values.line_codes import EXACT_FLOATS, STORED_AS_FLOATS
from privpac.data.values.tables import coordinates, entries
from privpac.refusals.refusal import Refused, RefusedType

MOST_COORDINATES = 2**20
INT64 = np.iinfo(np.int64)
NO_GRID_POINTS = (
    "coordinates must be integers, with none missing; scale or round other numbers first",
    STORED_AS_FLOATS,
)


def integer_rows(table: object, d: int) -> Array:
    """The vectors in a table: an n × d array of int64, or of Python integers if int64 is too narrow.

    False and True count as 0 and 1, and whole floats as integers.

    >>> integer_rows([(1, 2**70), (3, 4)], 2).tolist()
    [[1, 1180591620717411303424], [3, 4]]
    """
    array = entries(table)
    if array.shape[1] != d and len(array):
        raise ValueError(
            f"the number of columns, {array.shape[1]}, is not the dimension, {d}; give one column for each coordinate"
        )
    if array.dtype.kind == "O":
        whole_numbers = list(filter(_is_whole, map(declared, array.flat)))
        if len(whole_numbers) < array.size:
            raise RefusedType("values", *NO_GRID_POINTS)
        array = np.array(list(map(int, whole_numbers)), dtype=object)
    elif array.dtype.kind == "f" and _are_whole(array):
        array = array.astype(np.int64)
    elif array.dtype.kind not in "biu":
        raise RefusedType("values", *NO_GRID_POINTS)
    type_fits = array.dtype.kind in "bi" or array.size == 0
    fits_int64 = type_fits or (array.min() >= INT64.min and array.max() <= INT64.max)
    return array.astype(np.int64 if fits_int64 else object, copy=False).reshape(-1, d)


def _are_whole(floats: Array) -> bool:
    """Whether all of these floats are whole numbers, and so small that each stands for itself only."""
    with np.errstate(invalid="ignore", over="ignore"):  # a signalling NaN is a NaN; as a half float, 2^53 is infinite
        return bool(((np.abs(floats) < EXACT_FLOATS) & (np.floor(floats) == floats)).all())


def _is_whole(value: object) -> TypeGuard[int | float]:
    """Whether one entry, in Python's own type, is a whole number or a truth value."""
    return type(value) in (bool, int) or (type(value) is float and value.is_integer() and abs(value) < EXACT_FLOATS)


@dataclass(frozen=True)
class Grid(Domain):
    """The integer vectors of length ``dim`` with coordinates from ``low`` to ``high``.

    >>> grid = Grid(0, 2, dim=2)
    >>> grid.size, grid.encode([(0, 2), (1, 0)]).tolist(), grid.decode(3)
    (9, [2, 3], (1, 0))
    """

    low: int
    high: int
    dim: int
    tabular = True
    numbered = True

    def __post_init__(self) -> None:
        if not all(isinstance(value, int) and not isinstance(value, bool) for value in (self.low, self.high, self.dim)):
            raise RefusedType("low", "the bounds of a grid and its dimension must be integers")
        if self.low > self.high or self.dim < 1:
            needs = "a grid needs at least one coordinate, and each coordinate at least one value (low ≤ high)"
            raise Refused("low" if self.low > self.high else "dim", needs)
        if self.dim > MOST_COORDINATES:
            raise Refused("dim", f"a grid may have at most {MOST_COORDINATES} coordinates")

    @property
    def side(self) -> int:
        """How many values a coordinate has."""
        return self.high - self.low + 1

    @property
    def size(self) -> int:
        return int(self.side**self.dim)

    @property
    def columns(self) -> tuple[Line, ...]:
        return (Line(self.low, self.high),) * self.dim

    def split(self, values: object) -> list[Array]:
        """The coordinates; False and True count as 0 and 1."""
        return [_without_truth_values(column) for column in coordinates(values, self.dim)]

    def join(self, columns: Sequence[Array]) -> Array:
        return np.stack(columns, axis=1)

    def numbers(self, points: Array) -> NDArray[np.int64]:
        return self.encode(points)

    def points(self, values: object) -> Array:
        """The vectors in a table; ValueError if some lie off the grid."""
        vectors = integer_rows(values, self.dim)
        if vectors.size and (vectors.min() < self.low or vectors.max() > self.high):
            raise ValueError("some points lie off the grid; declare a grid that contains every possible point")
        return vectors

    def encode(self, table: object) -> Array:
        """The numbers of vectors: int64 where they fit, Python integers otherwise. The last coordinate runs fastest."""
        vectors = self.points(table)
        if max(self.size, self.high, -self.low) > INT64.max:
            vectors = vectors.astype(object)
        numbers = np.zeros(len(vectors), dtype=vectors.dtype)
        for coordinate in (vectors - self.low).T:
            numbers = numbers * self.side + coordinate
        return numbers.astype(np.int64) if self.size <= INT64.max else numbers

    def decode(self, number: int) -> tuple[int, ...]:
        coordinates: list[int] = []
        number = number_below(number, self.size)
        for _ in range(self.dim):
            number, digit = divmod(number, self.side)
            coordinates.append(self.low + digit)
        return tuple(reversed(coordinates))


def _without_truth_values(coordinate: Array) -> Array:
    """The values of one coordinate, with 0 and 1 in place of False and True."""
    if coordinate.dtype.kind == "b":
        return coordinate.astype(np.int64)
    if coordinate.dtype.kind != "O":
        return coordinate
    return objects(int(value) if type(value) in (bool, np.bool_) else value for value in coordinate)
