"""The public regions of a rule: the leaves of a tree, the bands of a scorecard, the sides of any other rule.

A released rule divides all records into regions, and gives every record of a region the same label. So counts of
(region, label) tell how often the rule errs, and also how the label is spread over the regions.

Regions and labels are numbered: a region by its position in the list of regions, a label by its position among the
declared labels (0 and 1 for a boolean rule). A path is the sequence of tests above a leaf, each with its outcome.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isqrt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.decision_trees.rules import Answer, Path, Split, answer_is, simplified
from privpac.classes.decision_trees.scorecards import Scorecard, negated, with_minus
from privpac.classes.decision_trees.sentences import Junction, Literal, clause_sentence, denial
from privpac.classes.hypothesis import Column, Constant, Hypothesis
from privpac.data.values.tables import records

Places = NDArray[np.intp]  # for each record, the number of its region
BANDS = 9  # the most bands of a scorecard


class Partition(ABC):
    """All records, divided into regions. In each region, ``rule`` gives one label."""

    ordered: ClassVar[bool] = True  # whether the rule ranks its regions; they are then listed from the highest down
    rule: Hypothesis

    @property
    @abstractmethod
    def labels(self) -> tuple[int, ...]:
        """The number of the label that the rule gives in each region."""

    @abstractmethod
    def places(self, column: Column, /) -> Places:
        """The number of the region in which each record lies."""

    @abstractmethod
    def sentences(self, *names: str) -> list[str]:
        """Each region in words."""

    @abstractmethod
    def relabeled(self, labels: Sequence[int]) -> Hypothesis:
        """The rule that gives these labels in the regions."""

    @property
    def number(self) -> int:
        """How many regions there are."""
        return len(self.labels)


@dataclass(frozen=True)
class Sides(Partition):
    """The records that a rule labels positive, and all others.

    >>> from privpac.classes.lines.rules import Threshold
    >>> sides = Sides(Threshold(37))
    >>> sides.places([12, 37]).tolist(), sides.sentences("delay")
    ([1, 0], ['delay ≥ 37', 'delay < 37'])
    """

    rule: Hypothesis

    @property
    def labels(self) -> tuple[int, ...]:
        return 1, 0

    def places(self, column: Column, /) -> Places:
        return np.where(self.rule(column), 0, 1).astype(np.intp)

    def sentences(self, *names: str) -> list[str]:
        if self.rule.constant is not None:
            return ["every record", "every record"]
        if isinstance(self.rule, Split):
            return [tree.sentence(*names) for tree in (self.rule, negated(self.rule))]
        opposite = self.rule.opposite
        negative = denial(self.rule, *names) if opposite is None else opposite.sentence(*names)
        return [self.rule.sentence(*names), negative]

    def relabeled(self, labels: Sequence[int]) -> Hypothesis:
        if labels[0] == labels[1]:
            return Constant(bool(labels[0]))
        return self.rule if labels[0] else Split(self.rule, Constant(False), Constant(True))


@dataclass(frozen=True)
class Answers(Partition):
    """One region for each label that occurs in a tree with more than two declared labels.

    >>> from privpac.classes.lines.rules import Threshold
    >>> from privpac.classes.decision_trees.rules import LabelSplit
    >>> tree = LabelSplit(Threshold(48), Answer(2), LabelSplit(Threshold(18), Answer(0), Answer(2)))
    >>> answers = Answers(tree)
    >>> answers.places([70, 20, 3]).tolist(), answers.labels, answers.sentences("age")
    ([0, 1, 0], (2, 0), ['age ≥ 48 or age < 18', '18 ≤ age < 48'])
    """

    rule: Hypothesis

    @property
    def labels(self) -> tuple[int, ...]:
        return self.rule.answers or ()  # type: ignore[return-value]

    def places(self, column: Column, /) -> Places:
        is_label = self.rule(column)[:, None] == np.array(
            self.labels
        )  # a row for each record, a column for each region
        return np.asarray(np.argmax(is_label, axis=1))

    def sentences(self, *names: str) -> list[str]:
        if not isinstance(self.rule, Split):
            return ["every record"]
        return [answer_is(self.rule, label).sentence(*names) for label in self.labels]

    def relabeled(self, labels: Sequence[int]) -> Hypothesis:
        leaves = Leaves(self.rule)
        new_label = dict(zip(self.labels, labels, strict=True))
        return leaves.relabeled([new_label[label] for label in leaves.labels])


@dataclass(frozen=True)
class Leaves(Partition):
    """The leaves of a decision tree, from the branch where all tests hold to the one where none does.

    >>> from privpac.classes.lines.rules import Threshold
    >>> tree = Split(Threshold(48), Split(Threshold(66), Constant(True), Constant(False)), Constant(False))
    >>> leaves = Leaves(tree)
    >>> leaves.places([70, 50, 20]).tolist(), leaves.labels, leaves.sentences("age")
    ([0, 1, 2], (1, 0, 0), ['age ≥ 66', '48 ≤ age < 66', 'age < 48'])
    """

    ordered: ClassVar[bool] = False
    rule: Hypothesis

    @cached_property
    def _leaves(self) -> list[tuple[Path, Constant | Answer]]:
        return list(_leaves(self.rule, ()))

    @property
    def labels(self) -> tuple[int, ...]:
        return tuple(int(leaf.label) for _, leaf in self._leaves)  # type: ignore[call-overload]

    def places(self, column: Column, /) -> Places:
        return _places(self.rule, column, 0)[0]

    def sentences(self, *names: str) -> list[str]:
        paths = [tuple(Literal(test, passed) for test, passed in path) for path, _ in self._leaves]
        return [clause_sentence(Junction("and", path), names) if path else "every record" for path in paths]

    def relabeled(self, labels: Sequence[int]) -> Hypothesis:
        return simplified(with_labels(self.rule, iter(labels)))


@dataclass(frozen=True)
class Bands(Partition):
    """Bands of a scorecard's points, the highest first.

    ``cuts`` decrease; each is the smallest number of points in its band. The last band lies below all cuts.

    >>> from privpac.classes.lines.rules import Threshold
    >>> card = Scorecard((Threshold(3), Threshold(5), Threshold(7)), (2, 1, 3), 3)
    >>> bands = Bands(card, (6, 3))
    >>> bands.places([1, 6, 9]).tolist(), bands.labels, bands.sentences()
    ([2, 1, 0], (1, 1, 0), ['at least 6 points', '3 to 5 points', 'at most 2 points'])
    """

    rule: Scorecard
    cuts: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.rule.enough not in self.cuts or list(self.cuts) != sorted(set(self.cuts), reverse=True):
            raise ValueError("the cuts must decrease, and one of them must be the number of points that is enough")

    @property
    def labels(self) -> tuple[int, ...]:
        return *(int(cut >= self.rule.enough) for cut in self.cuts), 0

    def places(self, column: Column, /) -> Places:
        rising = np.array(self.cuts[::-1], dtype=np.int64)
        return len(self.cuts) - np.searchsorted(rising, self.rule.total(column), side="right").astype(np.intp)

    def sentences(self, *names: str) -> list[str]:
        first, last = f"at least {_points(self.cuts[0])}", f"at most {_points(self.cuts[-1] - 1)}"
        between = [
            _points(low) if low == high else f"{with_minus(low)} to {with_minus(high)} points"
            for low, high in zip(self.cuts[1:], (cut - 1 for cut in self.cuts), strict=False)
        ]
        return [first, *between, last]

    def relabeled(self, labels: Sequence[int]) -> Hypothesis:
        positive = sum(labels)  # the number of positive bands
        if list(labels) != [1] * positive + [0] * (self.number - positive):
            raise ValueError("a scorecard labels the bands above a number of points positive")
        if positive in (0, self.number):
            return Constant(bool(positive))
        return replace(self.rule, enough=self.cuts[positive - 1])


def finest(rule: Hypothesis, most: int) -> Partition:
    """The leaves of a tree or the bands of a scorecard, at most ``most``; otherwise the two sides of the rule."""
    if isinstance(rule, Split):
        tree = simplified(rule)
        if isinstance(tree, Split) and 2 < (leaves := Leaves(tree)).number <= most:
            return leaves
    if rule.answers is not None:
        return Answers(simplified(rule))
    if isinstance(rule, Scorecard) and rule.constant is None:
        return Bands(rule, _cuts(rule, min(most, BANDS)))
    return Sides(rule)


def _cuts(card: Scorecard, bands: int) -> tuple[int, ...]:
    """Decreasing cuts at equal distances around ``enough``. Cuts that all records reach, or none, are left out.

    If half of the records passed each test, independently, the total of the points would have a standard deviation of
    half the root of the sum of their squares. The bands span four standard deviations.
    """
    lowest_total = sum(min(points, 0) for points in card.points)
    highest_total = sum(max(points, 0) for points in card.points)
    four_deviations = 2 * isqrt(sum(points**2 for points in card.points))
    step = max(-(-four_deviations // bands), 1)  # rounded up
    cuts_above = (bands - 1) // 2  # the number of cuts above ``enough``; bands − 1 cuts in all
    cuts = [card.enough + step * i for i in range(cuts_above, cuts_above - bands + 1, -1)]
    return tuple(cut for cut in cuts if lowest_total < cut <= highest_total)


def _leaves(tree: Hypothesis, path: Path) -> Iterator[tuple[Path, Constant | Answer]]:
    """The leaves of a subtree in order, each with its path; ``path`` leads to the subtree."""
    if isinstance(tree, Split):
        yield from _leaves(tree.yes, (*path, (tree.test, True)))
        yield from _leaves(tree.no, (*path, (tree.test, False)))
    else:
        assert isinstance(tree, Constant | Answer)
        yield path, tree


def _places(tree: Hypothesis, column: Column, first: int) -> tuple[Places, int]:
    """The number of each record's leaf, where leaves count from ``first``; and the number after the last leaf."""
    if not isinstance(tree, Split):
        return np.full(records(column), first, dtype=np.intp), first + 1
    yes_places, first_of_no = _places(tree.yes, column, first)
    no_places, after_last = _places(tree.no, column, first_of_no)
    return np.where(tree.test(column), yes_places, no_places), after_last


def with_labels(tree: Hypothesis, labels: Iterator[int]) -> Hypothesis:
    """The tree with the same tests, and with the labels of these numbers at its leaves, in order."""
    if not isinstance(tree, Split):
        return Answer(next(labels)) if isinstance(tree, Answer) else Constant(bool(next(labels)))
    yes = with_labels(tree.yes, labels)
    return replace(tree, yes=yes, no=with_labels(tree.no, labels))


def _points(number: int) -> str:
    return f"{with_minus(number)} point{'s' * (number != 1)}"
