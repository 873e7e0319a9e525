"""[ABMS20, Alg. 2] for intervals, and for two cuts joined by "and" or "or": more patterns than fit into memory.

[ABMS20]  docs/references.bib        proof: docs/proofs/abms20.md, Theorem 8

The patterns come row by row, each pattern once. A first pass counts how many patterns err how often; a pattern is drawn
by its number of errors, and then as the i-th of those that err so often, which a second pass finds.

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

MOST_STEPS = 2**34  # the most patterns that are looked at one by one; it takes about a minute
AND, OR = (False, False, False, True), (False, True, True, True)
AT_ONCE = 1 << 20  # the patterns that are counted together


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
        counts, some, size = np.zeros(most + 1, dtype=np.int64), [], 0
        for errors in self:
            some.append(errors)
            size += len(errors)
            if size > AT_ONCE:
                counts += np.bincount(np.concatenate(some), minlength=most + 1)
                some, size = [], 0
        return counts + np.bincount(np.concatenate([*some, np.zeros(0, dtype=np.int64)]), minlength=most + 1)

    def member(self, errors: int, i: int) -> Labels:
        """The labels of the i-th of all patterns that err so often. All rows are looked at, wherever it is."""
        place = None
        for row, each in enumerate(self):
            found = np.flatnonzero(each == errors)
            if 0 <= i < len(found):
                place = row, int(found[i])
            i -= len(found)
        if place is None:
            raise IndexError("there are fewer patterns with so many errors")
        return self.labels(*place)


@dataclass(frozen=True, eq=False)
class IntervalRows(PatternRows):
    """The empty interval; then a row for each first point, and in it the last points from there on."""

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
        first = row - 1  # the empty interval is the one from −1 to −1
        return np.asarray((self.place >= first) & (self.place <= first + i))


@dataclass(frozen=True, eq=False)
class CornerRows(PatternRows):
    """The records from place i on in column a, and from place j on in column b; or all others, with ``others``.

    A set that is not empty has one corner (i, j): the least places that occur in it. So there is a row for each i, and
    in it are the j that occur from i on, and not beyond those that occur at i.
    """

    a: NDArray[np.intp]
    b: NDArray[np.intp]
    base: int
    sign: Signs  # of all records: 0 beyond D
    others: bool

    @classmethod
    def on(cls, H: Compose, points: Sequence[Any], base: int, sign: Signs) -> CornerRows:
        others = H.gate.table == OR  # "or" holds where neither of the two opposite cuts does
        a, b = (_corner_places(ClosedForm.on(part, points), others) for part in H.parts)
        return cls(a, b, base, np.concatenate([sign, np.zeros(len(a) - len(sign), dtype=np.int64)]), others)

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        total = int(self.sign.sum())
        order = np.argsort(-self.a, kind="stable")
        ends = np.flatnonzero(np.diff(self.a[order])) + 1
        wrong = np.zeros(int(self.b.max()) + 1, dtype=np.int64)
        occurs = np.zeros(len(wrong), dtype=bool)
        yield np.array([self.base + total * self.others])
        for records in np.split(order, ends):
            b = self.b[records]
            np.add.at(wrong, b, self.sign[records])
            occurs[b] = True
            most = int(b.max()) + 1
            inside = wrong[::-1].cumsum()[::-1][:most][occurs[:most]]
            yield self.base + (total - inside if self.others else inside)

    def labels(self, row: int, i: int) -> Labels:
        level, beyond = int(self.a.max()) + 1 - row, int(self.b.max()) + 1
        corner = np.unique(np.where(self.a >= level, self.b, beyond))[i]
        return np.asarray(((self.a >= level) & (self.b >= corner)) != self.others)


def _corner_places(form: ClosedForm, others: bool) -> NDArray[np.intp]:
    """Places in the order in which the cut, or with ``others`` the opposite one, says 1 from some place on."""
    upward = (form.direction == "above") != others
    return form.place if upward else form.k - 1 - form.place


def has_rows(H: ConceptClass) -> bool:
    """Whether the patterns of H can be looked at row by row.

    >>> cut = Thresholds(0, 2**16, direction="above")
    >>> [has_rows(each) for each in (Intervals(0, 9), Compose("or", cut.on(0), cut.on(1)), Compose("xor", cut, cut))]
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
