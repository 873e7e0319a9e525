"""The measured certificate: its exact law, and its chance of a miss."""

from fractions import Fraction
from math import ceil, exp, log
from statistics import NormalDist

import pytest

from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.noise.gaussian import tails
from privpac.mechanisms.noise.measured_gap import GaussianGap, MeasuredGap
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from tests.statistics import assert_matches

HALF = Fraction(1, 2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(7)])
@pytest.mark.parametrize("beta", [Fraction(1, 1000), Fraction(1, 20), HALF, Fraction(9, 10)])
def test_the_spare_is_the_closed_form_and_the_smallest(epsilon, beta):
    gap, ρ = MeasuredGap(Budget(epsilon), beta), exp(-epsilon)
    closed = max(0, ceil(log(1 / (float(beta) * (1 + ρ))) / float(epsilon)) - 1)
    assert gap.allowance == closed

    def miss(q):
        return ρ ** (q + 1) / (1 + ρ)

    assert miss(gap.allowance) <= float(beta)
    assert gap.allowance == 0 or miss(gap.allowance - 1) > float(beta)


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-19", "1e-30"])
def test_a_tiny_share_of_epsilon_still_pays_for_the_spare(epsilon):
    gap = MeasuredGap(Budget(epsilon), Fraction(1, 20))
    assert float(gap.allowance * gap.cost.epsilon) == pytest.approx(log(10), abs=1e-6)  # Pr[Z > q] is about e^(−εq)/2


def test_a_miss_is_as_likely_as_claimed():
    gap = MeasuredGap(Budget(1), Fraction(1, 20))
    misses = sum(p for bound, p in gap.law(20).items() if bound < 20)
    assert 0.05 * exp(-1) < float(misses) <= 0.05  # a smaller q would miss more often than 0.05


def test_outputs_follow_the_law():
    gap, steeper = MeasuredGap(Budget(1), HALF), MeasuredGap(Budget(2), HALF)
    assert_matches(lambda: gap.release(5, SYSTEM), gap.law(5), must_reject=steeper.law(5))


def test_a_bound_is_never_negative():
    gap = MeasuredGap(Budget("0.01"), HALF)
    assert all(gap.release(0, SYSTEM) >= 0 for _ in range(200))
    assert min(gap.law(0)) == 0


@pytest.mark.parametrize("variance", ["1/10", 2, 187, 10**9])
@pytest.mark.parametrize("beta", [Fraction(1, 1000), Fraction(1, 20), HALF, Fraction(9, 10)])
def test_gaussian_noise_misses_as_rarely_as_claimed(variance, beta):
    gap = GaussianGap(Budget(1, 1e-6), beta, Fraction(variance))
    if variance != 10**9:
        at_least = tails(gap.variance, gap.allowance + 2)
        assert at_least(gap.allowance + 1) <= ball(beta)
        assert gap.allowance == 0 or at_least(gap.allowance) > ball(beta)
    elif beta < HALF:
        assert gap.allowance == pytest.approx(NormalDist().inv_cdf(1 - float(beta)) * 10**4.5, rel=1e-4)


@pytest.mark.slow
def test_gaussian_bounds_follow_their_law():
    gap, wider = (GaussianGap(Budget(1, 1e-6), Fraction(1, 20), Fraction(v)) for v in (4, 8))
    assert_matches(lambda: gap.release(5, SYSTEM), gap.law(5), must_reject=wider.law(5))
    assert sum(p for bound, p in gap.law(5).items() if bound < 5) <= ball(gap.beta)
    assert gap.release(gap.check(10**15), SYSTEM) > 10**14
