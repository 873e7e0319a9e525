"""Histograms of all columns of a table at one price: of listed cells, and of other keys that many records have.

proof: docs/proofs/suggestions.md

One price covers these histograms and d *fresh counts*, one per column, which are released afterward and may depend on
what is shown here.

Throughout this file
    d       the number of columns; a record has one key in each: a listed cell, or some other key
    Z       the noise of a count, and Y that of a fresh count; both discrete Gaussian, or both discrete Laplace
    σ², κ   if the noise is Gaussian: the variance of Z is σ², that of Y is σ²/κ
    s       if it is Laplace: the share of ε for fresh counts
    τ       a key that is not listed is shown if its noisy count is at least τ
    A       the probability, over all columns together, that δ leaves for showing a key that only one of two neighbors
            has: (δ − η)/(1 − η)
    η       the δ that the noise costs if no key that only one of two neighbors has is shown; 0 if it is Laplace
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import isqrt
from typing import ClassVar, NamedTuple

import numpy as np
from flint import arb, ctx

from privpac.exact.bulk_noise import FEW
from privpac.exact.entropy import Entropy
from privpac.mechanisms.histograms.pruned_trie import NOISE_SHARE
from privpac.mechanisms.histograms.stability import KeyCounts, counts_of_keys, key_law, largest_first, shown_law
from privpac.mechanisms.noise.gaussian import GaussianShare, jointly, tails
from privpac.mechanisms.noise.laplace import DiscreteLaplaces, laplace_tail
from privpac.privacy.accounting.gaussian_counts import SharedCost, kinds_delta
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Mechanism

FRESH = Fraction(1, 5)  # s
WORTH = Fraction(1, 2)  # κ: fresh counts take κ/(2 + κ) = a fifth of ρ, like s
CellCounts = tuple[int, ...]


class ColumnKeys(NamedTuple):
    """How many records have each listed cell of a column, and each other key that occurs."""

    listed: CellCounts
    others: Mapping[Hashable, int]


class ShownKeys(NamedTuple):
    """The noisy counts of the listed cells, and of the other keys that are shown, largest first."""

    listed: CellCounts
    others: KeyCounts


@dataclass(frozen=True)
class ColumnNoise:
    """The noise of d histograms and d fresh counts that together have this ``cost``; everything here is public.

    >>> few, many = ColumnNoise.of(Budget(1), 2), ColumnNoise.of(Budget("0.5", 1e-6), 13)
    >>> few.least, many.least, many.count_noise.rarely_reached(Fraction(1, 20) / 10_000)
    (None, 253, 205)
    >>> many.fresh_noise.rarely_reached(Fraction(1, 20) / 13)
    175
    """

    cost: Budget
    columns: int  # d
    gaussian: bool = False

    @staticmethod
    def of(cost: Budget, columns: int) -> ColumnNoise:
        """Gaussian or Laplace noise, whichever shows rarer keys; without δ, only Laplace noise is possible."""
        laplace = ColumnNoise(cost, columns)
        if laplace.least is None:
            return laplace
        gaussian = ColumnNoise(cost, columns, gaussian=True)
        return gaussian if gaussian.least < laplace.least else laplace  # type: ignore[operator]

    @cached_property
    def count_noise(self) -> GaussianShare | DiscreteLaplaces:
        """The noise Z: a record changes two counts of each column."""
        d = self.columns
        if self.gaussian:
            return GaussianShare(self.cost, 2 * d, d / self._variance)  # ρ = Δ²/(2σ²), where Δ² = 2d
        return DiscreteLaplaces(Budget((1 - FRESH) * self.cost.epsilon), 2 * d)

    @cached_property
    def fresh_noise(self) -> GaussianShare | DiscreteLaplaces:
        """The noise Y: a record changes one count of each column."""
        d = self.columns
        if self.gaussian:
            return GaussianShare(self.cost, d, d * WORTH / (2 * self._variance))  # Δ² = d; the variance is σ²/κ
        return DiscreteLaplaces(Budget(FRESH * self.cost.epsilon), d)

    @cached_property
    def _variance(self) -> Fraction:
        """σ²: the smallest for which 2d changed counts and d fresh ones cost no more than NOISE_SHARE of δ."""
        return SharedCost(self._kinds(2 * self.columns)).variance(
            Budget(self.cost.epsilon, NOISE_SHARE * self.cost.delta)
        )

    def _kinds(self, changes: int) -> tuple[tuple[int, Fraction], ...]:
        """This many changed counts with the variance σ², and d with σ²/κ."""
        return (changes, Fraction(1)), (self.columns, WORTH)

    @cached_property
    def least(self) -> int | None:
        """τ: the smallest with Pr[1 + Z ≥ τ] ≤ A/d; None if δ = 0, since no unlisted key is shown then."""
        ε, δ = self.cost.epsilon, self.cost.delta
        if not δ:
            return None
        η = Fraction(0)
        if self.gaussian:
            # If only one neighbor has some key, the count of this key is one of the 2d that change, and is not shown.
            η = min(kinds_delta(ε, self._kinds(2 * self.columns - 1), self._variance), NOISE_SHARE * δ)
        A = (δ - η) / (1 - η)
        return 1 + self.count_noise.rarely_reached(A / self.columns)


@dataclass(frozen=True)
class ColumnHistograms(Mechanism):
    """Each count of each column plus Z; counts of keys that are not listed are shown if they are at least τ.

    >>> from privpac.exact.entropy import SYSTEM
    >>> ages = ColumnKeys((0, 9000), {"unknown": 800, "n/a": 1})
    >>> (shown,) = ColumnHistograms(ColumnNoise.of(Budget(5, 1e-9), 1)).release((ages,), SYSTEM)
    >>> len(shown.listed), [key for key, _ in shown.others]
    (2, ['unknown'])
    """

    noise: ColumnNoise
    name: ClassVar[str] = "histograms of columns"
    theorem: ClassVar[str] = "suggestions, Theorem 1"

    @property
    def cost(self) -> Budget:  # type: ignore[override]
        """What these histograms and the fresh counts cost together."""
        return self.noise.cost

    def check(self, data: Sequence[ColumnKeys]) -> tuple[ColumnKeys, ...]:
        if len(data) != self.noise.columns:
            raise ValueError(f"give the counts of {self.noise.columns} columns")
        return tuple(ColumnKeys(tuple(map(int, listed)), counts_of_keys(others)) for listed, others in data)

    def release(self, data: tuple[ColumnKeys, ...], coins: Entropy) -> tuple[ShownKeys, ...]:
        return tuple(ShownKeys(self._noisy(listed, coins), self._shown(others, coins)) for listed, others in data)

    def _noisy(self, counts: Sequence[int], coins: Entropy) -> CellCounts:
        return tuple(self.noise.count_noise.release(np.array(counts, dtype=np.int64), coins).tolist())

    def _shown(self, counts: Mapping[Hashable, int], coins: Entropy) -> KeyCounts:
        least = self.noise.least
        if least is None:
            return ()
        # The number of keys is private. There are at least FEW draws, so that the time taken does not reveal how few
        # keys there are.
        noisy = self._noisy([*counts.values(), *[0] * (FEW - len(counts))], coins)
        return largest_first((key, count) for key, count in zip(counts, noisy, strict=False) if count >= least)

    def law(self, data: Sequence[ColumnKeys]) -> dict[tuple[ShownKeys, ...], arb]:
        """The exact law, for a few cells and keys; large counts are merged."""
        with ctx.workprec(128):
            return jointly(self._column_law(*column) for column in self.check(data))

    def _column_law(self, listed: CellCounts, others: Mapping[Hashable, int]) -> dict[ShownKeys, arb]:
        cells = self.noise.count_noise.law(listed, self._reach(max(listed, default=0)))
        keys, least, reach = [], self.noise.least, self._reach(1)
        if least is not None:
            at_least = self._tails(least + reach + max(others.values(), default=0) + 2)
            keys = [key_law(at_least, key, count, least, reach) for key, count in others.items()]
        laws = product(cells.items(), shown_law(keys).items())
        return {ShownKeys(shown_cells, shown_keys): p * q for (shown_cells, p), (shown_keys, q) in laws}

    def _reach(self, largest: int) -> int:
        """How far a law lists counts (of keys, counts beyond τ): larger ones are merged.

        It is ``largest`` + 8σ; for Laplace noise ``largest`` + 1, beyond which ratios of probabilities are constant.
        """
        if isinstance(self.noise.count_noise, GaussianShare):
            return largest + 8 * (isqrt(int(self.noise.count_noise.variance)) + 1)
        return largest + 1

    def _tails(self, far: int) -> Callable[[int], arb]:
        """k → Pr[Z ≥ k], for |k| ≤ far if the noise is Gaussian."""
        noise = self.noise.count_noise
        return tails(noise.variance, far) if isinstance(noise, GaussianShare) else lambda k: laplace_tail(noise.rate, k)
