"""One price for counts with Gaussian noise and for other private releases before or between them.

proof: docs/proofs/noise.md, Theorem 6

Throughout this file
    kinds       pairs (d, κ): a record changes at most d counts, by 1 each, that get noise of the variance σ²/κ
    t, ε₀, δ₀   the number of other releases, and what each costs
    l           the number of these whose loss is −ε₀ instead of ε₀: their losses add up to (t − 2l)·ε₀
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb

from flint import arb, ctx

from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import NONE, Kinds, kinds_delta, least_variance
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import PRECISION, ball, rounded_up

FREE = Budget(0)


@dataclass(frozen=True)
class SharedCost:
    """Counts of several kinds and ``times`` releases that cost ``other`` each.

    >>> words = SharedCost(((14, Fraction(1)),), Budget("0.05", "1e-8"), 2)
    >>> [round(float(each.variance(Budget(1, 1e-6)))) for each in (SharedCost(words.kinds), words)]
    [251, 273]
    """

    kinds: Kinds
    other: Budget = FREE
    times: int = 0

    @cached_property
    def weight(self) -> Fraction:
        """D: the number of counts with noise of the variance σ² that would reveal as much as all counts do."""
        return sum((d * κ for d, κ in self.kinds), NONE)

    def delta(self, epsilon: Fraction, variance: Fraction) -> Fraction:
        """The δ of everything together, rounded up, and at most 1."""
        t, (ε0, δ0) = self.times, (self.other.epsilon, self.other.delta)
        with ctx.workprec(PRECISION):
            p, kept = 1 / (1 + ball(ε0).exp()), (1 - ball(δ0)) ** t
            mixture = arb(0)
            for l in range(t + 1):
                left = epsilon - (t - 2 * l) * ε0
                δ = kinds_delta(left, self.kinds, variance) if left >= 0 else Fraction(1)
                mixture += comb(t, l) * p**l * (1 - p) ** (t - l) * ball(δ)
            return min(rounded_up(1 - kept + kept * mixture), Fraction(1))

    def variance(self, cost: Budget) -> Fraction:
        """σ²: at most what zCDP asks for, and as much less as δ proves."""
        return _variance(self, cost)


@lru_cache(64)
def _variance(shared: SharedCost, cost: Budget) -> Fraction:
    ρ0 = Concentrated.of(shared.other).rho if shared.times else NONE
    ρ = Concentrated.within(cost, shared.times * shared.other.delta).rho - shared.times * ρ0
    return least_variance(shared.weight / (2 * ρ), lambda σ2: shared.delta(cost.epsilon, σ2) <= cost.delta)
