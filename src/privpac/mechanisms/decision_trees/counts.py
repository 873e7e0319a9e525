"""Records as decision trees see them: which public tests they pass, counted for all pairs and triples of tests.

A block holds all tests about one column, or about several with few values. These values are grouped into cells on
which every test of the block is constant. So tests see no more of a record than its cell in each block, and counts by
cells are enough.

proof: docs/proofs/tree_draw.md

Throughout this file
    block     a table of tests × cells, 1 where a test holds: a record lies in one cell of each block
    T         the number of tests in all blocks together; tests are numbered block by block
    literal   a test, or its negation: (0, b) and (1, b)
    w         the number of positive records of a region minus that of its negative ones, as an integer in a float: sums
              of integers are exact in floats, in any order, as long as they stay below 2^53
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.mechanisms.decision_trees.sums import Floats

Places = NDArray[np.intp]
Block = NDArray[np.bool_]
REGIONS_AT_ONCE, RECORDS_AT_ONCE = 2**18, 2**15  # more would not fit into the processor's cache


@dataclass(frozen=True, eq=False)
class PublicTests:
    """All public tests, in blocks.

    >>> tests = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[1, 0]], bool)))
    >>> tests.number, tests.place(2), tests.spans
    (3, (1, 0), [(0, 2), (2, 3)])
    """

    blocks: tuple[Block, ...]

    @property
    def number(self) -> int:
        """The number T of tests."""
        return sum(map(len, self.blocks))

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """(first, end) for each block: its tests have the numbers first … end − 1."""
        ends = np.cumsum([0, *map(len, self.blocks)]).tolist()
        return list(pairwise(ends))

    def place(self, b: int) -> tuple[int, int]:
        """The block of test b, and its row there."""
        i = next(i for i, (_, end) in enumerate(self.spans) if b < end)
        return i, b - self.spans[i][0]

    @cached_property
    def literals(self) -> list[Floats]:
        """For each block, a matrix with a row for each test, then a row for each negation."""
        return [np.concatenate([block, ~block]).astype(np.float64) for block in self.blocks]

    @cached_property
    def columns(self) -> list[Floats]:
        """For each block, a matrix with a column for each test."""
        return [block.T.astype(np.float64) for block in self.blocks]


@dataclass(frozen=True, eq=False)
class CellRecords:
    """Records, grouped by their cells: entry i lies in cell ``cells[j, i]`` of block j and has the net count ``w[i]``.

    ``size`` is n, the public number of records.

    >>> records = CellRecords.of([np.array([2, 0, 2])], np.array([1, -1, 1]), 3)
    >>> records.cells.tolist(), records.w.tolist()
    ([[0, 2]], [-1.0, 2.0])
    """

    cells: Places
    w: Floats
    size: int

    @staticmethod
    def of(cells: Sequence[Places], w: Ints, size: int) -> CellRecords:
        """Records with these ``cells`` in each block. Those in the same cells are added up, and left out if w is 0."""
        table = np.array(cells, dtype=np.intp).reshape(len(cells), len(w))
        # Number the combinations of cells, block by block; all numbers are less than ``limit``.
        number, limit = np.zeros(len(w), dtype=np.int64), 1
        for row in table:
            width = int(row.max(initial=0)) + 1
            if limit * width >= 2**62:  # Number the combinations anew: no more occur than there are entries.
                number = np.unique(number, return_inverse=True)[1].astype(np.int64)
                limit = len(w)
            number, limit = number * width + row, limit * width
        _, first, group = np.unique(number, return_index=True, return_inverse=True)
        totals = np.bincount(group.reshape(-1), weights=w, minlength=len(first))
        kept = totals != 0
        return CellRecords(table[:, first[kept]], totals[kept], size)

    def split_by(self, tests: PublicTests, b: int) -> tuple[CellRecords, CellRecords]:
        """The records for which test b holds, and the others."""
        i, row = tests.place(b)
        holds = tests.blocks[i][row][self.cells[i]]
        yes, no = (CellRecords(self.cells[:, side], self.w[side], self.size) for side in (holds, ~holds))
        return yes, no

    @property
    def net(self) -> int:
        """w of all records together."""
        return int(self.w.sum())

    @property
    def net_bound(self) -> int:
        """An upper bound on |w| of every region."""
        return int(np.abs(self.w).sum())


def literal_nets(tests: PublicTests, records: CellRecords, *among: int) -> Iterator[tuple[slice, Ints, Ints]]:
    """w of all regions where a literal of each of the blocks ``among`` holds: with a further test, and without.

    Both arrays have an axis for the literals of each block; the first one has a last axis for the T tests. To save
    memory, the literals of the first block come in slices, each with its two arrays.

    >>> tests = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[1, 0]], bool)))
    >>> records = CellRecords.of([np.array([0, 1, 2]), np.array([0, 1, 1])], np.array([1, 10, 100]), 111)
    >>> for _, with_test, alone in literal_nets(tests, records, 1):
    ...     print(with_test.tolist(), alone.tolist())
    [[0, 0, 1], [110, 100, 0]] [1, 110]
    """
    widths = [tests.blocks[i].shape[1] for i in among]
    size = int(np.prod(widths, dtype=np.int64))  # the number of combinations of cells of the blocks ``among``
    # w by these combinations: alone, and together with the cells of each block in turn.
    alone, with_cells = np.zeros(size), [np.zeros(size * len(column)) for column in tests.columns]
    for start in range(0, len(records.w), RECORDS_AT_ONCE):
        batch = slice(start, start + RECORDS_AT_ONCE)
        place, w = np.zeros(len(records.w[batch]), dtype=np.intp), records.w[batch]
        for i, width in zip(among, widths, strict=True):
            place = place * width + records.cells[i, batch]
        alone += np.bincount(place, weights=w, minlength=size)
        for i, (column, cells) in enumerate(zip(tests.columns, records.cells[:, batch], strict=True)):
            with_cells[i] += np.bincount(place * len(column) + cells, weights=w, minlength=len(with_cells[i]))
    pairs = zip(with_cells, tests.columns, strict=True)
    with_tests = [totals.reshape(size, -1) @ column for totals, column in pairs]
    counts = np.concatenate([alone[:, None], *with_tests], axis=1)
    for literals, totals in _by_literals(tests, counts, among, widths):
        exact = totals.astype(np.int64)
        yield literals, exact[..., 1:], exact[..., 0]


def _by_literals(
    tests: PublicTests, counts: Floats, among: tuple[int, ...], widths: list[int]
) -> Iterator[tuple[slice, Floats]]:
    """The counts of literals, added up from those of cells, in slices of the literals of the first block."""
    if not among:
        yield slice(None), counts[0]
        return
    first, *rest = (tests.literals[i] for i in among)
    flat = counts.reshape(widths[0], -1)
    later = int(np.prod([len(each) for each in rest], dtype=np.int64))
    step = max(1, REGIONS_AT_ONCE // (later * counts.shape[1]))
    for start in range(0, len(first), step):
        literals = slice(start, start + step)
        totals = (first[literals] @ flat).reshape(-1, *widths[1:], counts.shape[1])
        for axis, each in enumerate(rest, start=1):
            totals = np.moveaxis(np.tensordot(each, totals, axes=(1, axis)), 0, axis)
        yield literals, np.ascontiguousarray(totals)
