"""[ABMS20, Alg. 2] without a table: for cuts and points, the errors of all patterns follow from a few counts.

[ABMS20]  docs/references.bib        proof: docs/proofs/abms20.md, Theorem 1, whose patterns these are

Throughout this file
    D      the examples on which patterns are scored        k    the number of distinct points of a sample
    base   the errors on D if every label is 0
    sign   for each example of D, by how much the errors change if its label is 1: −1, 0, or 1
    wrong  for each point, the sum of sign over its examples of D: a pattern that labels exactly the points Q with 1
           errs on base + Σ wrong(x), x in Q
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Labels
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.values.tables import pick
from privpac.papers.paper_learner import Examples

Signs = NDArray[np.int64]


class ScoredPatterns(NamedTuple):
    """Every pattern once: its number of errors on D, and the labels that it gives to all records."""

    errors: NDArray[np.int64]
    labels: Callable[[int], Labels]


def signs(D: Examples) -> tuple[int, Signs]:
    """``base`` and ``sign`` if a label is wrong wherever it is not the example's.

    >>> signs(((3, False), (7, True)))
    (1, array([ 1, -1]))
    """
    sign = np.array([1 - 2 * y for _, y in D], dtype=np.int64)
    return int((sign < 0).sum()), sign


def sums(place: NDArray[np.intp], sign: Signs, k: int) -> NDArray[np.int64]:
    """Σ sign over the examples at each of k places: integers alone.

    >>> sums(np.array([0, 2, 0]), np.array([1, -1, 1]), 3)
    array([ 2,  0, -1])
    """
    return np.bincount(place[sign > 0], minlength=k) - np.bincount(place[sign < 0], minlength=k)


def on_points(H: ConceptClass, points: Sequence[Any]) -> tuple[ConceptClass, Sequence[Any]]:
    """The class itself if H reads one column, and what stands there.

    >>> on_points(Points(9).on(1), [(3, 4), (5, 6)])[1]
    [4, 6]
    """
    return (H.concept_class, pick(points, H.column).tolist()) if isinstance(H, OnColumn) else (H, points)


def has_closed_form(H: ConceptClass) -> bool:
    """Whether the patterns of H need no table: thresholds that may lie at every value, and points; also on a column.

    >>> has_closed_form(Thresholds(0, 2**64)), has_closed_form(Thresholds(0, 150, step=5))
    (True, False)
    """
    if isinstance(H, OnColumn):
        return not H.missing and has_closed_form(H.concept_class)
    return (type(H) is Thresholds and H.domain.step is None) or type(H) is Points


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """The patterns of a class on the points of records; ``place`` is each record's point among the k distinct ones."""

    H: ConceptClass
    place: NDArray[np.intp]
    k: int

    @classmethod
    def on(cls, H: ConceptClass, points: Sequence[Any]) -> Self:
        """Distinct points are in order on a line."""
        H, points = on_points(H, points)
        if isinstance(H, Thresholds):
            distinct, place = np.unique(H.encode(list(points)), return_inverse=True)
            return cls(H, place.reshape(-1), len(distinct))
        named = H.named(list(points))
        column_of = {p: i for i, p in enumerate(dict.fromkeys(named))}
        return cls(H, np.array([column_of[x] for x in named], dtype=np.intp), len(column_of))

    @property
    def direction(self) -> str:
        """Where a threshold says 1; no direction for points."""
        return self.H.direction if isinstance(self.H, Thresholds) else ""

    @property
    def patterns(self) -> int:
        """How many there are."""
        return len(self.errors(0, np.zeros(0, dtype=np.int64)))

    def errors(self, base: int, sign: Signs) -> NDArray[np.int64]:
        """The errors of each pattern on D, which are the first records.

        Cut j, 0 ≤ j ≤ k, has the points 0 … j − 1 below it; above and below, both constants are the same patterns.
        Points: each of them alone, and none, if the domain has others.
        """
        wrong = sums(self.place[: len(sign)], sign, self.k)
        if not self.direction:
            return base + np.append(wrong, [0] if self.k < self.H.size else []).astype(np.int64)
        below = np.concatenate([[0], np.cumsum(wrong)])
        above = below[-1] - below
        either = np.concatenate([above, below[1:-1]])
        return np.asarray(base + {"above": above, "below": below, "either": either}[self.direction], dtype=np.int64)

    def labels(self, j: int) -> Labels:
        """The labels that pattern j gives to all records."""
        if not self.direction:
            labels = self.place == j
        elif self.direction == "below" or j > self.k:
            labels = self.place < (j if self.direction == "below" else j - self.k)
        else:
            labels = self.place >= j
        return np.asarray(labels)


def scored_patterns(H: ConceptClass, points: Sequence[Any], D: Examples) -> ScoredPatterns:
    """The patterns of H on the points of all records, the first of which are the examples D.

    >>> cuts = scored_patterns(Thresholds(0, 9, direction="above"), [3, 7, 7, 5], ((3, False), (7, True)))
    >>> cuts.errors.tolist(), cuts.labels(1).tolist()
    ([1, 0, 0, 1], [False, True, True, True])
    """
    form = ClosedForm.on(H, points)
    return ScoredPatterns(form.errors(*signs(D)), form.labels)
