"""Spiders: patterns, dimensions, the tree, JSON, hostile input."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.tree_orders.spider import GroupFrom, Spider
from tests.classes.definitions import KINDS, assert_comes_back, assert_known, assert_patterns, dimension, rows_of
from tests.grid import over


def legs(groups, bits):
    return [lambda x, g=g, c=c: x[0] == g and x[1] >= c for g in groups for c in range(2**bits)]


def pairs(groups, bits):
    return [(g, c) for g in groups for c in range(2**bits)]


@over(("groups", "bits"), [(2, 0), (2, 1), (3, 1), (2, 2), (3, 2)])
def test_closed_forms_are_attained_by_two_groups_and_never_exceeded(groups, bits):
    assert_known(Spider(bits), legs(range(groups), bits), pairs(range(groups), bits))


def test_one_group_is_easier():
    rows = rows_of(legs(range(1), 2), pairs(range(1), 2))
    assert all(dimension(kind, rows) <= Spider(2).known(kind).value for kind in KINDS)
    assert dimension("Littlestone", rows) == 2


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=6))
def test_patterns_are_those_of_all_concepts(points):
    assert_patterns(Spider(2), legs("abc", 2), points)


TABLE = [("Boeing", 1998), ("Airbus", 2001), ("Boeing", 1990), ("Boeing", 2020)]


@pytest.mark.parametrize(
    "table",
    [
        TABLE,
        [list(row) for row in TABLE],
        pd.DataFrame(TABLE, columns=["maker", "year"]),
        np.array(TABLE, dtype=object),
        tuple(zip(*TABLE, strict=True)),
        {"maker": [row[0] for row in TABLE], "year": np.array([row[1] for row in TABLE])},
    ],
)
def test_tables_of_every_type(table):
    assert GroupFrom("Boeing", 1998)(table).tolist() == [True, False, False, True]
    assert Spider(16).encode(table).tolist() == TABLE


def test_missing_groups_and_values_are_labeled_false():
    table = pd.DataFrame({"group": ["a", None, "a"], "value": [5.0, 5.0, math.nan]})
    assert GroupFrom("a", 3)(table).tolist() == [True, False, False]


def test_the_tree():
    T = Spider(64)
    v = T.canon(("Boeing", 1998))
    assert (T.depth(v), T.ancestor(v, 1), T.parent(("a", 2**64 - 1))) == (2**64 - 1998, ("Boeing", 2**64 - 1), ())
    assert (T.is_proper(()), T.is_proper(v), T.closure([]), T.ref_label(v)) == (False, True, None, False)
    assert T.closure([("a", 5), ("a", 3)]) == ("a", 3)
    assert T.closure([("a", 5), ("b", 3)]) is None
    assert (T.children(("a", 1)), T.children(("a", 0))) == ([("a", 0)], [])
    with pytest.raises(ValueError, match="unbounded"):
        T.children(T.root)


def test_sentence_and_json():
    assert str(GroupFrom("Boeing", 1998)) == "group = Boeing and value ≥ 1998"
    for group in ("é\ud800", ("a", 1), 2**70):
        assert_comes_back(GroupFrom(group, 2**64 - 1))


@pytest.mark.parametrize("bits", [-1, 1.5, True, "8"])
def test_bad_declarations(bits):
    with pytest.raises((ValueError, TypeError), match="bits"):
        Spider(bits)


def test_hostile_values():
    with pytest.raises(ValueError, match="declare enough bits") as caught:
        Spider(8).encode([("a", 987654321)])
    assert "987654321" not in str(caught.value)
    with pytest.raises(ValueError, match="missing"):
        Spider(8).encode([(None, 3)])
    with pytest.raises(ValueError, match="length"):
        Spider(8).encode((["a", "b"], [1]))
    with pytest.raises(TypeError):
        Spider(8).encode([("a", "b")])
    assert Spider(8).encode([]).tolist() == []


def test_points_are_rows_of_any_table():
    pairs = (("a", 1), ("b", 2), ("a", 3))
    frame = pd.DataFrame(pairs, columns=["group", "value"])
    for table in (frame, (["a", "b", "a"], [1, 2, 3]), list(pairs)):
        assert Spider(8).materialize(table).all_points == pairs
        assert Spider(8).patterns(table).tolist() == Spider(8).patterns(list(pairs)).tolist()
