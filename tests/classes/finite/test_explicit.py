"""Explicit classes: merged twins, set operations, f-representation, composition, dual, hostile input."""

import copy
import json
import pickle
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.classes.finite.explicit import ExplicitClass, Listed, dual, explicit
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.values.points import Points

THRESHOLDS = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]


def functions(c, points=None):
    """The class as a set of functions: what it is, whatever its concepts are called."""
    points = c.all_points if points is None else points
    return {tuple(row) for row in c.matrix_on(points).tolist()}


def random_classes(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        m, n = rng.integers(1, 9, 2)
        yield ExplicitClass(rng.random((m, n)) < rng.random())


@pytest.mark.parametrize(
    "matrix",
    [
        THRESHOLDS,
        np.array(THRESHOLDS),
        np.array(THRESHOLDS, dtype=bool),
        np.array(THRESHOLDS, dtype=float),
        (iter(row) for row in THRESHOLDS),
        [np.array(row) for row in THRESHOLDS],
        pd.DataFrame(THRESHOLDS),
        pd.DataFrame(THRESHOLDS, columns=list("abc")).astype("boolean"),
        pl.DataFrame(THRESHOLDS, orient="row"),
        pa.table({"a": [0, 0, 0, 1], "b": [0, 0, 1, 1], "c": [0, 1, 1, 1]}),
    ],
    ids=lambda matrix: type(matrix).__module__,
)
def test_every_kind_of_table_is_read(matrix):
    assert ExplicitClass(matrix).matrix.tolist() == THRESHOLDS


def test_frames_name_points_and_concepts():
    c = ExplicitClass(pd.DataFrame([[0, 1], [1, 1]], columns=["a", "b"], index=["late", "early"]))
    assert (c.points, c.concepts) == (("a", "b"), ("late", "early"))
    assert ExplicitClass(pd.DataFrame([[0, 1]], columns=["a", "b"])).concepts == (0,)
    assert ExplicitClass(pl.DataFrame({"a": [True], "b": [False]})).points == ("a", "b")


def test_twins_are_merged_and_remembered():
    c = ExplicitClass([[0, 1, 0], [1, 1, 1], [0, 1, 0]], points="abc", concepts="xyz")
    assert (c.points, c.concepts) == (("a", "b"), ("x", "y"))
    assert (c.twins, c.point_twins) == ({"z": "x"}, {"c": "a"})
    assert c["z"].tolist() == c["x"].tolist() == [False, True]
    assert c.matrix_on("cba").tolist() == [[False, True, False], [True, True, True]]
    assert c.hypothesis("z")(list("abc")).tolist() == [False, True, False]


def test_duplicates_only_are_one_concept():
    c = ExplicitClass(np.ones((5, 3)))
    assert (c.size, len(c.points), len(c.all_points)) == (1, 1, 3)


def test_the_empty_class_is_a_class():
    c = ExplicitClass(np.zeros((0, 3), dtype=bool))
    assert (c.size, c.all_points, c.log_size) == (0, (0, 1, 2), float("-inf"))


@pytest.mark.parametrize("names", [{"points": "ab"}, {"points": "aab"}, {"concepts": [1]}, {"concepts": "wxyy"}])
def test_names_must_fit(names):
    with pytest.raises(ValueError, match="names"):
        ExplicitClass(THRESHOLDS, **names)


def test_the_matrix_cannot_be_changed():
    original = np.array(THRESHOLDS, dtype=bool)
    c = ExplicitClass(original)
    original[:] = True
    assert c.matrix.tolist() == THRESHOLDS
    with pytest.raises(ValueError, match="read-only"):
        c.matrix[0, 0] = True


def test_restrict_keeps_the_patterns():
    for c in random_classes(50):
        points = c.all_points[::2]
        assert functions(c.restrict(points)) == functions(c, points)
        assert functions(c.materialize(points)) == functions(c, points)
        assert {tuple(row) for row in c.patterns(points).tolist()} == functions(c, points)
        assert len(c.patterns(points)) == len(functions(c, points))


def test_where_is_the_version_space():
    for c in random_classes(50):
        for y, z in product((0, 1), repeat=2):
            first, last = c.all_points[0], c.all_points[-1]
            labels = {first: y, last: z}
            if first == last and y != z:
                continue
            kept = {f for f in functions(c) if f[0] == labels[first] and f[-1] == labels[last]}
            assert functions(c.where(labels)) == kept
    assert c.where({}).size == c.size


def test_where_refuses_what_is_no_label():
    with pytest.raises(ValueError, match="0 and 1"):
        ExplicitClass(THRESHOLDS).where({0: "1"})
    with pytest.raises(ValueError, match="not declared"):
        ExplicitClass(THRESHOLDS).where({9: 1})


def test_union_complement_and_reference():
    for c, e in zip(random_classes(50), random_classes(50, seed=1), strict=True):
        flipped = {tuple(not y for y in f) for f in functions(c)}
        assert functions(c.complement()) == flipped
        assert functions(c.union(c.complement())) == functions(c) | flipped
        f = c.concepts[-1]
        base = tuple(c[f][c.columns(c.all_points)].tolist())
        relative = c.relative_to(f)
        assert functions(relative) == {tuple(a != b for a, b in zip(g, base, strict=True)) for g in functions(c)}
        assert not relative[f].any()
        if len(c.all_points) == len(e.all_points):
            assert functions(c.union(e)) == functions(c) | functions(e)


def test_union_aligns_points_by_name():
    a = ExplicitClass([[0, 1]], points="ab", concepts=["c"])
    b = ExplicitClass([[1, 0], [1, 1]], points="ba", concepts=["c", "d"])
    union = a.union(b)
    assert union.concepts == ("c", "d")
    assert union[("other", "c")].tolist() == [False, True]
    with pytest.raises(ValueError, match="same points"):
        a.union(ExplicitClass([[0, 1]], points="ac"))


@pytest.mark.parametrize("G", ["and", "or", "xor", "majority", lambda a, b: a and not b, [1, 0, 0, 1]])
def test_composition_is_pointwise(G):
    for c, e in zip(random_classes(30), random_classes(30, seed=2), strict=True):
        if len(c.all_points) != len(e.all_points):
            continue
        named = {"and": min, "or": max, "xor": lambda a, b: a != b, "majority": lambda a, b: a + b > 1}
        g = named[G] if isinstance(G, str) else G if callable(G) else lambda a, b: bool(G[2 * a + b])
        wanted = {tuple(bool(g(a, b)) for a, b in zip(f, h, strict=True)) for f in functions(c) for h in functions(e)}
        assert functions(c.compose(G, e)) == wanted


def test_composition_of_three_and_of_one():
    c = ExplicitClass(THRESHOLDS)
    assert functions(c.compose("not")) == functions(c.complement())
    three = c.compose("majority", c, c)
    assert functions(three) == functions(c)  # a majority of thresholds is the middle one
    assert (0, 2, 3) in {*three.concepts, *three.twins}


@pytest.mark.parametrize(
    ("G", "others"), [(lambda a: a, 1), (lambda a, b, c: a, 1), ([0, 1], 1), ("not", 1), ("nor", 1)]
)
def test_a_gate_that_does_not_fit_is_refused(G, others):
    c = ExplicitClass(THRESHOLDS)
    with pytest.raises(ValueError, match=r"gate|values|booleans"):
        c.compose(G, *[c] * others)


def test_compositions_that_are_too_large_are_refused():
    c = ExplicitClass.random(2000, 300, np.random.default_rng(0))
    with pytest.raises(ValueError, match="too many to list"):
        c.compose("majority", c, c)


def test_dual_swaps_and_twice_is_the_class():
    for c in random_classes(50):
        d = dual(c)
        assert (d.matrix == c.matrix.T).all()
        assert (d.points, d.concepts) == (c.concepts, c.points)
        assert (d.dual().matrix == c.matrix).all()


def test_explicit_takes_classes_and_matrices():
    c = ExplicitClass(THRESHOLDS)
    assert explicit(c) is c
    assert explicit(THRESHOLDS).matrix.tolist() == THRESHOLDS


def test_listed_concepts_are_hypotheses():
    h = ExplicitClass([[0, 1, 1]], points=["a", ("b", 1), 3], concepts=["c"]).hypothesis("c")
    assert Hypothesis.from_json(h.to_json()) == h
    assert h(pd.Series(["a", 3])).tolist() == [False, True]
    assert str(Listed(("a",), (False,))) == "never"
    with pytest.raises(ValueError, match="not declared"):
        h(["nowhere"])


def test_json_round_trip_names_hypotheses_by_sentences():
    c = ExplicitClass([[0, 1, 0], [1, 1, 1]], points="abc", concepts=[Constant(False), "c"])
    back = ExplicitClass.from_json(c.to_json())
    assert (back.matrix_on("abc") == c.matrix_on("abc")).all()
    assert back.concepts == ("never", "c")


def test_unknown_concepts_are_refused():
    with pytest.raises(ValueError, match="not declared"):
        ExplicitClass(THRESHOLDS)["nobody"]


def test_union_again_and_again_finds_a_name():
    a = ExplicitClass([[0, 0]], concepts=["c"])
    b = ExplicitClass([[0, 1]], concepts=["c"])
    c = ExplicitClass([[1, 1]], concepts=["c"])
    union = a.union(b).union(c)
    assert union.concepts == ("c", ("other", "c"), ("other", ("other", "c")))
    assert functions(union) == {(False, False), (False, True), (True, True)}
    named = ExplicitClass([[1, 0], [1, 1]], concepts=["c", ("other", "c")])
    assert a.union(named).concepts == ("c", ("other", ("other", "c")), ("other", "c"))


def test_concepts_with_one_sentence_come_back_as_two():
    c = Points().materialize([1, "1"])
    back = ExplicitClass.from_json(c.to_json())
    assert (back.matrix_on([1, "1"]) == c.matrix_on([1, "1"])).all()
    assert [Hypothesis.from_json(name) for name in back.concepts[:2]] == list(c.concepts[:2])
    assert back.concepts[2] == "never"
    clash = ExplicitClass([[0, 1], [1, 1]], concepts=["never", Constant(False)])
    assert ExplicitClass.from_json(clash.to_json()).concepts == ("never", Constant(False).to_json())


def test_hypotheses_as_points_are_written_too():
    c = Points(2).materialize([1, 2]).dual()
    assert ExplicitClass.from_json(c.to_json()).points == ("x = 1", "x = 2")


def test_repeated_points_count_once():
    assert ExplicitClass(THRESHOLDS).materialize([0, 0, 2]).all_points == (0, 2)


def test_copies_cannot_be_written_to():
    c = ExplicitClass(THRESHOLDS)
    for again in (c, pickle.loads(pickle.dumps(c)), copy.copy(c), copy.deepcopy(c)):
        assert (again.matrix == c.matrix).all()
        with pytest.raises(ValueError, match="read-only"):
            again.matrix[0, 0] = True


def test_equal_classes_are_equal():
    c = ExplicitClass([[0, 0, 1, 0], [0, 1, 1, 0], [0, 1, 1, 0]], points="abcd", concepts=["late", "early", "again"])
    for again in (pickle.loads(pickle.dumps(c)), copy.copy(c), copy.deepcopy(c), c.restrict("abcd").union(c)):
        assert (again == c) is (again.twins == c.twins)
        assert hash(again) == hash(c)
    others = [
        ExplicitClass(c.matrix_on("abcd"), points="abcd", concepts=["early", "late"]),
        ExplicitClass(c.matrix_on("abcd"), points="abdc", concepts=["late", "early"]),
        ExplicitClass([[0, 0, 1, 1], [0, 1, 1, 0], [0, 1, 1, 0]], points="abcd", concepts=["late", "early", "again"]),
        ExplicitClass([[0, 0, 1, 0], [0, 1, 1, 1], [0, 1, 1, 1]], points="abcd", concepts=["late", "early", "again"]),
        Points(),
        None,
    ]
    assert all(c != other for other in others)


def test_classes_that_differ_in_their_twins_alone_differ():
    first, second = (ExplicitClass([row], points="abc") for row in ([0, 0, 1], [0, 1, 1]))
    assert np.array_equal(first.matrix, second.matrix)
    assert first != second


def test_a_class_with_a_name_unequal_to_itself_is_compared():
    c = ExplicitClass([[0, 1], [1, 1]], points=[np.float64("nan"), 2])
    assert c == copy.copy(c)


def test_nothing_composed_with_anything_is_nothing():
    empty, c = ExplicitClass(np.zeros((0, 3))), ExplicitClass(THRESHOLDS)
    assert empty.compose("or", c).size == c.compose("or", empty).size == empty.compose("not").size == 0
    assert c.compose("or", empty).all_points == c.all_points


@pytest.mark.parametrize(
    ("points", "labels"),
    [(["a"], []), (["a"], [True, False]), (["a", "a"], [True, False]), (["a"], [1]), ("a", "b")],
)
def test_what_is_no_list_of_labels_is_refused(points, labels):
    with pytest.raises((ValueError, TypeError), match=r"one label for each|must be tuple"):
        Listed(points, labels)


def test_names_that_cannot_be_printed_are_escaped():
    sentence = str(Listed(("a", "b\ud800", "c\u202e\x00"), (True, True, True)))
    assert sentence == r"x is one of a, 'b\ud800', 'c\u202e\x00'"
    sentence.encode()


@pytest.mark.parametrize("name", [{"date": 5}, {"tuple": 5}, {"decimal": "abc"}, {"fraction": "1/0"}, {"set": [[1]]}])
def test_names_that_are_no_values_are_a_value_error(name):
    text = json.dumps({"points": [name], "concepts": ["c"], "matrix": ["0"]})
    with pytest.raises(ValueError, match="does not hold"):
        ExplicitClass.from_json(text)


def test_names_are_read_alike_everywhere():
    """A row of an array, a list and a tuple are one name; what cannot be a name is unknown."""
    grid = ExplicitClass([[0, 1, 0], [1, 1, 1]], points=[(0, 0), (0, 1), (1, 0)])
    assert grid.columns(np.array([[0, 1], [1, 0]])).tolist() == grid.columns([(0, 1), (1, 0)]).tolist() == [1, 0]
