"""Threshold dimension of classes of VC dimension at most 1, up to one, by the longest directed path of their tree.

proof: docs/proofs/dimensions.md, Threshold dimension of trees

Throughout this file
    f        the reference concept, at the root of the tree; concepts below a node differ from f on its points
    up       for each node, a point of it with label 1 below the node and 0 above it: a path that goes up past the node
             crosses this point from 1 to 0
    down     for each node, a point of it with label 1 above the node and 0 below it
    L        the most points that one path through the tree crosses from 1 to 0: L ≤ T ≤ L + 1
    x₁ … x_L, c₀ … c_L    these points in order, and concepts between them: c_i is 0 on x₁ … x_i and 1 on the others
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Labels
from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder

Pairs = tuple[tuple[int, int], ...]


class Way(NamedTuple):
    """A way down from a node: how many points it crosses, and the child where it begins; (0, ROOT) for no way."""

    crossed: int
    child: int


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
    says_one = np.zeros((L + 1, M.shape[1]), dtype=bool)  # whether some concept with i zeros says 1 on a column
    np.logical_or.at(says_one, zeros, M)
    columns = np.flatnonzero(says_one.all(axis=0))
    return int(columns[0]) if columns.size else None


def _crossed_columns(order: TreeOrder, f: Labels) -> list[int]:
    """The columns of x₁ … x_L, on a path that first goes up and then down."""
    size = len(order.parents)
    up: list[int | None] = [None] * size
    down: list[int | None] = [None] * size
    for column, v in enumerate(order.homes):
        (down if f[column] else up)[v] = column
    up_ways, down_ways = _best_ways(order, up), _best_ways(order, down)
    turns = (  # for each node where a path may turn: the points crossed, and the children where its two ways begin
        (a.crossed + b.crossed, a.child, b.child)
        for ways in zip(up_ways, down_ways, strict=True)
        for a, b in product(*ways)
        if a.child != b.child or a.child == ROOT
    )
    _, first, second = max(turns)
    rise = [up[v] for v in reversed(_descent(up_ways, first))]
    fall = [down[v] for v in _descent(down_ways, second)]
    return [column for column in (*rise, *fall) if column is not None]


def _best_ways(order: TreeOrder, point: list[int | None]) -> list[list[Way]]:
    """For each node, its best ways down, at most three; ``point`` has the point, if any, that it crosses at a node."""
    best = [[Way(0, ROOT)] for _ in order.parents]
    for v in range(len(order.parents) - 1, ROOT, -1):
        way = Way(best[v][0].crossed + (point[v] is not None), v)
        of_parent = best[order.parents[v]]
        of_parent.append(way)
        of_parent.sort(reverse=True)
        del of_parent[3:]
    return best


def _descent(best: list[list[Way]], v: int) -> list[int]:
    """The nodes of the best way down that begins at v; none if v is ROOT."""
    nodes = []
    while v != ROOT:
        nodes.append(v)
        v = best[v][0].child
    return nodes
