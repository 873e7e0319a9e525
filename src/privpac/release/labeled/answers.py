"""Answers about labeled records: noisy outcomes of every rule of a class.

proof: docs/proofs/labeled_release.md
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.data.samples.sample import Ints, Sample
from privpac.data.values.allowed_types import missing
from privpac.exact.entropy import Entropy
from privpac.release.labeled.rates import Outcomes
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import RECORDS, Answers, Frame, headings

Classes = tuple[Hashable, ...]


class LabeledAnswers(Answers):
    """Outcomes of every rule of a class, as whole numbers; ``count`` is how many records a rule flags.

    The ``gap`` of a subclass is the largest error of TP, FN, FP, TN, and the numbers of flagged and unflagged records
    of all rules; if ``joint``, also of the numbers of wrong and right labels. Each of these counts the records in a
    set of pairs of a value and a label, so substituting one record changes it by at most 1.
    """

    classes: Classes  # negative, positive
    label: str  # the name of the column of labels, for tables

    @property
    def joint(self) -> bool:
        """Whether the gap also bounds the errors of the numbers of wrong and right labels."""
        return True

    @abstractmethod
    def outcomes(self, rule: Hypothesis) -> Outcomes:
        """The outcomes of a rule, as arrays with one entry; Refused if it is not a rule of the class."""

    @abstractmethod
    def all_outcomes(self) -> Outcomes:
        """The outcomes of all rules, or of those among which ``best`` chooses."""

    @abstractmethod
    def rule(self, i: int) -> Hypothesis:
        """The rule with entry i in ``all_outcomes``."""

    def count(self, query: Hypothesis) -> int:
        return int(self.outcomes(query).flagged[0])

    def _check_labels(self) -> None:
        if len(self.classes) != 2 or self.classes[0] == self.classes[1] or any(map(missing, self.classes)):
            raise ValueError("classes must be two different labels, (negative, positive)")


@dataclass(frozen=True)
class LabelFields:
    """The fields that a sanitizer of labeled records adds: (negative, positive), and the name of the labels' column."""

    classes: Classes = ()
    label: str = "label"
    theorem: ClassVar[str] = "labeled release, Theorem 1"

    @property
    def records_in_engine(self) -> Any:
        """None: the library itself counts labels and values together."""
        return None


def largest_gap(answered: Outcomes, true: Outcomes, *, joint: bool = True) -> int:
    """The largest error of TP, FN, FP, TN, of the flagged and the unflagged; if ``joint``, of the wrong and the right.

    >>> zero = np.zeros(1, dtype=np.int64)
    >>> largest_gap(Outcomes(zero + 1, zero, zero + 1, zero), Outcomes(zero, zero, zero, zero))
    2
    """
    tp, fn, fp, tn = (a - b for a, b in zip(answered, true, strict=True))
    errors = [tp, fn, fp, tn, tp + fp, fn + tn, *([fp + fn, tp + tn] if joint else [])]
    return max(int(np.abs(differences).max(initial=0)) for differences in errors)


def samples_by_label(sample: Sample) -> tuple[Sample, Sample]:
    """The negative records and the positive ones, as two samples of the same n; in each, all other records are void."""

    def part(chosen: NDArray[np.bool_]) -> Sample:
        counts = None if sample.counts is None else sample.counts[chosen]
        return Sample(sample.points[chosen], sample.labels[chosen], counts, sample.size)

    return part(~sample.labels), part(sample.labels)


def outcomes_of(flagged: tuple[Ints, Ints], totals: tuple[int, int]) -> Outcomes:
    """The outcomes of rules, from how many negative and how many positive records they flag, at most the totals.

    >>> [each.tolist() for each in outcomes_of((np.array([3]), np.array([9])), (10, 8))]
    [[8], [0], [3], [7]]
    """
    fp, tp = (np.minimum(counts, total) for counts, total in zip(flagged, totals, strict=True))
    return Outcomes(tp, totals[1] - tp, fp, totals[0] - fp)


@dataclass(frozen=True)
class AnswersByLabel(LabeledAnswers):
    """Answers about the records of either label, and how many records have it: ``totals``, negative first."""

    n: int
    classes: Classes
    negatives: Answers
    positives: Answers
    totals: tuple[int, ...]
    label: str = "label"

    def __post_init__(self) -> None:
        self._check_labels()
        if {self.negatives.n, self.positives.n} != {self.n} or len(self.totals) != 2:
            raise ValueError("answers about either label must be about the same records")
        if min(self.totals) < 0 or sum(self.totals) > self.n:
            raise ValueError("there cannot be more than n records of both labels together")

    @property
    def _halves(self) -> tuple[Answers, Answers]:
        return self.negatives, self.positives

    @property
    def _totals(self) -> tuple[int, int]:
        return self.totals[0], self.totals[1]

    def outcomes(self, rule: Hypothesis) -> Outcomes:
        negatives, positives = (np.array([half.count(rule)], dtype=np.int64) for half in self._halves)
        return outcomes_of((negatives, positives), self._totals)

    @abstractmethod
    def numbers(self, half: Answers) -> Ints:
        """The answers of one half about all rules, as an array."""

    @abstractmethod
    def true(self, half: Answers, sample: Sample) -> Ints:
        """The true counts of the records that these rules flag."""

    @cached_property
    def _all_outcomes(self) -> Outcomes:
        return outcomes_of((self.numbers(self.negatives), self.numbers(self.positives)), self._totals)

    def all_outcomes(self) -> Outcomes:
        return self._all_outcomes

    def gap(self, sample: Sample) -> int:
        """The largest error of all rules, and of the two totals."""
        parts = samples_by_label(sample)
        sizes = [int(part.labels.size if part.counts is None else part.counts.sum()) for part in parts]
        fp, tp = (self.true(half, part) for half, part in zip(self._halves, parts, strict=True))
        true = outcomes_of((fp, tp), (sizes[0], sizes[1]))
        total_gap = max(abs(total - size) for total, size in zip(self.totals, sizes, strict=True))
        return max(largest_gap(self.all_outcomes(), true), total_gap)

    @property
    def fitting(self) -> tuple[int, int]:
        return sum(self.totals), 2

    @property
    def subject(self) -> str:
        return "How many records each rule labels wrongly"

    def counts(self) -> Frame:
        """A row for each label and rule, with the number of records of this label that the rule flags.

        Both halves list their rules in the order of ``numbers``.
        """
        frame, outcomes = self.negatives.counts(), self.all_outcomes()
        names = [name for name in frame if name != RECORDS]
        (heading,) = headings([self.label], *names, RECORDS)
        labels: list[object] = [label for label in self.classes for _ in range(len(outcomes.fp))]
        flagged: list[object] = [*outcomes.fp.tolist(), *outcomes.tp.tolist()]
        return {**{name: [*frame[name], *frame[name]] for name in names}, heading: labels, RECORDS: flagged}

    def rows(self, size: int, coins: Entropy) -> Frame:
        drawn = spread(list(self.totals), size, coins)
        sizes = [int((drawn == i).sum()) for i in range(2)]
        frames = [half.rows(number, coins) for half, number in zip(self._halves, sizes, strict=True)]
        (heading,) = headings([self.label], *frames[0])
        labels: list[object] = [label for label, number in zip(self.classes, sizes, strict=True) for _ in range(number)]
        return {**{name: [*frames[0][name], *frames[1][name]] for name in frames[0]}, heading: labels}
