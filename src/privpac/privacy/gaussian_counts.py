"""How much discrete Gaussian noise hides a record that changes some counts by 1 each.

[BW18], [CKS20]  docs/references.bib        proof: docs/proofs/noise.md, Theorems 4 and 5

Throughout this file
    d       how many counts a substitution changes at most, by 1 each
    σ²      the variance of the noise on each count
    κ       ``beside``: one more number, which changes by 1 at most, gets noise of the variance σ²/κ; 0 if there is none
    D       d + κ
    S       the sum of the noise on d counts, plus κ times that of the number beside them; the privacy loss exceeds ε
            where S exceeds k = ε·σ² − D/2
    g(x)    the density of a normal law with the variance D·σ²

Main declarations
    counts_delta       the δ of such noise at a given ε, rounded up
    counts_variance    the smallest variance, up to rounding, that keeps within (ε, δ)
    worth              κ for a share of the whole
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from flint import arb, ctx

from privpac.privacy.budget import Budget
from privpac.privacy.concentrated import Concentrated
from privpac.privacy.rounding import PRECISION, ball, rounded_up

NONE = Fraction(0)
STEPS = 4096  # the variance is found up to this fraction of what zCDP asks for


def counts_delta(epsilon: Fraction, d: int, variance: Fraction, beside: Fraction = NONE) -> Fraction:
    """δ(ε) of d counts that change by 1 each, under noise of this variance; rounded up, and at most 1.

    >>> float(counts_delta(Fraction(1), 14, Fraction(250)))
    1.02570602483749e-06
    """
    with ctx.workprec(PRECISION):
        ε, D, k = ball(epsilon), ball(d + beside), ball(epsilon * variance - (d + beside) / 2)
        s = (D * ball(variance)).sqrt()
        smooth = _beyond(k / s) - ε.exp() * _beyond((k + D) / s)
        δ = _surplus(variance, d, beside) * (smooth + _largest_term(k, s, D) / beside.denominator)
        return min(rounded_up(δ), Fraction(1)) if δ > 0 else Fraction(1)


@lru_cache(64)
def counts_variance(cost: Budget, d: int, beside: Fraction = NONE) -> Fraction:
    """σ²: at most what zCDP asks for, and as much less as the bound above proves.

    >>> round(float(counts_variance(Budget(1, 1e-6), 14))), round(float(7 / Concentrated.within(Budget(1, 1e-6)).rho))
    (251, 287)
    """
    enough = (d + beside) / (2 * Concentrated.within(cost).rho)
    found = bisect_left(
        range(1, STEPS), True, key=lambda i: counts_delta(cost.epsilon, d, enough * i / STEPS, beside) <= cost.delta
    )
    return enough * (found + 1) / STEPS


def worth(share: Fraction, d: int) -> Fraction:
    """κ: at most this ``share`` of d + κ, in halves, or 2 divided by a whole number.

    >>> [str(worth(Fraction(1, 10), d)) for d in (2, 14, 100)]
    ['2/9', '3/2', '11']
    """
    κ = share * d / (1 - share)
    return Fraction(floor(2 * κ), 2) if κ >= 1 else Fraction(2, ceil(2 / κ))


def _beyond(x: arb) -> arb:
    """The probability that a standard normal number exceeds x."""
    return (x / arb(2).sqrt()).erfc() / 2


def _largest_term(k: arb, s: arb, D: arb) -> arb:
    """At least g(x) − e^ε·g(x + D), for every x."""
    top = 1 / (s * (2 * arb.pi()).sqrt())  # g(0)
    if not k > 0:
        return top
    return top * (-((k / s) ** 2) / 2).exp() * (D / (k * arb(1).exp())).min(1)


def _surplus(variance: Fraction, d: int, beside: Fraction) -> arb:
    """How much more likely a value of S is than g says, at most."""
    if not beside:
        return _theta(variance / d) ** (d - 1)
    ratio, b = variance * beside / (d + beside), beside.numerator
    apart = (2 * (-2 * arb.pi() ** 2 * ball(ratio / b**2)).exp()).min(1)
    return _theta(ratio) ** d * (1 + (b - 1) * apart**d)


def _theta(ratio: Fraction) -> arb:
    """The sum of e^(−2π²·y²·ratio) over all integers y, rounded up."""
    q = (-2 * arb.pi() ** 2 * ball(ratio)).exp()
    return 1 + 2 * q / (1 - q**3)
