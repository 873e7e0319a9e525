"""What is printed is proved: bounds are rounded to the side on which they still hold."""

from fractions import Fraction

from privpac.learners.errors.error_estimate import ErrorEstimate
from privpac.privacy.printed_bounds import no_less, no_more
from privpac.report.pages.accuracy import percent


def test_rounding_keeps_what_it_can_write():
    assert all(no_less(k / 10_000, 4) == no_more(k / 10_000, 4) == k / 10_000 for k in range(10_001))


def test_bounds_are_rounded_to_the_side_on_which_they_hold():
    assert (no_less(0.06999, 3), no_more(0.09901, 3)) == (0.069, 0.1)
    assert (no_less(Fraction(2, 3), 2), no_more(Fraction(2, 3), 2)) == (0.66, 0.67)


def test_a_measured_interval_is_printed_no_narrower_than_it_is():
    found = ErrorEstimate(0.0833, 0.0699, 0.0991, Fraction(19, 20), 0.8, 0.9, 0.2, 0.2, better=True, held=9)
    assert "between 6.9 % and 10.0 % with 95 % confidence" in str(found)


def test_a_certified_error_is_printed_no_smaller_than_it_is():
    assert percent(Fraction(1234, 10_000)) == "12.34 %"
    assert percent(0.12341) == "12.35 %"
