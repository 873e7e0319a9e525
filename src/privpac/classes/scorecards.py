"""Scorecards over tests on declared columns: linear threshold functions that people read as points.

Throughout this file
    T      the number of tests of all parts            P      finitely many points

A test is a concept of a part, as in decision trees. A scorecard gives each test an integer number of points. Where the
points of the tests that hold are enough, its label is 1.

Main declarations
    Scorecards    all scorecards over the tests of some parts
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

from privpac.classes.base import ConceptClass, Constant, Hypothesis, Labels
from privpac.classes.compose import Combination, common_domain
from privpac.classes.decision_trees import column_parts, dividing_tests, number_of_tests
from privpac.classes.patterns import first_of_each
from privpac.classes.scorecard_rules import scorecard
from privpac.classes.shell import Part
from privpac.data.refusal import Refused

LARGEST = (0, 1, 1, 2, 3)  # the points that suffice for all threshold functions of 0, 1, … tests
SIZED = 2**10  # tests of a class whose size is written out


@dataclass(frozen=True, init=False, repr=False)
class Scorecards(Combination):
    """All scorecards over the tests of some parts, which are those of :class:`~privpac.classes.decision_trees.Trees`.

    >>> from privpac.classes.line import Thresholds
    >>> from privpac.classes.points import Points
    >>> cards = Scorecards(Thresholds(0, 2).on("age"), Points().on("job", values=("clerk", "nurse")))
    >>> rules = cards.representatives({"age": [0, 1, 2], "job": ["clerk", "nurse", "clerk"]})
    >>> [str(h) for h in rules][:5]
    ['never', 'always', 'age < 1', 'age ≥ 1', 'age < 2']
    """

    shell_name: ClassVar[str] = "scorecards"
    parts: tuple[ConceptClass, ...]

    def __init__(self, *parts: ConceptClass) -> None:
        if not parts:
            raise Refused("part", "scorecards need at least one part, such as Thresholds(17, 90).on('age')")
        object.__setattr__(self, "parts", parts)
        common_domain(parts)

    @classmethod
    def from_shell(cls, part: Part) -> Self:
        """The parts as they are written."""
        return cls(*column_parts(part))

    @property
    def size(self) -> int | float:
        """2^(T² + 1): at least the number of concepts, since T tests have at most that many threshold functions."""
        T = sum(map(number_of_tests, self.parts))
        return 2 ** (int(T) ** 2 + 1) if T <= SIZED else math.inf

    def shown(self, points: Sequence[Any]) -> tuple[Labels, list[Hypothesis]]:
        """The patterns of all scorecards, each once; fewer tests first. For at most four tests that divide P."""
        tests, rules = dividing_tests(self.parts, points)
        if len(rules) >= len(LARGEST):
            few = f"the patterns of scorecards are listed for at most {len(LARGEST) - 1} tests, and more divide these"
            raise Refused("points", f"{few} points; give fewer points, or use Trees")
        labels = [np.full((2, len(points)), [[False], [True]])]
        found: list[Hypothesis] = [Constant(False), Constant(True)]
        largest = LARGEST[len(rules)]
        for given in sorted(product(range(-largest, largest + 1), repeat=len(rules)), key=_readable):
            total = np.array(given, dtype=np.int64) @ tests.astype(np.int64) if given else np.zeros(len(points))
            for enough in sorted(set(total.tolist()))[1:]:
                labels.append((total >= enough)[None])
                found.append(scorecard(rules, given, int(enough)))
        every = np.concatenate(labels)
        first = first_of_each(every).tolist()
        return every[first], [found[i] for i in first]


def _readable(points: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    """Few tests first, then few points, then earlier tests."""
    return sum(map(bool, points)), sum(map(abs, points)), tuple(-abs(each) for each in points)
