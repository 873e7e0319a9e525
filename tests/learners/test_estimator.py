"""Estimators are scikit-learn's from their first instance on, whatever was imported, subclassed, or pickled before."""

import subprocess
import sys
from pickle import dumps

import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

import privpac as pp
from privpac.learners.estimator import Estimator, check_fitted


def said(program: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


def test_the_first_instance_loads_scikit_learn_and_no_name_does():
    program = """
import sys, privpac as pp
pp.PrivateClassifier, pp.PrivateRelease, pp.Model, pp.plan(pp.Thresholds(0, 9)).best, pp.write_report
print("sklearn" in sys.modules)
class Mine(pp.PrivateClassifier): pass
made = Mine(pp.Thresholds(0, 9))
from sklearn.base import BaseEstimator, ClassifierMixin, clone
print(isinstance(made, BaseEstimator), isinstance(made, ClassifierMixin), issubclass(pp.PrivateRelease, BaseEstimator))
print(hasattr(made, "set_fit_request"), hasattr(pp.PrivateClassifier, "set_fit_request"), clone(made).epsilon)
"""
    assert said(program) == "False\nTrue True True\nTrue True 1.0\n"


def test_a_pickle_read_first_is_an_estimator():
    reader = "import pickle, sys; clf = pickle.load(sys.stdin.buffer); print(clf.get_params()['epsilon'], clf.score)"
    data = dumps(pp.PrivateClassifier(pp.Thresholds(0, 9), epsilon=2))
    read = subprocess.run([sys.executable, "-c", reader], check=True, input=data, capture_output=True)
    assert read.stdout.startswith(b"2 <bound method ClassifierMixin.score of ")


def test_the_order_of_bases_is_the_one_that_scikit_learn_asks_for():
    order = type(pp.PrivateClassifier()).__mro__
    assert order.index(ClassifierMixin) < order.index(BaseEstimator)


def test_what_has_learned_nothing_is_refused():
    class Empty(Estimator):
        def fit(self):
            self.done_ = True

    empty = Empty()
    with pytest.raises(NotFittedError):
        check_fitted(empty)
    empty.fit()
    check_fitted(empty)


def test_a_request_for_units_is_routed():
    with config_context(enable_metadata_routing=True):
        asked = pp.PrivateClassifier(pp.Thresholds(0, 9)).set_fit_request(unit=True)
    assert asked.get_metadata_routing().fit.requests["unit"] is True
