"""Counts, sums, and quartiles of a column by groups, at one price.

proof: docs/proofs/summaries.md
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import prod
from typing import ClassVar, NamedTuple

from privpac.classes.compositions.compose import And, OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Categories
from privpac.data.domains.line import Line
from privpac.data.domains.named_columns import Columns
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.mechanisms.noise.gaussian import LARGEST as LARGEST_SUM
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Data, Records, View
from privpac.refusals.refusal import Refused
from privpac.release.lines.answers import LineCounts
from privpac.release.lines.sanitizer import LineSanitizer
from privpac.release.noise_choice import public_total
from privpac.release.sanitizer import Sanitizer
from privpac.release.summaries.answers import (
    GroupSummaries,
    GroupSummary,
    centered_sums,
    group_line,
    line_sample,
    number_of_groups,
)

MOST_GROUPS = 10**4
MOST_VALUES = 2**31  # values of the line
FARTHEST, LARGEST = 2**53, 1e200  # how far from 0 values may be, in steps and as numbers: sums and means are floats
NUMBERS = ("integer", "decimal", "float")


class SummaryMechanisms(NamedTuple):
    """The mechanisms for counts, None if counts are public, and for sums; and the cost of the distribution, if any."""

    counts: DisjointCounts | None
    sums: DiscreteLaplaces
    distribution_cost: Budget | None


class RecordsOfView(NamedTuple):
    """Records of which every view sees only what a ``first`` view shows."""

    records: Records
    first: View

    @property
    def size(self) -> int:
        return self.records.size

    def see(self, view: View) -> Data:
        """The view after the first one."""
        return self.records.see(lambda sample: view(self.first(sample)))


@dataclass(frozen=True)
class SummarySanitizer(Sanitizer):
    """Counts, sums, means, and quartiles of a column, by groups of declared values.

    Privacy   ε, for all inputs: summaries, Theorem 1
    Utility   intervals that hold for all groups at once: summaries, Theorem 2
    Time      O(n log n); memory O(n + groups)

    >>> import privpac as pp
    >>> stays = pp.And(pp.Points().on("ward", values=("A", "B")), pp.Thresholds(0, 100).on("stay"))
    >>> table = {"ward": ["A", "B"] * 2000, "stay": [10, 30] * 2000}
    >>> release = pp.PrivateRelease(stays, method="SummarySanitizer").fit(table).release_
    >>> [abs(group.mean.value - mean) < 5 for group, mean in zip(release.answers_.summaries(), (10, 30))]
    [True, True]
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (And, OnColumn)
    title: ClassVar[str] = "noisy counts and centered sums, and a distribution of group and value"
    theorem: ClassVar[str] = "summaries, Theorem 1"
    pure: ClassVar[bool] = True
    reads_missing: ClassVar[bool] = True
    quartiles: ClassVar[bool] = True

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        parts = concept_class.parts if isinstance(concept_class, And) else (concept_class,)
        columns = [part.column for part in parts if isinstance(part, OnColumn)]
        if len(set(columns)) < len(parts):
            return False
        *groups, values = (part.concept_class for part in parts if isinstance(part, OnColumn))
        line = concept_class.domain.columns[-1].present
        if not isinstance(values, Thresholds) or not isinstance(line, Line):
            return False
        return (
            line.kind in NUMBERS
            and not line.by_bits
            and line.size <= MOST_VALUES
            and max(map(abs, line.ends)) <= FARTHEST
            and max(abs(line.low), abs(line.high)) <= LARGEST
            and all(isinstance(group, Categories) for group in groups)
            and prod(group.size for group in groups) <= MOST_GROUPS
        )

    def check_size(self, n: int) -> None:
        size = self.columns.domains[-1].present.size  # each record adds at most size − 1 to a sum, in half steps
        if n * (size - 1) > LARGEST_SUM:
            sums = f"sums of {n:,} values, each one of {size:,}, may not fit into 62 bits"
            raise Refused("X", f"{sums}; declare narrower bounds or a larger step")

    @property
    def columns(self) -> Columns:
        """The domain of groups and values."""
        assert isinstance(self.domain, Columns)
        return self.domain

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return number_of_groups(self.columns)

    @property
    def _counted(self) -> bool:
        """Whether counts need noise: without groups, n is public, unless records may be void or lack a value."""
        return len(self.columns.domains) > 1 or self._may_lack or public_total(self.terms, 1) is None

    @property
    def _may_lack(self) -> bool:
        """Whether values may be missing."""
        return self.columns.domains[-1].optional

    def mechanisms(self, n: int) -> SummaryMechanisms:
        """The mechanisms for n records."""
        shares = self.cost.split([1] * (1 + self._counted + self.quartiles))
        *counting, summing = shares[: 1 + self._counted]
        # The most that one substitution changes all sums together, in half steps.
        change = 2 * max(self.columns.domains[-1].present.size - 1, 1)
        counts = DisjointCounts(counting[0], n) if counting else None
        return SummaryMechanisms(counts, DiscreteLaplaces(summing, int(change)), shares[-1] if self.quartiles else None)

    def foreseen(self, n: int) -> GroupSummary:
        """About what is released of a group, if all groups have equally many records, and means a quarter up the range.

        No record is read, so it may be shown before anything is spent; it foresees the width of intervals.
        """
        counting, summing, _ = self.mechanisms(n)
        G, width = self.groups, self.columns.domains[-1].present.size - 1
        size, gaps = n // G, (0,) * G * self._may_lack
        rates = Fraction(0) if counting is None else counting.rate, summing.rate
        sums = (-size * int(width) // 2,) * G
        return GroupSummaries(n, self.domain, (size,) * G, sums, *rates, self.terms.beta, None, gaps).summary(0)

    def run(self, records: Records, ask: Ask) -> GroupSummaries:
        n, columns = records.size, self.columns
        counting, summing, distribution_cost = self.mechanisms(n)
        by_group = cache(lambda sample: centered_sums(sample, columns))  # C, S, and M, as lists
        lacking, G = self._may_lack, self.groups
        C_and_M = records.see(lambda sample: by_group(sample)[0] + by_group(sample)[2] * lacking)
        numbers = (n,) if counting is None else ask(counting, C_and_M)
        sums = ask(summing, records.see(lambda sample: by_group(sample)[1]))
        rates = Fraction(0) if counting is None else counting.rate, summing.rate
        values = None if distribution_cost is None else self._values(distribution_cost, records, ask)
        counts, S = tuple(map(int, numbers)), tuple(map(int, sums))
        return GroupSummaries(n, self.domain, counts[:G], S, *rates, self.terms.beta, values, counts[G:])

    def _values(self, cost: Budget, records: Records, ask: Ask) -> LineCounts:
        """The distribution of group and value, on one line."""
        columns = self.columns
        view = cache(lambda sample: line_sample(sample, columns))
        line = LineSanitizer(group_line(columns), replace(self.terms, cost=cost))
        answers = line.run(RecordsOfView(records, view), ask)
        assert isinstance(answers, LineCounts)
        return answers


@dataclass(frozen=True)
class MeanSanitizer(SummarySanitizer):
    """Counts, sums, and means without quartiles, so that counts and sums get all of ε."""

    title: ClassVar[str] = "noisy counts and centered sums"
    quartiles: ClassVar[bool] = False
