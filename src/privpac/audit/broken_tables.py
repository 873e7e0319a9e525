"""Small tables, and broken twins of their release: mistakes that are easy to make and that the audit must refute.

Main declarations
    tabled            rows of a table as a sample
    SeenValues        the cells of a column are the values that occur
    RangeOfCells      the cells of a line begin at the least record
    AddRemoveNoise    noise as if a record could only appear or vanish, while n is exact
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privpac.data.columns import objects
from privpac.data.line import Line
from privpac.data.named_columns import Columns
from privpac.data.sample import Sample
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.gaussian import DiscreteGaussian, GaussianCounts
from privpac.release.cells import ColumnCells, KeyCells, LineCells
from privpac.release.table_counts import TableCounts


def tabled(columns: Columns, records: Sequence[tuple[Any, ...]]) -> Sample:
    """Rows of a table as a sample.

    >>> from privpac.data.listing import Listing
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
