"""What is released about groups: noisy counts and sums, and the distribution of group and value on one line.

proof: docs/proofs/summaries.md

Throughout this file
    N          the size of the line of values, numbered 0 … N − 1
    G          the number of groups; group g and value j are number g·N + j of the line of both
    S, C       of a group: the sum of 2·j − (N − 1) over its records, in half steps; the number of its records
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
from privpac.classes.finite.gate import name_of
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.rules import Threshold
from privpac.classes.values.points import OneOf
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import Entropy
from privpac.refusals.refusal import Refused
from privpac.release.lines.answers import QUARTILES, LineCounts
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
    """What is known about a group; ``quartiles`` are empty if they were not asked for."""

    group: tuple[Hashable, ...]
    records: Estimate
    sum: Estimate
    mean: Estimate
    quartiles: tuple[Estimate, ...]


def line_sample(sample: Sample, domain: Columns) -> Sample:
    """The records on the line of group and value."""
    return replace(sample, points=domain.numbers(sample.points).astype(np.uint64), values=None)


def centered_sums(sample: Sample, domain: Columns) -> tuple[list[int], list[int]]:
    """C and S of every group.

    >>> from privpac.data.domains.listing import Listing
    >>> domain = Columns(("ward", "stay"), (Listing(("A", "B")), Line(0, 9)))
    >>> sample = Sample(np.array([[0, 9], [1, 0], [1, 0]]), np.ones(3, dtype=bool), None, 3)
    >>> centered_sums(sample, domain)
    ([1, 2], [9, -18])
    """
    N, G = int(domain.domains[-1].size), prod(int(each.size) for each in domain.domains[:-1])
    group, number = np.divmod(domain.numbers(sample.points), N)
    ones = np.ones(len(group), dtype=np.int64) if sample.counts is None else sample.counts
    C, S = np.zeros(G, dtype=np.int64), np.zeros(G, dtype=np.int64)
    np.add.at(C, group, ones)
    np.add.at(S, group, ones * (2 * number - (N - 1)))
    return C.tolist(), S.tolist()


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

    def __post_init__(self) -> None:
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
        line = self.columns.domains[-1]
        assert isinstance(line, Line)
        return line

    @property
    def of(self) -> str:
        """The name of the column of values."""
        return str(self.columns.names[-1])

    @cached_property
    def groups(self) -> list[tuple[Hashable, ...]]:
        """The values of all groups."""
        return list(product(*(each.listed() for each in self.columns.domains[:-1])))

    def summaries(self, measured: int | None = None) -> list[GroupSummary]:
        """What is known about every group; ``measured`` is E. All intervals of counts, sums, and means together hold
        with probability 1 − β, and those of all quartiles if E does.
        """
        step, first = self.line.arithmetic
        half, middle, width = step / 2, step * (first + Fraction(self.line.size - 1, 2)), self.line.size - 1
        each = float(self.beta) / (len(self.groups) * (3 if self.count_rate else 2))
        noise = RatioNoise(self.sum_rate, self.count_rate, each, max(width, 1))
        of_sums = float(noise.exceeded(np.array([abs(float(middle / half))]))[0] * half)
        of_counts = RatioNoise(self.count_rate, Fraction(0), each, 1).exceeded(np.zeros(1))[0] if self.count_rate else 0
        found = []
        for g, (group, C, S) in enumerate(zip(self.groups, self.numbers, self.sums, strict=True)):
            total, count = float(middle * C + half * S), min(max(C, 0), self.n)
            low, high = (float(middle + half * Fraction(min(max(δ, -width), width))) for δ in noise.mean(S, C))
            mean = total / C if C > 0 else (low + high) / 2
            off = int(of_counts)
            records = Estimate(count, min(max(C - off, 0), self.n), max(min(C + off, self.n), 0))
            sums = _within(total, *self._sum_ends(total, of_sums, records))
            found.append(GroupSummary(group, records, sums, _within(mean, low, high), self._quartiles(g, measured)))
        return found

    def _sum_ends(self, total: float, off: float, records: Estimate) -> tuple[float, float]:
        """The ends of a sum's interval, within what so many values of the line can add up to."""
        step, first = self.line.arithmetic  # the first value may lie below the declared bound, which is no multiple
        least, most = float(step * first), float(step * (first + self.line.size - 1))
        lowest, highest = least * records[1 if least > 0 else 2], most * records[2 if most > 0 else 1]
        low, high = max(total - off, lowest), min(total + off, highest)
        return (low, high) if low <= high else (lowest, highest)

    def _quartiles(self, g: int, measured: int | None) -> tuple[Estimate, ...]:
        if self.values is None:
            return ()
        return tuple(self._quantile(g, q, measured) for q in QUARTILES)

    def _quantile(self, g: int, q: Fraction, measured: int | None) -> Estimate:
        """The first value j of the group with (1 − q)·(records up to j) ≥ q·(records beyond j), and the same with
        this difference at least −E, and at least E: it is off by at most E.
        """
        assert self.values is not None
        N, values = self.line.size, self.values
        start, whole = values.below_number(g * N), values.below_number((g + 1) * N)

        def first(bar: int) -> int:
            low, high, wanted = 0, N - 1, start + ceil(q * (whole - start)) + bar
            while low < high:
                j = (low + high) // 2
                low, high = (low, j) if values.below_number(g * N + j + 1) >= wanted else (j + 1, high)
            return low

        ends = (0, N - 1) if measured is None else (first(-measured), first(measured))
        return Estimate(*(self.line.decode(j) for j in (first(0), *ends)))

    def shown(self, measured: int | None) -> Frame:
        """A row for each group; every number with the ends of its interval."""
        rows = self.summaries(measured)
        numbers = {name: [getattr(row, name) for row in rows] for name in (RECORDS, "sum", "mean")}
        if self.values is not None:
            numbers |= {name: [row.quartiles[i] for row in rows] for i, name in enumerate(NAMES)}
        taken = (name + end for name in numbers for end in ("", " low", " high"))
        names = headings(self.columns.names[:-1], *taken)
        frame: Frame = {name: [row.group[i] for row in rows] for i, name in enumerate(names)}
        for name, some in numbers.items():
            frame |= {name: [each.value for each in some]}
            frame |= {f"{name} low": [each.low for each in some], f"{name} high": [each.high for each in some]}
        return frame

    def counts(self) -> Frame:
        return self.shown(None)

    def count(self, query: Hypothesis) -> int:
        if self.values is None or (found := self._range(query)) is None:
            raise Refused("query", "this release answers how many records of a group have at least some value")
        group, low, high = found
        start = self.groups.index(group) * self.line.size
        return self.values.below_number(start + high) - self.values.below_number(start + low)

    def _range(self, query: Hypothesis) -> tuple[tuple[Hashable, ...], int, int] | None:
        """The group of a query, its first value, and the one after its last; None if it is about something else."""
        parts = query.parts if isinstance(query, Composed) and name_of(query.table) == "and" else (query,)
        named: dict[Hashable, Hypothesis] = {part.column: part.part for part in parts if isinstance(part, ColumnRule)}
        if len(named) != len(parts) or set(named) != set(self.columns.names):
            return None
        cut = named.pop(self.columns.names[-1])
        equal = [named[name] for name in self.columns.names[:-1]]
        group = tuple(next(iter(each.values)) for each in equal if isinstance(each, OneOf) and len(each.values) == 1)
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
        return f"{self.of}: counts, sums, means{'' if self.values is None else ', and quartiles'}"

    @property
    def remark(self) -> str:
        return f"Values between two multiples of {self.line.step} count as the lower one." if self.line.step else ""

    def rows(self, size: int, coins: Entropy) -> Frame:
        if self.values is None:
            raise Refused("size", "means alone have no synthetic records; ask for quartiles as well")
        (numbers,) = self.values.rows(size, coins).values()
        rows = [divmod(int(str(number)), self.line.size) for number in numbers]
        names = headings(self.columns.names)
        groups = {name: [self.groups[g][i] for g, _ in rows] for i, name in enumerate(names[:-1])}
        return groups | {names[-1]: [self.line.decode(j) for _, j in rows]}
