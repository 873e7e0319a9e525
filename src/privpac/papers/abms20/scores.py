"""[ABMS20, Def. 5.1, Eq. 17]: the scores of patterns, from a table of them or, for cuts and points, from a few counts.

proof: docs/proofs/abms20.md, Theorem 1, whose patterns these are, and Theorems 6 and 8

Throughout this file
    D      the examples on which patterns are scored        k    the number of distinct points of a sample
    base   the errors on D if every label is 0
    sign   for each example of D, by how much the errors change if its label is 1: −1, 0, or 1
    wrong  for each point, the sum of sign over its examples of D: a pattern that labels exactly the points Q with 1
           errs on base + Σ wrong(x), x in Q

    In step i of Algorithm 5:
    G      a boolean function of k bits          h_1, …, h_{i−1}    what earlier steps ``learned``
    H_i    the class of this step                c_{i+1}, …, c_k    concepts of the ``later`` classes
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.boolean_functions import Gate
from privpac.classes.hypothesis import Hypothesis, Labels
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.data.values.tables import pick
from privpac.papers.abms20.patterns import Patterns
from privpac.papers.paper_learner import Examples

# (labels: a row for each pattern, a column for each example of D; D) → the score q of each pattern
Score = Callable[[Labels, Examples], NDArray[np.int64]]
Signs = NDArray[np.int64]
BITS = np.array([False]), np.array([True])


def pattern_errors(rows: Labels, D: Examples) -> NDArray[np.int64]:
    """How many examples of D each pattern gets wrong; ``rows[i, j]`` is the label that pattern i gives example j.

    >>> pattern_errors(np.array([[True, True], [True, False]]), ((3, True), (7, False)))
    array([1, 0])
    """
    return np.asarray((rows != np.array([y for _, y in D], dtype=bool)).sum(axis=1, dtype=np.int64))


class ScoredPatterns(NamedTuple):
    """Every pattern once: its number of errors on D, and the labels that it gives to all records."""

    errors: NDArray[np.int64]
    labels: Callable[[int], Labels]


def signs(D: Examples) -> tuple[int, Signs]:
    """``base`` and ``sign`` of the plain score, which counts the examples whose label a pattern gets wrong.

    >>> signs(((3, False), (7, True)))
    (1, array([ 1, -1]))
    """
    sign = np.array([1 - 2 * y for _, y in D], dtype=np.int64)
    return int((sign < 0).sum()), sign


def sums(place: NDArray[np.intp], sign: Signs, k: int) -> NDArray[np.int64]:
    """Σ sign over the examples at each of k places, without the floats that weights of ``np.bincount`` would bring.

    >>> sums(np.array([0, 2, 0]), np.array([1, -1, 1]), 3)
    array([ 2,  0, -1])
    """
    return np.bincount(place[sign > 0], minlength=k) - np.bincount(place[sign < 0], minlength=k)


def class_and_points(H: ConceptClass, points: Sequence[Any]) -> tuple[ConceptClass, Sequence[Any]]:
    """H and the points; for a class on one column, the class that reads its values, and these values.

    >>> class_and_points(Points(9).on(1), [(3, 4), (5, 6)])[1]
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
        """The closed form for these points. On a line, the distinct points are in order."""
        H, points = class_and_points(H, points)
        if isinstance(H, Thresholds):
            distinct, place = np.unique(H.encode(list(points)), return_inverse=True)
            return cls(H, place.reshape(-1), len(distinct))
        names = H.named(list(points))
        place_of = {x: i for i, x in enumerate(dict.fromkeys(names))}
        return cls(H, np.array([place_of[x] for x in names], dtype=np.intp), len(place_of))

    @property
    def direction(self) -> str:
        """Where a threshold says 1; no direction for points."""
        return self.H.direction if isinstance(self.H, Thresholds) else ""

    @property
    def patterns(self) -> int:
        """How many patterns there are."""
        return len(self.errors(0, np.zeros(0, dtype=np.int64)))

    def errors(self, base: int, sign: Signs) -> NDArray[np.int64]:
        """The errors of each pattern on D, which are the first records.

        Cut j, 0 ≤ j ≤ k, has the points 0 … j − 1 below it. In direction "either", the rules above each cut come first,
        then those below each cut but the two constants, which are there already. Each pattern of ``Points`` labels one
        point 1; another one labels none of them 1, if the domain has a point that no record has.
        """
        wrong = sums(self.place[: len(sign)], sign, self.k)
        if not self.direction:
            none = [0] if self.k < self.H.size else []
            return base + np.append(wrong, none).astype(np.int64)
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


