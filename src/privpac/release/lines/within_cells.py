"""How records lie within a cell, guessed from the counts of all cells. No record is read here.

[FB84]  docs/references.bib

A cell may contain several magnitudes: values whose distances from the origin lie between two powers of two. Records are
rarely even in it. Those of a log-normal sample crowd at its inner end, those of an even sample at its outer end, and
the counts of the other cells tell which. Between the edges with known counts, we interpolate over the logarithm of the
distance from the origin, by cubic polynomials that never decrease. In the two cells beside the origin, counts are even.

With few records or a small ε, a cell may keep a large share of all records. If they crowd at one value, counts that
rise evenly are off by almost all of them. If half of them are counted at either end of the cell, counts are off by at
most half of them, wherever they are, but this is worse for even records. The neighbors tell which is likely: records
that avoid the neighbors mostly crowd in this cell, too.

Atoms, values that many records share, have noisy counts of their own. Some of these are noise alone. So an atom gets
what it probably has, and the rest of its cell's records lie evenly around the atoms.

Throughout this file
    starts     the first numbers of all cells, in order
    crowded    a cell with at least HEAVY of all n records, whose neighbors together hold at most BESIDE of its count
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from math import floor, log2

import numpy as np

from privpac.mechanisms.lines.atoms import Atom, Atoms
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.release.postprocessing.consistency import Floats

MOST_BITS = 1024  # cells of longer lines are not cut at magnitudes
HEAVY, BESIDE = 0.3, 0.3  # measured
Cells = tuple[tuple[int, ...], tuple[int, ...]]  # starts; how many records lie below each of them, and all records
Found = tuple[Atoms, tuple[Atom, ...]] | None  # a search for atoms, if there was one, and those it released


def cells_by_atoms(size: int, cells: Cells, found: Found) -> Cells:
    """The cells, cut at both ends of each atom, with what the atom probably has in between.

    >>> from privpac.privacy.budget import Budget
    >>> search = Atoms(Budget(10), LineTree(16), starts=(0, 8))
    >>> cells_by_atoms(16, ((0, 8), (0, 10, 90)), (search, (Atom(12, 60), Atom(14, 2))))
    ((0, 8, 12, 13, 14, 15), (0, 10, 19, 81, 83, 87, 90))
    """
    if found is None:
        return cells
    (starts, below), (search, atoms) = cells, found
    ends, count = (*starts, size), dict(zip((*starts, size), below, strict=True))
    in_cells = defaultdict(list)
    for atom in atoms:
        in_cells[bisect_right(starts, atom.value) - 1].append(atom)
    for i, inside in in_cells.items():
        start, width, records = starts[i], ends[i + 1] - starts[i], below[i + 1] - below[i]
        likely = [floor(search.records(atom.noisy, records, width)) for atom in inside]
        most, so_far = max(sum(likely), records, 1), below[i]
        others = records - sum(likely) * records // most
        for (value, _), more in zip(inside, likely, strict=True):
            count.setdefault(value, so_far + others * (value - start) // width)
            so_far += more * records // most
            count.setdefault(value + 1, so_far + others * (value + 1 - start) // width)
    in_order = sorted(count)
    return tuple(in_order[:-1]), tuple(count[end] for end in in_order)


def cells_by_magnitude(tree: LineTree, starts: tuple[int, ...], below: tuple[int, ...]) -> Cells:
    """The cells, cut further where magnitudes begin, with interpolated counts.

    >>> cells_by_magnitude(LineTree(64), (0, 4, 32), (0, 50, 90, 100))
    ((0, 4, 8, 16, 32), (0, 50, 64, 78, 90, 100))
    """
    if tree.size.bit_length() > MOST_BITS:
        return starts, below
    count = dict(zip((*starts, tree.size), below, strict=True))
    edges = [0, *tree.magnitudes(), tree.size]
    known = [edge for edge in edges if edge in count]
    knots = {_log_place(tree, edge): count[edge] for edge in known}  # far from the origin, places may coincide
    first = max((edge for edge in known if edge < tree.origin), default=0)
    stop = min((edge for edge in known if edge > tree.origin), default=tree.size)  # the two cells beside the origin
    new = [edge for edge in edges if edge not in count and not first < edge < stop]
    x, y = np.array(list(knots)), np.array(list(knots.values()))
    interpolated = never_decreasing(x, y, [_log_place(tree, edge) for edge in new])
    count |= zip(new, np.rint(interpolated).astype(int).tolist(), strict=True)
    cells = sorted(count)
    rising = np.maximum.accumulate([count[end] for end in cells])  # rounding may make a polynomial decrease
    return tuple(cells[:-1]), tuple(np.minimum(rising, below[-1]).tolist())


def never_decreasing(x: Floats, y: Floats, at: list[float]) -> Floats:
    """Values at ``at`` of cubic polynomials through the points (x, y), both increasing; the polynomials never decrease.

    >>> never_decreasing(np.array([0.0, 1.0, 2.0, 4.0]), np.array([0.0, 1.0, 2.0, 4.0]), [0.5, 3.0])
    array([0.5, 3. ])
    """
    h = np.diff(x)
    rise = np.diff(y) / h
    before, after = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    flat = rise[1:] * rise[:-1] == 0
    left, right = np.where(flat, 1, rise[:-1]), np.where(flat, 1, rise[1:])
    inner = np.where(flat, 0, (before + after) / (before / left + after / right))  # a weighted harmonic mean of both
    slopes = np.concatenate([rise[:1], inner, rise[-1:]])
    i = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(h) - 1)
    t = (np.array(at) - x[i]) / h[i]
    bent = h[i] * t * (1 - t) * ((slopes[i] - rise[i]) * (1 - t) - (slopes[i + 1] - rise[i]) * t)
    return np.asarray(y[i] + h[i] * rise[i] * t + bent)


def _log_place(tree: LineTree, end: int) -> float:
    """Where a number stands on a logarithmic axis: 0 at the origin, one more or less with each magnitude."""
    offset = end - tree.origin
    return 0.0 if offset == 0 else 1 + log2(offset) if offset > 0 else -1 - log2(-offset)


def cells_by_ends(size: int, cells: Cells, finer: Cells, n: int) -> Cells:
    """The ``finer`` cells of a line, but crowded ones of ``cells`` count half of their records at each end.

    A cell without neighbors is never crowded.

    >>> cells_by_ends(16, ((0, 8, 12), (0, 4, 100, 100)), ((0, 8, 12), (0, 4, 100, 100)), 100)
    ((0, 8, 9, 11, 12), (0, 4, 52, 52, 100, 100))
    """
    (starts, below), (finer_starts, finer_below) = cells, finer
    ends, counts = (*starts, size), np.diff(below)
    neighbors = np.concatenate([[0], counts[:-1]]) + np.concatenate([counts[1:], [0]])
    crowded = (counts >= max(1, HEAVY * n)) & (neighbors <= BESIDE * counts) & (len(counts) > 1)
    count = dict(zip((*finer_starts, size), finer_below, strict=True))
    for i in np.flatnonzero(crowded):
        start, stop, middle = ends[i], ends[i + 1], (below[i] + below[i + 1]) // 2
        if stop - start > 2:
            count = {end: number for end, number in count.items() if not start < end < stop}
            count |= {start + 1: middle, stop - 1: middle}
    in_order = sorted(count)
    return tuple(in_order[:-1]), tuple(count[end] for end in in_order)
