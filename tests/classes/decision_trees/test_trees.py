"""Decision trees as a class: patterns are those of all trees written out; what does not fit is refused."""

import copy
import math
import pickle
from itertools import pairwise, product

import pytest

import privpac as pp
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.trees import Trees, number_of_tests
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.shell_options import column_part
from privpac.cli.class_options import ClassOptions
from tests.classes.definitions import assert_comes_back, assert_patterns, rows_of

CUTS = [lambda x, t=t: x >= t for t in range(1, 4)]  # of 0 … 3
LATE = pp.Thresholds(0, 3, direction="above")


def grown(tests, depth):
    """All trees by definition, as predicates."""
    trees = [lambda x: False, lambda x: True]
    for _ in range(depth):
        trees = trees[:2] + [
            lambda x, t=t, a=a, b=b: (a if t(x) else b)(x) for t in tests for a in trees for b in trees
        ]
    return trees


@pytest.mark.parametrize("depth", [1, 2])
def test_patterns_of_one_column(depth):
    trees = Trees(LATE, depth=depth)
    assert_patterns(trees, grown(CUTS, depth), [0, 1, 2, 3, 2])
    assert trees.size == len(grown(CUTS, depth))


def test_cuts_of_one_column():
    rows = Trees(pp.Thresholds(0, 9, direction="above"), depth=2).patterns(range(10)).tolist()
    assert {sum(a != b for a, b in pairwise(row)) for row in rows} == {0, 1, 2, 3}
    assert len(Trees(LATE, depth=3).patterns(range(4))) == 2**4  # seven cuts separate four points in every way


