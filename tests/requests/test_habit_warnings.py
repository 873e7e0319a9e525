"""Warnings of habits that cost privacy: who gets them, when, and how often."""

import warnings

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier

import privpac as pp
from privpac.privacy.budget import Budget
from privpac.requests import habit_warnings
from privpac.requests.habit_warnings import UncountedFits, UnpaidReading

X = np.random.default_rng(1).integers(0, 100, (400, 1))
Y = (X[:, 0] > 50).astype(int)


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch):
    monkeypatch.setattr(habit_warnings, "_fits", {})
    monkeypatch.setattr(habit_warnings, "_warned", set())


def front(**asked):
    return pp.PrivateClassifier(pp.Thresholds(0, 100), delta=0, **asked)


def heard(run, kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return [str(each.message) for each in caught if each.category is kind]


def test_the_second_fit_warns_once_and_says_what_they_cost():
    (sentence,) = heard(lambda: [front(epsilon=0.5).fit(X, Y) for _ in range(4)], UncountedFits)
    assert "this is fit 2" in sentence
    assert "together they cost ε = 1," in sentence


@pytest.mark.parametrize(
    "fits",
    [
        lambda: [front(budget=pp.Ledger(Budget(9))).fit(X, Y) for _ in range(2)],
        lambda: [front(random_state=1).fit(X, Y) for _ in range(2)],
        lambda: [pp.PrivateClassifier(pp.Thresholds(0, high), delta=0).fit(X, Y) for high in (100, 101)],
    ],
    ids=["with an account", "seeded", "other classes"],
)
def test_other_fits_do_not_warn(fits):
    assert heard(fits, UncountedFits) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrapper",
    [
        lambda: cross_val_score(front(), X, Y, cv=3),
        lambda: GridSearchCV(front(), {"epsilon": [1, 2]}, cv=2).fit(X, Y),
        lambda: OneVsRestClassifier(front()).fit(X, X[:, 0] // 34),
    ],
    ids=["cross_val_score", "GridSearchCV", "OneVsRestClassifier"],
)
def test_wrappers_that_fit_again_are_heard(wrapper):
    assert len(heard(wrapper, UncountedFits)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrapper", "name"),
    [
        (lambda: CalibratedClassifierCV(front(), cv=2).fit(X, Y), "CalibratedClassifierCV"),
        (lambda: TunedThresholdClassifierCV(front(), cv=2).fit(X, Y), "TunedThresholdClassifierCV"),
    ],
)
def test_wrappers_that_read_records_are_told(wrapper, name):
    (sentence,) = heard(wrapper, UnpaidReading)
    assert sentence.startswith(name)


def test_a_warning_comes_before_anything_is_spent():
    front().fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UncountedFits):
            front().fit(X, Y)
