"""From records to units: what a promise per record means for all records of one person.

proof: docs/proofs/composition.md, Theorem 12

Throughout this file
    k      the number of records of one unit that count, a public number
    G      e^0 + e^ε + … + e^((k−1)ε), which is (e^(kε) − 1)/(e^ε − 1); (ε, δ) per record is (k·ε, δ·G) per unit
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from privpac.exact.entropy import Entropy
from privpac.privacy.budget import Budget, as_count
from privpac.privacy.ledger import Data, Law, Mechanism, Release
from privpac.privacy.rounding import PRECISION, ball, rounded_down, rounded_up

MARGIN = 1 - Fraction(1, 10**14)  # so that ``per_unit``, which rounds up to 15 digits, does not exceed the budget


def per_unit(cost: Budget, k: int) -> Budget:
    """The cost for units of k records, δ rounded up.

    >>> print(per_unit(Budget("0.25", 1e-7), 4))
    ε = 1, δ = 6.04975e-07
    """
    k = as_count(k, "k")
    if k == 1 or 0 in (cost.epsilon, cost.delta):
        return Budget(k * cost.epsilon, min(cost.delta if cost.epsilon else k * cost.delta, Fraction(1)))
    with ctx.workprec(PRECISION):
        δ = ball(cost.delta) * _growth(cost.epsilon, k)
        return Budget(k * cost.epsilon, rounded_up(δ) if δ < 1 else 1)


def per_record(budget: Budget, k: int) -> Budget:
    """What may be spent per record so that a unit pays at most ``budget``, δ rounded down.

    It may be spent in several releases if one of them takes all of δ: that release has a smaller ε, so a smaller G.

    >>> print(per_record(Budget(1, 1e-6), 4))
    ε = 0.25, δ = 1.65296e-07
    >>> per_unit(per_record(Budget(1, 1e-6), 4), 4) <= Budget(1, 1e-6)
    True
    """
    k = as_count(k, "k")
    ε = budget.epsilon / k
    if k == 1 or 0 in (ε, budget.delta):
        return Budget(ε, budget.delta if ε else budget.delta / k)
    with ctx.workprec(PRECISION):
        return Budget(ε, rounded_down(ball(rounded_down(ball(budget.delta)) * MARGIN) / _growth(ε, k)))


def _growth(ε: Fraction, k: int) -> arb:
    """G for ε > 0, as a ball."""
    return ball(k * ε).expm1() / ball(ε).expm1()


@dataclass(frozen=True)
class PerUnit(Mechanism):
    """A mechanism whose cost is counted for units of k records.

    >>> from privpac.mechanisms.noise.laplace import DiscreteLaplace
    >>> mechanism = PerUnit(DiscreteLaplace(Budget("0.25")), 4)
    >>> print(mechanism.name, mechanism.cost, mechanism.theorem, sep="; ")
    discrete Laplace; ε = 1; noise, Theorem 1; composition, Theorem 12
    """

    inner: Mechanism
    k: int

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """The inner mechanism's cost, for k records together."""
        return per_unit(self.inner.cost, self.k)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def theorem(self) -> str:
        """The inner mechanism's theorem, and group privacy."""
        return f"{self.inner.theorem}; composition, Theorem 12"

    def check(self, data: Data) -> Data:
        return self.inner.check(data)

    def release(self, data: Data, coins: Entropy) -> Release:
        return self.inner.release(data, coins)

    def law(self, data: Data) -> Law:
        law: Law = self.inner.law(data)  # type: ignore[attr-defined]
        return law
