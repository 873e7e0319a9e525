"""Values with more positive than negative records, from an unbounded universe.

proof: docs/proofs/set_learner.md

Throughout this file
    w(v)    positive records at v minus negative ones; one substitution moves two of them by 1, or one by 2
    ρ       e^(−ε/2), the ratio of the noise
    k₀      the smallest noisy w that is shown: the smallest integer with ρ^(k₀−1)/(1+ρ) ≤ δ

A value exists if it has a positive record. So a value that one substitution brings to life has w ≤ 1. If values existed
where w > 0, a flipped label would bring one to life with w = 2.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from flint import arb

from privpac.data.samples.sample import Tally
from privpac.exact.entropy import Entropy
from privpac.mechanisms.histograms.stability import KeyCounts, NoisyIntegers
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class SignedHistogram(NoisyIntegers):
    """Each w(v) plus Z_(ε/2), shown if at least k₀; (ε, δ)-DP for every δ in (0, 1).

    >>> import numpy as np
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
