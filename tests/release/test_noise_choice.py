"""Which noise is drawn, from public numbers only."""

from fractions import Fraction

from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.accounting.gaussian_counts import counts_delta
from privpac.privacy.budget import Budget
from privpac.release.noise_choice import noise_for, public_total
from privpac.requests.conditions import Terms


def test_without_delta_noise_is_laplace_and_with_it_the_smaller():
    assert noise_for(Budget(1), 240, 960) == DiscreteLaplaces(Budget(1), 240)
    assert noise_for(Budget(1, 1e-6), 240, 960) == GaussianCounts(Budget(1, 1e-6), 240)
    assert noise_for(Budget(1, 1e-6), 2, 8) == DiscreteLaplaces(Budget(1), 2)
    assert noise_for(Budget(1), 0, 1).sensitivity == 1


def test_one_more_number_is_paid_for_if_the_noise_is_gaussian():
    """All counts and a certificate worth κ of them stay within the cost; noise for the counts alone would not."""
    cost, κ = Budget(1, 1e-6), Fraction(27)
    both, alone = noise_for(cost, 240, 960, κ), noise_for(cost, 240, 960)
    assert counts_delta(cost.epsilon, 240, both.variance, κ) <= cost.delta
    assert counts_delta(cost.epsilon, 240, alone.variance, κ) > cost.delta


def test_the_number_of_records_in_cells_is_public_only_if_none_can_be_void():
    assert public_total(Terms(Budget(1)), 7) == 7
    assert public_total(Terms(Budget(1), on_invalid="clamp"), 7) is None
    assert public_total(Terms(Budget(1), on_invalid="default"), 7) is None
    assert public_total(Terms(Budget(1), units=True), 7) is None
