"""Everything that a suggested schema sees of the records, as one algorithm: histograms, then fresh counts of what fits.

proof: docs/proofs/suggestions.md

Throughout this file
    n, d    the number of records, or of units, and the number of columns that are looked at; both public
    β       the probability that some statement of the schema is wrong
    F_c     how many records fit what is suggested for column c
    key     what an entry is counted under in its column's histogram: a cell of the public list, or the entry itself
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from privpac.classes.schemas.schema import Column, Label
from privpac.data.domains.listing import Listing
from privpac.data.values.columns import Array
from privpac.mechanisms.algorithm import Algorithm, Ask
from privpac.mechanisms.histograms.column_histograms import ColumnHistograms, ColumnKeys, ColumnNoise, ShownKeys
from privpac.privacy.budget import Budget
from privpac.release.suggestions.declarations import Declared, Source, Suggestion, suggestion_for
from privpac.release.suggestions.entry_cells import (
    MISSING,
    cells,
    entry_value,
    fits_line,
    key_of,
    without_truths,
    written_value,
)

FALSE_CELL = Fraction(1, 100)  # the probability that some empty cell seems not to be empty
Released = tuple[tuple[ShownKeys, ...], tuple[int, ...]]  # the histogram of each column, and the noisy F_c of each


@dataclass(frozen=True, eq=False)
class Entries:
    """The distinct entries of one column: entry i occurs in ``counts[i]`` records; ``missing`` records have none."""

    values: Array
    counts: Array
    missing: int = 0

    def keys(self, source: Source) -> ColumnKeys:
        """How many records have each listed cell, and each other key."""
        listed = cells(source.form)
        tally: Counter[Hashable] = Counter({MISSING: self.missing})
        for value, count in zip(self.values.tolist(), self.counts.tolist(), strict=True):
            tally[key_of(source.form, value)] += count
        known = set(listed)
        others = {key: count for key, count in tally.items() if key not in known}
        return ColumnKeys(tuple(tally[cell] for cell in listed), others)

    def fitting(self, suggestion: Suggestion) -> int:
        """F_c: how many records fit what is suggested; 0 if nothing is."""
        match suggestion.declared:
            case None:
                return 0
            case Column(ordered=True) as column:
                form, style, blank = suggestion.source.form, column.format, frozenset(column.na)
                between = (
                    value in blank
                    or (style is not None and fits_line(column, written_value(style, value)))
                    or fits_line(column, entry_value(form, value))  # a format leaves 2026-01-31 as it is
                    for value in self.values.tolist()
                )
                return self._absent(column) + int(self.counts[np.fromiter(between, bool, len(self.values))].sum())
            case Column() as column:
                domain = column.concept_class.domain
            case Label() as label:
                domain = Listing(tuple(label.classes))
            case unit:
                return int(self.counts[np.asarray(self.values, dtype=np.int64) <= unit.max_records].sum())
        spelled = domain.spell(self.values) if suggestion.source.spells else without_truths(self.values)
        _, fits = domain.fit(spelled, clamp=False)
        return self._absent(suggestion.declared) + int(self.counts[fits].sum())

    def _absent(self, declared: Declared) -> int:
        """How many records lack an entry, if the declaration allows it; otherwise 0, since they do not fit."""
        return self.missing if isinstance(declared, Column) and declared.missing else 0


@dataclass(frozen=True)
class SuggestedColumns(Algorithm):
    """Noisy histograms of all columns, then noisy counts of the records that fit what the histograms suggest.

    >>> from privpac.data.values.columns import objects
    >>> from privpac.exact.entropy import Seeded
    >>> ages = Entries(objects([16, 31, 90]), np.array([400, 300, 300]))
    >>> algorithm = SuggestedColumns(Budget(8, 1e-6), (Source("age", "integer"),), 1000)
    >>> released = algorithm.release((ages,), Seeded(1))
    >>> [(each.declared.low, each.declared.high) for each in algorithm.suggestions(released[0])]
    [(0, 200)]
    """

    cost: Budget
    sources: tuple[Source, ...]
    n: int
    beta: Fraction = Fraction(1, 20)
    name: ClassVar[str] = "suggested schema"
    theorem: ClassVar[str] = "suggestions, Theorem 2"

    @cached_property
    def noise(self) -> ColumnNoise:
        """The noise of the histograms and of the fresh counts."""
        return ColumnNoise.of(self.cost, len(self.sources))

    @cached_property
    def ranges_from(self) -> int:
        """The least noisy count of a cell that is clearly not empty: no empty one reaches it, with probability 0.99."""
        cells_of_all = sum(len(cells(source.form)) for source in self.sources)
        return self.noise.count_noise.rarely_reached(FALSE_CELL / cells_of_all)

    def sees(self, share: Fraction) -> bool:
        """Whether ranges and values with at least this share of the records may be seen."""
        return max(self.ranges_from, self.noise.least or 0) <= share * self.n

    @cached_property
    def allowance(self) -> int:
        """The noise that no fresh count exceeds, except with probability β, for all columns at once."""
        return self.noise.fresh_noise.rarely_reached(self.beta / len(self.sources)) - 1

    def run(self, data: Sequence[Entries], ask: Ask) -> Released:
        keys = [entries.keys(source) for entries, source in zip(data, self.sources, strict=True)]
        shown = tuple(ask(ColumnHistograms(self.noise), keys))
        pairs = zip(data, self.suggestions(shown), strict=True)
        F = np.array([entries.fitting(suggestion) for entries, suggestion in pairs], dtype=np.int64)
        return shown, tuple(int(count) for count in ask(self.noise.fresh_noise, F))

    def suggestions(self, shown: Sequence[ShownKeys]) -> list[Suggestion]:
        """What the released histograms suggest for each column."""
        return [
            suggestion_for(source, keys, self.n, self.ranges_from)
            for source, keys in zip(self.sources, shown, strict=True)
        ]

    def at_least(self, fresh: int) -> Fraction:
        """The lower bound on the share of records that fit, from a fresh count of them; the schema states it."""
        return Fraction(max(0, min(self.n, fresh - self.allowance)), self.n)
