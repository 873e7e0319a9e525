"""Rounding goes the safe way, and no further than it must."""

from fractions import Fraction

from flint import arb, ctx

from privpac.privacy.rounding import TINY, ball, rounded_down, rounded_up
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
