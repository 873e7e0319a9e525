"""Each broken signed histogram is the real one but for its fault, and is refuted by all that theory says."""

import pytest

from privpac.audit.claims.case import Case, labelled, tallied
from privpac.audit.controls.broken_mechanisms import EarlyWeights, PositiveOnly, QuickNoise
from privpac.mechanisms.histograms.signed import SignedHistogram
from privpac.privacy.budget import Budget

TIGHT = Budget(1, "8.534e-7")  # δ is barely above α₀, the probability that a value of a single record is shown


def ratio(mechanism, n, crowd=()):
    return float(Case(mechanism, tallied, "", labelled("ab"), n, TIGHT, crowd=crowd).exact().ratio)


@pytest.mark.parametrize(
    ("kind", "n", "expected"),
    [
        (PositiveOnly, 1, 1),  # with a single record, w > 0 exactly if it is positive
        (PositiveOnly, 2, 2),  # 2 − α₀, by (a, 0) → (b, 1) beside (a, 1): two values appear
        (EarlyWeights, 1, 1.6487),  # e^(ε/2)
        (SignedHistogram, 3, 1),
    ],
)
def test_by_how_much_they_are_refuted(kind, n, expected):
    assert ratio(kind(TIGHT), n) == pytest.approx(expected, rel=1e-3)


def test_a_label_that_is_turned_brings_a_weight_of_two():
    """The other way to break positive weights: e^(ε/2) for one value alone."""
    case = Case(PositiveOnly(TIGHT), tallied, "", labelled("a"), 1, TIGHT, crowd=(("a", 1),))
    assert float(case.exact().ratio) == pytest.approx(1.6487, rel=1e-3)


def test_half_the_noise_is_seen_among_others_only():
    assert QuickNoise(TIGHT).rate == 2 * SignedHistogram(TIGHT).rate
    assert ratio(QuickNoise(TIGHT), 1) < 1 < ratio(QuickNoise(TIGHT), 1, (("a", 1),) * 14)
