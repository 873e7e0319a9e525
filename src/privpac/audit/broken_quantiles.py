"""Quantiles that are deliberately broken, each in one place.

Main declarations
    WholeQuantiles    each quantile at the whole cost
    InferredBounds    a noisy median within the range of the records
    FloatQuantile     a median with weights that underflow
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from privpac.audit.cases import Records
from privpac.exact.entropy import Entropy
from privpac.mechanisms.median import quantile_mechanism
from privpac.mechanisms.noise import DiscreteLaplace
from privpac.mechanisms.quantile_mechanisms import Quantile
from privpac.mechanisms.quantile_tree import SeparateQuantiles
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class WholeQuantiles(SeparateQuantiles):
    """Each quantile at the whole cost."""

    @property
    def parts(self) -> tuple[Quantile, ...]:
        return tuple(quantile_mechanism(self.cost, self.line, τ, self.n, self.method) for τ in self.taus)


@dataclass(frozen=True)
class InferredBounds(DiscreteLaplace):
    """The middle record with noise, kept between the smallest and the largest record."""

    def check(self, data: Any) -> Any:
        return sorted(data)

    def release(self, data: Any, coins: Entropy) -> int:
        return self.bounded(data).release(data[len(data) // 2], coins)

    def law(self, data: Any, reach: int = 40) -> dict[int, arb]:
        ordered = self.check(data)
        return self.bounded(ordered).law(ordered[len(ordered) // 2], reach)

    def bounded(self, ordered: list[int]) -> DiscreteLaplace:
        """The noise, kept within bounds that were never declared."""
        return DiscreteLaplace(self.cost, self.sensitivity, ordered[0], ordered[-1])


@dataclass(frozen=True)
class FloatQuantile:
    """A median in [0, 1]: an interval between records, its length times e^(−(ε/2)·rank error) in floating point."""

    cost: Budget
    name: ClassVar[str] = "float quantile"

    def check(self, data: Records) -> NDArray[np.float64]:
        return np.sort([0.0, *data, 1.0])

    def probabilities(self, ends: NDArray[np.float64]) -> NDArray[np.float64]:
        """The intervals' probabilities; if the likely intervals are empty, all weights underflow."""
        errors = np.abs(np.arange(ends.size - 1) - (ends.size - 2) / 2)
        weights = np.exp(-float(self.cost.epsilon) / 2 * (errors - errors.min())) * np.diff(ends)
        if not weights.any():
            raise RuntimeError("no interval to choose")
        return np.asarray(weights / weights.sum())

    def release(self, ends: NDArray[np.float64], coins: Entropy) -> float:
        """The lower end of an interval."""
        cumulative = np.cumsum(self.probabilities(ends))
        return float(ends[np.searchsorted(cumulative, coins.bits(53) / 2**53, side="right")])

    def law(self, data: Records) -> dict[Any, arb]:
        """The law of the lower end; an error is an outcome too."""
        ends = self.check(data)
        try:
            chances = self.probabilities(ends).tolist()
        except RuntimeError:
            return {RuntimeError: arb(1)}
        return {end: arb(p) for end, p in zip(ends.tolist()[:-1], chances, strict=True) if p}
