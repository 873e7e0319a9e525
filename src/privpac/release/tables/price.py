"""What each part of a table's release costs, and the noise that follows. Everything here is public.

proof: docs/proofs/tables.md, Theorem 1

Throughout this file
    K       the number of tables: a record changes two counts of each
    L       how often a searched line is halved at most: a record changes two counts each time
    s, t    how many columns are searched, and how many of these have no order
    ρ       the cost in zCDP, or that of the cells if tables get Laplace noise; ρ_c is the part of one searched column
    σ²      the variance of the noise of the tables
    κ       if the noise is Gaussian and its cost also covers a certificate: how many counts the certificate is worth
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
from privpac.privacy.accounting.gaussian_counts import NONE, Kinds
from privpac.privacy.accounting.shared_noise import FREE, Shared
from privpac.privacy.budget import Budget
from privpac.release.noisy_counts.noise_choice import Noise, noise_for

CELLS = Fraction(1, 16)  # the share of ρ, without the certificate, that finds cells
BEFORE_LAPLACE = Fraction(1, 8)  # the share of ε that finds cells, if the tables get Laplace noise
KEYS = Fraction(1, 4)  # the share of δ that shows values that are not declared
ROOT = 2**64  # ε of a column is a multiple of 1/ROOT


@dataclass(frozen=True)
class TablePrice:
    """``counts`` is how many counts all tables have, or may be expected to have before cells are found.

    >>> searched = TablePrice(Budget(1, 1e-6), tables=78, counts=20_000, lines=(7, 4, 17, 13, 7))
    >>> [round(float(each.variance) ** 0.5) for each in (searched.noise, searched.leaf_noise(7))]
    [54, 144]
    """

    cost: Budget
    tables: int
    counts: int
    lines: tuple[int, ...] = ()  # L of each searched line
    unordered: int = 0  # t
    beside: Fraction = NONE  # κ

    @property
    def searched(self) -> int:
        """How many columns are searched: s."""
        return len(self.lines) + self.unordered

    @property
    def changes(self) -> int:
        """A record changes two counts of each table."""
        return 2 * self.tables

    @cached_property
    def laplace(self) -> DiscreteLaplaces | None:
        """The noise of the tables where cells must be found first and Gaussian noise would probably be larger."""
        rest = Budget((1 - BEFORE_LAPLACE) * self.cost.epsilon, self.cost.delta)
        found = noise_for(rest, self.changes, self.counts, self.beside) if self.searched else None
        return found if isinstance(found, DiscreteLaplaces) else None

    @cached_property
    def noise(self) -> Noise:
        """The noise of the tables."""
        if not self.searched:
            return noise_for(self.cost, self.changes, self.counts, self.beside)
        return self.laplace or self._gaussian(self.changes, Fraction(1))

    def leaf_noise(self, halvings: int) -> GaussianShare:
        """The noise of one round of halvings of a line: a record changes two of their counts."""
        if self.laplace is not None:
            return GaussianShare(self.cost, 2, self.column_rho / halvings)
        return self._gaussian(2, self._leaf_weight(halvings))

    @cached_property
    def histogram(self) -> TruncatedHistogram:
        """Which values of a column are shown; ε²/2 ≤ ρ_c."""
        ε = Fraction(isqrt(int(2 * self.column_rho * ROOT**2)), ROOT)
        return TruncatedHistogram(Budget(ε, self._histogram_delta))

    @cached_property
    def rho(self) -> Fraction:
        """What remains of the cost after the δ of the histograms: ρ."""
        part = 1 if self.laplace is None else BEFORE_LAPLACE
        cost = Budget(part * self.cost.epsilon, self.cost.delta)
        return Concentrated.within(cost, self._histogram_delta * self.unordered).rho

    @property
    def column_rho(self) -> Fraction:
        """The part of one searched column: ρ_c."""
        return (CELLS if self.laplace is None else 1) * self.rho / max(self.searched, 1)

    @property
    def _histogram_delta(self) -> Fraction:
        return KEYS * self.cost.delta / max(self.unordered, 1)

    @property
    def weight(self) -> Fraction:
        """How many counts with Gaussian noise of the variance σ² everything but the certificate is worth."""
        return sum((d * κ for d, κ in self._counted), NONE)

    @property
    def _counted(self) -> Kinds:
        return ((self.changes, Fraction(1)), *((2 * L, self._leaf_weight(L)) for L in self.lines))

    def _leaf_weight(self, halvings: int) -> Fraction:
        """A line's counts are together worth CELLS/s of all, or somewhat less; their noise is not below σ²."""
        return Fraction(1, max(1, ceil((1 - CELLS) / CELLS * self.searched * halvings / self.tables)))

    @cached_property
    def _variance(self) -> Fraction:
        """The variance of the noise of the tables: σ²."""
        kinds = (*self._counted, (1, self.beside)) if self.beside else self._counted
        histograms = self.histogram.cost if self.unordered else FREE
        return Shared(kinds, histograms, self.unordered).variance(self.cost)

    def _gaussian(self, changes: int, κ: Fraction) -> GaussianShare:
        """Noise of the variance σ²/κ."""
        return GaussianShare(self.cost, changes, changes * κ / (2 * self._variance))
