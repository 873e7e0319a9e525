"""Weights chosen after the counts are known: costs for all of them at once, and comparisons with constants."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.classes.decision_trees.rules import Answer, LabelSplit
from privpac.classes.lines.rules import Threshold
from privpac.learners.errors.any_weights import AnswerShares, LabelShares
from privpac.learners.errors.error_estimate import read_counts
from privpac.learners.errors.error_intervals import MeasuredShare
from privpac.learners.errors.label_errors import read_label_counts
from privpac.learners.errors.region_counts import LabelCounts, RegionCounts
from privpac.refusals.refusal import Refused
from tests.audit.mutants import Mutant, planted

USUAL, RATE, K = Fraction(1, 20), Fraction(1, 2), 8
TREE = LabelSplit(Threshold(30), Answer(1), LabelSplit(Threshold(10), Answer(0), Answer(2)))
FULL = LabelCounts(TREE, (20, 800, 30, 40, 10, 900, 700, 60, 50), 2610, RATE, USUAL)  # by leaf, the last label first
TWO = RegionCounts(Threshold(37), (160, 40, 60, 740), 1000, RATE, USUAL)


def test_a_cost_adds_up_what_errors_on_each_label_cost():
    found = read_label_counts(FULL).weighed(1, 2, 10)
    wrong = (30 + 50, 10 + 60, 20 + 40)
    assert found.cost == pytest.approx((wrong[0] + 2 * wrong[1] + 10 * wrong[2]) / 2610, rel=0.01)
    assert 0 < found.cost_low < found.cost < found.cost_high and found.better and not found.worse
    assert str(found.named("a", "b", "c")).endswith("an error on a costs 1, on b 2, on c 10")
    declared = read_label_counts(FULL, (), (1, 2, 10))  # which knows the weights beforehand, and is a little narrower
    assert found.cost_high - found.cost_low < 1.6 * (declared.cost_high - declared.cost_low)


def test_a_rule_may_be_better_for_some_weights_and_worse_for_others():
    found = read_label_counts(FULL)
    assert found.better and found.weighed(1, 1, 1).better and found.weighed(1, 1, 1).costs == ()
    dear = found.weighed(1, 1, 500)
    assert dear.worse and not dear.better and "clearly worse than always answering label 2" in str(dear)
    assert read_counts(TWO).weighed(1, 2).better and read_counts(TWO).weighed(1, 90).worse


def test_comparisons_read_the_ends_that_speak_against_them():
    exact = [MeasuredShare(share, share, share) for share in (0.1, 0.2, 0.3, 0.4)]
    wide = MeasuredShare(0.2, 0.1, 0.25)
    plain = LabelShares(wrong=(exact[0], exact[1]), right=(exact[2], exact[3]))
    assert plain.better((1, 1)) and not plain.worse((1, 1))
    assert not plain.better((1, 4)) and not plain.better((4, 1))  # .1 : .4 and .2 : .3 are the boundaries
    assert plain.worse((1, 2)) and plain.worse((5, 1))
    unsure = LabelShares(wrong=(exact[0], wide), right=(exact[2], wide))
    told = [(unsure.better((1, b)), unsure.worse((1, b))) for b in (0.3, 0.5, 1.1, 1.3, 2, 2.9, 3.1)]
    unknown = (False, False)
    assert told == [(False, True), unknown, (True, False), unknown, unknown, unknown, (False, True)]


def test_answers_are_worth_their_cost_beyond_the_even_share():
    shares = AnswerShares(((0.7, 0.8), (0.5, 0.6)))  # of right answers: negative ones, and positive ones
    weights = (2, 1), (5, 4), (1, 1), (4, 5), (1, 2), (1, 3), (1, 5)
    worse, unknown, better = (False, True), (False, False), (True, False)
    told = [(shares.better(each), shares.worse(each)) for each in weights]
    assert told == [worse, unknown, unknown, better, better, unknown, worse]


@pytest.mark.parametrize(
    "weights",
    [(), (1, 2), (1, 2, 3, 4), (0, 1, 1), (1, -1, 1), (1, 1, 2.5), (1, 1, True), ("a", 1, 1), (1, 10**9, 1)],
)
def test_weights_that_cannot_be_used_are_refused_with_some_that_can(weights):
    with pytest.raises(Refused, match=r"for each of label 0, label 1, label 2, like weighed\(1, 1, 9\)$"):
        read_label_counts(FULL).weighed(*weights)


def test_two_labels_take_two_weights():
    for weights in ((1,), (1, 2, 3), (0, 5), (1, 0.5)):
        with pytest.raises(Refused, match=r"for each of no, yes, like weighed\(1, 9\)$"):
            read_counts(TWO).weighed(*weights)
    assert read_counts(TWO).weighed(np.int64(1), 5) == read_counts(TWO).weighed(1, 5)


@pytest.mark.slow
def test_fits_and_models_take_other_weights_for_the_same_price():
    X = {"x": np.arange(900) % 90}
    trees = pp.Trees(pp.Thresholds(0, 99).on("x"), depth=2)
    ask = {"epsilon": 3, "classes": (0, 1, 2), "report_error": True, "on_invalid": "default"}
    clf = pp.PrivateClassifier(trees, **ask).fit(X, X["x"] // 30)
    found = clf.error_.weighed(1, 1, 9)
    assert found.cost_low <= found.cost <= found.cost_high and clf.privacy_ == pp.Budget(3)
    assert pp.Model.from_json(pp.model_of(clf).to_json()).error.weighed(1, 1, 9) == found


def missed(runs):
    """In how many of these draws some share of some label lies outside its interval, of 8 labels."""
    rng, found = np.random.default_rng(11), 0
    rule = LabelSplit(Threshold(1), Answer(0), LabelSplit(Threshold(0), Answer(1), Answer(2)))
    chances = rng.dirichlet(np.full(2 * K, 2.0))  # right and wrong, by label
    for _ in range(runs):
        noise = rng.geometric(1 - np.exp(-float(RATE)), (2, 2 * K))
        noisy = rng.multinomial(600, chances) + noise[0] - noise[1]
        shares = LabelShares.of(LabelCounts(rule, tuple(noisy.tolist()), 600, RATE, USUAL, K=K))
        true = zip((*shares.right, *shares.wrong), (*chances[:K][::-1], *chances[K:][::-1]), strict=True)
        each = [measured.low <= share <= measured.high for measured, share in true]
        found += not all(each[K:])
    return found


@pytest.mark.audit
def test_costs_are_covered_for_all_weights_at_once():
    """Of 100 draws, 5 % and four standard deviations may miss; with β for each label in place of β/8, more do."""
    assert missed(100) <= 13
    forgets = Mutant("any", "learners.errors.any_weights:LabelShares.of", "/ cells.K", "")
    with planted(forgets):
        assert missed(100) > 13


@pytest.mark.audit
def test_nothing_is_clearly_better_at_the_weights_where_it_costs_the_same():
    """Weights at which the rule costs just what a constant does: 5 % of 200 draws may be called better or worse."""
    rng, better, worse = np.random.default_rng(12), 0, 0
    chances = np.array([0.16, 0.04, 0.06, 0.74])  # true and false positives, false and true negatives
    for weights, _ in product(((4, 1), (6, 74)), range(100)):
        noise = rng.geometric(1 - np.exp(-float(RATE)), (2, 4))
        noisy = rng.multinomial(1000, chances) + noise[0] - noise[1]
        found = read_counts(RegionCounts(Threshold(37), tuple(noisy.tolist()), 1000, RATE, USUAL))
        better, worse = better + found.weighed(*weights).better, worse + found.weighed(*weights).worse
    assert max(better, worse) <= 22


@pytest.mark.parametrize("noise", [-40, 0, 40])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_costs_lie_within_their_interval_whatever_the_noise(noise, n):
    """Separate intervals share their noise, so together they may lie beyond the largest cost."""
    one = read_label_counts(LabelCounts(TREE, (noise,) * 9, n, RATE, USUAL)).weighed(1, 2, 3)
    other = read_counts(RegionCounts(Threshold(37), (noise,) * 4, n, RATE, USUAL)).weighed(1, 2)
    for found, most in ((one, 3), (other, 2)):
        assert 0 <= found.cost_low <= found.cost <= found.cost_high <= most
