"""Composition: what several private releases cost together.

[KOV15]  docs/references.bib        proof: docs/proofs/composition.md, Theorems 1 to 5

Throughout this file
    (ε, δ)    the cost of one use          k    the number of uses, adaptively chosen
    t         the total ε of all uses
    l         how many of k randomized responses lie; its law is P = Bin(k, 1/(1 + e^ε))
    x₊        max(x, 0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction

from flint import arb, ctx

from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.bisection import smallest, smallest_between
from privpac.privacy.budget import Budget, Number, as_count, mechanism_budget
from privpac.privacy.disjoint_parts import largest_cost
from privpac.privacy.rounding import PRECISION, ball, rounded_down, rounded_up

CUT = 2.0**-60  # a tail below this fraction of the sum is bounded instead of summed
SEARCHED_DIGITS = 12  # the significant digits of numbers that bisection finds


def sequential(costs: Iterable[Budget]) -> Budget:
    """Releases on the same records: ε and δ add up (Theorem 1).

    >>> print(sequential([Budget("0.1"), Budget("0.2", 1e-6)]))
    ε = 0.3, δ = 1e-06
    """
    return sum(costs, Budget(0))


def parallel(costs: Iterable[Budget]) -> Budget:
    """Releases on sets of records that are disjoint by *position*: the largest ε and the largest δ (Theorem 2).

    The sets of record numbers must be fixed without looking at the data. Parts formed by *value* (one per label, or one
    per cell of a grid) do not qualify: substituting a record may change two of them.

    >>> print(parallel([Budget(1), Budget("0.5", 1e-6)]))
    ε = 1, δ = 1e-06
    """
    return largest_cost(Budget(0), *costs)


def optimal_at_epsilon(cost: Budget, k: int, epsilon: Number) -> Budget:
    """The least δ, rounded up, for which k uses of *every* ``cost``-private mechanism are (``epsilon``, δ)-private.

    It is 1 − (1 − δ)^k·(1 − Σ_l P(l)·(1 − e^(t − (k − 2l)ε))₊) [KOV15, Thm 3.3], here for any t ≥ 0 (Theorem 4).

    >>> print(optimal_at_epsilon(Budget(1), 100, 52.6))
    ε = 52.6, δ = 0.206704
    """
    # E-Yan25-9: not √(2k·ln(1/δ'))·ε, which is not a bound
    cost, k, t = mechanism_budget(cost.epsilon, cost.delta), as_count(k, "k"), Budget(epsilon).epsilon
    with ctx.workprec(PRECISION):
        ln_kept = k * (-ball(cost.delta)).log1p()
        δ = rounded_up(-ln_kept.expm1() + ln_kept.exp() * _responses(cost.epsilon, k, t))
    basic = k * cost.delta if k * cost.epsilon <= t else Fraction(1)
    return Budget(t, min(δ, basic, Fraction(1)))


def optimal_at_delta(cost: Budget, k: int, delta: Number) -> Budget:
    """The least ε, rounded up, for which k uses of *every* ``cost``-private mechanism are (ε, ``delta``)-private.

    >>> print(optimal_at_delta(Budget("0.1"), 100, 1e-6))
    ε = 4.77457, δ = 1e-06
    """
    cost, k, δ = mechanism_budget(cost.epsilon, cost.delta), as_count(k, "k"), Budget(0, delta).delta
    most = k * cost.epsilon
    if optimal_at_epsilon(cost, k, most).delta > δ:
        raise ValueError("no epsilon suffices at this delta; give a delta of at least 1 − (1 − cost.delta)^k")
    unit = _unit(most)
    least = smallest_between(lambda j: optimal_at_epsilon(cost, k, j * unit).delta <= δ, -1, math.ceil(most / unit))
    return Budget(min(least * unit, most), δ)


def per_use(target: Budget, k: int, delta: Number = 0, *, bounded_range: bool = False) -> Budget:
    """The largest ε₀, rounded down, such that k uses at (ε₀, ``delta``) stay within ``target`` (Theorem 5).

    With ``bounded_range``, the k uses are exponential mechanisms, or others whose log-ratios of probabilities lie in a
    range of length ε₀, except with probability ``delta``. zCDP is then used if it allows more.

    >>> print(per_use(Budget(1, 1e-6), 100))
    ε = 0.0240111
    >>> print(per_use(Budget(1, 1e-6), 100, bounded_range=True))
    ε = 0.0441416
    """
    target, k = mechanism_budget(target.epsilon, target.delta), as_count(k, "k")
    share = mechanism_budget(target.epsilon / k, delta)

    def fits(ε: Fraction) -> bool:
        return optimal_at_epsilon(Budget(ε, share.delta), k, target.epsilon) <= target

    if not fits(share.epsilon):
        raise ValueError("k uses at this delta already exceed the target's delta; lower it to at most target.delta / k")
    unit = _unit(share.epsilon)
    too_many = smallest(lambda j: not fits(j * unit), above=math.floor(share.epsilon / unit))
    best = max(share.epsilon, (too_many - 1) * unit)
    if bounded_range and k * share.delta < target.delta:
        with ctx.workprec(PRECISION):
            ρ = Concentrated.within(target, k * share.delta).rho
            best = max(best, rounded_down(ball(8 * ρ / k).sqrt()))
    return Budget(best, share.delta)


def _responses(ε: Fraction, k: int, t: Fraction) -> arb:
    """Σ_l P(l)·(1 − e^(t − (k − 2l)ε))₊, or slightly more: δ at t for k randomized responses.

    Every term is positive, so nothing cancels. The sum starts at the largest weight P(l) and goes both ways.
    """
    last = math.ceil((k - t / ε) / 2) - 1
    if last < 0:
        return arb(0)
    growth = ball(ε).exp()
    p = 1 / (1 + growth)
    start = min(last, int(float(k * p)))
    weight = arb.bin_uiui(k, start) * p**start * (1 - p) ** (k - start)
    tilt = ball(t - (k - 2 * start) * ε).exp()  # e^(t − (k − 2l)ε) at l = start

    def down(l: int) -> arb:
        return l * growth / (k - l + 1)

    def up(l: int) -> arb:
        return (k - l) / ((l + 1) * growth)

    below = _sum(range(start, -1, -1), weight, tilt, down, growth**-2)
    return below + _sum(range(start + 1, last + 1), weight * up(start), tilt * growth**2, up, growth**2)


def _sum(indices: range, weight: arb, tilt: arb, ratio: Callable[[int], arb], turn: arb) -> arb:
    """Σ weight·(1 − tilt) along ``indices``, or slightly more.

    From l to the next index, the weight is multiplied by ``ratio(l)``, and the tilt by ``turn``. The ratio decreases
    along the way. Once it is below 1, a geometric series bounds the rest of the sum; as soon as that bound is
    negligible, it is added in place of the rest.
    """
    total = arb(0)
    for l in indices:
        total += weight * (1 - tilt)
        step = ratio(l)
        weight, tilt = weight * step, tilt * turn
        if step < 1 and (tail := weight / (1 - step)) < CUT * total:
            return total + tail
    return total


def _unit(scale: Fraction) -> Fraction:
    """The power of ten at the last of the first SEARCHED_DIGITS digits of ``scale``."""
    return Fraction(10) ** ((Decimal(scale.numerator) / Decimal(scale.denominator)).adjusted() - SEARCHED_DIGITS + 1)
