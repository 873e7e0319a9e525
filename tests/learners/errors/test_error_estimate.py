"""The error on new records: what is released, what it is read as, and what is said of it."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.fits import UnseenRecords
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.data.samples.sample import Sample, Void
from privpac.learners.errors.error_estimate import ErrorEstimate, read_counts
from privpac.learners.errors.measured_error import TrainingError
from privpac.learners.errors.region_counts import RegionCounts, count_regions
from privpac.mechanisms.noise.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from privpac.report.pages.frame import PageNames
from privpac.report.pages.rule import fit_page
from tests.grid import over

F = Fraction
USUAL, HALF = F(1, 20), F(1, 2)
NEVER = Constant(False)


def estimate(*noisy, n=1000, rate=HALF, beta=USUAL, **given):
    return read_counts(RegionCounts(Threshold(2), noisy, n, rate, beta, void=len(noisy) > 4), **given)


def test_what_is_released_are_the_outcomes_of_the_rule():
    """x ≥ 2: five true positives, two false ones, nine false negatives, one true one; 4, 6, and 3 void ones."""
    points, labels, void = (
        np.array([2, 3, 0, 1]),
        np.array([True, False, True, False]),
        Void(np.arange(2), np.array([4, 6])),
    )
    sample, seen = Sample(points, labels, np.array([5, 2, 9, 1]), 30, points, void=void), {}

    def ask(mechanism, data):
        seen.update(mechanism=mechanism, data=data)
        return data

    for may_be, cells in ((False, (5, 2, 9, 1)), (True, (5, 2, 9, 1, 4, 6, 3))):
        found = read_counts(count_regions(Threshold(2), Budget(400), USUAL, Opened(sample, 30), ask, void=may_be))
        assert seen == {"mechanism": DisjointCounts(Budget(400), 30), "data": cells}
    assert (found.error, found.held, found.confidence) == (15 / 27, 30, F(19, 20))
    assert (found.sensitivity, found.specificity) == (5 / 18, 7 / 9)
    assert (found.positives, found.constant) == pytest.approx((18 / 27, 9 / 27))
    assert (found.unfit.value, found.undeclared.value) == pytest.approx((13 / 30, 3 / 30))


def test_nothing_is_asked_if_nothing_is_held_out():
    found = read_counts(count_regions(NEVER, Budget(1), USUAL, UnseenRecords(0), None, void=False))
    assert (found.low, found.high, found.held, found.better) == (0, 1, 0, False)
    assert "too few records to hold any out" in str(found)


@over("noisy", [(-40, -3, 7, 900), (0, 0, 0, 0), (5000, 5000, 1, 2), (-9, -9, -9, -9), (300, 20, 30, 620, -4, 3, 0)])
def test_whatever_noise_does_shares_are_shares(noisy):
    for n in (1, 2, 1000):
        found = estimate(*noisy, n=n)
        shares = (found.sensitivity, found.specificity, found.positives, found.constant)
        assert 0 <= found.low <= found.error <= found.high <= 1 and all(0 <= share <= 1 for share in shares)


def test_more_confidence_and_less_budget_widen_the_interval():
    def width(**given):
        found = estimate(200, 40, 40, 720, **given)
        return found.high - found.low

    assert width(beta=F(1, 1000)) > width() > width(beta=F(1, 2))
    assert width(rate=F(1, 40)) > width() > width(rate=F(10))


@pytest.mark.parametrize(
    ("counts", "better"),
    [
        ((200, 40, 40, 720), True),  # errs on 8 %, never on 24 %
        ((120, 110, 120, 650), False),  # hardly better than never
        ((0, 0, 240, 760), False),  # the constant itself
        ((700, 240, 40, 20), False),  # hardly better than always
        ((700, 60, 40, 200), True),
        ((100, 300, 300, 300), False),  # worse
    ],
)
def test_clearly_better_means_better_than_both_constants(counts, better):
    assert estimate(*counts).better is better


def test_a_rule_that_is_better_says_how_often_it_errs():
    told = str(estimate(200, 40, 40, 720))
    assert told.startswith("errs on about 8.0 % of new records (between ")
    assert told.endswith("95 % confidence if records are independent); always answering no would err on about 24.0 %")


def test_a_rule_that_is_no_better_says_so_first():
    found = estimate(120, 110, 120, 650, wider=("direction", "either"))
    told = found.sentence("on time", "late")
    assert told.startswith("This rule is not clearly better than always answering on time, which would err on about")
    assert told.endswith('direction="either" allows more rules.')
    assert estimate(700, 220, 40, 40).sentence().startswith("This rule is not clearly better than always answering yes")


@pytest.mark.parametrize(
    ("counts", "worse"),
    [
        ((200, 40, 40, 720), False),
        ((120, 110, 120, 650), False),
        ((110, 120, 120, 650), False),  # worse, but not clearly
        ((0, 0, 240, 760), False),  # the constant itself
        ((100, 300, 300, 300), True),  # worse than never
        ((700, 240, 40, 20), True),  # worse than always
        ((330, 10, 20, 150, 260, 10, 220), True),  # always is right on most records that do not fit
        ((330, 10, 20, 150, 10, 260, 220), False),
    ],
)
def test_clearly_worse_means_worse_than_the_better_constant(counts, worse):
    found = estimate(*counts)
    assert found.worse is worse
    assert found.sentence().startswith("This rule is clearly worse than always answering ") is worse


@pytest.mark.audit
def test_a_rule_as_good_as_both_constants_is_rarely_called_worse():
    """By exact sums: all four outcomes are equally likely, so no claim is true, and either constant may seem better."""
    n, wrong = 11, 0.0
    for hits, alarms, misses in product(range(n + 1), repeat=3):
        if (rest := n - hits - alarms - misses) >= 0:
            found = estimate(hits, alarms, misses, rest, n=n, rate=F(20))
            ways = factorial(n) / (factorial(hits) * factorial(alarms) * factorial(misses) * factorial(rest))
            wrong += found.worse * ways / 4**n
    assert 0 < wrong <= float(USUAL)


def test_records_that_do_not_fit_count_as_they_are_labeled():
    """The rule answers no for them: right if they are negative. Those without a declared label count in no error."""
    found = estimate(160, 30, 30, 480, 60, 140, 100, rate=F(20))
    assert found.error == pytest.approx(120 / 900, abs=1e-3)
    assert found.constant == pytest.approx(250 / 900, abs=1e-3)
    assert found.unfit.low <= 0.3 <= found.unfit.high
    assert "of new records that have a declared label" in str(found)
    assert "About 30.0 % of the records do not fit what you declared" in str(found)
    assert "about 10.0 % have no declared label, and the error leaves them out" in str(found)


def test_the_sentence_about_misfits_says_no_more_than_is_known():
    assert estimate(200, 40, 40, 720).misfits() == ""
    assert estimate(200, 40, 40, 720, -1, 1, 0).misfits().startswith("At most ")
    assert estimate(160, 30, 30, 580, 60, 140, 0).misfits("late").endswith("; the rule answers late for them")


def test_the_headline_is_that_most_records_do_not_fit_if_that_is_clear():
    assert estimate(160, 40, 40, 260, 200, 290, 10).headline is None  # a half
    assert estimate(150, 40, 40, 260, 210, 290, 10).headline is None  # more, but not clearly
    few = estimate(60, 4, 4, 32, 400, 490, 10)
    assert (
        few.headline == "About 90.0 % of the records do not fit what you declared; about 1.0 % have no declared label"
    )
    useless = estimate(2, 3, 3, 2, 400, 590, 0)
    assert str(useless) == "About 99.0 % of the records do not fit what you declared. Nothing useful was learned."
    assert "an unknown share of new records that have a declared label" in estimate(0, 0, 0, 0, 0, 0, 1000).in_words
    assert "; about 98.0 % have no declared label" in estimate(2, 3, 3, 2, 4, 6, 980).headline


def test_only_a_fixed_direction_is_a_reason_to_allow_more():
    x = np.arange(1000)
    for direction, named in (("above", True), ("below", True), ("either", False)):
        clf = pp.PrivateClassifier(pp.Thresholds(0, 999, direction=direction), feature=None, report_error=True)
        assert ('direction="either"' in str(clf.fit(x, x % 2).error_)) is named


def test_what_earlier_versions_measured_is_called_by_its_name():
    assert "of the records that it was learned from" in str(TrainingError(0.1, 0.05, 0.2, F(19, 20)))


@pytest.mark.parametrize(
    "wrong", [{"low": 0.5}, {"high": 0.01}, {"sensitivity": 1.5}, {"positives": -0.1}, {"held": -1}]
)
def test_impossible_estimates_are_refused(wrong):
    given = vars(estimate(200, 40, 40, 720))
    with pytest.raises(ValueError, match=r"error must lie|must not be negative"):
        ErrorEstimate(**given | wrong)


@pytest.mark.audit
def test_the_interval_covers_the_error_of_predictions_where_values_are_missing():
    """60 fits; if each covers with probability .95, fewer than 46 do with probability below 10⁻⁶ (binomial)."""
    rng, covered, x = np.random.default_rng(6), 0, np.arange(100)
    for rule in ("default", "clamp"):
        for _ in range(30):
            values, lost = rng.integers(0, 100, 600), rng.random(600) < 0.2
            y = (values >= 50) != (rng.random(600) < 0.1)
            clf = pp.PrivateClassifier(
                pp.Thresholds(0, 99, direction="above"),
                feature=None,
                classes=(False, True),
                report_error=True,
                on_invalid=rule,
            ).fit([None if gone else int(value) for value, gone in zip(values, lost, strict=True)], y)
            true = 0.8 * (0.1 + 0.8 * np.mean(clf.predict(x.tolist()) != (x >= 50))) + 0.2 * 0.5
            covered += clf.error_.low <= true <= clf.error_.high
    assert covered >= 46


@pytest.mark.audit
def test_the_interval_covers_the_error_on_new_records_and_not_only_on_those_seen():
    """100 fits; if each covers with probability .95, fewer than 81 do with probability below 10⁻⁶ (binomial)."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(100):
        x = rng.integers(0, 100, 400)
        y = (x >= 50) != (rng.random(400) < 0.3)
        clf = pp.PrivateClassifier(
            pp.Thresholds(0, 99, direction="above"), epsilon=1, feature=None, classes=(False, True), report_error=True
        )
        rule = clf.fit(x, y).hypothesis_(np.arange(100))
        true = 0.3 + 0.4 * np.mean(rule != (np.arange(100) >= 50))
        covered += clf.error_.low <= true <= clf.error_.high
    assert covered >= 81


