"""[ABMS20, Alg. 2] for intervals, and for two cuts joined by "and" or "or": their patterns may not fit into memory.

[ABMS20]  docs/references.bib        proof: docs/proofs/abms20.md, Theorem 8

The patterns come row by row, each pattern once. A first pass counts the patterns that make e errors, for each e. The
draw returns a pair (e, i): the i-th of the patterns that make e errors. A second pass finds that pattern.

Throughout this file
    D      the examples on which patterns are scored, the first of all records        n    how many records there are
    base, sign, wrong    the errors on D, as in ``scores``
    place  the number of a record's point among the distinct ones of its column, in order
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import Compose, OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.hypothesis import Labels
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.papers.abms20.scores import ClosedForm, Signs, has_closed_form, sums

MOST_STEPS = 2**34  # the most patterns to visit one by one; this many take about a minute
AND, OR = (False, False, False, True), (False, True, True, True)
BATCH = 1 << 20  # how many patterns are counted at a time


class PatternRows(ABC):
    """Rows of patterns; the first has one pattern, which has the same label everywhere."""

    @abstractmethod
    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        """The errors on D of the patterns in each row."""

    @abstractmethod
    def labels(self, row: int, i: int) -> Labels:
        """The labels that pattern i of a row gives to all records."""

    def counts(self, most: int) -> NDArray[np.int64]:
        """How many patterns make 0, 1, …, ``most`` errors."""
        counts = np.zeros(most + 1, dtype=np.int64)
        batch, size = [np.zeros(0, dtype=np.int64)], 0
        for errors in self:
            batch.append(errors)
            size += len(errors)
            if size > BATCH:
                counts += np.bincount(np.concatenate(batch), minlength=most + 1)
                batch, size = [np.zeros(0, dtype=np.int64)], 0
        return counts + np.bincount(np.concatenate(batch), minlength=most + 1)

    def member(self, errors: int, i: int) -> Labels:
        """The labels of the i-th pattern with this many errors. It always reads all rows: time must not tell i."""
        row_and_index = None
        for row, errors_in_row in enumerate(self):
            matches = np.flatnonzero(errors_in_row == errors)
            if 0 <= i < len(matches):
                row_and_index = row, int(matches[i])
            i -= len(matches)
        if row_and_index is None:
            raise IndexError("i is not less than the number of patterns with this many errors")
        return self.labels(*row_and_index)


@dataclass(frozen=True, eq=False)
class IntervalRows(PatternRows):
    """Row 0 is the empty interval. Each further row has the intervals with one first point, by their last points."""

    place: NDArray[np.intp]
    base: int
    before: NDArray[np.int64]  # Σ wrong over the points 0 … j − 1, for each j

    @classmethod
    def on(cls, H: Intervals, points: Sequence[Any], base: int, sign: Signs) -> IntervalRows:
        distinct, place = np.unique(H.encode(list(points)), return_inverse=True)
        wrong = sums(place.reshape(-1)[: len(sign)], sign, len(distinct))
        return cls(place.reshape(-1), base, np.concatenate([[0], np.cumsum(wrong)]))

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        yield np.array([self.base])
        for first in range(len(self.before) - 1):
            yield self.base - self.before[first] + self.before[first + 1 :]

    def labels(self, row: int, i: int) -> Labels:
        first = row - 1  # in row 0 this is −1: the interval from −1 to −1 contains no point
        return np.asarray((self.place >= first) & (self.place <= first + i))


@dataclass(frozen=True, eq=False)
class CornerRows(PatternRows):
    """Two cuts joined by "and": the records at place i or later in column a and at place j or later in column b.

    With ``complement``, for "or": all other records. A nonempty set has one corner, the least places (i, j) in it. Such
    a pair is a corner if some record at i in column a is at j or later in b, and some at j in b is at i or later in a.
    Row 0 is the empty set. Each further row has one i, from the largest to the smallest, and its corners' j in order.
    """

    a: NDArray[np.intp]
    b: NDArray[np.intp]
    base: int
    sign: Signs  # of all records: 0 beyond D
    complement: bool

    @classmethod
    def on(cls, H: Compose, points: Sequence[Any], base: int, sign: Signs) -> CornerRows:
        complement = H.gate.table == OR  # "or" is 0 where both of the opposite cuts are 1
        a, b = (_corner_places(ClosedForm.on(part, points), complement) for part in H.parts)
        return cls(a, b, base, np.concatenate([sign, np.zeros(len(a) - len(sign), dtype=np.int64)]), complement)

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        total = int(self.sign.sum())
        order = np.argsort(-self.a, kind="stable")
        ends = np.flatnonzero(np.diff(self.a[order])) + 1
        wrong = np.zeros(int(self.b.max()) + 1, dtype=np.int64)  # by place in b, of the records so far: those from i on
        occurs = np.zeros(len(wrong), dtype=bool)
        yield np.array([self.base + total * self.complement])
        for records in np.split(order, ends):  # those at one i
            b = self.b[records]
            np.add.at(wrong, b, self.sign[records])
            occurs[b] = True
            stop = int(b.max()) + 1
            wrong_from = wrong[::-1].cumsum()[::-1]  # Σ wrong over the places j and later
            inside = wrong_from[:stop][occurs[:stop]]
            yield self.base + (total - inside if self.complement else inside)

    def labels(self, row: int, i: int) -> Labels:
        # Rows follow the distinct places of a, which are all numbers from 0 to the largest.
        a_from, beyond = int(self.a.max()) + 1 - row, int(self.b.max()) + 1
        b_from = np.unique(np.where(self.a >= a_from, self.b, beyond))[i]
        return np.asarray(((self.a >= a_from) & (self.b >= b_from)) != self.complement)


def _corner_places(form: ClosedForm, complement: bool) -> NDArray[np.intp]:
    """Places, numbered so that the cut (its opposite, with ``complement``) is 1 from some place on."""
    upward = (form.direction == "above") != complement
    return form.place if upward else form.k - 1 - form.place


def has_rows(H: ConceptClass) -> bool:
    """Whether :func:`pattern_rows` lists the patterns of H.

    >>> cut = Thresholds(0, 2**16, direction="above")
    >>> [has_rows(H) for H in (Intervals(0, 9), Compose("or", cut.on(0), cut.on(1)), Compose("xor", cut, cut))]
    [True, True, False]
    """
    if not isinstance(H, Compose):
        return type(H) is Intervals
    return H.gate.table in {AND, OR} and all(map(_is_cut, H.parts))


def _is_cut(part: ConceptClass) -> bool:
    H = part.concept_class if isinstance(part, OnColumn) else part
    return has_closed_form(part) and isinstance(H, Thresholds) and H.direction in {"above", "below"}


def pattern_rows(H: ConceptClass, points: Sequence[Any], base: int, sign: Signs) -> PatternRows:
    """The patterns of H on the points of all records, for a class that ``has_rows``.

    >>> rows = pattern_rows(Intervals(0, 9), [3, 7, 7, 5], 1, np.array([1, -1]))
    >>> [errors.tolist() for errors in rows], rows.counts(2).tolist(), rows.member(0, 0).tolist()
    ([[1], [2, 2, 1], [1, 0], [0]], [2, 3, 2], [False, True, True, True])
    """
    if isinstance(H, Intervals):
        return IntervalRows.on(H, points, base, sign)
    assert isinstance(H, Compose)
    return CornerRows.on(H, points, base, sign)
