"""The tree of a class of VC dimension 1, and what samples determine on it."""

import inspect
import sys
from itertools import product

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.classes.values.points import Points
from privpac.dimensions import threshold_dimension
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair, tree_order
from privpac.papers.yan25.trees import longest_descent, make_sub_tree, make_tree, path_end, relabeling, rule, tree_of
from tests.grid import over
from tests.papers.yan25.populations import COMB, FORK, random_class

pytestmark = pytest.mark.papers

# [Yan25, §1.3.2]: x1 … x7 and h1 … h8
EXAMPLE = ExplicitClass(
    [[x in h for x in range(1, 8)] for h in ({1}, {2}, {3}, {1, 4}, {1, 5}, {1, 5, 6}, {1, 5, 7}, set())],
    points=[f"x{i}" for i in range(1, 8)],
    concepts=[f"h{i}" for i in range(1, 9)],
)
RANDOM = [random_class(nodes, seed) for nodes in (2, 5, 12, 25) for seed in range(4)]


def shape(T):
    """Each node as the points that sit there, with those of its parent, and whether a concept ends there."""
    return {(T.points(v), T.points(T.parents[v]), T.is_proper(v)) for v in range(1, len(T.parents))}


def test_the_tree_of_the_papers_example():
    T = make_tree(EXAMPLE, "h8")
    layers = {x: T.depth(T.canon(x)) + 1 for x in EXAMPLE.points}
    assert layers == {"x1": 2, "x2": 2, "x3": 2, "x4": 3, "x5": 3, "x6": 4, "x7": 4}
    assert all(T.is_proper(v) for v in range(8))


@over("number", range(len(RANDOM)))
def test_algorithm_1_agrees_with_the_recogniser(number):
    C = RANDOM[number]
    for f in (C.concepts[0], C.concepts[-1]):
        ours, theirs = make_tree(C, f), tree_order(C, f)
        assert shape(ours) == shape(theirs)
        assert [ours.points(0), ours.reference] == [theirs.points(0), theirs.reference]


@pytest.mark.parametrize("seed", range(30))
def test_classes_of_larger_dimension_are_refused(seed):
    C = ExplicitClass.random(5, 4, np.random.default_rng(seed))
    if isinstance(tree_or_shattered_pair(C), TreeOrder):
        assert shape(make_tree(C)) == shape(tree_order(C))
    else:
        with pytest.raises(ValueError, match="VC dimension 2"):
            make_tree(C)


@over("number", range(len(RANDOM)))
def test_lemma_4_holds_with_equality(number):
    C = RANDOM[number]
    T = make_tree(C)
    assert threshold_dimension(C.relative_to(T.reference)).value == T.height


@over("number", range(len(RANDOM)))
def test_a_node_that_is_no_concept_has_two_children(number):
    T = make_tree(RANDOM[number])
    assert all(len(T.children(v)) >= 2 for v in range(len(T.parents)) if not T.is_proper(v))


def by_definition(C, T, examples):
    """The points on which all concepts that fit the examples differ from f; None if none fit."""
    rows = [h for h in C.concepts if all(C.hypothesis(h)([x])[0] == y for x, y in examples)]
    f = C.hypothesis(T.reference)
    both = [x for x in C.all_points if all(C.hypothesis(h)([x])[0] != f([x])[0] for h in rows)]
    return set(both) if rows else None


@pytest.mark.parametrize("C", [FORK, COMB, random_class(6, 3)], ids=["fork", "comb", "random"])
def test_what_is_determined_is_what_all_fitting_concepts_say(C):
    T = tree_of(C)
    for examples in product(product(C.all_points, (False, True)), repeat=2):
        B = path_end(T, set(relabeling(T, examples)))
        expected = by_definition(C, T, examples)
        if B is None:
            assert expected is None
        else:
            path = {x for l in range(1, T.depth(B) + 1) for x in T.points(T.ancestor(B, l))}
            assert path == expected


