"""The error on new records: what is released, what it is read as, and what is said of it."""

from fractions import Fraction

import numpy as np
import pytest

import privpac as pp
from privpac.audit.learning import Unseen
from privpac.classes.base import Constant
from privpac.classes.line import Threshold
from privpac.data.sample import Sample
from privpac.learners.error import ErrorEstimate, TrainingError, error_estimate, read_counts
from privpac.mechanisms.disjoint_counts import DisjointCounts
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from tests.grid import over

F = Fraction
USUAL, HALF = F(1, 20), F(1, 2)
NEVER = Constant(False)


def estimate(*noisy, n=1000, rate=HALF, beta=USUAL):
    return read_counts(noisy, n, rate, beta)


def test_what_is_released_are_the_outcomes_of_the_rule():
    """x ≥ 2: five true positives, two false ones, nine false negatives, one true one, three void."""
    points, labels = np.array([2, 3, 0, 1]), np.array([True, False, True, False])
    sample, seen = Sample(points, labels, np.array([5, 2, 9, 1]), 20, points), {}

    def ask(mechanism, data):
        seen.update(mechanism=mechanism, data=data)
        return data

    for void, cells in ((False, (5, 2, 9, 1)), (True, (5, 2, 9, 1, 3))):
        found = error_estimate(Threshold(2), Budget(400), USUAL, Opened(sample, 20), ask, void=void)
        assert seen == {"mechanism": DisjointCounts(Budget(400), 20), "data": cells}
    assert (found.error, found.held, found.confidence) == (11 / 20, 20, F(19, 20))
    assert (found.sensitivity, found.specificity) == (5 / 14, 1 / 3)
    assert (found.positives, found.constant) == pytest.approx((0.7, 0.15))  # always yes errs on those of label 0


def test_nothing_is_asked_if_nothing_is_held_out():
    found = error_estimate(NEVER, Budget(1), USUAL, Unseen(0), None, void=False)
    assert (found.low, found.high, found.held, found.better) == (0, 1, 0, False)
    assert "too few records to hold any out" in str(found)


@over("noisy", [(-40, -3, 7, 900), (0, 0, 0, 0), (5000, 5000, 1, 2), (-9, -9, -9, -9), (300, 20, 30, 620, -4)])
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
    assert told.endswith(" with 95 % confidence); always answering no would err on about 24.0 %")


def test_a_rule_that_is_no_better_says_so_first():
    found = read_counts((120, 110, 120, 650), 1000, HALF, USUAL, ("direction", "either"))
    told = found.sentence("on time", "late")
    assert told.startswith("This rule is not clearly better than always answering on time, which would err on about")
    assert told.endswith('direction="either" allows more rules.')
    assert (
        estimate(700, 240, 40, 20).sentence("no", "yes").startswith("This rule is not clearly better than always ans")
    )
    assert "answering yes" in estimate(700, 240, 40, 20).sentence("no", "yes")


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


def test_the_interval_covers_the_error_on_new_records_and_not_only_on_those_seen():
    """100 fits; if each covers with probability .95, fewer than 81 do with probability below 10⁻⁶ (binomial)."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(100):
        x = rng.integers(0, 100, 400)
        y = (x >= 50) != (rng.random(400) < 0.3)
        clf = pp.PrivateClassifier(
            pp.Thresholds(0, 99), epsilon=1, feature=None, classes=(False, True), report_error=True
        )
        rule = clf.fit(x, y).hypothesis_(np.arange(100))
        true = 0.3 + 0.4 * np.mean(rule != (np.arange(100) >= 50))
        covered += clf.error_.low <= true <= clf.error_.high
    assert covered >= 81
