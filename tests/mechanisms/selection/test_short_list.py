"""What is beyond reach weighs less than 2^-64, and what is released does not tell from which list it came."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from privpac.exact.exponential_weights import Weights
from privpac.mechanisms.selection.exponential import near_first, reach, short_list


@pytest.mark.parametrize("bits", [0, 1, 64, 1000])
@pytest.mark.parametrize("rate", [Fraction(1, 10**6), Fraction(1, 2), Fraction(50)])
@pytest.mark.parametrize("spread", [0.0, 0.3, 700.5])
def test_what_is_beyond_reach_weighs_less_than_it_may(bits, rate, spread):
    def rest(far):
        return arb(2) ** bits * (arb(spread) - arb(rate.numerator) / rate.denominator * far).exp()

    assert rest(reach(bits, rate, spread)) <= arb(2) ** -64
    assert rest(reach(bits, rate, spread) - 2 - int(1 / rate)) > arb(2) ** -64  # and hardly less


def test_groups_beyond_the_short_list_are_looked_up_in_the_whole_one():
    made = []

    def everything():
        made.append(1)
        return Weights([5, 4, -200], Fraction(1)), lambda group, member: ("all", group, member)

    weights, outcome = short_list((Weights([5, 4], Fraction(1)), lambda *at: ("near", *at)), everything)
    assert outcome(1, 7) == ("near", 1, 7) and not made
    assert outcome(2, 7) == ("all", 2, 7)
    assert weights.complete().scores.tolist() == [5, 4, -200]
    assert weights.count(2) == 1 and made == [1]


def test_near_ones_come_first_and_keep_their_order():
    near = np.array([1, 0, 0, 1, 0], dtype=object) == 1
    assert near_first(near).tolist() == [0, 3, 1, 2, 4]
