"""Trees or scorecards, whichever suits the number of records: the class that is learned if a user names none.

The learner of this class chooses one of its members from public numbers, before it reads a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from privpac.classes.compositions.compose import Union
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import OverTests, Trees
from privpac.classes.finite.patterns import PatternTable
from privpac.classes.hypothesis import Value


@dataclass(frozen=True, init=False, repr=False)
class Auto(OverTests):
    """Trees of depth 2 and of depth 3, scorecards, and scorecards with pairs; parts are as in :class:`Trees`.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.values.points import Points
    >>> rules = Auto(Thresholds(17, 90).on("age"), Points().on("job", values=("clerk", "nurse")))
    >>> [type(member).__name__ for member in rules.members]
    ['Trees', 'Trees', 'Scorecards', 'Scorecards']
    """

    shell_name: ClassVar[str] = "auto"
    title: ClassVar[str] = "trees and scorecards"

    @property
    def members(self) -> tuple[Trees | Scorecards, ...]:
        """The classes that a learner chooses from."""
        return *self.trees, *self.cards

    @property
    def trees(self) -> tuple[Trees, Trees]:
        return Trees(*self.parts, depth=2), Trees(*self.parts, depth=3)

    @property
    def cards(self) -> tuple[Scorecards, Scorecards]:
        return Scorecards(*self.parts), Scorecards(*self.parts, pairs=True)

    @property
    def size(self) -> int | float:
        """The sum of the sizes of the members: at least the number of concepts."""
        return Union(*self.members).size

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        return Union(*self.members).pattern_table(points)
