"""Boxes on domains of any size: the exponential mechanism over boxes of cells that public records cut.

[BBKN14, Thm 3.2]  docs/references.bib        proof: docs/proofs/public_records.md

Throughout this file
    middle    of a cell: the value of the median of the cutting records in it, or its first value if there are none
    half      of a cell: the values below its middle, or those above
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from math import log
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.public_records import PublicRecords, WithPublic
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.vectors.boxes import Rectangles
from privpac.learners.audit_cases import Universe
from privpac.learners.public.covers import PublicLearner, share_above
from privpac.learners.rules.boxes import DIMENSIONS, BoxCells
from privpac.mechanisms.algorithm import Ask
from privpac.privacy.ledger import Records

WIDEST = 2**62  # coordinates below this fit into 64-bit integers, and so do their differences


class PublicBoxLearner(PublicLearner):
    """Learn a box in up to six dimensions: half of the public records cut the domain, the others count what cells lose.

    Privacy   ε, for all inputs, public ones too: public records, Theorem 1
    Utility   noisy labels or not, whatever the size of the domain: public records, Theorem 5
    Time      counts at most 10⁸ boxes for any n: a few seconds

    >>> from privpac import PrivateClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, public = rng.integers(0, 10**9, (4000, 2)), rng.integers(0, 10**9, (2000, 2))
    >>> clf = PrivateClassifier(Rectangles(0, 10**9, 2), public=public).fit(X, (X > 10**8).all(axis=1))
    >>> print(clf.learner_.name, clf.guarantee_.utility.alpha < 0.2)
    PublicBoxLearner True
    """

    title: ClassVar[str] = "exponential mechanism over boxes of cells that public records cut"
    theorem: ClassVar[str] = "public records, Theorem 5"
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            WithPublic(Rectangles(0, 2, dim=2), PublicRecords.of([(0, 0), (0, 0), (1, 2), (1, 2), (2, 1), (2, 1)] * 9)),
            "9 points",
            ((0, 0), (1, 2)),
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        assert isinstance(concept_class, WithPublic)
        H = concept_class.concept_class
        if not isinstance(H, Rectangles) or not 1 < H.dim <= DIMENSIONS:
            return False
        return len(concept_class.public.points) > 1 and max(abs(H.low), abs(H.high)) < WIDEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        return public_cells(self.concept_class).draw(self.cost, records, ask)

    @property
    def log_candidates(self) -> float:
        return log(public_cells(self.concept_class).boxes)

    def uncovered(self, chance: float) -> float:
        return share_above(*most_lost(self.concept_class), chance)


def _halves(concept_class: WithPublic) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The public records that cut, and those that are counted, each coordinate counted from low."""
    X = np.array(concept_class.public.points, dtype=np.int64) - cast(Rectangles, concept_class.concept_class).low
    return X[::2], X[1::2]


@lru_cache(maxsize=8)
def public_cells(concept_class: WithPublic) -> BoxCells:
    """The cells: as many as the limit on the number of boxes allows, with about as many cutting records in each."""
    H = cast(Rectangles, concept_class.concept_class)
    most = BoxCells.of(H.domain).most
    starts = tuple(_starts(x, most, H.domain.side) for x in _halves(concept_class)[0].T)
    return BoxCells(H.domain, most, starts)


def _starts(x: NDArray[np.int64], most: int, side: int) -> tuple[int, ...]:
    """Where the cells of a coordinate begin: at quantiles of the cutting records, and after frequent values."""
    ranks = np.arange(1, most) * len(x) // most
    values, counts = np.unique(np.sort(x)[ranks], return_counts=True)
    ends = values[counts > 1] + 1  # a value that would begin several cells is a cell
    starts = np.unique(np.concatenate([[0], values, ends[ends < side]]))
    return tuple(starts[:most].tolist())  # the last cell holds the rest


@lru_cache(maxsize=8)
def most_lost(concept_class: WithPublic) -> tuple[int, int]:
    """The most counted public records on which a box and its candidate differ, and how many are counted."""
    cut, counted = _halves(concept_class)
    coordinates = zip(cut.T, counted.T, public_cells(concept_class).starts, strict=True)
    two_sides = [2 * _largest_half(x_cut, x_counted, starts) for x_cut, x_counted, starts in coordinates]
    return min(sum(two_sides), len(counted)), len(counted)


def _largest_half(cut: NDArray[np.int64], counted: NDArray[np.int64], starts: tuple[int, ...]) -> int:
    """The most counted records in a half of a cell of one coordinate.

    A side of a box moves to the beginning of its cell if it is not above the middle, and to the end otherwise. Only
    values of one half enter or leave the box, and the middle itself never does.
    """
    edges = np.array([*starts, np.iinfo(np.int64).max])
    most, ordered, cutting = 0, np.sort(counted), np.sort(cut)
    for begin, end in pairwise(edges.tolist()):
        inside = cutting[np.searchsorted(cutting, begin) : np.searchsorted(cutting, end)]
        middle = int(inside[len(inside) // 2]) if len(inside) else begin
        # where the halves begin and end among the counted records
        first, half, second, last = np.searchsorted(ordered, [begin, middle, middle + 1, end]).tolist()
        most = max(most, half - first, last - second)
    return most
