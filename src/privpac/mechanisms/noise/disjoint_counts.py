"""Counts of disjoint kinds: how many of n records are of each kind.

proof: docs/proofs/holding_out.md, Theorem 2

One substitution takes a record from one kind to another, so it changes two counts by 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1
from operator import add
from typing import ClassVar

from flint import arb, ctx

from privpac.exact.bulk_noise import discrete_laplaces
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise.gaussian import jointly
from privpac.mechanisms.noise.laplace import DiscreteLaplace, laplace_rarely_reached
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism

Counts = tuple[int, ...]


@dataclass(frozen=True)
class DisjointCounts(Mechanism):
    """Each of the counts of disjoint kinds among ``size`` records, plus discrete Laplace noise of rate ε/2; ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> DisjointCounts(Budget(2000), 10).release((7, 3, 0), SYSTEM)
    (7, 3, 0)
    """

    cost: Budget
    size: int  # n, public
    name: ClassVar[str] = "disjoint counts"
    theorem: ClassVar[str] = "holding out, Theorem 2"

    @property
    def rate(self) -> Fraction:
        """ε/2, the rate of the noise."""
        return self.cost.epsilon / 2

    @property
    def variance(self) -> float:
        """The variance of the noise of each count, kept between 10⁻³⁰⁰ and 2·10¹⁰⁰ so that division by it is safe."""
        x = min(max(float(self.rate), 1e-50), 690.0)
        return 2 * exp(-x) / expm1(-x) ** 2

    def largest_noise(self, counts: int, beta: Fraction) -> int:
        """A q such that the noise of some count exceeds q in absolute value with probability at most β.

        It is the smallest q ≥ 0 for which a union bound shows this, or that plus one.

        >>> DisjointCounts(Budget(1), 10).largest_noise(100, Fraction(1, 20))
        15
        """
        return max(1, laplace_rarely_reached(self.rate, beta / (2 * counts))) - 1

    def check(self, data: Sequence[int]) -> Counts:
        return tuple(map(int, data))

    def release(self, data: Counts, coins: Entropy) -> Counts:
        noise = discrete_laplaces(self.rate, len(data), coins).tolist()
        return tuple(map(add, data, noise))

    def law(self, data: Sequence[int]) -> dict[Counts, arb]:
        """The exact law. Outcomes below 0 are merged with 0 and those above n with n.

        The ratio of their probabilities on two neighbors is that of 0, or of n, so no divergence changes.
        """
        one = DiscreteLaplace(Budget(self.rate), 1, 0, self.size)
        with ctx.workprec(128):
            return jointly(one.law(count) for count in self.check(data))
