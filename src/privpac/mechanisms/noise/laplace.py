"""Discrete Laplace noise, for one integer or for many at once.

[GRS12] [DR14] [CKS20]  docs/references.bib        proof: docs/proofs/noise.md; docs/proofs/marginals.md, Lemma 1

Throughout this file
    Z_x    discrete Laplace noise, Pr[z] ∝ e^(−x·|z|)
    Δ      the sensitivity: the largest change of the value that substituting one record causes
    Δ₁     the largest sum of the changes of all values that substituting one record causes
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from privpac.data.values.whole_numbers import is_whole
from privpac.exact.bulk_noise import discrete_laplaces, plus
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers, integers
from privpac.mechanisms.noise.gaussian import Ints, jointly, moderate_integers
from privpac.privacy.budget import Budget, Number, as_count, mechanism_budget
from privpac.privacy.ledger import Coins, Law, Mechanism, Payer, spend
from privpac.privacy.rounding import ball


def laplace_tail(x: Fraction, least: int) -> arb:
    """Pr[Z_x ≥ least], as a ball at the working precision."""
    ρ = (-ball(x)).exp()
    return ρ**least / (1 + ρ) if least > 0 else 1 - ρ ** (1 - least) / (1 + ρ)


def laplace_rarely_reached(x: Fraction, rare: Fraction) -> int:
    """The least k ≥ 0 with Pr[Z_x ≥ k] ≤ ``rare``, or the integer after that.

    >>> laplace_rarely_reached(Fraction(1), Fraction(1, 10))
    2
    """
    with ctx.workprec(128):
        # This is ρ^k/(1 + ρ) ≤ rare, solved for k. Equality never occurs: ρ is transcendental, and ``rare`` is not.
        steps = (ball(rare).log() + (1 + (-ball(x)).exp()).log()) / -ball(x)
        return max(0, int(steps.upper().fmpq().ceil()))


@dataclass(frozen=True)
class DiscreteLaplace(Mechanism):
    """An integer of sensitivity Δ plus Z_(ε/Δ), clamped to ``low`` … ``high`` unless these are None; ε-DP."""

    cost: Budget
    sensitivity: int = 1
    low: int | None = None
    high: int | None = None
    theorem: ClassVar[str] = "noise, Theorem 1"

    @property
    def name(self) -> str:
        return "discrete Laplace" if self.low is None else "geometric"

    def check(self, data: int) -> int:
        value = _integer(data, "value")
        if self.low is not None and self.high is not None and not self.low <= value <= self.high:
            raise ValueError("the value lies outside low … high; declare bounds that cover all possible values")
        return value

    def release(self, data: int, coins: Entropy) -> int:
        noisy = data + int(discrete_laplaces(self.cost.epsilon / self.sensitivity, 1, coins)[0])
        return noisy if self.low is None or self.high is None else min(max(noisy, self.low), self.high)

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        """The exact law. Without bounds, outcomes of ±``reach`` or more are merged, which changes no divergence if
        |value| ≤ reach.
        """
        value, x = self.check(data), self.cost.epsilon / self.sensitivity
        low, high = (-reach, reach) if self.low is None or self.high is None else (self.low, self.high)
        if low == high:
            return {low: arb(1)}
        with ctx.workprec(128):
            ρ = (-ball(x)).exp()
            inner = {z: (1 - ρ) / (1 + ρ) * ρ ** abs(z - value) for z in range(low + 1, high)}
            return {low: laplace_tail(x, value - low), **inner, high: laplace_tail(x, high - value)}


def discrete_laplace(
    value: int, *, epsilon: Number, sensitivity: int = 1, budget: Payer = None, rng: Coins = None
) -> int:
    """``value`` plus discrete Laplace noise of scale ``sensitivity``/ε: ε-DP.

    ``sensitivity`` is a public bound on how much substituting one record changes the value.

    Examples
    --------
    >>> abs(discrete_laplace(1000, epsilon=1) - 1000) < 100
    True
    """
    mechanism = DiscreteLaplace(mechanism_budget(epsilon), as_count(sensitivity, "sensitivity"))
    return int(spend(mechanism, value, budget, rng))


def geometric(
    value: int, *, low: int, high: int, epsilon: Number, sensitivity: int = 1, budget: Payer = None, rng: Coins = None
) -> int:
    """The truncated geometric mechanism: discrete Laplace noise, clamped to public bounds: ε-DP.

    Examples
    --------
    >>> 0 <= geometric(3, low=0, high=10, epsilon=0.1) <= 10
    True
    """
    low, high = _integer(low, "low"), _integer(high, "high")
    if low > high:
        raise ValueError("low must not exceed high")
    mechanism = DiscreteLaplace(mechanism_budget(epsilon), as_count(sensitivity, "sensitivity"), low, high)
    return int(spend(mechanism, value, budget, rng))


@dataclass(frozen=True)
class AboveThreshold(Mechanism):
    """The first i with value_i + Z_(ε/4) ≥ threshold + Z_(ε/2), or None; ε-DP for values of sensitivity 1."""

    cost: Budget
    threshold: int
    name: ClassVar[str] = "above threshold"
    theorem: ClassVar[str] = "noise, Theorem 2"

    def check(self, data: ArrayLike) -> Integers:
        return integers(data, "values")

    def release(self, data: Integers, coins: Entropy) -> int | None:
        """All noise is drawn and all values are compared, so that time tells nothing about where the first one is."""
        bar = self.threshold + int(discrete_laplaces(self.cost.epsilon / 2, 1, coins)[0])
        noisy = plus(data, discrete_laplaces(self.cost.epsilon / 4, data.size, coins))
        first = int(np.where(noisy >= bar, np.arange(data.size), data.size).min(initial=data.size))
        return first if first < data.size else None

    def law(self, data: ArrayLike, reach: int = 400) -> Law:
        """The exact law. The probability that the threshold's noise exceeds ±``reach`` widens every ball."""
        values, ε = self.check(data).tolist(), self.cost.epsilon
        law: Law = {i: arb(0) for i in (*range(len(values)), None)}
        with ctx.workprec(128):
            for z in range(-reach, reach + 1):
                passes = [laplace_tail(ε / 4, self.threshold + z - value) for value in values]
                chance_of_z = laplace_tail(ε / 2, z) - laplace_tail(ε / 2, z + 1)
                # Pr[the threshold's noise is z, and no value before i passes], for each i
                reaches = accumulate([chance_of_z, *(1 - p for p in passes)], mul)
                for i, (q, p) in enumerate(zip(reaches, [*passes, arb(1)], strict=True)):
                    law[i if i < len(values) else None] += q * p
            beyond = laplace_tail(ε / 2, reach + 1)
            return {outcome: p + arb(beyond, beyond) for outcome, p in law.items()}


