"""The cells of a column of a table: parts of a line, or single values, perhaps with one cell for all other values.

Cells are released, so they are public. Each record lies in one cell of each column, which depends on its value alone.

Throughout this file
    code     stands for a value: its number on a line or in a list, or the value itself
    leaf     a part of a line with a noisy count; a cell consists of one leaf or of several neighboring ones
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.rules import ColumnRule, Composed, composition
from privpac.classes.finite.boolean_functions import gate
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.tables.column_cells import Cells, line_cells
from privpac.classes.values.missing_entries import IsMissing
from privpac.classes.values.points import OneOf
from privpac.data.domains.domain import Domain
from privpac.data.domains.line import Line
from privpac.data.domains.with_missing import WithMissing
from privpac.data.samples.sample import Ints
from privpac.exact.entropy import Entropy

OTHER = "other"  # stands for all values that are not shown
EXACT = 2**53  # below it, a float holds every number of a line


class ColumnCells(ABC):
    """The cells of ``column``, numbered 0, 1, …; subclasses are frozen dataclasses of public fields."""

    column: str
    domain: Domain

    @property
    @abstractmethod
    def parts(self) -> tuple[Hypothesis, ...]:
        """For each cell, the rule that a value satisfies if it lies in the cell."""

    @property
    @abstractmethod
    def names(self) -> list[Hashable]:
        """The name of each cell, as an entry of a table for people."""

    @abstractmethod
    def numbers_of(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        """The number of the cell in which each code lies."""

    @abstractmethod
    def values(self, cells: Ints, coins: Entropy) -> list[object]:
        """A synthetic value from each of these cells."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many cells there are."""

    @cached_property
    def number_of_part(self) -> dict[Hypothesis, int]:
        """The number of the cell that each rule of ``parts`` describes."""
        return {part: i for i, part in enumerate(self.parts)}


