"""The total weight of all decision trees: sums of products far beyond the range of floats, with a proved error.

proof: docs/proofs/tree_draw.md

Throughout this file
    T      the number of tests             K      the number of labels
    w      positive minus negative records of a region if K = 2, otherwise its records of each label: w_1, …, w_K
    y      e^rate; a tree weighs y^g times its prior. Its gain g is the number of records that it labels rightly, minus
           that of those it labels wrongly if K = 2
    z_k    the weight of all trees of depth at most k on a region: z_0 = (y^w + y^(−w))/2, or Σ y^(w_l)/K,
           z_k = z_0/2 + Σ z_(k−1)(where a test holds)·z_(k−1)(where it does not)/(2T)
    M, g   z = M·y^g, where g is the largest gain of a tree, and M is a float that is neither large nor small
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import FLOOR, exponentiate

Floats = NDArray[np.float64]
LARGEST_TABLE = 2**22  # the most powers that are computed once and then looked up


@dataclass(frozen=True, eq=False)
class Sums:
    """Numbers M·y^g, one for each place of two arrays of the same shape."""

    M: Floats
    g: Ints

    @staticmethod
    def room(*shape: int) -> Sums:
        """Room for numbers that are not known yet."""
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


@dataclass(frozen=True)
class Powers:
    """Powers of y = e^rate. Whatever is below e^-700 is e^-700: it never matters, and is never 0.

    ``most`` is the largest j; it decides only whether powers are looked up.

    >>> powers = Powers(Fraction(1, 4), 10**9)
    >>> leaf = powers.leaf(np.array([0, -3, 10**9]))
    >>> leaf.M.round(4), leaf.g
    (array([1.    , 0.6116, 0.5   ]), array([         0,          3, 1000000000]))
    """

    rate: Fraction
    most: int
    several: bool = False  # there are more than two labels

    def __call__(self, j: Ints) -> Floats:
        """y^(−j), j ≥ 0."""
        return self._computed(j) if self._table is None else self._table.take(j, mode="clip")

    def leaf(self, w: Ints) -> Sums:
        """z_0 of regions by their positive minus negative records: y^|w|·(1 + y^(−2|w|))/2.

        With several labels, by their records of each, along the first axis.

        >>> leaf = Powers(Fraction(1, 2), 10, several=True).leaf(np.array([[4], [2], [0]]))
        >>> leaf.M.round(4), leaf.g
        (array([0.5011]), array([4]))
        """
        if self.several:
            g = w.max(axis=0)
            return Sums(reduce(np.add, (self(g - each) for each in w)) / len(w), g)
        g = np.abs(w)
        return Sums(self._leaf(g) if self._leaves is None else self._leaves.take(g, mode="clip"), g)

    def node(self, stop: Sums, splits: Sums) -> Sums:
        """z_k from z_0 and from z_(k−1)·z_(k−1) of the two sides of each test, which are along the last axis.

        >>> powers = Powers(Fraction(1, 4), 10)
        >>> sides = powers.leaf(np.array([[5, 2]])).times(powers.leaf(np.array([[-5, -2]])))
        >>> z = powers.node(powers.leaf(np.array([0])), sides)
        >>> print(np.round(z.M * np.exp(z.g / 4), 4), z.g)
        [1.7094] [10]
        """
        T = splits.g.shape[-1]
        g = np.maximum(stop.g, splits.g.max(axis=-1))
        total = (splits.M * self(g[..., None] - splits.g)).sum(axis=-1)
        return Sums(stop.M * self(g - stop.g) / 2 + total / (2 * T), g)

    @cached_property
    def _exponents(self) -> Ints | None:
        """0, 1, … up to ``most``, or until the floor is reached; None if they are too many."""
        last = min(ceil(-FLOOR / self.rate), self.most)
        return np.arange(last + 1) if last < LARGEST_TABLE else None

    @cached_property
    def _table(self) -> Floats | None:
        return None if self._exponents is None else self._computed(self._exponents)

    @cached_property
    def _leaves(self) -> Floats | None:
        return None if self._exponents is None else self._leaf(self._exponents)

    def _leaf(self, g: Ints) -> Floats:
        return np.asarray((1 + self._computed(2 * g)) / 2)

    def _computed(self, j: Ints) -> Floats:
        t = np.asarray(j * -float(self.rate), dtype=np.float64)
        exponentiate(t)
        return t