@pytest.mark.parametrize(
    ("H", "points"),
    [
        (Thresholds(0, 3, direction="above"), [0, 1, 3]),
        (Thresholds(0, 3, direction="below"), [0, 1, 3]),
        (RootPaths("/", height=2), ["/", "a", "a/b", "c"]),
        (Taxonomy({"b": "a", "c": "a", "d": "b"}), list("abcd")),
        (TwoSided(0, 4, center=2), [0, 1, 2, 3]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_trees_given_by_a_rule_agree_with_their_explicit_classes(H, points):
    T, C = tree_of(H), H.materialize(points)
    for examples in product(product(points, (False, True)), repeat=2):
        B = path_end(T, set(relabeling(T, examples)))
        fits = [h for h in C.concepts if all(bool(h([x])[0]) == y for x, y in examples)]
        assert (B is None) == (not fits)
        if B is not None:
            smallest = rule(T, B)(points)
            assert any(np.array_equal(h(points), smallest) for h in fits)
            assert all((h(points) >= smallest).all() for h in fits)


@pytest.mark.parametrize("H", [Points(), Spider(bits=1)], ids=["points", "spider"])
def test_a_root_that_is_no_concept(H):
    T = tree_of(H)
    a, b = ("a", "b") if isinstance(H, Points) else (("a", 1), ("b", 1))
    assert path_end(T, set(relabeling(T, ((a, False), (b, False))))) == T.root
    assert path_end(T, set(relabeling(T, ((a, True), (b, True))))) is None
    assert not rule(T, T.root)([a, b]).any()
    assert rule(T, path_end(T, set(relabeling(T, ((a, True), (b, False))))))([a, b]).tolist() == [True, False]


def test_equal_values_have_one_node():
    points, spider = tree_of(Points()), tree_of(Spider(bits=1))
    assert rule(points, points.canon(True)) == rule(points, points.canon(1.0))
    assert repr(rule(points, points.canon(True))) == repr(rule(points, points.canon(1)))
    assert repr(rule(spider, spider.canon((True, 1)))) == repr(rule(spider, spider.canon((1, 1))))


@over("number", range(len(RANDOM)))
def test_the_sub_tree_ends_at_the_first_concepts(number):
    T = tree_of(RANDOM[number])
    for x_good in range(len(T.parents)):
        T_good = make_sub_tree(T, x_good)
        assert next(iter(T_good)) == x_good
        assert all((not children) == T.is_proper(x) for x, children in T_good.items())
        below = {v for v in range(len(T.parents)) if T.depth(v) >= T.depth(x_good)}
        below = {v for v in below if T.ancestor(v, T.depth(x_good)) == x_good}
        beyond = {v for v in below if any(T.is_proper(T.ancestor(v, l)) for l in range(T.depth(x_good), T.depth(v)))}
        assert set(T_good) == below - beyond


@over("number", range(len(RANDOM)))
def test_no_way_down_is_longer_than_the_longest(number):
    T = tree_of(RANDOM[number])
    ways = []
    for x in range(len(T.parents)):
        v, way = x, 0
        while not T.is_proper(v):
            v, way = T.parent(v), way + 1
        ways.append(way)
    assert longest_descent(T) == max(ways)


def test_where_only_the_root_is_no_concept():
    assert [
        longest_descent(tree_of(H)) for H in (Points(), Points(9), Spider(bits=2), Thresholds(0, 9, direction="above"))
    ] == [
        1,
        1,
        1,
        0,
    ]


def test_examples_are_counted_and_parted():
    S = relabeling(tree_of(Thresholds(0, 9, direction="above")), tuple((x, x > 4) for x in (3, 7, 3, 7, 3)))
    assert len(S) == 5
    assert S.counts == {(3, False): 3, (7, True): 2}
    assert S.parts((0, 2, 0, 0, 2), 4) == [{(3, False), (7, True)}, set(), {(7, True), (3, False)}, set()]
    assert list(S.subset(np.array([False, True, False, False, True]))) == [(7, True), (3, False)]
    none = relabeling(tree_of(Points()), ())
    assert none.counts == {}
    assert none.parts((), 2) == [set(), set()]


def test_classes_without_a_tree_are_refused():
    endless = [RootPaths("/"), StartsWith(height=3), Thresholds(0, 9, direction="either")]
    for H in endless:
        with pytest.raises(ValueError, match="must be explicit"):
            tree_of(H)
    with pytest.raises(ValueError, match="at least one concept"):
        tree_of(FORK.where({"a": 0, "b": 1}))


def test_a_comb_of_any_depth():
    depth = 400
    teeth, spine = np.eye(depth, dtype=bool), np.tri(depth, dtype=bool)
    C = ExplicitClass(np.vstack([np.zeros((1, 2 * depth), dtype=bool), np.hstack([spine, teeth])]))
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 100)  # far less than the depth
    try:
        T = tree_of(C)
        assert T.height == depth
        assert path_end(T, {(T.canon(0), True)}) == T.canon(0)
    finally:
        sys.setrecursionlimit(limit)
