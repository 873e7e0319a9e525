"""A preview tells what the fit then costs and promises."""

import warnings

import pytest

from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points
from privpac.learners.classifier import PrivateClassifier
from privpac.privacy.accounting.delta import LargeDelta


@pytest.mark.parametrize("given", [{}, {"report_error": True}, {"max_records": 3}, {"delta": 1e-7}], ids=str)
@pytest.mark.parametrize("rules", [Thresholds(0, 99, direction="above"), Points()], ids=str)
def test_it_is_what_the_fit_spends(rules, given):
    n = 600
    X, y = [i % 50 for i in range(n)], [int(i % 50 > 20) for i in range(n)]
    unit = [i // 3 for i in range(n)] if "max_records" in given else None
    clf = PrivateClassifier(rules, feature=None, epsilon=2, **given)
    ahead = clf.preview(n)
    clf.fit(X, y, unit)
    assert clf.privacy_ <= ahead.cost
    if unit is None:
        assert clf.privacy_ == ahead.cost
    assert clf.guarantee_.utility == ahead.utility
    assert clf.guarantee_.protected == ahead.protected
    assert type(clf.learner_).__name__ == ahead.learner
    assert ahead.held == (n // 5 if "report_error" in given else 0)


def test_it_refuses_what_the_fit_refuses():
    with pytest.raises(LargeDelta):
        PrivateClassifier(Points(), delta=0.01).preview(1000)
    with pytest.raises(ValueError, match="n must be at least 1"):
        PrivateClassifier(Points()).preview(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PrivateClassifier(Points()).preview(10**9).delta_n <= 0.01
