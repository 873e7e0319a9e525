"""A tree of names from a table of parents."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.hierarchy import Hierarchy


@given(st.lists(st.integers(0, 100), max_size=12))
def test_the_tree_is_that_of_the_table(choices):
    parent = {v: choice % v for v, choice in enumerate(choices, start=1)}
    tree = Hierarchy.read(parent | {0: None})
    above = {0: {0}}
    for v in parent:
        above[v] = above[parent[v]] | {v}
    for v, path in above.items():
        assert set(tree.path(v)) == path
        assert [tree.depth[u] for u in tree.path(v)] == list(range(len(path)))
        assert set(tree.below(v)) == {u for u in above if v in above[u]}
        assert all(tree.parent[child] == v for child in tree.children[v])
    assert [tree.decode(number) for number in tree.encode(list(above))] == list(above)
    assert tree.size == len(above)


def test_a_missing_parent_marks_the_root():
    for parent in (None, math.nan):
        assert Hierarchy.read([("a", parent), ("b", "a")]).root == "a"


def test_names_beside_a_circle_are_not_forgotten():
    with pytest.raises(ValueError, match="circle"):
        Hierarchy.read({"a": "b", "b": "a", "d": "c"})
