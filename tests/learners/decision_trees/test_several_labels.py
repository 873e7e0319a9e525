"""Trees with more than two labels, from fit to files: one draw, one price, and the same labels everywhere."""

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import privpac as pp
from privpac.classes.decision_trees.rules import Answer
from privpac.learners.errors.label_errors import LabelErrors
from tests.grid import over

LABELS = ("low", "mid", "high")
N = 3000
AGE, HOURS = np.arange(N) % 100, (7 * np.arange(N)) % 60
TRUE = np.where(AGE < 30, "low", np.where(HOURS < 20, "mid", "high"))
TABLE = pd.DataFrame({"age": AGE, "hours": HOURS, "group": TRUE})
PARTS = pp.Thresholds(0, 99, direction="above").on("age"), pp.Thresholds(0, 59, direction="above").on("hours")


def classifier(depth=2, **given):
    told = {"classes": LABELS, "epsilon": 3} | given
    return pp.PrivateClassifier(pp.Trees(*PARTS, depth=depth), **told)


@pytest.mark.slow
@over("depth", (2, 3, "auto"))
@over("X", [TABLE, ibis.memtable(pa.Table.from_pandas(TABLE))])
def test_one_tree_has_all_labels_and_costs_one_epsilon(depth, X):
    clf = classifier(depth).fit(X, "group")
    assert clf.privacy_ == pp.Budget(3)
    assert len(clf.ledger_.entries) == 1
    assert clf.labels_.tolist() == list(LABELS) and clf.classes_.tolist() == sorted(LABELS)
    assert (clf.predict(TABLE) == TRUE).mean() > 0.97
    assert clf.decision_function(TABLE).argmax(axis=1).tolist() == [
        sorted(LABELS).index(each) for each in clf.predict(TABLE)
    ]


def test_a_model_says_the_same_in_every_form(tmp_path):
    clf = classifier(on_invalid="default", report_error=True).fit(TABLE, "group")
    model, predicted = pp.model_of(clf, "group"), clf.predict(TABLE).tolist()
    assert pp.Hypothesis.from_json(clf.hypothesis_.to_json()) == clf.hypothesis_
    assert pp.Model.from_json(model.to_json()) == model
    model.save(tmp_path / "model.json")
    assert pp.load(tmp_path / "model.json").predict(TABLE).tolist() == predicted
    assert model.in_engine(ibis.memtable(TABLE)).to_pandas()["predicted"].tolist() == predicted
    space = {}
    exec(model.to_python(), space)
    assert [space["rule"](each) for each in TABLE.to_dict("records")] == predicted
    odd = pd.DataFrame({"age": [None, 50.0, 50.0], "hours": [5.0, None, 40.0]})
    assert model.predict(odd).tolist()[:2] == ["low", "low"]  # the first label, where values are missing
    table = ibis.memtable(pa.Table.from_pandas(odd, preserve_index=False))
    asked = ibis.duckdb.connect()
    asked.create_table("odd", table.to_pyarrow())
    found = asked.raw_sql(f"SELECT {model.to_sql()} FROM odd").fetchall()
    assert [each for (each,) in found] == model.predict(odd).tolist()
    assert str(model).startswith("group = ") and "otherwise" in str(model)


def test_the_report_names_each_leaf_and_has_a_table_of_labels(tmp_path):
    clf = classifier(report_error=True).fit(TABLE, "group")
    pp.write_report(clf, tmp_path / "page.html", label="group")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert all(f">{label}</text>" in page for label in LABELS)
    assert "low, mid, or high" in page
    assert page.count("<td>") >= 9


def test_the_measured_error_is_that_of_the_held_out_records():
    clf = classifier(epsilon=30, report_error=True).fit(TABLE, "group")
    error = clf.error_
    assert isinstance(error, LabelErrors)
    assert error.low <= 0.02 and error.high < 0.1 and error.better and error.held == N // 5
    assert len(error.confusions) == 3 and sum(map(sum, error.confusions)) == pytest.approx(1, abs=0.01)
    assert clf.privacy_ == pp.Budget(30)  # each record pays for one of the two
    assert "always answering" in str(error) and "of mid" in error.rates


