"""The page: self-contained, complete, and silent about records."""

import re
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser

import numpy as np
import pytest

from privpac.classes.compositions.compose import And
from privpac.classes.decision_trees.auto import Auto
from privpac.classes.decision_trees.scorecards import Scorecards
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.rules import Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import OneOf, Points
from privpac.classes.vectors.boxes import Rectangles
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpaces
from privpac.classes.vectors.subspaces import AffineSubspace
from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.learners.algorithm import Assumption
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.errors.error_estimate import ErrorEstimate, TrainingError
from privpac.learners.model import Model, model_of
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate, Entry, Utility
from privpac.report.pages.accuracy import Goal, best_rule_of, why_not
from privpac.report.pages.frame import PageNames
from privpac.report.pages.model_card import other_prices
from privpac.report.pages.rule import page, write_report

AGES = ExplicitClass([[0, 0, 1], [0, 1, 1]], points=["child", "adult", "senior"])
TABLE = {"age": ["child"] * 400 + ["adult"] * 300 + ["senior"] * 300}
LABELS = [0] * 400 + [1] * 600
UTILITY = Utility(Fraction(1, 50), Fraction(1, 20), "agnostic", "finite learner, Theorem 1", (Assumption.INDEPENDENT,))
VOID = {"meta", "br", "img", "rect", "line", "circle", "polyline", "polygon", "path"}


