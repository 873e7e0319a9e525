"""Concentrated differential privacy: costs add up in ρ and are converted to (ε, δ) at the end.

[BS16], [CKS20], [CR21]  docs/references.bib
proofs: docs/proofs/composition.md, Theorems 6 to 8; docs/proofs/noise.md, Theorem 3

Throughout this file
    ρ       ρ-zCDP: the Rényi divergence of order α between neighbors is at most αρ, for every α > 1
    δ₀      the probability with which that may fail (δ₀-approximate zCDP; 0 for ordinary zCDP)
    a       α − 1, the order minus one
    c(a)    α·ln(1 − 1/α) − ln(α − 1), so that at every order ln δ = a(αρ − ε) + c(a) is a valid bound

Any order gives a valid bound; the search for a good order affects how tight a number is, never whether it is valid.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from privpac.privacy.budget import Budget, Number, as_rational, mechanism_budget
from privpac.privacy.rounding import PRECISION, ball, rounded_down, rounded_up

GOLDEN = (math.sqrt(5) - 1) / 2
ORDER_RANGE = (-60.0, 200.0)  # where ln(α − 1) is searched
GOLDEN_STEPS = 70  # golden-section steps: 260·0.618^70 < 10⁻¹², far below what a flat minimum shows


@dataclass(frozen=True)
class Concentrated:
    """δ₀-approximate ρ-zCDP as exact numbers; ``+`` is composition, also of mechanisms chosen adaptively.

    >>> thousand = sum([Concentrated.of_bounded_range(Budget("0.1"))] * 1000, Concentrated(0))
    >>> thousand
    Concentrated(rho=Fraction(5, 4), delta=Fraction(0, 1))
    >>> print(thousand.at_delta(1e-6))
    ε = 8.84589, δ = 1e-06
    """

    rho: Fraction
    delta: Fraction

    def __init__(self, rho: Number, delta: Number = 0) -> None:
        ρ, δ = as_rational(rho, "rho"), as_rational(delta, "delta")
        if ρ < 0:
            raise ValueError("rho must not be negative")
        if not 0 <= δ <= 1:
            raise ValueError("delta must lie in [0, 1]")
        object.__setattr__(self, "rho", ρ)
        object.__setattr__(self, "delta", δ)

    def __add__(self, other: Concentrated) -> Concentrated:
        if not isinstance(other, Concentrated):
            return NotImplemented
        return Concentrated(self.rho + other.rho, min(self.delta + other.delta, Fraction(1)))

    @classmethod
    def of(cls, cost: Budget) -> Concentrated:
        """The cost of any (ε, δ)-private mechanism: ρ = ε·tanh(ε/2) ≤ ε²/2, rounded up.

        >>> float(Concentrated.of(Budget(1)).rho)
        0.46211715726001
        """
        cost = mechanism_budget(cost.epsilon, cost.delta)
        with ctx.workprec(PRECISION):
            ε = ball(cost.epsilon)
            return cls(rounded_up(ε * (ε / 2).tanh()), cost.delta)

    @classmethod
    def of_bounded_range(cls, cost: Budget) -> Concentrated:
        """The cost of an exponential mechanism at ε: ρ = ε²/8.

        Also of a mechanism whose log-ratios of probabilities lie in a range of length ε, except with probability δ.

        >>> Concentrated.of_bounded_range(Budget(1, 1e-6))
        Concentrated(rho=Fraction(1, 8), delta=Fraction(1, 1000000))
        """
        cost = mechanism_budget(cost.epsilon, cost.delta)
        return cls(cost.epsilon**2 / 8, cost.delta)

    @classmethod
    def within(cls, target: Budget, delta: Number = 0) -> Concentrated:
        """The largest ρ, rounded down, for which ``delta``-approximate ρ-zCDP stays within ``target``.

        >>> float(Concentrated.within(Budget(1, 1e-6)).rho)
        0.0243559703595383
        """
        target, δ0 = mechanism_budget(target.epsilon, target.delta), as_rational(delta, "delta")
        with ctx.workprec(PRECISION):
            ε, ln_δ = ball(target.epsilon), _log_conditional(target.delta, δ0)

            def deficit(a: arb) -> arb:  # at the order 1 + a, the target allows ρ = −deficit(a)
                return ((_c(a) - ln_δ) / a - ε) / (1 + a)

            return cls(rounded_down(-deficit(_minimizer(deficit))), δ0)

    def at_epsilon(self, epsilon: Number) -> Budget:
        """The (ε, δ) that this cost stays within, for the given ε ≥ 0 [CKS20, Prop. 12]; δ is rounded up.

        >>> print(Concentrated("0.02").at_epsilon(1))
        ε = 1, δ = 8.82525e-08
        """
        with ctx.workprec(PRECISION):
            ρ, ε = ball(self.rho), ball(Budget(epsilon).epsilon)

            def ln_δ(a: arb) -> arb:
                return a * ((1 + a) * ρ - ε) + _c(a)

            conditional = rounded_up(ln_δ(_minimizer(ln_δ)).exp())
        return Budget(epsilon, min(self.delta + (1 - self.delta) * conditional, Fraction(1)))

    def at_delta(self, delta: Number) -> Budget:
        """The (ε, δ) that this cost stays within, for the given δ between δ₀ and 1; ε is rounded up.

        >>> print(Concentrated("0.02").at_delta(1e-6))
        ε = 0.899935, δ = 1e-06
        """
        with ctx.workprec(PRECISION):
            ρ, ln_δ = ball(self.rho), _log_conditional(as_rational(delta, "delta"), self.delta)

            def ε(a: arb) -> arb:
                return (1 + a) * ρ + (_c(a) - ln_δ) / a

            least = ε(_minimizer(ε))
            return Budget(0 if least <= 0 else rounded_up(least), delta)


def _c(a: arb) -> arb:
    return -(1 + a) * (1 / a).log1p() - a.log()


def _log_conditional(δ: Fraction, δ0: Fraction) -> arb:
    """The logarithm of the δ that remains after δ₀: ln r, where δ = δ₀ + (1 − δ₀)·r."""
    if not 0 <= δ0 < δ < 1:
        raise ValueError("delta must lie strictly between the delta already spent and 1")
    return ball((δ - δ0) / (1 - δ0)).log()


def _minimizer(bound: Callable[[arb], arb]) -> arb:
    """Approximately the a > 0 that minimizes ``bound``; the bounds here fall and then rise (Theorem 8)."""

    def at(x: float) -> arb:
        return bound(arb(math.exp(x)))

    low, high = ORDER_RANGE
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = at(left), at(right)
    for _ in range(GOLDEN_STEPS):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = at(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = at(right)
    return arb(math.exp((low + high) / 2))
