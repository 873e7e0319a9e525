"""Algorithms whose published proof of privacy is wrong [NTY25, App. C]: they run, and nothing can be spent on them.

No algorithm here is a Mechanism or has a cost, so no ledger accepts it and no certificate covers it. (``Geom``, their
noise, is a Mechanism, but it sees no record.)

Throughout this room
    S      a multiset of examples (x, y), x a tuple of integers, y = ±1; neighbors are S and S with one more example
    ε      the parameter of the algorithm; it bounds no privacy loss
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any, ClassVar, NoReturn

from flint import arb, ctx

from privpac.exact.entropy import Entropy, entropy
from privpac.exact.samplers import geometric
from privpac.mechanisms.algorithm import FREE, Ask, Coin, law_of
from privpac.privacy.budget import Budget, Number, as_rational, mechanism_budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball
from privpac.refusals.refusal import InOtherWords

Point = tuple[int, ...]

PAGE = 'the page "HCT24: why this is not private" of the documentation'
REFUSAL = (
    "this algorithm is not private: the privacy theorem of its paper is false, and one example can change the output "
    f"almost surely ({PAGE}). To learn half-planes privately, use "
    "PrivateClassifier(CentralHalfPlanes(...)) or PrivateClassifier(HalfPlanes(...)). To run it anyway, on data that "
    "may be public, pass acknowledge_not_private=True"
)


@dataclass(frozen=True, kw_only=True)
class NotPrivate(ABC):
    """An algorithm as printed. It has no default for the acknowledgment, and no cost.

    >>> from privpac.papers.hct24 import Angles, MakeData
    >>> MakeData(1, Angles(1), acknowledge_not_private=False)
    Traceback (most recent call last):
    ValueError: this algorithm is not private: ...
    """

    acknowledge_not_private: bool

    def __post_init__(self) -> None:
        self.require_acknowledgment()

    def require_acknowledgment(self) -> None:
        """ValueError without the acknowledgment. Each run asks: subclasses and copies may skip the constructor."""
        if self.acknowledge_not_private is not True:
            raise ValueError(REFUSAL)

    def check(self, data: Any) -> NoReturn:
        """Ledgers call this first; it refuses, since there is nothing to charge."""
        raise TypeError(f"this algorithm is not private and has no cost: no ledger accepts it ({PAGE})")

    @abstractmethod
    def run(self, data: Any, ask: Ask) -> Any:
        """The algorithm, line by line; ``ask`` is its only source of randomness."""

    def release(self, data: Any, rng: Entropy | int | None = None) -> Any:
        """What one run returns. It is not private."""
        self.require_acknowledgment()
        coins = entropy(rng)
        return self.run(data, lambda mechanism, view: mechanism.release(mechanism.check(view), coins))

    def law(self, data: Any) -> dict[Any, arb]:
        """The probability of everything that can be returned, as rigorous balls."""
        self.require_acknowledgment()
        return law_of(lambda ask: self.run(data, ask))


@dataclass(frozen=True)
class PaperSample:
    """S: each example (x, y) with its multiplicity."""

    counts: tuple[tuple[tuple[Point, int], int], ...]

    @property
    def size(self) -> int:
        return sum(count for _, count in self.counts)

    def matches(self, label: Callable[[Point], int]) -> int:
        """How many examples have y = label(x)."""
        return sum(count for (x, y), count in self.counts if label(x) == y)

    def without(self, other: PaperSample) -> PaperSample:
        """This sample minus ``other``, as multisets."""
        return PaperSample(tuple(sorted((Counter(dict(self.counts)) - Counter(dict(other.counts))).items())))


PaperExamples = PaperSample | Iterable[tuple[Iterable[int], int]]


def sample(examples: PaperExamples, k: int | None = None, d: int | None = None) -> PaperSample:
    """Examples as a multiset; their points must be integer vectors of one dimension, and their labels ±1.

    If k is given, coordinates must lie between −k and k; if d is given, there must be d of them.

    >>> sample([((1, 0), 1), ((0, 1), -1), ((1, 0), 1)])
    PaperSample(counts=((((0, 1), -1), 1), (((1, 0), 1), 2)))
    >>> sample([((1, 0), 1), ((0, 1), 0)])
    Traceback (most recent call last):
    ValueError: labels must be -1 and 1
    """
    S = examples if isinstance(examples, PaperSample) else _read(examples)
    points = [x for (x, _), _ in S.counts]
    if d is not None and any(len(x) != d for x in points):
        raise ValueError(f"points must have {d} coordinates")
    if k is not None and any(abs(coordinate) > k for x in points for coordinate in x):
        raise ValueError(f"coordinates must lie between {-k} and {k}")
    return S


def _read(examples: Iterable[tuple[Iterable[int], int]]) -> PaperSample:
    expected = "examples must be pairs (x, y): integers x and a label y, -1 or 1"
    with InOtherWords(lambda _: TypeError(expected), (TypeError, ValueError)):
        S = Counter((tuple(map(index, x)), index(y)) for x, y in examples)
    if any(y not in {-1, 1} for _, y in S):
        raise ValueError("labels must be -1 and 1")
    if len({len(x) for x, _ in S}) > 1 or any(len(x) < 2 for x, _ in S):
        raise ValueError("points must have the same number of coordinates, at least two")
    return PaperSample(tuple(sorted(S.items())))


@dataclass(frozen=True)
class Geom(Mechanism):
    """Geom(1 − e^(−ε)): g ≥ 0 with probability (1 − e^(−ε))·e^(−εg), cut off at ``most`` if given.

    >>> round(float(Geom(Fraction(1), most=2).law(None)[2]), 4)
    0.1353
    """

    epsilon: Fraction
    most: int | None = None
    cost: Budget = FREE
    name: ClassVar[str] = "geometric draw"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, data: Any, coins: Entropy) -> int:
        g = geometric(self.epsilon, coins)
        return g if self.most is None else min(g, self.most)

    def law(self, data: Any) -> dict[int, arb]:
        if self.most is None:
            raise ValueError("there are infinitely many outcomes; set most, beyond which they count as one")
        with ctx.workprec(128):
            ρ = (-ball(self.epsilon)).exp()
            return {**{g: (1 - ρ) * ρ**g for g in range(self.most)}, self.most: ρ**self.most}


def positive(epsilon: Number) -> Fraction:
    """ε as a fraction, if it is positive."""
    return mechanism_budget(epsilon).epsilon


def proper_fraction(value: Number, name: str) -> Fraction:
    """α, β or δ as a fraction, if it lies strictly between 0 and 1.

    >>> proper_fraction(1, "alpha")
    Traceback (most recent call last):
    ValueError: alpha must lie strictly between 0 and 1
    """
    if not 0 < (share := as_rational(value, name)) < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1")
    return share


def ceiled_laplace(epsilon: Fraction, ask: Ask, most: int | None = None) -> int:
    """⌈Lap(1/ε)⌉, exactly: 1 + Geom(1 − e^(−ε)) or −Geom(1 − e^(−ε)), either with probability ½.

    The absolute value of Laplace noise is exponential, and the integer part of an exponential variable is geometric.

    >>> law = law_of(lambda ask: ceiled_laplace(Fraction(1), ask, most=1))
    >>> {z: round(float(p), 3) for z, p in sorted(law.items())}
    {-1: 0.184, 0: 0.316, 1: 0.316, 2: 0.184}
    """
    G: int = ask(Geom(epsilon, most), None)
    return 1 + G if ask(Coin(Fraction(1, 2)), None) else -G


def copies(n: int, epsilon: Fraction, ask: Ask, most: int | None = None) -> int:
    """max(⌈n + Lap(1/ε)⌉, 1) for an integer n, and at most ``most`` if given.

    >>> {c: round(float(p), 3) for c, p in sorted(law_of(lambda ask: copies(1, Fraction(1), ask, most=3)).items())}
    {1: 0.5, 2: 0.316, 3: 0.184}
    """
    if most is None:
        return max(n + ceiled_laplace(epsilon, ask), 1)
    return min(max(n + ceiled_laplace(epsilon, ask, n + most), 1), most)  # beyond n + most, noise leads to 1 or to most
