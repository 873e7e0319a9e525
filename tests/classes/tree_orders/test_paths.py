"""Root paths, prefixes, and suffixes: patterns, dimensions, the tree, JSON, hostile input."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.hypothesis import Constant
from privpac.classes.tree_orders.paths import EndsWith, HasPrefix, HasSuffix, OnPath, RootPaths, StartsWith
from tests.classes.definitions import (
    KINDS,
    assert_comes_back,
    assert_known,
    assert_patterns,
    dimension,
    littlestone,
    rows_of,
)


def tree(branching, height):
    """All texts of at most so many of the first letters."""
    return ["".join(steps) for l in range(height + 1) for steps in product("abcde"[:branching], repeat=l)]


def above(nodes):
    return [lambda x, v=v: v.startswith(x) for v in nodes]


def below(nodes):
    return [lambda x, v=v: x.startswith(v) for v in nodes]


def ending(nodes):
    return [lambda x, v=v: x.endswith(v) for v in nodes]


@pytest.mark.parametrize(("branching", "height"), [(3, 1), (4, 1), (2, 2), (3, 2)])
def test_closed_forms_are_attained_by_small_trees(branching, height):
    nodes = tree(branching, height)
    root_paths, prefixes = RootPaths(None, height), StartsWith(None, height)
    assert_known(root_paths, above(nodes), nodes)
    assert_known(prefixes, below(nodes), nodes)
    assert_known(EndsWith(None, height), ending(nodes), nodes)


@pytest.mark.parametrize("height", [3, 4, 5])
def test_littlestone_in_deeper_trees(height):
    nodes = tree(2, height)
    assert RootPaths(None, height).known("Littlestone").value == littlestone(rows_of(above(nodes), nodes)) == height
    if height < 5:
        assert StartsWith(None, height).known("Littlestone").value == littlestone(rows_of(below(nodes), nodes))


def test_no_truncation_exceeds_the_closed_form():
    nodes = tree(4, 2)
    for cls, concepts in ((RootPaths(None, 2), above(nodes)), (StartsWith(None, 2), below(nodes))):
        for kind in KINDS:
            assert dimension(kind, rows_of(concepts, nodes)) <= cls.known(kind).value


def test_without_a_height_only_vc_is_bounded():
    infinite = {"Littlestone", "threshold", "dual Littlestone", "dual threshold"}
    for cls in (RootPaths(), StartsWith()):
        assert {kind for kind in KINDS if cls.known(kind).value == float("inf")} == infinite
    assert (RootPaths().known("VC").value, StartsWith().known("VC").value) == (1, 2)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text("abc", max_size=3), min_size=1, max_size=6))
def test_patterns_are_those_of_all_concepts(points):
    nodes = tree(4, 3)  # one letter more than the points use
    assert_patterns(RootPaths(None, 3), above(nodes), points)
    assert_patterns(StartsWith(None, 3), below(nodes), points)
    assert_patterns(EndsWith(None, 3), ending(nodes), points)
    joined = ["/".join(point) for point in points]
    assert_patterns(RootPaths("/"), [lambda x, c=c: c(x.replace("/", "")) for c in above(nodes)], joined)
    assert_patterns(StartsWith("/"), [lambda x, c=c: c(x.replace("/", "")) for c in below(nodes)], joined)
    assert_patterns(EndsWith("/"), [lambda x, c=c: c(x.replace("/", "")) for c in ending(nodes)], joined)


def test_separators_at_the_ends_and_doubled_do_not_count():
    column = ["/usr/lib", "usr/lib/", "//usr//lib", "usr/library", "/usr", "/", "", None]
    assert OnPath(("usr", "lib"), "/")(column).tolist() == [True, True, True, False, True, True, True, False]
    assert HasPrefix(("usr", "lib"), "/")(column).tolist() == [True, True, True] + [False] * 5
    assert (
        HasSuffix(("usr", "lib"), "/")(["x/usr/lib/", "/xusr/lib", *column]).tolist()
        == [True, False, *[True] * 3] + [False] * 5
    )
    assert RootPaths("::").canon("a::b:::c") == ("a", "b", ":c")
    assert HasPrefix(("10", "0"), ".")(["10.0.0.1", "10.01"]).tolist() == [True, False]


def test_columns_of_every_type():
    h = HasPrefix("é", None)
    assert h(np.array(["é1", "e\u03011"])).tolist() == [True, False]
    assert h(pd.Series(["é1", None])).tolist() == [True, False]
    assert h(pd.Series(["é1", None], dtype="category")).tolist() == [True, False]
    assert h([]).tolist() == []
    assert h(["é\ud800"]).tolist() == [True]
    with pytest.raises(TypeError, match="text") as caught:
        h([987654321])
    assert "987654321" not in str(caught.value)
    with pytest.raises(TypeError, match="one value per record"):
        h("é")


def test_the_tree_of_root_paths():
    T = RootPaths("/", height=3)
    v = T.canon("/usr/lib/x")
    assert [T.ancestor(v, l) for l in range(4)] == [(), ("usr",), ("usr", "lib"), ("usr", "lib", "x")]
    assert (T.depth(v), T.parent(v), T.parent(T.root), T.is_proper(T.root)) == (3, ("usr", "lib"), None, True)
    assert (T.canon("/"), T.ref_label("/"), T.ref_label("/usr")) == (None, True, False)
    assert T.closure(["/usr", "/usr/lib", "/"]) == ("usr", "lib")
    assert T.closure(["/usr", "/var"]) is None
    assert T.closure([]) == ()
    assert list(T.children(v)) == []
    with pytest.raises(ValueError, match="too many"):
        T.children(())


def test_the_tree_of_prefixes():
    T = StartsWith()
    assert T.closure(["J10", "J11"]) == "J1"
    assert T.closure(["J10", "K"]) == ""
    assert T.closure([]) is None
    assert (T.canon(""), T.ref_label(""), T.parent("J1")) == ("", False, "J")
    assert T.hypothesis("") == Constant(True)


def test_the_tree_of_suffixes():
    T = EndsWith(height=6)
    assert T.closure(["N203JB", "N618JB"]) == "BJ" and T.hypothesis("BJ") == HasSuffix("JB", None)
    assert T.hypothesis(T.closure(["N203JB", "N14228"])) == Constant(True)
    assert EndsWith(".").hypothesis(EndsWith(".").canon("example.org")) == HasSuffix(("example", "org"), ".")
    assert [str(h) for h in T.on("tail", values=("JB", "8")).representatives({"tail": ["N3JB", "A"]})] == [
        "tail ends with JB",
        "tail ends with 8",
    ]
    assert HasSuffix("é", None)(["1é", "1e\u0301", "é1", "", None, "\ud800é"]).tolist() == [True, *[False] * 4, True]
    assert HasSuffix("\u0301", None)(["1é", "1e\u0301"]).tolist() == [False, True]


@pytest.mark.parametrize("node", [(), ("usr",), ("é", "\ud800", "a b"), "", "J10", "\x00\u202e"])
def test_json(node):
    separator = None if isinstance(node, str) else "/"
    assert_comes_back(OnPath(node, separator))
    assert_comes_back(HasPrefix(node, separator))
    assert_comes_back(HasSuffix(node, separator))


def test_sentences():
    assert HasPrefix("J10", None).sentence("code") == "code starts with J10"
    assert HasSuffix("JB", None).sentence("tailnum") == "tailnum ends with JB"
    assert HasSuffix(("example", "org"), ".").sentence("host") == "host ends with example.org"
    assert OnPath(("usr", "lib"), "/").sentence("file") == "file lies on the path to usr/lib"
    assert str(OnPath((), "/")) == "x is the root"


@pytest.mark.parametrize("cls", [RootPaths, StartsWith, EndsWith])
def test_hostile_declarations_and_values(cls):
    for height in (0, -1, True, 2.0, "3"):
        with pytest.raises(ValueError, match="height"):
            cls("/", height=height)
    for separator in ("", 3, b"/"):
        with pytest.raises(ValueError, match="separator"):
            cls(separator)
    with pytest.raises(ValueError, match="deeper than height=2") as caught:
        cls("/", height=2).encode(["a/b", "987654321/b/c"])
    assert "987654321" not in str(caught.value)
    with pytest.raises(ValueError, match="missing"):
        cls("/").encode(["a", None])
    with pytest.raises(TypeError, match="text"):
        cls("/").encode([1])
    with pytest.raises(ValueError, match="too large to list"):
        cls("/", height=2).materialize()


def test_sizes():
    assert RootPaths().size == StartsWith().size == RootPaths(height=3).size == float("inf")
    assert StartsWith(height=1).size == 0x110001


@pytest.mark.parametrize("separator", ["0", "1", "/"])
def test_the_concept_beside_all_points_belongs_to_the_class(separator):
    for cls in (StartsWith(separator), EndsWith(separator)):
        beside = cls.representatives(["a", "b"])[-1]
        assert cls.canon(separator.join(beside.node)) == beside.node


@pytest.mark.parametrize(
    ("node", "separator"), [("usr", "/"), (("usr",), None), (("u/r",), "/"), (("",), "/"), ("a", ""), (("0",), "0")]
)
@pytest.mark.parametrize("kind", [OnPath, HasPrefix, HasSuffix])
def test_what_is_no_node_is_refused(kind, node, separator):
    with pytest.raises((ValueError, TypeError)):
        kind(node, separator)
