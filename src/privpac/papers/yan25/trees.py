"""The tree of a class of VC dimension 1, and what a sample determines on it [Yan25, §4].

Throughout this file
    f       the reference concept: labels are read as y XOR f(x)                        [Def. 14]
    C_f     the class with every concept relabeled in this way, as the set of its points with label 1
    x ⪯ y   every concept of C_f that contains x contains y: y lies on the path from the root to x   [Def. 13]
    ∅       the root, above all points; the concepts of C_f are paths from ∅ to a node  [Lemma 5]
    d(x)    the depth of x: the number of steps from ∅ to x                             [Def. 16]
    B       the points that are 1 in every concept that fits a sample: a path, represented by its last node [Def. 15]
    x_good  a node from which a proper learner goes down to a concept                   [Alg. 4]
    T_good  the nodes from x_good down to the first concept on each path                [Alg. 3]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.classes.values.points import Points
from privpac.data.values.equal_values import canonical, hashables
from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder
from privpac.papers.paper_learner import Examples
from privpac.papers.yan25.classes_as_trees import Chain, Star, TreeOrderClass

WITH_IMPROPER_NODES = (TreeOrderClass, Star, Spider)  # some of their nodes are not concepts
LabeledNode = tuple[Any, bool]  # the node of x, None where all concepts agree, and the label y XOR f(x)


def make_tree(C: ExplicitClass, f: Any = None) -> TreeOrder:
    """MakeTree [Yan25, Alg. 1]: the tree of C_f. The default for f is the first concept.

    >>> make_tree(ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]]))
    TreeOrder(4 nodes, height 2)
    """
    f = C.concepts[0] if f is None else f
    C_f = C.matrix ^ C[f]
    columns = [int.from_bytes(column) for column in np.packbits(C_f, axis=0).T]  # sets of concepts, as numbers
    X = set(columns)  # E-Yan25-1: points are merged if they are equal under C_f, not under C
    X.discard(0)  # E-Yan25-2: points on which all concepts agree are removed; concepts never are
    parents, number = [ROOT], {0: ROOT}
    leaves = [(ROOT, sorted(X, key=lambda x: (-x.bit_count(), x)))]  # each leaf with the points below it
    while leaves:  # E-Yan25-3: repeated until no points are left, not done once
        new_leaves = []
        for leaf, below in leaves:
            for x in _maximal(below):  # E-Yan25-3: nothing lies between x and the leaf
                number[x] = len(parents)
                parents.append(leaf)
                new_leaves.append((number[x], [y for y in below if y & x == y != x]))  # the proper subsets of x
        leaves = new_leaves
    homes = [number[column] for column in columns]  # the node of each point
    ends = [-1] * len(parents)  # the concept whose path ends at each node
    for row, concept in enumerate(C_f):  # numbers grow along a path, so the largest is the end of the path
        ends[max((homes[x] for x in np.flatnonzero(concept)), default=ROOT)] = row
    return TreeOrder(C, f, tuple(parents), tuple(homes), tuple(ends))


def _maximal(below: list[int]) -> list[int]:
    """The maximal sets in ``below``, which lists sets by decreasing size.

    ValueError if two sets cross: the class then shatters their points.
    """
    maximal: list[int] = []
    for x in below:
        overlaps = [x & y for y in maximal if x & y]
        if any(overlap != x for overlap in overlaps):
            raise ValueError("the class has VC dimension 2 or more, so it has no tree")
        if not overlaps:
            maximal.append(x)
    return maximal


def tree_of(concept_class: ConceptClass) -> TreeClass:
    """The tree of an explicit class, of thresholds in one direction, or of points.

    Root paths of bounded height are trees themselves, and are returned unchanged.

    >>> tree_of(ExplicitClass([[0, 0], [0, 1], [1, 1]])).height
    2
    """
    if isinstance(concept_class, ExplicitClass) and concept_class.size:
        return TreeOrderClass.of(make_tree(concept_class))
    if isinstance(concept_class, Thresholds) and concept_class.direction != "either":
        return Chain(concept_class)
    if isinstance(concept_class, Points):
        return Star(concept_class)
    if isinstance(concept_class, TreeClass) and concept_class.kind == "root_path" and concept_class.height is not None:
        all_proper = type(concept_class).is_proper is TreeClass.is_proper  # TreeClass.is_proper always returns True
        if all_proper or isinstance(concept_class, WITH_IMPROPER_NODES):
            return concept_class
        raise ValueError(
            "some nodes of this tree are not concepts: list some points of the class with materialize(points)"
        )
    raise ValueError(
        "the class must be explicit with at least one concept, thresholds in one direction (above or below), points, "
        "or root paths with a declared height"
    )


@dataclass(frozen=True, eq=False)
class NodeSample:
    """Examples as nodes with labels y XOR f(x): the distinct ones, and for each example its index among them.

    >>> S = NodeSample([(7, True), (1, False)], np.array([0, 0, 1]))
    >>> list(S), S.counts, S.parts([0, 1, 1], 2)
    ([(7, True), (7, True), (1, False)], {(7, True): 2, (1, False): 1}, [frozenset({...}), frozenset({...})])
    """

    distinct: list[LabeledNode]
    index: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[LabeledNode]:
        return (self.distinct[i] for i in self.index.tolist())

    def subset(self, mask: NDArray[np.bool_]) -> NodeSample:
        """The examples where ``mask`` is True."""
        return NodeSample(self.distinct, self.index[mask])

    @property
    def counts(self) -> dict[LabeledNode, int]:
        """How often each distinct example occurs."""
        return dict(zip(self.distinct, np.bincount(self.index, minlength=len(self.distinct)).tolist(), strict=True))

    def parts(self, deal: ArrayLike, t: int) -> list[frozenset[LabeledNode]]:
        """The distinct examples in each of t parts; ``deal`` has the part of each example."""
        k = max(len(self.distinct), 1)
        part, number = np.divmod(np.unique(np.asarray(deal, dtype=np.intp) * k + self.index), k)  # distinct pairs
        examples = [self.distinct[i] for i in number.tolist()]
        ends = np.searchsorted(part, range(t + 1)).tolist()
        return [frozenset(examples[start:stop]) for start, stop in pairwise(ends)]


def relabeling(tree: TreeClass, examples: Examples) -> NodeSample:
    """The node of every example and its label y XOR f(x) [Yan25, Def. 14].

    >>> from privpac.classes.tree_orders.tree_class import TwoSided
    >>> list(relabeling(TwoSided(0, 9, center=4), ((4, True), (7, True), (1, False))))
    [(None, False), (7, True), (1, False)]
    """
    points = hashables([x for x, _ in examples], "points")
    nodes = {x: (tree.canon(x), tree.ref_label(x)) for x in set(points)}  # x → (node, f(x))
    number: dict[LabeledNode, int] = {}
    sample = ((nodes[x][0], y != nodes[x][1]) for x, (_, y) in zip(points, examples, strict=True))
    index = [number.setdefault(labeled_node, len(number)) for labeled_node in sample]
    return NodeSample(list(number), np.array(index, dtype=np.intp))


def rule(tree: TreeClass, v: Any) -> Hypothesis:
    """The hypothesis of a node: 1 on its path, XOR f. In a spider, a node's group is put into its canonical form.

    >>> print(rule(tree_of(Thresholds(0, 9, direction="above")), 7))
    x ≥ 7
    """
    return tree.hypothesis((canonical(v[0]), v[1]) if isinstance(tree, Spider) and v else v)


def make_sub_tree(tree: TreeClass, x_good: Hashable) -> dict[Hashable, tuple[Hashable, ...]]:
    """MakeSubTree [Yan25, Alg. 3]: T_good, as a mapping from nodes to children. Its leaves are its proper nodes.

    >>> make_sub_tree(tree_of(ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])), 1)
    {1: (2, 3), 2: (), 3: ()}
    """
    T_good: dict[Hashable, tuple[Hashable, ...]] = {}
    waiting = [x_good]
    for x in waiting:  # the list grows during the loop
        T_good[x] = () if tree.is_proper(x) else tuple(tree.children(x))
        waiting += T_good[x]
    return T_good


def longest_descent(tree: TreeClass) -> int:
    """The length of the longest chain of nodes that are not concepts: no descent to a concept has more steps.

    >>> longest_descent(tree_of(ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]]))), longest_descent(tree_of(Points(9)))
    (1, 1)
    """
    if not isinstance(tree, TreeOrderClass):
        return 0 if tree.is_proper(tree.root) else 1  # in other trees, every node but the root is a concept
    runs = [0] * len(tree.parents)
    for x, parent in enumerate(tree.parents):  # parents come before children; the root is its own parent
        runs[x] = 0 if tree.is_proper(x) else 1 + (runs[parent] if x else 0)
    return max(runs)


def path_end(tree: TreeClass, S: AbstractSet[LabeledNode]) -> Hashable:
    """The last node of B, the path of all points that S determines [Yan25, Def. 15]; None if no concept fits S.

    >>> tree = tree_of(ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]]))
    >>> path_end(tree, {(1, True)}), path_end(tree, {(1, True), (2, False)}), path_end(tree, {(None, True)})
    (1, 3, None)
    """
    ones, zeros = {v for v, y in S if y}, {v for v, y in S if not y and v is not None}
    if None in ones:
        return None  # E-Yan25-4: a sample that no concept fits determines nothing
    B = max(ones, key=tree.depth, default=tree.root)
    on_path = _path_to(tree, B)
    if not all(map(on_path, ones)) or any(map(on_path, zeros)):
        return None  # E-Yan25-4: no concept fits this sample either
    # In trees of other kinds, only a root with infinitely many children may fail to be a concept. Then B is the root.
    return _last_common_node(make_sub_tree(tree, B), zeros) if isinstance(tree, TreeOrderClass) else B


def _path_to(tree: TreeClass, v: Any) -> Callable[[Any], bool]:
    """Whether a node lies on the path to v."""
    if not isinstance(tree, TreeOrderClass):
        return lambda u: tree.depth(u) <= tree.depth(v) and bool(tree.ancestor(v, tree.depth(u)) == u)
    path = {v}
    while v != tree.root:
        v = tree.parent(v)
        path.add(v)
    return path.__contains__


def _last_common_node(T_good: dict[Hashable, tuple[Hashable, ...]], zeros: AbstractSet[Hashable]) -> Hashable:
    """The last common node of all paths to leaves that avoid ``zeros``; None if there is no such path."""
    common: dict[Hashable, Hashable] = {}
    for x in reversed(T_good):
        below = [common[child] for child in T_good[x] if common[child] is not None]
        last = x if len(below) != 1 else below[0]
        common[x] = None if x in zeros or (T_good[x] and not below) else last
    return common[next(iter(T_good))]
