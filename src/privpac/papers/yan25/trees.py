"""The tree of a class of VC dimension 1, and what a sample determines on it.

[Yan25, §4]  docs/references.bib        corrections: docs/errata/Yan25.md

Throughout this file
    f       the reference concept: labels are read as y XOR f(x)                        [Def. 14]
    x ⪯ y   every concept of C_f that contains x contains y: y lies on the path from the root to x   [Def. 13]
    ∅       the root, above all points; the concepts of C_f are paths from ∅ to a node  [Lemma 5]
    d(x)    how many steps x lies below ∅                                               [Def. 16]
    B       the points that a sample determines to be 1: a path, given by its last node [Def. 15]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.classes.base import ConceptClass, Hypothesis
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.base import TreeClass
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.values.points import Points
from privpac.data.values.canonical import canonical
from privpac.data.values.compare import hashables
from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder
from privpac.papers.base import Examples
from privpac.papers.yan25.shapes import Chain, OrderTree, Star

WITH_IMPROPER_NODES = (OrderTree, Star, Spider)  # some nodes are not concepts; the functions below know which
Marked = tuple[Any, bool]  # a node (None: a point on which all concepts agree) and the label y XOR f(x)


def make_tree(C: ExplicitClass, f: Any = None) -> TreeOrder:
    """MakeTree [Yan25, Alg. 1]: the tree of C_f; f is the first concept unless named.

    >>> make_tree(ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]]))
    TreeOrder(4 nodes, height 2)
    """
    f = C.concepts[0] if f is None else f
    C_f = C.matrix ^ C[f]
    columns = [int.from_bytes(column) for column in np.packbits(C_f, axis=0).T]  # a set of concepts is a number
    X = set(columns)  # E-Yan25-1: points are merged if they are equal under C_f, not under C
    X.discard(0)  # E-Yan25-2: a point on which all concepts agree leaves, no concept does
    parents, number = [ROOT], {0: ROOT}
    leaves = [(ROOT, sorted(X, key=lambda x: (-x.bit_count(), x)))]  # each with the points below it
    while leaves:  # E-Yan25-3: while points are missing, not once
        grown = []
        for leaf, below in leaves:
            for x in _highest(below):  # E-Yan25-3: nothing lies between x and the leaf
                number[x] = len(parents)
                parents.append(leaf)
                grown.append((number[x], [y for y in below if y & x == y != x]))
        leaves = grown
    homes = [number[column] for column in columns]
    ends = [-1] * len(parents)
    for row, concept in enumerate(C_f):  # on a path, numbers grow
        ends[max((homes[x] for x in np.flatnonzero(concept)), default=ROOT)] = row
    return TreeOrder(C, f, tuple(parents), tuple(homes), tuple(ends))


def _highest(below: list[int]) -> list[int]:
    """Those within no other, out of sets of falling size; ValueError if two cross: their points are shattered."""
    kept: list[int] = []
    for x in below:
        over = [y for y in kept if x & y]
        if any(x & y != x for y in over):
            raise ValueError("the class has VC dimension 2 or more, so it has no tree")
        if not over:
            kept.append(x)
    return kept


def tree_of(concept_class: ConceptClass) -> TreeClass:
    """The tree of a class: explicit, thresholds in one direction, points, or root paths of bounded height.

    A tree is returned as it is.

    >>> tree_of(ExplicitClass([[0, 0], [0, 1], [1, 1]])).height
    2
    """
    if isinstance(concept_class, ExplicitClass) and concept_class.size:
        return OrderTree.of(make_tree(concept_class))
    if isinstance(concept_class, Thresholds) and concept_class.direction != "either":
        return Chain(concept_class)
    if isinstance(concept_class, Points):
        return Star(concept_class)
    if isinstance(concept_class, TreeClass) and concept_class.kind == "root_path" and concept_class.height is not None:
        if isinstance(concept_class, WITH_IMPROPER_NODES) or type(concept_class).is_proper is TreeClass.is_proper:
            return concept_class
        raise ValueError(
            "some nodes of this tree are not concepts: list some points of the class with materialize(points)"
        )
    raise ValueError(
        "the class must be explicit with at least one concept, thresholds in one direction, points, or root paths "
        "with a declared height"
    )


@dataclass(frozen=True, eq=False)
class Relabeled:
    """Examples by node, with the label y XOR f(x): the distinct ones, and the index of each example among them.

    >>> S = Relabeled([(7, True), (1, False)], np.array([0, 0, 1]))
    >>> list(S), S.counts, S.parts([0, 1, 1], 2)
    ([(7, True), (7, True), (1, False)], {(7, True): 2, (1, False): 1}, [frozenset({...}), frozenset({...})])
    """

    distinct: list[Marked]
    which: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.which)

    def __iter__(self) -> Iterator[Marked]:
        return (self.distinct[i] for i in self.which.tolist())

    def at(self, chosen: NDArray[np.bool_]) -> Relabeled:
        """Some of the examples."""
        return Relabeled(self.distinct, self.which[chosen])

    @property
    def counts(self) -> dict[Marked, int]:
        """How often each of the distinct ones occurs."""
        return dict(zip(self.distinct, np.bincount(self.which, minlength=len(self.distinct)).tolist(), strict=True))

    def parts(self, deal: ArrayLike, t: int) -> list[frozenset[Marked]]:
        """The distinct examples of each of t parts; ``deal`` says in which part each example is."""
        k = max(len(self.distinct), 1)
        part, kind = np.divmod(np.unique(np.asarray(deal, dtype=np.intp) * k + self.which), k)
        ends, there = np.searchsorted(part, range(t + 1)).tolist(), [self.distinct[i] for i in kind.tolist()]
        return [frozenset(there[start:stop]) for start, stop in pairwise(ends)]


def marked(tree: TreeClass, examples: Examples) -> Relabeled:
    """The node of every example and its label y XOR f(x) [Yan25, Def. 14].

    >>> from privpac.classes.tree_orders.base import TwoSided
    >>> list(marked(TwoSided(0, 9, center=4), ((4, True), (7, True), (1, False))))
    [(None, False), (7, True), (1, False)]
    """
    points = hashables([x for x, _ in examples], "points")
    nodes = {x: (tree.canon(x), tree.ref_label(x)) for x in set(points)}
    number: dict[Marked, int] = {}
    found = ((nodes[x][0], y != nodes[x][1]) for x, (_, y) in zip(points, examples, strict=True))
    which = [number.setdefault(each, len(number)) for each in found]
    return Relabeled(list(number), np.array(which, dtype=np.intp))


def rule(tree: TreeClass, v: Any) -> Hypothesis:
    """The hypothesis of a node, XOR f; the group of a spider in the form that all equal ones have.

    >>> print(rule(tree_of(Thresholds(0, 9)), 7))
    x ≥ 7
    """
    return tree.hypothesis((canonical(v[0]), v[1]) if isinstance(tree, Spider) and v else v)


def make_sub_tree(tree: TreeClass, x_good: Hashable) -> dict[Hashable, tuple[Hashable, ...]]:
    """MakeSubTree [Yan25, Alg. 3]: T_good as node → children, from x_good down. Its leaves are its proper nodes.

    >>> make_sub_tree(tree_of(ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])), 1)
    {1: (2, 3), 2: (), 3: ()}
    """
    T_good: dict[Hashable, tuple[Hashable, ...]] = {}
    waiting = [x_good]
    for x in waiting:  # the list grows
        T_good[x] = () if tree.is_proper(x) else tuple(tree.children(x))
        waiting += T_good[x]
    return T_good


def longest_descent(tree: TreeClass) -> int:
    """The length of the longest chain of nodes that are not concepts: no way down to a concept has more steps.

    >>> longest_descent(tree_of(ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]]))), longest_descent(tree_of(Points(9)))
    (1, 1)
    """
    if not isinstance(tree, OrderTree):
        return 0 if tree.is_proper(tree.root) else 1  # elsewhere every node but the root is a concept
    runs = [0] * len(tree.parents)
    for x, parent in enumerate(tree.parents):  # parents come before children, the root is its own
        runs[x] = 0 if tree.is_proper(x) else 1 + (runs[parent] if x else 0)
    return max(runs)


def determined(tree: TreeClass, S: AbstractSet[Marked]) -> Hashable:
    """The last node of B, the path of all points that S determines [Yan25, Def. 15]; None if no concept fits S.

    >>> tree = tree_of(ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]]))
    >>> determined(tree, {(1, True)}), determined(tree, {(1, True), (2, False)}), determined(tree, {(None, True)})
    (1, 3, None)
    """
    ones, zeros = {v for v, y in S if y}, {v for v, y in S if not y and v is not None}
    if None in ones:
        return None  # E-Yan25-4: a sample that no concept fits determines nothing
    B = max(ones, key=tree.depth, default=tree.root)
    if not all(_above(tree, v, B) for v in ones) or any(_above(tree, v, B) for v in zeros):
        return None  # E-Yan25-4
    # Elsewhere, only a root with infinitely many children may fail to be a concept; it determines only itself.
    return _fitting(make_sub_tree(tree, B), zeros) if isinstance(tree, OrderTree) else B


def _above(tree: TreeClass, u: Any, v: Any) -> bool:
    """Whether u lies on the path to v."""
    if isinstance(tree, OrderTree):
        return tree.above(u, v)
    return tree.depth(u) <= tree.depth(v) and bool(tree.ancestor(v, tree.depth(u)) == u)


def _fitting(T_good: dict[Hashable, tuple[Hashable, ...]], zeros: AbstractSet[Hashable]) -> Hashable:
    """The last node common to all leaves whose path avoids ``zeros``; None if there are none."""
    common: dict[Hashable, Hashable] = {}
    for x in reversed(T_good):
        below = [common[child] for child in T_good[x] if common[child] is not None]
        last = x if len(below) != 1 else below[0]
        common[x] = None if x in zeros or (T_good[x] and not below) else last
    return common[next(iter(T_good))]