def test_with_units_the_error_is_that_of_one_record_of_each():
    found = replace(estimate(200, 40, 40, 720), per_unit=True)
    assert str(found).startswith("errs on about 8.0 % of new records, one of each unit (between ")
    assert "95 % confidence if units are independent)" in str(found)
    assert found.rates.endswith("; about 24.0 % of all records, one of each unit, are positive")
    odd = replace(estimate(160, 30, 30, 480, 60, 140, 100, rate=F(20)), per_unit=True)
    assert "of new records that have a declared label, one of each unit (" in str(odd)
    assert "% of the records, one of each unit, do not fit what you declared" in str(odd)
    few = replace(estimate(120, 110, 120, 650), per_unit=True)
    assert "which would err on about 24.0 % of new records, one of each unit. It errs" in str(few)


def test_fits_and_their_models_say_that_one_record_of_each_unit_was_measured():
    X = {"x": np.arange(1000) % 100, "p": np.arange(1000) % 500}
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 99, direction="above"), feature="x", report_error=True, max_records=2, epsilon=20
    )
    clf.fit(X, (X["x"] >= 50).astype(int), unit="p")
    model = pp.Model.from_json(pp.model_of(clf).to_json())
    assert "of new records, one of each unit (" in str(clf.error_) == str(model.error)
    assert "assumes that units are drawn independently" in fit_page(clf, model, PageNames())


