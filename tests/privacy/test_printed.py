"""What is printed is proved: bounds are rounded to the side on which they still hold."""

from fractions import Fraction

from privpac.learners.error import ErrorEstimate
from privpac.privacy.printed import at_least, at_most
from privpac.report.accuracy import percent


def test_rounding_keeps_what_it_can_write():
    assert all(at_least(k / 10_000, 4) == at_most(k / 10_000, 4) == k / 10_000 for k in range(10_001))


def test_bounds_are_rounded_to_the_side_on_which_they_hold():
    assert (at_least(0.06999, 3), at_most(0.09901, 3)) == (0.069, 0.1)
    assert (at_least(Fraction(2, 3), 2), at_most(Fraction(2, 3), 2)) == (0.66, 0.67)


def test_a_measured_interval_is_printed_no_narrower_than_it_is():
    found = ErrorEstimate(0.0833, 0.0699, 0.0991, Fraction(19, 20), 0.8, 0.9, 0.2, 0.2, better=True, held=9)
    assert "between 6.9 % and 10.0 % with 95 % confidence" in str(found)


def test_a_certified_error_is_printed_no_smaller_than_it_is():
    assert percent(Fraction(1234, 10_000)) == "12.34 %"
    assert percent(0.12341) == "12.35 %"
