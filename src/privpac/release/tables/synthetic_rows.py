"""Synthetic records from released tables of columns. No record is read here.

Each column after the first is drawn given one earlier column, its parent: the one on which it depends most, according
to the tables of two columns. Without such tables, columns are drawn independently. Released counts are never negative.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from privpac.classes.tables.column_cells import Cells
from privpac.data.samples.sample import Ints
from privpac.exact.entropy import Entropy
from privpac.exact.subsets import shuffled
from privpac.release.postprocessing.consistency import Chosen
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import Frame


def table_rows(cells: Sequence[Cells], tables: Mapping[Chosen, Ints], size: int, coins: Entropy) -> Frame:
    """``size`` records; within a cell, all values are equally frequent."""
    places: dict[int, NDArray[np.intp]] = {}
    for column, parent in _order(len(cells), tables):
        single = tables[(column,)]
        single = single if single.any() else np.ones_like(single)  # all counts are 0: use every cell alike
        if parent is None:
            places[column] = spread(single.tolist(), size, coins)
        else:
            table = tables[min(parent, column), max(parent, column)]
            places[column] = _following(places[parent], table if parent < column else table.T, single, coins)
    return {str(each.column): _values(each, places[i], coins) for i, each in enumerate(cells)}


def _order(width: int, tables: Mapping[Chosen, Ints]) -> list[tuple[int, int | None]]:
    """Pairs of a column and its parent, parents first: a spanning tree of largest mutual information.

    The tree grows from column 0, by Prim's algorithm. A column in no table of two columns has no parent.
    """
    order: list[tuple[int, int | None]] = [(0, None)]
    shared = {pair: _information(table) for pair, table in tables.items() if len(pair) == 2}

    def information(parent: int, column: int) -> float:
        return shared.get((min(parent, column), max(parent, column)), -1.0)  # −1: there is no such table

    while len(order) < width:
        tree = [column for column, _ in order]
        edges = [(parent, column) for column in {*range(width)} - {*tree} for parent in tree]
        parent, column = max(edges, key=lambda edge: (information(*edge), -edge[1], edge[0]))
        order.append((column, parent if information(parent, column) >= 0 else None))
    return order


def _information(table: Ints) -> float:
    """The mutual information of two columns, in nats."""
    p = table / max(int(table.sum()), 1)
    independent = np.outer(p.sum(axis=1), p.sum(axis=0))
    return max(float((p[p > 0] * np.log(p[p > 0] / independent[p > 0])).sum()), 0.0)


def _following(parents: NDArray[np.intp], table: Ints, single: Ints, coins: Entropy) -> NDArray[np.intp]:
    """A cell for each record, given its cell in the parent column, in ``parents``; row i of ``table`` is for cell i.

    If all counts of a row are 0, the cells follow ``single``, the counts of this column alone.
    """
    cells = np.zeros(len(parents), dtype=np.intp)
    for parent_cell, row in enumerate(table):
        here = np.flatnonzero(parents == parent_cell)
        cells[here] = spread((row if row.any() else single).tolist(), len(here), coins)
    return cells


def _values(cells: Cells, places: NDArray[np.intp], coins: Entropy) -> list[object]:
    """A value for each record from its cell; the values of a cell are used equally often, in random order."""
    values: list[object] = [None] * len(places)
    for cell in np.unique(places).tolist():
        here = np.flatnonzero(places == cell)
        order, codes = shuffled(len(here), coins).tolist(), _even(cells.runs(cell), len(here))
        for place, i in zip(here.tolist(), order, strict=True):
            values[place] = cells.domain.decode(codes[i])
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
