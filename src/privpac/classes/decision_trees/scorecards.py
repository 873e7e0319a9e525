"""Scorecards: each test has points, and the label is positive if a record's points are enough.

They are linear threshold functions that people can read. A test is a concept of a part, as in decision trees. A missing
value passes no test, so it brings no points.

Throughout this file
    T      the number of tests of all parts            P      finitely many points
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.trees import OverTests, dividing_tests, number_of_tests
from privpac.classes.finite.patterns import first_of_each
from privpac.classes.hypothesis import Column, Constant, Hypothesis, Labels, Value
from privpac.classes.picture_shapes import DrawnPoints, Pills, Shape
from privpac.data.domains.domain import Domain
from privpac.data.values.tables import records
from privpac.refusals.refusal import Refused

MOST_SAID = 3  # the most tests in a sentence
MOST_POINTS = 2**31 - 1  # the most points in total: every database's integers hold them
LARGEST = (0, 1, 1, 2, 3)  # the points that suffice for all threshold functions of 0, 1, … tests
SIZED = 2**10  # the most tests of a class whose size is written out


@dataclass(frozen=True)
class Scorecard(Hypothesis):
    """The label is positive if the ``points`` of the ``tests`` that hold add up to ``enough`` or more.

    >>> from privpac.classes.compositions.rules import ColumnRule
    >>> from privpac.classes.lines.rules import Threshold
    >>> from privpac.classes.values.points import OneOf
    >>> grown, clerk = ColumnRule(Threshold(40), "age"), ColumnRule(OneOf(frozenset(["clerk"])), "job")
    >>> card = Scorecard((grown, clerk), (3, -2), 2)
    >>> print(card, card({"age": [40, 40, 39, None], "job": ["nurse", "clerk", "nurse", "nurse"]}))
    at least 2 points: age ≥ 40 +3, job = clerk −2 [ True False False False]
    """

    tests: tuple[Hypothesis, ...]
    points: tuple[int, ...]
    enough: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.tests or len(self.tests) != len(self.points):
            raise ValueError("a scorecard needs at least one test, and points for each")
        if sum(map(abs, self.points)) + abs(self.enough) > MOST_POINTS:
            raise ValueError(f"the points of a scorecard may add up to at most {MOST_POINTS}")

    @property
    def constant(self) -> bool | None:
        """The label, if the least or the most possible points decide it."""
        if sum(points for points in self.points if points > 0) < self.enough:
            return False
        return True if sum(points for points in self.points if points < 0) >= self.enough else None

    def total(self, column: Column, /) -> NDArray[np.int64]:
        """The points of every record."""
        total = np.zeros(records(column), dtype=np.int64)
        for test, points in zip(self.tests, self.points, strict=True):
            total += np.where(test(column), points, 0)
        return total

    def __call__(self, column: Column, /) -> Labels:
        labels: Labels = self.total(column) >= self.enough
        return labels

    def sentence(self, *names: str) -> str:
        """The points that are enough, and the tests that bring or take most."""
        if self.constant is not None:
            return Constant(self.constant).sentence()
        heaviest = sorted(range(len(self.tests)), key=lambda i: -abs(self.points[i]))[:MOST_SAID]
        texts = [f"{self.tests[i].sentence(*names)} {signed(self.points[i])}" for i in sorted(heaviest)]
        rest = len(self.tests) - len(texts)
        more = [f"and {rest} more test{'s' * (rest > 1)}"] if rest else []
        plural = "" if self.enough == 1 else "s"
        return f"at least {with_minus(self.enough)} point{plural}: {', '.join(texts + more)}"

    def drawing(self, domain: Domain | None, columns: Sequence[str]) -> tuple[Shape, ...]:
        """A table of all tests with their points."""
        if self.constant is not None:
            return (Pills((("every record", self.constant),)),)
        lines = [(test.sentence(*columns), points) for test, points in zip(self.tests, self.points, strict=True)]
        return (DrawnPoints(tuple(lines), self.enough),)


def with_minus(points: int) -> str:
    """A number with a minus sign, as people write it.

    >>> print(with_minus(-2))
    −2
    """
    return str(points).replace("-", "−")


def signed(points: int) -> str:
    """Points with their sign.

    >>> print(signed(3), signed(-2))
    +3 −2
    """
    return f"+{points}" if points > 0 else with_minus(points)


def scorecard(tests: Sequence[Hypothesis], points: Sequence[int], enough: int) -> Hypothesis:
    """The rule of these tests and points, divided by what all points have in common.

    >>> from privpac.classes.lines.rules import Threshold
    >>> print(scorecard([Threshold(3), Threshold(5), Threshold(7)], [4, 0, 2], 5))
    at least 3 points: x ≥ 3 +2, x ≥ 7 +1
    >>> print(scorecard([Threshold(3)], [-2], 0), "|", scorecard([Threshold(3)], [2], 3))
    x < 3 | never
    """
    scored = [(test, value) for test, value in zip(tests, points, strict=True) if value]
    if not scored:
        return Constant(enough <= 0)
    unit = gcd(*(value for _, value in scored))
    card = Scorecard(tuple(test for test, _ in scored), tuple(value // unit for _, value in scored), -(-enough // unit))
    if card.constant is not None:
        return Constant(card.constant)
    (test, *others), rising = card.tests, card.points[0] > 0
    return card if others else test if rising else Split(test, Constant(False), Constant(True))


@dataclass(frozen=True, init=False, repr=False)
class Scorecards(OverTests):
    """All scorecards over the tests of some parts, which are those of :class:`Trees`.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.values.points import Points
    >>> cards = Scorecards(Thresholds(0, 2).on("age"), Points().on("job", values=("clerk", "nurse")))
    >>> rules = cards.representatives({"age": [0, 1, 2], "job": ["clerk", "nurse", "clerk"]})
    >>> [str(h) for h in rules][:5]
    ['never', 'always', 'age < 1', 'age ≥ 1', 'age < 2']
    """

    shell_name: ClassVar[str] = "scorecards"
    title: ClassVar[str] = "scorecards"

    @property
    def size(self) -> int | float:
        """2^(T² + 1): at least the number of concepts, since T tests have at most that many threshold functions."""
        T = sum(map(number_of_tests, self.parts))
        return 2 ** (int(T) ** 2 + 1) if T <= SIZED else math.inf

    def pattern_table(self, points: Sequence[Value]) -> tuple[Labels, list[Hypothesis]]:
        """The patterns of all scorecards, each once; fewer tests first. For at most four tests that divide P."""
        tests, rules = dividing_tests(self.parts, points)
        if len(rules) >= len(LARGEST):
            few = f"the patterns of scorecards are listed for at most {len(LARGEST) - 1} tests, and more divide these"
            raise Refused("points", f"{few} points; give fewer points, or use Trees")
        labels = [np.full((2, len(points)), [[False], [True]])]
        cards: list[Hypothesis] = [Constant(False), Constant(True)]
        largest = LARGEST[len(rules)]
        for weights in sorted(product(range(-largest, largest + 1), repeat=len(rules)), key=_readable):
            total = np.array(weights, dtype=np.int64) @ tests.astype(np.int64) if weights else np.zeros(len(points))
            for enough in sorted(set(total.tolist()))[1:]:
                labels.append((total >= enough)[None])
                cards.append(scorecard(rules, weights, int(enough)))
        every = np.concatenate(labels)
        first = first_of_each(every).tolist()
        return every[first], [cards[i] for i in first]


def _readable(points: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    """Few tests first, then few points, then earlier tests."""
    return sum(map(bool, points)), sum(map(abs, points)), tuple(-abs(each) for each in points)
