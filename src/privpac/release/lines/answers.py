"""The answers about a line: how many records lie below each of its values.

Throughout this file
    N        the size of the line, numbered 0 … N − 1
    cell     a stretch of the line; ``starts`` are the first numbers of all cells
    B(t)     the answer to "how many records lie below t", 0 ≤ t ≤ N: a whole number that never decreases
    e(t)     the error of B(t): B(t) minus the number of records below t
    step     2^k neighboring values of a cell with the same B; k is 0 unless the line is very long
    W        the number of steps of a cell; B rises from step to step by the same fraction, and is rounded down
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from operator import le, lt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.values.missing_entries import IsMissing
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.samples.sample import InOrder, Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.refusals.refusal import Refused
from privpac.release.charts import Chart, Steps
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import Answers, Frame

ROOM = 62  # the most bits of a product of a step's number and a slope
LARGEST = 2**1023  # a mean beyond it is a whole number, not a float
BLOCK, AT_ONCE = 16, 2**13  # records in a block, and blocks that are compared together

BIT_LENGTH = np.frompyfunc(int.bit_length, 1, 1)
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


def line_of(domain: Domain) -> Line:
    """The line of a class, which may be a column of a table."""
    (column,) = domain.columns
    line = column.present
    assert isinstance(line, Line)
    return line


def on_line(sample: Sample, domain: Domain) -> InOrder:
    """The records that lie on the line, in order: all but those with a missing entry, whose code comes last.

    >>> from privpac.data.domains.with_missing import WithMissing
    >>> ages = WithMissing(Line(0, 9))
    >>> on_line(Sample(ages.encode([7, None, 3]), np.ones(3, dtype=bool), None, 3), ages).values.tolist()
    [3, 7]
    """
    records, size = sample.in_order, line_of(domain).size
    if not domain.optional:
        return records
    number = int(np.searchsorted(records.values, size))
    values = records.values[:number].astype(np.uint64 if size <= 2**64 else object)
    return InOrder(values, None if records.totals is None else records.totals[: number + 1])


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
    misfits: bool = True  # whether records beside the line may not fit; if not, they all lack an entry

    def __post_init__(self) -> None:
        ordered = all(map(lt, self.starts, (*self.starts[1:], self.line.size)))
        rising = all(map(le, self.below, (*self.below[1:], self.n)))
        if not ordered or not rising or len(self.below) != len(self.starts) + 1 or self.starts[0] or self.below[0]:
            raise ValueError(
                "cells must start at 0 and at increasing numbers, and counts must rise from 0 to n or less"
            )

    @cached_property
    def line(self) -> Line:
        """The line, whether or not it is a column of a table."""
        return line_of(self.domain)

    @cached_property
    def _cells(self) -> MachineCells:
        return MachineCells.of(self.starts, self.below, self.line.size)

    @property
    def _column(self) -> str:
        return str((*self.domain.column_names, "value")[0])

    def count(self, query: Hypothesis) -> int:
        if self.missing is not None and isinstance(self._of_value(query), IsMissing):
            return self.missing
        first, stop = self._range(query)
        return self.below_number(stop) - self.below_number(first)

    @property
    def fitting(self) -> tuple[int, int] | None:
        return None if self.domain.optional else (self.below[-1], 1)

    @property
    def missing(self) -> int | None:
        """How many records lack an entry; None if none can, or if records that do not fit are counted with them."""
        return self.n - self.below[-1] if self.domain.optional and not self.misfits else None

    def below_number(self, t: int) -> int:
        """How many records lie below t: B(t)."""
        if t == self.line.size:
            return self.below[-1]
        i = bisect_right(self.starts, t) - 1
        return self._cells.within(i, t - self.starts[i])

    def places(self, numbers: list[int]) -> NDArray[Any]:
        """Numbers of the line as an array of the type that ``below_all`` takes."""
        return np.array(numbers, dtype=self._cells.starts.dtype)

    def below_all(self, numbers: NDArray[Any], ends: int = 0) -> Ints:
        """B at numbers below N, which are in increasing order; then B(N), ``ends`` times."""
        inner = self._cells.at(numbers) if len(numbers) else np.zeros(0, dtype=np.int64)
        return np.append(inner, np.full(ends, self.below[-1], dtype=np.int64))

    @property
    def unevenness(self) -> int:
        """B differs by less than this from counts that rise evenly within each cell, without rounding.

        Rounding down the slope and the product takes less than 2. A step of 2^k values adds at most 2·2^k/w of the
        records of a cell of w values (page *labeled_release*, Lemma 4).
        """
        ends = (*self.starts, self.line.size)
        shifts, rises = self._cells.shifts.tolist(), np.diff(self.below).tolist()
        widths = (stop - start for start, stop in pairwise(ends))
        coarse = ((2 << int(k)) * rise // w + 1 if k else 0 for k, rise, w in zip(shifts, rises, widths, strict=True))
        return 2 + max(coarse)

    def gap(self, sample: Sample) -> int:
        """The largest error of all queries.

        Between two neighboring values that records have, e never decreases. So it is extreme at such a value, right
        after one, at 0, or at N. The records below a cut and those at or above it are both queries.
        """
        records = on_line(sample, self.domain)
        at_end = self.below[-1] - records.number  # e(N)
        known = np.array([0, at_end, *self._outermost(records)])
        ends = np.concatenate([known, np.array(self.below[:-1]) - records.below(self._cells.starts)])
        least, most = int(ends.min()), int(ends.max())  # of e
        for errors in self._errors(records, least, most):
            least, most = min(least, int(errors.min())), max(most, int(errors.max()))
        return most - least if self.intervals else max(most, -least, at_end - least, most - at_end)

    def _outermost(self, records: InOrder) -> tuple[int, ...]:
        """e at the first value that records have, and right after the last one."""
        if not len(records.values):
            return ()
        first, last = records.values[[0, -1]].tolist()
        return self.below_number(first), self.below_number(last + 1) - records.number

    def _errors(self, records: InOrder, least: int, most: int) -> Iterator[Ints]:
        """e at both ends of each stretch between two values that records have, if it may exceed ``least`` or ``most``.

        Records are compared in blocks. Within a block from a to b, both B and the true counts lie between their values
        at a and b, so most blocks cannot exceed the bounds, and are passed over.
        """
        values, one = records.values, 1 if records.values.dtype == object else np.uint64(1)
        ends = np.append(np.arange(0, len(values) - 1, BLOCK), len(values) - 1)
        if len(values) < 2:
            return
        B = self._cells.at(values[ends])
        beyond = (B[1:] - records.total(ends[:-1] + 1) > most) | (B[:-1] - records.total(ends[1:]) < least)
        blocks = ends[:-1][beyond]
        for start in range(0, len(blocks), AT_ONCE):
            i = (blocks[start : start + AT_ONCE, None] + np.arange(1, BLOCK + 1)).ravel()
            i = i[i < len(values)]
            i = i[values[i] != values[i - 1]]  # equal values have equal errors
            if len(i):
                yield self._cells.at(values[i]) - records.total(i)
                yield self._cells.at(values[i - 1] + one) - records.total(i)

    def quantile(self, q: Fraction) -> Hashable:
        value: Hashable = self.line.decode(self._quantile_number(q))
        return value

    def mean(self, measured: int | None = None) -> tuple[Any, Any, Any]:
        """The mean by these counts; and where that of the records lies, if all counts are off by at most ``measured``.

        >>> LineCounts(100, Line(0, 9), (0, 5), (0, 80, 100)).mean(measured=2)
        (3.0, 2.64, 3.36)
        """
        line = self.line
        if line.kind == "string" or line.by_bits:
            raise Refused("concept_class", "only numbers with a step, dates, and times have a mean; declare a step")
        total, last = self.below[-1], line.size - 1
        ends = (*self.starts, line.size)
        rises = zip(pairwise(self.below), pairwise(ends), strict=True)
        twice = sum((after - before) * (start + stop - 1) for (before, after), (start, stop) in rises)
        sum_of_numbers = Fraction(twice, 2)
        mean = sum_of_numbers / total if total else Fraction(last, 2)
        low, high = Fraction(0), Fraction(last)
        if measured is not None:
            off = measured + self.unevenness
            fewest, most = (total, total) if total == self.n else (total - off, min(total + off, self.n))
            low = max(low, (sum_of_numbers - last * off) / most) if most > 0 else low
            high = min(high, (sum_of_numbers + last * off) / fewest) if fewest > 0 else high
        return self._value(mean), self._value(min(low, mean)), self._value(max(high, mean))

    def _value(self, number: Fraction) -> Any:
        """The value at a number that need not be whole; dates and times are rounded down."""
        if self.line.kind.startswith("datetime64"):
            return self.line.decode(floor(number))
        step, first = self.line.arithmetic
        exact = step * (first + number)
        return float(exact) if abs(exact) < LARGEST else floor(exact)

    def _quantile_number(self, q: Fraction) -> int:
        """The number of the smallest value that at least a fraction q of the records does not exceed."""
        wanted = ceil(q * self.below[-1])
        if wanted <= 0:
            return 0
        i = bisect_left(self.below, wanted) - 1  # the cell in which B reaches it
        offset = self._cells.reached(i, wanted - self.below[i])
        stop = (*self.starts, self.line.size)[i + 1] if offset is None else self.starts[i] + offset
        return stop - 1

    @property
    def answers_per_entry(self) -> int:
        """A cell is an interval, or the difference of two thresholds."""
        return 1 if self.intervals else 2

    @property
    def subject(self) -> str:
        return f"How many records lie at or below each {self._column}"

    @property
    def remark(self) -> str:
        step = None if self.line.kind.startswith("datetime64") else self.line.step
        read = [] if step is None else [f"Values between two multiples of {step} count as the lower one."]
        if self.missing is not None:
            read.append(f"About {self.missing:,} of {self.n:,} entries are missing; quantiles are those of the others.")
        elif self.domain.optional:
            read.append("Missing entries, and records that do not fit, lie in no cell.")
        return " ".join(read)

    def drawing(self) -> tuple[Chart, ...]:
        quartiles = tuple((float(q), self._quantile_number(q)) for q in QUARTILES) if self.below[-1] else ()
        name = "".join(map(str, self.domain.column_names))
        return (Steps(name, self.line, (*self.starts, self.line.size), self.below, quartiles),)

    def counts(self) -> Frame:
        line, stops = self.line, (*self.starts[1:], self.line.size)
        return {
            f"{self._column} from": [line.decode(start) for start in self.starts],
            f"{self._column} to": [line.decode(stop - 1) for stop in stops],
            "records": [b - a for a, b in pairwise(self.below)],
        }

    def rows(self, size: int, coins: Entropy) -> Frame:
        counts, ends = [b - a for a, b in pairwise(self.below)], (*self.starts, self.line.size)
        cells = spread([*counts, self.missing or 0], size, coins).tolist()  # the last cell is that of missing entries
        numbers = (None if i == len(counts) else ends[i] + coins.below(ends[i + 1] - ends[i]) for i in cells)
        return {self._column: [None if number is None else self.line.decode(number) for number in numbers]}

    def _range(self, query: Hypothesis) -> tuple[int, int]:
        """The first number that satisfies the query, and the first after it that does not."""
        query, N = self._of_value(query), self.line.size
        first: int | None = None
        stop: int | None = None
        match query:
            case Constant(value):
                first, stop = 0, N if value else 0
            case Threshold(cut, above) if query.zone == self.line.zone:
                first, stop = (self._number(cut), N) if above else (0, self._number(cut))
            case Interval(low, high) if self.intervals and query.zone == self.line.zone:
                first, stop = self._number(low), self._end(high, query.half_open)
        if first is None or stop is None:
            raise Refused("query", "this release answers other queries; make them with concept_class.hypothesis")
        return first, stop

    def _of_value(self, query: Hypothesis) -> Hypothesis:
        """The query about a value, if it is about the column of the line."""
        about_column = isinstance(query, ColumnRule) and self.domain.column_names == (query.column,)
        return query.part if about_column else query  # type: ignore[attr-defined]

    def _end(self, high: object, half_open: bool) -> int | None:
        """The first number after an interval; the line's own high end need not be a multiple of its step."""
        if half_open:
            return self._number(high)
        last = self.line.size - 1 if high == self.line.high else self._number(high)
        return None if last is None else last + 1

    def _number(self, value: object) -> int | None:
        """The number of a value of the line; None if it is not one."""
        try:
            number = int(self.line.encode([value])[0])
        except (TypeError, ValueError):
            return None
        return number if self.line.decode(number) == value else None


