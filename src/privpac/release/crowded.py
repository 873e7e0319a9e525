"""How records lie in a cell that holds many of them and was not cut further. No record is read here.

With few records or a small ε, a cell may keep a large share of all records. If they crowd at one value, counts that
rise evenly are off by almost all of them; if half of them are counted at either end, by half of them, wherever they
are. If they are even, the latter is worse. The neighbors tell which is likely: records that avoid them mostly keep to a
small place in this cell too.

Throughout this file
    crowded    a cell with at least HEAVY of all n records, whose neighbors together hold at most BESIDE of its count

Main declarations
    by_ends    crowded cells, with half of their records at either end
"""

from __future__ import annotations

import numpy as np

HEAVY, BESIDE = 0.3, 0.3  # measured
Cells = tuple[tuple[int, ...], tuple[int, ...]]  # the first numbers of cells; records below each, and below the end


def by_ends(size: int, cells: Cells, finer: Cells, n: int) -> Cells:
    """The ``finer`` cells of a line, but for those within a crowded one of ``cells``; a single cell has no neighbor.

    >>> by_ends(16, ((0, 8, 12), (0, 4, 100, 100)), ((0, 8, 12), (0, 4, 100, 100)), 100)
    ((0, 8, 9, 11, 12), (0, 4, 52, 52, 100, 100))
    """
    ends, counts = (*cells[0], size), np.diff(cells[1])
    neighbors = np.concatenate([[0], counts[:-1]]) + np.concatenate([counts[1:], [0]])
    crowded = (counts >= max(1, HEAVY * n)) & (neighbors <= BESIDE * counts) & (len(counts) > 1)
    count = dict(zip((*finer[0], size), finer[1], strict=True))
    for i in np.flatnonzero(crowded):
        start, stop, middle = ends[i], ends[i + 1], (cells[1][i] + cells[1][i + 1]) // 2
        if stop - start > 2:
            count = {end: below for end, below in count.items() if not start < end < stop}
            count |= {start + 1: middle, stop - 1: middle}
    in_order = sorted(count)
    return tuple(in_order[:-1]), tuple(count[end] for end in in_order)