def test_a_loaded_model_prints_its_error_with_its_labels():
    x = np.arange(1000)
    clf = pp.PrivateClassifier(
        pp.Thresholds(0, 999, direction="above"),
        feature=None,
        report_error=True,
        classes=("on time", "late"),
        epsilon=20,
    ).fit(x, np.where(x >= 700, "late", "on time"))
    model = pp.Model.from_json(pp.model_of(clf).to_json())
    assert "always answering on time would err on" in str(model.error)


@over("answer", [False, True])
def test_a_constant_rule_is_told_once_with_exact_rates(answer):
    """Whatever the noise is; the rule itself is known."""
    for counts in ((31, 12, 210, 730), (-9, 24, 680, 290)):
        noisy = (*counts[2:], *counts[:2]) if answer else counts
        found = estimate(*noisy).of_rule(Constant(answer))
        told, other = found.sentence(), f"always answering {'no' if answer else 'yes'} would err"
        assert told.startswith(f"This rule always answers {'yes' if answer else 'no'}. It errs on about ")
        assert "clearly" not in told and (found.sensitivity, found.specificity) == (float(answer), float(not answer))
        assert found.constant == min(found.error, 1 - found.error) and not found.better
        assert (other in told) is (found.error > 1 / 2)
        positive, negative = ("all", "none") if answer else ("none", "all")
        assert found.rates.startswith(f"labels {positive} of the positive records and {negative} of the negative ones")


