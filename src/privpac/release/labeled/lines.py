"""All cuts of a line at once: how many records of either label lie below each value.

proof: docs/proofs/labeled_release.md

Records are counted on a line twice as long, negative records on its first half and positive ones on its second. The
two halves always stay apart: counts of a half are moved toward even ones, but never toward those of the other half.

Throughout this file
    N        the size of the line, numbered 0 … N − 1; a positive record at v lies at N + v of the doubled line
    t        a cut, 0 ≤ t ≤ N: a record is above it if its number is at least t
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.samples.sample import InOrder, Ints, Sample
from privpac.exact.entropy import Entropy
from privpac.mechanisms.lines.line_tree import DoubledTree, LineTree
from privpac.release.charts import Chart
from privpac.release.labeled.answers import Classes, LabeledAnswers, LabelFields, largest_gap, samples_by_label
from privpac.release.labeled.rates import Outcomes
from privpac.release.lines.answers import LineCounts, line_of
from privpac.release.lines.count_rounds import Edges, Round, RoundPlan, cut_again
from privpac.release.lines.sanitizer import LineSanitizer, toward_even, without_column
from privpac.release.lines.within_cells import Cells, cells_by_ends, cells_by_magnitude
from privpac.release.postprocessing.consistency import Floats
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import RECORDS, Frame, headings

MOST_LISTED = 2**20  # the longest line all of whose cuts are listed, so that wrong labels are compared as well
MOST_SHOWN = 2**12  # the longest line all of whose cuts a curve shows
Direction = Literal["above", "below", "either"]


@dataclass(frozen=True)
class LabeledLineCounts(LabeledAnswers):
    """Cells of a line, and how many negative and how many positive records lie below each of them.

    >>> ages = LabeledLineCounts(100, Line(0, 9), ("no", "yes"), (0, 5), (0, 60, 70), (0, 10, 30))
    >>> [int(each[0]) for each in ages.outcomes(Threshold(5))]
    [20, 10, 10, 60]
    """

    n: int
    domain: Domain
    classes: Classes
    starts: tuple[int, ...]
    negatives: tuple[int, ...]  # below each start, and all
    positives: tuple[int, ...]
    direction: Direction = "above"
    label: str = "label"

    def __post_init__(self) -> None:
        self._check_labels()
        _ = self.halves  # raises for cells and counts that do not fit
        if self.negatives[-1] + self.positives[-1] > self.n:
            raise ValueError("there cannot be more than n records of both labels together")

    @cached_property
    def halves(self) -> tuple[LineCounts, LineCounts]:
        """The negative and the positive records, each on the line."""
        negatives = LineCounts(self.n, self.domain, self.starts, self.negatives)
        return negatives, LineCounts(self.n, self.domain, self.starts, self.positives)

    @property
    def line(self) -> Line:
        """The line, whether or not it is a column of a table."""
        return line_of(self.domain)

    @property
    def _totals(self) -> tuple[int, int]:
        return self.negatives[-1], self.positives[-1]

    @property
    def joint(self) -> bool:
        return self.line.size <= MOST_LISTED

    @property
    def sides(self) -> tuple[bool, ...]:
        """The directions of the class: whether records above a cut are flagged."""
        return {"above": (True,), "below": (False,), "either": (True, False)}[self.direction]

    def outcomes(self, rule: Hypothesis) -> Outcomes:
        fp, tp = (np.array([half.count(rule)]) for half in self.halves)
        return Outcomes(tp, self.positives[-1] - tp, fp, self.negatives[-1] - fp)

    def cuts(self) -> list[int]:
        """All cuts, or on a long line those between which counts rise evenly."""
        return list(range(self.line.size + 1)) if self.line.size <= MOST_SHOWN else [*self.starts, self.line.size]

    def at(self, cuts: list[int], above: bool) -> Outcomes:
        """The outcomes of the rules with these cuts, which are in increasing order."""
        N = self.line.size
        inner = self.halves[0].places([t for t in cuts if t < N])
        below = [half.below_all(inner, ends=len(cuts) - len(inner)) for half in self.halves]
        return _outcomes(below, self._totals, above)

    def all_outcomes(self) -> Outcomes:
        """The outcomes of all cuts that the curve shows, in each direction of the class."""
        by_side = [self.at(self.cuts(), above) for above in self.sides]
        return Outcomes(*map(np.concatenate, zip(*by_side, strict=True)))

    def rule(self, i: int) -> Hypothesis:
        cuts = self.cuts()
        return self.rule_at(cuts[i % len(cuts)], self.sides[i // len(cuts)])

    def rule_at(self, t: int, above: bool) -> Hypothesis:
        """The rule that flags what is above, or below, the cut t."""
        line = self.line
        rule: Hypothesis = Constant(above == (t == 0))
        if 0 < t < line.size:
            rule = Threshold(line.decode(t), above, places=line.places, zone=line.zone)
        names = self.domain.column_names
        return ColumnRule(rule, names[0]) if names and isinstance(names[0], str | int) else rule

    def gap(self, sample: Sample) -> int:
        """The largest error of all cuts.

        Between two neighboring values that records have, true counts stay the same and answers rise. So an error is
        largest at one end of such a stretch.
        """
        records = [InOrder.of(_points(half), half.counts) for half in samples_by_label(sample)]
        at = self._compared(records)
        below = [half.below_all(at, ends=1) for half in self.halves]
        true = [np.append(of_label.below(at), of_label.number) for of_label in records]
        answered = _outcomes(below, self._totals, above=True)
        counted = _outcomes(true, [of_label.number for of_label in records], above=True)
        return largest_gap(answered, counted, joint=self.joint)

    def _compared(self, records: list[InOrder]) -> NDArray[Any]:
        """The cuts below N at which errors are compared, in order: all, or those at and right after records' values."""
        N, starts = self.line.size, self.halves[0].places(list(self.starts))
        if self.joint:
            return np.arange(N, dtype=starts.dtype)
        one = self.halves[0].places([1])[0]
        values = [of_label.values.astype(starts.dtype) for of_label in records]
        right_after = [numbers[numbers < N - 1] + one for numbers in values]
        return np.asarray(np.unique(np.concatenate([starts, *values, *right_after])))

    def quantile(self, q: Fraction) -> Any:
        return self._unlabeled.quantile(q)

    @cached_property
    def _unlabeled(self) -> LineCounts:
        """The records of both labels together."""
        below = tuple(a + b for a, b in zip(self.negatives, self.positives, strict=True))
        return LineCounts(self.n, self.domain, self.starts, below)

    @property
    def fitting(self) -> tuple[int, int]:
        return self._unlabeled.below[-1], 1

    @property
    def column(self) -> str:
        """The name of the column, if the class has one."""
        return str((*self.domain.column_names, "value")[0])

    @property
    def answers_per_entry(self) -> int:
        """A cell is the difference of two cuts."""
        return 2

    @property
    def subject(self) -> str:
        return f"How many records a cut at each {self.column} labels wrongly"

    @property
    def remark(self) -> str:
        return self._unlabeled.remark

    def drawing(self) -> tuple[Chart, ...]:
        return self._unlabeled.drawing()

    def counts(self) -> Frame:
        """A row for each cell and label."""
        names = headings([f"{self.column} from", f"{self.column} to", self.label], RECORDS)
        rows = list(self._rows())
        return {name: [row[i] for row in rows] for i, name in enumerate((*names, RECORDS))}

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        ends = [*self.starts, self.line.size]
        for i, (start, stop) in enumerate(pairwise(ends)):
            for label, below in zip(self.classes, (self.negatives, self.positives), strict=True):
                yield self.line.decode(start), self.line.decode(stop - 1), label, below[i + 1] - below[i]

    def rows(self, size: int, coins: Entropy) -> Frame:
        ends, cells = (*self.starts, self.line.size), len(self.starts)
        counts = [b - a for below in (self.negatives, self.positives) for a, b in pairwise(below)]
        drawn = spread(counts, size, coins).tolist()
        numbers = (ends[i % cells] + coins.below(ends[i % cells + 1] - ends[i % cells]) for i in drawn)
        column, label = headings([self.column, self.label])
        return {column: [self.line.decode(v) for v in numbers], label: [self.classes[i // cells] for i in drawn]}


def _outcomes(below: Sequence[Ints], totals: Sequence[int], above: bool) -> Outcomes:
    """The outcomes of cuts; ``below`` and ``totals`` count negative records, then positive ones."""
    negatives, positives = below
    negatives_above, positives_above = totals[0] - negatives, totals[1] - positives
    if above:
        return Outcomes(positives_above, positives, negatives_above, negatives)
    return Outcomes(positives, positives_above, negatives, negatives_above)


def _points(sample: Sample) -> NDArray[Any]:
    """The numbers of the records on the line."""
    return sample.points if sample.points.ndim == 1 else sample.points[:, 0]


@dataclass(frozen=True)
class LabeledLineSanitizer(LabelFields, LineSanitizer):
    """Every cut of a line, with the error rates of both labels.

    Privacy   ε, for all inputs: labeled release, Theorem 1
    Utility   measured
    Time      that of a release of the line without labels, twice as long

    >>> from privpac.release.private_release import PrivateRelease
    >>> front = PrivateRelease(Thresholds(0, 99), epsilon=1, classes=("no", "yes"), feature=None)
    >>> release = front.fit(list(range(100)) * 100, (["no"] * 60 + ["yes"] * 40) * 100)
    >>> release.error(Thresholds(0, 99).hypothesis(60)) < 0.02
    True
    """

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(without_column(concept_class), Thresholds) and not concept_class.domain.optional

    @property
    def _tree(self) -> DoubledTree:
        return DoubledTree.of_two(LineTree.of(line_of(self.domain)))

    def _in_order(self, sample: Sample) -> InOrder:
        """Negative records, then positive ones."""
        tree = self._tree
        points = _points(sample).astype(tree.numbers([]).dtype)
        return InOrder.of(np.where(sample.labels, points + tree.numbers([tree.half.size])[0], points), sample.counts)

    def _plan(self, tree: LineTree) -> RoundPlan:
        edges, shares = RoundPlan.of(self._tree.half)
        return RoundPlan((*edges, *(edge + edges[-1] for edge in edges[1:])), shares)

    def _cut_again(self, tree: LineTree, edges: Edges, counts: Floats, n: int) -> Edges:
        return tuple(sorted({*cut_again(tree, edges, counts, n), tree.size // 2}))

    def _all_even(self, rounds: list[Round], tree: LineTree, n: int) -> bool:
        """False: a single cell of even records would have the same number of records of both labels."""
        return False

    def _toward_even(self, starts: Edges, counts: Floats, variance: float) -> tuple[Edges, Floats]:
        """The cells of each label, moved toward even counts of its own total."""
        N = self._tree.half.size
        middle = starts.index(N)
        lower = toward_even(starts[:middle], N, counts[:middle], variance)
        upper = toward_even(tuple(start - N for start in starts[middle:]), N, counts[middle:], variance)
        return (*lower[0], *(start + N for start in upper[0])), np.concatenate([lower[1], upper[1]])

    def _answers(self, n: int, cells: Cells) -> LabeledLineCounts:
        """The answers about both labels: each is counted in the cells that the edges of both labels make together."""
        (starts, below), N, half = cells, self._tree.half.size, self._tree.half
        middle = starts.index(N)
        lower = starts[:middle], below[: middle + 1]
        upper = tuple(start - N for start in starts[middle:]), tuple(b - below[middle] for b in below[middle:])
        finer = [cells_by_ends(N, each, cells_by_magnitude(half, *each), each[1][-1]) for each in (lower, upper)]
        both = tuple(sorted({*finer[0][0], *finer[1][0]}))
        counts = (LineCounts(n, self.domain, *each) for each in finer)
        negatives, positives = ((*(each.below_number(start) for start in both), each.below[-1]) for each in counts)
        cuts = without_column(self.concept_class)
        assert isinstance(cuts, Thresholds)
        return LabeledLineCounts(n, self.domain, self.classes, both, negatives, positives, cuts.direction, self.label)
