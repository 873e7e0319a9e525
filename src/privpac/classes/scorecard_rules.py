"""Scorecards as hypotheses: each test has points, and the label is positive if a record's points are enough.

A missing value passes no test, so it brings no points.

Main declarations
    Scorecard    tests with points, and how many points are enough
    scorecard    the same rule in its smallest form: without idle points, or as a test or a constant
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np

from privpac.classes.base import Constant, Hypothesis, Labels
from privpac.classes.drawing import DrawnPoints, Pills, Shape
from privpac.classes.tree_rules import Split
from privpac.data.domain import Domain
from privpac.data.tables import records

MOST_SAID = 3  # tests in a sentence
MOST_POINTS = 2**31 - 1  # in total: what integers of any database can hold


@dataclass(frozen=True)
class Scorecard(Hypothesis):
    """The label is positive if the ``points`` of the ``tests`` that hold add up to ``enough`` or more.

    >>> from privpac.classes.composed import ColumnRule
    >>> from privpac.classes.cuts import Threshold
    >>> from privpac.classes.points import OneOf
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

    def __call__(self, column: Any, /) -> Labels:
        total = np.zeros(records(column), dtype=np.int64)
        for test, points in zip(self.tests, self.points, strict=True):
            total += np.where(test(column), points, 0)
        labels: Labels = total >= self.enough
        return labels

    def sentence(self, *names: str) -> str:
        """The points that are enough, and the tests that bring or take most."""
        if self.constant is not None:
            return Constant(self.constant).sentence()
        heaviest = sorted(range(len(self.tests)), key=lambda i: -abs(self.points[i]))[:MOST_SAID]
        listed = [f"{self.tests[i].sentence(*names)} {signed(self.points[i])}" for i in sorted(heaviest)]
        left = len(self.tests) - len(listed)
        more = [f"and {left} more test{'s' * (left > 1)}"] if left else []
        plural = "" if self.enough == 1 else "s"
        return f"at least {with_minus(self.enough)} point{plural}: {', '.join(listed + more)}"

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

    >>> from privpac.classes.cuts import Threshold
    >>> print(scorecard([Threshold(3), Threshold(5), Threshold(7)], [4, 0, 2], 5))
    at least 3 points: x ≥ 3 +2, x ≥ 7 +1
    >>> print(scorecard([Threshold(3)], [-2], 0), "|", scorecard([Threshold(3)], [2], 3))
    x < 3 | never
    """
    kept = [(test, value) for test, value in zip(tests, points, strict=True) if value]
    if not kept:
        return Constant(enough <= 0)
    unit = gcd(*(value for _, value in kept))
    card = Scorecard(tuple(test for test, _ in kept), tuple(value // unit for _, value in kept), -(-enough // unit))
    if card.constant is not None:
        return Constant(card.constant)
    (test, *others), rising = card.tests, card.points[0] > 0
    return card if others else test if rising else Split(test, Constant(False), Constant(True))
