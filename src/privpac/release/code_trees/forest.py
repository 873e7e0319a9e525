"""A list of nodes as a forest, and counts that agree with each other: children have no more records than their parent.

Throughout this file
    y, x    noisy counts of the children of one node, and the whole numbers that replace them
    P       the number of their parent
    λ       the amount taken off each of them, x = max(y − λ, 0); a parent that may move gains it

Two sets of numbers are easy to get near to: those in which parents at even depths have at least as many records as
their children together, and those in which parents at odd depths do, because no node is in two of these families.
Dykstra's algorithm takes turns between the two and ends at the nearest numbers in both, a least-squares fit.
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
from privpac.release.noisy_counts.consistency import Floats

LARGEST_PRODUCT = 2**62  # machine integers hold products below it
ROUNDS = 10  # further rounds change the numbers by less than one record


class Forest(NamedTuple):
    """Node i lies below ``parents[i]``, the nearest node of the list, or −1; ``depth[i]`` nodes lie above it."""

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
    """The numbers of all nodes, top-down; those of nodes without a parent add up to at most n.

    >>> within_parents(np.array([100, 70, 50, -3]), Forest(np.array([-1, 0, 0, 0]), np.array([0, 1, 1, 1])), 100)
    array([100,  60,  40,   0])
    """
    x = np.clip(noisy, 0, n).astype(np.int64)
    if n * (len(x) + 1) >= LARGEST_PRODUCT:
        return x  # too large to add up
    x = np.rint(_fitted(x, trees, n)).astype(np.int64)
    for depth in range(int(trees.depth.max(initial=-1)) + 1):
        layer = np.flatnonzero(trees.depth == depth)
        parents = trees.parents[layer]
        x[layer] = _nearest(x[layer], parents, np.where(parents < 0, n, x[parents]))
    return x


def _fitted(y: Ints, trees: Forest, n: int) -> Floats:
    """The nearest numbers to y that agree, almost; the parent of nodes without one has n, and does not move."""
    sides = [_Families.of(trees, odd) for odd in (0, 1)]
    x = np.append(y, n).astype(np.float64)
    moved = [np.zeros_like(x) for _ in sides]
    for _ in range(ROUNDS):
        for side, families in enumerate(sides):
            start = x + moved[side]
            x = families.agreeing(start)
            moved[side] = start - x
    return x[:-1]


@dataclass(frozen=True, eq=False)
class _Families:
    """Children in the order of their parents; family k begins at ``first[k]``."""

    children: Ints
    parents: Ints  # one for each family
    first: Ints
    sizes: Ints

    @classmethod
    def of(cls, trees: Forest, odd: int) -> _Families:
        """The families of children at odd depths, or at even ones.

        Nodes without a parent have the parent −1, the last entry.
        """
        children = np.flatnonzero(trees.depth % 2 == odd)
        children = children[np.argsort(trees.parents[children], kind="stable")]
        family = trees.parents[children]
        first = np.flatnonzero(np.diff(family, prepend=-2))
        return cls(children, family[first], first, np.diff(np.append(first, len(family))))

    def agreeing(self, x: Floats) -> Floats:
        """The nearest numbers x ≥ 0 such that no family exceeds its parent; only the last entry of all stays."""
        if not self.children.size:
            return x
        y, P, moves = x[self.children], x[self.parents], self.parents >= 0
        order = np.lexsort((-y, np.repeat(np.arange(len(self.first)), self.sizes)))
        high = np.maximum(y[order], 0)
        total = np.cumsum(high)
        total -= np.repeat(total[self.first] - high[self.first], self.sizes)
        rank = np.arange(len(y)) - np.repeat(self.first, self.sizes) + 1
        λ = (total - np.repeat(P, self.sizes)) / (rank + np.repeat(moves, self.sizes))  # if the first ``rank`` stay
        stay = np.add.reduceat(high > np.maximum(λ, 0), self.first, dtype=np.int64)
        taken = np.where(stay > 0, λ[self.first + np.maximum(stay, 1) - 1], -P)
        taken = np.maximum(taken, 0)
        x = x.copy()
        x[self.children] = np.maximum(y - np.repeat(taken, self.sizes), 0)
        x[self.parents] = np.where(moves, P + taken, P)
        return x


def _nearest(y: Ints, family: Ints, P: Ints) -> Ints:
    """For each family, the nearest x ≥ 0 with a sum of at most P, rounded down."""
    order = np.lexsort((-y, family))
    y, family, P = y[order], family[order], P[order]
    first = np.flatnonzero(np.append(True, family[1:] != family[:-1]))
    sizes = np.diff(np.append(first, len(y)))
    total = np.cumsum(y)
    total -= np.repeat(total[first] - y[first], sizes)  # the sum of this child and the larger ones
    rank = np.arange(len(y)) - np.repeat(first, sizes) + 1
    positive = np.maximum(np.add.reduceat((rank * y > total - P).astype(np.int64), first), 1)  # children that stay so
    excess = np.maximum(total[first + positive - 1] - P[first], 0)  # λ times their number
    x = np.empty_like(y)
    x[order] = np.maximum((np.repeat(positive, sizes) * y - np.repeat(excess, sizes)) // np.repeat(positive, sizes), 0)
    return x
