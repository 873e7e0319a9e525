"""Rules and boxes on long columns: what is learned, certified, and chosen."""

from math import comb

import numpy as np
import pytest

from privpac import PrivateClassifier, plan
from privpac.classes.compositions.compose import And, Not, Or
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.vectors.boxes import Rectangles
from privpac.data.domains.line import Line
from privpac.learners.choice import learner_for
from privpac.learners.grids.grids import ColumnPart, rules_of
from privpac.learners.lines.cut_pairs import CutPairLearner
from privpac.learners.rules.boxes import RectangleLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.learners.rules.private_cut_rules import PrivateCutBoxes, PrivateCutRules
from privpac.privacy.budget import Budget
from privpac.requests.conditions import Conditions
from tests.grid import over

WIDE = 2**64 - 1


def table(n=5000, seed=3):
    return np.random.default_rng(seed).integers(0, 1000, (n, 3))


def thresholds(high=WIDE, make=And, columns=3, **how):
    return make(*(Thresholds(0, high, **how).on(i) for i in range(columns)))


def with_interval(high=WIDE):
    return And(Intervals(0, high).on(0), Thresholds(0, high, direction="above").on(1))


def error_of(H, y, X, **how):
    """Of a fit on all of X."""
    clf = PrivateClassifier(H, feature=list(range(X.shape[1])), **how)
    return float((clf.fit(X, y).predict(X) != y).mean())


@pytest.mark.audit
@over("high", (10**6, WIDE))
def test_the_length_of_a_line_does_not_spoil_the_rule(high):
    """5000 records without noise: measured errors are about .5 % at ε = 1. A public grid errs as a constant does.

    At ε = 4, bins have 156 records and at least three steps. An error of .05 takes a bin that is about 500 records
    too large: by the tail in the proof of Theorem 3, with a probability below 1e-9.
    """
    X = table()
    a, b, c = X.T
    inside = (a >= 200) & (a <= 700) & (b >= 100) & (b <= 600)
    cases = [
        (Rectangles(0, high, 2), X[:, :2], inside, RectangleLearner),
        (with_interval(high), X[:, :2], (a >= 200) & (a <= 700) & (b >= 400), RuleLearner),
        (thresholds(high), X, (a >= 300) & (b >= 200) & (c >= 250), RuleLearner),
    ]
    for H, columns, y, grid in cases if high == WIDE else cases[1:2]:
        assert error_of(H, y, columns, epsilon=4) <= 0.05
        assert error_of(H, y, columns, epsilon=4, method=grid.__name__) > 0.2


@pytest.mark.audit
def test_skewed_columns_and_those_far_from_0():
    rng = np.random.default_rng(4)
    skewed = np.exp(rng.normal(5.5, 1.2, (5000, 2))).astype(np.int64)
    far = table()[:, :2] + 2**62
    for X in (skewed, far):
        low, high, cut = (int(np.quantile(X[:, i], q)) for i, q in ((0, 0.2), (0, 0.7), (1, 0.4)))
        y = (low <= X[:, 0]) & (X[:, 0] <= high) & (X[:, 1] >= cut)
        assert error_of(with_interval(), y, X, epsilon=4) <= 0.05


@pytest.mark.audit
@over("dim", (3, 4))
def test_boxes_of_more_coordinates_have_private_cuts(dim):
    """Few cells, but where the records are. A public grid errs as a constant does."""
    X = np.random.default_rng(5).integers(0, 1000, (5000, dim))
    y, H = (X >= 150).all(axis=1), Rectangles(0, WIDE, dim)
    assert learner_for(H, Conditions.of()) is PrivateCutBoxes
    assert min(y.mean(), 1 - y.mean()) > 0.35
    assert error_of(H, y, X, epsilon=20) <= 0.25


@pytest.mark.audit
def test_every_kind_of_part_is_learned():
    X = table()
    a, b, c = X.T
    codes = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points=[0, 1, 2])
    cases = [
        (thresholds(make=Or), X, (a >= 800) | (b >= 700) | (c >= 800)),
        (thresholds(make=Or, direction="either"), X, (a < 200) | (b >= 700) | (c >= 800)),
        (And(Intervals(0, WIDE).on(0), Intervals(0, WIDE).on(1)), X, (a > 300) & (a < 900) & (b > 100) & (b < 700)),
        (
            And(Intervals(0, WIDE).on(0), codes.on(2)),
            np.column_stack([a, b, c % 3]),
            (a > 300) & (a < 900) & (c % 3 > 0),
        ),
        (
            And(
                Thresholds(0, WIDE, direction="above").on(0),
                Thresholds(0, WIDE, direction="below").on(0),
                Thresholds(0, 9, direction="above").on(2),
            ),
            np.column_stack([a, b, c % 10]),
            (a >= 300) & (a < 800) & (c % 10 >= 3),
        ),
        (Not(Intervals(0.0, 1e300).on(0)), X * 1.0, (a < 300) | (a > 800)),
    ]
    for H, columns, y in cases:
        assert error_of(H, y, columns, method="PrivateCutRules", epsilon=4) <= 0.08  # a constant errs on .35 or more


