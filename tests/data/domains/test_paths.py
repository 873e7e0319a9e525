"""Texts as nodes of a tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.domains.paths import Paths, PathsFromEnd, path


@given(st.text("ab/", max_size=8))
def test_nodes_have_one_canonical_text(text):
    paths = Paths("/")
    (node,) = paths.encode([text])
    assert all(node)
    assert path(paths.decode(node), "/") == node
    assert node == path("/" + text + "//", "/")


@given(st.text(max_size=8))
def test_characters_are_steps(text):
    (node,) = Paths(None).encode([text])
    assert Paths(None).decode(node) == node == text


@given(st.text("aé\u0301\U0001f468/", max_size=8))
def test_from_the_end_the_steps_are_reversed(text):
    for separator in (None, "/"):
        (node,), (other,) = Paths(separator).encode([text]), PathsFromEnd(separator).encode([text])
        assert other == node[::-1]
        assert path(PathsFromEnd(separator).decode(other), separator) == node


def test_nodes_of_one_length_stay_nodes():
    assert Paths("/").encode(["a/b", "c/d"]).tolist() == [("a", "b"), ("c", "d")]


def test_heights():
    assert Paths("/", 2).encode(["a//b/"]).tolist() == [("a", "b")]
    with pytest.raises(ValueError, match="deeper"):
        Paths("/", 2).encode(["a/b/c"])
    assert (Paths(None, 2).size, Paths("/", 2).size) == (1 + 0x110000 + 0x110000**2, float("inf"))


@pytest.mark.parametrize("value", [1, b"a", ("a",)])
def test_only_text_names_a_node(value):
    with pytest.raises(TypeError, match="text"):
        Paths("/").encode([value])
