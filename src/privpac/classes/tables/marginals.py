"""Marginals: how often each combination of cells of a few columns occurs.

Throughout this file
    c      the number of columns, one for each part         j      the order: the most columns of a query
    K      the number of ways to choose j of the c columns

A query of this class says in which cell a record lies, in each of at most j columns. The query about no column is
"always".
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from privpac.classes.compositions.compose import Combination, common_domain
from privpac.classes.compositions.rules import ColumnRule, Composed, composition
from privpac.classes.concept_class import Codes, ConceptClass, Family
from privpac.classes.decision_trees.trees import column_parts
from privpac.classes.finite.boolean_functions import gate, name_of
from privpac.classes.finite.patterns import PatternTable, first_of_each
from privpac.classes.hypothesis import Constant, Hypothesis, Value
from privpac.classes.matrices import check_matrix_size
from privpac.classes.shell_options import Order, Part
from privpac.classes.tables.column_cells import MOST_CELLS, Cells, cells_of
from privpac.refusals.refusal import Refused, RefusedType, Setting

MOST_ORDER = 8  # the largest j
MOST_TABLES = 10_000  # the largest K
MOST_COUNTS = 2**24  # the most cells of all K tables together
FOREIGN = "this query is not one of the class; name a cell on each of at most {} of its columns, as hypothesis() does"


class Place(NamedTuple):
    """The columns of a query, by their positions in increasing order, and its cell in each of them."""

    columns: tuple[int, ...]
    cells: tuple[int, ...]


@dataclass(frozen=True, init=False, repr=False)
class Marginals(Combination):
    """All conjunctions of one cell on each of at most ``order`` columns.

    A part is a class on a column of its own: ``Points().on("job", values=("clerk", "nurse"))``, whose cells are the
    declared values; ``Thresholds(17, 90).on("age")``, whose cells are all values of the line; or
    ``Thresholds(17, 90).on("age", values=(30, 50))``, whose cells lie between the cuts. Values that no concept of
    the part tells apart are one cell.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> from privpac.classes.values.points import Points
    >>> jobs, ages = Points().on("job", values=("clerk", "nurse")), Thresholds(17, 90).on("age", values=(30, 50))
    >>> pairs = Marginals(jobs, ages, order=2)
    >>> print(pairs.hypothesis({"age": 37, "job": "nurse"}))
    job = nurse and 30 ≤ age ≤ 49
    >>> pairs.shape, pairs.size
    ((2, 3), 12)
    """

    shell_name: ClassVar[str] = "marginals"
    parts: tuple[ConceptClass, ...]
    order: int

    def __init__(self, *parts: ConceptClass, order: int = 2) -> None:
        if not parts:
            raise Refused("part", "marginals need at least one part, such as Thresholds(17, 90).on('age')")
        object.__setattr__(self, "parts", parts)
        common_domain(parts)
        if len({cells.column for cells in self.cells}) < len(parts):
            raise Refused("part", "two parts read the same column; give every part a column of its own")
        if isinstance(order, bool) or not isinstance(order, int):
            raise RefusedType.must("order", "be a whole number")
        if not 1 <= order <= min(len(parts), MOST_ORDER):
            raise Refused.must("order", f"lie between 1 and {min(len(parts), MOST_ORDER)}")
        object.__setattr__(self, "order", order)
        if (fitting := _fitting(self.shape, order)) < len(parts):
            many = f"these marginals have more than {MOST_TABLES} tables, or {MOST_COUNTS} cells"
            most = _most_cells(len(parts), order)
            fewer = f"at most {most} cells in each column" if most else "fewer columns, with fewer cells each"
            if fitting >= order:
                fewer = f"fewer columns (the first {fitting} have few enough)"
            smaller = next((j for j in range(order - 1, 0, -1) if _fitting(self.shape, j) == len(parts)), None)
            otherwise = (", or ", Setting.to("order", smaller)) if smaller else ()
            raise Refused("part", f"{many}; declare {fewer}", *otherwise)

    @property
    def counts(self) -> int:
        """The number of cells of all K tables together."""
        return sum(prod(self.shape[i] for i in columns) for columns in self.tables)

    @classmethod
    def from_shell(cls, part: Part, order: Order = None) -> Self:
        return cls(*column_parts(part), order=2 if order is None else order)

    def __repr__(self) -> str:
        return f"Marginals({', '.join(map(repr, self.parts))}, order={self.order})"

    def family(self) -> Family:
        members = [(j, type(self)(*self.parts, order=j)) for j in range(1, self.order + 1)]
        return Family("columns of a query", self.order, members)

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        """The cells of each column."""
        return tuple(map(cells_of, self.parts))

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of cells of each column."""
        return tuple(column.size for column in self.cells)

    @property
    def tables(self) -> tuple[tuple[int, ...], ...]:
        """The K choices of ``order`` columns, by their positions."""
        return tuple(combinations(range(len(self.parts)), self.order))

    @property
    def choices(self) -> Iterator[tuple[int, ...]]:
        """The choices of at most ``order`` columns, fewer columns first."""
        return (chosen for j in range(self.order + 1) for chosen in combinations(range(len(self.parts)), j))

    @property
    def size(self) -> int:
        """The number of queries; a column with a single cell makes some of them equal."""
        shape = self.shape
        return sum(prod(shape[i] for i in chosen) for chosen in self.choices)

    def cell_numbers(self, points: Codes) -> NDArray[np.intp]:
        """The number of each record's cell in each column, as a row for each record; ``points`` has codes of values."""
        return np.stack([column.numbers_of(points[:, i]) for i, column in enumerate(self.cells)], axis=1)

    def at(self, columns: Sequence[int], cells: Sequence[int]) -> Hypothesis:
        """The query about these columns and these cells of them, all by their numbers."""
        rules = tuple(self.cells[column].rules[cell] for column, cell in zip(columns, cells, strict=True))
        return composition(gate("and", len(rules)), rules) if rules else Constant(True)

    def hypothesis(self, values: Mapping[str | int, Hashable]) -> Hypothesis:
        """The query about the cells in which these values lie; "always" if there are no values."""
        number = {cells.column: i for i, cells in enumerate(self.cells)}
        if not values.keys() <= number.keys() or len(values) > self.order:
            raise Refused("values", f"give values for at most {self.order} of the columns of this class")
        columns = sorted(number[name] for name in values)
        entries = [(self.cells[i], values[self.cells[i].column]) for i in columns]
        return self.at(columns, [int(cells.numbers_of(cells.domain.encode([value]))[0]) for cells, value in entries])

    def pattern_table(self, points: Sequence[Value]) -> PatternTable:
        """The queries that some point satisfies, and one that none does if there is one; each pattern once."""
        cell_numbers, shape = self.cell_numbers(self.domain.points(points)), self.shape
        labels, places = [np.ones((1, len(points)), dtype=bool)], [Place((), ())]
        empty: list[Place] = []  # one place where no point lies, if there is one
        for columns in filter(None, self.choices):
            sides = [shape[i] for i in columns]  # the table of these columns, whose cells are numbered row by row
            numbers = np.ravel_multi_index(tuple(cell_numbers[:, columns].T), sides)
            occupied = np.unique(numbers)
            check_matrix_size(len(occupied), len(points))
            labels.append(numbers == occupied[:, None])
            places += [Place(columns, _unraveled(number, sides)) for number in occupied.tolist()]
            if not empty and len(occupied) < prod(sides):
                first_free = next(i for i, number in enumerate([*occupied.tolist(), -1]) if i != number)
                empty = [Place(columns, _unraveled(first_free, sides))]
        all_labels = np.concatenate([*labels, np.zeros((len(empty), len(points)), dtype=bool)])
        first = first_of_each(all_labels)
        return all_labels[first], [self.at(*(places + empty)[i]) for i in first.tolist()]


