"""Pruned tries that are deliberately broken, each in one place.

Zoom and private cuts that are deliberately broken, each in one place.

Signed histograms that are deliberately broken, each in one place.

Quantiles that are deliberately broken, each in one place.

Selections of stable candidates that are deliberately broken, each in one place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log
from typing import Any, ClassVar

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from privpac.audit.claims.case import Records
from privpac.data.samples.prefix_counts import Codes
from privpac.data.samples.sample import Ints, Sample, Tally
from privpac.exact.entropy import Entropy
from privpac.exact.weighted import Weights
from privpac.learners.grids.private_cuts import PrivateCuts
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie, ShownLaw, prefix_counts, together
from privpac.mechanisms.histograms.signed import SignedHistogram
from privpac.mechanisms.lines.zoom import Held, Zoom, ZoomLevel
from privpac.mechanisms.noise.gaussian import tails
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.quantiles.median import quantile_mechanism
from privpac.mechanisms.quantiles.one_quantile import Quantile
from privpac.mechanisms.quantiles.several_quantiles import SeparateQuantiles
from privpac.mechanisms.selection.exponential import Menu, Outcome
from privpac.mechanisms.selection.public_stable import PublicStableExponential
from privpac.mechanisms.selection.regret import Discounts, RegretExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.privacy.rounding import PRECISION


@dataclass(frozen=True)
class HeldOnly(Zoom):
    """Nodes without records are not candidates, unless there are no others."""

    def without(self, level: ZoomLevel) -> int:
        return 0 if level.inside.any() else super().without(level)


@dataclass(frozen=True)
class RangeOfRecords(Zoom):
    """A stretch is cut to the least and the largest value in it."""

    def menu(self, data: Held) -> Menu:
        weights, outcome = super().menu(data)

        def cut(group: int, member: int) -> tuple[int, int]:
            first, stop = outcome(group, member)
            inside = [value for value in data.values.tolist() if first <= value < stop]
            return (min(inside), max(inside) + 1) if inside else (first, stop)

        return weights, cut


@dataclass(frozen=True)
class SteepZoom(Zoom):
    """ε instead of ε/2 in the exponent."""

    @property
    def rate(self) -> Fraction:
        return self.cost.epsilon


@dataclass(frozen=True)
class MergedBySplits(PrivateCuts):
    """Cuts that split the records alike are merged."""

    def run(self, data: Opened, ask: Ask) -> tuple[tuple[int, ...], ...]:  # type: ignore[override]
        values = sorted(data.records.points.tolist())
        return tuple(tuple({bisect_left(values, cut): cut for cut in cuts}.values()) for cuts in super().run(data, ask))


def read(sample: Sample) -> list[NDArray[Any]]:
    """The only column."""
    return [sample.points]


def unlabeled(records: Records) -> Opened:
    """Values on a line, None if void, as records without labels.

    >>> unlabeled((3, None)).records.points
    array([3], dtype=uint64)
    """
    values = [value for value in records if value is not None]
    sample = Sample(np.array(values, dtype=np.uint64), np.ones(len(values), dtype=bool), None, len(records))
    return Opened(sample, len(records))


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


@dataclass(frozen=True)
class UnprunedTrie(PrunedTrie):
    """Every node with a record is looked at, also below nodes that are not shown."""

    def law(self, data: Codes, reach: int | None = 0) -> ShownLaw:
        """Which nodes are shown; their counts are left out."""
        counts, τ = prefix_counts(self.checked(data)), self.least
        with ctx.workprec(PRECISION):
            at_least = tails(self.variance, τ + max(counts.values(), default=0) + 2)
            chances = {v: at_least(τ - c) for v, c in counts.items() if v}
            return together([{frozenset(): 1 - p, frozenset([(v, τ)]): p} for v, p in chances.items()])


@dataclass(frozen=True)
class EarlyTrie(PrunedTrie):
    """Shows nodes one record too early."""

    @property
    def least(self) -> int:
        """τ − 1."""
        return PrunedTrie(self.cost, self.height).least - 1


@dataclass(frozen=True)
class QuietTrie(PrunedTrie):
    """Noise for H changed counts instead of 2H."""

    @property
    def variance(self) -> Fraction:
        """σ²/2."""
        return PrunedTrie(self.cost, self.height).variance / 2
