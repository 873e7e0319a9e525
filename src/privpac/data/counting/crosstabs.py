"""Crosstabs: how many records lie in each cell of several columns together, counted where the records live.

A public rule cuts each column into numbered cells. An engine first returns the distinct values of each column. This
process finds their cells and sends them back as a small table, and the engine counts the records of each cell.

Small crosstabs are counted together, as one crosstab of all their columns. The engine then groups less often, and each
of the small crosstabs is a sum.

Throughout this file
    cells     for each column, how it is divided into cells
    block     columns whose crosstab the engine counts; crosstabs of some of its columns are sums of its counts
    place     the name that a view gives to a column of the table: x0, x1, …
    reading   how the engine reads a column, for example whether it rounds the numbers (``engine_numbers``)
    void      a record that does not fit its domain: it counts in n, and lies in no cell

proof: docs/proofs/engines.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from importlib import import_module
from math import prod
from operator import add
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.engine_numbers import EngineNumbers, read_columns, readings_of
from privpac.data.counting.groups import MISSING, size_of
from privpac.data.domains.domain import Domain
from privpac.data.domains.on_invalid import valid
from privpac.data.engines.exact_forms import comparison_keys
from privpac.data.engines.queries import answer, cached_table, forget
from privpac.data.engines.views import all_slots, check_columns, engine_view, units_of
from privpac.data.files.progress import say
from privpac.data.samples.sample import Ints, Sample
from privpac.data.samples.units import Quota
from privpac.data.values.columns import Array, arrow_numbers, row_numbers, totals
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import Refused, each_column

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa

MOST_CELLS = 2**12  # of a block to which columns are added
MOST_COLUMNS = 2**5  # of a block to which columns are added; an array has at most 64 axes


class CellColumn(Protocol):
    """A column divided into cells 0 … size − 1; ``numbers_of`` finds the cell of each code, by this code alone."""

    @property
    def size(self) -> int: ...
    def numbers_of(self, codes: Array) -> Array: ...


class _Column(NamedTuple):
    """The distinct values of a column that fit its domain: in the form that the engine compares, and as codes."""

    comparable: pa.ChunkedArray
    codes: Array


@dataclass(frozen=True, eq=False)
class CellsInEngine:
    """Records that stay in an engine, at most k of each unit; ``size`` is n, with void records and k for each unit."""

    reads_once: ClassVar[bool] = False
    records: ir.Table
    columns: tuple[_Column, ...]
    size: int
    # The tables that ``in_cells`` made, by the cells of all values; and small tables sent to the engine for them.
    _cell_tables: dict[tuple[bytes, ...], ir.CachedTable] = field(default_factory=dict, repr=False)
    _sent_tables: list[ir.Table] = field(default_factory=list, repr=False)

    @classmethod
    def of(
        cls,
        table: ir.Table,
        names: Sequence[str],
        domain: Domain,
        quota: Quota | None = None,
        rule: InvalidRule = "raise",
    ) -> Self | None:
        """The records of an Ibis table, which ``domain`` reads from the columns ``names``.

        None if an entry may be missing: values are joined with their cells, and NULL joins nothing.
        """
        if domain.optional:
            return None
        check_columns(table, names, "columns")
        places = {f"x{i}": name for i, name in enumerate(names)}
        readings = readings_of(table, places, domain.columns)
        stored = [place for place, reading in readings.items() if reading.reads_stored]
        # Units are counted in all records. Only the chosen records, at most k of each unit, are read.
        all_records, chosen = engine_view(table, places, quota, readable=True, stored=stored)
        n = size_of(table) if quota is None else all_slots(answer(units_of(all_records)), quota, rule)
        say("{} records counted", n)
        chosen = read_columns(chosen, readings, as_one=True).select(*places)
        readers = [
            (name, partial(_column, chosen, place, readings[place], column_domain, rule))
            for column_domain, (place, name) in zip(domain.columns, places.items(), strict=True)
        ]
        return cls(chosen, tuple(each_column(readers, "X")), n)

    def in_cells(self, cells: Sequence[CellColumn]) -> ir.CachedTable:
        """A table that the engine keeps: for each record that is not void, the numbers c0, c1, … of its cells."""
        cell_numbers = [  # of the distinct values of each column
            column_cells.numbers_of(column.codes).astype(_integer_type(column_cells.size))
            for column, column_cells in zip(self.columns, cells, strict=True)
        ]
        key = tuple(numbers.tobytes() for numbers in cell_numbers)
        if key not in self._cell_tables:
            ibis, arrow, records = import_module("ibis"), import_module("pyarrow"), self.records
            for i, (column, numbers) in enumerate(zip(self.columns, cell_numbers, strict=True)):
                self._sent_tables.append(ibis.memtable(arrow.table({f"x{i}": column.comparable, f"c{i}": numbers})))
                records = records.join(self._sent_tables[-1], f"x{i}")
            self._cell_tables[key] = cached_table(records.select(*(f"c{i}" for i in range(len(cells)))))
        return self._cell_tables[key]

    def close(self) -> None:
        """Drop the tables that the engine keeps, and those that were sent to it, if it can."""
        forget(self.records.get_backend(), self._cell_tables.values(), self._sent_tables)
        self._cell_tables.clear()
        self._sent_tables.clear()


class _OnePerValue(NamedTuple):
    """A cell for each value that a column of an engine holds."""

    size: int

    def numbers_of(self, codes: Array) -> NDArray[np.intp]:
        return np.arange(len(codes))


def values_of(records: Sample | CellsInEngine, column: int) -> tuple[Array, Ints]:
    """The codes in a column, and for each how many records have it; a code may occur more than once.

    >>> values_of(Sample(np.array([[0, 1], [1, 1], [0, 1]]), np.ones(3, dtype=bool), None, size=4), 1)
    (array([1, 1, 1]), array([1, 1, 1]))
    """
    if isinstance(records, Sample):
        codes = records.points[:, column]
        return codes, np.ones(len(codes), dtype=np.int64) if records.counts is None else records.counts
    # Cells are made for all columns, so that the same kept table serves each of them. A column without values has one
    # cell, which is then left out.
    cells = [_OnePerValue(max(len(values.codes), 1)) for values in records.columns]
    codes = records.columns[column].codes
    return codes, crosstabs(records, cells, [(column,)])[0][: len(codes)]


def _integer_type(size: int) -> type[np.signedinteger]:
    """The smallest type of numbers below ``size``, because the engine keeps one number for each record."""
    return np.int8 if size <= 2**7 else np.int16 if size <= 2**15 else np.int32


def crosstabs(
    records: Sample | CellsInEngine, cells: Sequence[CellColumn], sets: Sequence[tuple[int, ...]]
) -> list[Ints]:
    """For each set of columns, how many records lie in each of its cells: an array with one axis for each column.

    ``cells[i]`` divides column i.
    """
    if isinstance(records, Sample):
        return _in_memory(records, cells, sets)
    cell_table, blocks = records.in_cells(cells), _blocks(cells, sets)
    queries = [_block_query(cell_table, cells, block, i) for i, block in enumerate(blocks)]
    rows = answer(import_module("ibis").union(*queries) if len(queries) > 1 else queries[0])
    block_number, cell, counts = (arrow_numbers(rows[name]) for name in ("block", "cell", "records"))
    tables = {}
    for i, block in enumerate(blocks):
        shape = tuple(cells[column].size for column in block)
        table = np.zeros(prod(shape), dtype=np.int64)
        table[cell[block_number == i]] = counts[block_number == i]
        tables[block] = table.reshape(shape)
    block_of = [next(block for block in blocks if set(columns) <= set(block)) for columns in sets]
    return [_part_of_block(block, tables[block], columns) for block, columns in zip(block_of, sets, strict=True)]


def _in_memory(sample: Sample, cells: Sequence[CellColumn], sets: Sequence[tuple[int, ...]]) -> list[Ints]:
    """The crosstabs of records in this process."""
    points = sample.points.reshape(len(sample.points), len(cells))
    shape = tuple(column_cells.size for column_cells in cells)
    numbers = [column_cells.numbers_of(points[:, i]).astype(np.int64) for i, column_cells in enumerate(cells)]
    counts = np.ones(len(points), dtype=np.int64) if sample.counts is None else sample.counts
    if cells and prod(map(int, shape)) < 2**62:  # records in the same cells become one row
        _, first, row_of = np.unique(row_numbers(numbers, shape), return_index=True, return_inverse=True)
        numbers, counts = [column[first] for column in numbers], totals(row_of, counts, len(first))
    return cell_counts(numbers, counts, shape, sets)


def cell_counts(
    numbers: Sequence[Array], counts: Ints, shape: Sequence[int], sets: Sequence[tuple[int, ...]]
) -> list[Ints]:
    """The crosstab of each of the ``sets`` of columns. Row r stands for ``counts[r]`` records, and ``numbers[i][r]`` is
    their cell in column i, which has ``shape[i]`` cells.

    >>> columns = [np.array([0, 1]), np.array([1, 1])]
    >>> [table.tolist() for table in cell_counts(columns, np.array([5, 7]), (2, 2), [(0, 1), (1,)])]
    [[[0, 5], [0, 7]], [0, 12]]
    """
    tables = []
    for columns in sets:
        sides = [shape[i] for i in columns]
        cell = row_numbers([numbers[i] for i in columns], sides) if columns else np.zeros(len(counts), np.int64)
        tables.append(totals(cell, counts, prod(sides)).reshape(sides))
    return tables


def _column(chosen: ir.Table, place: str, reading: EngineNumbers, domain: Domain, rule: InvalidRule) -> _Column:
    """The distinct values of a column, and their codes; values that do not fit are refused under the rule "raise"."""
    view, keys = comparison_keys(chosen.select(place), [place], reading.engine)
    distinct = answer(view.group_by(keys).aggregate())[place]
    if distinct.null_count and rule == "raise":
        raise Refused("columns", "some records have no value", *MISSING)
    comparable = distinct.drop_null()
    values = domain.spell(reading.imported_as_one(comparable))
    fitted, fits = valid(domain, values, rule)
    if fits is not None:
        comparable = comparable.filter(import_module("pyarrow").array(fits))
    return _Column(comparable, domain.points(fitted))


def _blocks(cells: Sequence[CellColumn], sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Blocks of columns such that each of ``sets`` lies within one.

    Beginning with the largest set, each set joins the block that grows by the smallest factor, if that stays small;
    otherwise, it becomes a block of its own.
    """
    blocks: list[frozenset[int]] = []
    for columns in sorted(map(frozenset, sets), key=lambda columns: -_number_of_cells(cells, columns)):
        candidates = [block for block in blocks if columns <= block or _is_small(cells, block | columns)]
        growth = {
            block: _number_of_cells(cells, block | columns) / _number_of_cells(cells, block) for block in candidates
        }
        best = min(candidates, key=growth.__getitem__, default=frozenset())
        blocks = [block for block in blocks if block != best] + [best | columns]
    return [tuple(sorted(block)) for block in blocks]


