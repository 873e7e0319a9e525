"""Rules on columns of a table with cuts on a public grid: finitely many rules, whose errors are counted together.

Each column is cut into cells: one for each value if these are few enough, otherwise equal steps between its declared
bounds. On a line of floats, half of the cuts are equally spaced in value, and half in the numbering of floats, which is
finer near 0. The grid never depends on the records, except through private cuts that were released before.

proof: docs/proofs/rule_learner.md

Throughout this file
    G        the boolean function of a composition, as a table
    c        the number of cells of a column
    h        a rule of a part: its label is the same on a whole cell
    W        a number for each combination of cells, such as its negative records minus its positive ones
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Ints, Sample
from privpac.privacy.bisection import smallest

FINEST = 2**14  # the most cells of a column


class ColumnPart(NamedTuple):
    """A part of a composition: its class, and the column that it reads (None if it reads the points themselves).

    >>> part = ColumnPart.of(Thresholds(0, 99).on("delay"))
    >>> part.column, str(part.table_rule(part.concept_class.hypothesis(37)))
    ('delay', 'delay ≥ 37')
    """

    concept_class: ConceptClass
    column: str | int | None

    @staticmethod
    def of(part: ConceptClass) -> ColumnPart:
        """The class and the column of a part."""
        return ColumnPart(part.concept_class, part.column) if isinstance(part, OnColumn) else ColumnPart(part, None)

    def domain(self, whole: Domain) -> Domain:
        """The domain of the column, if ``whole`` is the domain of the points."""
        return whole if self.column is None else whole.columns[whole.column_names.index(self.column)]

    def codes(self, sample: Sample, whole: Domain) -> NDArray[Any]:
        """The codes of the records in the column."""
        return sample.points if self.column is None else sample.points[:, whole.column_names.index(self.column)]

    def table_rule(self, rule: Hypothesis) -> Hypothesis:
        """A rule about values of the column, as a rule about the table."""
        return rule if self.column is None else ColumnRule(rule, self.column)


def cell_starts(line: Line, most: int) -> NDArray[Any]:
    """The first code of each cell, when a line is cut into at most ``most`` cells.

    >>> cell_starts(Line(0, 9), 20).tolist(), cell_starts(Line(0, 99), 4).tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 25, 50, 75])
    """
    by_value = most // 2 if line.by_bits and line.size > most else 0
    steps = min(most - by_value, line.size)
    codes = {j * line.size // steps for j in range(steps)}
    if by_value:
        low, high = Fraction(line.low), Fraction(line.high)
        values = [float(low + (high - low) * j / by_value) for j in range(by_value)]
        codes |= {int(code) for code in line.encode(np.array(values, dtype=np.float64))}
    return np.array(sorted(codes), dtype=object if line.size > 2**64 else np.uint64)


@dataclass(frozen=True)
class PartRules:
    """The rules of one part, thresholds, intervals, or an explicit class, on at most ``most`` cells of its column.

    >>> part = PartRules(ColumnPart(Thresholds(0, 99, direction="above"), "delay"), Line(0, 99), 4)
    >>> [str(part.rule(i)) for i in range(part.size)], part.sums(np.array([1, 2, 3, 4])).tolist()
    (['always', 'delay ≥ 25', 'delay ≥ 50', 'delay ≥ 75', 'never'], [10, 9, 7, 4, 0])
    """

    source: ColumnPart
    domain: Domain  # of the column
    most: int
    released_starts: tuple[int, ...] | None = None  # the first code of each cell, if the cuts were released privately

    @cached_property
    def starts(self) -> NDArray[Any]:
        """The first code of each cell."""
        if self.released_starts is not None:
            return np.array(self.released_starts, dtype=object if self.domain.size > 2**64 else np.uint64)
        return cell_starts(line, self.most) if (line := self.domain.line) else np.arange(self.domain.size)

    @property
    def cells(self) -> int:
        """The number c of cells."""
        return len(self.starts)

    @property
    def size(self) -> int:
        """The number of rules."""
        return size_on(self.source.concept_class, self.cells)

    def cell(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        """The cell of each record, by its code alone."""
        return np.searchsorted(self.starts, codes.astype(self.starts.dtype), side="right") - 1

    @cached_property
    def _ends(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """(first, stop): rule i gives the label 1 to the cells first[i] … stop[i] − 1.

        With the direction "either", the c + 1 rules of "above" come first. Then come the rules of "below" that are not
        constant, since the constant ones are there already.
        """
        c = self.cells
        kind = self.source.concept_class
        if isinstance(kind, Intervals):
            first, last = np.triu_indices(c)
            return np.append(0, first), np.append(0, last + 1)
        assert isinstance(kind, Thresholds)
        cuts, inner = np.arange(c + 1), np.arange(1, c)
        above, below = (cuts, np.full(c + 1, c)), (np.zeros(c + 1, dtype=np.intp), cuts)
        either = np.append(above[0], inner * 0), np.append(above[1], inner)  # ``inner * 0``: from the first cell on
        return {"above": above, "below": below, "either": either}[kind.direction]

    def sums(self, W: Ints, axis: int = 0) -> Ints:
        """For each rule, W summed over the cells of an axis that the rule labels 1. Rules are in the order of _ends."""
        kind = self.source.concept_class
        if isinstance(kind, ExplicitClass):
            matrix = kind.matrix_on(self.domain.listed()).astype(np.int64)
            return np.moveaxis(np.tensordot(matrix, W, axes=(1, axis)), 0, axis)
        totals = running_totals(W, axis)
        if isinstance(kind, Intervals):
            first, stop = self._ends
            return np.asarray(totals.take(stop, axis) - totals.take(first, axis))
        assert isinstance(kind, Thresholds)
        if kind.direction == "below":
            return totals
        whole = totals.take([-1], axis)
        if kind.direction == "either":
            inner = np.arange(1, totals.shape[axis] - 1)
            return np.concatenate([whole - totals, totals.take(inner, axis)], axis)
        return np.subtract(whole, totals, out=totals)

    def rule(self, i: int) -> Hypothesis:
        """Rule i, as a rule about the table."""
        return self.source.table_rule(self._column_rule(i))

    def _column_rule(self, i: int) -> Hypothesis:
        kind = self.source.concept_class
        if isinstance(kind, ExplicitClass):
            return kind.hypothesis(kind.concepts[i])
        ends = [int(cells[i]) for cells in self._ends]
        first, stop = (int(self.starts[j]) if j < self.cells else int(self.domain.size) for j in ends)
        if isinstance(kind, Intervals):
            return kind.at(first, stop - 1) if first < stop else Constant(False)
        assert isinstance(kind, Thresholds)
        above = kind.direction != "below" and i <= self.cells  # by the order of _ends
        return kind.at(first if above else stop, above)


def size_on(concept_class: ConceptClass, cells: int) -> int:
    """The number of rules of a class on a given number of cells.

    >>> [size_on(c, 4) for c in (Thresholds(0, 9, direction="above"), Thresholds(0, 9), Intervals(0, 9))]
    [5, 8, 11]
    """
    if isinstance(concept_class, Intervals):
        return 1 + cells * (cells + 1) // 2
    if isinstance(concept_class, Thresholds):
        return 2 * cells if concept_class.direction == "either" else cells + 1
    return int(concept_class.size)


@dataclass(frozen=True)
class GridRules:
    """All combinations (h₁, …, h_k) of a rule for each part. They are numbered so that h_k changes fastest.

    >>> from privpac.data.domains.named_columns import common
    >>> parts = Thresholds(0, 99, direction="above").on("delay"), Thresholds(0, 9, direction="above").on("hour")
    >>> rules = rules_of(tuple(map(ColumnPart.of, parts)), common([part.domain for part in parts]), limit=70)
    >>> rules.shape, [str(h) for h in rules.combination(18)], rules.coarse
    ((8, 8), ['delay ≥ 28', 'hour ≥ 2'], True)
    """

    parts: tuple[PartRules, ...]
    domain: Domain

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rules of each part."""
        return tuple(part.size for part in self.parts)

    @property
    def size(self) -> int:
        """The total number of rules."""
        return prod(self.shape)

    @property
    def coarse(self) -> bool:
        """Whether some column has more values than cells."""
        return any(part.cells < part.domain.size for part in self.parts)

    def cut_at(self, cuts: Mapping[str | int | None, tuple[int, ...]]) -> GridRules:
        """The same rules on other cells: ``cuts`` has the first codes of the cells of some columns."""

        def recut(part: PartRules) -> PartRules:
            return replace(part, released_starts=cuts.get(part.source.column, part.released_starts))

        return GridRules(tuple(map(recut, self.parts)), self.domain)

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """What a certificate compares with if the grid is coarse; otherwise, that is all rules of the class."""
        cells = max((part.cells for part in self.parts), default=0)
        text = f"the best rule means the best one with cuts on a public grid of at most {cells} steps per column"
        return (text,) if self.coarse else ()

    def cells(self, sample: Sample) -> tuple[NDArray[np.intp], ...]:
        """For each part, the cell of each record."""
        return tuple(part.cell(part.source.codes(sample, self.domain)) for part in self.parts)

    def cell_totals(self, cells: Sequence[NDArray[np.intp]], numbers: Ints, *more: int) -> Ints:
        """W: the ``numbers`` of the entries of a sample, added up by combination of cells.

        There is an axis for each part. Further axes have the lengths ``more``; the last arrays of ``cells`` belong to
        them.
        """
        shape = [*(part.cells for part in self.parts), *more]
        place = np.ravel_multi_index(tuple(cells), shape) if shape else np.zeros(len(numbers), dtype=np.intp)
        W = np.zeros(prod(shape), dtype=np.int64)
        np.add.at(W, place, numbers)
        return W.reshape(shape)

    def errors(self, sample: Sample, table: tuple[bool, ...]) -> Ints:
        """The errors of all G(h₁, …, h_k), where ``table`` holds the values of G."""
        W = self.cell_totals(self.cells(sample), negative_excess(sample))
        return sample.positives + np.broadcast_to(positive_sums(W, self.parts, table), self.shape)

    def combination(self, place: int) -> tuple[Hypothesis, ...]:
        """(h₁, …, h_k) at a place of the flattened array of errors."""
        numbers = np.unravel_index(place, self.shape) if self.parts else ()
        return tuple(part.rule(int(i)) for part, i in zip(self.parts, numbers, strict=True))