def test_a_rule_that_says_yes_to_records_that_fit_is_not_said_to_say_it_always():
    noisy = (600, 100, 0, 0, 100, 200, 0)
    yes, no = estimate(*noisy).of_rule(Constant(True)), estimate(*noisy).of_rule(NEVER)
    assert yes.sensitivity == pytest.approx(600 / 700) and "the rule answers no for them" in str(yes)
    assert not str(yes).startswith("This rule always answers")
    poor = estimate(300, 300, 0, 0, 200, 200, 0).of_rule(Constant(True)).sentence()
    assert poor.startswith("This rule answers yes for every record that fits, and is not clearly better than always")
    assert str(no).startswith("This rule always answers no. ")
    x = [*range(100)] * 5
    clf = pp.PrivateClassifier(pp.Thresholds(0, 99, direction="above"), feature=None, on_invalid="default").fit(
        x, [1] * 500
    )
    model = replace(pp.model_of(clf), hypothesis=Constant(True))
    assert str(model) == "1 if the record fits what was declared, otherwise 0"
    assert str(replace(model, on_invalid="raise")) == "1 always"


@pytest.mark.slow
def test_records_without_a_declared_label_are_some_of_those_that_do_not_fit():
    rng = np.random.default_rng(1)
    for _ in range(30):
        found = estimate(*map(int, np.array([5, 0, 5, 0, 5, 5, 980]) + rng.normal(0, 30, 7).astype(int)))
        assert found.undeclared.value <= found.unfit.value


def test_a_rate_among_records_that_may_be_noise_is_unknown():
    """Counts of 2 and 1 are within the noise, and those of 200 and 100 are not."""
    found = estimate(700, 2, 297, 1, rate=F(1, 10))
    assert found.positives_seen and not found.negatives_seen
    assert "of the positive records and an unknown share of the negative ones" in found.rates
    assert estimate(600, 200, 100, 100, rate=F(1, 10)).negatives_seen


@pytest.mark.audit
def test_rates_of_labels_that_do_not_occur_are_rarely_told():
    """Noise on no negative record, 1,000 times; each looks like some with probability 1/40. False alarms: 10⁻⁶."""
    draws = np.random.default_rng(3).geometric(1 - np.exp(-0.1), (2, 1000, 4))
    rows = np.array([700, 0, 300, 0]) + draws[0] - draws[1]
    assert sum(estimate(*map(int, row), rate=F(1, 10)).negatives_seen for row in rows) <= 53


def test_a_rule_that_the_held_out_records_chose_is_measured_at_a_share_of_beta():
    """Of five rules that all err on a fifth, the one is taken whose errors on the held-out records are strangest."""
    rng, β, missed = np.random.default_rng(8), Fraction(1, 5), {1: 0, 5: 0}
    for _ in range(200):
        errors = rng.binomial(400, 0.2, 5)
        wrong = int(errors[np.argmax(np.abs(errors - 80))])
        cells = RegionCounts(Threshold(2), (100, wrong // 2, wrong - wrong // 2, 300 - wrong), 400, Fraction(8), β)
        for rules in missed:
            found = read_counts(cells.chosen_of(rules))
            assert found.confidence == 1 - β
            missed[rules] += not found.low <= 0.2 <= found.high
    assert missed[5] <= 40 < 80 < missed[1]
