"""What is released about groups: noisy counts and sums, and the distribution of group and value on one line.

proof: docs/proofs/summaries.md

Throughout this file
    N          the size of the line of values, numbered 0 … N − 1; a missing value has the number N
    G          the number of groups; group g and value j are number g·N + j of the line of both
    S, C, M    of a group: the sum of 2·j − (N − 1) over its records with a value, in half steps; the number of these
               records; the number of its records without a value, if values may be missing
    E          every count of a group's values between two bounds is off by at most E, as measured
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.boolean_functions import name_of
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Threshold
from privpac.classes.values.points import OneOf
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Ints, Sample
from privpac.data.values.value_text import entry_text
from privpac.exact.entropy import Entropy
from privpac.refusals.refusal import Refused
from privpac.release.charts import MOST_BARS, Chart, Range, Ranges
from privpac.release.lines.answers import QUARTILES, LineCounts
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import RECORDS, Answers, Frame, headings
from privpac.release.summaries.intervals import RatioNoise

NAMES = "q25", "median", "q75"


class Estimate(NamedTuple):
    """A number that was released, and where the true one lies."""

    value: Any
    low: Any
    high: Any


def _within(value: Any, low: Any, high: Any) -> Estimate:
    """An estimate whose value lies in its interval."""
    return Estimate(min(max(value, low), high), low, high)


class GroupSummary(NamedTuple):
    """What is known about a group; ``quartiles`` are empty if they were not asked for.

    If values may be missing, ``records`` are those that have one, and ``missing`` is the number of the others.
    """

    group: tuple[Hashable, ...]
    records: Estimate
    sum: Estimate
    mean: Estimate
    quartiles: tuple[Estimate, ...]
    missing: Estimate | None = None


def group_line(domain: Columns) -> ConceptClass:
    """The class of all intervals of the line of group and value; missing values lie beside the line."""
    line = Intervals(0, number_of_groups(domain) * int(domain.domains[-1].present.size) - 1)
    return line.on(0, missing=True) if domain.domains[-1].optional else line


def line_sample(sample: Sample, domain: Columns) -> Sample:
    """The records on the line of group and value."""
    group, number = _numbers(sample, domain)
    N, G = int(domain.domains[-1].present.size), number_of_groups(domain)
    points = np.where(number < N, group * N + number, G * N)
    return replace(sample, points=points.astype(np.uint64), values=None)


def _numbers(sample: Sample, domain: Columns) -> tuple[Ints, Ints]:
    """The group and the number of the value of every record."""
    return np.divmod(domain.numbers(sample.points), int(domain.domains[-1].size))


def number_of_groups(domain: Columns) -> int:
    """G."""
    return prod(int(column.size) for column in domain.domains[:-1])


def centered_sums(sample: Sample, domain: Columns) -> tuple[list[int], list[int], list[int]]:
    """C, S, and M of every group.

    >>> from privpac.data.domains.listing import Listing
    >>> domain = Columns(("ward", "stay"), (Listing(("A", "B")), Line(0, 9)))
    >>> sample = Sample(np.array([[0, 9], [1, 0], [1, 0]]), np.ones(3, dtype=bool), None, 3)
    >>> centered_sums(sample, domain)
    ([1, 2], [9, -18], [0, 0])
    """
    N, G = int(domain.domains[-1].present.size), number_of_groups(domain)
    group, number = _numbers(sample, domain)
    ones = np.ones(len(group), dtype=np.int64) if sample.counts is None else sample.counts
    present = number < N
    C, S, M = (np.zeros(G, dtype=np.int64) for _ in range(3))
    np.add.at(C, group[present], ones[present])
    np.add.at(S, group[present], (ones * (2 * number - (N - 1)))[present])
    np.add.at(M, group[~present], ones[~present])
    return C.tolist(), S.tolist(), M.tolist()


@dataclass(frozen=True)
class GroupSummaries(Answers):
    """Counts and sums of groups, with the noise that they have, and a distribution if quartiles are asked for."""

    n: int
    domain: Domain
    numbers: tuple[int, ...]  # C, noisy unless count_rate is 0
    sums: tuple[int, ...]  # S, noisy
    count_rate: Fraction
    sum_rate: Fraction
    beta: Fraction
    values: LineCounts | None = None
    gaps: tuple[int, ...] = ()  # M, noisy; empty if values cannot be missing

    def __post_init__(self) -> None:
        if len(self.gaps) != (len(self.groups) if self.columns.domains[-1].optional else 0):
            raise ValueError("give the number of missing values of every group, if there may be some")
        if not len(self.numbers) == len(self.sums) == len(self.groups):
            raise ValueError("give a count and a sum for every group")
        if not (self.count_rate >= 0 < self.sum_rate and 0 < self.beta < 1):
            raise ValueError("rates of noise must be positive, and beta must lie between 0 and 1")

    @property
    def columns(self) -> Columns:
        """The domain of groups and values."""
        assert isinstance(self.domain, Columns)
        return self.domain

    @property
    def line(self) -> Line:
        """The line of values."""
        line = self.columns.domains[-1].present
        assert isinstance(line, Line)
        return line

    @property
    def of(self) -> str:
        """The name of the column of values."""
        return str(self.columns.names[-1])

    @cached_property
    def groups(self) -> list[tuple[Hashable, ...]]:
        """The values of all groups."""
        return list(product(*(column.listed() for column in self.columns.domains[:-1])))

    def summaries(self, measured: int | None = None) -> list[GroupSummary]:
        """A summary of every group; ``measured`` is E.

        All intervals of counts, sums, and means hold together with probability 1 − β, and those of quartiles if E does.
        """
        return [self.summary(g, measured) for g in range(len(self.groups))]

    def summary(self, g: int, measured: int | None = None) -> GroupSummary:
        """The summary of group number g."""
        half, middle, width = self._scale
        noise, sum_margin, count_margin = self._margins
        C, S = self.numbers[g], self.sums[g]
        total = float(middle * C + half * S)
        low, high = (float(middle + half * Fraction(min(max(δ, -width), width))) for δ in noise.mean(S, C))
        mean = total / C if C > 0 else (low + high) / 2
        records = self._number(C, count_margin)
        sums = _within(total, *self._sum_ends(total, sum_margin, records))
        missing = self._number(self.gaps[g], count_margin) if self.gaps else None
        means, quartiles = _within(mean, low, high), self._quartiles(g, measured)
        return GroupSummary(self.groups[g], records, sums, means, quartiles, missing)

    @property
    def _scale(self) -> tuple[Fraction, Fraction, int]:
        """Half a step, the middle of the line, and the number of steps from its first value to its last one."""
        step, first = self.line.arithmetic
        return step / 2, step * (first + Fraction(self.line.size - 1, 2)), self.line.size - 1

    @cached_property
    def _margins(self) -> tuple[RatioNoise, float, int]:
        """The noise of every interval, and how far sums and counts are off at most."""
        half, middle, width = self._scale
        β = float(self.beta) / (len(self.groups) * (2 + (self.count_rate > 0) + bool(self.gaps)))  # of each interval
        noise = RatioNoise(self.sum_rate, self.count_rate, β, max(width, 1))
        sum_margin = float(noise.bound(np.array([abs(float(middle / half))]))[0] * half)
        margin = RatioNoise(self.count_rate, Fraction(0), β, 1).bound(np.zeros(1))[0] if self.count_rate else 0
        return noise, sum_margin, int(margin)

    def _number(self, noisy: int, off: int) -> Estimate:
        """The estimate of a number of records from a noisy one that is off by at most ``off``; within 0 … n."""
        return Estimate(*(min(max(number, 0), self.n) for number in (noisy, noisy - off, noisy + off)))

    def _sum_ends(self, total: float, off: float, records: Estimate) -> tuple[float, float]:
        """The ends of a sum's interval: within ``off``, and within the sums that this number of values can have."""
        step, first = self.line.arithmetic  # the declared bound need not be a multiple of the step; the first value is
        least, most = float(step * first), float(step * (first + self.line.size - 1))
        lowest = least * (records.low if least > 0 else records.high)
        highest = most * (records.high if most > 0 else records.low)
        low, high = max(total - off, lowest), min(total + off, highest)
        return (low, high) if low <= high else (lowest, highest)

    def _quartiles(self, g: int, measured: int | None) -> tuple[Estimate, ...]:
        if self.values is None:
            return ()
        return tuple(self._quantile(g, q, measured) for q in QUARTILES)

    def _quantile(self, g: int, q: Fraction, measured: int | None) -> Estimate:
        """The quantile q of group g: the first value j with D(j) ≥ 0.

        D(j) = (1 − q)·(records up to j) − q·(records beyond j) is off by at most E. So the true quantile lies between
        the first j with D(j) ≥ −E and the first one with D(j) ≥ E.
        """
        assert self.values is not None
        N, values = self.line.size, self.values
        start, whole = values.below_number(g * N), values.below_number((g + 1) * N)

        def first(bar: int) -> int:
            """The first j with D(j) ≥ ``bar``."""
            low, high, wanted = 0, N - 1, start + ceil(q * (whole - start)) + bar
            while low < high:
                j = (low + high) // 2
                low, high = (low, j) if values.below_number(g * N + j + 1) >= wanted else (j + 1, high)
            return low

        ends = (0, N - 1) if measured is None else (first(-measured), first(measured))
        return Estimate(*(self.line.decode(j) for j in (first(0), *ends)))

    @property
    def ends(self) -> tuple[Any, Any]:
        """The first value and the last one. A quartile whose interval reaches from one to the other is unknown."""
        return self.line.decode(0), self.line.decode(self.line.size - 1)

    def drawn(self, measured: int | None) -> tuple[Chart, ...]:
        number = len(self.groups)
        shown = tuple(self._range_of(g, measured) for g in range(min(number, MOST_BARS)))
        return (Ranges(f"mean {self.of}", shown, number - len(shown)),)

    def _range_of(self, g: int, measured: int | None) -> Range:
        """The mean of a group with its interval, and its quartiles if their intervals are apart."""
        group, _, _, mean, quartiles, _ = self.summary(g, measured)
        name = ", ".join(map(entry_text, group)) or "all records"
        apart = quartiles and quartiles[0].high <= quartiles[-1].low
        return Range(name, *mean, tuple(float(quartile.value) for quartile in quartiles) if apart else ())

    def shown(self, measured: int | None) -> Frame:
        """A row for each group; every number with the ends of its interval."""
        rows = self.summaries(measured)
        figures = (RECORDS, *(["missing"] if self.gaps else []), "sum", "mean")
        estimates = {name: [getattr(row, name) for row in rows] for name in figures}
        if self.values is not None:
            estimates |= {name: [row.quartiles[i] for row in rows] for i, name in enumerate(NAMES)}
        taken = (name + end for name in estimates for end in ("", " low", " high"))
        names = headings(self.columns.names[:-1], *taken)
        frame: Frame = {name: [row.group[i] for row in rows] for i, name in enumerate(names)}
        for name, column in estimates.items():
            values, lows, highs = zip(*column, strict=True)
            frame |= {name: [*values], f"{name} low": [*lows], f"{name} high": [*highs]}
        return frame

    def counts(self) -> Frame:
        return self.shown(None)

    def count(self, query: Hypothesis) -> int:
        if self.values is None or (group_and_range := self._range(query)) is None:
            raise Refused("query", "this release answers how many records of a group have at least some value")
        group, low, high = group_and_range
        start = self.groups.index(group) * self.line.size
        return self.values.below_number(start + high) - self.values.below_number(start + low)

    def _range(self, query: Hypothesis) -> tuple[tuple[Hashable, ...], int, int] | None:
        """The group of a query, its first value, and the one after its last; None if it is about something else."""
        parts = query.parts if isinstance(query, Composed) and name_of(query.table) == "and" else (query,)
        rules: dict[Hashable, Hypothesis] = {part.column: part.part for part in parts if isinstance(part, ColumnRule)}
        if len(rules) != len(parts) or set(rules) != set(self.columns.names):
            return None
        cut = rules.pop(self.columns.names[-1])
        equal = [rules[name] for name in self.columns.names[:-1]]
        group = tuple(next(iter(rule.values)) for rule in equal if isinstance(rule, OneOf) and len(rule.values) == 1)
        if not isinstance(cut, Threshold) or group not in self.groups:
            return None
        number = int(self.line.encode([cut.cut])[0])
        return (group, number, self.line.size) if cut.above else (group, 0, number)

    def gap(self, sample: Sample) -> int:
        return 0 if self.values is None else self.values.gap(line_sample(sample, self.columns))

    @property
    def fitting(self) -> tuple[int, int] | None:
        return None if self.values is None else self.values.fitting

    @property
    def subject(self) -> str:
        by = f" by {', '.join(map(str, self.columns.names[:-1]))}" if len(self.columns.names) > 1 else ""
        return f"{self.of}{by}: counts, sums, {'and means' if self.values is None else 'means, and quartiles'}"

    @property
    def remark(self) -> str:
        return f"Values between two multiples of {self.line.step} count as the lower one." if self.line.step else ""

    def rows(self, size: int, coins: Entropy) -> Frame:
        if self.values is None:
            raise Refused("size", "means alone have no synthetic records; ask for quartiles as well")
        (numbers,) = self.values.rows(size, coins).values()
        gaps = self.gaps if max(self.gaps, default=0) > 0 else [1] * len(self.groups)  # noise may hide all of them
        lacking = iter(spread(gaps, numbers.count(None), coins).tolist())
        rows = [(next(lacking), None) if t is None else divmod(int(str(t)), self.line.size) for t in numbers]
        names = headings(self.columns.names)
        groups = {name: [self.groups[g][i] for g, _ in rows] for i, name in enumerate(names[:-1])}
        return groups | {names[-1]: [None if j is None else self.line.decode(j) for _, j in rows]}
