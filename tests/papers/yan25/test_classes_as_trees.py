"""Explicit classes, thresholds and points, as trees: rules, depths and ancestors agree."""

import numpy as np
import pytest

from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.papers.yan25.classes_as_trees import Chain, Star, TreeOrderClass
from privpac.papers.yan25.trees import make_tree
from tests.papers.yan25.populations import COMB, random_class

pytestmark = pytest.mark.papers

CASES = [
    (Chain(Thresholds(3, 7, direction="above")), [3, 4, 5, 6, 7]),
    (Chain(Thresholds(3, 7, direction="below")), [3, 4, 5, 6, 7]),
    (TreeOrderClass.of(make_tree(COMB)), list("abcde")),
    (TreeOrderClass.of(make_tree(random_class(9, 5))), list(range(8))),
    (Star(Points()), ["u", "v"]),
]


@pytest.mark.parametrize(("tree", "points"), CASES, ids=["above", "below", "comb", "random", "star"])
def test_the_rule_of_a_node_is_its_path(tree, points):
    nodes = [tree.root, *(v for x in points if (v := tree.canon(x)) is not None)]
    for v in nodes:
        path = {tree.ancestor(v, l) for l in range(1, tree.depth(v) + 1)}
        assert len(path) == tree.depth(v)
        expected = [(tree.canon(x) in path) != tree.ref_label(x) for x in points]
        assert tree.hypothesis(v)(points).tolist() == expected
        assert tree.ancestor(v, tree.depth(v)) == v
        assert tree.parent(v) == (tree.ancestor(v, tree.depth(v) - 1) if v != tree.root else None)


@pytest.mark.parametrize(("tree", "points"), CASES[:4], ids=["above", "below", "comb", "random"])
def test_children_and_parents(tree, points):
    reached, waiting = set(), [tree.root]
    for v in waiting:
        waiting += tree.children(v)
        reached |= {(v, u) for u in tree.children(v)}
    assert all(tree.parent(u) == v for v, u in reached)
    assert {tree.canon(x) for x in points} - {None} == {u for _, u in reached}
    assert max(tree.depth(v) for v in waiting) == tree.height


def test_properness():
    comb, star = TreeOrderClass.of(make_tree(COMB)), Star(Points())
    assert [comb.is_proper(comb.canon(x)) for x in "abcde"] == [False, False, True, True, True]
    assert star.is_proper(star.canon("u"))
    assert not star.is_proper(star.root)
    with pytest.raises(ValueError, match="not listed"):
        star.children(star.root)


def test_a_chain_of_any_length():
    chain = Chain(Thresholds(0, 2**64 - 1, direction="above"))
    assert chain.height == 2**64
    assert chain.hypothesis(chain.ancestor(chain.canon(5), 3))(np.array([2**64 - 4, 2**64 - 3])).tolist() == [0, 1]
