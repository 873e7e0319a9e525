"""Taxonomies: patterns, dimensions, the tree, JSON, hostile tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.hypothesis import Constant
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow, Taxonomy
from tests.classes.definitions import assert_comes_back, assert_known, assert_patterns

ICD = {"J10": "J", "J11": "J", "J10.1": "J10", "J": "ICD", "K": "ICD"}


@st.composite
def trees(draw, most=9):
    """parents[v] < v; node 0 is the root."""
    return {v: draw(st.integers(0, v - 1)) for v in range(1, draw(st.integers(2, most)))}


def ancestors(parents, v):
    return {v} if v not in parents else {v} | ancestors(parents, parents[v])


def above(parents):
    return [lambda x, v=v: x in ancestors(parents, v) for v in [0, *parents]]


def below(parents):
    return [lambda x, v=v: v in ancestors(parents, x) for v in [0, *parents]]


@settings(max_examples=60, deadline=None)
@given(trees())
def test_closed_forms(parents):
    nodes = [0, *parents]
    assert_known(Taxonomy(parents), above(parents), nodes, unknown=("dual VC", "dual Littlestone"))
    assert_known(Taxonomy(parents, "subtree"), below(parents), nodes, unknown=("VC", "Littlestone"))


@settings(max_examples=60, deadline=None)
@given(trees(), st.data())
def test_patterns_are_those_of_all_concepts(parents, data):
    points = data.draw(st.lists(st.sampled_from([0, *parents]), min_size=1, max_size=8))
    assert_patterns(Taxonomy(parents), above(parents), points)
    assert_patterns(Taxonomy(parents, "subtree"), below(parents), points)


@settings(max_examples=60, deadline=None)
@given(trees(), st.data())
def test_the_closure_is_the_least_concept(parents, data):
    points = data.draw(st.lists(st.sampled_from([0, *parents]), min_size=1, max_size=4))
    for cls in (Taxonomy(parents), Taxonomy(parents, "subtree")):
        containing = [set(np.flatnonzero(h(range(cls.size)))) for h in map(cls.hypothesis, range(cls.size))]
        containing = [concept for concept in containing if concept >= set(points)]
        v = cls.closure(points)
        assert (v is None) == (not containing)
        if containing:
            assert set(np.flatnonzero(cls.hypothesis(v)(range(cls.size)))) == set.intersection(*containing)


@pytest.mark.parametrize(
    "parents",
    [
        ICD,
        ICD | {"ICD": None},
        list(ICD.items()),
        [*ICD.items(), ("K", "ICD")],
        pd.DataFrame(list(ICD.items()), columns=["code", "parent"]),
        pd.DataFrame([*ICD.items(), ("ICD", None)], columns=["code", "parent"]),
        np.array(list(ICD.items())),
    ],
)
def test_tables_of_parents(parents):
    cls = Taxonomy(parents)
    assert (cls.root, cls.size, cls.height) == ("ICD", 6, 3)
    assert cls.domain.names[0] == "ICD"
    assert cls == Taxonomy(parents)
    assert hash(cls) == hash(Taxonomy(parents))


def test_the_tree():
    T = Taxonomy(ICD)
    assert [T.ancestor("J10.1", l) for l in range(4)] == ["ICD", "J", "J10", "J10.1"]
    assert (T.depth("J10"), T.parent("J10"), T.parent("ICD"), T.children("J")) == (2, "J", None, ["J10", "J11"])
    assert (T.canon("ICD"), T.ref_label("ICD"), T.canon("K"), T.ref_label("K")) == (None, True, "K", False)
    assert Taxonomy(ICD, "subtree").canon("ICD") == "ICD"


def test_unknown_names_are_no_part_of_any_concept_but_have_no_code():
    assert Taxonomy(ICD, "subtree").hypothesis("J")(["J10.1", "X", None]).tolist() == [True, False, False]
    with pytest.raises(ValueError, match="some names are not declared") as caught:
        Taxonomy(ICD).encode(["J", "secret"])
    assert "secret" not in str(caught.value)


def test_sentences_and_json():
    T, S = Taxonomy(ICD), Taxonomy(ICD, "subtree")
    assert str(T.hypothesis("J10")) == "x is J10 or above it"
    assert S.hypothesis("J").sentence("code") == "code is J or below it"
    assert (str(T.hypothesis("ICD")), str(S.hypothesis("K"))) == ("x = ICD", "x = K")
    for cls in (T, S):
        for v in cls.domain.names:
            assert_comes_back(cls.hypothesis(v))
    assert_comes_back(AtOrAbove((("a", 1), 2**70)))
    assert_comes_back(AtOrBelow("\ud800", frozenset([("é", 1)])))


@pytest.mark.parametrize(
    ("parents", "match"),
    [
        ({}, "mapping of names"),
        ([], "mapping of names"),
        ([("a", "b", "c")], "mapping of names"),
        (["ab"], "mapping of names"),
        ({"a": "b", "b": "a"}, "exactly one root"),
        ({"a": "a"}, "exactly one root"),
        ({"a": "b", "b": "a", "c": "d"}, "cycle"),
        ({"a": "b", "c": "d"}, "exactly one root"),
        ([("a", "b"), ("a", "c")], "one parent"),
        ([(None, "b")], "one parent"),
    ],
)
def test_hostile_tables(parents, match):
    with pytest.raises(ValueError, match=match):
        Taxonomy(parents)


def test_other_refusals():
    with pytest.raises(ValueError, match="kind must be"):
        Taxonomy(ICD, "leaf")
    with pytest.raises(TypeError, match="parents must be"):
        Taxonomy("ICD")


def test_one_name_is_a_class_of_one_concept():
    T = Taxonomy({"all": None})
    assert (T.size, T.height, T.known("VC").value, T.known("Littlestone").value) == (1, 0, 0, 0)
    assert T.materialize().size == 1


def test_deep_trees_do_not_recurse():
    T = Taxonomy({v: v - 1 for v in range(1, 3000)})
    assert T.height == 2999
    assert T.known("Littlestone").value == 11


def test_a_taxonomy_keeps_its_tree_to_itself():
    T = Taxonomy(ICD)
    T.children("ICD").clear()
    assert T.children("ICD")
    assert repr(T) == f"Taxonomy({T.size} names under 'ICD', kind='root_path')"


def test_one_concept_apart_is_built_and_no_more(monkeypatch):
    built = []
    monkeypatch.setattr(Taxonomy, "hypothesis", lambda self, v: built.append(v) or Constant(True))
    assert len(Taxonomy(ICD, "subtree")._concept_without({"ICD"})) == len(built) == 1


def test_a_path_has_an_end():
    with pytest.raises(ValueError, match="at least one name"):
        AtOrAbove(())
