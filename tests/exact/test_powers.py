"""Numbers M·y^g: sums and scales beside exact ones."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.exact.powers import NOTHING, Powers, Sums


@pytest.mark.parametrize("rate", [Fraction(1, 10**6), Fraction(1, 4), Fraction(60)])
def test_a_scaled_number_is_the_same_number(rate):
    M, powers = np.array([1e-30, 0.7, 1.0, 3.5, 1e30, 0.0]), Powers(rate, 2**50)
    scaled = powers.scaled(Sums(M, np.zeros(6, dtype=np.int64)))
    assert scaled.g[-1] == NOTHING
    assert (scaled.M[:-1] >= 0.99).all() and (scaled.M[:-1] <= 1.01 * np.exp(float(rate))).all()
    np.testing.assert_allclose(np.log(scaled.M[:-1]) + float(rate) * scaled.g[:-1], np.log(M[:-1]), atol=1e-9)


def test_zero_adds_nothing_however_far_below_it_is():
    powers, zero = Powers(Fraction(1, 2), 2**50), Sums(np.zeros(1), np.array([NOTHING]))
    far = Sums(np.array([1.5]), np.array([-(10**6)]))
    both = powers.plus(zero, far)
    assert (both.M[0], both.g[0]) == (1.5, -(10**6))
    assert powers.plus(zero, zero).M[0] == 0
    assert far.later(1, 5).M[0] == 0
