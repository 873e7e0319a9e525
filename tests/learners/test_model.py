"""Models: written and read, predicting alone, telling nothing but what was released and declared."""

import json
import os
import stat
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from privpac.classes.compositions.compose import And
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.spider import GroupFrom
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.values.points import OneOf, Points
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.data.domains.pairs import Pairs
from privpac.data.domains.paths import Paths
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.errors.error_estimate import ErrorEstimate, TrainingError
from privpac.learners.model import Model, model_of
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry, Utility
from privpac.privacy.ledger import Ledger

AGES = ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
COLUMN = ["child"] * 40 + ["adult"] * 30 + ["senior"] * 30
LABELS = [0] * 40 + [1] * 60
RULES = And(Thresholds(0, 999, direction="above").on("delay"), Points().on("carrier"))
TREE = Taxonomy({"J10": "J", "J11": "J", "J": "ICD"}, kind="subtree")
CERTIFICATE = Certificate(
    Budget("1/3", 1e-6),
    ("selection, Theorem 1",),
    Utility(
        Fraction(451, 10000), Fraction(1, 20), "agnostic", "finite learner, Theorem 1", ("records are independent",)
    ),
)


CUT, LINE = Threshold(37), Line(0, 999)


def model(hypothesis=CUT, domain=LINE, feature="delay", **other):
    told = {"classes": (0, 1), "records": 5000, "learner": "exponential", "certificate": CERTIFICATE} | other
    return Model(hypothesis, domain, feature, **told)


MEASURED = ErrorEstimate(0.1, 0.05, 0.15, Fraction(19, 20), 0.8, 0.9, 0.3, 0.3, better=True, held=1000)


def fitted(**parameters):
    return PrivateClassifier(AGES, epsilon=2, feature="age", **parameters, method="FiniteLearner").fit(
        {"age": COLUMN}, LABELS
    )


@pytest.mark.parametrize(
    "given",
    [
        model(),
        model(classes=("no", "yes"), label="late", on_invalid="default"),
        model(classes=(False, True), error=MEASURED),
        model(error=TrainingError(0.1, 0.05, 0.15, Fraction(19, 20))),
        model(error=replace(MEASURED, better=False, wider=("direction", "either"))),
        model(Threshold(date(2026, 3, 1)), Line(date(2026, 1, 1), date(2026, 12, 31)), None),
        model(Interval(0.25, 0.5), Line(-1.0, 1.0), 0),
        model(OneOf(frozenset(["EV", "UA"])), Anything(), "carrier"),
        model(RULES.hypothesis(37, "EV"), RULES.domain, None),
        model(HalfSpace((3, -2), 5), Grid(0, 9, 2), ("width", "height")),
        model(GroupFrom("Boeing", 1998), Pairs(16), ("maker", "year")),
        model(TREE.hypothesis("J"), TREE.domain, "code"),
        model(Constant(True), Paths("/", 3), "path"),
        model(certificate=Certificate(Budget(1), private=False, unit_records=4)),
        model(certificate=Certificate(Budget(1, 1e-6), unit_records=4, protected=1250)),
    ],
    ids=str,
)
def test_a_model_is_written_and_read(given):
    assert Model.from_json(given.to_json()) == given


def changed(**parts):
    return json.dumps(json.loads(model(error=MEASURED).to_json()) | parts)


COST = {"is": "Budget", "epsilon": {"fraction": "1"}, "delta": {"fraction": "0"}}
ERROR = {"is": "ErrorEstimate", "value": 0.1, "low": 0.0, "high": 0.2, "confidence": {"fraction": "19/20"}}


