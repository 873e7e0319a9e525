"""A tree of names from a table of parents."""

import math
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.domains.hierarchy import Hierarchy


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
    with pytest.raises(ValueError, match="cycle"):
        Hierarchy.read({"a": "b", "b": "a", "d": "c"})


@pytest.mark.parametrize("name", ["root", "b", None, math.nan])
def test_pairs_of_a_file_name_each_name_once(name):
    """With the root below another name, a walk through the tree would never end."""
    with pytest.raises(ValueError, match="exactly one parent"):
        Hierarchy((("root", None), ("b", "root"), (name, "b")))


def test_names_may_be_dates_in_any_form():
    tree = Hierarchy.read({np.datetime64("2020-01-01", "ns"): date(2019, 1, 1)})
    assert tree.names == (date(2019, 1, 1), date(2020, 1, 1))
    assert tree.encode(np.array(["2020-01-01"], "M8[D]")).tolist() == tree.encode([date(2020, 1, 1)]).tolist() == [1]


@pytest.mark.parametrize("number", [-1, 2])
def test_only_numbers_of_names_are_decoded(number):
    with pytest.raises(ValueError, match="no value has this number"):
        Hierarchy.read({"a": "b"}).decode(number)
