"""Algorithms: adaptive sequences of private releases, each of which may depend on the answers so far.

To compute the exact law of an algorithm, we run it again and again: first without answers, up to its first request;
then once for each possible answer to that, up to its second request; and so on.

Noise has infinitely many outcomes. Here, all noise of at least ``reach`` is one outcome, and so is all noise of at most
−``reach``. A run stops there, and the law lists its answers so far in place of a result. This hides only what follows
such large noise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast

from flint import arb, ctx

from privpac.exact.biased_coins import bernoulli
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.accounting.group_privacy import PerUnit
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Data, Law, Mechanism, Release
from privpac.privacy.rounding import ball

Ask = Callable[[Mechanism, Data], Release]  # (a mechanism, the data that it sees) → what it releases

FREE = Budget(0)


class Cost:
    """A field that must be a Budget. The constructor refuses anything else before it reads the other fields.

    >>> @dataclass(frozen=True)
    ... class Nothing(Algorithm):
    ...     cost: Budget
    ...     name, theorem = "nothing", "no record is seen"
    ...     run = lambda self, data, ask: None
    >>> Nothing(1)
    Traceback (most recent call last):
    TypeError: cost must be a budget, like cost=Budget(1) or cost=Budget(1, 1e-6), not int
    """

    def __get__(self, algorithm: object, owner: type) -> Budget:
        if algorithm is None or "cost" not in vars(algorithm):
            raise AttributeError("cost")  # the class itself has no cost, so dataclasses see no default
        return cast(Budget, vars(algorithm)["cost"])

    def __set__(self, algorithm: object, cost: Budget) -> None:
        if not isinstance(cost, Budget):
            raise TypeError(
                f"cost must be a budget, like cost=Budget(1) or cost=Budget(1, 1e-6), not {type(cost).__name__}"
            )
        vars(algorithm)["cost"] = cost


class Algorithm(Mechanism):
    """Pseudo-code that asks for releases. ``cost`` is the privacy cost of the result of :meth:`run`, by ``theorem``.

    >>> class Twice(Algorithm):
    ...     name, theorem, cost = "twice", "composition, Theorem 1", Budget(2)
    ...     def run(self, data, ask):
    ...         return ask(DiscreteLaplace(Budget(1), 1, 0, 1), data) + ask(DiscreteLaplace(Budget(1), 1, 0, 1), data)
    >>> {total: round(float(p), 3) for total, p in sorted(Twice().law(1).items())}
    {0: 0.072, 1: 0.393, 2: 0.534}
    """

    cost = Cost()

    @abstractmethod
    def run(self, data: Data, ask: Ask) -> Release:
        """The algorithm; every call of ``ask(mechanism, view)`` releases what the mechanism says about this view."""

    def release(self, data: Data, coins: Entropy) -> Release:
        return self.run(data, lambda mechanism, view: mechanism.release(mechanism.check(view), coins))

    def law(self, data: Data) -> Law:
        """The probability of every possible result, as rigorous balls. For small data."""
        checked = self.check(data)
        return law_of(lambda ask: self.run(checked, ask))


def law_of(run: Callable[[Ask], Release], reach: int = 8) -> Law:
    """The law of the result of ``run``, which must be hashable. Noise is listed up to ±reach.

    >>> law_of(lambda ask: ask(Uniform(2), None) + ask(Uniform(2), None))
    {2: 0.25..., 1: 0.5..., 0: 0.25...}
    """
    law: Law = defaultdict(lambda: arb(0))
    with ctx.workprec(128):
        # Answers so far, their probability, and whether the run stops at the last of them.
        waiting: list[tuple[tuple[Release, ...], arb, bool]] = [((), arb(1), False)]
        while waiting:
            answers, probability, stops = waiting.pop()
            try:
                law[answers if stops else run(_scripted_ask(answers))] += probability
            except PendingRequest as request:
                waiting += [((*answers, o), probability * p, stop) for o, p, stop in request.law(reach)]
    return dict(law)


def next_request(run: Callable[[Ask], Release], answers: tuple[Release, ...] = ()) -> PendingRequest | None:
    """The request that ``run`` makes after these answers; None if it needs no more of them.

    >>> next_request(lambda ask: ask(Uniform(2), None) + ask(Uniform(3), None), (1,)).mechanism.count
    3
    """
    try:
        run(_scripted_ask(answers))
    except PendingRequest as request:
        return request
    return None


class PendingRequest(Exception):
    """A request for a release that has no answer yet. It is raised to leave the run at this point."""

    def __init__(self, mechanism: Mechanism, data: Data) -> None:
        self.mechanism, self.data = mechanism, data

    def law(self, reach: int) -> list[tuple[Release, arb, bool]]:
        """Every outcome with its probability, and whether it stands for noise so large that the run stops."""
        mechanism = self.mechanism.inner if isinstance(self.mechanism, PerUnit) else self.mechanism
        if isinstance(mechanism, DiscreteLaplace) and mechanism.low is None:
            return [(z, p, abs(z) == reach) for z, p in mechanism.law(self.data, reach).items()]
        return [(outcome, p, False) for outcome, p in self.mechanism.law(self.data).items()]  # type: ignore[attr-defined]


def _scripted_ask(answers: tuple[Release, ...]) -> Ask:
    """An ``ask`` that gives these answers one after another, and then raises PendingRequest."""
    remaining = iter(answers)

    def ask(mechanism: Mechanism, data: Data) -> Release:
        for answer in remaining:
            return answer
        raise PendingRequest(mechanism, data)

    return ask


@dataclass(frozen=True)
class Uniform(Mechanism):
    """A uniform number below ``count``, independent of the records.

    >>> Uniform(4).law(None)[3]
    0.25...
    """

    count: int
    cost: Budget = FREE
    name: ClassVar[str] = "uniform draw"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Data, coins: Entropy) -> int:
        return coins.below(self.count)

    def law(self, data: Data) -> dict[int, arb]:
        with ctx.workprec(128):
            return dict.fromkeys(range(self.count), ball(Fraction(1, self.count)))


@dataclass(frozen=True)
class Coin(Mechanism):
    """True with probability p, independent of the records.

    >>> Coin(Fraction(1, 4)).law(None)[True]
    0.25...
    """

    p: Fraction
    cost: Budget = FREE
    name: ClassVar[str] = "coin"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Data, coins: Entropy) -> bool:
        return bernoulli(self.p, coins)

    def law(self, data: Data) -> dict[bool, arb]:
        with ctx.workprec(128):
            return {True: ball(self.p), False: ball(1 - self.p)}
