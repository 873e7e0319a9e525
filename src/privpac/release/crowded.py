"""How records lie in a cell that holds many of them and could not be cut further. No record is read here.

With few records or a small ε, a cell may keep a large share of all records. If they crowd at one value, counts that
rise evenly are off by almost all of them; if half of them are counted at either end, by half of them, wherever they
are. If they are even, the latter is worse. The tree's last cut tells which is likely: records that avoid the other
part of it mostly keep to a small place in this part too, and records that fill both parts fill them evenly.

Throughout this file
    crowded    a cell with at least HEAVY of all n records, and with at least ONE_SIDED of what its parent in the tree
               holds; beside the origin, where cells of very different width meet, records per value are compared

Main declarations
    by_ends    crowded cells, with half of their records at either end
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from privpac.mechanisms.line_tree import LineTree

HEAVY, ONE_SIDED = 0.3, 7 / 8  # measured
Cells = tuple[tuple[int, ...], tuple[int, ...]]  # the first numbers of cells; records below each, and below the end


def by_ends(tree: LineTree, cells: Cells, finer: Cells, n: int) -> Cells:
    """The ``finer`` cells, but for those within a crowded one of the tree's own ``cells``.

    >>> by_ends(LineTree(16), ((0, 8, 12), (0, 4, 100, 100)), ((0, 8, 12), (0, 4, 100, 100)), 100)
    ((0, 8, 9, 11, 12), (0, 4, 52, 52, 100, 100))
    """
    known = dict(zip((*cells[0], tree.size), cells[1], strict=True))
    count = dict(zip((*finer[0], tree.size), finer[1], strict=True))
    for start, stop in _crowded(tree, known, n):
        middle = (known[start] + known[stop]) // 2
        count = {end: below for end, below in count.items() if not start < end < stop}
        count |= {start + 1: middle, stop - 1: middle}
    ends = sorted(count)
    return tuple(ends[:-1]), tuple(count[end] for end in ends)


def _crowded(tree: LineTree, known: dict[int, int], n: int) -> Iterator[tuple[int, int]]:
    for start, stop in pairwise(known):
        own = known[stop] - known[start]
        if own < max(1, HEAVY * n) or stop - start < 3:
            continue
        first, end = _sibling(tree, start, stop)
        other = known[end] - known[first]
        own_width, other_width = (stop - start, end - first) if tree.origin in (start, stop) else (1, 1)
        if own * other_width * (1 - ONE_SIDED) >= other * own_width * ONE_SIDED:
            yield start, stop


def _sibling(tree: LineTree, start: int, stop: int) -> tuple[int, int]:
    """The other part of the node that was cut last: its first value, and the first after it."""
    low, high, other = 0, tree.size - 1, (0, 0)
    while (low, high) != (start, stop - 1):
        cut = int(tree.cuts(tree.numbers([low]), tree.numbers([high]))[0])
        low, high, other = (low, cut - 1, (cut, high + 1)) if start < cut else (cut, high, (low, cut))
    return other