class MachineCells(NamedTuple):
    """Cells in machine integers. An offset from the start of a cell lies in the step offset >> ``shifts``."""

    starts: NDArray[Any]
    shifts: NDArray[Any]  # k of each cell
    below: Ints
    slopes: Ints  # how much B rises with a step, in units of 2^(−bits)
    steps: Ints  # W, at most 2^bits
    bits: int

    @staticmethod
    def of(starts: tuple[int, ...], below: tuple[int, ...], size: int) -> MachineCells:
        """The cells of a line; shifts are chosen so that a step's number times a slope has at most ROOM bits."""
        bits = ROOM - below[-1].bit_length()
        dtype = np.uint64 if size <= 2**64 else object
        first, end, one = np.array(starts, dtype), np.array([size - 1], dtype), np.array([1], dtype)
        last = np.concatenate([first[1:] - one, end]) - first  # the largest offset in each cell
        shifts = np.maximum(BIT_LENGTH(last).astype(np.int64) - bits, 0).astype(dtype)
        steps = (last >> shifts).astype(np.int64) + 1
        slopes = (np.diff(below) << bits) // steps
        return MachineCells(first, shifts, np.array(below[:-1]), slopes, steps, bits)

    def at(self, values: NDArray[Any]) -> Ints:
        """B at numbers below N, which are in order."""
        i, stop = np.searchsorted(self.starts, values[[0, -1]], side="right") - [1, 0]
        ends = np.searchsorted(values, self.starts[i + 1 : stop], side="left")
        numbers = np.diff(ends, prepend=0, append=len(values))  # how many of the values each cell holds
        starts, shifts, below, slopes = (np.repeat(column[i:stop], numbers) for column in self[:4])
        steps = ((values - starts) >> shifts).astype(np.int64)
        return np.asarray(below + (steps * slopes >> self.bits))

    def within(self, i: int, offset: int) -> int:
        """B at an offset in cell i."""
        return int(self.below[i]) + ((offset >> int(self.shifts[i])) * int(self.slopes[i]) >> self.bits)

    def reached(self, i: int, rise: int) -> int | None:
        """The first offset in cell i at which B has risen by at least ``rise``; None if it does so only at the end."""
        step = -(-(rise << self.bits) // int(self.slopes[i]))
        return step << int(self.shifts[i]) if step < int(self.steps[i]) else None
