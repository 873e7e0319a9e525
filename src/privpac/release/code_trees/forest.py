"""A list of nodes as a forest, and counts that agree: the children of a node have no more records than it has.

Throughout this file
    family    the children of one node; nodes without a parent form one family, whose parent is the public n
    y, x      noisy counts, and the numbers that replace them
    P         the number of a family's parent
    λ         the amount taken off each child, x = max(y − λ, 0), and added to a parent that may move

A node is a child in one family and the parent of another, one level deeper. So no node is in two of the families whose
children have even depths, and the nearest numbers that agree in these families are found family by family; likewise for
odd depths. Dykstra's algorithm takes turns between the two, and approaches the nearest numbers that agree everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.data.samples.sample import Ints
from privpac.release.postprocessing.consistency import Floats

LARGEST_PRODUCT = 2**62  # machine integers hold products below it
ROUNDS = 10  # further rounds change the numbers by less than one record


class Forest(NamedTuple):
    """Node i has the parent ``parents[i]``, its nearest ancestor in the list, or −1, and ``depth[i]`` ancestors."""

    parents: Ints
    depth: Ints


def forest(nodes: Sequence[Any], tree: TreeClass) -> Forest:
    """The forest of nodes in preorder: of paths in sorted order, or of all names of a taxonomy.

    >>> from privpac.classes.tree_orders.paths import StartsWith
    >>> forest(["J", "J10", "J101", "J11", "K"], StartsWith())
    Forest(parents=array([-1,  0,  1,  0, -1]), depth=array([0, 1, 2, 1, 0]))
    """
    if isinstance(tree, Taxonomy):
        names = tree.domain
        return Forest(np.where(names.depths == 0, -1, names.parent_numbers), names.depths)
    above: list[int] = []
    parents, depth = np.full(len(nodes), -1), np.zeros(len(nodes), dtype=np.int64)
    for i, node in enumerate(nodes):
        while above and node[: len(nodes[above[-1]])] != nodes[above[-1]]:
            above.pop()
        if above:
            parents[i], depth[i] = above[-1], len(above)
        above.append(i)
    return Forest(parents, depth)


def in_preorder(nodes: tuple[Any, ...], tree: TreeClass) -> bool:
    """Whether these are all names of a taxonomy, or paths in sorted order."""
    if isinstance(tree, Taxonomy):
        return nodes == tree.domain.names
    steps_are_texts = all(isinstance(v, type(tree.root)) and all(isinstance(step, str) for step in v) for v in nodes)
    return steps_are_texts and all(u < v for u, v in pairwise(nodes))


def within_parents(noisy: Ints, trees: Forest, n: int) -> Ints:
    """Whole numbers near the noisy ones that agree; those of nodes without a parent add up to at most n.

    >>> within_parents(np.array([100, 70, 50, -3]), Forest(np.array([-1, 0, 0, 0]), np.array([0, 1, 1, 1])), 100)
    array([100,  60,  40,   0])
    """
    x = np.clip(noisy, 0, n).astype(np.int64)
    if n * (len(x) + 1) >= LARGEST_PRODUCT:
        return x  # too large to add up
    x = np.rint(_fitted(x, trees, n)).astype(np.int64)  # these almost agree; the loop below makes them agree exactly
    for depth in range(int(trees.depth.max(initial=-1)) + 1):
        layer = np.flatnonzero(trees.depth == depth)
        parents = trees.parents[layer]
        x[layer] = _nearest(x[layer], parents, np.where(parents < 0, n, x[parents]))
    return x


def _fitted(y: Ints, trees: Forest, n: int) -> Floats:
    """Numbers that almost agree, and are almost the nearest ones to y that do: ROUNDS rounds of Dykstra's algorithm."""
    parities = [_Families.of(trees, odd) for odd in (0, 1)]
    x = np.append(y, n).astype(np.float64)  # the last entry is the parent of nodes without one
    corrections = [np.zeros_like(x) for _ in parities]
    for _ in range(ROUNDS):
        for parity, families in enumerate(parities):
            start = x + corrections[parity]
            x = families.nearest(start)
            corrections[parity] = start - x
    return x[:-1]


@dataclass(frozen=True, eq=False)
class _Families:
    """The families whose children have depths of one parity: all children, family by family."""

    children: Ints
    parents: Ints  # the parent of each family; −1 stands for n, the last entry of all numbers
    first: Ints  # where the children of each family begin
    sizes: Ints  # how many children each family has

    @classmethod
    def of(cls, trees: Forest, odd: int) -> _Families:
        """The families of children at odd depths, or at even ones."""
        children = np.flatnonzero(trees.depth % 2 == odd)
        children = children[np.argsort(trees.parents[children], kind="stable")]
        family = trees.parents[children]
        first = np.flatnonzero(np.diff(family, prepend=-2))
        return cls(children, family[first], first, np.diff(np.append(first, len(family))))

    def nearest(self, x: Floats) -> Floats:
        """The nearest numbers such that children are ≥ 0 and no family exceeds its parent; the last entry, n, stays.

        In a family whose ``rank`` largest children stay positive, λ is their sum minus P, divided by ``rank``, or by
        ``rank`` + 1 if the parent moves as well.
        """
        if not self.children.size:
            return x
        y, P, moves = x[self.children], x[self.parents], self.parents >= 0
        order = np.lexsort((-y, np.repeat(np.arange(len(self.first)), self.sizes)))
        high = np.maximum(y[order], 0)
        total = np.cumsum(high)
        total -= np.repeat(total[self.first] - high[self.first], self.sizes)
        rank = np.arange(len(y)) - np.repeat(self.first, self.sizes) + 1
        λ_by_rank = (total - np.repeat(P, self.sizes)) / (rank + np.repeat(moves, self.sizes))
        positive = np.add.reduceat(high > np.maximum(λ_by_rank, 0), self.first, dtype=np.int64)
        λ = np.maximum(np.where(positive > 0, λ_by_rank[self.first + np.maximum(positive, 1) - 1], -P), 0)
        x = x.copy()
        x[self.children] = np.maximum(y - np.repeat(λ, self.sizes), 0)
        x[self.parents] = np.where(moves, P + λ, P)
        return x


def _nearest(y: Ints, family: Ints, P: Ints) -> Ints:
    """The nearest x ≥ 0 with a sum of at most P in each family, rounded down; entry i belongs to ``family[i]``."""
    order = np.lexsort((-y, family))
    y, family, P = y[order], family[order], P[order]
    first = np.flatnonzero(np.append(True, family[1:] != family[:-1]))
    sizes = np.diff(np.append(first, len(y)))
    total = np.cumsum(y)
    total -= np.repeat(total[first] - y[first], sizes)  # the sum of this child and the larger ones
    rank = np.arange(len(y)) - np.repeat(first, sizes) + 1
    positive = np.maximum(np.add.reduceat((rank * y > total - P).astype(np.int64), first), 1)  # how many stay positive
    excess = np.maximum(total[first + positive - 1] - P[first], 0)  # λ times their number
    x = np.empty_like(y)
    x[order] = np.maximum((np.repeat(positive, sizes) * y - np.repeat(excess, sizes)) // np.repeat(positive, sizes), 0)
    return x