@pytest.mark.parametrize(
    "text",
    [
        *(
            changed(certificate={"is": "Certificate", "privacy": COST | {"epsilon": epsilon}})
            for epsilon in (
                {"fraction": "1e99999999"}, {"fraction": "1e-99999999"}, {"decimal": "1e99999999"}, "1e99999999",
                "1e-99999999", {"fraction": "1/0"}, {"fraction": "9" * 5000}, {"fraction": "-1"},
            )
        ),
        changed(certificate={"is": "Certificate", "privacy": COST, "unit_records": 0}),
        changed(records=-5),
        changed(records=True),
        changed(classes=[]),
        changed(classes=[1, 1]),
        changed(classes=[1, True]),
        changed(classes=[0, None]),
        changed(classes=[0, 1, 2]),
        changed(domain=5),
        changed(domain={"is": "Line", "low": "a", "high": 9}),
        changed(domain=COST),
        changed(hypothesis=5),
        changed(on_invalid="guess"),
        changed(error=ERROR | {"value": {"float": "nan"}}),
        changed(error=ERROR | {"high": {"float": "inf"}}),
        changed(error=ERROR | {"low": "0"}),
        changed(**{"privpac model": True}),
        changed(**{"privpac model": 1.0}),
    ],
)  # fmt: skip
def test_what_no_model_holds_is_refused_at_once(text):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        Model.from_json(text)


def test_a_single_label_is_always_given():
    clf = PrivateClassifier(AGES, feature="age", classes=None, method="FiniteLearner").fit({"age": COLUMN}, ["a"] * 100)
    found = model_of(clf, "lab")
    assert str(found) == "lab = a always"
    assert set(found.predict({"age": COLUMN}).tolist()) == {"a"}
    assert Model.from_json(found.to_json()) == found


def test_of_a_learner():
    clf = fitted()
    found = model_of(clf, "pays")
    assert found.predict({"age": COLUMN}).tolist() == clf.predict({"age": COLUMN}).tolist()
    assert (found.records, found.certificate, found.learner) == (100, clf.guarantee_, clf.learner_.title)
    assert Model.from_json(found.to_json()) == found
    assert [entry.cost for entry in found.ledger] == [Budget(2)]


def test_times_are_kept_to_the_day_and_no_names_of_users():
    found = model_of(fitted(budget=Ledger(Budget(2), who="ann")))
    (entry,) = found.ledger
    assert (entry.who, entry.time.hour, entry.time.minute, entry.time.microsecond) == ("", 0, 0, 0)
    assert "ann" not in found.to_json()


def test_it_holds_no_records():
    kept = json.loads(model_of(fitted()).to_json())
    assert set(kept) == {
        "privpac model", "rule", "hypothesis", "domain", "feature", "classes", "records", "learner", "certificate",
        "ledger", "error", "on_invalid", "label",
    }  # fmt: skip
    assert len(model_of(fitted()).to_json()) < 3000


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame], ids=["dict", "pandas", "polars"])
def test_it_predicts_for_any_table(make):
    late = model(classes=("no", "yes"))
    assert late.predict(make({"delay": [36, 37], "carrier": ["EV", "UA"]})).tolist() == ["no", "yes"]
    plane = model(HalfSpace((3, -2), 5), Grid(0, 9, 2), ("w", "h"))
    assert plane.predict(make({"h": [0, 5], "w": [2, 2]})).tolist() == [1, 0]
    rule = model(RULES.hypothesis(37, "EV"), RULES.domain, None)
    assert rule.predict(make({"delay": [80, 80], "carrier": ["EV", "UA"]})).tolist() == [1, 0]


def test_what_is_no_table_is_refused():
    model = model_of(PrivateClassifier(AGES, feature="age", method="FiniteLearner").fit({"age": COLUMN}, LABELS))
    with pytest.raises(TypeError, match="open it first"):
        model.predict("ages.csv")


def test_a_model_follows_the_rule_that_its_fit_followed():
    clf = PrivateClassifier(Points(), feature="age").fit({"age": COLUMN}, LABELS)
    assert model_of(clf.set_params(on_invalid="default")).on_invalid == "raise"


def test_a_learner_must_have_learned():
    with pytest.raises(NotFittedError):
        model_of(PrivateClassifier(AGES, method="FiniteLearner"))


def test_a_position_in_a_named_table_becomes_its_name():
    clf = PrivateClassifier(AGES, feature=0, method="FiniteLearner").fit(pd.DataFrame({"age": COLUMN, "n": 0}), LABELS)
    assert model_of(clf).feature == "age"
    assert model_of(PrivateClassifier(AGES, feature=None, method="FiniteLearner").fit(COLUMN, LABELS)).predict(
        ["child", "senior"]
    ).tolist() == [
        0,
        1,
    ]


