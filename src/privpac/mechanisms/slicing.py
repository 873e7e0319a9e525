"""Reorder–slice–compute: queries on slices of the records, at a cost independent of the number of queries.

[CLNSS23] [HCT24, Alg. 7]  docs/references.bib        proof: docs/proofs/slicing.md

In every step the records that are left are put in order, those that come first are taken out, and a mechanism sees
them alone. Orders, sizes and mechanisms may depend on what was released before. How many records are taken is random:
otherwise one record would shift the borders of all later slices.

Throughout this file
    ε₀, δ₀    the cost of one slice when a record is added to it, removed from it or replaced in it
    ρ         e^(−ε₀): a slice of size m takes m + g records with probability (1 − ρ)·ρ^g
    D, D'     D' is D and one record more: Pr[D] ≤ e^(2ε₀)·Pr[D'] + δ₀ and Pr[D'] ≤ e^c·Pr[D] + δ_r
    r         slices that may tell D' from D before the runs agree again; each but the first adds (1 + θ)·ε₀ to c
    s_j       how much of D' at j common records beyond m − 1 is matched with D at as many, where they agree again
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from flint import arb, ctx

from privpac.exact.entropy import Entropy
from privpac.exact.samplers import geometric
from privpac.mechanisms.algorithm import FREE, Algorithm, Ask
from privpac.privacy.bisection import smallest_between
from privpac.privacy.budget import Budget, Number, mechanism_budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import PRECISION, ball

THETAS = [Fraction(i, 64) for i in (1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 192)]
CHEAPEST = Fraction(1, 10**12)  # that a slice may cost
SHARES = 4096  # of ε, by which per_slice searches
MOST_SLICES = 100  # slices that are paid for; where fewer do not bring δ down, ε₀ is too large to be of use


class Slice(NamedTuple):
    """One step: ``size`` records, and some more, that come first by ``key``; ``mechanism`` sees ``view`` of them.

    A key is a function of its record alone, and all keys can be put in order, as numbers or texts can; NaN comes last.
    Records with equal keys keep their order.
    """

    key: Callable[[Any], Any]
    size: int
    mechanism: Mechanism
    view: Callable[[tuple[Any, ...]], Any]


@dataclass(frozen=True)
class More(Mechanism):
    """g with probability (1 − ρ)·ρ^g, but at most ``most``; no record is seen.

    >>> {g: round(float(p), 3) for g, p in More(Fraction(1), 2).law(None).items()}
    {0: 0.632, 1: 0.233, 2: 0.135}
    """

    rate: Fraction
    most: int
    cost: Budget = FREE
    name: ClassVar[str] = "more records"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Any, coins: Entropy) -> int:
        return min(geometric(self.rate, coins), self.most)

    def law(self, data: Any) -> dict[int, arb]:
        with ctx.workprec(128):
            ρ = (-ball(self.rate)).exp()
            return {g: (1 - ρ) * ρ**g for g in range(self.most)} | {self.most: ρ**self.most}


@dataclass(frozen=True)
class ReorderSliceCompute(Algorithm):
    """What each slice's mechanism releases, as a tuple. ``plan`` tells the next step from the releases so far.

    The caller attests of every mechanism with its view that it costs at most ``each`` when a record is added, removed
    or replaced and is defined on any number of records, of every key what ``Slice`` asks, and that the plan ends after
    a bounded number of steps.

    >>> from privpac.mechanisms.selection.exponential import Exponential
    >>> cost, each = Budget(1, 1e-6), per_slice(Budget(1, 1e-6))
    >>> vote = lambda ages: [sum(a % 2 == side for a in ages) for side in (0, 1)]
    >>> youngest = Slice(lambda age: age, 3000, Exponential(each), vote)
    >>> program = ReorderSliceCompute(cost, each, lambda released: youngest if len(released) < 3 else None)
    >>> from privpac.exact.entropy import SYSTEM
    >>> program.release(list(range(0, 40_000, 2)), SYSTEM)
    (0, 0, 0)
    """

    cost: Budget
    each: Budget
    plan: Callable[[tuple[Any, ...]], Slice | None]
    name: ClassVar[str] = "reorder-slice-compute"
    theorem: ClassVar[str] = "slicing, Theorem 3"

    def __post_init__(self) -> None:
        if not slicing_cost(self.each, self.cost.delta) <= self.cost:
            raise ValueError("slices of this cost exceed the total cost; use per_slice(cost) for each slice")

    def run(self, data: Any, ask: Ask) -> tuple[Any, ...]:
        released: tuple[Any, ...] = ()
        left = list(data)
        while step := self.plan(released):
            if step.size < 0 or not step.mechanism.cost <= self.each:
                raise ValueError(
                    "the plan must ask for sizes of at least 0, and for mechanisms that cost at most `each`"
                )
            keys = [step.key(record) for record in left]
            order = sorted(range(len(left)), key=lambda i: (keys[i] != keys[i], keys[i]))  # NaN comes last
            first = order[: step.size + ask(More(self.each.epsilon, len(left)), None)]
            released += (ask(step.mechanism, step.view(tuple(left[i] for i in first))),)
            taken = set(first)
            left = [record for i, record in enumerate(left) if i not in taken]
        return released


def slicing_cost(each: Budget, delta: Number) -> Budget:
    """What slices at ``each`` cost together, however many there are, with ``delta`` in all: the least that Theorem 3
    gives for one of THETAS.

    >>> print(slicing_cost(Budget(0.05), 1e-6))
    ε = 0.71875, δ = 1e-06
    """
    each, δ = mechanism_budget(each.epsilon, each.delta), Budget(0, delta).delta
    if each.epsilon < CHEAPEST:
        raise ValueError("slices must cost at least 1e-12 each")
    if (ε := _total(each, δ)) is None:
        raise ValueError("slices of this cost exceed delta; make each slice cheaper")
    return Budget(ε, δ)


def _total(each: Budget, δ: Fraction) -> Fraction | None:
    """The ε of all slices, if δ is enough for any."""
    if each.delta >= δ:
        return None
    ε, δ0 = each.epsilon, ball(each.delta)

    def fits(c: Fraction, δ_r: arb) -> bool:
        orders = δ_r + ball(c).exp() * δ0, δ0 + ball(2 * ε).exp() * δ_r  # out and in, or in and out
        return any(total <= ball(δ) for total in orders)

    with ctx.workprec(PRECISION):
        first = (next((c for c, δ_r in islice(removals(each, θ), MOST_SLICES) if fits(c, δ_r)), None) for θ in THETAS)
        return min((c + 2 * ε for c in first if c is not None), default=None)


def removals(each: Budget, θ: Fraction) -> Iterator[tuple[Fraction, arb]]:
    """(c, δ_r) for r = 1, 2, …

    >>> [(float(c), round(float(δ), 6)) for c, δ in islice(removals(Budget(0.1), Fraction(1)), 3)]
    [(0.0, 0.095163), (0.2, 0.030792), (0.4, 0.007804)]
    """
    c, δ = Fraction(0), ball(each.delta) + 1 - (-ball(each.epsilon)).exp()
    while True:
        yield c, δ
        δ = ball(each.delta) + unmatched(each.epsilon, c, θ) * δ
        c += (1 + θ) * each.epsilon


def unmatched(ε: Fraction, c: Fraction, θ: Fraction) -> arb:
    """Σ_j (1 − ρ)·ρ^j·(1 − s_j), where s_0 = 0, s_(j+1) = min(1, d + K·s_j), K = e^(c + ε), d = K·(e^(θε) − 1).

    Before the least J with s_J = 1 it is a sum of two geometric series, the second of ratio ρ·K = e^c.
    """
    ρ, κ = (-ball(ε)).exp(), ball(c + ε)
    start = κ.exp() * ball(θ * ε).expm1() / κ.expm1()  # d/(K − 1)

    def s(j: int) -> arb:
        return start * (j * κ).expm1()

    J = math.ceil(float((1 / start).log1p() / κ))
    while s(J) < 1:
        J += 1
    while not s(J - 1) < 1:
        J -= 1
    series = (J * ball(c)).expm1() / ball(c).expm1() if c else arb(J)
    undecided = (1 - s(J)).max(0)  # 0, unless the ball of s_J holds 1
    return (1 - ρ**J) * (1 + start) - start * (1 - ρ) * series + (1 - ρ) * ρ**J * undecided


def per_slice(cost: Budget, delta: Number = 0) -> Budget:
    """About the largest ε₀ at which slices of (ε₀, ``delta``) stay within ``cost``, in parts of cost.epsilon.

    >>> print(per_slice(Budget(1, 1e-6)))
    ε = 0.0688477
    """
    cost, δ0 = mechanism_budget(cost.epsilon, cost.delta, approximate=True), Budget(0, delta).delta

    def each(parts: int) -> Budget:
        return Budget(cost.epsilon * parts / SHARES, δ0)

    def too_dear(parts: int) -> bool:
        total = _total(each(parts), cost.delta)
        return total is None or total > cost.epsilon

    if not (parts := smallest_between(too_dear, 0, SHARES) - 1):
        raise ValueError("no slice is cheap enough; raise the cost, or lower the delta of a slice")
    return each(parts)
