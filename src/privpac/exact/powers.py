"""Numbers far beyond the range of floats: M·y^g, with an integer g and a float M, and sums of them with a proved error.

proof: docs/proofs/tree_draw.md, Lemma 2

Throughout this file
    y      e^rate
    M, g   a number M·y^g; M is a float that is neither large nor small. If M = 0, g is far below all other g
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.exact.exponential_weights import FLOOR, exponentiate

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LARGEST_TABLE = 2**22  # the most powers that are computed once and then looked up
NOTHING = -(2**50)  # the g of the number 0


@dataclass(frozen=True, eq=False)
class Sums:
    """Numbers M·y^g, one for each place of two arrays of the same shape."""

    M: Floats
    g: Ints

    @staticmethod
    def unknown(*shape: int) -> Sums:
        """Arrays of this shape, to be filled by ``put``."""
        return Sums(np.empty(shape), np.empty(shape, dtype=np.int64))

    def put(self, where: Any, numbers: Sums) -> None:
        """Write these numbers at some places."""
        self.M[where], self.g[where] = numbers.M, numbers.g

    def shaped(self, shape: Sequence[int], order: Sequence[int]) -> Sums:
        """The same numbers in an array of this shape, and then with its axes in this order."""
        return Sums(self.M.reshape(shape).transpose(order), self.g.reshape(shape).transpose(order))

    def at(self, where: Any) -> Sums:
        """The numbers at these places."""
        return Sums(self.M[where], self.g[where])

    def times(self, other: Sums) -> Sums:
        """Products, place by place."""
        return Sums(self.M * other.M, self.g + other.g)

    def raised(self, gain: Ints | int) -> Sums:
        """These numbers times y^gain."""
        return Sums(self.M, self.g + gain)

    def later(self, places: int, gain: int) -> Sums:
        """The numbers moved by ``places`` to the right and multiplied by y^gain; 0 fills the first places.

        >>> Sums(np.array([1.0, 2.0]), np.array([5, 6])).later(1, -3)
        Sums(M=array([0., 1.]), g=array([-1125899906842624,                 2]))
        """
        M, g = np.zeros_like(self.M), np.full_like(self.g, NOTHING)
        if places < len(M):
            M[places:], g[places:] = self.M[: len(M) - places], self.g[: len(M) - places] + gain
        return Sums(M, g)


@dataclass(frozen=True)
class Powers:
    """The powers y^(−j) of y = e^rate, as floats. One below e^-700 counts as e^-700: it never matters, and is never 0.

    ``most`` is the largest j that will occur; it decides only whether powers are looked up in a table.

    >>> Powers(Fraction(1, 4), 10**9)(np.array([0, 4])).round(4)
    array([1.    , 0.3679])
    """

    rate: Fraction
    most: int

    def __call__(self, j: Ints) -> Floats:
        """y^(−j), j ≥ 0."""
        return self._computed(j) if self._table is None else self._table.take(j, mode="clip")

    def plus(self, first: Sums, second: Sums) -> Sums:
        """Sums, place by place."""
        g = np.maximum(first.g, second.g)
        return Sums(first.M * self(g - first.g) + second.M * self(g - second.g), g)

    def scaled(self, numbers: Sums) -> Sums:
        """The same numbers with 1 ≤ M < y, up to rounding; if M = 0, g is NOTHING.

        >>> Powers(Fraction(1), 9).scaled(Sums(np.array([np.exp(5.5), 0.0]), np.array([1, 2])))
        Sums(M=array([1.64872127, 0.        ]), g=array([                6, -1125899906842624]))
        """
        positive = numbers.M > 0
        log = np.log(np.where(positive, numbers.M, 1.0))
        j = np.floor(log / float(self.rate)).astype(np.int64)  # may be rounded: M only has to be near 1
        M = numbers.M * self(np.maximum(j, 0)) / self(np.maximum(-j, 0))
        return Sums(np.where(positive, M, 0.0), np.where(positive, numbers.g + j, NOTHING))

    @cached_property
    def _exponents(self) -> Ints | None:
        """The j of a table: 0, 1, … up to ``most``, or until y^(−j) is e^-700; None if there are too many."""
        last = min(ceil(-FLOOR / self.rate), self.most)
        return np.arange(last + 1) if last < LARGEST_TABLE else None

    @cached_property
    def _table(self) -> Floats | None:
        return None if self._exponents is None else self._computed(self._exponents)

    def _computed(self, j: Ints) -> Floats:
        t = np.asarray(j * -float(self.rate), dtype=np.float64)
        exponentiate(t)
        return t
