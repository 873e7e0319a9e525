"""The cases of suggested schemas: what they see of records."""

from privpac.audit.claims.suggestions import HistogramsThenFits, column_counts, suggestion_cases
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.histograms.column_histograms import ColumnNoise
from privpac.privacy.budget import Budget


def test_cases_have_both_kinds_of_noise_and_one_and_two_columns():
    cases = list(suggestion_cases())
    assert {case.mechanism.noise.gaussian for case in cases} == {False, True}
    assert {case.mechanism.noise.columns for case in cases} == {1, 2}
    assert {bool(case.claimed.delta) for case in cases} == {False, True}


def test_an_outcome_is_what_is_shown_and_the_fresh_counts():
    look = HistogramsThenFits(ColumnNoise(Budget(1000), 1))
    (shown,), fresh = look.release(column_counts(("0", "1", "0"), ("01",)), SYSTEM)
    assert (shown.listed, fresh) == ((2, 1), (2,))
