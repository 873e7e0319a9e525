"""Records as decision trees see them: which of some public tests they pass, counted for all pairs and triples of tests.

proof: docs/proofs/tree_draw.md

Throughout this file
    block     a table of tests × cells, 1 where a test holds: a record lies in one cell of each block
    T         the tests of all blocks together, numbered block by block
    literal   a test, or its negation: (0, b) and (1, b)
    K         the number of labels
    w         positive minus negative records of a region if K = 2, otherwise its records of each label; sums of
              integers below 2^53 are exact in floats, in any order
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import Ints
from privpac.exact.powers import Floats

Places = NDArray[np.intp]
Block = NDArray[np.bool_]
REGIONS_AT_ONCE, RECORDS_AT_ONCE = 2**15, 2**15  # counted together; more would not fit into the cache
FEWEST_LITERALS_AT_ONCE = 4  # a matrix product of fewer rows takes as long


@dataclass(frozen=True, eq=False)
class PublicTests:
    """Blocks of public tests.

    >>> tests = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[1, 0]], bool)))
    >>> tests.number, tests.place(2), tests.spans
    (3, (1, 0), [(0, 2), (2, 3)])
    """

    blocks: tuple[Block, ...]

    @property
    def number(self) -> int:
        """The number T of all tests."""
        return sum(map(len, self.blocks))

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """The numbers of each block's tests: the first, and the one after the last."""
        ends = np.cumsum([0, *map(len, self.blocks)]).tolist()
        return list(pairwise(ends))

    def place(self, b: int) -> tuple[int, int]:
        """The block of test b, and its row there."""
        i = next(i for i, (_, end) in enumerate(self.spans) if b < end)
        return i, b - self.spans[i][0]

    @cached_property
    def literals(self) -> list[Floats]:
        """For each block its tests, then their negations."""
        return [np.concatenate([block, ~block]).astype(np.float64) for block in self.blocks]

    @cached_property
    def columns(self) -> list[Floats]:
        """For each block a column for each test."""
        return [block.T.astype(np.float64) for block in self.blocks]


@dataclass(frozen=True, eq=False)
class CellRecords:
    """Entry i lies in cell ``cells[j, i]`` of block j; its positive records exceed its negative ones by ``w[i]``.

    With more than two labels, ``w[k, i]`` of its records have label k. ``size`` is n, the public number of records.

    >>> records = CellRecords.of([np.array([2, 0, 2])], np.array([1, -1, 1]), 3)
    >>> records.cells.tolist(), records.w.tolist()
    ([[0, 2]], [-1.0, 2.0])
    """

    cells: Places
    w: Floats
    size: int

    @staticmethod
    def of(cells: Sequence[Places], w: Ints, size: int) -> CellRecords:
        """Equal entries are added up, and those that cancel are left out."""
        first, where = _distinct(cells, len(w))
        total = np.bincount(where, weights=w, minlength=len(first))
        kept = total != 0
        return CellRecords(_entries(cells, first[kept]), total[kept], size)

    @staticmethod
    def by_label(cells: Sequence[Places], labels: Places, counts: Ints | None, K: int, size: int) -> CellRecords:
        """Entry i stands for ``counts[i]`` records of label ``labels[i]``, 0 … K − 1; equal entries are added up.

        >>> records = CellRecords.by_label([np.array([1, 0, 1])], np.array([2, 0, 1]), np.array([5, 1, 7]), 3, 13)
        >>> records.cells.tolist(), records.w.tolist()
        ([[0, 1]], [[1.0, 0.0], [0.0, 7.0], [0.0, 5.0]])
        """
        first, where = _distinct(cells, len(labels))
        total = np.bincount(labels * len(first) + where, weights=counts, minlength=K * len(first))
        return CellRecords(_entries(cells, first), total.astype(np.float64).reshape(K, len(first)), size)

    def split_by(self, tests: PublicTests, b: int) -> tuple[CellRecords, CellRecords]:
        """The entries for which test b holds, and the others."""
        i, row = tests.place(b)
        holds = tests.blocks[i][row][self.cells[i]]
        yes, no = (CellRecords(self.cells[:, side], self.w[..., side], self.size) for side in (holds, ~holds))
        return yes, no

    @property
    def net(self) -> Ints:
        """w of all records: a number, or one for each label."""
        return np.asarray(self.w.sum(axis=-1), dtype=np.int64)

    @property
    def net_bound(self) -> int:
        """A bound on |w| for every region, and on how far the counts of its labels are apart."""
        return int(np.abs(self.w).sum())

    def parts(self) -> list[CellRecords]:
        """The records of each label by themselves, as positive records; all of them if there are two labels."""
        if self.w.ndim == 1:
            return [self]
        return [CellRecords(self.cells[:, counts != 0], counts[counts != 0], self.size) for counts in self.w]


