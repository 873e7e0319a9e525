"""Amplification: a mechanism that sees a record only sometimes costs less.

[BBKN14; ABMS20]  docs/references.bib        proof: docs/proofs/composition.md, Theorems 9 to 11 and 13

Throughout this file
    (ε*, δ*)    the cost of the mechanism that sees the kept records
    q           the probability that a given record is kept
    (ε, δ)      the cost of keeping at random and then running it: e^ε = 1 + q(e^(ε*) − 1), δ = q·δ*
"""

from __future__ import annotations

from fractions import Fraction

from flint import ctx

from privpac.privacy.budget import Budget, Number, as_count, as_rational, mechanism_budget
from privpac.privacy.rounding import PRECISION, ball, chance_up, rounded_down, rounded_up

PLENTY = 100  # beyond this ε, subsampling hardly increases what may be spent


def subsampled(cost: Budget, m: int, n: int) -> Budget:
    """The cost of running a ``cost``-private mechanism on m of n records, drawn without replacement (Theorem 10).

    m and n are public. The mechanism must not depend on the order of the m records, or must get them in random order.

    >>> print(subsampled(Budget(1, 1e-6), 10, 100))
    ε = 0.158565, δ = 1e-07
    """
    m, n = as_count(m, "m"), as_count(n, "n")
    if m > n:
        raise ValueError("m must not exceed n, because at most n records can be kept")
    return _kept_at_rate(cost, Fraction(m, n))


def redrawn(cost: Budget, m: int, n: int) -> Budget:
    """The cost of running a ``cost``-private mechanism on m draws from n records, with replacement (Theorem 13).

    ε' = m·ln(1 + (e^ε − 1)/n) and δ' = δ·(e^ε' − 1)/(e^ε − 1), for any public m and n (E-ABMS20-14). A record may be
    drawn several times, so ε' exceeds ε if m is at least n, or nearly as large. The mechanism may depend on the order.

    >>> print(redrawn(Budget(1, 1e-6), 10, 90))
    ε = 0.189121, δ = 1.2116e-07
    """
    cost, m, n = mechanism_budget(cost.epsilon, cost.delta), as_count(m, "m"), as_count(n, "n")
    with ctx.workprec(PRECISION):
        growth = ball(cost.epsilon).expm1()
        ε = m * (growth / n).log1p()
        δ = chance_up(ball(cost.delta) * ε.expm1() / growth) if cost.delta else Fraction(0)
        return Budget(rounded_up(ε), δ)


def cost_on_subsample(cost: Budget, m: int, n: int) -> Budget:
    """The largest pure cost on m of n records, rounded down, with which ``subsampled`` is at most ``cost``.

    >>> inner = cost_on_subsample(Budget(1), 10, 100)
    >>> print(inner, subsampled(inner, 10, 100))
    ε = 2.90048 ε = 1
    """
    pure = mechanism_budget(cost.epsilon)
    if pure.epsilon > PLENTY:
        return pure
    with ctx.workprec(PRECISION):
        inner = rounded_down((ball(Fraction(n, m)) * ball(pure.epsilon).expm1()).log1p())
    return Budget(max(inner, pure.epsilon))


def star_replaced(cost: Budget, q: Number) -> Budget:
    """The cost when each record is kept with probability q and replaced by ⋆ otherwise (Theorem 11).

    ``cost`` must hold between *every* two inputs that differ in one entry, where ⋆ is an entry like any record.

    >>> print(star_replaced(Budget(1, 1e-6), 0.1))
    ε = 0.158565, δ = 1e-07
    """
    rate = as_rational(q, "q")
    if not 0 < rate <= 1:
        raise ValueError("q must lie in (0, 1]")
    return _kept_at_rate(cost, rate)


def star_rate(cost: Budget, epsilon: Number) -> Fraction:
    """The largest q, rounded down, at which ``star_replaced(cost, q)`` has at most the given ε [BBKN14, Lemma 4.4].

    The rate printed there, (e^ε − 1)/(e^(ε*) + e^ε − e^(ε − ε*) − 1), is smaller than the one proved here.

    >>> float(star_rate(Budget(1), 0.1))
    0.0612070245600891
    """
    inner, outer = mechanism_budget(cost.epsilon, cost.delta), mechanism_budget(epsilon)
    if outer.epsilon >= inner.epsilon:
        return Fraction(1)
    with ctx.workprec(PRECISION):
        return rounded_down(ball(outer.epsilon).expm1() / ball(inner.epsilon).expm1())


def _kept_at_rate(cost: Budget, q: Fraction) -> Budget:
    """(ε, δ) as the legend defines them, with ε rounded up."""
    cost = mechanism_budget(cost.epsilon, cost.delta)
    with ctx.workprec(PRECISION):
        ε = rounded_up((ball(q) * ball(cost.epsilon).expm1()).log1p())
    return Budget(min(ε, cost.epsilon), q * cost.delta)
