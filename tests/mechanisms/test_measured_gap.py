"""The measured certificate: its exact law, and its chance of a miss."""

from fractions import Fraction
from math import ceil, exp, log

import pytest

from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget
from tests.statistics import assert_matches

HALF = Fraction(1, 2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 10), Fraction(1), Fraction(7)])
@pytest.mark.parametrize("beta", [Fraction(1, 1000), Fraction(1, 20), HALF, Fraction(9, 10)])
def test_the_spare_is_the_closed_form_and_the_smallest(epsilon, beta):
    gap, ρ = MeasuredGap(Budget(epsilon), beta), exp(-epsilon)
    closed = max(0, ceil(log(1 / (float(beta) * (1 + ρ))) / float(epsilon)) - 1)
    assert gap.spare == closed

    def miss(q):
        return ρ ** (q + 1) / (1 + ρ)

    assert miss(gap.spare) <= float(beta)
    assert gap.spare == 0 or miss(gap.spare - 1) > float(beta)


@pytest.mark.parametrize("epsilon", ["1e-9", "1e-19", "1e-30"])
def test_a_tiny_share_of_epsilon_still_pays_for_the_spare(epsilon):
    gap = MeasuredGap(Budget(epsilon), Fraction(1, 20))
    assert float(gap.spare * gap.cost.epsilon) == pytest.approx(log(10), abs=1e-6)  # Pr[Z > q] is about e^(−εq)/2


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
