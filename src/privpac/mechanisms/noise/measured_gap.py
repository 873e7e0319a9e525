"""A measured certificate: the largest error of released answers, measured privately on the records themselves.

proof: docs/proofs/measured_certificate.md

Throughout this file
    g      the gap: the largest distance between a released answer and the true count, rounded up. Substituting one
           record changes it by at most 1, whatever was released and however it was computed
    Z      discrete Laplace noise of rate ε, or discrete Gaussian noise
    q      the allowance for noise: the smallest whole number ≥ 0 with Pr[Z < −q] ≤ β
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import ClassVar

from flint import arb, ctx

from privpac.exact.bulk_noise import discrete_gaussians
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise.gaussian import noisy_law, rarely_reached
from privpac.mechanisms.noise.laplace import DiscreteLaplace, laplace_rarely_reached
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism


@dataclass(frozen=True)
class MeasuredGap(Mechanism):
    """g + Z + q, never below 0: ε-DP, and at least g with probability at least 1 − β.

    >>> MeasuredGap(Budget("0.1"), Fraction(1, 20)).allowance
    23
    """

    cost: Budget
    beta: Fraction
    name: ClassVar[str] = "measured certificate"
    theorem: ClassVar[str] = "measured certificate, Theorem 1"

    @cached_property
    def allowance(self) -> int:
        """The allowance q."""
        return max(1, laplace_rarely_reached(self.cost.epsilon, self.beta)) - 1

    @property
    def _noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.cost)

    def check(self, data: int) -> int:
        return self._noise.check(data)

    def release(self, data: int, coins: Entropy) -> int:
        return max(0, self._noise.release(data, coins) + self.allowance)

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        """The exact law, where noisy gaps of at least ``reach`` are merged, and so are those of at most −``reach``."""
        return self._bounds(self._noise.law(data, reach))

    def _bounds(self, noisy: dict[int, arb]) -> dict[int, arb]:
        """The law of the released bound, from that of the noisy gap g + Z."""
        law: dict[int, arb] = {}
        with ctx.workprec(128):
            for o, p in noisy.items():
                bound = max(0, o + self.allowance)
                law[bound] = law.get(bound, arb(0)) + p
        return law


@dataclass(frozen=True)
class GaussianGap(MeasuredGap):
    """MeasuredGap with Gaussian noise of this ``variance``. ``cost`` covers the answers and this bound (Theorem 3).

    >>> GaussianGap(Budget(1, 1e-6), Fraction(1, 20), Fraction(187)).allowance
    22
    """

    variance: Fraction
    theorem: ClassVar[str] = "measured certificate, Theorem 3"

    @cached_property
    def allowance(self) -> int:
        """The allowance q, for Gaussian noise."""
        return rarely_reached(self.variance, self.beta) - 1

    def release(self, data: int, coins: Entropy) -> int:
        return max(0, data + int(discrete_gaussians(self.variance, 1, coins)[0]) + self.allowance)

    def law(self, data: int, reach: int = 8) -> dict[int, arb]:
        """The exact law, where noisy gaps beyond ±(``reach`` + 8σ) are merged."""
        with ctx.workprec(128):
            return self._bounds(noisy_law(data, self.variance, reach + 8 * (isqrt(int(self.variance)) + 1)))
