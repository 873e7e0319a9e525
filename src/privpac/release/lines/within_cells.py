"""How records lie within a cell, guessed from the counts of all cells. No record is read here.

[FB84]  docs/references.bib

A cell may hold several magnitudes of values. Records are rarely even in it: the upper ones of a log-normal sample crowd
at its inner end, those of an even sample at its outer end. The counts of the cells around it tell which. Between the
magnitudes whose counts are known, we interpolate over the logarithm of the offset from the origin, by cubic polynomials
that never decrease. In the two cells beside the origin, counts stay even.

With few records or a small ε, a cell may keep a large share of all records. If they crowd at one value, counts that
rise evenly are off by almost all of them. Counting half of them at either end is off by half of them at most, wherever
they are, but this is worse for records that are even. The neighbors tell which is likely: records that avoid the
neighbors mostly keep to a small place in this cell, too.

Throughout this file
    crowded    a cell with at least HEAVY of all n records, whose neighbors together hold at most BESIDE of its count
"""

from __future__ import annotations

from math import log2

import numpy as np

from privpac.mechanisms.lines.line_tree import LineTree
from privpac.release.noisy_counts.consistency import Floats

MOST_BITS = 1024  # the longest lines that are looked at by magnitude
HEAVY, BESIDE = 0.3, 0.3  # measured
Cells = tuple[tuple[int, ...], tuple[int, ...]]  # the first numbers of cells; records below each, and below the end


def by_magnitude(tree: LineTree, starts: tuple[int, ...], below: tuple[int, ...]) -> Cells:
    """Cells that are cut where magnitudes begin, and the number of records below each of them.

    >>> by_magnitude(LineTree(64), (0, 4, 32), (0, 50, 90, 100))
    ((0, 4, 8, 16, 32), (0, 50, 64, 78, 90, 100))
    """
    if tree.size.bit_length() > MOST_BITS:
        return starts, below
    count = dict(zip((*starts, tree.size), below, strict=True))
    edges = [0, *tree.magnitudes(), tree.size]
    known = [edge for edge in edges if edge in count]
    knots = {_place(tree, edge): count[edge] for edge in known}  # far from the origin, places may coincide
    first = max((edge for edge in known if edge < tree.origin), default=0)  # the cells beside the origin
    stop = min((edge for edge in known if edge > tree.origin), default=tree.size)
    new = [edge for edge in edges if edge not in count and not first < edge < stop]
    found = never_decreasing(
        np.array(list(knots)), np.array(list(knots.values())), [_place(tree, each) for each in new]
    )
    count |= zip(new, np.rint(found).astype(int).tolist(), strict=True)
    cells = sorted(count)
    rising = np.maximum.accumulate([count[end] for end in cells])  # even where polynomials are rounded
    return tuple(cells[:-1]), tuple(np.minimum(rising, below[-1]).tolist())


def never_decreasing(x: Floats, y: Floats, at: list[float]) -> Floats:
    """Cubic polynomials between increasing x, through y that never decrease, and with slopes that keep it so.

    >>> never_decreasing(np.array([0.0, 1.0, 2.0, 4.0]), np.array([0.0, 1.0, 2.0, 4.0]), [0.5, 3.0])
    array([0.5, 3. ])
    """
    h = np.diff(x)
    rise = np.diff(y) / h
    before, after = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    flat = rise[1:] * rise[:-1] == 0
    left, right = np.where(flat, 1, rise[:-1]), np.where(flat, 1, rise[1:])
    inner = np.where(flat, 0, (before + after) / (before / left + after / right))  # their weighted harmonic mean
    slopes = np.concatenate([rise[:1], inner, rise[-1:]])
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(h) - 1)
    t = (np.array(at) - x[i]) / h[i]
    bent = h[i] * t * (1 - t) * ((slopes[i] - rise[i]) * (1 - t) - (slopes[i + 1] - rise[i]) * t)
    return np.asarray(y[i] + h[i] * rise[i] * t + bent)


def _place(tree: LineTree, end: int) -> float:
    """0 at the origin, and one more or less with each magnitude."""
    offset = end - tree.origin
    return 0.0 if offset == 0 else 1 + log2(offset) if offset > 0 else -1 - log2(-offset)


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
