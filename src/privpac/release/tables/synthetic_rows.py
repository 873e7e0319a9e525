"""Synthetic rows from tables of columns, of which each depends on one other column. No record is read here.

[CL68]  docs/references.bib

Each column after the first is drawn given one earlier column, its parent: the one on which it depends most, according
to the tables of two columns. Without such tables, columns are drawn independently. No count is negative.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.tables.column_cells import Cells
from privpac.data.samples.sample import Ints
from privpac.exact.entropy import Entropy
from privpac.exact.subsets import shuffled
from privpac.release.postprocessing.consistency import ColumnSet
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import Frame
from privpac.release.tables.noisy_tables import TINY, Pair


def chow_liu(tables: Mapping[Pair, NDArray[Any]], width: int) -> list[tuple[int | None, int]]:
    """The edges (parent, child) of the tree with the most mutual information, parents first [CL68].

    Columns that no table connects make several trees; the parent of the first column of each is None.

    >>> chow_liu({(0, 1): np.eye(2), (0, 2): np.ones((2, 2)), (1, 2): np.ones((2, 2)) + np.eye(2)}, 4)
    [(None, 0), (0, 1), (1, 2), (None, 3)]
    """
    information_of = {pair: information(table) for pair, table in tables.items()}
    tree, edges = set[int](), list[tuple[int | None, int]]()
    while len(tree) < width:
        border = [pair for pair in information_of if (pair[0] in tree) != (pair[1] in tree)]
        best = max(border, key=information_of.__getitem__, default=(None, min({*range(width)} - tree)))
        edges.append(best if best[0] is None or best[0] in tree else (best[1], best[0]))
        tree.add(edges[-1][1])
    return edges


def information(table: NDArray[Any]) -> float:
    """The mutual information of two columns, in nats.

    >>> information(np.eye(2)) == np.log(2), information(np.ones((2, 2)))
    (np.True_, 0.0)
    """
    total = max(table.sum(), TINY)
    independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / total
    positive = table > 0
    return float((table[positive] * np.log(table[positive] / independent[positive])).sum() / total)


def tree_rows(
    singles: Sequence[NDArray[Any]], pairs: Mapping[Pair, NDArray[Any]], size: int, coins: Entropy, least: float = 0
) -> NDArray[np.int64]:
    """``size`` rows of cells from the distribution of the tree, in which each column depends on its parent alone.

    Among the rows with one cell of the parent, each cell of the child gets its share, rounded up or down. If all counts
    with this cell of the parent are 0, the child follows its own single. ``least`` is added to every count.
    """
    rows = np.zeros((size, len(singles)), dtype=np.int64)
    for parent, child in chow_liu(pairs, len(singles)):
        if parent is None:
            rows[:, child] = spread(singles[child] + least, size, coins)
            continue
        table = pairs[parent, child] if parent < child else pairs[child, parent].T
        for cell, counts in enumerate(table):
            of_cell = np.flatnonzero(rows[:, parent] == cell)
            rows[of_cell, child] = spread((counts if counts.any() else singles[child]) + least, len(of_cell), coins)
    return rows


def table_rows(cells: Sequence[Cells], tables: Mapping[ColumnSet, Ints], size: int, coins: Entropy) -> Frame:
    """``size`` records; within a cell, all values are equally frequent."""
    singles = [tables[i,] if tables[i,].any() else np.ones_like(tables[i,]) for i in range(len(cells))]
    pairs = {(columns[0], columns[1]): table for columns, table in tables.items() if len(columns) == 2}
    rows = tree_rows(singles, pairs, size, coins)
    return {str(column_cells.column): _values(column_cells, rows[:, i], coins) for i, column_cells in enumerate(cells)}


def _values(cells: Cells, numbers: Ints, coins: Entropy) -> list[object]:
    """A value for each record from its cell; the values of a cell are used equally often, in random order."""
    values: list[object] = [None] * len(numbers)
    for cell in np.unique(numbers).tolist():
        records = np.flatnonzero(numbers == cell)
        order, codes = shuffled(len(records), coins).tolist(), _even(cells.runs(cell), len(records))
        for record, i in zip(records.tolist(), order, strict=True):
            values[record] = cells.domain.decode(codes[i])
    return values


def _even(runs: Sequence[tuple[int, int]], size: int) -> list[int]:
    """``size`` codes, equally spaced over runs of codes; a run is a pair of its first and its last code."""
    ends = list(accumulate(last - first + 1 for first, last in runs))
    codes = []
    for i in range(size):
        offset = (2 * i + 1) * ends[-1] // (2 * size)
        run = bisect_right(ends, offset)
        codes.append(runs[run][1] + 1 - (ends[run] - offset))
    return codes
