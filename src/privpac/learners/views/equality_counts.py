"""How many records satisfy each conjunction of equalities, one choice of columns at a time.

Throughout this file
    level      a choice of columns; a record satisfies one conjunction per level
    code       the number of a value among those of its column, or of a combination of values; the numbers mean nothing

Main declarations
    SeenConjunctions    the conjunctions that at least one positive record satisfies
    Combined            those of one level, with their records of both labels
    discounted          never and always with their errors, and all these conjunctions, grouped by their errors
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import Constant, Hypothesis
from privpac.data.sample import Ints, Sample
from privpac.mechanisms.public_stable import Stable

NEVER, ALWAYS = Constant(False), Constant(True)
Codes = NDArray[np.intp]
Equality = tuple[Hashable, Any]  # a column and a value


class Combined(NamedTuple):
    """The columns, and for each conjunction an entry of the sample that satisfies it, and its records by label."""

    columns: tuple[int, ...]
    entries: Codes
    zeros: Ints
    ones: Ints


@dataclass(frozen=True, eq=False)
class SeenConjunctions:
    """The conjunctions of at most ``at_most`` equalities that at least one positive record satisfies, level by level.

    >>> rows = np.array([["EV", "JFK"], ["EV", "LGA"], ["UA", "JFK"]], dtype=object)
    >>> seen = SeenConjunctions.of(Sample(rows, np.array([True, False, False]), None, 3), ("carrier", "origin"), 2)
    >>> [(seen.named(level, 0), int(level.zeros[0])) for level in seen]
    [((('carrier', 'EV'),), 1), ((('carrier', 'EV'), ('origin', 'JFK')), 0), ((('origin', 'JFK'),), 1)]
    """

    names: tuple[Hashable, ...]
    at_most: int
    codes: tuple[Codes, ...]  # of each column
    values: tuple[list[Any], ...]  # with these codes
    sample: Sample

    @staticmethod
    def of(sample: Sample, names: tuple[Hashable, ...], at_most: int) -> SeenConjunctions:
        """The values of each column, numbered; Python decides which of them are equal."""
        columns = [sample.points[:, i].tolist() for i in range(len(names))]
        numbers = [{value: i for i, value in enumerate(dict.fromkeys(column))} for column in columns]
        codes = [
            np.fromiter(map(number.__getitem__, column), dtype=np.intp, count=len(column))
            for number, column in zip(numbers, columns, strict=True)
        ]
        return SeenConjunctions(names, at_most, tuple(codes), tuple(map(list, numbers)), sample)

    def __iter__(self) -> Iterator[Combined]:
        everything = np.arange(len(self.sample.labels))
        return self._extended((), np.zeros(len(everything), dtype=np.intp), everything)

    def _extended(self, columns: tuple[int, ...], code: Codes, entries: Codes) -> Iterator[Combined]:
        """The levels that begin with ``columns``, given the entries that share their values there with a positive one.

        ``code`` numbers the combinations of these values.
        """
        for column in range(columns[-1] + 1 if columns else 0, len(self.codes)):
            # both numbers are below the number of entries, so the product is exact
            pairs = code * len(self.values[column]) + self.codes[column][entries]
            _, first, where = np.unique(pairs, return_index=True, return_inverse=True)
            zeros, ones = (self._totals(entries, where, len(first), label) for label in (False, True))
            there = ones > 0
            level = (*columns, column)
            yield Combined(level, entries[first[there]], zeros[there], ones[there])
            if len(level) < self.at_most:
                kept = there[where]
                yield from self._extended(level, where[kept], entries[kept])

    def _totals(self, entries: Codes, where: Codes, size: int, label: bool) -> Ints:
        """How many records with this label each combination has."""
        chosen = self.sample.labels[entries] == label
        counts = self.sample.counts
        if counts is None:
            return np.bincount(where[chosen], minlength=size)
        totals = np.zeros(size, dtype=np.int64)
        np.add.at(totals, where[chosen], counts[entries[chosen]])
        return totals

    def errors(self, level: Combined) -> Ints:
        """The errors of each conjunction: positives that it misses, and negatives that satisfy it."""
        return self.sample.positives - level.ones + level.zeros

    def named(self, level: Combined, place: int) -> tuple[Equality, ...]:
        """A conjunction as its columns and values."""
        entry = level.entries[place]
        return tuple((self.names[i], self.values[i][self.codes[i][entry]]) for i in level.columns)


@dataclass(frozen=True, eq=False)
class WithErrors(Sequence[tuple[Equality, ...]]):
    """The conjunctions with the same number of errors. They are counted again when one of them is asked for."""

    seen: SeenConjunctions
    errors: int
    size: int

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, member: int) -> tuple[Equality, ...]: ...
    @overload
    def __getitem__(self, member: slice) -> Sequence[tuple[Equality, ...]]: ...
    def __getitem__(self, member: Any) -> Any:
        for level in self.seen:
            places = np.flatnonzero(self.seen.errors(level) == self.errors)
            if member < len(places):
                return self.seen.named(level, int(places[member]))
            member -= len(places)
        raise IndexError(member)


def discounted(seen: SeenConjunctions) -> tuple[dict[Hypothesis, int], Stable]:
    """Never and always, and the conjunctions by their errors; a gain over never bounds the support from below.

    >>> rows = np.array([["EV", "JFK"], ["EV", "LGA"]], dtype=object)
    >>> sample = Sample(rows, np.array([True, False]), None, 2)
    >>> fallback, stable = discounted(SeenConjunctions.of(sample, ("carrier", "origin"), 2))
    >>> list(fallback.values()), stable.errors.tolist(), stable.counts.tolist(), stable.names[0][0]
    ([1, 1], [0, 1], [2, 1], (('carrier', 'EV'), ('origin', 'JFK')))
    """
    P, N = seen.sample.positives, seen.sample.negatives
    grouped = [np.unique(seen.errors(level), return_counts=True) for level in seen]
    errors, where = np.unique(np.concatenate([each for each, _ in grouped]), return_inverse=True)
    counts = np.zeros(len(errors), dtype=np.int64)
    np.add.at(counts, where, np.concatenate([each for _, each in grouped]))
    names = [WithErrors(seen, e, m) for e, m in zip(errors.tolist(), counts.tolist(), strict=True)]
    return {NEVER: P, ALWAYS: N}, Stable(names, errors * 0, np.maximum(P - errors, 1), errors, counts)
