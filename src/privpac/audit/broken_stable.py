"""Selections of stable candidates that are deliberately broken, each in one place.

Main declarations
    MixedBases, NoFloor, LateMinimum    public-stable selection
    OneNear                             selection by regret
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.data.sample import Ints
from privpac.exact.weighted import Weights
from privpac.mechanisms.public_stable import PublicStableExponential
from privpac.mechanisms.regret import Discounts, RegretExponential
from privpac.mechanisms.selection import Outcome


@dataclass(frozen=True)
class MixedBases(PublicStableExponential):
    """Weighs with the base r of its own cost, and discounts by λ/(ε/2) steps of r, with ε = 1."""

    def log_discounts(self, level: Ints, fallbacks: int) -> NDArray[np.float64]:
        return super().log_discounts(level, fallbacks) * float(self.cost.epsilon)


@dataclass(frozen=True)
class NoFloor(PublicStableExponential):
    """The fallback weighs r^(C − err), no matter how small that is."""

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        weights, outcome = super().menu(data)
        fallback, errors = data[:2]
        scores = np.concatenate([self.cap - errors, weights.scores[len(fallback) :]])
        return replace(weights, scores=scores), outcome


@dataclass(frozen=True)
class LateMinimum(PublicStableExponential):
    """A candidate weighs what its support allows for one step longer than its errors do."""

    def log_discounts(self, level: Ints, fallbacks: int) -> NDArray[np.float64]:
        """λ plus one step, by which support must exceed what errors allow."""
        return super().log_discounts(level, fallbacks) + float(self.cost.epsilon / 2)

    def menu(self, data: Any) -> tuple[Weights, Outcome]:
        """The menu with priors that ignore that step."""
        weights, outcome = super().menu(data)
        assert weights.log_prior is not None
        late = np.where(weights.log_prior < 0, float(self.cost.epsilon / 2), 0.0)
        return replace(weights, log_prior=weights.log_prior + late), outcome


@dataclass(frozen=True)
class OneNear(RegretExponential):
    """A candidate that an ancestor vouches for is discounted as if a record brought one, and it brings two."""

    def discounts(self, level: Ints) -> Discounts:
        λ = super().discounts(level)
        return λ if λ.near is None else λ._replace(near=max(λ.near - log(2), 0.0))
