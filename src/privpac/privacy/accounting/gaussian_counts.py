"""How much discrete Gaussian noise protects a record that changes several counts by 1 each, also beside other releases.

[BW18], [CKS20]  docs/references.bib        proof: docs/proofs/noise.md, Lemma 7, Theorems 4 to 6

Throughout this file
    kinds   pairs (d, κ): a substitution changes at most d counts of this kind, by 1 each; their noise has variance σ²/κ
    D       the sum of all d·κ
    S       the sum of κ times the noise of each of these counts. Its values are multiples of a number p. The privacy
            loss exceeds ε if S exceeds k = ε·σ² − D/2
    g(x)    the density of a normal law with the variance D·σ²
    W       a bound on the ratio of Pr[S = s] to p·g(s), for all s
    beside  the κ of one more number that is released with the counts; 0 if there is none
    t, ε₀, δ₀   the number of other releases, and what each of them costs
    l       the number of other releases whose loss is −ε₀ instead of ε₀: their losses add up to (t − 2l)·ε₀
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, comb, floor, gcd

from flint import arb, ctx

from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import NOTHING, Budget
from privpac.privacy.rounding import PRECISION, ball, rounded_up

ZERO = Fraction(0)
STEPS = 4096  # the variance is a multiple of 1/4096 of the one that zCDP needs
Kinds = tuple[tuple[int, Fraction], ...]


def kinds_delta(epsilon: Fraction, kinds: Kinds, variance: Fraction) -> Fraction:
    """δ(ε) of counts of several kinds; rounded up, and at most 1."""
    kinds = tuple((d, κ) for d, κ in kinds if d)  # a kind without counts does not change the lattice
    if not kinds:
        return ZERO
    with ctx.workprec(PRECISION):
        total = sum((d * κ for d, κ in kinds), ZERO)
        ε, D, k = ball(epsilon), ball(total), ball(epsilon * variance - total / 2)
        s = (D * ball(variance)).sqrt()
        integral = _normal_tail(k / s) - ε.exp() * _normal_tail((k + D) / s)
        p, W = _lattice(kinds, variance)
        # A sum over multiples of p exceeds the integral by one term at most.
        δ = W * (integral + _largest_term(k, s, D) * ball(p))
        return min(rounded_up(δ), Fraction(1)) if δ > 0 else Fraction(1)


def counts_delta(epsilon: Fraction, d: int, variance: Fraction, beside: Fraction = ZERO) -> Fraction:
    """δ(ε) of d counts that change by 1 each and, if ``beside`` is not 0, one more number with noise σ²/κ for this κ.

    >>> float(counts_delta(Fraction(1), 14, Fraction(250)))
    1.02570602483749e-06
    """
    return kinds_delta(epsilon, _kinds(d, beside), variance)


@lru_cache(64)
def counts_variance(cost: Budget, d: int, beside: Fraction = ZERO) -> Fraction:
    """σ²: at most the variance that zCDP needs, and less if ``counts_delta`` proves that less is enough.

    >>> round(float(counts_variance(Budget(1, 1e-6), 14))), round(float(7 / Concentrated.within(Budget(1, 1e-6)).rho))
    (251, 287)
    """
    zcdp_variance = (d + beside) / (2 * Concentrated.within(cost).rho)
    return least_variance(zcdp_variance, lambda σ2: counts_delta(cost.epsilon, d, σ2, beside) <= cost.delta)


def least_variance(enough: Fraction, suffices: Callable[[Fraction], bool]) -> Fraction:
    """By bisection, a multiple of ``enough``/4096 that ``suffices``; ``enough`` itself if no smaller one is found.

    >>> least_variance(Fraction(8), lambda σ2: σ2 >= 3)
    Fraction(3, 1)
    """
    i = bisect_left(range(1, STEPS), True, key=lambda i: suffices(enough * i / STEPS))
    return enough * (i + 1) / STEPS


def worth(share: Fraction, d: int | Fraction) -> Fraction:
    """The κ with which one more number takes at most this ``share`` of D = d + κ, beside d counts with κ = 1.

    It is a multiple of 1/2, or 2 divided by a whole number, so that the lattice of S is simple.

    >>> [str(worth(Fraction(1, 10), d)) for d in (2, 14, 100)]
    ['2/9', '3/2', '11']
    """
    κ = share * d / (1 - share)
    return Fraction(floor(2 * κ), 2) if κ >= 1 else Fraction(2, ceil(2 / κ))


def _kinds(d: int, beside: Fraction) -> Kinds:
    """The kinds of d counts and one more number."""
    if beside == 1:  # one more count
        return ((d + 1, Fraction(1)),)
    return ((d, Fraction(1)), (1, beside)) if beside else ((d, Fraction(1)),)


def _normal_tail(x: arb) -> arb:
    """The probability that a standard normal number exceeds x."""
    return (x / arb(2).sqrt()).erfc() / 2


def _largest_term(k: arb, s: arb, D: arb) -> arb:
    """An upper bound on g(x) − e^ε·g(x + D), for every x; s is the standard deviation of g."""
    top = 1 / (s * (2 * arb.pi()).sqrt())  # g(0)
    if not k > 0:
        return top
    return top * (-((k / s) ** 2) / 2).exp() * (D / (k * arb(1).exp())).min(1)


def _lattice(kinds: Kinds, variance: Fraction) -> tuple[Fraction, arb]:
    """p and W, built kind by kind (Lemma 7)."""
    p, W, D_before = kinds[0][1], arb(1), ZERO  # D_before: the sum of d·κ over the kinds before this one
    for d, κ in kinds:
        W *= _theta(variance / (2 * κ)) ** (d - 1)
        if D_before:
            spread = D_before * d * κ / (D_before + d * κ)
            divisor = _common_divisor(p, κ)
            W *= _theta(variance * spread * (divisor / (p * κ)) ** 2)  # p·κ/divisor is the least common multiple
            p = divisor
        D_before += d * κ
    return p, W


def _common_divisor(p: Fraction, q: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    return Fraction(gcd(p.numerator * q.denominator, q.numerator * p.denominator), p.denominator * q.denominator)


def _theta(ratio: Fraction) -> arb:
    """The sum of e^(−2π²·y²·ratio) over all integers y, rounded up."""
    q = (-2 * arb.pi() ** 2 * ball(ratio)).exp()
    return 1 + 2 * q / (1 - q**3)


@dataclass(frozen=True)
class SharedCost:
    """The cost of counts of several kinds together with ``times`` other releases, which cost ``other`` each.

    The other releases may come before the counts or between them.

    >>> words = SharedCost(((14, Fraction(1)),), Budget("0.05", "1e-8"), 2)
    >>> [round(float(shared.variance(Budget(1, 1e-6)))) for shared in (SharedCost(words.kinds), words)]
    [251, 273]
    """

    kinds: Kinds
    other: Budget = NOTHING
    times: int = 0

    @cached_property
    def weight(self) -> Fraction:
        """D, the number of counts with noise of variance σ² that would cost as much as all these counts."""
        return sum((d * κ for d, κ in self.kinds), ZERO)

    def delta(self, epsilon: Fraction, variance: Fraction) -> Fraction:
        """The δ of everything together, rounded up, and at most 1."""
        t, (ε0, δ0) = self.times, (self.other.epsilon, self.other.delta)
        with ctx.workprec(PRECISION):
            p, kept = 1 / (1 + ball(ε0).exp()), (1 - ball(δ0)) ** t
            mixture = arb(0)
            for l in range(t + 1):
                ε_left = epsilon - (t - 2 * l) * ε0
                δ = kinds_delta(ε_left, self.kinds, variance) if ε_left >= 0 else Fraction(1)
                mixture += comb(t, l) * p**l * (1 - p) ** (t - l) * ball(δ)
            return min(rounded_up(1 - kept + kept * mixture), Fraction(1))

    def variance(self, cost: Budget) -> Fraction:
        """σ²: at most the variance that zCDP needs, and less if ``delta`` proves that less is enough."""
        return _variance(self, cost)


@lru_cache(64)
def _variance(shared: SharedCost, cost: Budget) -> Fraction:
    ρ0 = Concentrated.of(shared.other).rho if shared.times else ZERO
    ρ = Concentrated.within(cost, shared.times * shared.other.delta).rho - shared.times * ρ0
    return least_variance(shared.weight / (2 * ρ), lambda σ2: shared.delta(cost.epsilon, σ2) <= cost.delta)
