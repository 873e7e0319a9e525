"""Learning a set of values: its rule by definition, whom it beats, what is refused, units, models, the command line."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privpac as pp
from privpac.audit.claims.fits import fit_of, stages
from privpac.classes.picture_shapes import Pills
from privpac.classes.values.points import OneOf, SparseSets
from privpac.learners.choice import learner_for
from privpac.learners.sample_sizes import certified_n
from privpac.learners.values.sets import SetLearner
from privpac.refusals.refusal import Refused
from privpac.requests.conditions import Conditions

SURE = {"epsilon": 1000, "delta": 1e-6, "feature": None, "classes": (0, 1)}  # noise is 0, and k₀ is 2
VALUES = st.sampled_from(["a", "b", "ä", 1, 1.0, True, (1, "a"), 2**200, -0.0, 0])
RECORDS = st.lists(st.tuples(VALUES, st.booleans()), min_size=1, max_size=30)


def learned(H, X, y, **given):
    return pp.PrivateClassifier(H, **{**SURE, **given}).fit(X, y).hypothesis_


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.integers(0, 4))
def test_without_noise_the_rule_is_the_k_values_of_the_largest_weights(records, k):
    w = Counter()
    for x, y in records:
        w[x] += 1 if y else -1
    ordered = sorted((v for v in w if w[v] >= 2), key=lambda v: (-w[v], repr(canonical(v))))
    assert learned(SparseSets(k), [x for x, _ in records], [y for _, y in records]) == OneOf(frozenset(ordered[:k]))


def canonical(value):
    return int(value) if isinstance(value, (bool, float)) else value


def test_labels_that_contradict_each_other_cancel():
    X, y = ["a"] * 9 + ["b"] * 9 + ["c"] * 9, [1] * 9 + [1] * 5 + [0] * 4 + [1] * 6 + [0] * 3
    assert str(learned(SparseSets(2), X, y)) == "x is one of a, c"


@pytest.mark.parametrize(
    ("X", "y"), [(["a"], [1]), (["a"], [0]), (["a", "b"], [0, 1]), (["a"] * 9, [0] * 9), ([None] * 5, [1] * 5)]
)
def test_few_records_one_class_and_missing_values_lead_to_never(X, y):
    assert str(learned(SparseSets(3), X, y, on_invalid="default", epsilon=1, delta=1e-9)) == "never"


def test_one_class_of_many_records_is_learned():
    assert str(learned(SparseSets(3), ["a", "b"] * 200, [1] * 400, epsilon=1)) == "x is one of a, b"


def test_void_records_count_for_nobody():
    X, y = ["a", None, "b", None] * 100, [1, 1, 0, 0] * 100
    assert str(learned(SparseSets(3), X, y, on_invalid="default")) == "x = a"
    with pytest.raises(ValueError, match="missing"):
        learned(SparseSets(3), X, y)


def test_no_records_are_refused():
    with pytest.raises(Refused, match="no records"):
        learned(SparseSets(3), [], [])


@pytest.mark.parametrize("k", [-1, 1.5, "3", None, True])
def test_sizes_that_are_none_are_refused(k):
    with pytest.raises((ValueError, TypeError)):
        SparseSets(k)


def test_sets_of_no_value_and_of_all_values():
    assert str(learned(SparseSets(0), ["a"] * 50, [1] * 50)) == "never"
    all_three = SparseSets(7, 3)
    assert str(learned(all_three, ["a", "b", "c"] * 50, [1] * 150)) == "x is one of a, b, c"
    asked = Conditions.of(delta=1e-6)
    assert certified_n(SetLearner, all_three, asked) == certified_n(SetLearner, SparseSets(3), asked)


@pytest.mark.slow
@pytest.mark.parametrize(("regime", "most"), [("realizable", (381, 892, 1358)), ("agnostic", (1052, 1892, 2694))])
def test_certified_sizes_are_at_most_these(regime, most):
    asked = Conditions.of(epsilon=1, delta=1e-6, alpha=0.1, beta=0.05, regime=regime)
    for k, n in zip((1, 3, 5), most, strict=True):
        assert certified_n(SetLearner, SparseSets(k), asked) <= n


def test_without_delta_nobody_learns_sets():
    with pytest.raises(Refused, match="needs a delta above 0"):
        learner_for(SparseSets(2), Conditions.of(delta=0))


@pytest.mark.parametrize("join", [pp.And, pp.Or])
def test_a_part_of_a_composition_is_refused_before_records_are_read(join):
    rules = join(SparseSets(2).on("hood"), pp.Thresholds(0, 9, direction="above").on("age"))
    with pytest.raises(Refused, match="no learner supports this class; choose one from the table"):
        pp.PrivateClassifier(rules, delta=1e-6).fit({"hood": [object()], "age": [1]}, [1])


def test_units_are_protected_too():
    table = {"code": ["a", "b", "c", "d"] * 600, "patient": [i // 4 for i in range(2400)]}
    clf = pp.PrivateClassifier(SparseSets(2), epsilon=4, delta=1e-9, feature="code", max_records=2)
    clf.fit(table, [1, 1, 0, 0] * 600, unit="patient")
    assert str(clf.hypothesis_) == "code is one of a, b" and clf.privacy_.epsilon == 4
    a, b, no = ("a", 1), ("b", 1), ("a", 0)
    units = [(a,), (b,), (no,), (a, a), (a, b), (no, no), ()]
    fit = fit_of(SetLearner, SparseSets(1), epsilon=2, delta="1e-3", max_records=2)
    (case,) = stages(fit, "units of up to 2 records", units, 1, crowd=((a, a),) * 3)
    assert not case.exact().refuted


def test_a_model_is_written_read_drawn_and_put_into_words():
    clf = pp.PrivateClassifier(SparseSets(3), report_error=True, **SURE).fit(["EV", "B6", "UA"] * 99, [1, 1, 0] * 99)
    model = pp.model_of(clf, "late")
    assert pp.Model.from_json(model.to_json()) == model
    assert np.array_equal(pp.Model.from_json(model.to_json()).hypothesis(["EV", "UA"]), [True, False])
    (pills,) = [shape for shape in clf.hypothesis_.drawing(None, []) if isinstance(shape, Pills)]
    assert [name for name, inside in pills.entries if inside] == ["B6", "EV"]
    assert {entry.theorem for entry in clf.ledger_.entries} == {
        "set learner, Theorem 1",
        "holding out, Theorem 2; holding out, Theorem 1",
    }


def test_the_answer_holds_nothing_but_what_the_proof_covers():
    """Names beside noisy weights, all at least k₀; the rule holds the names alone."""
    fit = fit_of(SetLearner, SparseSets(1), epsilon=1, delta="8.534e-7")
    (case,) = stages(fit, "", [("a", 1), ("b", 1)], 1, crowd=(("a", 1),) * 30)
    outcomes = [outcome for _, outcome, _ in case.law((("b", 1),))]
    assert min(weight for shown in outcomes for _, weight in shown) == 28
    assert all("28" not in rule for _, _, rule in case.law((("b", 1),)))
