"""Discrete Gaussian noise for many integers at once.

[CKS20]  docs/references.bib        proof: docs/proofs/noise.md, Theorems 3 and 4

Throughout this file
    Δ²    the largest sum of squared changes that substituting one record causes
    σ²    the variance of the noise, a rational number
    ρ     Δ²/(2σ²): the cost in zero-concentrated differential privacy (zCDP)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import islice, product
from math import isqrt, prod
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from privpac.exact.bulk_noise import LARGEST_VARIANCE, Gaussian, discrete_gaussians, plus
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import integers
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import counts_variance
from privpac.privacy.budget import Budget, Number, as_count, mechanism_budget
from privpac.privacy.ledger import Coins, Mechanism, Payer, spend
from privpac.privacy.rounding import PRECISION, ball

LARGEST = 2**62  # the largest absolute value
FINE = 2**20  # very wide noise: k is a multiple of σ/FINE
MOST_STEPS = 2**62  # the most such steps: noise beyond them is less likely than any δ
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class DiscreteGaussian(Mechanism):
    """Integers plus independent noise, Pr[z] ∝ e^(−z²/(2σ²)); ρ-zCDP for ρ = Δ²/(2σ²), and so (ε, δ)-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> DiscreteGaussian(Budget(1, 1e-6), squared_sensitivity=2).release(np.array([10**6, 0]), SYSTEM).round(-3)
    array([1000000,       0])
    """

    cost: Budget
    squared_sensitivity: int = 1
    name: ClassVar[str] = "discrete Gaussian"
    theorem: ClassVar[str] = "noise, Theorem 3"

    @cached_property
    def variance(self) -> Fraction:
        """σ²: the smallest, up to rounding, for which ρ-zCDP stays within the cost."""
        return self.squared_sensitivity / (2 * Concentrated.within(self.cost).rho)

    def rarely_reached(self, rare: Fraction) -> int:
        """The least k ≥ 1 with Pr[Z ≥ k] ≤ ``rare``; slightly more for very wide noise."""
        return rarely_reached(self.variance, rare)

    def check(self, data: ArrayLike) -> Ints:
        return moderate_integers(data)

    def release(self, data: Ints, coins: Entropy) -> Ints:
        return plus(data, discrete_gaussians(self.variance, data.size, coins))

    def law(self, data: ArrayLike, reach: int | None = None) -> dict[tuple[int, ...], arb]:
        """The exact law; values of ±``reach`` and more (by default, 8σ) are merged."""
        values = self.check(data).tolist()
        if reach is None:
            reach = 8 * (isqrt(int(self.variance)) + 1)
        with ctx.workprec(128):
            return jointly(noisy_law(value, self.variance, reach) for value in values)


def moderate_integers(data: ArrayLike) -> Ints:
    """The values as int64; ValueError if one exceeds ±2^62."""
    values = integers(data, "values")
    if values.size and (values.dtype.kind == "O" or values.min() < -LARGEST or values.max() > LARGEST):
        raise ValueError("values must lie between -2^62 and 2^62")
    return values.astype(np.int64)


def noisy_law(value: int, variance: Fraction, reach: int) -> dict[int, arb]:
    """The law of ``value`` plus noise, at the working precision; outcomes of ±``reach`` and more are merged.

    >>> {o: round(float(p), 4) for o, p in noisy_law(1, Fraction(1), 2).items()}
    {-2: 0.0046, -1: 0.054, 0: 0.242, 1: 0.3989, 2: 0.3005}
    """
    at_least = tails(variance, reach + abs(value) + 1)
    return {-reach: at_least(reach + value)} | law_above(at_least, value, 1 - reach, reach)


def law_above(at_least: Callable[[int], arb], value: int, low: int, high: int) -> dict[int, arb]:
    """The probabilities that a noisy value is low, …, high − 1, and high or more; ``at_least`` is k → Pr[Z ≥ k]."""
    law = {o: at_least(o - value) - at_least(o + 1 - value) for o in range(low, high)}
    return law | {high: at_least(high - value)}


def jointly(laws: Iterable[dict[Any, arb]]) -> dict[tuple[Any, ...], arb]:
    """The law of independent outcomes with these laws."""
    choices = product(*(law.items() for law in laws))
    return {tuple(o for o, _ in choice): prod((p for _, p in choice), start=arb(1)) for choice in choices}


@dataclass(frozen=True)
class GaussianCounts(DiscreteGaussian):
    """Counts plus Gaussian noise; substituting one record changes at most ``squared_sensitivity`` of them, by 1 each.

    ``extra_weight`` is κ: the same cost also covers one more number with noise of the variance σ²/κ (Theorem 5).

    >>> both = GaussianCounts(Budget(1, 1e-6), 14), DiscreteGaussian(Budget(1, 1e-6), 14)
    >>> [round(float(noise.variance) ** 0.5, 2) for noise in both]
    [15.83, 16.95]
    """

    extra_weight: Fraction = Fraction(0)
    name: ClassVar[str] = "Gaussian counts"
    theorem: ClassVar[str] = "noise, Theorem 4"

    @cached_property
    def variance(self) -> Fraction:
        """σ²: the smallest, up to rounding, for which the noise stays within the cost."""
        return counts_variance(self.cost, self.squared_sensitivity, self.extra_weight)


def tails(variance: Fraction, far: int) -> Callable[[int], arb]:
    """k → Pr[Z ≥ k] for |k| ≤ far, as balls at the working precision.

    >>> at_least = tails(Fraction(4), 10)
    >>> round(float(at_least(0) + at_least(1)), 12), round(float(at_least(3)), 4)
    (1.0, 0.1032)
    """
    within = list(islice(Gaussian(variance).within(), far))  # within[m] = Pr[|Z| ≤ m]

    def at_least(k: int) -> arb:
        return (1 - within[k - 1]) / 2 if k > 0 else 1 - at_least(1 - k)

    return at_least


@lru_cache(64)
def rarely_reached(variance: Fraction, rare: Fraction) -> int:
    """The least k ≥ 1 with Pr[Z ≥ k] ≤ ``rare``; up to 1 + 2⁻²⁰·σ more than that for very wide noise.

    >>> rarely_reached(Fraction(4), Fraction(1, 10))
    4
    """
    with ctx.workprec(PRECISION + rare.denominator.bit_length()):
        if variance <= LARGEST_VARIANCE:
            within = enumerate(Gaussian(variance).within())
            return next(m + 1 for m, G in within if ball(rare) >= (1 - G) / 2)
        wide, step = ball(2 * variance).sqrt(), max(1, isqrt(int(variance)) // FINE)
        return 1 + step * bisect_left(range(MOST_STEPS), True, key=lambda i: (step * i / wide).erfc() / 2 <= ball(rare))


@dataclass(frozen=True)
class GaussianShare(DiscreteGaussian):
    """Discrete Gaussian noise with the cost ``rho``: one release of an algorithm whose ρ add up to its ``cost``.

    >>> GaussianShare(Budget(1, 1e-6), 2, Fraction(1, 100)).variance
    Fraction(100, 1)
    """

    rho: Fraction = Fraction(1)

    @property
    def variance(self) -> Fraction:
        """σ² = Δ²/(2ρ)."""
        return self.squared_sensitivity / (2 * self.rho)


def discrete_gaussian(
    values: ArrayLike,
    *,
    epsilon: Number,
    delta: Number,
    squared_sensitivity: int = 1,
    budget: Payer = None,
    rng: Coins = None,
) -> Ints:
    """Integers plus discrete Gaussian noise each: (ε, δ)-DP.

    ``squared_sensitivity`` is a public bound on the sum of the squares of all changes that substituting one record
    causes. For counts of disjoint groups it is 2.

    Examples
    --------
    >>> noisy = discrete_gaussian([4000, 0, 2000], epsilon=1, delta=1e-6, squared_sensitivity=2)
    >>> (abs(noisy - [4000, 0, 2000]) < 100).all()
    np.True_
    """
    cost = mechanism_budget(epsilon, delta, approximate=True)
    mechanism = DiscreteGaussian(cost, as_count(squared_sensitivity, "squared_sensitivity"))
    released: Ints = spend(mechanism, values, budget, rng)
    return released