class Reader(HTMLParser):
    """The text of a page; refuses tags that do not match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.hidden = [], [], 0
        self.feed(text)
        assert self.open == []
        self.text = " ".join(" ".join(self.texts).split())  # which makes plain spaces of all

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        assert not {name for name, _ in attributes} & {"onload", "onclick", "src", "href"}

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.texts.append(data)


def model(**changes):
    parts = {
        "hypothesis": Threshold(37), "domain": Line(0, 999), "feature": "delay", "classes": ("no", "yes"),
        "records": 5000, "learner": "exponential mechanism over all cuts", "label": "late",
        "certificate": Certificate(Budget(1, 1e-6), ("selection, Theorem 1",), UTILITY),
        "ledger": (Entry("exponential", Budget(1, 1e-6), "selection, Theorem 1"),),
    }  # fmt: skip
    return Model(**parts | changes)


def read(*args, named=None, **changes):
    return Reader(page(model(**changes), *args, names=named or PageNames(file="model.json"))).text


def test_the_page_tells_rule_privacy_certificate_and_use():
    text = read([(100, 0.5), (5000, 0.02), (50000, 0.006)], Goal(0.1, 617))
    for told in (
        "late = yes if delay ≥ 37", "otherwise no", "ε = 1, δ = 1e-06", "per record", "exponential",
        "selection, Theorem 1", "≤ best + 2 %", "95 %", "finite learner, Theorem 1", Assumption.INDEPENDENT,
        "you are here", "617 records are enough to certify an error of at most 10 % above that of the best rule",
        "privpac predict model.json data.csv", "Model.from_json",
        "What the guarantee does not cover", "5,000 records",
    ):  # fmt: skip
        assert told in text, told
    assert "NOT PRIVATE" not in text


def test_it_says_what_delta_is_worth_beside_n():
    certificate = Certificate(Budget(1, 1e-6), ("x",), UTILITY, protected=5000)
    text = read(certificate=certificate)
    assert "per record; δ·n = 0.005" in text
    assert "At worst, δ·n = 0.005 of the 5,000 records are revealed outright, on average." in text
    units = read(certificate=replace(certificate, unit_records=4, protected=1250))
    assert "δ·n = 0.00125 of the 1,250 units are revealed" in units
    assert "δ·n" not in read(certificate=replace(certificate, privacy=Budget(1)))


@pytest.mark.parametrize(
    ("learner", "limited"),
    [
        (PrivateClassifier(Rectangles(0, 99, 2), method="RectangleLearner"), False),
        (PrivateClassifier(Rectangles(0, 9999, 2), method="RectangleLearner"), True),
        (
            PrivateClassifier(
                And(Thresholds(0, 10**6, direction="above").on("a"), Thresholds(0, 10**6, direction="above").on("b")),
                method="RuleLearner",
            ),
            True,
        ),
        (PrivateClassifier(HalfPlanes(100), method="NetLearner"), True),
        (PrivateClassifier(Points(), method="BucketLearner"), False),  # it compares with all points
    ],
)
def test_it_says_which_best_rule_is_meant(learner, limited):
    assumed = learner.learner().assumptions
    told = read(certificate=Certificate(Budget(1), (), replace(UTILITY, assumptions=assumed)))
    assert ("best of all rules in the class" in told) != limited
    assert ("the smallest error of any rule in the class" in told) != limited
    assert ("best of some rules in the class, see below" in told) == limited
    assert all(each in told for each in assumed)


def test_a_single_label_is_no_picture_and_one_sentence():
    only = page(model(classes=("no",)))
    assert "<h1>late = no always</h1>" in only
    assert 'class="swatch' not in only


def test_a_long_rule_has_a_small_heading():
    flat = AffineSubspace(2, (0,) * 99, ((1,) * 99,))
    text = page(model(hypothesis=flat, domain=Grid(0, 1, 99), feature=tuple(f"b{i}" for i in range(99))))
    assert '<h1 class="long">late = yes if b0 = b1' in text and "h1.long {" in text
    assert "<h1>" in page(model())


def test_code_is_wrapped_where_a_screen_is_narrow():
    assert re.search(r"pre \{[^}]*white-space: pre-wrap[^}]*\}", page(model()))


def test_it_needs_nothing_from_elsewhere():
    text = page(model(), [(100, 0.5), (5000, 0.02)])
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|@import|url\(|<script|<link", text)
    assert '<meta name="viewport"' in text
    assert "@media print" in text
    assert "prefers-color-scheme: dark" in text


def test_a_seeded_release_is_no_private_one():
    text = read(certificate=Certificate(Budget(1), private=False))
    assert text.index("NOT PRIVATE") < text.index("delay ≥ 37")


def test_units_are_named():
    text = read(certificate=Certificate(Budget(1), ("x",), unit_records=4))
    assert "any one unit and all its records (at most 4 of which count)" in text
    assert "per unit" in text
    assert "per record" not in text
    assert "No error bound is guaranteed, because certificates need independent records" in text


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        (None, "too few records for this learner's certificate, or the learner has none"),
        (Goal(0.1, None), "no bound is proved for this learner"),
        (
            Goal(0.1, 61700),
            "5,000 records are too few: certifying an error of at most 10 % above that of the best rule takes 61,700",
        ),
        (Goal(0.1, 61700, above=False), "certifying an error of at most 10 % takes 61,700"),
    ],
)
def test_without_a_certificate_it_says_why(goal, told):
    bare = model(certificate=Certificate(Budget(1)))
    assert told in Reader(page(bare, (), goal)).text
    assert told in why_not(bare, goal)
    assert "certain" not in Reader(page(bare, (), goal)).text.replace("certified", "")


@pytest.mark.slow
def test_the_reason_is_that_of_the_class_and_the_advice_works():
    columns = Thresholds(0, 9999).on("age"), Thresholds(0, 99).on("prior")
    table = {"age": [i % 100 for i in range(3000)], "prior": [i % 10 for i in range(3000)]}

    def why(concept_class, n, unit=None, **asked):
        clf = PrivateClassifier(concept_class, delta=1e-7, **asked)
        clf.fit({name: each[:n] for name, each in table.items()}, [i % 2 for i in range(n)], unit=unit and [*range(n)])
        assert model_of(clf).certificate.utility is None
        return why_not(model_of(clf), Goal.of(clf)), why_not(model_of(clf), Goal.of(clf), lambda *each: f"[{each}]")

    spells = "[('report_error', True)] measures the error", "[('class_name', 'trees')]"
    told, typed = why(Scorecards(*columns), 3000)
    assert told.endswith(
        "none is proved for scorecards; report_error=True measures the error; trees of depth 2 have a bound."
    )
    assert typed.endswith(f"{spells[0]}; {spells[1]} has a bound.")
    assert PrivateClassifier(Trees(*columns)).fitting(3000).learner.utility(3000) is not None
    assert why(Scorecards(*columns), 2)[0].endswith(
        "none is proved for scorecards; report_error=True measures the error."
    )
    assert why(Scorecards(*columns), 3000, unit=True, max_records=1)[0] == told  # one record of a unit is independent
    assert (
        "those of one unit are not; report_error=True measures" in why(Scorecards(*columns), 99, True, max_records=2)[0]
    )
    assert all("none is proved for scorecards" in why(Auto(*columns), n)[0] for n in (2, 3000))
    columns = [Thresholds(0, 9999).on(f"age {i}") for i in range(40)]  # so many that 250 records certify nothing
    table |= {f"age {i}": table["age"] for i in range(40)}
    told, typed = why(Auto(*columns), 250)
    assert "because 250 records are too few: certifying an error of at most 10 % above that of the best" in told
    assert told.endswith(" with trees of depth 2.") and typed.endswith(f" with {spells[1]}.")
    n = int(re.search(r"takes ([\d,]+)", told)[1].replace(",", ""))
    assert PrivateClassifier(Trees(*columns)).certified_n(0.1) == n


def test_one_record_is_one():
    bare = model(certificate=Certificate(Budget(1)), records=1)
    assert "because 1 record is too few: " in why_not(bare, Goal(0.1, 61700))


def test_the_estimate_of_the_error_is_told():
    measured = ErrorEstimate(0.057, 0.051, 0.063, Fraction(19, 20), 0.81, 0.95, 0.22, 0.22, better=True, held=1000)
    text = read(error=measured)
    assert "5.7 %" in text
    assert "5.1 % to 6.3 %" in text
    assert "best constant: 22.0 %" in text
    assert "measured on 1,000 records that were held out" in text
    assert text.index("errs on about 5.7 %") < text.index("With probability at least")  # the certificate comes second
    assert "81.0 % of the positive records and about 95.0 % of the negative ones" in text
    worse = page(model(error=replace(measured, better=False, wider=("direction", "either"))))
    first = "This rule is not clearly better than always answering no, which would err on about 22.0 % of new records."
    assert worse.index(first) < worse.index("<h1>")
    assert 'direction="either" allows more rules' in Reader(worse).text
    assert "not clearly better" not in text
    of_units = read(error=measured, certificate=Certificate(Budget(1), unit_records=2))
    assert "measured on 1,000 units (one record of each) that were held out" in of_units


def test_what_earlier_versions_measured_is_told_as_that():
    text = read(error=TrainingError(0.057, 0.051, 0.063, Fraction(19, 20)))
    assert "Error on its own records" in text and "of the records that it was learned from" in text


def test_realizable_certificates_do_not_speak_of_the_best_rule():
    utility = Utility(Fraction(1, 50), Fraction(1, 20), "realizable", "t", ("some rule of the class makes no error",))
    text = read(certificate=Certificate(Budget(1), (), utility))
    assert "≤ 2 %" in text
    assert "best" not in text
    assert "some rule of the class makes no error" in text


def test_everything_is_escaped():
    nasty = "<script>alert('x')</script>&\""
    utility = Utility(Fraction(1, 9), Fraction(1, 9), "agnostic", nasty, (nasty,))
    text = page(
        model(
            hypothesis=OneOf(frozenset([nasty])), domain=Anything(), feature=nasty, classes=(nasty, "yes"), label=nasty,
            learner=nasty, ledger=(Entry(nasty, Budget(1), nasty),),
            error=ErrorEstimate(
                0.3, 0.2, 0.4, Fraction(19, 20), 0.5, 0.5, 0.3, 0.3, better=False, held=9, wider=(nasty, nasty)
            ),
            certificate=Certificate(Budget(1), (nasty,), utility),
        ),
        [(10, 0.5), (5000, 0.1)],
    )  # fmt: skip
    assert "<script" not in text
    Reader(text)


def test_compositions_show_all_their_parts():
    rules = And(Thresholds(0, 999, direction="above").on("delay"), Points().on("carrier"))
    text = read(hypothesis=rules.hypothesis(37, "EV"), domain=rules.domain, feature=None)
    assert "delay ≥ 37 and carrier = EV" in text
    assert "any table with delay, carrier" in text


def test_a_learner_has_a_curve(tmp_path):
    clf = PrivateClassifier(AGES, feature="age", method="FiniteLearner").fit(TABLE, LABELS)
    write_report(clf, tmp_path / "r.html", label="pays", file="m.json", data="my data.csv")
    text = Reader((tmp_path / "r.html").read_text("utf-8")).text
    assert "you are here" in text
    assert "pays = 1 if age is one of adult, senior" in text
    assert "privpac predict m.json 'my data.csv'" in text


def test_a_model_alone_has_none(tmp_path):
    write_report(
        model_of(PrivateClassifier(AGES, feature="age", method="FiniteLearner").fit(TABLE, LABELS)), tmp_path / "r.html"
    )
    assert "you are here" not in (tmp_path / "r.html").read_text("utf-8")


def test_the_page_depends_on_the_release_alone(tmp_path):
    """Neighbors with one release have one page: nothing else of the records is in it."""
    pages = []
    for labels in (LABELS, [1, *LABELS[1:]]):
        clf = PrivateClassifier(AGES, feature="age", method="FiniteLearner").fit(TABLE, labels)
        clf.hypothesis_ = AGES.hypothesis(AGES.concepts[1])
        write_report(clf, tmp_path / "r.html", label="pays")
        pages.append((tmp_path / "r.html").read_text("utf-8"))
    assert pages[0] == pages[1]


def test_it_is_a_card_of_the_release():
    named = PageNames("Late flights", {"Purpose": "plan <crews>", "Owner": "Operations"})
    text = read(named=named)
    for told in (
        "Late flights", "Purpose plan <crews>", "Owner Operations", "Column delay whole numbers from 0 to 999",
        "Label late no or yes", "Protected each record", "In SQL", 'CASE WHEN "delay" IS NULL', "def rule(record)",
    ):  # fmt: skip
        assert told in text, told


def test_nothing_is_said_of_a_file_that_was_not_written():
    text = read(named=PageNames())
    assert "privpac predict" not in text
    assert "from_json" not in text


@pytest.mark.slow
def test_other_prices_are_those_of_other_classifiers(tmp_path):
    clf = PrivateClassifier(Thresholds(0, 99, direction="above"), epsilon=2, feature="age").fit(
        {"age": [1, 98] * 1000}, [0, 1] * 1000
    )
    write_report(clf, tmp_path / "r.html")
    text = Reader((tmp_path / "r.html").read_text("utf-8")).text
    tenth = PrivateClassifier(Thresholds(0, 99, direction="above"), epsilon=0.1).certified_alpha(2000)
    assert f"0.1 {100 * float(tenth):.6g} %" in text
    assert f"2 (this release) {100 * float(clf.guarantee_.utility.alpha):.6g} %" in text
    assert "Certified error above the best rule’s" in text


def test_without_label_noise_other_prices_are_whole_errors():
    utility = Utility(Fraction(1234, 10_000), Fraction(1, 20), "realizable", "certificates, Theorem 1")
    assert "above the best" not in other_prices(1, [(1, utility)])
    assert "12.34 %" in other_prices(1, [(1, utility)])


def test_other_prices_say_which_rules_each_certificate_compares_with():
    whole = Utility(Fraction(1, 10), Fraction(1, 20), "agnostic", "certificates, Theorem 1")
    grid = replace(whole, within="on a public grid")
    assert "(best of" not in other_prices(1, [(0.1, grid), (1, grid)])
    text = other_prices(1, [(0.1, grid), (1, whole)])
    assert "10 % (best of the rules on a public grid)" in text
    assert "10 % (best of all rules in the class)" in text


@pytest.mark.parametrize("method", ["BucketLearner", "ProperPointLearner"])
def test_assumptions_about_values_do_not_narrow_the_class(method):
    learner = PrivateClassifier(Points(1000), method=method).fitting(10**6).learner
    assert best_rule_of(learner.utility(10**6)) == "best of all rules in the class"


def test_assumptions_about_the_best_rule_do():
    learner = PrivateClassifier(Rectangles(0, 10**18, dim=2), method="RectangleLearner").fitting(10**6).learner
    utility = learner.utility(10**6)
    assert best_rule_of(utility) == "best of the rules on a public grid"
    assert best_rule_of(replace(utility, within="")) == "best of some rules in the class, see below"  # as in old models


def test_with_weights_the_certificate_is_about_costs():
    certified = replace(UTILITY, weights=(1, 15))
    certificate = Certificate(Budget(1), ("x",), certified)
    text = read([(100, 0.5), (5000, 0.02)], Goal(0.1, 617, (1, 15)), certificate=certificate)
    assert "Certified cost of 100 new records ≤ best + 30" in text
    assert "the rule's cost for 100 new records, on average, is at most the smallest cost" in text
    assert "plus 30, where errors cost 1 and 15" in text
    assert "617 records are enough to certify an average cost of at most 1.5 above that of the best rule" in text
    assert "ertified error" not in text
    assert "Certified cost of 100 new records above the best rule’s" in other_prices(1, [(1, certified)])


def test_a_fit_that_counts_its_weights_says_what_is_certified(tmp_path):
    ages, ill = {"age": list(range(100)) * 30}, ([0] * 70 + [1, 0, 0] * 10) * 30
    rules = Thresholds(0, 99, direction="above").on("age")
    alone = PrivateClassifier(rules, class_weight="balanced").fit(ages, ill)
    write_report(alone, tmp_path / "alone.html")
    assert "also decided the weights" in (tmp_path / "alone.html").read_text("utf-8")
    held = PrivateClassifier(rules, class_weight="balanced", report_error=True).fit(ages, ill)
    write_report(held, tmp_path / "held.html")
    assert "Certified cost of 100 new records" in (tmp_path / "held.html").read_text("utf-8")


def test_public_records_that_differ_too_little_are_named_as_the_reason():
    """One record a thousand times says nothing about others, whatever the number of private ones."""
    clf = PrivateClassifier(HalfSpaces(3, 1000), alpha=0.15, public=np.full((1000, 3), 7))
    assert Goal.of(clf) == "the public records leave 100 % open; give more that differ, or a larger alpha"
