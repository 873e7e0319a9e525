"""Tests a privacy claim on every pair of neighbors over a small universe, in exact arithmetic.

proof: docs/proofs/audit.md

Throughout this file
    P, Q    the laws of one mechanism on two neighbors: outcome → probability, as a ball that contains it
    D_ε     hockey-stick divergence Σ_o (P(o) − e^ε·Q(o))₊: the smallest δ that holds for (P, Q) at this ε
    ℓ       privacy loss max_o ln(P(o)/Q(o)): the smallest ε that holds for (P, Q) at δ = 0
    c       the share of a claim (ε, δ) that a pair uses up: for the pair, (c'·ε, c'·δ) is false for all c' < c. So the
            audit would refute this mechanism if it claimed less than c times its claim

An outcome that a law does not list has probability 0. A claim is refuted if a ball lies entirely beyond it. A tight
claim, such as that of discrete Laplace noise, holds with equality: even a narrow ball touches the bound, and then
NOT_REFUTED means that no pair exceeds the claim by more than the radius of the ball.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from math import exp
from typing import Any

import numpy as np
from flint import arb, ctx

from privpac.audit.neighbors import Pair, neighbor_pairs
from privpac.privacy.budget import Budget, Number, as_rational
from privpac.privacy.rounding import ball

BITS = 192  # the precision of the audit itself, well beyond the 128 bits of the laws
MISSING = 2.0**-60  # the probabilities of a law must add up to 1 within this error
LARGEST_LOGARITHM = 700.0  # e^x of a larger x may overflow a float
HALVINGS = 40  # how many bisections compute a share
Law = Mapping[Any, arb]


def divergence(P: Law, Q: Law, epsilon: Number) -> arb:
    """D_ε(P‖Q), as a ball.

    >>> round(float(divergence({"x": arb(0.75), "y": arb(0.25)}, {"x": arb(0.25), "y": arb(0.75)}, 1)), 4)
    0.0704
    """
    with ctx.workprec(BITS):
        growth = ball(as_rational(epsilon, "epsilon")).exp()
        return sum(((p - growth * Q.get(outcome, arb(0))).max(0) for outcome, p in P.items()), arb(0))


def loss(P: Law, Q: Law) -> arb:
    """ℓ(P‖Q), as a ball; +∞ if P gives weight to an outcome that is impossible under Q.

    >>> round(float(loss({"x": arb(0.75), "y": arb(0.25)}, {"x": arb(0.25), "y": arb(0.75)})), 4)
    1.0986
    >>> float(loss({"x": arb(1)}, {"y": arb(1)}))
    inf
    """
    with ctx.workprec(BITS):
        ratios = [arb(0)]
        for outcome, p in P.items():
            q = Q.get(outcome, arb(0))
            if not ((p > 0 or p.is_zero()) and (q > 0 or q.is_zero())):
                raise ArithmeticError(
                    "a ball of the law contains 0, so its outcome may be impossible; compute the law more precisely"
                )
            if p > 0 and q.is_zero():
                return arb.pos_inf()
            if p > 0:
                ratios.append(p / q)
        return _largest(ratios).log()


def share_of_claim(P: Law, Q: Law, claimed: Budget, least: float = 0.0) -> float:
    """c, or ``least`` if c is smaller. It is a float, because no verdict depends on it.

    >>> P, Q = {"x": arb(0.75), "y": arb(0.25)}, {"x": arb(0.25), "y": arb(0.75)}
    >>> round(share_of_claim(P, Q, Budget(2)), 4), round(share_of_claim(P, Q, Budget(2, 0.1)), 4)
    (0.5493, 0.5138)
    """
    ε, δ = float(claimed.epsilon), float(claimed.delta)
    if not δ:
        return max(least, float(loss(P, Q)) / ε) if ε else float("inf")
    p, q = (np.array([float(law.get(outcome, 0)) for outcome in P]) for law in (P, Q))

    def is_false(c: float) -> bool:
        """Whether the claim (c·ε, c·δ) is false."""
        return bool(np.maximum(p - exp(min(c * ε, LARGEST_LOGARITHM)) * q, 0).sum() > c * δ)

    if not is_false(least * (1 + 1e-9)):
        return least
    low, high = least, max(2.0, 2 * least)
    while is_false(high):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_false(middle) else (low, middle)
    return low


@dataclass(frozen=True)
class Worst:
    """The worst of ``pairs`` pairs; ``value`` is its D_ε, or ℓ if δ = 0, from the first sample to the second.

    >>> randomized = lambda sample: {bit: arb(0.75) if bit == sample[0] else arb(0.25) for bit in (0, 1)}
    >>> print(worst_divergence(randomized, universe=(0, 1), n=1, claimed=Budget(1)))
    REFUTED: (0,) against (1,) costs 1.09861, more than the claimed ε = 1 (the worst of 1 pairs)
    >>> print(worst_divergence(randomized, universe=(0, 1), n=1, claimed=Budget(1, 0.1)))
    NOT_REFUTED: 0.0704295 is the worst of 1 pairs, (0,) against (1,), within the claimed δ = 0.1 at ε = 1
    """

    claimed: Budget
    value: arb
    pair: Pair
    pairs: int
    laws: Sequence[tuple[Law, Law]] = field(default=(), repr=False, compare=False)  # both ways for every pair

    @cached_property
    def share(self) -> float:
        """c, the largest of all pairs."""
        largest = 0.0
        for P, Q in self.laws:
            largest = share_of_claim(P, Q, self.claimed, largest)
        return largest

    @property
    def bound(self) -> Fraction:
        """The bound on ``value``: δ, or ε if the claim is pure."""
        return self.claimed.delta or self.claimed.epsilon

    @property
    def ratio(self) -> arb:
        """``value`` over ``bound``: at most 1 if the claim holds; ∞ if nothing is left to claim."""
        with ctx.workprec(BITS):
            return self.value / ball(self.bound) if self.bound else arb.pos_inf() if self.value > 0 else arb(0)

    @property
    def excess(self) -> float:
        """An upper bound on ``value`` − ``bound``: about the radius of the ball if the claim is tight."""
        with ctx.workprec(BITS):
            return float((self.value - ball(self.bound)).upper())

    @property
    def refuted(self) -> bool:
        """Whether the claim is certainly false: the whole ball lies beyond the bound."""
        with ctx.workprec(BITS):
            return bool(self.value > ball(self.bound))

    def __str__(self) -> str:
        ε, δ = float(self.claimed.epsilon), float(self.claimed.delta)
        claim = f"δ = {δ:.6g} at ε = {ε:.6g}" if δ else f"ε = {ε:.6g}"
        pair, value = " against ".join(map(reprlib.repr, self.pair)), f"{float(self.value):.6g}"
        if self.refuted:
            return f"REFUTED: {pair} costs {value}, more than the claimed {claim} (the worst of {self.pairs} pairs)"
        return f"NOT_REFUTED: {value} is the worst of {self.pairs} pairs, {pair}, within the claimed {claim}"

    def _repr_html_(self) -> str:
        """In a notebook: the worst neighbors beside the claim."""
        from privpac.report.notebook import verdict_view  # noqa: PLC0415  (pictures are for notebooks only)

        measured = "worst neighbors", float(self.value)
        return verdict_view(
            str(self.claimed), float(self.bound), measured, "δ" if self.claimed.delta else "ε", str(self)
        )


def worst(law: Callable[[Any], Law], pairs: Iterable[Pair], claimed: Budget) -> Worst:
    """The worst of ``pairs`` of samples; ``law`` is called once per sample.

    >>> from privpac.mechanisms.noise.laplace import DiscreteLaplace
    >>> noisy_sum = DiscreteLaplace(Budget(1))
    >>> worst(lambda sample: noisy_sum.law(sum(sample)), [((0, 5), (1, 5))], claimed=Budget(1)).refuted
    False
    """
    law_of = once(lambda sample: _complete(law(sample)))
    pure = not claimed.delta
    both_ways = [direction for pair in pairs for direction in (pair, pair[::-1])]
    if not both_ways:
        raise ValueError("no two samples are neighbors; give at least two different records and n ≥ 1")
    laws = [(law_of(S), law_of(T)) for S, T in both_ways]
    values = [loss(P, Q) if pure else divergence(P, Q, claimed.epsilon) for P, Q in laws]
    worst_pair = both_ways[max(range(len(values)), key=lambda i: values[i].mid())]
    return Worst(claimed, _largest(values), worst_pair, len(values) // 2, laws)


def once(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """``function`` with a cache, by the repr of a sample: 1 and True are equal, but different records.

    >>> [once(lambda sample: sample)(sample) for sample in ((1,), (True,))]
    [(1,), (True,)]
    """
    results: dict[str, Any] = {}

    def with_cache(sample: object) -> Any:
        key = repr(sample)
        if key not in results:
            results[key] = function(sample)
        return results[key]

    return with_cache


def worst_divergence(
    law: Callable[[Any], Law], universe: Sequence[Any], n: int, claimed: Budget, *, ordered: bool = False
) -> Worst:
    """The worst of all neighbors of size ``n`` over ``universe``, in both directions.

    Parameters
    ----------
    law
        Sample (a tuple of n records) → the law of the mechanism's output.
    ordered
        Whether the law depends on the order of the records; if not, samples are multisets, which are far fewer.

    Examples
    --------
    >>> from privpac.mechanisms.selection.exponential import Exponential
    >>> vote = Exponential(Budget(1))
    >>> worst_pair = worst_divergence(lambda sample: vote.law([sample.count(c) for c in "abc"]), "abc", 3, Budget(1))
    >>> worst_pair.refuted, worst_pair.pairs
    (False, 18)
    """
    return worst(law, neighbor_pairs(universe, n, ordered=ordered), claimed)


def _complete(law: Law) -> Law:
    """The law itself, if its probabilities add up to 1: a missing outcome would hide a leak."""
    with ctx.workprec(BITS):
        if not (sum(law.values(), arb(0)) - 1).abs_upper() < MISSING:
            raise ArithmeticError("the probabilities of a law do not add up to 1; list every outcome")
    return law


def _largest(values: Sequence[arb]) -> arb:
    """A ball that contains the largest of ``values``."""
    with ctx.workprec(BITS):
        infinite = [value for value in values if not value.is_finite()]
        return infinite[0] if infinite else reduce(arb.max, values)
