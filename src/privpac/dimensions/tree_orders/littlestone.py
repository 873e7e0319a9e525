"""Littlestone dimension of a class of VC dimension at most 1, from its tree order.

proof: docs/proofs/dimensions.md

Throughout this file
    T      the tree order of the class; a concept is a path from the root to a node, which is then called proper
    H_v    the concepts that end at v or below it; a point at v splits H into H_v and H − H_v
    N(v)   the weight of v: the largest d with 2^d ≤ N(v) is the Littlestone dimension of H_v
    μ      the function that combines the weights of the children, and a 1 if v is proper, into N(v): :func:`merge`

Two facts about weights give a mistake tree and rule out a deeper one. If N(x) ≥ 2^k and H − H_x has weight ≥ 2^k, then
H has weight ≥ 2^(k + 1). Conversely, if H has weight 2^(k + 1), then there is such an x: go down from the root, always
to the heaviest child, until the weight is 2^k.
"""

from __future__ import annotations

from collections.abc import Hashable
from heapq import nlargest

from privpac.classes.tree_orders.tree_class import merge
from privpac.dimensions.dimension import Dimension
from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder
from privpac.dimensions.witnesses import MistakeTree


def littlestone_of_tree(order: TreeOrder) -> Dimension:
    """Littlestone dimension d of a class of VC dimension at most 1, with a mistake tree.

    Time O(n log m) for the weights, O(d 2^d log m) for the mistake tree, which has 2^d ≤ m leaves.

    >>> from privpac.dimensions.tree_orders.laminar import tree_order
    >>> thresholds = [[x >= t for x in range(7)] for t in range(8)]
    >>> Ldim = littlestone_of_tree(tree_order(thresholds))
    >>> Ldim.value, Ldim.witness.points
    (3, (3, 5, 1, 6, 4, 2, 0))
    """
    forest = _Forest(order)
    weight = forest.N[ROOT]
    d = weight.bit_length() - 1
    reason = f"VC dimension at most 1, and the tree has weight {weight} < 2^{d + 1}"
    return Dimension("Littlestone", d, d, forest.mistake_tree(d), reason)


class _Forest:
    """The weights of a tree that falls apart while a mistake tree is read off it.

    Only the heaviest children of a node are kept, as many as μ can use: one for each bit of the largest weight, and
    one more.
    """

    def __init__(self, order: TreeOrder) -> None:
        self.order = order
        self.N = [0] * len(order.parents)
        self.children: list[list[int]] = [[] for _ in order.parents]
        self.column = {v: column for column, v in enumerate(order.homes)}
        for v in reversed(range(len(order.parents))):
            all_children = order.children(v)
            bits = max((self.N[u] for u in all_children), default=0).bit_length()
            self.children[v] = nlargest(bits + 1, all_children, key=self.N.__getitem__)
            self.weigh(v)

    def weigh(self, v: int) -> None:
        """Set N(v) from the children that are left."""
        self.N[v] = merge([self.N[u] for u in self.children[v]] + [1] * self.order.is_proper(v))

    def down(self, v: int, weight: int) -> int:
        """The node of exactly this ``weight``, a power of two ≤ N(v), on the heaviest way down from v."""
        while self.N[v] > weight:
            v = max(self.children[v], key=self.N.__getitem__)
        return v

    def cut(self, x: int, v: int) -> None:
        """Take H_x away from H_v."""
        self.children[self.order.parents[x]].remove(x)
        while x != v:
            x = self.order.parents[x]
            self.weigh(x)

    def mistake_tree(self, d: int) -> MistakeTree:
        """A mistake tree of depth d. This takes the forest apart."""
        points: list[Hashable] = [None] * (2**d - 1)
        concepts: list[Hashable] = [None] * 2**d
        c = self.order.concept_class
        reference_labels = c[self.order.reference].tolist()

        def grow(v: int, k: int, place: int, path: int) -> None:
            """Fill in a mistake tree of depth k ≤ log₂ N(v) for H_v, at this ``place`` of the heap.

            ``path`` has the labels that lead there as bits, the highest first.
            """
            v = self.down(v, 2**k)
            if k == 0:
                while not self.order.is_proper(v):
                    v = max(self.children[v], key=self.N.__getitem__)
                concepts[path] = self.order.concept(v)
                return
            x = self.down(v, 2 ** (k - 1))
            self.cut(x, v)
            f = reference_labels[self.column[x]]  # the concepts in H_x have the label 1 − f on x, all others f
            points[place] = c.points[self.column[x]]
            grow(x, k - 1, 2 * place + 1 + (1 - f), 2 * path + (1 - f))
            grow(v, k - 1, 2 * place + 1 + f, 2 * path + f)

        grow(ROOT, d, 0, 0)
        return MistakeTree(tuple(points), tuple(concepts))