def _is_small(cells: Sequence[CellColumn], block: frozenset[int]) -> bool:
    """Whether a block has few cells and few columns. (A column of one cell adds no cell, but an axis.)"""
    return _number_of_cells(cells, block) <= MOST_CELLS and len(block) <= MOST_COLUMNS


def _number_of_cells(cells: Sequence[CellColumn], columns: frozenset[int]) -> int:
    return prod(cells[i].size for i in columns)


def _block_query(cell_table: ir.Table, cells: Sequence[CellColumn], columns: tuple[int, ...], number: int) -> ir.Table:
    """The query for the counts of the block with this number; its cells are numbered in lexicographic order."""
    terms, stride = [import_module("ibis").literal(0)], 1
    for i in reversed(columns):
        terms.append(cell_table[f"c{i}"].cast("int64") * stride)
        stride *= cells[i].size
    cell = cell_table.select(cell=reduce(add, terms))
    counts = cell.group_by("cell").aggregate(records=cell.count())
    return counts.select(block=import_module("ibis").literal(number), cell="cell", records="records")


def _part_of_block(block: tuple[int, ...], counts: Ints, columns: tuple[int, ...]) -> Ints:
    """The crosstab of some columns of a block, in the order of ``columns``; the others are summed over."""
    table = counts.sum(axis=tuple(axis for axis, i in enumerate(block) if i not in columns), dtype=np.int64)
    columns_of_axes = [i for i in block if i in columns]
    return np.transpose(table, [columns_of_axes.index(i) for i in columns])