@dataclass(frozen=True)
class CompletionErrors:
    """The score of step i: the errors of a pattern h on D_i, if the later classes complete it as well as they can.

    q(D_i, h) = min over c_{i+1}, …, c_k of the errors of G(h_1, …, h_{i−1}, h, c_{i+1}, …, c_k) on D_i.

    >>> from privpac.classes.finite.boolean_functions import gate
    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> q = CompletionErrors(gate("and", 2), [], [Thresholds(0, 9, direction="above")])
    >>> q(np.array([[True, True], [False, True]]), ((3, True), (7, False)))
    array([1, 1])
    """

    G: Gate
    learned: Sequence[Hypothesis]
    later: Sequence[ConceptClass]

    def __call__(self, rows: Labels, D: Examples) -> NDArray[np.int64]:
        """The scores of patterns that are given as rows, one label for each example."""
        x, y = _columns(D)
        before = [np.asarray(h(x), dtype=bool)[None] for h in self.learned]
        later_patterns = [Patterns.on(H, x) for H in self.later]
        after = [patterns.rows[:, patterns.column] for patterns in later_patterns]
        # Which examples each completion (row) gets wrong if h labels every point 0, and if h labels every point 1.
        wrong_if_0, wrong_if_1 = (
            (self.G.on_rows(*before, np.full((1, len(D)), label), *after) != y).astype(np.int32)
            for label in (False, True)
        )
        # errors[h, completion]: start from the all-0 labels, and correct the count where h is 1.
        errors = wrong_if_0.sum(axis=1) + rows.astype(np.int32) @ (wrong_if_1 - wrong_if_0).T
        return np.asarray(errors.min(axis=1), dtype=np.int64)  # E-ABMS20-7

    def has_closed_form(self, H: ConceptClass) -> bool:
        """Whether the patterns of H can be scored without a table: for cuts and points with one later class or none.

        >>> from privpac.classes.finite.boolean_functions import gate
        >>> from privpac.classes.lines.thresholds import Thresholds
        >>> cuts = Thresholds(0, 9)
        >>> [CompletionErrors(gate("and", 3), [], [cuts] * k).has_closed_form(cuts) for k in (1, 2)]
        [True, False]
        """
        return len(self.later) <= 1 and all(map(has_closed_form, (H, *self.later)))

    def scored(self, H: ConceptClass, points: Sequence[Any], D: Examples) -> ScoredPatterns:
        """The patterns of H on the points of all records, the first of which are D, with their scores."""
        form = ClosedForm.on(H, points)
        x, y = _columns(D)
        before = [np.asarray(h(x), dtype=bool) for h in self.learned]
        if not self.later:
            return ScoredPatterns(form.errors(*_last_bit_signs(self.G, before, y)), form.labels)
        last = ClosedForm.on(self.later[0], x)
        h_on_D = (form.labels(j)[: len(D)] for j in range(form.patterns))
        scores = [last.errors(*_last_bit_signs(self.G, [*before, h], y)).min() for h in h_on_D]
        return ScoredPatterns(np.array(scores, dtype=np.int64), form.labels)


def _columns(D: Examples) -> tuple[list[Any], Labels]:
    return [x for x, _ in D], np.array([y for _, y in D], dtype=bool)


def _last_bit_signs(G: Gate, before: list[Labels], y: Labels) -> tuple[int, NDArray[np.int64]]:
    """The errors of G if its last bit is 0 everywhere, and by how much a last bit of 1 at each example changes them."""
    wrong_if_0, wrong_if_1 = ((G(*before, bit) != y).astype(np.int64) for bit in BITS)
    return int(wrong_if_0.sum()), wrong_if_1 - wrong_if_0
