"""Irreducible classes and generalized trees: the definitions of [GGKM21, §4], and what its lemmas find.

[GGKM21, §4]  docs/references.bib        corrections: docs/errata/GGKM21.md        proofs: docs/proofs/ggkm21.md

Throughout this file
    F          a class, by its oracle
    G, H, J    sub-classes of F: states of the oracle. If F is listed, the bits of an integer, one for each concept
    G|S        the concepts of G with the labels S
    SOA        of a class, labels each point so that the concepts with this label have the larger Ldim
    x(v)       the points of a node v, k_v of them
    b^(j)      the labels of the first points of x(v), on the edge from v to its j-th child: row j of a reducing array
    a(v)       the ancestor set of v: the points above v, with the labels of the path
    ht         the number of points above a node; for a tree, the largest of its nodes'

Labels −1 and 1 of the paper are False and True. A node is the path that leads to it: the numbers of the children, from
the root (), counted from 0.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise

from privpac.classes.hypothesis import Hypothesis
from privpac.dimensions.oracle import ListedOracle, Oracle, State
from privpac.dimensions.witnesses import ReducingSet

Row = tuple[bool, ...]
Path = tuple[int, ...]
Labeled = tuple[tuple[Hashable, bool], ...]

MOST_CONCEPTS = 16  # with n concepts there are 2^n sub-classes to try


def is_irreducible(F: Oracle[State], G: State, k: int) -> bool:
    """Whether fixing SOA's labels at any k points keeps Ldim(G) [GGKM21, Def. 4.1]. The empty class is k-irreducible.

    >>> F = ListedOracle([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> [is_irreducible(F, F.everything, k) for k in range(3)]
    [True, True, False]
    """
    return F.reducing_set(G, k) is None


def is_reducing_array(array: Sequence[Row]) -> bool:
    """Whether each row repeats the row before it, with its last label negated, and adds a label [GGKM21, Def. 4.3].

    The k + 1 rows of an array of depth k have 1, 2, …, k, k labels: the last row adds none.

    >>> is_reducing_array([(True,), (False, False), (False, True)]), is_reducing_array([(True,), (True, True)])
    (True, False)
    """
    k = len(array) - 1
    if k < 1 or [len(row) for row in array] != [*range(1, k + 1), k]:
        return False
    return all((*b[:-1], not b[-1]) == c[: len(b)] for b, c in pairwise(array))


@dataclass(frozen=True)
class Branching:
    """The label of an inner node v: x(v) and the rows b^(1), …, b^(k_v + 1)."""

    points: tuple[Hashable, ...]
    array: tuple[Row, ...]

    def __post_init__(self) -> None:
        if len(self.array) != len(self.points) + 1 or not is_reducing_array(self.array):
            raise ValueError("a node with k points needs a reducing array of depth k, k ≥ 1 [GGKM21, Def. 4.4]")

    def labels(self, j: int) -> Labeled:
        """The labeled points that the edge to child j (from 0) adds to the ancestor set."""
        return tuple(zip(self.points, self.array[j], strict=False))


@dataclass(frozen=True)
class GeneralizedTree:
    """A generalized tree [GGKM21, Def. 4.4]: the label of each inner node.

    >>> tree = GeneralizedTree().grown({(): Branching(("p", "q"), ((True,), (False, True), (False, False)))})
    >>> tree.leaves, tree.ancestors((1,)), tree.height, tree.depth
    (((0,), (1,), (2,)), (('p', False), ('q', True)), 2, 1)
    """

    inner: Mapping[Path, Branching] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = {(), *((*v, j) for v, label in self.inner.items() for j in range(len(label.array)))}
        if not self.inner.keys() <= nodes:
            raise ValueError("a node of a tree must be the root or a child of an inner node")

    def grown(self, labels: Mapping[Path, Branching]) -> GeneralizedTree:
        """The tree in which these leaves have labels, and children."""
        return GeneralizedTree({**self.inner, **labels})

    @cached_property
    def leaves(self) -> tuple[Path, ...]:
        children = [(*v, j) for v, label in self.inner.items() for j in range(len(label.array))]
        return tuple(v for v in [(), *children] if v not in self.inner)

    def ancestors(self, v: Path) -> Labeled:
        """a(v), from the root down."""
        return tuple(labeled for i, j in enumerate(v) for labeled in self.inner[v[:i]].labels(j))

    @property
    def height(self) -> int:
        """ht of the tree."""
        return max(len(self.ancestors(v)) for v in self.leaves)

    @property
    def depth(self) -> int:
        """The most edges between the root and a leaf."""
        return max(map(len, self.leaves))


def binary(x: GeneralizedTree) -> dict[Row, Hashable]:
    """x′ in the proof of [GGKM21, Lemma 4.6]: x as a binary tree, which maps the labels of a path to its next point.

    Its leaves have the same ancestor sets as those of x, in the same order.

    >>> x = GeneralizedTree().grown({(): Branching(("p", "q"), ((True,), (False, True), (False, False)))})
    >>> binary(x)
    {(): 'p', (False,): 'q'}
    """
    points: dict[Row, Hashable] = {}
    for v, label in x.inner.items():
        above = tuple(y for _, y in x.ancestors(v))
        for i, point in enumerate(label.points):
            points[above + label.array[-1][:i]] = point  # all rows that reach this point begin with these i labels
    return points


def surviving_leaf(F: ListedOracle, G: int, x: GeneralizedTree) -> Path | None:
    """The leaf of x with Ldim(G|a(leaf)) = Ldim(G); None if there is none, as when G is not ht(x)-irreducible.

    A class with a concept keeps its Ldim at one leaf at most [GGKM21, Lemmas 4.1 and 4.6].

    >>> F = ListedOracle([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> surviving_leaf(F, F.everything, GeneralizedTree({(): Branching((0,), ((True,), (False,)))}))
    (1,)
    """
    survivors = [v for v in x.leaves if F.ldim(F.after(G, x.ancestors(v))) == F.ldim(G)]
    return survivors[0] if survivors and G else None  # E-GGKM21-10: the empty class keeps its Ldim at every leaf


def soa_functions(F: ListedOracle, k: int) -> set[Hypothesis]:
    """{SOA_G : G ⊆ F is k-irreducible and not empty}; for k = Ldim(F) + 1, this set has Ldim(F) [GGKM21, Lemma 4.4].

    >>> F = ListedOracle([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> len(soa_functions(F, 2)), len(soa_functions(F, 1)), len(soa_functions(F, 0))
    (3, 4, 7)
    """
    if F.everything.bit_length() > MOST_CONCEPTS:
        raise ValueError(f"a class has 2^|F| sub-classes; give a class of at most {MOST_CONCEPTS} concepts")
    return {F.soa(G) for G in range(1, F.everything + 1) if is_irreducible(F, G, k)}


def reducing_array(F: Oracle[State], G: State, k: int) -> Branching | None:
    """At most k points with an array in which each row lowers Ldim(G) but leaves a concept [GGKM21, Lemma 4.5].

    None if G is k-irreducible. G need not be (k − 1)-irreducible.

    >>> F = ListedOracle([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> reducing_array(F, F.everything, 2)
    Branching(points=(0, 1), array=((True,), (False, True), (False, False)))
    """
    reducing = F.reducing_set(G, k)  # E-GGKM21-1: distinct points; repeated ones leave nothing
    return None if reducing is None else branching(reducing)


@lru_cache(2**12)  # reducing sets depend on examples, so PolyPriLearn clears this cache after each run
def branching(reducing: ReducingSet) -> Branching:
    """The reducing array of a reducing set, with its points."""
    return Branching(reducing.points, reducing.array)


def stable_leaf(F: ListedOracle, H: int, S: Labeled, x: GeneralizedTree) -> Path | None:
    """v̂, the leaf of x that survives in H|S [GGKM21, Lemma 4.7].

    Let H ⊆ G, let H|S be k-irreducible, Ldim(G|S) = Ldim(H|S) ≥ 0, ht(x) ≤ k − k′, and Ldim(G|a(v)) ≤ Ldim(G|S) at
    all leaves v. Then H|a(v̂) is k′-irreducible, and J|S and J′|a(v̂) have the same SOA hypothesis for all J and J′
    between H and G. S may have any length.

    >>> F = ListedOracle([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    >>> stable_leaf(F, F.everything, (), GeneralizedTree({(): Branching((0,), ((True,), (False,)))}))
    (1,)
    """
    return surviving_leaf(F, F.after(H, S), x)