@dataclass(frozen=True)
class LineCells(ColumnCells):
    """Leaves of a line by their first numbers, with noisy counts; ``starts`` are the first numbers of the cells.

    >>> ages = LineCells("age", Line(0, 120), (0, 30, 60), (0, 60), (500, 900, 200))
    >>> ages.names, ages.numbers_of(np.array([29, 60])).tolist()
    (['0 ≤ age ≤ 59', '60 ≤ age ≤ 120'], [0, 1])
    """

    column: str
    domain: Line
    leaves: tuple[int, ...]
    starts: tuple[int, ...]
    counts: tuple[int, ...]  # one for each leaf; they say where in a cell synthetic values lie

    def __post_init__(self) -> None:
        rising = all(a < b for firsts in (self.leaves, self.starts) for a, b in pairwise((*firsts, self.domain.size)))
        if not rising or self.starts[:1] != (0,) or self.leaves[:1] != (0,) or len(self.counts) != len(self.leaves):
            raise ValueError("leaves and cells must be in order and begin at 0, and every leaf has a count")
        if not set(self.starts) <= set(self.leaves):
            raise ValueError("every cell must begin where a leaf begins")

    @property
    def size(self) -> int:
        return len(self.starts)

    @cached_property
    def _cells(self) -> Cells:
        return line_cells(self.column, self.domain, self.starts)

    @property
    def parts(self) -> tuple[Hypothesis, ...]:
        return self._cells.parts

    @property
    def names(self) -> list[Hashable]:
        return self._cells.names

    def numbers_of(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        return self._cells.numbers_of(codes)

    def values(self, cells: Ints, coins: Entropy) -> list[object]:
        """Values of leaves that are drawn in proportion to their counts; in a leaf, all values are equally likely."""
        ends = np.append(0, np.cumsum(np.asarray([max(count, 0) + 1 for count in self.counts], dtype=np.float64)))
        first = np.searchsorted(self.leaves, [*self.starts, self.domain.size])
        low, high = ends[first[cells]], ends[first[cells + 1]]
        leaf = np.searchsorted(ends, low + (high - low) * _uniform(len(cells), coins), side="right") - 1
        leaf = np.clip(leaf, first[cells], first[cells + 1] - 1)  # rounding must not lead into another cell
        stops = (*self.leaves[1:], self.domain.size)
        places = zip(leaf.tolist(), _uniform(len(cells), coins).tolist(), strict=True)
        return [self.domain.decode(_between(self.leaves[i], stops[i], u)) for i, u in places]


def _uniform(size: int, coins: Entropy) -> NDArray[np.float64]:
    """``size`` random numbers in [0, 1). They are only for synthetic values: no privacy depends on them."""
    return (np.frombuffer(coins.octets(8 * size), dtype=np.uint64) >> np.uint64(11)) / EXACT


def _between(low: int, stop: int, u: float) -> int:
    return low + min(int(u * EXACT) * (stop - low) // EXACT, stop - low - 1)


@dataclass(frozen=True)
class KeyCells(ColumnCells):
    """Values by their codes; with ``other``, one more cell has all values that are not among them.

    >>> from privpac.data.domains.anything import Anything
    >>> cities = KeyCells("city", Anything(), ("Oslo", "Rome"), other=True)
    >>> cities.names, cities.numbers_of(np.array(["Rome", "Nice"], dtype=object)).tolist()
    (['Oslo', 'Rome', 'other'], [1, 2])
    """

    column: str
    domain: Domain
    keys: tuple[Hashable, ...]
    other: bool

    def __post_init__(self) -> None:
        if len(set(self.keys)) < len(self.keys) or not (self.keys or self.other):
            raise ValueError("every value must have one cell")

    @property
    def size(self) -> int:
        return len(self.keys) + self.other

    @cached_property
    def _number(self) -> dict[Hashable, int]:
        return {key: i for i, key in enumerate(self.keys)}

    @property
    def _shown(self) -> list[Hashable]:
        return [self.domain.decode(key) for key in self.keys]

    @property
    def names(self) -> list[Hashable]:
        return [*self._shown, *([OTHER] if self.other else [])]

    @cached_property
    def parts(self) -> tuple[Hypothesis, ...]:
        one = [OneOf(frozenset([name])) for name in self._shown]
        rest = Composed("not", (True, False), (OneOf(frozenset(self._shown)),))
        return (*one, *([rest] if self.other else []))

    def numbers_of(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        last = len(self.keys)
        return np.fromiter((self._number.get(code, last) for code in codes.tolist()), np.intp, len(codes))

    def values(self, cells: Ints, coins: Entropy) -> list[object]:
        names = self.names
        return [names[cell] for cell in cells.tolist()]


@dataclass(frozen=True)
class CellsWithMissing(ColumnCells):
    """The ``cells`` of a column's values, and a last one for missing entries, which stay blank in synthetic tables.

    >>> from privpac.data.domains.listing import Listing
    >>> jobs = KeyCells("job", Listing(("clerk", "nurse")), (0, 1), other=False)
    >>> cells = CellsWithMissing(jobs, WithMissing(jobs.domain))
    >>> cells.names, cells.numbers_of(np.array([1, 2])).tolist()
    (['clerk', 'nurse', 'job is missing'], [1, 2])
    """

    cells: ColumnCells
    domain: WithMissing

    @property
    def column(self) -> str:  # type: ignore[override]
        return self.cells.column

    @property
    def size(self) -> int:
        return self.cells.size + 1

    @cached_property
    def parts(self) -> tuple[Hypothesis, ...]:
        return *self.cells.parts, IsMissing(self.domain.na)

    @property
    def names(self) -> list[Hashable]:
        return [*self.cells.names, IsMissing().sentence(self.column)]

    def numbers_of(self, codes: NDArray[Any]) -> NDArray[np.intp]:
        absent = self.domain.absent(codes)
        numbers = np.full(len(codes), self.cells.size, dtype=np.intp)
        numbers[~absent] = self.cells.numbers_of(codes[~absent])
        return numbers

    def values(self, cells: Ints, coins: Entropy) -> list[object]:
        present = cells < self.cells.size
        values = iter(self.cells.values(cells[present], coins))
        return [next(values) if is_present else None for is_present in present.tolist()]


def conjunction(rules: Sequence[ColumnRule]) -> Hypothesis:
    """All of these rules together; always, if there are none.

    >>> print(conjunction([]))
    always
    """
    return composition(gate("and", len(rules)), tuple(rules)) if rules else Constant(True)


def column_rules(cells: ColumnCells) -> list[ColumnRule]:
    """The rule of each cell, about the column."""
    return [ColumnRule(part, cells.column) for part in cells.parts]
