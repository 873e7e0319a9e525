"""How much discrete Gaussian noise hides a record that changes some counts by 1 each.

[BW18], [CKS20]  docs/references.bib        proof: docs/proofs/noise.md, Theorem 4

Throughout this file
    d       how many counts a substitution changes at most, by 1 each
    σ²      the variance of the noise on each count
    S       the sum of the noise on d counts; the privacy loss exceeds ε where S exceeds k = ε·σ² − d/2
    g(x)    the density of a normal law with the variance d·σ²
    Θ       how much more likely a value of S is than g says, at most

Main declarations
    counts_delta       the δ of such noise at a given ε, rounded up
    counts_variance    the smallest variance, up to rounding, that keeps within (ε, δ)
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from privpac.privacy.budget import Budget
from privpac.privacy.concentrated import Concentrated
from privpac.privacy.rounding import PRECISION, ball, rounded_up

STEPS = 4096  # the variance is found up to this fraction of what zCDP asks for


def counts_delta(epsilon: Fraction, d: int, variance: Fraction) -> Fraction:
    """δ(ε) of d counts that change by 1 each, under noise of this variance; rounded up, and at most 1.

    >>> float(counts_delta(Fraction(1), 14, Fraction(250)))
    1.02570602483749e-06
    """
    with ctx.workprec(PRECISION):
        ε, σ2, k = ball(epsilon), ball(variance), ball(epsilon * variance - Fraction(d, 2))
        s = (d * σ2).sqrt()
        smooth = _beyond(k / s) - ε.exp() * _beyond((k + d) / s)
        δ = _surplus(variance / d) ** (d - 1) * (smooth + _largest_term(k, s, d))
        return min(rounded_up(δ), Fraction(1)) if δ > 0 else Fraction(1)


@lru_cache(64)
def counts_variance(cost: Budget, d: int) -> Fraction:
    """σ²: at most what zCDP asks for, and as much less as the bound above proves.

    >>> round(float(counts_variance(Budget(1, 1e-6), 14))), round(float(7 / Concentrated.within(Budget(1, 1e-6)).rho))
    (251, 287)
    """
    enough = Fraction(d) / (2 * Concentrated.within(cost).rho)
    found = bisect_left(
        range(1, STEPS), True, key=lambda i: counts_delta(cost.epsilon, d, enough * i / STEPS) <= cost.delta
    )
    return enough * (found + 1) / STEPS


def _beyond(x: arb) -> arb:
    """The probability that a standard normal number exceeds x."""
    return (x / arb(2).sqrt()).erfc() / 2


def _largest_term(k: arb, s: arb, d: int) -> arb:
    """At least g(x) − e^ε·g(x + d), for every x."""
    top = 1 / (s * (2 * arb.pi()).sqrt())  # g(0)
    if not k > 0:
        return top
    return top * (-((k / s) ** 2) / 2).exp() * (d / (k * arb(1).exp())).min(1)


def _surplus(ratio: Fraction) -> arb:
    """The sum of e^(−2π²·y²·ratio) over all integers y, rounded up."""
    q = (-2 * arb.pi() ** 2 * ball(ratio)).exp()
    return 1 + 2 * q / (1 - q**3)
