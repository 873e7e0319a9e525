"""Classes of VC dimension at most 1 are trees, recognized in time O(mn).

[Yan25]  docs/references.bib        a use of the tree: privpac.dimensions.tree_orders.littlestone

Throughout this file
    c      the class as an explicit class
    f      the reference concept, one of the class; labels are read as y XOR f(x)   [Yan25, Def. 14]
    C_x    the concepts that differ from f on the point x; twins are points with the same C_x
    T      the tree order: the nodes are the distinct sets C_x that are not empty, ordered by inclusion, below the
           root 0, which stands for the empty path                                   [Yan25, §4.1, Alg. 1]
    h_v    1 exactly on the points of the path from the root to v; every concept is h_v XOR f for one v, and v is
           proper if there is such a concept

VC ≤ 1 iff the sets C_x are laminar: any two are disjoint or one contains the other. If two sets meet and neither
contains the other, they share a concept, each has one that the other lacks, and f lies in neither: four patterns on two
points.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, explicit
from privpac.dimensions.dimension import Dimension
from privpac.dimensions.witnesses import ShatteredSet

ROOT = 0


@dataclass(frozen=True)
class TreeOrder:
    """The tree of a class of VC dimension at most 1. Nodes are numbered, parents before children; 0 is the root.

    ``parents[v]`` is the node above v (for the root, the root itself). ``homes`` has the node of each column's point
    (the root if all concepts agree on it). ``ends`` has, for each node v, the row of the concept h_v XOR f (−1 if there
    is none).

    >>> T = tree_order([[0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 0, 1], [0, 0, 1, 1]], reference=0)
    >>> T
    TreeOrder(4 nodes, height 2)
    >>> T.canon(1), T.parent(2), T.children(0), T.canon(3), T.ref_label(3)
    (2, 1, (1, 3), None, True)
    >>> T.closure([0, 1]), T.closure([1, 2]), T.closure([])
    (2, None, 0)
    """

    concept_class: ExplicitClass
    reference: Hashable
    parents: tuple[int, ...]
    homes: tuple[int, ...]
    ends: tuple[int, ...]

    def __repr__(self) -> str:
        return f"TreeOrder({len(self.parents)} nodes, height {self.height})"

    @cached_property
    def _depths(self) -> list[int]:
        depths = [0]
        for parent in self.parents[1:]:
            depths.append(depths[parent] + 1)
        return depths

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.parents]
        for v, parent in enumerate(self.parents[1:], start=1):
            children[parent].append(v)
        return children

    @cached_property
    def _members(self) -> list[list[Hashable]]:
        members: list[list[Hashable]] = [[] for _ in self.parents]
        points = self.concept_class.all_points
        for point, column in zip(points, self.concept_class.columns(points).tolist(), strict=True):
            members[self.homes[column]].append(point)
        return members

    @property
    def root(self) -> int:
        """The node above all others: the empty path."""
        return ROOT

    @property
    def height(self) -> int:
        """The depth of the deepest node; one less than the number of layers of [Yan25, §1.3.2]."""
        return max(self._depths)

    def depth(self, v: int) -> int:
        """The number of nodes on the path from the root to ``v``, not counting the root [Yan25, Def. 16]."""
        return self._depths[v]

    def parent(self, v: int) -> int | None:
        """The node above; None above the root."""
        return None if v == ROOT else self.parents[v]

    def children(self, v: int) -> tuple[int, ...]:
        """The nodes directly below."""
        return tuple(self._children[v])

    def ancestor(self, v: int, l: int) -> int:
        """The node of depth ``l`` on the path from the root to ``v``."""
        if not 0 <= l <= self.depth(v):
            raise ValueError(f"node {v} has depth {self.depth(v)}: its ancestors have depths 0 to {self.depth(v)}")
        for _ in range(self.depth(v) - l):
            v = self.parents[v]
        return v

    def canon(self, x: Hashable) -> int | None:
        """The node of the point ``x``; None if all concepts agree on it."""
        return self.homes[self.concept_class.columns([x])[0]] or None

    def ref_label(self, x: Hashable) -> bool:
        """f(x), the label of the reference concept."""
        return bool(self.concept_class[self.reference][self.concept_class.columns([x])[0]])

    def points(self, v: int) -> tuple[Hashable, ...]:
        """The points at ``v``, by name; at the root, the points on which all concepts agree."""
        return tuple(self._members[v])

    def is_proper(self, v: int) -> bool:
        """Whether h_v XOR f is a concept of the class."""
        return self.ends[v] >= 0

    def concept(self, v: int) -> Hashable:
        """The name of the concept h_v XOR f; ValueError if the class has none."""
        if not self.is_proper(v):
            raise ValueError(f"no concept of the class ends at node {v}; check is_proper(v) first")
        return self.concept_class.concepts[self.ends[v]]

    def closure(self, points: Iterable[Hashable]) -> int | None:
        """The node of the shortest path that contains all ``points``, except constant ones; None if no path does."""
        nodes = {v for x in points if (v := self.canon(x)) is not None}
        v = deepest = max(nodes, key=self.depth, default=ROOT)
        while v != ROOT:
            nodes.discard(v)
            v = self.parents[v]
        return None if nodes else deepest


def tree_order(concept_class: ClassOrMatrix, reference: Hashable | None = None) -> TreeOrder:
    """The tree order of a class of VC dimension at most 1; the reference concept is the first one by default.

    >>> tree_order([[0, 0], [0, 1], [1, 0], [1, 1]])
    Traceback (most recent call last):
    ValueError: VC dimension 2 or more: the points 0 and 1 are shattered by the concepts 0, 1, 2, 3
    """
    shape = tree_or_shattered_pair(concept_class, reference)
    if isinstance(shape, TreeOrder):
        return shape
    points, concepts = " and ".join(map(str, shape.points)), ", ".join(map(str, shape.concepts))
    raise ValueError(f"VC dimension 2 or more: the points {points} are shattered by the concepts {concepts}")


def tree_or_shattered_pair(concept_class: ClassOrMatrix, reference: Hashable | None = None) -> TreeOrder | ShatteredSet:
    """The tree order if the class has VC dimension at most 1, else two points that it shatters.

    Sort the points by |C_x|, largest first. The sets are laminar iff the last point before x on the path of a concept
    is the same for all concepts in C_x: that point is the parent of x, or its twin.
    """
    c = explicit(concept_class)
    if c.size == 0:
        raise ValueError("a class without concepts has no tree; give at least one concept")
    f = 0 if reference is None else int(c.rows([reference])[0])
    ones = np.count_nonzero(c.matrix, axis=0)
    sizes = np.where(c.matrix[f], c.size - ones, ones)
    order = np.argsort(-sizes, kind="stable")
    before = np.full(len(order), -2)  # the place before each place on its paths; −1: none; −2: on no path so far
    last = np.full(c.size, -1)
    for row, labels in enumerate(c.matrix):
        path = np.flatnonzero((labels ^ c.matrix[f])[order])
        if len(path) == 0:
            continue
        expected = np.concatenate(([-1], path[:-1]))
        differs = (before[path] != expected) & (before[path] != -2)
        if differs.any():
            i = int(differs.argmax())
            # Two paths reach x from different points. The later of these, p, is on one path and not on the other.
            x, p = path[i], max(expected[i], before[path[i]])
            return _shattered_pair(c, int(order[p]), int(order[x]))
        before[path] = expected
        last[row] = path[-1]
    return _tree(c, f, _Paths(order.tolist(), sizes[order].tolist(), before.tolist(), last.tolist()))


def _shattered_pair(c: ExplicitClass, p: int, x: int) -> ShatteredSet:
    """The witness that p and x are shattered.

    C_p and C_x share a concept, and C_x is not within C_p. Since C_p is at least as large, it is not within C_x either.
    """
    pattern = c.matrix[:, p] * 2 + c.matrix[:, x]
    rows = [int(np.flatnonzero(pattern == labels)[0]) for labels in range(4)]
    return ShatteredSet((c.points[p], c.points[x]), tuple(c.concepts[row] for row in rows))


class _Paths(NamedTuple):
    """Points by their places when sorted by |C_x|; −1 means no place."""

    order: list[int]  # the column of each place
    sizes: list[int]  # |C_x| at each place
    before: list[int]  # the place before it on every path through it
    last: list[int]  # for each row, the place where its path ends


def _tree(c: ExplicitClass, f: int, paths: _Paths) -> TreeOrder:
    """The tree, with nodes numbered in the order of the points.

    A point whose set is as large as that of the point before it on its path is a twin of that point.
    """
    parents, node = [ROOT], []  # node: that of the point at each place
    for size, previous in zip(paths.sizes, paths.before, strict=True):
        if size == 0:
            node.append(ROOT)
        elif previous >= 0 and paths.sizes[previous] == size:
            node.append(node[previous])
        else:
            parents.append(node[previous] if previous >= 0 else ROOT)
            node.append(len(parents) - 1)
    homes = [ROOT] * len(node)
    for v, column in zip(node, paths.order, strict=True):
        homes[column] = v
    ends = [-1] * len(parents)
    for row, place in enumerate(paths.last):
        ends[node[place] if place >= 0 else ROOT] = row
    return TreeOrder(c, c.concepts[f], tuple(parents), tuple(homes), tuple(ends))


def vc_of_tree(order: TreeOrder) -> Dimension:
    """VC dimension of the class: 0 for a single concept, else 1."""
    c = order.concept_class
    if c.size == 1:
        return Dimension("VC", 0, 0, ShatteredSet((), c.concepts), "there is one concept")
    x = order.homes.index(1)
    concepts = tuple(c.concepts[int(np.flatnonzero(c.matrix[:, x] == label)[0])] for label in (False, True))
    reason = "the sets of concepts that differ from one of them are laminar"
    return Dimension("VC", 1, 1, ShatteredSet((c.points[x],), concepts), reason)