def running_totals(W: Ints, axis: int) -> Ints:
    """The sums over the first 0, 1, 2, … entries of an axis; adding slices is faster than numpy, but not on the last.

    >>> running_totals(np.array([[1, 2], [3, 4]]), 0).tolist()
    [[0, 0], [1, 2], [4, 6]]
    """
    shape = list(W.shape)
    shape[axis] += 1
    totals = np.zeros(shape, dtype=np.int64)
    sums, terms = np.moveaxis(totals, axis, 0), np.moveaxis(W, axis, 0)
    if axis + 1 == W.ndim:
        np.cumsum(W, axis=axis, out=totals[..., 1:])
    else:
        for i, term in enumerate(terms):
            np.add(sums[i], term, out=sums[i + 1])
    return totals


def positive_sums(W: Ints, parts: Sequence[PartRules], table: tuple[bool, ...]) -> Ints:
    """W summed over the cells that each G(h₁, …, h_k) labels 1; the axes of the parts come after any other axes of W.

    >>> part = PartRules(ColumnPart(Thresholds(0, 99, direction="above"), "delay"), Line(0, 99), 4)
    >>> positive_sums(np.array([1, 2, 3, 4]), (part,), table=(True, False)).tolist()
    [0, 1, 3, 6, 10]
    """
    k = len(parts)

    def from_part(i: int, W: Ints, table: tuple[bool, ...]) -> Ints | int:
        """The sums with rules of parts i, i + 1, …; in W, the axes before i already stand for rules, not for cells."""
        if not any(table):
            return 0
        if i == k:
            return W
        half, inside = len(table) // 2, parts[i].sums(W, i)
        where_one = from_part(i + 1, inside, table[half:])  # from the cells to which the rule of part i gives 1
        if not any(table[:half]):  # true for all parts of a conjunction
            return where_one
        return from_part(i + 1, W.sum(axis=i, keepdims=True) - inside, table[:half]) + where_one

    sums = from_part(0, W, table)
    return np.moveaxis(sums, range(k), range(-k, 0)) if isinstance(sums, np.ndarray) else np.zeros((), dtype=np.int64)


