"""[ABMS20, Alg. 2] without a table: for cuts and points, the errors of all patterns follow from a few counts.

[ABMS20]  docs/references.bib        proof: docs/proofs/abms20.md, Theorem 1, whose patterns these are

Throughout this file
    D      the examples on which patterns are scored        k    the number of distinct points of a sample
    wrong  for each point, its examples of D with label 0 minus those with label 1: a pattern that labels exactly the
           points Q with 1 errs on (all positives of D) + Σ wrong(x), x in Q
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Labels
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.papers.paper_learner import Examples


class ScoredPatterns(NamedTuple):
    """Every pattern once: its number of errors on D, and the labels that it gives to all records."""

    errors: NDArray[np.int64]
    labels: Callable[[int], Labels]


def has_closed_form(H: ConceptClass) -> bool:
    """Whether the patterns of H need no table: thresholds that may lie at every value, and points.

    >>> has_closed_form(Thresholds(0, 2**64)), has_closed_form(Thresholds(0, 150, step=5))
    (True, False)
    """
    return (type(H) is Thresholds and H.domain.step is None) or type(H) is Points


def scored_patterns(H: ConceptClass, points: Sequence[Any], D: Examples) -> ScoredPatterns:
    """The patterns of H on the points of all records, the first of which are the examples D.

    >>> cuts = scored_patterns(Thresholds(0, 9, direction="above"), [3, 7, 7, 5], ((3, False), (7, True)))
    >>> cuts.errors.tolist(), cuts.labels(1).tolist()
    ([1, 0, 0, 1], [False, True, True, True])
    """
    place, k = _places(H, points)
    sign = np.array([1 - 2 * y for _, y in D], dtype=np.int64)
    wrong = np.zeros(k, dtype=np.int64)
    np.add.at(wrong, place[: len(D)], sign)
    positives = int((sign < 0).sum())
    return _cuts(H, place, wrong, positives) if isinstance(H, Thresholds) else _points(H, place, wrong, positives)


def _places(H: ConceptClass, points: Sequence[Any]) -> tuple[NDArray[np.intp], int]:
    """The place of each record's point among the distinct ones, which are in order on a line; and their number."""
    if isinstance(H, Thresholds):
        distinct, place = np.unique(H.encode(list(points)), return_inverse=True)
        return place.reshape(-1), len(distinct)
    column_of = {p: i for i, p in enumerate(dict.fromkeys(H.named(list(points))))}
    return np.array([column_of[x] for x in H.named(list(points))], dtype=np.intp), len(column_of)


def _cuts(H: Thresholds, place: NDArray[np.intp], wrong: NDArray[np.int64], positives: int) -> ScoredPatterns:
    """Cut j, 0 ≤ j ≤ k, has the points 0 … j − 1 below it. Above and below, both constants are the same patterns."""
    below = np.concatenate([[0], np.cumsum(wrong)])  # Σ wrong over the points below each cut
    above, k = below[-1] - below, len(wrong)
    if H.direction == "above":
        return ScoredPatterns(positives + above, lambda j: place >= j)
    if H.direction == "below":
        return ScoredPatterns(positives + below, lambda j: place < j)
    errors = positives + np.concatenate([above, below[1:k]])
    return ScoredPatterns(errors, lambda j: place >= j if j <= k else place < j - k)


def _points(H: ConceptClass, place: NDArray[np.intp], wrong: NDArray[np.int64], positives: int) -> ScoredPatterns:
    """Each point alone; and none of them, if the domain has others."""
    never = [0] if len(wrong) < H.size else []
    return ScoredPatterns(positives + np.append(wrong, never).astype(np.int64), lambda j: place == j)
