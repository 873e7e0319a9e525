"""Classes of VC dimension at most 1 are recognized, with their tree; all others are refuted by two shattered points."""

from itertools import pairwise

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair, tree_order, vc_of_tree
from privpac.dimensions.witnesses import ShatteredSet, verify
from tests.dimensions import yan25
from tests.dimensions.oracles import naive_vc, paths_of, random_laminar, random_rows, random_tree


def path(T, v):
    """The points on the path from the root to v."""
    points = set()
    while v is not None:
        points |= set(T.points(v)) if T.parent(v) is not None else set()
        v = T.parent(v)
    return points


def check(c, T):
    """Everything that a tree order promises, by the definitions."""
    f = c[T.reference][c.columns(c.all_points)]
    differs = dict(zip(c.all_points, (c.matrix_on(c.all_points) ^ f).T, strict=True))
    for x, labels in differs.items():
        v = T.canon(x)
        assert T.ref_label(x) == f[c.all_points.index(x)]
        assert (v is None) == (not labels.any())
        assert x in T.points(0 if v is None else v)
        for y, other in differs.items():
            same, below = (labels == other).all(), (labels <= other).all()
            if labels.any() and other.any():
                assert (v == T.canon(y)) == same
                assert (y in path(T, v)) == below
    nodes = range(len(T.parents))
    assert T.height == max(map(T.depth, nodes))
    ends = {T.concept(v): path(T, v) for v in nodes if T.is_proper(v)}
    assert ends == {name: {x for x in differs if differs[x][row]} for row, name in enumerate(c.concepts)}
    for v in nodes:
        assert T.parent(v) is None if v == 0 else v in T.children(T.parent(v))
        line = [T.ancestor(v, l) for l in range(T.depth(v) + 1)]
        assert line[0] == 0 and line[-1] == v
        assert all(T.parent(b) == a for a, b in pairwise(line))


@pytest.mark.audit
def test_trees_are_recognised_iff_vc_is_at_most_1():
    rng = np.random.default_rng()
    seen = {True: 0, False: 0}
    for _ in range(1200):
        rows = random_rows(rng, 9, 4)
        c, small = ExplicitClass(rows), naive_vc(rows) <= 1
        reference = c.concepts[rng.integers(c.size)]
        found = tree_or_shattered_pair(c, reference)
        seen[small] += 1
        assert isinstance(found, TreeOrder) == small, rows
        if small:
            assert found.reference == reference
            check(c, found)
        else:
            assert len(found.points) == 2 and found.holds_in(c), rows
    assert min(seen.values()) >= 60


@pytest.mark.audit
def test_laminar_classes_are_recognised_from_every_concept():
    rng = np.random.default_rng()
    for _ in range(60):
        c = ExplicitClass(random_laminar(rng, 10))
        for concept in c.concepts:
            check(c, tree_order(c, concept))


@pytest.mark.slow
def test_one_crossing_in_a_large_tree_is_found():
    rng = np.random.default_rng()
    seen = {True: 0, False: 0}
    for _ in range(200):
        H = paths_of(random_tree(rng, 30), range(30))
        H = rng.permutation(np.vstack([H, H[rng.integers(30)] ^ (rng.random(29) < 0.04)]))
        crossing = any(len(np.unique(2 * H[:, x] + H[:, y])) == 4 for x in range(29) for y in range(x))
        found = tree_or_shattered_pair(H)
        seen[crossing] += 1
        assert isinstance(found, ShatteredSet) == crossing, H.tolist()
        assert not crossing or found.holds_in(ExplicitClass(H)), H.tolist()
    assert min(seen.values()) >= 5


def test_a_tree_is_recovered():
    rng = np.random.default_rng()
    for _ in range(200):
        parents = random_tree(rng, int(rng.integers(2, 30)))
        n = len(parents) - 1
        shuffle = rng.permutation(n)
        c = ExplicitClass(paths_of(parents, range(n + 1))[:, shuffle], points=(shuffle + 1).tolist())
        T = tree_order(c, 0)
        assert len(T.parents) == n + 1
        for v in range(1, n + 1):
            above = T.parent(T.canon(v))
            assert (T.points(above) if above else (0,)) == (parents[v],)


def test_the_example_of_yan():
    c = ExplicitClass(yan25.MATRIX, points=yan25.POINTS, concepts=yan25.POSITIVE)
    T = tree_order(c, "h8")
    check(c, T)
    above = {x: T.parent(T.canon(x)) for x in yan25.POINTS}
    assert {x: T.points(v)[0] if v else None for x, v in above.items()} == yan25.ABOVE
    assert [{x for x in yan25.POINTS if T.depth(T.canon(x)) == l + 1} for l in range(T.height)] == yan25.LAYERS
    assert {T.concept(T.closure(positive)): positive for positive in yan25.POSITIVE.values()} == yan25.POSITIVE
    assert T.closure(["x7", "x1"]) == T.canon("x7") and T.closure(["x4", "x5"]) is None
    d = vc_of_tree(T)
    assert d.value == 1 and verify(c, d)


def test_constant_and_complementary_points():
    T = tree_order(ExplicitClass([[0, 1, 1, 0], [1, 0, 1, 0]], points="abcd"))
    assert T.canon("a") == T.canon("b") == 1 and T.points(1) == ("a", "b")
    assert T.canon("c") is None and T.points(0) == ("c", "d")
    assert [T.ref_label(x) for x in "abcd"] == [False, True, True, False]
    assert (
        T.closure(["a"]) == T.closure("ab") == 1
        and T.closure(["a", "c"]) == 1
        and T.closure(["c"]) == T.root
        and T.closure([]) == 0
    )


def test_nodes_without_a_concept():
    T = tree_order([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
    assert [T.is_proper(v) for v in range(4)] == [True, False, True, True]
    with pytest.raises(ValueError, match="ends at node 1"):
        T.concept(1)


@pytest.mark.parametrize(("rows", "value"), [([[0, 1]], 0), ([[0], [1]], 1), (np.eye(9), 1), (np.tri(9), 1)])
def test_vc_of_a_tree(rows, value):
    d = vc_of_tree(tree_order(rows))
    assert d.value == value and verify(rows, d)


def test_refusals():
    with pytest.raises(ValueError, match=r"the points a and b are shattered by the concepts 0, 1, 2, 3"):
        tree_order(ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]], points="ab"))
    with pytest.raises(ValueError, match="without concepts"):
        tree_order(ExplicitClass(np.zeros((0, 2), dtype=bool)))
    with pytest.raises(ValueError, match="not declared"):
        tree_order([[0, 1]], "nobody")
    with pytest.raises(ValueError, match="depths 0 to 1"):
        tree_order([[0, 1], [1, 1]]).ancestor(1, 2)
