"""Classes that list their patterns on finitely many points, each pattern once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Column, Hypothesis, Labels, Value

PatternTable = tuple[Labels, list[Hypothesis]]  # patterns on distinct points, one per row, and a concept for each


class PatternClass(ConceptClass):
    """A class that lists its patterns on finitely many points. Points that repeat count once."""

    @abstractmethod
    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The patterns of the class on distinct points, each once."""

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        return self.pattern_table(self._distinct(points))[1]

    def patterns(self, points: Sequence[Value]) -> Labels:
        distinct = self._distinct(points)
        number = {point: i for i, point in enumerate(distinct)}
        return self.pattern_table(distinct)[0][:, [number[point] for point in self.named(points)]]

    def materialize(self, points: Sequence[Value] | None = None) -> ExplicitClass:
        distinct = self._distinct(self._whole_domain() if points is None else points)
        labels, hypotheses = self.pattern_table(distinct)
        return ExplicitClass(labels, points=distinct, concepts=hypotheses)

    def _distinct(self, points: Column) -> list[Hashable]:
        distinct = list(dict.fromkeys(self.named(points)))
        if not distinct:
            raise ValueError("no points were given; patterns need at least one point")
        return distinct


def each_once(labels: Labels, rules: Sequence[Hypothesis]) -> PatternTable:
    """The distinct rows of ``labels``, each with the first of the ``rules`` that has it; row i belongs to rule i."""
    first = first_of_each(labels)
    return labels[first], [rules[i] for i in first.tolist()]


def first_of_each(rows: Labels) -> NDArray[np.intp]:
    """The indices of the rows that differ from all earlier ones, in order."""
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    if packed.shape[1] == 1:  # numbers are compared much faster than bytes
        return np.sort(np.unique(packed, return_index=True)[1])
    row_bytes = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    return np.sort(np.unique(row_bytes, return_index=True)[1])
