"""Labeled releases of listed classes."""

from itertools import product

import numpy as np
import pytest

import privpac as pp
from privpac.refusals.refusal import Refused
from privpac.release.explicit import ListedAnswers
from privpac.release.labeled.explicit import LabeledListedAnswers, loss_queries
from privpac.release.release import Release
from tests.release.labeled.labeled_samples import assert_is_the_labeled_gap

SIZES = pp.ExplicitClass([[0, 0, 1], [0, 1, 1]], points="SML", concepts=["large", "not small"])
X, Y = ["S", "M", "L", "L"] * 500, ["no", "yes", "yes", "no"] * 500


def released(H=SIZES, **asked):
    return pp.PrivateRelease(H, **{"epsilon": 1, "classes": ("no", "yes")} | asked)


def test_the_gap_is_the_largest_error_of_all_rules():
    halves = [ListedAnswers(2, SIZES.domain, ("001", "011"), each, (0, 0, 0)) for each in ((1, 1), (0, 2))]
    answers = LabeledListedAnswers(2, ("no", "yes"), *halves, (1, 1))
    rules = [answers.rule(i) for i in range(2)]
    assert_is_the_labeled_gap(answers, SIZES.domain, [*product("SML", (0, 1)), None], rules, 2, totals=True)


def test_queries_tell_labels_apart():
    """A record changes FP or TP of the rules that flag it, and n₁; both labels of both points are compared."""
    assert loss_queries(SIZES, void=False).changes == 2 + 2 + 1
    assert loss_queries(SIZES, void=True).changes == 2 + 2 + 2


def test_errors_rates_and_the_best_rule(tmp_path):
    release = released().fit(X, Y).release_
    rates = release.rates(SIZES.hypothesis("not small"))
    assert abs(rates.error - 0.25) < 0.05 and abs(rates.tpr - 1) < 0.05 and abs(rates.fpr - 0.5) < 0.05
    assert release.best(weights=(1, 9)).rule == SIZES.hypothesis("not small")
    assert release.best(specificity=0.4).fpr <= 0.6
    release.save(tmp_path / "r.json")
    assert pp.load(tmp_path / "r.json") == release == Release.from_json(release.to_json())
    with pytest.raises(Refused, match="curve"):
        release.curve()
    with pytest.raises(Refused, match="hypothesis"):
        release.error(pp.ExplicitClass([[1, 0, 0]], points="SML", concepts=["s"]).hypothesis("s"))
    assert set(release.counts()) == {"holds at", "label", "records"} and set(release.synthetic(9)) == {"value", "label"}


def test_other_classes_whose_rules_can_be_listed_keep_them():
    H = pp.Intervals(0, 9)
    x, y = np.arange(4000) % 10, np.isin(np.arange(4000) % 10, (3, 4, 5)).astype(int)
    release = pp.PrivateRelease(H, epsilon=1).fit(x, y).release_
    assert release.best().rule == H.hypothesis(3, 5) and release.error(H.hypothesis(3, 5)) < 0.05
    assert Release.from_json(release.to_json()).best() == release.best()


def test_few_records_one_label_and_void_ones():
    for n in (1, 2):
        release = released(on_invalid="default").fit(["S"] * n, ["no"] * n).release_
        assert 0 <= release.best(sensitivity=0.8).error <= 1
    odd = released(on_invalid="default", epsilon=10**4).fit([*X, "?", "S"], [*Y, "no", "maybe"]).release_
    assert odd.n == 2002 and odd.answers_.totals == (1000, 1000)


def test_answers_that_contradict_themselves_are_not_read():
    halves = [ListedAnswers(2, SIZES.domain, ("001", "011"), (1, 1), (0, 0, 0)) for _ in range(2)]
    other = ListedAnswers(2, SIZES.domain, ("001", "111"), (1, 1), (0, 0, 0))
    for given in ((halves[0], other, (1, 1)), (*halves, (1,)), (*halves, (1, -1))):
        with pytest.raises(ValueError):
            LabeledListedAnswers(2, ("no", "yes"), *given)
