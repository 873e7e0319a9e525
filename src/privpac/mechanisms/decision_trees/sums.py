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

from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from privpac.data.samples.sample import Ints
from privpac.exact.powers import Floats, Powers, Sums


@dataclass(frozen=True)
class TreePowers(Powers):
    """Powers of y = e^rate, and the weights of trees that are sums of them.

    >>> from fractions import Fraction
    >>> powers = TreePowers(Fraction(1, 4), 10**9)
    >>> leaf = powers.leaf(np.array([0, -3, 10**9]))
    >>> leaf.M.round(4), leaf.g
    (array([1.    , 0.6116, 0.5   ]), array([         0,          3, 1000000000]))
    """

    several: bool = False  # there are more than two labels

    def leaf(self, w: Ints) -> Sums:
        """z_0 of regions by their positive minus negative records: y^|w|·(1 + y^(−2|w|))/2.

        With several labels, by their records of each, along the first axis.

        >>> from fractions import Fraction
        >>> leaf = TreePowers(Fraction(1, 2), 10, several=True).leaf(np.array([[4], [2], [0]]))
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

        >>> from fractions import Fraction
        >>> powers = TreePowers(Fraction(1, 4), 10)
        >>> sides = powers.leaf(np.array([[5, 2]])).times(powers.leaf(np.array([[-5, -2]])))
        >>> z = powers.node(powers.leaf(np.array([0])), sides)
        >>> print(np.round(z.M * np.exp(z.g / 4), 4), z.g)
        [1.7094] [10]
        """
        T = splits.g.shape[-1]
        g = np.maximum(stop.g, splits.g.max(axis=-1))
        total = (splits.M * self(g[..., None] - splits.g)).sum(axis=-1)
        return Sums(stop.M * self(g - stop.g) / 2 + total / (2 * T), g)

    def one_test(self, w: Ints, where: Ints) -> Sums:
        """z_1 from w of regions, and from w where each test holds, which are along the last axis.

        With two labels, z_0(a)·z_0(b) = z_0(a + b)/2 + z_0(a − b)/2, so z_1 = 3·z_0(w)/4 + Σ z_0(2·where − w)/(4T).

        >>> from fractions import Fraction
        >>> z = TreePowers(Fraction(1, 4), 10).one_test(np.array([0]), np.array([[5, 2]]))
        >>> print(np.round(z.M * np.exp(z.g / 4), 4), z.g)
        [1.7094] [10]
        """
        stop = self.leaf(w)
        if self.several:
            return self.node(stop, self.leaf(where).times(self.leaf(w[..., None] - where)))
        apart = self.leaf(2 * where - w[..., None])
        g = np.maximum(stop.g, apart.g.max(axis=-1))
        total = (apart.M * self(g[..., None] - apart.g)).sum(axis=-1)
        return Sums(0.75 * stop.M * self(g - stop.g) + total / (4 * where.shape[-1]), g)

    @cached_property
    def _leaves(self) -> Floats | None:
        return None if self._exponents is None else self._leaf(self._exponents)

    def _leaf(self, g: Ints) -> Floats:
        return np.asarray((1 + self._computed(2 * g)) / 2)
