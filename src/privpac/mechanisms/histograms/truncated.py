"""Counts of keys from an unbounded universe, with bounds that always hold.

proof: docs/proofs/stability.md, Theorem 3

Throughout this file
    x      ε/2, the rate of the noise: one substitution changes two counts by 1
    m      the largest noise: Z is −m … m with Pr[z] ∝ e^(−x·|z|), and p = Pr[Z = m]

A key is shown if its noisy count exceeds m. So a shown count is off by at most m, and a key that is not shown has at
most 2m records: for all keys at once, and with certainty.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.data.counting.keys import ManyKeys
from privpac.exact.bulk_noise import truncated_laplaces
from privpac.exact.entropy import Entropy
from privpac.exact.exponential_weights import Integers, integers
from privpac.exact.subsets import shuffled
from privpac.mechanisms.histograms.stability import KeyLaw, counts_of_keys
from privpac.mechanisms.noise.gaussian import jointly
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism
from privpac.privacy.rounding import ball

LARGEST_SUMMAND = 2**62  # sums of larger numbers are not machine integers
AT_ONCE = 2**20  # keys that get noise together


@dataclass(frozen=True)
class TruncatedHistogram(Mechanism):
    """Each count plus Z, shown if it exceeds m; (ε, δ)-DP for every δ in (0, 1).

    >>> TruncatedHistogram(Budget(1, "1e-6")).most
    27
    """

    cost: Budget
    name: ClassVar[str] = "truncated histogram"
    theorem: ClassVar[str] = "stability, Theorem 3"

    @property
    def rate(self) -> Fraction:
        """x: the rate of the noise."""
        return self.cost.epsilon / 2

    @cached_property
    def most(self) -> int:
        """m: the smallest with 1 − (1 − p)² ≤ δ, that is with p ≤ p₀ = 1 − √(1 − δ)."""
        with ctx.workprec(128):
            x, δ = ball(self.rate), ball(self.cost.delta)
            p0 = δ / (1 + ball(1 - self.cost.delta).sqrt())  # the same number, without cancellation
            # This is p = e^(−xm)·(1 − e^(−x))/(1 + e^(−x) − 2·e^(−x(m+1))) ≤ p₀, solved for m.
            steps = (-(-x).expm1() * (1 - p0) / (p0 * (1 + (-x).exp()))).log1p() / x
            return int(steps.upper().fmpq().ceil())

    def _weight(self, z: int, m: int) -> arb:
        """Pr[Z = z], z ≥ 0."""
        ρ = (-ball(self.rate)).exp()
        return ρ**z * (1 - ρ) / (1 + ρ - 2 * ρ ** (m + 1))

    def check(self, data: Mapping[Hashable, int] | ManyKeys) -> dict[Hashable, int] | ManyKeys:
        return data if isinstance(data, ManyKeys) else counts_of_keys(data)

    def release(self, data: dict[Hashable, int] | ManyKeys, coins: Entropy) -> dict[Hashable, int]:
        shown, noisy = self._shown(data.counts if isinstance(data, ManyKeys) else _as_array(data), coins)
        order = shuffled(len(shown), coins)  # for equal counts: the order of the keys may depend on that of the records
        order = order[np.argsort(-noisy[order], kind="stable")]
        places = shown[order]
        keys = data.named(places) if isinstance(data, ManyKeys) else np.fromiter(data, object, len(data))[places]
        return dict(zip(keys, noisy[order].tolist(), strict=True))

    def _shown(self, counts: Integers, coins: Entropy) -> tuple[NDArray[np.int64], Integers]:
        """The places of the keys that are shown, and their noisy counts; in parts, because there may be many keys."""
        if max(self.most, counts.max(initial=0)) >= LARGEST_SUMMAND:
            counts = counts.astype(object)
        places, numbers = [np.zeros(0, np.int64)], [counts[:0]]
        for start in range(0, len(counts), AT_ONCE):
            part = counts[start : start + AT_ONCE]
            noisy = part + truncated_laplaces(self.rate, self.most, len(part), coins)
            places.append(start + np.flatnonzero(noisy > self.most))
            numbers.append(noisy[noisy > self.most])
        return np.concatenate(places), np.concatenate(numbers)

    def law(self, data: Mapping[Hashable, int]) -> dict[frozenset[tuple[Hashable, int]], arb]:
        m, keys = self.most, list[KeyLaw]()
        with ctx.workprec(128):
            for key, count in counts_of_keys(data).items():
                law: KeyLaw = {(key, count + z): self._weight(abs(z), m) for z in range(-m, m + 1) if count + z > m}
                keys.append(law | {None: 1 - sum(law.values(), arb(0))})
            return {frozenset(item for item in items if item): p for items, p in jointly(keys).items()}


def _as_array(data: dict[Hashable, int]) -> Integers:
    """The counts as an array. ``check`` has already checked their types."""
    try:
        return np.fromiter(data.values(), np.int64, len(data))
    except OverflowError:
        return integers(list(data.values()), "counts")