def test_probabilities_follow_the_counts():
    clf = classifier(epsilon=30, report_error=True).fit(TABLE, "group")
    chances = clf.predict_proba(TABLE)
    assert chances.shape == (N, 3) and np.allclose(chances.sum(axis=1), 1) and chances.min() > 0
    assert (clf.classes_[chances.argmax(axis=1)] == clf.predict(TABLE)).all()
    assert np.allclose(pp.model_of(clf).predict_proba(TABLE)[:, [LABELS.index(each) for each in clf.classes_]], chances)
    with pytest.raises(ValueError, match="too few records were held out"):
        classifier(epsilon=1, report_error=True).fit(TABLE[:300], "group").predict_proba(TABLE)  # no constant rule
    assert not hasattr(classifier(), "predict_proba")


def test_labels_may_be_numbers_and_unicode():
    numbers = np.array([LABELS.index(each) for each in TRUE])
    clf = classifier(classes=(0, 1, 2)).fit(TABLE, numbers)
    assert clf.predict(TABLE).dtype.kind == "i" and (clf.predict(TABLE) == numbers).mean() > 0.97
    names = ("gelb-grün", "東京", "🌳 '\"")
    there = np.array(names, dtype=object)[numbers]
    clf = classifier(classes=names).fit(TABLE, there)
    model = pp.model_of(clf, "color")
    assert set(clf.predict(TABLE)) == set(names)
    assert pp.Model.from_json(model.to_json()).predict(TABLE).tolist() == clf.predict(TABLE).tolist()
    asked = ibis.duckdb.connect()
    asked.create_table("t", pa.Table.from_pandas(TABLE))
    found = asked.raw_sql(f"SELECT {model.to_sql()} FROM t").fetchall()
    assert [each for (each,) in found] == clf.predict(TABLE).tolist()


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (("a",), "two different labels"),
        ((), "two different labels"),
        ("abc", "two different labels"),
        (("a", "b", "a"), "name each of them once"),
        ((1, True, 2), "name each of them once"),
        (("a", "b", None), "none of them missing"),
        (("a", "b", float("nan")), "none of them missing"),
        (tuple(range(65)), "at most 64 labels"),
        (("low", "mid", "higher"), "none of the 3 declared ones"),
    ],
)
def test_labels_that_cannot_be_are_refused_and_nothing_is_spent(classes, words):
    ledger = pp.Ledger(pp.Budget(3))
    with pytest.raises(ValueError, match=words) as refused:
        classifier(classes=classes, budget=ledger).fit(TABLE, "group")
    assert refused.value.parameter == "classes" and ledger.spent == pp.Budget(0)
    assert "secret" not in str(refused.value)


def test_missing_labels_are_refused_or_void():
    y = TRUE.astype(object)
    y[:5] = None
    ledger = pp.Ledger(pp.Budget(3))
    with pytest.raises(ValueError, match="some labels are missing"):
        classifier(budget=ledger).fit(TABLE, y)
    assert ledger.spent == pp.Budget(0)
    clf = classifier(on_invalid="default", report_error=True, epsilon=30).fit(TABLE, y)
    assert clf.n_records_ == N and clf.error_.undeclared.high < 0.05


@over("n", (1, 2, 5))
@over("report_error", (False, True))
def test_few_records(n, report_error):
    clf = classifier(report_error=report_error).fit(TABLE[:n], "group")
    assert set(clf.predict(TABLE)) <= set(LABELS)
    assert clf.privacy_ == pp.Budget(3)
    if report_error:
        assert str(clf.error_) and pp.Model.from_json(pp.model_of(clf).to_json())


def test_no_records_are_refused():
    with pytest.raises(ValueError, match=r"minimum of 1|no records"):
        classifier().fit(TABLE[:0], "group")


