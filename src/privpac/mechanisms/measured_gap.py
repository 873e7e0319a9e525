"""A measured certificate: how far released answers are off at most, measured privately on the records themselves.

proof: docs/proofs/measured_certificate.md

Throughout this file
    g      the largest distance between a released answer and the true count, rounded up: it changes by at most 1 if one
           record is substituted, whatever was released and however it was computed
    Z      discrete Laplace noise of rate ε
    q      the smallest whole number ≥ 0 with Pr[Z < −q] ≤ β

Main declarations
    MeasuredGap    g + Z + q, which is at least g with probability 1 − β
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from flint import arb, ctx

from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball


@dataclass(frozen=True)
class MeasuredGap(Mechanism):
    """g + Z + q, never below 0: ε-DP, and at least g with probability at least 1 − β.

    >>> MeasuredGap(Budget("0.1"), Fraction(1, 20)).spare
    23
    """

    cost: Budget
    beta: Fraction
    name: ClassVar[str] = "measured certificate"
    theorem: ClassVar[str] = "measured certificate, Theorem 1"

    @cached_property
    def spare(self) -> int:
        """q: ρ^(q+1)/(1+ρ) ≤ β for ρ = e^(−ε), solved for q + 1, however small ε is."""
        with ctx.workprec(128):
            ε, β = ball(self.cost.epsilon), ball(self.beta)
            steps = (β.log() + (1 + (-ε).exp()).log()) / -ε
            return max(0, int(steps.upper().fmpq().ceil()) - 1)

    @property
    def _noise(self) -> DiscreteLaplace:
        return DiscreteLaplace(self.cost)

    def check(self, data: int) -> int:
        return self._noise.check(data)

    def release(self, data: int, coins: Entropy) -> int:
        return max(0, self._noise.release(data, coins) + self.spare)

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        """The exact law; outcomes of ``reach`` + q or more are merged."""
        law: dict[int, arb] = {}
        with ctx.workprec(128):
            for noisy, p in self._noise.law(data, reach).items():
                bound = max(0, noisy + self.spare)
                law[bound] = law.get(bound, arb(0)) + p
        return law
