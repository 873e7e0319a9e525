"""[BBKN14, §4.2]: points, learned improperly with pure ε from a number of examples that does not depend on the domain.

Throughout this file
    T        the number of points: 0 … T − 1
    c_j      the concept that is 1 at j and nowhere else         0    the one that is 1 nowhere
    z        a sample whose entries are examples (x, y) or ⋆     ⊥    no hypothesis; both are None here
    κ        α/8: the probability that ⊥ is returned, and that a label of h is not that of c
    p        α/4: the probability that an entry is examined
    ε*       the cost: ln(1 + p/(1 − p)·g), where picking an entry multiplies the probability of h by at most g
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations
from math import ceil, inf, log, log1p
from typing import ClassVar

import numpy as np
from flint import arb, ctx, fmpz

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.values.hashes import PRIME, Keyed
from privpac.classes.values.points import OneOf
from privpac.exact.biased_coins import bernoulli
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import FREE, Ask, Coin, Uniform
from privpac.papers.bbkn14.points import OnPoints, TableEntry
from privpac.privacy.budget import Budget, as_rational
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import PRECISION, ball, rounded_up
from privpac.refusals.option_words import PaperConstants

MOST_BITS = 2**16  # sets of more points count as infinitely many


def consistent_concept(z: Sequence[TableEntry]) -> tuple[bool, int | None]:
    """Steps 1 and 2 of A1: whether some c_j, or 0, agrees with z; and if so, the j, or None for 0.

    >>> [consistent_concept(z) for z in ([(3, True), (5, False), None], [(5, False)], [(3, True), (3, False)])]
    [(True, 3), (True, None), (False, 3)]
    """
    ones, zeros = {x for x, y in filter(None, z) if y}, {x for x, y in filter(None, z) if not y}
    return len(ones) <= 1 and not ones & zeros, min(ones, default=None)  # E-BBKN14-8


@dataclass(frozen=True)
class RandomPlaces(Mechanism):
    """Some of the places 0 … n − 1, in order: each with probability p, whatever the records.

    >>> {places: round(float(chance), 3) for places, chance in RandomPlaces(Fraction(1, 4)).law(2).items()}
    {(): 0.562, (0,): 0.188, (1,): 0.188, (0, 1): 0.062}
    """

    p: Fraction
    cost: Budget = FREE
    name: ClassVar[str] = "picked places"
    theorem: ClassVar[str] = "no record is seen"

    def release(self, n: int, coins: Entropy) -> tuple[int, ...]:
        """A place is picked if a uniform number u of [0, 1) is below p; if 64 bits of u do not decide, a coin does."""
        whole, fraction = divmod(self.p * 2**64, 1)  # u is compared with the first 64 bits of p
        u = np.frombuffer(coins.octets(8 * n), dtype=np.uint64).astype(object if whole >= 2**64 else np.uint64)
        picked = u < whole
        for place in np.flatnonzero(u == whole):
            picked[place] = bernoulli(fraction, coins)
        return tuple(np.flatnonzero(picked).tolist())

    def law(self, n: int) -> dict[tuple[int, ...], arb]:
        with ctx.workprec(PRECISION):
            p = ball(self.p)
            subsets = chain.from_iterable(combinations(range(n), size) for size in range(n + 1))
            return {S: p ** len(S) * (1 - p) ** (n - len(S)) for S in subsets}


@dataclass(frozen=True)
class A1:
    """The concept that z determines, each label flipped with probability κ. Not private; it lists all T labels."""

    T: int
    flip: Fraction

    def run(self, z: Sequence[TableEntry], ask: Ask) -> Hypothesis | None:
        agrees, j = consistent_concept(z)
        if not agrees:
            return None
        return OneOf(frozenset(x for x in range(self.T) if (x == j) != ask(Coin(self.flip), None)))


@dataclass(frozen=True)
class A4:
    """A keyed function that labels each point 1 with probability k/p, and j surely if z determines c_j. Not private."""

    p: int
    k: int

    def run(self, z: Sequence[TableEntry], ask: Ask) -> Hypothesis | None:
        agrees, j = consistent_concept(z)
        if not agrees:
            return None
        a = ask(Uniform(self.p), None)
        b = ask(Uniform(self.p), None) if j is None else (ask(Uniform(self.k), None) - a * j) % self.p
        return Keyed(a, b, self.p, self.k)  # E-BBKN14-6


@dataclass(frozen=True)
class A2(OnPoints):
    """A1 on entries picked with probability p each [BBKN14, Claim 4.3].

    Privacy   ε*, also between an example and ⋆, for all inputs: bbkn14, Theorem 3; "printed" is ln 4, which is more
    Utility   error at most α with probability at least 1/4 from N or more labeled examples, if realizable: Theorem 4
    Time      O(n + T) coins

    >>> print(A2(3, Fraction(1, 10)).cost, A2(3, Fraction(1, 10), "tight").cost, sep=" or ")
    ε = 1.38629 or ε = 1.10712
    >>> A2(3, Fraction(1, 10)).N, A2(3, Fraction(1, 10), "tight").N
    (4437, 228)
    """

    T: int
    alpha: Fraction
    constants: PaperConstants = "printed"
    name: ClassVar[str] = "A2"
    theorem: ClassVar[str] = "bbkn14, Theorem 3"
    beta_star: ClassVar[Fraction] = Fraction(3, 4)  # β*, the probability that the error exceeds α

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "alpha", as_rational(self.alpha, "alpha"))
        if not 0 < self.alpha < Fraction(1, 2):
            raise ValueError("alpha must lie strictly between 0 and 1/2")

    @property
    def p(self) -> Fraction:
        return self.alpha / 4

    @property
    def κ(self) -> Fraction:
        return self.alpha / 8

    @property
    def gain(self) -> Fraction:
        """g = (1 − κ)/κ."""
        return 1 / self.κ - 1

    @property
    def learner(self) -> A1 | A4:
        """The algorithm that runs on the picked entries."""
        return A1(self.T, self.κ)

    @property
    def outputs(self) -> int | float:
        """All sets of points; for A5, all keys."""
        return 2**self.T if self.T <= MOST_BITS else inf

    @cached_property
    def cost(self) -> Budget:  # type: ignore[override]  # it follows from α
        """ε*; "printed" is ln 4, or more where a tiny prime makes it more."""
        with ctx.workprec(PRECISION):
            tight = (1 + ball(self.p / (1 - self.p) * self.gain)).log()  # E-BBKN14-2
            return Budget(rounded_up(tight if self.constants == "tight" else tight.max(arb(4).log())))

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """32·ln 4/α², or the least that the proof allows."""
        α = float(self.alpha)
        return ceil(32 * log(4) / α**2) if self.constants == "printed" else self.sample_size(1.0, self.beta_star)

    def sample_size(self, q: float, failure: float | Fraction) -> int:
        """How many examples make the error exceed α with probability ≤ ``failure``, if each is kept with probability q.

        ``failure`` must exceed κ + (1 − κ)/8; no number of examples brings it lower.
        """
        α, κ = float(self.alpha), float(self.κ)
        f = (float(failure) - κ) / (1 - κ)  # the failure that is left if the result is not ⊥
        θ = α - κ / f  # the hypothesis may miss a j of probability at most θ
        return ceil(log(1 / (f - κ / α)) / -log1p(-q * float(self.p) * θ))

    def run(self, z: Sequence[TableEntry], ask: Ask) -> Hypothesis | None:
        if ask(Coin(self.κ), None):
            return None
        S = ask(RandomPlaces(self.p), len(z))
        return self.learner.run([z[i] for i in S], ask)


@dataclass(frozen=True)
class A5(A2):
    """A4 on entries picked with probability p each: the hypothesis is a key of two numbers [BBKN14, §4.2.1].

    ``prime`` is at least T; for a tiny one, all keys can be listed. k of its remainders label a point 1: k/prime ≤ α/8.

    Privacy   ε*, also between an example and ⋆, for all inputs: bbkn14, Theorem 6
    Utility   that of A2: Theorem 7

    >>> learner = A5(2**64, Fraction(1, 10), "tight")
    >>> print(learner.cost, learner.N)
    ε = 1.11556 228
    """

    prime: int = PRIME
    name: ClassVar[str] = "A5"
    theorem: ClassVar[str] = "bbkn14, Theorem 6"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (fmpz(self.prime).is_prime() and self.prime >= self.T and self.k):
            raise ValueError("prime must be a prime number, at least T and at least 8/alpha")

    @property
    def outputs(self) -> int:
        return self.prime**2

    @property
    def k(self) -> int:
        return int(self.κ * self.prime)  # E-BBKN14-5

    @property
    def gain(self) -> Fraction:
        """g = prime/k."""
        return Fraction(self.prime, self.k)

    @property
    def learner(self) -> A1 | A4:
        return A4(self.prime, self.k)
