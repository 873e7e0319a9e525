"""The common part of classes on integer vectors, and the names of coordinates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from privpac.classes.finite.patterns import PatternClass
from privpac.classes.hypothesis import Column, value_name
from privpac.classes.typed_fields import fit_fields
from privpac.data.domains.domain import Domain
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line

Vectors = NDArray[Any]  # integers: machine integers, or Python's where these are too short
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class VectorClass(PatternClass):
    """A class on a grid of integer vectors. Points are tuples of integers, or rows of any table."""

    def __post_init__(self) -> None:
        fit_fields(self)
        _ = self.domain  # refuses an invalid grid

    @property
    @abstractmethod
    def domain(self) -> Grid:
        """The grid of integer vectors."""

    def named(self, points: Column) -> list[Hashable]:
        """The points as tuples; ValueError if some lie off the grid."""
        return list(map(tuple, self.domain.points(points).tolist()))


def check_positions(d: int, positions: tuple[int, ...]) -> None:
    """ValueError unless d ≥ 1 and these are distinct positions among 0 … d − 1."""
    if d < 1 or len(set(positions)) < len(positions) or not all(0 <= i < d for i in positions):
        raise ValueError("positions must be distinct integers from 0 to d − 1, and d must be at least 1")


def lines(domain: Domain | None) -> list[Line]:
    """The line of each column; an empty list if a column has no order, or the domain is not known."""
    column_lines = [column.line for column in domain.columns] if domain else []
    return [line for line in column_lines if line] if all(column_lines) else []


def coordinate_names(names: Sequence[str], d: int, positions: Iterable[int] | None = None) -> dict[int, str]:
    """The names of ``d`` coordinates by position: ``names`` if each has its own, otherwise one name with numbers.

    With ``positions``, only those names are made, since d may be huge.

    >>> [list(coordinate_names(names, 2).values()) for names in (("height", "weight"), ("a",), ())]
    [['height', 'weight'], ['a₁', 'a₂'], ['x₁', 'x₂']]
    """
    x = value_name(names)
    positions = range(d) if positions is None else positions
    # Indices count from 0, sentences from 1.
    return {i: names[i] if len(names) == d else x + str(i + 1).translate(SUBSCRIPTS) for i in positions}
