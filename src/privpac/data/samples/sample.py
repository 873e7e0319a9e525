"""Labeled records as learners read them: points of a declared domain, each with a label and a multiplicity.

Throughout this file
    n      the number of records, public; it includes void records, which have no point and count in no score
    K      the number of declared labels; if K > 2, labels are the numbers 0 … K − 1
    entry  one record, or several with the same point and label that are counted together
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.values.columns import Array, row_numbers, totals

Ints = NDArray[np.int64]
POSITIVE, NEGATIVE, UNDECLARED = range(3)  # kinds of void records if K = 2; if K > 2, a kind is a label, or K for none
MOST_LABELS = 64  # the most for which the draw of trees is proved (docs/proofs/tree_draw.md)
EMPTY = np.zeros(0, dtype=np.intp)


class Void(NamedTuple):
    """Void records: entry i stands for ``counts[i]`` of them, whose label is ``kinds[i]``.

    Void records without a declared label need no entry. ``units`` are the numbers of the entries' units, if records are
    counted for each unit separately.

    >>> Void(np.array([NEGATIVE, POSITIVE, NEGATIVE]), np.array([3, 2, 1])).totals(size=10).tolist()
    [2, 4, 4]
    """

    kinds: NDArray[np.intp] = EMPTY
    counts: Ints = EMPTY
    units: NDArray[np.intp] = EMPTY

    def totals(self, size: int, K: int = 2) -> Ints:
        """How many of ``size`` void records have each of K labels, and, at the end, how many have none."""
        numbers = totals(self.kinds, self.counts, K + 1)
        numbers[K] = size - int(numbers[:K].sum())
        return numbers


NO_VOID = Void()


class Tally(NamedTuple):
    """Distinct points, sorted if they can be, and the number of records with each label at each of them."""

    points: Array
    zeros: Ints
    ones: Ints


@dataclass(frozen=True, eq=False)
class Sample:
    """Labeled records: entry i stands for ``counts[i]`` of them, at ``points[i]`` with label ``labels[i]``.

    If ``counts`` is None, each entry is one record. ``points`` are codes of the domain; on grids and on several columns
    they are rows of codes. ``size`` is n, which exceeds the sum of the counts by the ``void`` records. ``values`` are
    the points as a rule reads them. ``units`` are the numbers of the entries' units, if several records of a unit count
    and whole units are to be held out.

    >>> Sample(np.array([3, 1, 3]), np.array([True, False, True]), None, size=4).tally()
    Tally(points=array([1, 3]), zeros=array([1, 0]), ones=array([0, 2]))
    """

    points: Array
    labels: NDArray[Any]  # truth values, or numbers if there are more than two labels
    counts: Ints | None
    size: int
    values: Any = None
    units: NDArray[np.intp] | None = None
    void: Void = NO_VOID
    K: int = 2

    def tally(self) -> Tally:
        """How many records have each label at each distinct point."""
        distinct, number = _distinct(self.points)
        zeros, ones = (self._sums(number, len(distinct), which) for which in (~self.labels, self.labels))
        return Tally(distinct, zeros, ones)

    @cached_property
    def in_order(self) -> InOrder:
        """The points of a line, or of a table's only column, in order; sorted once."""
        return InOrder.of(self.points if self.points.ndim == 1 else self.points[:, 0], self.counts)

    def errors(self, rule: Callable[[Any], NDArray[np.bool_]]) -> int:
        """How many records ``rule`` labels wrongly; void records have no label."""
        wrong = rule(self.values) != self.labels
        return int(wrong.sum() if self.counts is None else self.counts[wrong].sum())

    def outcomes(self, rule: Callable[[Any], NDArray[np.bool_]]) -> tuple[int, ...]:
        """The numbers of true positives, false positives, false negatives, and true negatives; then of void records.

        The void records are counted by kind: POSITIVE, NEGATIVE, UNDECLARED.
        """
        return self.cells(lambda values: np.where(rule(values), 0, 1), 2)

    def cells(self, places: Callable[[Any], NDArray[Any]], regions: int, labels: int = 2) -> tuple[int, ...]:
        """How many records lie in each region and have each label: region by region, the last label first.

        ``places`` gives the number of each record's region. At the end, void records are counted: by label, the last
        one first, and then those without a declared label.

        >>> ages = np.array([20, 50, 70, 80])
        >>> Sample(ages, ages > 60, None, 5, ages).cells(lambda values: values // 30, regions=3)
        (0, 1, 0, 1, 2, 0, 0, 0, 1)
        """
        number = places(self.values) * labels + (labels - 1 - self.labels.astype(np.intp))
        cells = self._sums(number.astype(np.intp), regions * labels, np.ones(len(number), dtype=bool))
        *void, undeclared = self.void.totals(self.size - int(cells.sum()), labels).tolist()
        last_label_first = void if labels == 2 else reversed(void)  # the kind POSITIVE is already before NEGATIVE
        return *cells.tolist(), *last_label_first, undeclared

    def _sums(self, number: NDArray[np.intp], size: int, which: NDArray[np.bool_]) -> Ints:
        """For each of the numbers 0 … size − 1, how many records of the entries ``which`` have this ``number``."""
        return totals(number[which], 1 if self.counts is None else self.counts[which], size)

    @property
    def positives(self) -> int:
        """How many records have label 1."""
        return int(self.labels.sum()) if self.counts is None else int(self.counts[self.labels].sum())

    @property
    def negatives(self) -> int:
        """How many records have label 0."""
        return int((~self.labels).sum()) if self.counts is None else int(self.counts[~self.labels].sum())


