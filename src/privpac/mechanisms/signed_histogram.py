"""Values with more positive than negative records, from an unbounded universe.

proof: docs/proofs/set_learner.md

Throughout this file
    w(v)    positive records at v minus negative ones; one substitution moves two of them by 1, or one by 2
    ρ       e^(−ε/2), the ratio of the noise
    k₀      the smallest noisy w that is shown: the smallest integer with ρ^(k₀−1)/(1+ρ) ≤ δ

A value exists if it has a positive record. A value that one substitution brings to life then has w ≤ 1. If values existed
where w > 0, a flipped label would bring one to life with w = 2.

Main declarations
    SignedHistogram    noisy w(v) of the values that exist, without those below k₀: (ε, δ)-DP
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from flint import arb

from privpac.data.sample import Tally
from privpac.exact.entropy import Entropy
from privpac.mechanisms.histogram import StabilityHistogram, ranked

Shown = tuple[tuple[Any, int], ...]  # values with their noisy w, largest first


@dataclass(frozen=True)
class SignedHistogram(StabilityHistogram):
    """Each w(v) plus Z_(ε/2), shown if at least k₀; (ε, δ)-DP for every δ in (0, 1).

    >>> from privpac.exact.entropy import SYSTEM
    >>> from privpac.privacy.budget import Budget
    >>> late = Tally(np.array(["EV", "UA", "B6"]), zeros=np.array([100, 4000, 0]), ones=np.array([4000, 100, 1]))
    >>> mechanism = SignedHistogram(Budget(1, 1e-12))
    >>> [value for value, _ in mechanism.release(mechanism.check(late), SYSTEM)]
    ['EV']
    """

    name: ClassVar[str] = "signed histogram"
    theorem: ClassVar[str] = "set learner, Theorem 1"

    def check(self, data: Tally) -> dict[Hashable, int]:  # type: ignore[override]
        """w(v) of each value that has a positive record."""
        there = data.ones > 0
        return dict(zip(data.points[there].tolist(), (data.ones - data.zeros)[there].tolist(), strict=True))

    def release(self, data: dict[Hashable, int], coins: Entropy) -> Shown:  # type: ignore[override]
        return tuple(super().release(data, coins).items())

    def law(self, data: Tally, reach: int = 12) -> dict[Shown, arb]:  # type: ignore[override]
        """The exact law; noisy w of k₀ + ``reach`` and more are lumped, which changes no divergence below them."""
        return {tuple(ranked(shown)): p for shown, p in super().law(data, reach).items()}