def negative_excess(sample: Sample) -> Ints:
    """For each entry of the sample, the number of its negative records minus that of its positive ones.

    Summed over the entries that a rule labels 1, this gives the rule's errors minus those of the rule that is always 0.

    >>> negative_excess(Sample(np.array([3, 5]), np.array([True, False]), np.array([7, 2]), size=9))
    array([-7,  2])
    """
    counts = np.ones(len(sample.labels), dtype=np.int64) if sample.counts is None else sample.counts
    return np.where(sample.labels, -counts, counts)


@lru_cache(maxsize=64)
def rules_of(parts: tuple[ColumnPart, ...], domain: Domain, limit: int) -> GridRules | None:
    """The rules of parts that read ``domain``, with as many cells per column as ``limit`` rules allow.

    None if the class of some part has no grid, or if a grid within the limit would have one cell per column.
    """
    if not all(isinstance(part.concept_class, Thresholds | Intervals | ExplicitClass) for part in parts):
        return None
    domains = [part.domain(domain) for part in parts]

    def is_within_limit(most: int) -> bool:
        cells = [int(min(most, column.size) if column.line else column.size) for column in domains]
        sizes = [size_on(part.concept_class, c) for part, c in zip(parts, cells, strict=True)]
        return 0 < prod(sizes) <= limit and prod(cells) <= limit

    most = smallest(lambda most: most > FINEST or not is_within_limit(most)) - 1
    if most < 1 or (most == 1 and any(column.size > 1 for column in domains)):
        return None
    rules = tuple(PartRules(part, column, most) for part, column in zip(parts, domains, strict=True))
    return GridRules(rules, domain)
