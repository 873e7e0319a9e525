"""Mechanisms that are broken on purpose, each in one place, and what each of them leaks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from flint import arb
from numpy.typing import ArrayLike, NDArray

from privpac.audit.claims.case import Case, Joint, Records, votes
from privpac.exact.entropy import Entropy
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.privacy.budget import Budget, Number


@dataclass(frozen=True)
class Control(Case):
    """A false claim. ``about`` says what is broken, ``why`` what it leaks.

    >>> control = controls(1e-6)[0]
    >>> print(f"{control.about}: {control.why}")
    noise scale 30 % too small: the probabilities of neighbors differ by a factor of e^(ε/0.7)
    >>> print(control.exact())
    REFUTED: (0,) against (1,) costs 1.42857, more than the claimed ε = 1 (the worst of 1 pairs)
    """

    why: str


@dataclass(frozen=True)
class Argmax(PermuteAndFlip):
    """The best candidate, without coins: ``check`` turns scores into gaps to the best, so its gap is the least."""

    def release(self, data: NDArray[np.int64], coins: Entropy) -> int:
        return int(np.argmin(data))

    def law(self, data: ArrayLike) -> dict[int, arb]:
        return {int(np.argmin(self.check(data))): arb(1)}


@dataclass(frozen=True)
class EarlyHistogram(StabilityHistogram):
    """A histogram that shows a key at a count that is two too small."""

    @property
    def least(self) -> int:
        return super().least - 2


@dataclass(frozen=True)
class InferredBounds(DiscreteLaplace):
    """The middle record with noise, kept between the smallest and the largest record."""

    def check(self, data: Any) -> Any:
        return sorted(data)

    def release(self, data: Any, coins: Entropy) -> int:
        return self.bounded(data).release(data[len(data) // 2], coins)

    def law(self, data: object, reach: int = 40) -> dict[int, arb]:
        ordered = self.check(data)
        return self.bounded(ordered).law(ordered[len(ordered) // 2], reach)

    def bounded(self, ordered: list[int]) -> DiscreteLaplace:
        """The noise, kept within bounds that were never declared."""
        return DiscreteLaplace(self.cost, self.sensitivity, ordered[0], ordered[-1])


@dataclass(frozen=True)
class FloatQuantile:
    """A median in [0, 1], in floats. An interval between records has the weight length·e^(−(ε/2)·rank error)."""

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


def controls(delta: Number) -> tuple[Control, ...]:
    """The controls at ε = 1 and this δ. A sampled audit cannot see effects of size 10⁻⁶ and needs a larger δ.

    >>> all(control.exact().refuted for control in controls(0.05))
    True
    """
    pure, claim = Budget(1), Budget(1, delta)
    response = DiscreteLaplace(pure, 1, 0, 1)
    # Each has: mechanism, view, what is broken, universe, number of records, claimed cost, and what it leaks.
    return (
        Control(
            DiscreteLaplace(Budget("10/7")), sum, "noise scale 30 % too small", (0, 1), 1, pure,
            "the probabilities of neighbors differ by a factor of e^(ε/0.7)",
        ),
        Control(
            Argmax(pure), votes, "the best candidate instead of a draw", "ab", 1, pure,
            "one record decides which candidate is the best, and the output shows it",
        ),
        Control(
            EarlyHistogram(claim), Counter, "shown two counts too early", "ab", 1, claim,
            "a key of a single record is shown with probability above δ",
        ),
        Control(
            InferredBounds(pure, 3), tuple, "bounds inferred from the data", range(4), 2, pure,
            "the output never leaves the range of the records and so reveals it",
        ),
        Control(
            FloatQuantile(Budget(4)), tuple, "quantile weights that underflow", (0, 1), 760, Budget(4),
            "one sample always raises an error where its neighbor never does",
        ),
        Control(
            Joint((response,) * 3), sum, "an accountant that ignores the count", (0, 1), 1, pure,
            "three uses cost three times what is charged for one",
        ),
    )  # fmt: skip
