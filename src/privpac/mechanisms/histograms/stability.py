"""Counts of the keys that many records share, and weights of labeled values, from an unbounded universe.

[KKMN09] [BNS16]  docs/references.bib        proofs: docs/proofs/stability.md, docs/proofs/set_learner.md

Throughout this file
    Z      discrete Laplace noise of rate ε/2: one substitution changes two counts by 1
    k₀     the smallest noisy count that is shown: the smallest integer with Pr[1 + Z ≥ k₀] ≤ δ
    w(v)   positive records at v minus negative ones; one substitution moves two of them by 1, or one by 2
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar

import numpy as np
from flint import arb, ctx

from privpac.data.samples.sample import Tally
from privpac.exact.bulk_noise import FEW, discrete_laplaces, plus
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import integers
from privpac.mechanisms.noise.gaussian import jointly, law_above
from privpac.mechanisms.noise.laplace import laplace_rarely_reached, laplace_tail
from privpac.privacy.budget import Budget, Number, mechanism_budget
from privpac.privacy.ledger import Coins, Mechanism, Payer, spend

KeyCounts = tuple[tuple[Hashable, int], ...]  # keys with their noisy integers, largest first
KeyLaw = dict[tuple[Hashable, int] | None, arb]


class NoisyIntegers(Mechanism):
    """Integers, one per key, plus Z each; those of at least k₀ are shown."""

    @property
    def rate(self) -> Fraction:
        return self.cost.epsilon / 2

    @property
    def least(self) -> int:
        """k₀ ≥ 1: a key with a single record is shown with probability at most δ."""
        return 1 + laplace_rarely_reached(self.rate, self.cost.delta)

    def large_counts(self, counts: Mapping[Hashable, int], coins: Entropy) -> KeyCounts:
        """The keys that are shown, with their noisy integers."""
        keys = list(counts)
        # The number of keys is private. Lists have at least a public length, so that the time taken does not reveal how
        # few keys there are.
        values = [*counts.values(), *[0] * (FEW - len(keys))]
        noisy = plus(integers(values, "counts"), discrete_laplaces(self.rate, len(values), coins))
        large = (noisy >= self.least) & (np.arange(len(values)) < len(keys))
        return largest_first((keys[i], int(noisy[i])) for i in np.flatnonzero(large).tolist())

    def large_counts_law(self, counts: Mapping[Hashable, int], reach: int) -> dict[KeyCounts, arb]:
        """The exact law. Integers of k₀ + ``reach`` and more are merged; no divergence changes if counts are below."""
        with ctx.workprec(128):
            at_least = partial(laplace_tail, self.rate)
            return shown_law(key_law(at_least, key, count, self.least, reach) for key, count in counts.items())


@dataclass(frozen=True)
class StabilityHistogram(NoisyIntegers):
    """Each count plus Z, shown if at least k₀; (ε, δ)-DP for every δ in (0, 1)."""

    cost: Budget
    name: ClassVar[str] = "stability histogram"
    theorem: ClassVar[str] = "stability, Theorem 1"

    def check(self, data: Mapping[Hashable, int]) -> dict[Hashable, int]:
        return counts_of_keys(data)

    def release(self, data: dict[Hashable, int], coins: Entropy) -> dict[Hashable, int]:
        return dict(self.large_counts(data, coins))

    def law(self, data: Mapping[Hashable, int], reach: int = 12) -> dict[frozenset[tuple[Hashable, int]], arb]:
        """The exact law; large counts are merged."""
        return {frozenset(counts): p for counts, p in self.large_counts_law(self.check(data), reach).items()}


def counts_of_keys(data: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """The keys that records have, with their numbers of records.

    >>> counts_of_keys({"a": 2, "b": 0})
    {'a': 2}
    """
    if not isinstance(data, Mapping):
        raise TypeError("counts must be a mapping from each key to its number of records")
    counts = integers(list(data.values()), "counts")
    if counts.size and counts.min() < 0:
        raise ValueError("counts must not be negative")
    return dict(data) if counts.all() else {key: int(count) for key, count in data.items() if count}


def largest_first(shown: Iterable[tuple[Hashable, int]]) -> KeyCounts:
    """Keys with their noisy counts, largest first; ties in the order of printed forms, which no record decides.

    >>> largest_first([("b", 3), ("a", 3), ("c", 4)])
    (('c', 4), ('a', 3), ('b', 3))
    """
    return tuple(sorted(shown, key=lambda item: (-item[1], repr(item[0]))))


def key_law(at_least: Callable[[int], arb], key: Hashable, count: int, least: int, reach: int) -> KeyLaw:
    """The law of what is shown of one key: (key, noisy count), or None. Counts of ``least`` + ``reach`` and more merge.

    ``at_least`` is k → Pr[Z ≥ k].
    """
    shown = law_above(at_least, count, least, least + reach)
    return {None: 1 - at_least(least - count)} | {(key, o): p for o, p in shown.items()}


def shown_law(keys: Iterable[KeyLaw]) -> dict[KeyCounts, arb]:
    """The law of all keys that are shown, from the laws of the keys."""
    return {largest_first(item for item in items if item): p for items, p in jointly(keys).items()}


def stability_histogram(
    counts: Mapping[Hashable, int], *, epsilon: Number, delta: Number, budget: Payer = None, rng: Coins = None
) -> dict[Hashable, int]:
    """Noisy counts of the keys that enough records share, largest first: (ε, δ)-DP.

    ``counts`` maps each key to its number of records. Each record has exactly one key, from any universe.

    Examples
    --------
    >>> list(stability_histogram({"EWR": 4000, "JFK": 2000, "N0EGMQ": 1}, epsilon=1, delta=1e-12))
    ['EWR', 'JFK']
    """
    mechanism = StabilityHistogram(mechanism_budget(epsilon, delta, approximate=True))
    released: dict[Hashable, int] = spend(mechanism, counts, budget, rng)
    return released


@dataclass(frozen=True)
class SignedHistogram(NoisyIntegers):
    """Each w(v) plus Z, shown if at least k₀; (ε, δ)-DP for every δ in (0, 1).

    A value exists if it has a positive record. So a value that one substitution brings to life has w ≤ 1. If values
    existed where w > 0, a flipped label would bring one to life with w = 2.

    >>> from privpac.exact.entropy import SYSTEM
    >>> late = Tally(np.array(["EV", "UA", "B6"]), zeros=np.array([100, 4000, 0]), ones=np.array([4000, 100, 1]))
    >>> mechanism = SignedHistogram(Budget(1, 1e-12))
    >>> [value for value, _ in mechanism.release(mechanism.check(late), SYSTEM)]
    ['EV']
    """

    cost: Budget
    name: ClassVar[str] = "signed histogram"
    theorem: ClassVar[str] = "set learner, Theorem 1"

    def check(self, data: Tally) -> dict[Hashable, int]:
        """w(v) of each value that has a positive record."""
        exists = data.ones > 0
        return dict(zip(data.points[exists].tolist(), (data.ones - data.zeros)[exists].tolist(), strict=True))

    def release(self, data: dict[Hashable, int], coins: Entropy) -> KeyCounts:
        return self.large_counts(data, coins)

    def law(self, data: Tally, reach: int = 12) -> dict[KeyCounts, arb]:
        """The exact law; large weights are merged."""
        return self.large_counts_law(self.check(data), reach)
