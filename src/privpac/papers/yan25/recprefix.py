"""RecPrefix: an interior point by recursion on common prefix lengths; it needs about 2^(log* N) records.

[BNSV15]  docs/references.bib        proof: docs/proofs/recprefix.md

Throughout this file
    x_1 … x_n    records: numbers of b bits on a line of N values, bits counted from the most significant one
    length       how many first bits two records have in common: a value on a line of b + 1 values
    z            an interior point of the lengths of all pairs
    D            how many levels of lengths there are, lengths of lengths of …, until a line has at most ``base`` values
    L            a prefix of z + 1 bits; its least and its largest extension are the two candidates
    q            how many records must share a prefix so that the choice returns it            λ    q − 3/2
    β            the probability that the algorithm fails; β' = β/(3D + 1) is the share of each release and each pairing
    G            ln(1/β')

The margins below are those of the proof, not the constants of [BNSV15, Alg. 1]. The dyadic method of ``interior_point``
needs fewer records on every line that can be written down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar, NamedTuple

import numpy as np
from flint import ctx

from privpac.data.domains.line import Line
from privpac.mechanisms.algorithm import Algorithm, Ask, Uniform
from privpac.mechanisms.lines.dyadic_trie import bits
from privpac.mechanisms.noise.laplace import DiscreteLaplace, laplace_tail
from privpac.mechanisms.quantiles.one_quantile import ln
from privpac.mechanisms.selection.exponential import Exponential, SparseExponential
from privpac.privacy.bisection import smallest
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball

STEP = Fraction(1, 8)  # ln(1/β) is rounded up to a multiple of this


class Costs(NamedTuple):
    """What each release costs: on every level a prefix and a count, at the end the base case."""

    prefix: Budget
    noisy_count: Budget
    base: Budget


class Margins(NamedTuple):
    """How many lengths are left out at either end, and the count at which the larger extension is returned."""

    low: int  # this many of the shortest lengths are left out
    high: int  # this many of the longest lengths are left out
    bar: int


@dataclass(frozen=True)
class RecPrefix(Algorithm):
    """A value between the smallest and the largest record, except with probability e^(−nats), from ``least_n`` records.

    >>> method = RecPrefix(Budget(1, 1e-6), Line(0, 2**64 - 1), nats=Fraction(3))
    >>> method.sizes, method.least_n
    ([18446744073709551616, 65, 8], 2182)
    >>> from privpac.exact.entropy import SYSTEM
    >>> 5 <= method.release([5] * 10_000 + [9] * 10_000, SYSTEM) <= 9
    True
    """

    cost: Budget
    line: Line
    nats: Fraction = Fraction(7)  # ln(1/β)
    base: int = 32
    name: ClassVar[str] = "RecPrefix"
    theorem: ClassVar[str] = "recprefix, Theorem 1"

    def __post_init__(self) -> None:
        if self.base < 3:
            raise ValueError("base must be at least 3: the lengths on a line of three values take three values again")

    def check(self, data: Any) -> list[int]:
        return [int(number) for number in self.line.encode_all(data)]

    def run(self, data: Sequence[int], ask: Ask) -> Any:
        return self.line.decode(min(self.point(data, 0, ask), self.line.size - 1))

    def point(self, x: Sequence[int], level: int, ask: Ask) -> int:
        """An interior point of ``x``, which are numbers of the line of this level."""
        size = self.sizes[level]
        if level == self.depth:
            return int(ask(Exponential(self.costs.base), lighter_sides(x, size)))
        b, margins = bits(size), self.margins
        lengths = sorted(b - (y ^ partner).bit_length() for y, partner in pairs(x, ask))
        # z is interior to the lengths, so many records begin with the same z + 1 bits, and many others do not.
        z = self.point(lengths[margins.low : max(len(lengths) - margins.high, 0)], level + 1, ask)
        suffix_bits = max(b - z - 1, 0)
        L = ask(SparseExponential(self.costs.prefix), Counter(y >> suffix_bits for y in x))
        if L is None:
            return size // 2
        # Some record begins with L. If all that do not lie on one side of L, the extension on that side is interior.
        least, largest = L << suffix_bits, (L + 1 << suffix_bits) - 1
        count = ask(DiscreteLaplace(self.costs.noisy_count, 1, 0, len(x)), sum(y >= largest for y in x))
        return int(largest if count >= margins.bar else least)

    @cached_property
    def sizes(self) -> list[int]:
        """How many values the line of each level has: the records, their lengths, the lengths of these lengths, …"""
        sizes = [self.line.size]
        while sizes[-1] > self.base:
            sizes.append(bits(sizes[-1]) + 1)
        return sizes

    @property
    def depth(self) -> int:
        """The number D of levels above the base case."""
        return len(self.sizes) - 1

    @cached_property
    def costs(self) -> Costs:
        """ε in 3D + 1 shares: two for each prefix, one for each count, one for the base case. Prefixes share δ."""
        share = self.cost.epsilon / (3 * self.depth + 1)
        return Costs(Budget(2 * share, self.cost.delta / max(self.depth, 1)), Budget(share), Budget(share))

    @property
    def certainty(self) -> Fraction:
        """G = ln(1/β'), where each release may fail with probability β'."""
        return self.nats + ln(3 * self.depth + 1)

    @cached_property
    def margins(self) -> Margins:
        """The least margins for which the proof bounds each failure by β'.

        high = u: if no prefix of some length has 2q − 1 records, more than u pairs agree on a prefix of this length
        with probability at most e^(u − λ)·(λ/u)^u. bar: the noise of the count reaches bar, and −bar, with probability
        at most β' each. low: at least 2·bar − 1 records do not begin with L.
        """
        G, prefix = self.certainty, self.costs.prefix
        q = max(ceil((Fraction(SparseExponential(prefix).log_nothing) + G) / (prefix.epsilon / 2)), 2)
        with ctx.workprec(96):
            λ, failure = ball(q - Fraction(3, 2)), (-ball(G)).exp()
            high = smallest(lambda u: u * (u / λ).log() - u + λ >= ball(G), above=q - 1)
            bar = smallest(lambda τ: laplace_tail(self.costs.noisy_count.epsilon, τ) <= failure)
        return Margins(low=2 * bar - 2, high=high, bar=bar)

    @cached_property
    def least_n(self) -> int:
        """How many records make the failure at most β: those of the base case, doubled and padded on every level."""
        last, margins = self.sizes[-1], self.margins if self.depth else Margins(0, 0, 0)
        n = max(2 * ceil((self.certainty + ln(max(last - 1, 1))) / (self.costs.base.epsilon / 2)) - 1, 1)
        for _ in range(self.depth):
            n = 2 * (n + margins.low + margins.high)
        return n


def pairs(records: Sequence[int], ask: Ask) -> Iterator[tuple[int, int]]:
    """The records two by two, every pairing with the same probability; if their number is odd, one record is left out.

    >>> from privpac.mechanisms.algorithm import law_of
    >>> sorted((pairing, float(p)) for pairing, p in law_of(lambda ask: tuple(pairs([1, 2, 3], ask))).items())
    [(((2, 1),), 0.333...), (((3, 1),), 0.333...), (((3, 2),), 0.333...)]
    """
    single = list(records)  # those without a partner
    if len(single) % 2:
        single.pop(ask(Uniform(len(single)), None))
    while single:
        first, j = single.pop(), ask(Uniform(len(single)), None)
        single[j], single[-1] = single[-1], single[j]
        yield first, single.pop()


def lighter_sides(x: Sequence[int], size: int) -> np.ndarray:
    """For every value of a line, the smaller of the numbers of records at or below it and at or above it.

    >>> lighter_sides([1, 1, 2], 4)
    array([0, 2, 1, 0])
    """
    ordered, values = np.sort(np.array(x, dtype=np.int64)), np.arange(size)
    at_most, below = (np.searchsorted(ordered, values, side) for side in ("right", "left"))
    return np.minimum(at_most, len(ordered) - below)


def nats(β: Fraction) -> Fraction:
    """ln(1/β), rounded up to a multiple of ``STEP``.

    >>> nats(Fraction(1, 20))
    Fraction(3, 1)
    """
    return max(ceil(ln(1 / β) / STEP), 1) * STEP
