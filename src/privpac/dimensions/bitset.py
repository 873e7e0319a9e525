"""Sets of small numbers as integers: bit i says whether i belongs to the set."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from privpac.classes.hypothesis import Labels


def bitsets(matrix: Labels) -> list[int]:
    """For each row of the matrix, the set of columns where it is 1."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(matrix, axis=1, bitorder="little")]


def bitset(numbers: Iterable[int]) -> int:
    """The set of these numbers."""
    total = 0
    for number in numbers:
        total |= 1 << number
    return total


def members(bits: int) -> list[int]:
    """The numbers in the set, in order.

    >>> members(19)
    [0, 1, 4]
    """
    return [i for i, bit in enumerate(reversed(f"{bits:b}")) if bit == "1"]
