"""Unions of classes: the concepts of several classes together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privpac.classes.compositions.compose import Combination, common_domain, patterns_of_all
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.patterns import PatternTable, each_once
from privpac.classes.hypothesis import Value


@dataclass(frozen=True, init=False, repr=False)
class Union(Combination):
    """The concepts of several classes, on the same points or on columns of one table.

    Decision stumps are the union of thresholds on each column.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> stumps = Union(*(Thresholds(0, 9, direction="either").on(column) for column in ("width", "height")))
    >>> stumps.size, stumps.materialize({"width": [1, 5, 9], "height": [2, 7, 3]})
    (40, ExplicitClass(8 concepts, 3 points))
    """

    parts: tuple[ConceptClass, ...]

    def __init__(self, *classes: ConceptClass) -> None:
        if not classes:
            raise ValueError("a union needs at least one class")
        object.__setattr__(self, "parts", classes)
        common_domain(classes)

    @property
    def size(self) -> int | float:
        """The sum of the sizes of the parts: at least the number of concepts, since parts may share some."""
        sizes = [part.size for part in self.parts]
        return math.inf if math.inf in sizes else sum(sizes)  # the sum of ∞ and a large integer is no float

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        return each_once(*patterns_of_all(self.parts, points))
