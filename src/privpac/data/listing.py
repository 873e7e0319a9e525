"""A finite list of named values, numbered in order.

Main declarations
    Listing    the names; encodes records, decodes a number
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Listing:
    """Distinct names, numbered 0, 1, 2 …

    >>> Listing(("EV", "UA")).encode(["UA", "UA", "EV"]).tolist()
    [1, 1, 0]
    """

    names: tuple[Hashable, ...]

    @property
    def size(self) -> int:
        """How many names there are."""
        return len(self.names)

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {name: number for number, name in enumerate(self.names)}

    def encode(self, values: Iterable[Hashable]) -> NDArray[np.intp]:
        """The numbers of ``values``; ValueError if some are not in the list."""
        listed = values.tolist() if isinstance(values, np.ndarray) else values
        numbers = np.array([self._number.get(_plain(value), -1) for value in listed], dtype=np.intp)
        if (numbers < 0).any():
            raise ValueError(f"{(numbers < 0).sum()} of {len(numbers)} names are unknown: nothing is said about them")
        return numbers

    def decode(self, number: int) -> Hashable:
        """The name with this number."""
        return self.names[number]


def _plain(value: Hashable) -> Hashable:
    """A row of a two-dimensional array is a tuple."""
    return tuple(value) if isinstance(value, (list, np.ndarray)) else value