def above_threshold(
    values: ArrayLike, *, threshold: int, epsilon: Number, budget: Payer = None, rng: Coins = None
) -> int | None:
    """The index of the first value that is (noisily) at least ``threshold``, or None: ε-DP for any number of values.

    Substituting one record changes each integer value by at most 1; the threshold is public.

    Examples
    --------
    >>> above_threshold([0, 0, 5000, 0], threshold=2500, epsilon=1)
    2
    """
    mechanism = AboveThreshold(mechanism_budget(epsilon), _integer(threshold, "threshold"))
    index: int | None = spend(mechanism, values, budget, rng)
    return index


def _integer(value: Any, name: str) -> int:
    if not is_whole(value):
        raise TypeError(f"{name} must be an integer; scale and round it first")
    return int(value.__index__())


@dataclass(frozen=True)
class DiscreteLaplaces(Mechanism):
    """Integers plus independent noise, Pr[z] ∝ e^(−ε·|z|/Δ₁); ε-DP.

    >>> from privpac.exact.entropy import SYSTEM
    >>> DiscreteLaplaces(Budget(2000), sensitivity=2).release(np.array([7, 0, 3]), SYSTEM)
    array([7, 0, 3])
    """

    cost: Budget
    sensitivity: int  # Δ₁
    name: ClassVar[str] = "many discrete Laplaces"
    theorem: ClassVar[str] = "marginals, Lemma 1"

    @property
    def rate(self) -> Fraction:
        return self.cost.epsilon / self.sensitivity

    @property
    def variance(self) -> float:
        """The variance of the noise: 2ρ/(1 − ρ)² for ρ = e^(−rate)."""
        half = float(self.rate) / 2
        return 0.5 / float(np.sinh(min(half, 300.0))) ** 2

    def rarely_reached(self, rare: Fraction) -> int:
        """The least k ≥ 1 with Pr[Z ≥ k] ≤ ``rare``, where Z is the noise of one integer."""
        return max(1, laplace_rarely_reached(self.rate, rare))

    def check(self, data: ArrayLike) -> Ints:
        return moderate_integers(data)

    def release(self, data: Ints, coins: Entropy) -> Ints:
        return plus(data, discrete_laplaces(self.rate, data.size, coins))

    def law(self, data: ArrayLike, reach: int = 3) -> dict[tuple[int, ...], arb]:
        """The exact law. Outcomes of ±``reach`` or more are merged, which changes no divergence if |values| ≤ reach."""
        one = DiscreteLaplace(Budget(self.rate))
        with ctx.workprec(128):
            return jointly(one.law(value, reach) for value in self.check(data).tolist())