@pytest.mark.parametrize("depth", [1, 2])
def test_patterns_of_columns(depth):
    trees = Trees(LATE.on("age"), pp.Points().on("job", values=("a", "b", "c")), depth=depth)
    rows = [{"age": age, "job": job} for age, job in product(range(4), "abc")]
    tests = [lambda r, t=t: r["age"] >= t for t in range(1, 4)] + [lambda r, v=v: r["job"] == v for v in "abc"]
    assert_patterns(trees, grown(tests, depth), rows)
    assert trees.size == len(grown(tests, depth))
    whole = trees.materialize()
    assert whole.size == len(rows_of(grown(tests, depth), rows)) and len(whole.all_points) == 12
    for h in list(whole.concepts)[:: max(1, whole.size // 40)]:
        assert_comes_back(h)
        assert h(rows).tolist() == whole[h][whole.columns(whole.all_points)].tolist()


def test_patterns_of_depth_three_by_definition():
    trees = Trees(
        pp.Thresholds(0, 1, direction="above").on("a"),
        pp.Thresholds(0, 1, direction="above").on("b"),
        pp.Thresholds(0, 1, direction="above").on("c"),
        depth=3,
    )
    assert trees.materialize().size == 2**8  # every function of three bits
    assert Trees(*trees.parts, depth=2).materialize().size == len(
        rows_of(grown([lambda x, i=i: x[i] == 1 for i in range(3)], 2), list(product((0, 1), repeat=3)))
    )


def test_other_parts():
    taxonomy = pp.Taxonomy({"J10": "J", "J11": "J", "J": "ICD", "K": "ICD"}, kind="subtree")
    below = {
        "ICD": {"ICD", "J", "J10", "J11", "K"},
        "J": {"J", "J10", "J11"},
        "J10": {"J10"},
        "J11": {"J11"},
        "K": {"K"},
    }
    tests = [lambda x, some=some: x in some for some in below.values()]
    assert_patterns(Trees(taxonomy, depth=2), grown(tests, 2), list(below))
    prefixes = pp.StartsWith().on("icd", values=("J1", "J10", "K"))
    tests = [lambda r, v=v: r["icd"].startswith(v) for v in ("J1", "J10", "K")]
    assert_patterns(
        Trees(prefixes, depth=2), grown(tests, 2), [{"icd": text} for text in ("J1", "J10x", "K", "A", "J")]
    )
    suffixes = pp.EndsWith().on("tail", values=("JB", "B", "7"))
    tests = [lambda r, v=v: r["tail"].endswith(v) for v in ("JB", "B", "7")]
    assert_patterns(Trees(suffixes, depth=2), grown(tests, 2), [{"tail": text} for text in ("JB", "B", "7", "J")])
    listed = ExplicitClass([[0, 1, 1], [1, 0, 1]], points="abc")
    assert_patterns(Trees(listed, depth=1), grown([lambda x: x in "bc", lambda x: x in "ac"], 1), ["a", "b", "c"])
    spans = [lambda x, l=l, r=r: l <= x <= r for l in range(4) for r in range(l, 4)]
    assert_patterns(Trees(pp.Intervals(0, 3), depth=1), grown(spans, 1), [0, 1, 2, 3])
    unbounded = Trees(pp.Points().on("job"), depth=2)
    assert unbounded.size == math.inf
    tests = [lambda r, v=v: r["job"] == v for v in "ab"]
    assert_patterns(unbounded, grown(tests, 2), [{"job": "a"}, {"job": "b"}])


def test_sizes():
    assert number_of_tests(pp.Thresholds(0, 9, direction="either")) == 9
    assert (
        number_of_tests(pp.Thresholds(4, 4, direction="above")) == 0
        and Trees(pp.Thresholds(4, 4, direction="above"), depth=3).size == 2
    )
    T = 73 + 2
    trees = Trees(
        pp.Thresholds(17, 90, direction="above").on("age"), pp.Points().on("job", values=("clerk", "nurse")), depth=3
    )
    assert trees.size == 2 + T * (2 + T * (2 + T * 4) ** 2) ** 2
    assert [(d, c.depth) for d, c in trees.family().members] == [(1, 1), (2, 2), (3, 3)]
    assert trees.family().size == 3 and trees.known("VC") is None


@pytest.mark.parametrize("depth", [0, 4, -1, 2.0, True, None, "2"])
def test_other_depths_are_refused(depth):
    with pytest.raises(ValueError, match="depth must be 1, 2 or 3"):
        Trees(LATE.on("age"), depth=depth)


def test_what_does_not_fit_together_is_refused():
    with pytest.raises(ValueError, match="at least one part"):
        Trees()
    with pytest.raises(ValueError, match="on every part or on none"):
        Trees(LATE, LATE.on("age"))
    with pytest.raises(ValueError, match="different domains for column 'age'"):
        Trees(LATE.on("age"), pp.Thresholds(0, 9, direction="above").on("age"))
    with pytest.raises(TypeError, match="concept class"):
        Trees([[0, 1]])


def test_values_of_classes():
    trees = Trees(LATE.on("age"), pp.Points().on("job", values=["a", "b"]), depth=3)
    again = Trees(LATE.on("age"), pp.Points().on("job", values=("a", "b")), depth=3)
    assert trees == again == copy.deepcopy(trees) == pickle.loads(pickle.dumps(trees)) and hash(trees) == hash(again)
    assert trees != Trees(*trees.parts, depth=2) and "depth=3" in repr(trees) and "'a', 'b'" in repr(trees)


def test_the_command_line_names_trees():
    parts = ["age thresholds 0 120", "job points clerk,nurse", "'home town' points 'Paris, TX',\"Rome\""]
    built = ClassOptions("trees", {"part": parts[:2], "depth": 3}).build()
    assert built == Trees(
        pp.Thresholds(0, 120, direction="either").on("age"), pp.Points().on("job", values=("clerk", "nurse")), depth=3
    )
    assert ClassOptions("trees", {"part": parts[:1]}).build().depth == 2
    assert column_part("seat points 16") == pp.Points(16).on("seat")
    with pytest.raises(ValueError, match="be 1, 2 or 3"):
        ClassOptions("trees", {"part": parts[:1], "depth": 4}).build()
    with pytest.raises(ValueError, match="at least one part"):
        ClassOptions("trees", {}).build()
    with pytest.raises(ValueError, match="does not apply"):
        ClassOptions("thresholds", {"low": "0", "high": "9", "depth": 2}).build()


def test_small_trees_are_learned():
    trees = Trees(LATE.on("age"), pp.Points().on("job", values=("a", "b")), depth=1)
    rows = {"age": [0, 1, 2, 3] * 300, "job": (["a"] * 4 + ["b"] * 4) * 150}
    clf = pp.PrivateClassifier(trees, epsilon=3, delta=0).fit(rows, [job == "b" for job in rows["job"]])
    assert isinstance(clf.hypothesis_, Split)
    assert str(clf.hypothesis_) in ("job = b", "job ≠ a")
