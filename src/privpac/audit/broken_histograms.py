"""Signed histograms that are deliberately broken, each in one place.

Main declarations
    PositiveOnly    a value exists if its weight is positive
    QuickNoise      noise for weights that one record moves by 1
    EarlyWeights    values are shown one weight too early
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction

from privpac.data.sample import Tally
from privpac.mechanisms.signed_histogram import SignedHistogram


@dataclass(frozen=True)
class PositiveOnly(SignedHistogram):
    """A value exists if w > 0, not if it has a positive record."""

    def check(self, data: Tally) -> dict[Hashable, int]:
        """Positive weights only."""
        return {value: w for value, w in super().check(data).items() if w > 0}


@dataclass(frozen=True)
class QuickNoise(SignedHistogram):
    """Noise of half the scale."""

    @property
    def rate(self) -> Fraction:
        """ε, not ε/2."""
        return self.cost.epsilon


@dataclass(frozen=True)
class EarlyWeights(SignedHistogram):
    """Shows a value one weight too early."""

    @property
    def least(self) -> int:
        """k₀ − 1."""
        return super().least - 1