def _distinct(points: Array) -> tuple[Array, NDArray[np.intp]]:
    """The distinct points, and for each entry the number of its point among them.

    Numbers are sorted; Python objects stay in the order in which they first appear.
    """
    if points.ndim > 1 and points.dtype.kind in "iu" and (numbers := _row_numbers(points)) is not None:
        _, first, number = np.unique(numbers, return_index=True, return_inverse=True)
        return points[first], number
    if points.dtype.kind != "O":
        distinct, number = np.unique(points, axis=0 if points.ndim > 1 else None, return_inverse=True)
        return distinct, number.reshape(-1)
    single = points.ndim == 1 or points.shape[1] == 1  # single values need no tuples
    keys = points.reshape(-1).tolist() if single else list(map(tuple, points.tolist()))
    distinct_keys = dict.fromkeys(keys)
    if len(distinct_keys) == len(keys):  # an engine returns each key once
        return points, np.arange(len(keys))
    number_of = {key: i for i, key in enumerate(distinct_keys)}
    number = np.fromiter(map(number_of.__getitem__, keys), dtype=np.intp, count=len(keys))
    first = np.zeros(len(number_of), dtype=np.intp)
    first[number[::-1]] = np.arange(len(keys))[::-1]  # the last assignment counts, which is the first entry
    return points[first], number


def _row_numbers(points: Array) -> Ints | None:
    """A number for each row of integers, in the order of rows; None if there are too many possible rows."""
    if not points.size:
        return None
    lows, highs = points.min(axis=0), points.max(axis=0)
    sides = [int(high) - int(low) + 1 for low, high in zip(lows, highs, strict=True)]
    return row_numbers(list((points - lows).T), sides) if prod(sides) < 2**62 else None


class InOrder(NamedTuple):
    """Values in order; ``totals[i]`` is how many records have one of the first i values. None means i.

    >>> InOrder.of(np.array([7, 3, 7]), np.array([1, 2, 5])).below(np.array([3, 4, 8]))
    array([0, 2, 8])
    """

    values: Array
    totals: NDArray[np.int64] | None

    @staticmethod
    def of(points: Array, counts: NDArray[np.int64] | None) -> InOrder:
        """The ``points`` in order; point i stands for ``counts[i]`` records, or for one if ``counts`` is None."""
        if counts is None or one_each(counts):  # sorting only the values is four times as fast
            return InOrder(np.sort(points), None)
        order = np.argsort(points)
        return InOrder(points[order], np.concatenate([[0], np.cumsum(counts[order])]))

    def below(self, values: Array) -> NDArray[np.int64]:
        """How many records lie below each of these values."""
        return self.total(np.searchsorted(self.values, values, side="left"))

    def up_to(self, values: Array) -> NDArray[np.int64]:
        """How many records lie at or below each of these values."""
        return self.total(np.searchsorted(self.values, values, side="right"))

    @property
    def number(self) -> int:
        """How many records there are."""
        return len(self.values) if self.totals is None else int(self.totals[-1])

    @property
    def runs(self) -> tuple[Array, NDArray[np.int64]]:
        """The different values, and how many records have each."""
        firsts = np.append(0, np.flatnonzero(self.values[1:] != self.values[:-1]) + 1)[: len(self.values)]
        return self.values[firsts], np.diff(self.total(np.append(firsts, len(self.values))))

    def total(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """For each number i, how many records have one of the first i values."""
        return places.astype(np.int64) if self.totals is None else self.totals[places]


def one_each(counts: NDArray[np.int64]) -> bool:
    """Whether every entry stands for one record."""
    return bool((counts == 1).all())