@pytest.mark.slow
def test_which_classes_and_who_is_chosen():
    asked = Conditions.of()
    assert learner_for(thresholds(), asked) is learner_for(with_interval(), asked) is PrivateCutRules
    assert learner_for(Rectangles(0, WIDE, 2), asked) is learner_for(Rectangles(0, WIDE, 3), asked) is PrivateCutBoxes
    assert learner_for(Rectangles(0, 29 * 8 - 1, 3), asked) is RectangleLearner  # cells of eight values
    assert learner_for(And(Intervals(0, WIDE).on(0), Intervals(0, WIDE).on(1)), asked) is PrivateCutRules
    assert learner_for(thresholds(columns=2), asked) is CutPairLearner
    for fine in (thresholds(50), with_interval(50)):  # the public grid has all rules
        assert not PrivateCutRules.supports(fine)
        assert learner_for(fine, asked) is RuleLearner
    assert not PrivateCutBoxes.supports(Rectangles(0, 99, 2))
    assert not PrivateCutBoxes.supports(Rectangles(0, WIDE, 1))
    assert not PrivateCutRules.supports(thresholds(2**200))  # too long to zoom


@pytest.mark.slow
def test_what_is_certified():
    rows = plan(with_interval()).rows
    assert [(row.learner, str(row.kind)) for row in rows[:2]] == [
        ("PrivateCutRules", "certified"),
        ("RuleLearner", "certified on a public grid"),
    ]
    box = PrivateClassifier(Rectangles(0, WIDE, 2), method="PrivateCutBoxes")
    assert box.certified_alpha(1000) is None
    assert 0.05 < float(box.certified_alpha(10**6)) < 0.1
    assert box.certified_alpha(2**31 - 1) and box.certified_alpha(2**31) is None  # its grid is public from there on
    assert box.learner().within == ""


@pytest.mark.audit
def test_a_smaller_beta_takes_more_records():
    """For every β, whatever the β that the classifier was made with."""
    clf = PrivateClassifier(with_interval(10**6), method="PrivateCutRules")
    needed = [clf.certified_n(beta=beta) for beta in (0.2, 0.05, 1e-3, 1e-9, 1e-100)]
    assert None not in needed and needed == sorted(set(needed))
    assert needed[3] < 2 * needed[0]  # β costs its logarithm
    careful = PrivateClassifier(with_interval(10**6), method="PrivateCutRules", beta=1e-9)
    assert careful.certified_n() == needed[3]
    assert clf.certified_alpha(needed[3], beta=1e-9) <= clf.certified_alpha(needed[3], beta=1e-30)


@pytest.mark.audit
def test_too_few_records_use_the_public_grid():
    """All of ε then goes to one selection; otherwise two releases for each column come first."""
    X, H = table(400), thresholds(10**6)
    clf = PrivateClassifier(H, method="PrivateCutRules", feature=[0, 1, 2])
    assert [entry.mechanism for entry in clf.fit(X, X[:, 0] > 500).ledger_.entries] == ["permute-and-flip"]
    clf.fit(table(), table()[:, 0] > 500)
    assert [entry.mechanism for entry in clf.ledger_.entries] == ["zoom", "quantile tree"] * 3 + ["permute-and-flip"]
    assert clf.privacy_ == Budget(1)


@pytest.mark.slow
@over("y", ([0] * 50, [1] * 50, [0, 1] * 25))
@over("n", (1, 2, 50))
def test_few_records_and_one_label(y, n):
    for H, k in ((thresholds(), 3), (Rectangles(0, 10**6, 2), 2)):
        PrivateClassifier(H, feature=list(range(k)), epsilon=200).fit(table(50)[:n, :k], y[:n])


@pytest.mark.parametrize("on_invalid", ["clamp", "default"])
def test_values_out_of_the_domain(on_invalid):
    X = {"a": [-5, 10**30, 3, None, 7] * 200, "b": [1, 2, float("nan"), 4, 5] * 200}
    H = And(Intervals(0, 10**6).on("a"), Thresholds(0, 10**6, direction="above").on("b"))
    clf = PrivateClassifier(H, method="PrivateCutRules", on_invalid=on_invalid, epsilon=3)
    assert len(clf.fit(X, [0, 1, 1, 0, 1] * 200).predict(X)) == 1000


def test_a_cut_is_a_rule_apart():
    """The grid of given cells lists every interval of them once, and no other."""
    rules = rules_of((ColumnPart.of(Intervals(0, 99)),), Line(0, 99), 50).cut_at({None: (0, 7, 9, 50)})
    listed = {str(rules.combination(i)[0]) for i in range(rules.size)}
    assert len(listed) == rules.size == comb(5, 2) + 1
    assert "7 ≤ x ≤ 49" in listed


@pytest.mark.slow
def test_compositions_within_compositions_have_private_cuts_too():
    rng = np.random.default_rng(3)
    X = {name: rng.integers(0, 1000, 5000) for name in "abc"}
    y = (X["a"] >= 300) & (X["b"] >= 200) & (X["c"] < 900)
    a, b, c = (Thresholds(0, 2**64 - 1, direction="above").on(name) for name in "abc")
    clf = PrivateClassifier(And(a, And(b, Not(c))), method="PrivateCutRules", epsilon=9).fit(X, y)
    assert (clf.predict(X) != y).mean() < 0.05


@pytest.mark.parametrize("n", [10_000, 20_000, 40_000])
def test_larger_errors_are_certified_if_smaller_ones_are(n):
    """However unlikely a failure is, the shares of cuts and selection are about even."""
    rules = And(Thresholds(0, 999, direction="above").on("a"), Intervals(0, 99).on("b"))
    learner = PrivateClassifier(rules, method="PrivateCutRules").learner()
    failures = [learner.failure(n, k / 20) for k in range(1, 20)]
    assert failures == sorted(failures, reverse=True)
    assert failures[-1] < 1e-200
