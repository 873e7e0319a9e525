"""A sentence never says that it is surer than it is."""

from fractions import Fraction

import pytest

import privpac as pp
from privpac.learners.errors.error_estimate import ErrorEstimate
from privpac.privacy.rounding import certainty


@pytest.mark.parametrize(
    "beta", [Fraction(1, 20), Fraction(1, 3), Fraction(49, 10**5), Fraction(1, 10**12), 0.0451, 1e-7]
)
def test_certainty_is_never_rounded_up(beta):
    share, percent = certainty(beta), certainty(beta, percent=True)
    assert 0 <= 1 - Fraction(str(beta)) - Fraction(share) < Fraction(1, 500)
    assert percent.endswith(" %") and Fraction(percent[:-2]) == 100 * Fraction(share)


def test_sentences_do_not_claim_certainty():
    error = ErrorEstimate(0.1, 0.0, 0.2, 1 - Fraction(1, 10**5), 0.9, 0.9, 0.5, 0.5, better=True, held=100)
    assert "with 99.999 % confidence" in str(error)
    assert "probability ≥ 0.9999999;" in str(
        pp.plan(pp.Thresholds(0, 120, direction="above"), alpha=0.1, epsilon=1, beta=1e-7)
    )
    clf = pp.PrivateClassifier(pp.Thresholds(0, 9, direction="above"), feature=None, beta=1e-7).fit(
        [1, 8] * 2000, [0, 1] * 2000
    )
    assert "with probability ≥ 0.9999999 [" in clf.guarantee_.utility_line