def test_values_beside_the_domain_follow_the_rule():
    every = model(Constant(True), Line(0, 9), None, on_invalid="default")
    assert every.predict(np.array([3, 12])).tolist() == [1, 0]
    assert model(Threshold(5), Line(0, 9), None, on_invalid="clamp").predict(np.array([-7, 12])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (model(label="late"), "late = 1 if delay ≥ 37, otherwise 0"),
        (model(classes=("no", "yes")), "yes if delay ≥ 37, otherwise no"),
        (model(feature=None), "1 if x ≥ 37, otherwise 0"),
        (model(feature=3), "1 if column 3 ≥ 37, otherwise 0"),
        (model(HalfSpace((3, -2), 5), Grid(0, 9, 2), 0), "1 if 3·x₁ − 2·x₂ ≥ 5, otherwise 0"),
        (model(HalfSpace((3, -2), 5), Grid(0, 9, 2), ("x₁", "h"), label="y"), "y = 1 if 3·x₁ − 2·h ≥ 5, otherwise 0"),
        (model(GroupFrom("Boeing", 98), Pairs(8), ("maker", "year")), "1 if maker = Boeing and year ≥ 98, otherwise 0"),
        (model(Constant(True), label="late"), "late = 1 always"),
        (model(Constant(False), label="late"), "late = 0 always"),
        (model(Constant(False), classes=("a", "b"), label="lab"), "lab = a always"),
    ],
)
def test_it_reads_as_a_sentence(given, sentence):
    assert str(given) == sentence


def test_a_vector_of_many_columns_has_all_their_names():
    names = tuple(f"c{i}" for i in range(12))
    wide = model(HalfSpace((1,) * 12, 5), Grid(0, 9, 12), names)
    assert wide.rule == " + ".join(names) + " ≥ 5"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"privpac model": 1}',
        '{"privpac": 1, "hypothesis": "Constant", "label": true}',
        "\ud800",
        "[" * 9999,
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match=r"not a model|not JSON"):
        Model.from_json(text)


def test_another_version_is_refused():
    text = model().to_json().replace('"privpac model": 1', '"privpac model": 2')
    with pytest.raises(ValueError, match=r"another format.*learn again"):
        Model.from_json(text)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("domain", {"is": "Popen", "args": "ls"}),
        ("domain", {"is": "Line", "low": 3}),
        ("domain", {"is": "Listing", "names": 3}),
        ("domain", {"is": "Columns", "names": ["age"], "domains": [3]}),
        ("domain", {"is": "Hierarchy", "pairs": []}),
        ("hypothesis", {"privpac": 1, "hypothesis": "Threshold"}),
        ("hypothesis", 3),
        ("records", "many"),
        ("classes", []),
        ("certificate", {"is": "Certificate", "privacy": 3}),
        ("certificate", None),
        ("ledger", [3]),
        ("label", ["late"]),
        ("error", {"is": "Budget", "epsilon": 1, "delta": 0}),
    ],
)
def test_damaged_models_are_refused(part, value):
    plain = json.loads(model().to_json()) | {part: value}
    with pytest.raises(ValueError, match=r"JSON|classes|delta|low|root"):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("privacy", {"is": "Budget", "epsilon": {"fraction": "1/10"}, "delta": {"fraction": "0"}}),
        ("private", False),
    ],
)
def test_a_model_whose_certificate_and_ledger_disagree_is_refused(part, value):
    clf = PrivateClassifier(Points(), feature="age", method="PointLearner").fit({"age": COLUMN}, LABELS)
    plain = json.loads(model_of(clf).to_json())
    plain["certificate"][part] = value
    with pytest.raises(ValueError, match="not that of its ledger"):
        Model.from_json(json.dumps(plain))


@pytest.mark.parametrize(("alpha", "beta"), [(-1, 0.05), (2, 0.05), (10**400, 0.05), (0.1, 3)], ids=range(4))
def test_a_certificate_that_nothing_can_prove_is_refused(alpha, beta):
    proved = Utility(Fraction(alpha), Fraction(beta), "agnostic", "a theorem")
    with pytest.raises(ValueError, match="between 0 and 1"):
        model(certificate=Certificate(Budget(1), utility=proved))


def test_a_taxonomy_that_goes_in_a_circle_is_refused():
    tree = Taxonomy({"J10": "J", "J11": "J"})
    plain = json.loads(model(hypothesis=tree.hypothesis("J10"), domain=tree.domain).to_json())
    plain["domain"]["pairs"].append(["J", "J10"])
    with pytest.raises(ValueError, match="exactly one parent"):
        Model.from_json(json.dumps(plain))


