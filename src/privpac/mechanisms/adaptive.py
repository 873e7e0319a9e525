"""Algorithms: mechanisms that ask other mechanisms for one release after another, each knowing the answers so far.

The exact law of an algorithm is found by running it again and again: whatever it asks for next is answered with every
possible outcome in turn.

Noise has infinitely many outcomes. Those from ±reach on are one outcome here, after which nothing more is asked; what
is listed then are the answers so far. It hides only what follows noise so large.

Main declarations
    Algorithm    public parameters are its fields, run(data, ask) is its pseudo-code
    Cost         its field ``cost``
    law_of       the law of what a run returns
    asked        what a run asks for next, after given answers
    Uniform      a draw that sees no record
    Coin         the same, with two sides
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, cast

from flint import arb, ctx

from privpac.exact import samplers
from privpac.exact.entropy import Entropy
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball

Ask = Callable[[Mechanism, Any], Any]

FREE = Budget(0)


class Cost:
    """A field that is a Budget: anything else is refused when the algorithm is made, before other fields are read.

    >>> from privpac.mechanisms.recprefix import RecPrefix
    >>> RecPrefix(1, None)
    Traceback (most recent call last):
    TypeError: cost must be a budget, like cost=Budget(1) or cost=Budget(1, 1e-6), not int
    """

    def __get__(self, algorithm: Any, owner: type) -> Budget:
        try:
            return cast(Budget, vars(algorithm)["cost"])
        except (TypeError, KeyError):
            raise AttributeError("cost") from None  # a class has none, so that dataclasses see no default

    def __set__(self, algorithm: Any, cost: Budget) -> None:
        if not isinstance(cost, Budget):
            raise TypeError(
                f"cost must be a budget, like cost=Budget(1) or cost=Budget(1, 1e-6), not {type(cost).__name__}"
            )
        vars(algorithm)["cost"] = cost


class Algorithm(Mechanism):
    """Pseudo-code that asks for releases. ``cost`` is that of what :meth:`run` returns, and has a proof of its own.

    >>> class Twice(Algorithm):
    ...     name, theorem, cost = "twice", "composition, Theorem 1", Budget(2)
    ...     def run(self, data, ask):
    ...         return ask(DiscreteLaplace(Budget(1), 1, 0, 1), data) + ask(DiscreteLaplace(Budget(1), 1, 0, 1), data)
    >>> {total: round(float(p), 3) for total, p in sorted(Twice().law(1).items())}
    {0: 0.072, 1: 0.393, 2: 0.534}
    """

    cost = Cost()

    @abstractmethod
    def run(self, data: Any, ask: Ask) -> Any:
        """The algorithm: ``ask(mechanism, what it sees)`` is a release."""

    def release(self, data: Any, coins: Entropy) -> Any:
        return self.run(data, lambda mechanism, seen: mechanism.release(mechanism.check(seen), coins))

    def law(self, data: Any) -> dict[Any, arb]:
        """The probability of everything that can be returned, as rigorous balls. For small data."""
        checked = self.check(data)
        return law_of(lambda ask: self.run(checked, ask))


def law_of(run: Callable[[Ask], Any], reach: int = 8) -> dict[Any, arb]:
    """The law of what ``run`` returns, which must be hashable; noise is listed up to ±reach.

    >>> law_of(lambda ask: ask(Uniform(2), None) + ask(Uniform(2), None))
    {2: 0.25..., 1: 0.5..., 0: 0.25...}
    """
    law: defaultdict[Any, arb] = defaultdict(lambda: arb(0))
    with ctx.workprec(128):
        waiting: list[tuple[tuple[Any, ...], arb, bool]] = [((), arb(1), False)]
        while waiting:
            answers, probability, last = waiting.pop()
            try:
                law[answers if last else run(_answering(answers))] += probability
            except Asked as next_one:
                waiting += [((*answers, o), probability * p, end) for o, p, end in next_one.law(reach)]
    return dict(law)


def asked(run: Callable[[Ask], Any], answers: tuple[Any, ...] = ()) -> Asked | None:
    """The request that ``run`` makes after these answers; None if it needs no more of them.

    >>> asked(lambda ask: ask(Uniform(2), None) + ask(Uniform(3), None), (1,)).mechanism.count
    3
    """
    try:
        run(_answering(answers))
    except Asked as request:
        return request
    return None


class Asked(Exception):
    """A release is asked for that has no answer yet.

    >>> asked(lambda ask: ask(Uniform(2), None)).law(reach=8)
    [(0, 0.5..., False), (1, 0.5..., False)]
    """

    def __init__(self, mechanism: Mechanism, data: Any) -> None:
        self.mechanism, self.data = mechanism, data

    def law(self, reach: int) -> list[tuple[Any, arb, bool]]:
        """Every outcome with its probability, and whether nothing more is asked after it."""
        if isinstance(self.mechanism, DiscreteLaplace) and self.mechanism.low is None:
            return [(z, p, abs(z) == reach) for z, p in self.mechanism.law(self.data, reach).items()]
        return [(outcome, p, False) for outcome, p in self.mechanism.law(self.data).items()]  # type: ignore[attr-defined]


def _answering(answers: tuple[Any, ...]) -> Ask:
    """These answers one after another, then Asked."""
    given = iter(answers)

    def ask(mechanism: Mechanism, data: Any) -> Any:
        for answer in given:
            return answer
        raise Asked(mechanism, data)

    return ask


@dataclass(frozen=True)
class Uniform(Mechanism):
    """A number below ``count``, each with the same probability, whatever the records.

    >>> Uniform(4).law(None)[3]
    0.25...
    """

    count: int
    cost: Budget = FREE
    name: ClassVar[str] = "uniform draw"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Any, coins: Entropy) -> int:
        return coins.below(self.count)

    def law(self, data: Any) -> dict[int, arb]:
        """1/count each."""
        with ctx.workprec(128):
            return dict.fromkeys(range(self.count), ball(Fraction(1, self.count)))


@dataclass(frozen=True)
class Coin(Mechanism):
    """True with probability p, whatever the records.

    >>> Coin(Fraction(1, 4)).law(None)[True]
    0.25...
    """

    p: Fraction
    cost: Budget = FREE
    name: ClassVar[str] = "coin"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Any, coins: Entropy) -> bool:
        return samplers.bernoulli(self.p, coins)

    def law(self, data: Any) -> dict[bool, arb]:
        """p and 1 − p."""
        with ctx.workprec(128):
            return {True: ball(self.p), False: ball(1 - self.p)}