def _entries(cells: Sequence[Places], kept: Places) -> Places:
    """The cells of these entries. Each block is contiguous in memory, because blocks are counted one by one."""
    return np.array([row[kept] for row in cells], dtype=np.intp).reshape(len(cells), len(kept))


def _distinct(cells: Sequence[Places], entries: int) -> tuple[Places, Places]:
    """The first entry of each kind, and the kind of each entry. Entries are of one kind if all their cells agree.

    The cells of an entry are the digits of its number, so entries of one kind have equal numbers.
    """
    number, bound = np.zeros(entries, dtype=np.int64), 1  # all numbers are below the bound
    for row in cells:
        width = int(row.max(initial=0)) + 1
        if bound * width >= 2**62:  # more digits do not fit: number the kinds that occur so far from 0 on
            number, bound = np.unique(number, return_inverse=True)[1].astype(np.int64), entries
        number, bound = number * width + row, bound * width
    _, first, where = np.unique(number, return_index=True, return_inverse=True)
    return first, where.reshape(-1)


def literal_nets(tests: PublicTests, records: CellRecords, *among: int) -> Iterator[tuple[slice, Ints, Ints]]:
    """w of each region where one literal of each block ``among`` holds, and of its part where a test holds, too.

    Yields (batch, with_test, alone): ``alone`` has one axis for each block, ``with_test`` also a last one for the T
    tests. The literals of the first block come in batches; the slice ``batch`` says which. With more than two labels,
    the first axis is that of the labels.

    >>> tests = PublicTests((np.array([[0, 1, 1], [0, 0, 1]], bool), np.array([[1, 0]], bool)))
    >>> records = CellRecords.of([np.array([0, 1, 2]), np.array([0, 1, 1])], np.array([1, 10, 100]), 111)
    >>> for _, together, alone in literal_nets(tests, records, 1):
    ...     print(together.tolist(), alone.tolist())
    [[0, 0, 1], [110, 100, 0]] [1, 110]
    """
    parts = records.parts()
    if len(parts) == 1:
        yield from _nets(tests, records, among)
        return
    for by_label in zip(*(_nets(tests, part, among) for part in parts), strict=True):
        batches, with_test, alone = zip(*by_label, strict=True)
        yield batches[0], np.stack(with_test), np.stack(alone)


def _nets(tests: PublicTests, records: CellRecords, among: tuple[int, ...]) -> Iterator[tuple[slice, Ints, Ints]]:
    """``literal_nets`` for records that have one number w each, not one for each label."""
    widths = [tests.blocks[i].shape[1] for i in among]
    choices = int(np.prod(widths, dtype=np.int64))  # of one cell from each block of ``among``
    alone, together = np.zeros(choices), [np.zeros(choices * len(column)) for column in tests.columns]
    for start in range(0, len(records.w), RECORDS_AT_ONCE):
        batch = slice(start, start + RECORDS_AT_ONCE)
        w = records.w[batch]
        place = np.zeros(len(w), dtype=np.intp)  # the number of the record's choice of cells
        for i, width in zip(among, widths, strict=True):
            place = place * width + records.cells[i, batch]
        alone += np.bincount(place, weights=w, minlength=choices)
        for i, (column, cells) in enumerate(zip(tests.columns, records.cells[:, batch], strict=True)):
            together[i] += np.bincount(place * len(column) + cells, weights=w, minlength=len(together[i]))
    columns = zip(together, tests.columns, strict=True)
    counts = np.concatenate(
        [alone[:, None], *(total.reshape(choices, -1) @ column for total, column in columns)], axis=1
    )
    for batch, totals in _by_literals(tests, counts, among):
        integers = totals.astype(np.int64)
        yield batch, integers[..., 1:], integers[..., 0]


def _by_literals(tests: PublicTests, counts: Floats, among: tuple[int, ...]) -> Iterator[tuple[slice, Floats]]:
    """The counts of literals, added up from those of cells, for one batch of the first block's literals at a time."""
    if not among:
        yield slice(None), counts[0]
        return
    first, *others = (tests.literals[i] for i in among)
    flat = counts.reshape(first.shape[1], -1)
    regions = int(np.prod([len(literals) for literals in others], dtype=np.int64)) * counts.shape[1]  # per literal
    step = max(FEWEST_LITERALS_AT_ONCE, REGIONS_AT_ONCE // regions)
    for start in range(0, len(first), step):
        batch = slice(start, start + step)
        totals = first[batch] @ flat
        for literals in others:
            totals = literals @ totals.reshape(len(totals), literals.shape[1], -1)
        yield batch, totals