def test_more_or_fewer_parts_are_refused():
    plain = json.loads(model().to_json())
    for other in (plain | {"extra": 1}, {key: plain[key] for key in plain if key != "domain"}):
        with pytest.raises(ValueError, match="not a model"):
            Model.from_json(json.dumps(other))


def test_entries_are_written_with_their_day():
    entry = Entry("exponential", Budget(1), "selection, Theorem 1")
    made = model(ledger=(entry,), certificate=Certificate(Budget(1)))
    (read,) = Model.from_json(made.to_json()).ledger
    assert read == entry


def test_a_certificate_is_about_the_records_of_its_model():
    clf = PrivateClassifier(Points(), feature="age", method="PointLearner").fit({"age": COLUMN}, LABELS)
    made = model_of(clf)
    assert (made.certificate.protected, made.certificate.delta_n) == (100, Fraction(1, 10**4))
    assert Model.from_json(made.to_json()) == made
    older = json.loads(made.to_json())
    del older["certificate"]["protected"]  # as written before certificates had it
    assert "δ·n" not in str(Model.from_json(json.dumps(older)).certificate)
    with pytest.raises(ValueError, match="must protect exactly these records"):
        model(certificate=Certificate(Budget(1, 1e-6), protected=1250))


LINE = {"is": "Line", "low": 0, "high": 9}
CUBE = {"hypothesis": "Box", "low": {"tuple": [0, 0, 0]}, "high": {"tuple": [1, 1, 1]}}


@pytest.mark.parametrize(
    ("rule", "domain"),
    [
        ({"hypothesis": "Threshold", "cut": "37", "above": True}, LINE),
        ({"hypothesis": "Threshold", "cut": 37, "above": True}, {"is": "Line", "low": "a", "high": "z"}),
        ({"hypothesis": "Threshold", "cut": 37, "above": True}, {"is": "Grid", "low": 0, "high": 9, "dim": 2}),
        ({"hypothesis": "Threshold", "cut": 37, "above": True}, {"is": "Listing", "names": ["a", "b"]}),
        (CUBE, {"is": "Grid", "low": 0, "high": 9, "dim": 2}),
    ],
    ids=repr,
)
def test_a_rule_that_does_not_read_its_domain_is_refused_while_loading(rule, domain):
    cut = Model(Threshold(3), Line(0, 9), "age", (0, 1), 10, "exponential", Certificate(Budget(1)))
    plain = json.loads(cut.to_json())
    assert Model.from_json(json.dumps(plain)) == cut
    with pytest.raises(ValueError, match="the rule does not read values of the domain"):
        Model.from_json(json.dumps(plain | {"hypothesis": {"privpac": 1} | rule, "domain": domain}))


@pytest.mark.parametrize("rule", ["raise", "clamp", "default"])
def test_long_texts_are_read_without_their_numbers(monkeypatch, rule):
    """A number of a text has twenty bits per character: making it and reading it back takes long."""
    monkeypatch.setattr("privpac.data.domains.line.rank", None)
    wide = Line("a" * 9_000, "z" * 9_000)
    cut = Model(Threshold("m"), wide, "x", (0, 1), 10, "exponential", Certificate(Budget(1)), on_invalid=rule)
    assert Model.from_json(cut.to_json()).predict({"x": ["b", "n", "zz" * 5_000]}).tolist() == [0, 1, 1]


def test_a_notebook_shows_the_rule_with_its_column():
    clf = PrivateClassifier(AGES, feature="<age>")
    assert "<age>" not in clf._repr_mimebundle_()["text/html"]
    clf.fit({"<age>": COLUMN}, LABELS)
    for html in (clf._repr_mimebundle_()["text/html"], model_of(clf)._repr_html_()):
        assert f"<strong>{str(model_of(clf)).replace('<age>', '&lt;age&gt;')}</strong>" in html
        assert "privacy: ε = 1" in html


def test_a_saved_model_is_for_its_owner_and_group(tmp_path):
    before = os.umask(0)
    try:
        model().save(tmp_path / "model.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model.json").stat().st_mode) == 0o640
