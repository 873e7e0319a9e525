"""Small tables, and broken twins of their release: mistakes that are easy to make and that the audit must refute.

Broken twins of releases and of their certificates: mistakes that are easy to make and that the audit must refute.

Broken twins of releases of many counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Sample
from privpac.data.values.columns import objects
from privpac.exact.entropy import Entropy
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.gaussian import DiscreteGaussian, GaussianCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.mechanisms.noise.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget
from privpac.release.tables.cells import ColumnCells, KeyCells, LineCells
from privpac.release.tables.measuring import TableCounts


def off_by(answers: Mapping[Any, Any], records: Sequence[Any]) -> Any:
    """The largest distance between an answer and the number of records that are this value.

    >>> off_by({"a": 2, "b": 0}, "abb")
    2
    """
    return max(abs(answer - sum(each == key for each in records)) for key, answer in answers.items())


@dataclass(frozen=True)
class Noiseless(MeasuredGap):
    """Adds q, but no noise."""

    def release(self, data: int, coins: Entropy) -> int:
        return data + self.spare

    def law(self, data: int, reach: int = 40) -> dict[int, arb]:
        return {data + self.spare: arb(1)}


@dataclass(frozen=True)
class Fractional(MeasuredGap):
    """Adds noise to the largest error as it is, so that its fractional part shows."""

    def check(self, data: Any) -> Any:
        return data

    def release(self, data: Any, coins: Entropy) -> Any:
        whole = data.__floor__()
        return super().release(whole, coins) + (data - whole)

    def law(self, data: Any, reach: int = 40) -> dict[Any, arb]:
        whole = data.__floor__()
        return {bound + (data - whole): p for bound, p in super().law(whole, reach).items()}


@dataclass(frozen=True)
class SeenCategories(DiscreteLaplaces):
    """Lists the categories of the records, and adds noise to their counts only."""

    def check(self, data: Any) -> Any:
        return dict(sorted(data.items()))

    def release(self, data: Any, coins: Entropy) -> Any:
        noisy = super().release(np.array(list(data.values()), dtype=np.int64), coins)
        return tuple(zip(data, noisy.tolist(), strict=True))

    def law(self, data: Any, reach: int = 3) -> dict[Any, arb]:
        keys = list(self.check(data))
        counts = DiscreteLaplaces(self.cost, self.sensitivity)
        found = counts.law([data[key] for key in keys], reach)
        return {tuple(zip(keys, outcome, strict=True)): p for outcome, p in found.items()}


class CountedPoints(NamedTuple):
    """Counts of queries, and how many of them tell two records of the sample apart."""

    counts: list[int]
    changes: int


@dataclass(frozen=True)
class SeenPoints(DiscreteLaplaces):
    """Takes the sensitivity from the points of the records."""

    def check(self, data: Any) -> Any:
        return data

    def _with(self, data: CountedPoints) -> DiscreteLaplaces:
        return DiscreteLaplaces(Budget(self.cost.epsilon), max(data.changes, 1))

    def release(self, data: Any, coins: Entropy) -> Any:
        return self._with(data).release(np.array(data.counts, dtype=np.int64), coins)

    def law(self, data: Any, reach: int = 3) -> dict[Any, arb]:
        return self._with(data).law(data.counts, reach)


def tabled(columns: Columns, records: Sequence[tuple[Any, ...]]) -> Sample:
    """Rows of a table as a sample.

    >>> from privpac.data.domains.listing import Listing
    >>> tabled(Columns(("job",), (Listing(("clerk", "nurse")),)), [("nurse",)]).points.tolist()
    [[1]]
    """
    named = {name: objects(row[i] for row in records) for i, name in enumerate(columns.names)}
    return Sample(columns.points(named), np.ones(len(records), dtype=bool), None, len(records))


@dataclass(frozen=True)
class SeenValues(TableCounts):
    """Takes the categories from the records instead of a histogram with noise."""

    def _cells(self, i: int, data: Any, ask: Ask) -> ColumnCells:
        seen = tuple(sorted(set(data.points[:, i].tolist()), key=str))
        return KeyCells(str(self.columns.names[i]), self.columns.domains[i], seen, other=True)


@dataclass(frozen=True)
class RangeOfCells(TableCounts):
    """Begins a cell at the least record."""

    def _cells(self, i: int, data: Any, ask: Ask) -> ColumnCells:
        line = self.columns.domains[i].line
        assert isinstance(line, Line)  # in the audit's tables
        starts = tuple(sorted({0, int(data.points[:, i].min())}))
        return LineCells(str(self.columns.names[i]), line, starts, starts, (0,) * len(starts))


@dataclass(frozen=True)
class AddRemoveNoise(TableCounts):
    """Counts one change for each pair of columns, where a substitution makes two."""

    @cached_property
    def noise(self) -> DiscreteGaussian:
        return GaussianCounts(self.cost, len(self.sets))
