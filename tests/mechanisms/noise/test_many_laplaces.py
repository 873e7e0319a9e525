"""Laplace noise on many integers: its law, its variance, and what it refuses."""

from fractions import Fraction

import numpy as np
import pytest

from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.laplace import DiscreteLaplace, DiscreteLaplaces
from privpac.privacy.budget import Budget


def test_each_integer_has_its_own_noise_of_rate_epsilon_by_sensitivity():
    both, one = DiscreteLaplaces(Budget(2), 4), DiscreteLaplace(Budget(Fraction(1, 2)))
    law = both.law([1, -1])
    assert len(law) == 49
    for (a, b), p in law.items():
        assert p.overlaps(one.law(1, 3)[a] * one.law(-1, 3)[b])


@pytest.mark.parametrize("size", [3, 4096])
def test_noise_has_the_variance_it_says(size):
    """The mean of 12288 squares is off by more than a quarter with probability below 1e-6: the standard deviation of a
    square is √5 times the variance, so that of the mean is 2 %."""
    mechanism = DiscreteLaplaces(Budget(1), 8)
    draws = np.concatenate([mechanism.release(np.zeros(size, dtype=np.int64), SYSTEM) for _ in range(12288 // size)])
    assert mechanism.variance == pytest.approx(float((draws**2).mean()), rel=0.25)
    assert DiscreteLaplaces(Budget(10**6), 1).variance < 1e-100


def test_values_stay_exact():
    far = DiscreteLaplaces(Budget(10**6), 1)
    assert far.release(far.check([2**62, -(2**62)]), SYSTEM).tolist() == [2**62, -(2**62)]
    assert far.release(far.check([]), SYSTEM).tolist() == []
    wide = DiscreteLaplaces(Budget(Fraction(1, 10**6)), 2**60)
    assert len(wide.release(wide.check([0, 0]), SYSTEM)) == 2


@pytest.mark.parametrize("values", [[2**62 + 1], [0.5], ["a"], [-(2**70)]])
def test_other_values_are_refused(values):
    with pytest.raises((TypeError, ValueError)):
        DiscreteLaplaces(Budget(1), 2).check(values)
