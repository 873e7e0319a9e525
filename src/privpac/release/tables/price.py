"""What each part of a table's release costs, and the noise that follows. Everything here is public.

proof: docs/proofs/tables.md, Theorem 1

Throughout this file
    K       the number of tables: a record changes two counts of each
    L       the most rounds in which a line is halved in search of cells: a record changes two counts in each
    s, t    how many columns are searched for cells, and how many of these have no order
    ρ       the cost in zCDP; if tables get Laplace noise, that of the search alone. ρ_c is one searched column's part
    σ²      the variance of the noise of the tables
    κ       the weight of another count, whose noise has the variance σ²/κ; counts of tables have weight 1. The κ of a
            certificate is ``extra_weight``, 0 if the certificate is paid for separately
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isqrt

from privpac.mechanisms.histograms.truncated import TruncatedHistogram
from privpac.mechanisms.noise.gaussian import GaussianShare
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import ZERO, Kinds, SharedCost
from privpac.privacy.budget import NOTHING, Budget
from privpac.release.noise_choice import Noise, noise_for

CELLS = Fraction(1, 16)  # the share of ρ, after the certificate, that the search for cells gets
BEFORE_LAPLACE = Fraction(1, 8)  # the share of ε that the search gets, if the tables get Laplace noise
HISTOGRAMS = Fraction(1, 4)  # the share of δ that the histograms of columns without an order get
ROOT = 2**64  # ε of a column is a multiple of 1/ROOT


@dataclass(frozen=True)
class TablePrice:
    """The parts of the ``cost`` of ``tables`` tables, which have ``counts`` counts, exactly or as expected.

    >>> searched = TablePrice(Budget(1, 1e-6), tables=78, counts=20_000, lines=(7, 4, 17, 13, 7))
    >>> [round(float(noise.variance) ** 0.5) for noise in (searched.noise, searched.leaf_noise(7))]
    [54, 144]
    """

    cost: Budget
    tables: int  # K
    counts: int
    lines: tuple[int, ...] = ()  # L of each searched line
    unordered: int = 0  # t
    extra_weight: Fraction = ZERO  # κ

    @property
    def searched(self) -> int:
        """How many columns are searched: s."""
        return len(self.lines) + self.unordered

    @property
    def changes(self) -> int:
        """How many counts of all tables one substitution changes: two of each."""
        return 2 * self.tables

    @cached_property
    def laplace(self) -> DiscreteLaplaces | None:
        """Laplace noise for the tables after a search, if Gaussian noise would probably be larger; otherwise None."""
        after_search = Budget((1 - BEFORE_LAPLACE) * self.cost.epsilon, self.cost.delta)
        noise = noise_for(after_search, self.changes, self.counts, self.extra_weight) if self.searched else None
        return noise if isinstance(noise, DiscreteLaplaces) else None

    @cached_property
    def noise(self) -> Noise:
        """The noise of the tables."""
        if not self.searched:
            return noise_for(self.cost, self.changes, self.counts, self.extra_weight)
        return self.laplace or self._gaussian(self.changes, Fraction(1))

    def leaf_noise(self, halvings: int) -> GaussianShare:
        """The noise of the counts in one of the L = ``halvings`` rounds of a line; a record changes two of them."""
        if self.laplace is not None:
            return GaussianShare(self.cost, 2, self.column_rho / halvings)
        return self._gaussian(2, self._leaf_weight(halvings))

    @cached_property
    def histogram(self) -> TruncatedHistogram:
        """The histogram of a column without an order; its ε satisfies ε²/2 ≤ ρ_c, so it costs at most ρ_c."""
        ε = Fraction(isqrt(int(2 * self.column_rho * ROOT**2)), ROOT)
        return TruncatedHistogram(Budget(ε, self._histogram_delta))

    @cached_property
    def rho(self) -> Fraction:
        """ρ: the zCDP that the cost allows after the δ of the histograms."""
        share = 1 if self.laplace is None else BEFORE_LAPLACE
        cost = Budget(share * self.cost.epsilon, self.cost.delta)
        return Concentrated.within(cost, self._histogram_delta * self.unordered).rho

    @property
    def column_rho(self) -> Fraction:
        """ρ_c: the part of one searched column."""
        return (CELLS if self.laplace is None else 1) * self.rho / max(self.searched, 1)

    @property
    def _histogram_delta(self) -> Fraction:
        return HISTOGRAMS * self.cost.delta / max(self.unordered, 1)

    @property
    def weight(self) -> Fraction:
        """How many counts of variance σ² all counts together are worth, without the certificate."""
        return sum((d * κ for d, κ in self._counted), ZERO)

    @property
    def _counted(self) -> Kinds:
        """Pairs of how many counts one substitution changes and of their κ: for the tables, then for each line."""
        return ((self.changes, Fraction(1)), *((2 * L, self._leaf_weight(L)) for L in self.lines))

    def _leaf_weight(self, halvings: int) -> Fraction:
        """The κ of a line's counts: they are together worth at most about CELLS/s of all counts, and κ ≤ 1."""
        return Fraction(1, max(1, ceil((1 - CELLS) / CELLS * self.searched * halvings / self.tables)))

    @cached_property
    def _variance(self) -> Fraction:
        """σ²: the variance of the noise of the tables."""
        kinds = (*self._counted, (1, self.extra_weight)) if self.extra_weight else self._counted
        histograms = self.histogram.cost if self.unordered else NOTHING
        return SharedCost(kinds, histograms, self.unordered).variance(self.cost)

    def _gaussian(self, changes: int, κ: Fraction) -> GaussianShare:
        """Noise of the variance σ²/κ."""
        return GaussianShare(self.cost, changes, changes * κ / (2 * self._variance))
