"""The estimator is a scikit-learn classifier: its common checks once for each way of reading records, and pipelines,
clones and searches.
The checks hand over labels of any kind, so the labels are declared to be public (classes=None), and features that are
floats, so what does not fit the declared domain is clamped.
"""

import subprocess
import sys
from copy import copy, deepcopy
from pickle import dumps, loads

import numpy as np
import pytest
from joblib import parallel_backend
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import privpac as pp
from privpac.learners import PrivateClassifier
from privpac.privacy.ledger import BudgetExceeded, MemoryAccount

CHOOSING = PrivateClassifier(pp.Thresholds(kind="float64", direction="above"), feature=0, classes=None, random_state=0)
CLAMPED = {"classes": None, "on_invalid": "clamp", "random_state": 0}
ESTIMATORS = {
    "a line of floats": CHOOSING,
    "a line": PrivateClassifier(
        pp.Thresholds(-100.0, 100.0, direction="above"), method="ThresholdLearner", feature=0, **CLAMPED
    ),
    "any values": PrivateClassifier(pp.Points(), feature=0, **CLAMPED),
    "two columns of a grid": PrivateClassifier(pp.Rectangles(-5, 5, 2), feature=[0, 0], **CLAMPED),
    "equalities": PrivateClassifier(pp.Equalities(0, at_most=1), **CLAMPED),
    "named columns": PrivateClassifier(
        pp.And(pp.Thresholds(-9, 9, direction="above").on(0), pp.Points().on(0)), **CLAMPED
    ),
}
EXPECTED = {"check_class_weight_classifiers": "weights that differ by a factor of ten million, of undeclared labels"}


@pytest.mark.slow
@pytest.mark.parametrize("checked", ESTIMATORS.values(), ids=ESTIMATORS)
def test_common_checks(checked):
    reports = check_estimator(checked, on_skip=None, on_fail=None, expected_failed_checks=EXPECTED)
    assert len(reports) > 50
    assert {
        each["check_name"]: each["exception"] for each in reports if each["status"] not in ("passed", "xfail")
    } == {}


X = np.arange(400).reshape(-1, 1)
Y = (X[:, 0] >= 250).astype(int)
AGES = pp.Thresholds(0, 999, direction="above")


