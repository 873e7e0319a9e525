"""The answers about a line: how many records lie below each of its values.

Throughout this file
    N        the size of the line, numbered 0 … N − 1
    cell     a stretch of the line; ``starts`` are the first numbers of all cells
    B(t)     the answer to "how many records lie below t", 0 ≤ t ≤ N: whole, never decreasing, even within a cell
    e(t)     B(t) minus the number of records below t
    W        the steps of a cell; B rises by equal parts with each of them, rounded down

Main declarations
    LineCounts    cells and counts
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.base import Constant, Hypothesis
from privpac.classes.composed import ColumnRule
from privpac.classes.cuts import Interval, Threshold
from privpac.data.domain import Domain
from privpac.data.line import Line
from privpac.data.refusal import Refused
from privpac.data.sample import Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.line_tree import InOrder
from privpac.release.answers import Answers, Frame
from privpac.release.synthetic import spread

ROOM = 62  # bits of a count times a step
AT_ONCE = 2**17  # values that are compared together: more leave the cache


def line_of(domain: Domain) -> Line:
    """The line of a class, which may be a column of a table."""
    (line,) = domain.columns
    assert isinstance(line, Line)
    return line


def on_line(sample: Sample) -> InOrder:
    """The records of a line in order, without void ones."""
    points = sample.points if sample.points.ndim == 1 else sample.points[:, 0]
    return InOrder.of(points, sample.counts)


@dataclass(frozen=True)
class LineCounts(Answers):
    """Cells of a line, and how many records lie below each of them.

    >>> halves = LineCounts(100, Line(0, 9), (0, 5), (0, 80, 100))
    >>> halves.count(Threshold(5)), halves.count(Threshold(2, above=False)), halves.quantile(Fraction(1, 2))
    (20, 32, 3)
    """

    n: int
    domain: Domain
    starts: tuple[int, ...]
    below: tuple[int, ...]  # B at the starts, and B(N)
    intervals: bool = False  # whether intervals are queries as well

    def __post_init__(self) -> None:
        ordered = all(a < b for a, b in pairwise((-1, *self.starts, self.line.size)))
        rising = all(a <= b for a, b in pairwise((*self.below, self.n)))
        if not ordered or not rising or len(self.below) != len(self.starts) + 1 or self.starts[0] or self.below[0]:
            raise ValueError("cells must start at 0 and at increasing numbers, and counts must rise from 0 to at most n")

    @cached_property
    def line(self) -> Line:
        """The line, whether or not it is a column of a table."""
        return line_of(self.domain)

    @cached_property
    def _cells(self) -> Cells:
        return Cells.of(self.starts, self.below, self.line.size)

    @property
    def _column(self) -> str:
        return str((*self.domain.column_names, "value")[0])

    def count(self, query: Hypothesis) -> int:
        first, stop = self._asked(query)
        return self._below(stop) - self._below(first)

    def _below(self, t: int) -> int:
        """B(t)."""
        if t == self.line.size:
            return self.below[-1]
        i = bisect_right(self.starts, t) - 1
        return self._cells.within(i, t - self.starts[i])

    def gap(self, sample: Sample) -> int:
        """Between values that records have, e never decreases: its extremes lie at both sides of these, or are e(0) = 0.

        Records below a value and those above it are both queries; they differ if records are void.
        """
        in_order = on_line(sample)
        whole = self.below[-1] - in_order.number  # e(N)
        most, least = max(0, whole), min(0, whole)
        for values, below, up_to in _steps(in_order):
            before, after = self._cells.at(values) - below, self._after(values) - up_to
            most, least = max(most, int(before.max()), int(after.max())), min(least, int(before.min()), int(after.min()))
        return most - least if self.intervals else max(most, -least, whole - least, most - whole)

    def _after(self, values: NDArray[Any]) -> Ints:
        """B at the values that follow."""
        if int(values[-1]) < self.line.size - 1:
            return self._cells.at(values + values.dtype.type(1) if values.dtype != object else values + 1)
        return np.append(self._after(values[:-1]) if len(values) > 1 else [], self.below[-1]).astype(np.int64)

    def quantile(self, q: Fraction) -> Any:
        wanted = ceil(q * self.below[-1])
        if wanted <= 0:
            return self.line.decode(0)
        i = bisect_left(self.below, wanted) - 1  # where B rises to it
        offset = self._cells.reached(i, wanted - self.below[i])
        stop = (*self.starts, self.line.size)[i + 1] if offset is None else self.starts[i] + offset
        return self.line.decode(stop - 1)

    def counts(self) -> Frame:
        line, stops = self.line, (*self.starts[1:], self.line.size)
        return {
            f"{self._column} from": [line.decode(start) for start in self.starts],
            f"{self._column} to": [line.decode(stop - 1) for stop in stops],
            "records": [b - a for a, b in pairwise(self.below)],
        }

    def rows(self, size: int, coins: Entropy) -> Frame:
        cells = spread([b - a for a, b in pairwise(self.below)], size, coins).tolist()
        ends = (*self.starts, self.line.size)
        numbers = (ends[i] + coins.below(ends[i + 1] - ends[i]) for i in cells)
        return {self._column: [self.line.decode(number) for number in numbers]}

    def _asked(self, query: Hypothesis) -> tuple[int, int]:
        """The first number that satisfies the query, and the first after it that does not."""
        if isinstance(query, ColumnRule) and self.domain.column_names == (query.column,):
            query = query.part
        N, span = self.line.size, None
        match query:
            case Constant(value):
                return 0, N if value else 0
            case Threshold(cut, above) if query.zone == self.line.zone:
                t = self._number(cut)
                span = (t, N) if above else (0, t)
            case Interval(low, high) if self.intervals and query.zone == self.line.zone:
                last = N - 1 if high == self.line.high and not query.half_open else self._number(high)
                span = self._number(low), None if last is None else last + (not query.half_open)
        if span is None or None in span:
            raise Refused("query", "this release answers other queries; make them with concept_class.hypothesis")
        return span  # type: ignore[return-value]

    def _number(self, value: Any) -> int | None:
        """The number of a value of the line; None if it is not one."""
        try:
            number = int(self.line.encode([value])[0])
        except (TypeError, ValueError):
            return None
        return number if self.line.decode(number) == value else None


class Cells(NamedTuple):
    """Cells in machine integers. The step of an offset is the offset without its last ``shifts`` bits."""

    starts: NDArray[Any]
    below: Ints
    steps: Ints  # W
    shifts: NDArray[Any]

    @staticmethod
    def of(starts: tuple[int, ...], below: tuple[int, ...], size: int) -> Cells:
        """W is so small that no product leaves the room of machine integers."""
        last = [stop - start - 1 for start, stop in pairwise((*starts, size))]
        room = ROOM - below[-1].bit_length()
        shifts = [max(0, each.bit_length() - room) for each in last]
        steps = [(each >> shift) + 1 for each, shift in zip(last, shifts, strict=True)]
        kind = np.uint64 if size <= 2**64 else object
        return Cells(np.array(starts, kind), np.array(below), np.array(steps), np.array(shifts, kind))

    def at(self, values: NDArray[Any]) -> Ints:
        """B at numbers below N, which are in order."""
        i, stop = np.searchsorted(self.starts, values[[0, -1]], side="right") - [1, 0]
        ends = np.searchsorted(values, self.starts[i + 1 : stop], side="left")
        cell = np.repeat(np.arange(i, stop), np.diff(ends, prepend=0, append=len(values)))
        step = ((values - self.starts[cell]) >> self.shifts[cell]).astype(np.int64)
        return np.asarray(self.below[cell] + np.diff(self.below)[cell] * step // self.steps[cell])

    def within(self, i: int, offset: int) -> int:
        """B at an offset in cell i."""
        low, high = self.below[i : i + 2].tolist()
        return int(low + (high - low) * (offset >> int(self.shifts[i])) // int(self.steps[i]))

    def reached(self, i: int, more: int) -> int | None:
        """The first offset in cell i at which B has risen by ``more``, 0 < more ≤ its records; None if only at its end."""
        step = -(-more * int(self.steps[i]) // int(self.below[i + 1] - self.below[i]))
        return step << int(self.shifts[i]) if step < self.steps[i] else None


def _steps(records: InOrder) -> Iterator[tuple[NDArray[Any], Ints, Ints]]:
    """Distinct values, in order, some at a time; how many records lie below each, and how many at or below it."""
    values, totals = records
    for start in range(0, len(values), AT_ONCE):
        some = values[start : start + AT_ONCE]
        distinct = some[np.flatnonzero(np.append(True, some[1:] != some[:-1]))]
        yield distinct, records.below(distinct), records.up_to(distinct)
