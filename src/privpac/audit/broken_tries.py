"""Pruned tries that are deliberately broken, each in one place.

Main declarations
    UnprunedTrie    looks at every node, at the price of one
    EarlyTrie       shows nodes one record too early
    QuietTrie       noise as if a substitution only removed a record
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from privpac.data.prefixes import Codes
from privpac.mechanisms.gaussian import tails
from privpac.mechanisms.pruned_trie import PrunedTrie, ShownLaw, prefix_counts, together
from privpac.privacy.rounding import PRECISION


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