def test_a_pipeline_learns():
    halved = make_pipeline(FunctionTransformer(lambda x: x // 2), PrivateClassifier(AGES, epsilon=8))
    assert halved.fit(X, Y).score(X, Y) > 0.9


def test_a_clone_has_the_parameters_and_nothing_learned():
    fitted = PrivateClassifier(AGES, epsilon=2, regime="realizable").fit(X, Y)
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "hypothesis_")


def test_a_search_over_epsilon_charges_every_fit():
    account = pp.Ledger(pp.Budget(100, 1e-3))
    search = GridSearchCV(PrivateClassifier(AGES, delta=0, budget=account), {"epsilon": [1, 8]}, cv=2, refit=False)
    search.fit(X, Y)
    assert account.spent == pp.Budget(2 * 1 + 2 * 8)  # clones spend from the account itself


def test_cross_validation_scores():
    assert cross_val_score(PrivateClassifier(AGES, epsilon=8), X, Y, cv=3).shape == (3,)


@pytest.mark.parametrize("account", [pp.Ledger, MemoryAccount])
def test_threads_spend_from_one_account(account):
    charged = account(pp.Budget(8))
    clf = PrivateClassifier(AGES, delta=0, epsilon=2, budget=charged)
    with parallel_backend("threading"):
        cross_val_score(clf, X, Y, cv=3, n_jobs=2)
    assert charged.spent == pp.Budget(6)
    copies = copy(clf), deepcopy(clf), clone(clf)
    assert copies[0].fit(X, Y).privacy_ == pp.Budget(2) and charged.spent == pp.Budget(8)
    for each in copies:
        with pytest.raises(BudgetExceeded):
            each.fit(X, Y)
    with pytest.raises(RuntimeError, match="an account in memory belongs to one process"):
        loads(dumps(clf)).fit(X, Y)


@pytest.mark.audit
def test_processes_refuse_to_spend_from_one_account_in_memory():
    clf = PrivateClassifier(AGES, delta=0, epsilon=2, budget=pp.Ledger(pp.Budget(8)))
    with pytest.raises(RuntimeError, match="an account in memory belongs to one process"):
        cross_val_score(clf, X, Y, cv=2, n_jobs=2, error_score="raise")


def test_one_rule_for_each_of_several_labels_shares_a_ledger():
    names, ledger = np.array(["child", "adult", "senior"])[np.minimum(X[:, 0] // 140, 2)], pp.Ledger(pp.Budget(24))
    rules = PrivateClassifier(pp.Intervals(0, 999), delta=0, epsilon=8, budget=ledger)
    several = OneVsRestClassifier(rules).fit(X, names)
    assert ledger.spent == pp.Budget(24)
    assert (several.predict(X) == names).mean() > 0.9


def test_probabilities_are_refused_with_a_reason():
    clf = PrivateClassifier(AGES).fit(X, Y)
    with pytest.raises(AttributeError, match="gives labels, not probabilities"):
        clf.predict_proba(X)
    assert not hasattr(clf, "predict_proba")
    assert set(clf.decision_function(X).tolist()) <= {-1.0, 1.0}
    assert ((clf.decision_function(X) > 0) == (clf.predict(X) == 1)).all()


def test_a_budget_is_an_allowance_for_each_fit():
    clf = PrivateClassifier(AGES, delta=0, epsilon=2, budget=pp.Budget(3))
    assert [clone(clf).fit(X, Y).privacy_ for _ in range(2)] == [pp.Budget(2)] * 2


@pytest.mark.slow
def test_the_classes_are_scikit_learn_s_before_the_first_instance():
    program = """
import privpac as pp
from sklearn.base import BaseEstimator, ClassifierMixin
print(issubclass(pp.PrivateClassifier, ClassifierMixin), issubclass(pp.PrivateRelease, BaseEstimator))
print(hasattr(pp.PrivateClassifier, "set_fit_request"))
"""
    run = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert run.stdout == "True True\nTrue\n"
    order = PrivateClassifier.__mro__
    assert order.index(ClassifierMixin) < order.index(BaseEstimator)  # as scikit-learn asks


def test_a_request_for_units_is_routed():
    with config_context(enable_metadata_routing=True):
        asked = PrivateClassifier(AGES).set_fit_request(unit=True)
    assert asked.get_metadata_routing().fit.requests["unit"] is True


@pytest.mark.parametrize("protocol", range(6))
def test_pickles_of_every_protocol_predict(protocol):
    fitted = PrivateClassifier(AGES, epsilon=8).fit(X, Y)
    assert loads(dumps(fitted, protocol)).predict(X).tolist() == fitted.predict(X).tolist()


def test_a_base_in_the_wrong_order_is_refused_at_once_and_breaks_no_other_class():
    with pytest.raises(TypeError):

        class Wrong(ClassifierMixin, PrivateClassifier):
            pass

    assert PrivateClassifier(AGES).get_params()["epsilon"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("classes", [("yes", "no"), (1, 0), ("b", "c", "a")])
def test_scorers_and_calibration_expect_sorted_labels(classes):
    """Whatever order declares them: a score that mixes them up would be near 0."""
    rng = np.random.default_rng(0)
    two = np.stack([rng.integers(0, 100, 3000), rng.integers(0, 10, 3000)], axis=1)
    which = 1 * (two[:, 0] >= 50) + (two[:, 1] >= 5) * (len(classes) > 2) * (two[:, 0] >= 50)
    y = np.array(classes)[which]
    trees = pp.Trees(pp.Thresholds(0, 99).on(0), pp.Thresholds(0, 9).on(1))
    clf = PrivateClassifier(trees, epsilon=9, classes=classes, report_error=True, random_state=1)
    scoring = "roc_auc" if len(classes) == 2 else "roc_auc_ovr"
    probable = make_scorer(log_loss, response_method="predict_proba", labels=sorted(classes))
    assert cross_val_score(clf, two, y, cv=2, scoring=scoring).min() > 0.9
    assert cross_val_score(clf, two, y, cv=2, scoring=probable).max() < 0.3
    fitted = CalibratedClassifierCV(clf, cv=2).fit(two, y)
    assert fitted.classes_.tolist() == sorted(classes) and (fitted.predict(two) == y).mean() > 0.9
