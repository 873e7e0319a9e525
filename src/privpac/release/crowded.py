"""How records lie in a cell that holds many of them and could not be cut further. No record is read here.

With few records or a small ε, a cell may keep a large share of all records. If they crowd at one value, counts that
rise evenly are off by almost all of them; if half of them are counted at either end, by half of them, wherever they
are. If they are even, the latter is worse. The tree's last cut tells which is likely: records that avoid the other
part of it mostly keep to a small place in this part too, and records that fill both parts fill them evenly.

Throughout this file
    sibling    the other part of the tree's last cut, which made the cell
    crowded    a cell with at least HEAVY of all n records, and ONE_SIDED of what it and its sibling hold; beside the
               origin, where cells of very different width meet, records per value are compared. Or its sibling holds
               as many, and itself has ONE_SIDED of them in one part: one crowd is seldom alone

Main declarations
    by_ends    crowded cells, with half of their records at either end
"""

from __future__ import annotations

import numpy as np

from privpac.mechanisms.line_tree import LineTree

HEAVY, ONE_SIDED = 0.3, 0.85  # measured
Cells = tuple[tuple[int, ...], tuple[int, ...]]  # the first numbers of cells; records below each, and below the end


def by_ends(tree: LineTree, cells: Cells, finer: Cells, n: int) -> Cells:
    """The ``finer`` cells, but for those within a crowded one of the tree's own ``cells``.

    >>> by_ends(LineTree(16), ((0, 8, 12), (0, 4, 100, 100)), ((0, 8, 12), (0, 4, 100, 100)), 100)
    ((0, 8, 9, 11, 12), (0, 4, 52, 52, 100, 100))
    """
    ends, heavy = (*cells[0], tree.size), np.diff(cells[1]) >= max(1, HEAVY * n)
    if not heavy.any():
        return finer
    known = dict(zip(ends, cells[1], strict=True))
    count = dict(zip((*finer[0], tree.size), finer[1], strict=True))
    for start, stop in ((ends[i], ends[i + 1]) for i in np.flatnonzero(heavy)):
        if stop - start > 2 and _is_crowded(tree, known, start, stop, n):
            middle = (known[start] + known[stop]) // 2
            count = {end: below for end, below in count.items() if not start < end < stop}
            count |= {start + 1: middle, stop - 1: middle}
    in_order = sorted(count)
    return tuple(in_order[:-1]), tuple(count[end] for end in in_order)


def _is_crowded(tree: LineTree, known: dict[int, int], start: int, stop: int, n: int) -> bool:
    first, end = _sibling(tree, start, stop)
    own, other = known[stop] - known[start], known[end] - known[first]
    widths = (stop - start, end - first) if tree.origin in (start, stop) else (1, 1)
    if _one_sided(own * widths[1], other * widths[0]):
        return True
    cut = _cut(tree, first, end) if end - first > 1 else first
    parts = (known[cut] - known[first], known[end] - known[cut]) if cut in known else (0, 0)
    return other >= HEAVY * n and _one_sided(max(parts), min(parts))


def _one_sided(more: int, less: int) -> bool:
    return more > 0 and more * (1 - ONE_SIDED) >= less * ONE_SIDED


def _sibling(tree: LineTree, start: int, stop: int) -> tuple[int, int]:
    """The other part of the node that was cut last: its first value, and the first after it."""
    low, high, other = 0, tree.size - 1, (0, 0)
    while (low, high) != (start, stop - 1):
        cut = _cut(tree, low, high + 1)
        low, high, other = (low, cut - 1, (cut, high + 1)) if start < cut else (cut, high, (low, cut))
    return other


def _cut(tree: LineTree, start: int, stop: int) -> int:
    return int(tree.cuts(tree.numbers([start]), tree.numbers([stop - 1]))[0])
