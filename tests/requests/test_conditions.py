"""What is wrong is said before a record is read or anything is spent."""

from fractions import Fraction

import numpy as np
import pytest

import privpac as pp
from privpac.learners.classifier import PrivateClassifier
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.privacy.accounting.group_privacy import PerUnit
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded, Ledger, MemoryAccount
from privpac.refusals.refusal import Refusal
from privpac.requests.conditions import FROM_ONE, FROM_ZERO, Conditions, as_share, fit_ledger
from tests.grid import over

AGES = pp.Thresholds(0, 120, direction="above")
X = np.repeat(np.arange(60), 20).reshape(-1, 1)
Y = (X[:, 0] >= 30).astype(int)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"concept_class": None}, "choose a concept class to learn"),
        ({"concept_class": "thresholds"}, "choose a concept class to learn"),
        ({"concept_class": pp.SparseSets(2).on(0)}, "no learner supports this class"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"epsilon": "much"}, "epsilon must be a finite number"),
        ({"epsilon": float("nan")}, "epsilon must be a finite number"),
        ({"delta": 1}, r"delta must lie in \[0, 1\)"),
        ({"alpha": 0}, "^alpha must lie strictly between 0 and 1"),
        ({"beta": 1}, "^beta must lie strictly between 0 and 1"),
        ({"alpha": "1e-400"}, "alpha must be at least 1e-300 and at most 1 - 1e-12"),
        ({"beta": Fraction(1, 10**400)}, "beta must be at least 1e-300 and at most 1 - 1e-12"),
        ({"beta": 1 - Fraction(1, 10**20)}, "beta must be at least 1e-300 and at most 1 - 1e-12"),
        ({"regime": "hopeful"}, "regime must be one of agnostic, realizable"),
        ({"classes": (1, 1)}, "classes must be two different labels"),
        ({"classes": (0, 1, 2)}, "classes must be two different labels"),
        ({"on_invalid": "guess"}, "on_invalid must be one of raise, clamp, default"),
        ({"method": ["ThresholdLearner"]}, "method must be auto or"),
        ({"report_error": "yes"}, "report_error must be True or False"),
        ({"random_state": []}, "an integer seed"),
        ({"random_state": "seven"}, "an integer seed"),
        ({"budget": 0.5}, "a ledger needs a Budget"),
        ({"max_records": 3}, "unit and max_records belong together"),
        ({"feature": 5}, "no column 5"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_spent(change, words):
    account = MemoryAccount(pp.Budget(5, 1e-3))
    parameters = {"concept_class": AGES, "budget": account, "method": "ThresholdLearner"} | change
    learner = PrivateClassifier(**parameters)
    with pytest.raises(Refusal, match=words) as refused:
        learner.fit(X, Y)
    assert isinstance(refused.value, ValueError | TypeError)
    assert refused.value.parameter in {*change, "unit"}
    assert account.spent == pp.Budget(0)


def test_an_account_that_covers_half_a_fit_is_not_touched():
    account = MemoryAccount(pp.Budget("0.5", 1e-3))
    with pytest.raises(pp.BudgetExceeded, match=r"a fit costs ε = 1, δ = 1e-06 but ε = 0\.5, δ = 0\.001 remains"):
        PrivateClassifier(AGES, budget=account, method="ThresholdLearner").fit(X, Y)
    assert account.spent == pp.Budget(0)


def test_shares_that_floats_can_tell_apart():
    assert [as_share(each, "beta") for each in (FROM_ZERO, 0.5, 1 - FROM_ONE)] == [
        FROM_ZERO,
        Fraction(1, 2),
        1 - FROM_ONE,
    ]
    for each in (FROM_ZERO / 2, 1 - FROM_ONE / 2):
        with pytest.raises(ValueError, match="beta must be at least 1e-300"):
            as_share(each, "beta")


def test_units_and_max_records_belong_together():
    for k, unit in ((2, None), (None, Y)):
        with pytest.raises(ValueError, match="belong together"):
            PrivateClassifier(AGES, max_records=k).fit(X, Y, unit=unit)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_units_pay_no_more_than_the_cost(k):
    record = Conditions.of(epsilon=1, delta=1e-6, max_records=k).terms(1000).cost
    assert PerUnit(DiscreteLaplace(record), k).cost <= Budget(1, 1e-6)


def test_a_ledger_for_one_fit():
    ledger = Ledger(Budget(3))
    assert fit_ledger(ledger, None, Budget(1)).remaining == Budget(3)
    assert fit_ledger(None, None, Budget(1)).remaining == Budget(1)
    assert fit_ledger(Budget(2), None, Budget(1)).remaining == Budget(2)
    with pytest.raises(ValueError, match="give the seed to the ledger"):
        fit_ledger(ledger, 1, Budget(1))
    with pytest.raises(pp.BudgetExceeded, match="a fit costs ε = 4 but ε = 3 remains"):
        fit_ledger(ledger, None, Budget(4))


@over("left", [Budget("0.9", 1e-6), Budget(1, 1e-7), Budget(2)])
def test_an_account_must_cover_both_epsilon_and_delta_before_a_fit_begins(left):
    """Else the stages that ε still covers would be charged for half a fit."""
    with pytest.raises(BudgetExceeded, match="a fit costs"):
        fit_ledger(left, None, Budget(1, 1e-6))
    assert fit_ledger(Budget(1, 1e-6), None, Budget(1, 1e-6)).remaining == Budget(1, 1e-6)
