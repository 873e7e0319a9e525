"""Discrete Laplace noise for many integers at once.

proof: docs/proofs/noise.md, Theorem 1, and docs/proofs/marginals.md, Lemma 1

Throughout this file
    Δ₁    the largest sum of all changes that substituting one record causes

Main declarations
    DiscreteLaplaces    integers, plus Z of rate ε/Δ₁ each: ε-DP
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import ArrayLike

from privpac.exact.bulk_noise import discrete_laplaces, plus
from privpac.exact.entropy import Entropy
from privpac.exact.weighted import integers
from privpac.mechanisms.gaussian import LARGEST, Ints
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism


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
        """The rate of the noise."""
        return self.cost.epsilon / self.sensitivity

    @property
    def variance(self) -> float:
        """The variance of the noise: 2ρ/(1 − ρ)² for ρ = e^(−rate)."""
        half = float(self.rate) / 2
        return 0.5 / float(np.sinh(min(half, 300.0))) ** 2

    def check(self, data: ArrayLike) -> Ints:
        values = integers(data, "values")
        if values.size and (values.dtype.kind == "O" or values.min() < -LARGEST or values.max() > LARGEST):
            raise ValueError("values must lie between -2^62 and 2^62")
        return values.astype(np.int64)

    def release(self, data: Ints, coins: Entropy) -> Ints:
        return plus(data, discrete_laplaces(self.rate, data.size, coins))

    def law(self, data: ArrayLike, reach: int = 3) -> dict[tuple[int, ...], arb]:
        """The exact law. Outcomes of ±``reach`` or more are merged, which changes no divergence if |values| ≤ reach."""
        one = DiscreteLaplace(Budget(self.rate))
        laws = [one.law(value, reach).items() for value in self.check(data).tolist()]
        with ctx.workprec(128):
            return {tuple(o for o, _ in pick): prod((p for _, p in pick), start=arb(1)) for pick in product(*laws)}
