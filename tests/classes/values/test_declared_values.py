"""Declared values: categories and candidate prefixes."""

import numpy as np
import pytest

import privpac as pp
from privpac.classes.values.declared_values import Candidates, DeclaredCuts
from privpac.classes.values.points import Categories, CategorySets
from privpac.data.domains.listing import Listing
from tests.classes.definitions import assert_known, assert_patterns

JOBS = ("clerk", "nurse", "doctor")


@pytest.mark.parametrize("values", [("a",), ("a", "b"), ("a", "b", "c", "d"), (1, 2.5, "x")])
def test_categories_are_points(values):
    jobs = Categories(values)
    named = [lambda x, v=v: x == v for v in values]
    assert_patterns(jobs, named, list(values))
    assert_known(jobs, named, list(values))
    assert jobs.size == len(values) and jobs.domain == Listing(tuple(values))
    assert str(jobs.representatives(values)[0]) == f"x = {values[0]}"


@pytest.mark.parametrize(("k", "values"), [(1, ("a", "b")), (2, ("a", "b", "c", "d")), (3, (1, 2.5, "x")), (9, ("a",))])
def test_sets_of_categories_are_sparse_sets(k, values):
    sets, sparse = CategorySets(k, values), pp.SparseSets(k, len(values))
    named = [lambda x, s=s: x in s.values for s in sparse.representatives(list(values))]
    assert_patterns(sets, named, list(values))
    assert_known(sets, named, list(values))
    assert sets.size == sparse.size == len(named) and sets.domain == Listing(tuple(values))
    assert str(sets.hypothesis(())) == "never"


def test_sets_of_categories_are_learned_without_delta():
    rng = np.random.default_rng(3)
    names = tuple("abcdefgh")
    x = rng.choice(names, 3000)
    table, y = {"x": x}, np.isin(x, ["b", "d", "g"]) != (rng.random(3000) < 0.1)
    H = pp.SparseSets(3).on("x", values=names)
    clf = pp.PrivateClassifier(H, epsilon=2, delta=0, classes=(False, True), on_invalid="default").fit(table, y)
    assert str(clf.hypothesis_) == "x is one of b, d, g"
    assert (clf.privacy_, clf.learner_.name) == (pp.Budget(2), "FiniteLearner")
    assert clf.guarantee_.utility is not None
    assert pp.Model.from_json(pp.model_of(clf).to_json()).predict({"x": ["b", "a", "?"]}).tolist() == [
        True,
        False,
        False,
    ]


def test_too_many_sets_are_refused_and_the_advice_works():
    with pytest.raises(ValueError, match="choose a smaller k"):
        pp.SparseSets(10).on("x", values=tuple(range(40)))
    assert pp.SparseSets(3).on("x", values=tuple(range(40))).size == 10_701
    with pytest.raises(ValueError, match="too many to list; choose fewer points"):
        pp.SparseSets(1).on("x", values=tuple(range(100_000)))
    with pytest.raises(ValueError, match="as many values as domain_size"):
        pp.SparseSets(2, 5).on("x", values=("a", "b"))


def test_categories_on_a_column_compose():
    rule = pp.And(pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("job", values=JOBS))
    assert rule.size == 15 and rule.domain.size == 12
    named = [lambda r, t=t, v=v: r["age"] >= t and r["job"] == v for t in range(5) for v in JOBS]
    assert_patterns(rule, named, [{"age": a, "job": v} for a in range(4) for v in JOBS])


def test_undeclared_categories_follow_the_public_rule():
    jobs, late = ["clerk"] * 500 + ["nurse"] * 500 + ["spy"], [1] * 500 + [0] * 501
    asked = {"epsilon": 3, "delta": 0}
    rules = pp.And(pp.Points().on("job", values=JOBS), pp.Thresholds(0, 1, direction="above").on("age"))
    table = {"job": jobs, "age": [1] * 1001}
    with pytest.raises(ValueError, match="not declared"):
        pp.PrivateClassifier(rules, **asked).fit(table, late)
    for rule in ("clamp", "default"):
        clf = pp.PrivateClassifier(rules, on_invalid=rule, **asked).fit(table, late)
        assert clf.predict({"job": ["clerk", "spy"], "age": [1, 1]}).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ("ab", "list or a tuple"),
        ({"a", "b"}, "list or a tuple"),
        ((), "at least one"),
        (("a", "a"), "distinct"),
        ((1, True), "distinct"),
        (("a", None), "missing"),
        ((float("nan"),), "missing"),
    ],
)
def test_values_that_are_refused(values, why):
    with pytest.raises((TypeError, ValueError), match=why):
        pp.Points().on("job", values=values)


def test_only_some_classes_take_values():
    with pytest.raises(TypeError, match="Intervals declares its values itself"):
        pp.Intervals(0, 9).on("age", values=(3, 4))
    with pytest.raises(ValueError, match="as many values"):
        pp.Points(5).on("job", values=JOBS)
    assert pp.Points(3).on("job", values=JOBS) == pp.Points().on("job", values=np.array(JOBS))


def test_candidates_among_paths():
    folders = pp.RootPaths("/").on("path", values=("usr/lib", "/var/"))
    assert [str(h) for h in folders.concept_class.concepts] == [
        "x lies on the path to usr/lib",
        "x lies on the path to var",
    ]
    texts = ["J", "J1", "J10", "K"]
    assert_patterns(Candidates(pp.StartsWith(), ("J1", "K")), [lambda x: x[:2] == "J1", lambda x: x[:1] == "K"], texts)
    with pytest.raises(ValueError, match="same node"):
        Candidates(pp.RootPaths("/"), ("usr", "/usr"))
    with pytest.raises(ValueError, match="height"):
        pp.StartsWith(height=2).on("icd", values=("J10",))


def test_declared_cuts_divide_a_line():
    ages = range(10)
    for direction, sides in (("above", (True,)), ("below", (False,)), ("either", (True, False))):
        cuts = DeclaredCuts(pp.Thresholds(0, 9, direction=direction), (3, 7))
        definition = [lambda x, t=t, above=above: (x >= t) == above for t in (3, 7) for above in sides]
        assert_patterns(cuts, definition, ages)
        assert cuts.size == len(definition) and cuts.starts == (0, 3, 7)
        assert cuts.hypothesis(7) in cuts.concepts
        with pytest.raises(ValueError, match="not declared"):
            cuts.hypothesis(4)


@pytest.mark.parametrize("values", [(3, 3), (7, 3), (0, 3), (3, 10), (3, "x"), (), (3.5,)])
def test_cuts_that_are_refused(values):
    with pytest.raises((TypeError, ValueError), match=r"cuts? must|distinct"):
        pp.Thresholds(0, 9, direction="above").on("age", values=values)
    assert pp.Thresholds(0, 9, step=0.5, direction="above").on("age", values=(3.5,)).concept_class.starts == (0, 7)