def test_other_classes_say_what_to_do():
    with pytest.raises(ValueError, match=r"two different labels.*Trees.*one_per_label"):
        pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature="age", classes=LABELS).fit(TABLE, "group")
    with pytest.raises(ValueError, match="two different labels"):
        pp.PrivateClassifier(pp.Scorecards(*PARTS), classes=LABELS).fit(TABLE, "group")


def test_units_are_held_out_whole():
    clf = classifier(report_error=True, max_records=3, epsilon=30)
    clf.fit(TABLE.assign(person=np.arange(N) // 3), "group", unit="person")
    assert clf.error_.per_unit and clf.error_.held == N // 15
    assert "one of each unit" in str(clf.error_)


def test_long_columns_are_cut_privately():
    income = np.random.default_rng(0).integers(0, 1000, 6000)
    true = np.where(income < 300, "low", np.where(income < 700, "mid", "high"))
    trees = pp.Trees(pp.Thresholds(0, 10**12, direction="above").on("income"), depth=2)
    clf = pp.PrivateClassifier(trees, classes=LABELS, epsilon=4).fit({"income": income}, true)
    assert type(clf.learner_).__name__ == "PrivateCutTrees"
    assert (clf.predict({"income": income}) == true).mean() > 0.95


def test_a_preview_and_certificates_know_the_labels():
    three, two = classifier().preview(5000), classifier(classes=("a", "b")).preview(5000)
    assert three.cost == two.cost == pp.Budget(3)
    assert two.utility.alpha < three.utility.alpha < 1.3 * two.utility.alpha


def test_a_constant_tree():
    clf = classifier(epsilon=100).fit(TABLE.assign(group="mid"), "group")
    assert clf.hypothesis_ == Answer("mid")
    model = pp.model_of(clf, "group")
    assert str(model) == "group = mid always"
    assert model.to_sql() == "'mid'" and "return 'mid'" in model.to_python()
    assert pp.Model.from_json(model.to_json()).predict(TABLE).tolist() == ["mid"] * N


def test_a_key_is_charged_once_and_gives_the_same_tree(tmp_path):
    account = pp.BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", pp.Budget(3))
    first, again = (classifier(report_error=True, budget=account.once("tree")).fit(TABLE, "group") for _ in range(2))
    assert first.hypothesis_ == again.hypothesis_ and first.error_ == again.error_
    assert account.spent == pp.Budget(3)


@pytest.mark.slow
@over("classes", [("low", "mid", "high"), ("no", "yes")])
def test_the_depth_may_be_left_open(classes):
    y = TRUE if len(classes) == 3 else np.where(TRUE == "low", "no", "yes")
    clf = classifier("auto", classes=classes).fit(TABLE, y)
    assert (clf.predict(TABLE) == y).mean() > 0.97
    assert repr(clf.concept_class).endswith("depth='auto')") and eval(repr(clf.concept_class), vars(pp))
    assert clf.guarantee_.utility is not None


@pytest.mark.parametrize(
    "asked", [(1, 0, 2), (1, -1, 2), (1, "x", 2), (1, 2), "balanced", (1, 1, 20_000), {"low": 1}, 7]
)
def test_weights_that_cannot_be_used_are_refused_with_some_that_can(asked):
    ledger = pp.Ledger(pp.Budget(3))
    with pytest.raises(ValueError, match=r"like class_weight=\(1, 1, 9\)$"):
        classifier(class_weight=asked, budget=ledger).fit(TABLE, "group")
    assert ledger.remaining == pp.Budget(3)


def test_decisions_are_graded_by_the_risks_and_agree_with_predictions():
    clf = classifier(report_error=True).fit(TABLE, "group")
    grades, chances = clf.decision_function(TABLE), clf.predict_proba(TABLE)
    assert (clf.classes_[grades.argmax(axis=1)] == clf.predict(TABLE)).all() and ((grades > 0).sum(axis=1) == 1).all()
    assert np.allclose(grades % 1, chances)


def test_a_cut_off_is_for_two_labels():
    clf = classifier(report_error=True).fit(TABLE, "group")
    with pytest.raises(ValueError, match=r"learn.*class_weight=\(1, 1, 9\)"):
        clf.operating_point(sensitivity=0.5)
