"""Threshold dimension of classes of VC dimension at most 1, up to one, by the longest directed path of their tree.

proof: docs/proofs/dimensions.md, Threshold dimension of trees

Throughout this file
    f        the reference concept, at the root of the tree; concepts below a node differ from f on its points
    up       for each node, a point of it that is 1 below and 0 above it, so that a path from below crosses from 1 to 0
    down     for each node, a point of it that is 1 above and 0 below it
    L        the most points that one path through the tree crosses from 1 to 0: L ≤ T ≤ L + 1
    x₁ … x_L, c₀ … c_L    these points in order, and concepts between them: c_i is 0 on x₁ … x_i and 1 on the others
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Labels
from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder

Pairs = tuple[tuple[int, int], ...]
Best = tuple[int, int]  # points crossed, and the child where they are crossed


def threshold_of_tree(order: TreeOrder) -> tuple[Pairs, int]:
    """A sequence of length L or L + 1 as pairs (row of c_i, column of x_i), and L + 1, which no sequence exceeds."""
    M = order.concept_class.matrix
    columns = _crossed_columns(order, M[order.concept_class.rows([order.reference])[0]])
    zeros = np.count_nonzero(~M[:, columns], axis=1)
    # The concepts with labels 0 … 0 1 … 1 on x₁ … x_L: with i zeros, such a concept can be c_i.
    between = np.flatnonzero((M[:, columns] == (np.arange(len(columns)) >= zeros[:, None])).all(axis=1))
    last = _common_column(M[between], zeros[between], len(columns))
    if last is None:
        rows = [int(between[np.argmax(zeros[between] == i)]) for i in range(len(columns))]
        return tuple(zip(rows, columns, strict=True)), len(columns) + 1
    ones = between[M[between, last]]
    rows = [int(ones[np.argmax(zeros[ones] == i)]) for i in range(len(columns) + 1)]
    return tuple(zip(rows, [*columns, last], strict=True)), len(columns) + 1


def _common_column(M: Labels, zeros: NDArray[np.intp], L: int) -> int | None:
    """A column that is 1 on some c_i for every i = 0 … L: the last point of a sequence of length L + 1."""
    one = np.zeros((L + 1, M.shape[1]), dtype=bool)
    np.logical_or.at(one, zeros, M)
    columns = np.flatnonzero(one.all(axis=0))
    return int(columns[0]) if columns.size else None


def _crossed_columns(order: TreeOrder, f: Labels) -> list[int]:
    """The columns of x₁ … x_L."""
    size = len(order.parents)
    up: list[int | None] = [None] * size
    down: list[int | None] = [None] * size
    for column, v in enumerate(order.homes):
        (down if f[column] else up)[v] = column
    rising, falling = _heaviest_ways(order, up), _heaviest_ways(order, down)
    turns = (  # where a path turns from rising to falling, on two different ways
        (a[0] + b[0], a[1], b[1])
        for ways in zip(rising, falling, strict=True)
        for a, b in product(*ways)
        if a[1] != b[1] or a[1] == ROOT
    )
    _, first, second = max(turns)
    rise = [up[v] for v in reversed(_descent(rising, first))]
    fall = [down[v] for v in _descent(falling, second)]
    return [column for column in (*rise, *fall) if column is not None]


def _heaviest_ways(order: TreeOrder, point: list[int | None]) -> list[list[Best]]:
    """For each node its two best children, by the points of this kind on the heaviest way down; (0, ROOT): no way."""
    best: list[list[Best]] = [[(0, ROOT)] for _ in order.parents]
    for v in range(len(order.parents) - 1, ROOT, -1):
        way = best[v][0][0] + (point[v] is not None)
        above = best[order.parents[v]]
        above.append((way, v))
        above.sort(reverse=True)
        del above[3:]
    return best


def _descent(best: list[list[Best]], v: int) -> list[int]:
    """The way down from a child: the child itself and always the heaviest below."""
    way = []
    while v != ROOT:
        way.append(v)
        v = best[v][0][1]
    return way