class NumberedCells(Protocol):
    """The cells of a column: ``number_of_part`` has the number of the cell of each rule about a value."""

    @property
    def column(self) -> str | int: ...
    @property
    def number_of_part(self) -> Mapping[Hypothesis, int]: ...


def place_of(query: Hypothesis, cells: Sequence[NumberedCells], order: int) -> Place:
    """The columns and the cells of a query about at most ``order`` columns; any other query is refused."""
    if isinstance(query, Constant) and query.label:
        return Place((), ())
    rules = query.parts if isinstance(query, Composed) and name_of(query.table) == "and" else (query,)
    position = {column_cells.column: i for i, column_cells in enumerate(cells)}
    cell_of_column: dict[int, int] = {}
    for rule in rules:
        i = position.get(rule.column) if isinstance(rule, ColumnRule) else None
        cell = cells[i].number_of_part.get(rule.part) if isinstance(rule, ColumnRule) and i is not None else None
        if i is None or cell is None or i in cell_of_column or len(cell_of_column) == order:
            raise Refused("query", FOREIGN.format(order))
        cell_of_column[i] = cell
    columns = sorted(cell_of_column)
    return Place(tuple(columns), tuple(cell_of_column[i] for i in columns))


def _unraveled(number: int, sides: Sequence[int]) -> tuple[int, ...]:
    """The cell of each column, from the number of the cell of their table."""
    return tuple(int(i) for i in np.unravel_index(number, tuple(sides)))


def _fitting(shape: Sequence[int], order: int) -> int:
    """How many of the first columns have few enough tables of ``order`` columns, with few enough cells in all.

    >>> _fitting([2] * 200, 2), _fitting([4000] * 3, 2)
    (141, 2)
    """
    cells = [1] + [0] * order  # entry j: the number of cells of all tables of j columns
    for i, side in enumerate(shape):
        for j in range(order, 0, -1):
            cells[j] += cells[j - 1] * side
        if comb(i + 1, order) > MOST_TABLES or cells[order] > MOST_COUNTS:
            return i
    return len(shape)


def _most_cells(columns: int, order: int) -> int:
    """The most cells that each column may have; 0 if there are too many tables in any case."""
    if (tables := comb(columns, order)) > MOST_TABLES:
        return 0
    return max(side for side in range(1, MOST_CELLS + 1) if tables * side**order <= MOST_COUNTS)
