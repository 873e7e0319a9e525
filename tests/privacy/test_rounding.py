"""Rounding goes the safe way, and no further than it must."""

from fractions import Fraction

import numpy as np
from flint import arb, ctx

from privpac.learners.errors.error_estimate import ErrorEstimate
from privpac.privacy.rounding import TINY, ball, ceil_to, certainty, floor_to, rounded_down, rounded_up
from privpac.report.numbers import percent
from tests.grid import over

VALUES = [Fraction(1, 3), Fraction(2, 3), Fraction(10**20 + 1, 7), Fraction(1, 10**40 + 1), Fraction(22, 7)]


@over("value", VALUES)
def test_the_two_roundings_enclose_closely(value):
    with ctx.workprec(128):
        low, high = rounded_down(ball(value)), rounded_up(ball(value))
    assert low < value < high
    assert (high - low) / value < Fraction(3, 10**14)


@over("value", VALUES)
def test_a_rounded_number_is_the_decimal_that_its_float_prints(value):
    for rounded in (rounded_down(ball(value)), rounded_up(ball(value))):
        assert Fraction(repr(float(rounded))) == rounded


def test_the_width_of_a_ball_counts():
    wide = arb(1, 0.25)
    assert rounded_down(wide) <= Fraction(3, 4)
    assert rounded_up(wide) >= Fraction(5, 4)


def test_exact_decimals_stay():
    assert rounded_up(ball(Fraction(1, 4))) == rounded_down(ball(Fraction(1, 4))) == Fraction(1, 4)


def test_the_immensely_small_is_not_written_out():
    small = (-(arb(10) ** 30)).exp()
    assert rounded_up(small) == TINY
    assert rounded_up(arb(0)) == TINY
    assert rounded_down(small) == 0


def test_rounding_keeps_what_it_can_write():
    assert all(floor_to(k / 10_000, 4) == ceil_to(k / 10_000, 4) == k / 10_000 for k in range(10_001))


def test_bounds_are_rounded_to_the_side_on_which_they_hold():
    assert (floor_to(0.06999, 3), ceil_to(0.09901, 3)) == (0.069, 0.1)
    assert (floor_to(Fraction(2, 3), 2), ceil_to(Fraction(2, 3), 2)) == (0.66, 0.67)


def test_floats_of_numpy_are_the_numbers_that_they_print_as():
    assert floor_to(np.float64(0.3), 1) == ceil_to(np.float64(0.3), 1) == 0.3
    assert floor_to(np.float32(0.7), 1) == ceil_to(np.float32(0.7), 1) == 0.7
    assert certainty(np.float64(0.05)) == certainty(np.float32(0.05)) == certainty(0.05) == "0.95"


def test_a_measured_interval_is_printed_no_narrower_than_it_is():
    found = ErrorEstimate(0.0833, 0.0699, 0.0991, Fraction(19, 20), 0.8, 0.9, 0.2, 0.2, better=True, held=9)
    assert "between 6.9 % and 10.0 % with 95 % confidence" in str(found)


def test_a_certified_error_is_printed_no_smaller_than_it_is():
    assert percent(Fraction(1234, 10_000)) == "12.34 %"
    assert percent(0.12341) == "12.35 %"
