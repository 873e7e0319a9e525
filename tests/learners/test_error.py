"""The private estimate of a rule's error: its interval covers as often as it says, and hardly more."""

from fractions import Fraction

import numpy as np

from privpac.audit.learning import Unseen
from privpac.classes.base import Constant
from privpac.data.sample import Sample
from privpac.learners.error import ErrorEstimate, error_estimate
from privpac.mechanisms.noise import DiscreteLaplace, tail
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Opened
from tests.grid import over

F = Fraction
N = 1000
NEVER = Constant(False)
TENTH, USUAL = Budget(F(1, 10)), F(1, 20)


def estimate(noisy, cost=TENTH, beta=USUAL, n=N):
    """The estimate when the mechanism releases ``noisy``."""
    return error_estimate(NEVER, cost, beta, Unseen(n), lambda mechanism, view: noisy)


@over("ε", [F(1, 100), F(1, 10), F(1), F(5)])
@over("β", [F(1, 2), F(1, 20), F(1, 1000)])
def test_the_interval_covers_as_often_as_it_says(ε, β):
    """The exact probability over the noise; an interval shorter by one record at each end would not do."""
    n, wrong = 20_000, 8_000

    def missed(z):
        found = estimate(wrong + z, Budget(ε), β, n)
        return not found.low <= wrong / n <= found.high

    above = next(z for z in range(wrong) if missed(z))
    below = next(z for z in range(wrong) if missed(-z))
    assert float(tail(ε, above) + tail(ε, below)) <= float(β) * (1 + 1e-12)
    assert float(tail(ε, above - 1) + tail(ε, below - 1)) > float(β)


def test_cutting_to_the_possible_values_loses_no_cover():
    for wrong, z in ((0, -300), (0, 20), (N, 300), (N, -20)):
        found, low, high = estimate(wrong + z), wrong / N, wrong / N
        assert 0 <= found.low <= found.value <= found.high <= 1
        if abs(z) <= 20:
            assert found.low <= low and high <= found.high


def test_what_is_released_is_the_number_of_wrong_labels_plus_noise():
    sample = Sample(np.arange(4), np.array([True, True, False, True]), np.array([5, 2, 9, 1]), 17, np.arange(4))
    seen = {}

    def ask(mechanism, data):
        seen.update(mechanism=mechanism, data=data)
        return 8

    found = error_estimate(NEVER, Budget(F(1, 10)), F(1, 20), Opened(sample, 17), ask)
    assert seen == {"mechanism": DiscreteLaplace(Budget(F(1, 10))), "data": 8}
    assert found.value == 8 / 17 and found.confidence == F(19, 20)


def test_the_interval_shrinks_with_more_budget_and_less_confidence():
    def width(ε, β):
        found = estimate(500, Budget(ε), β)
        return found.high - found.low

    assert width(F(1, 10), F(1, 20)) > width(F(1), F(1, 20)) > width(F(10), F(1, 20)) >= 0
    assert width(F(1, 10), F(1, 1000)) > width(F(1, 10), F(1, 2))


def test_it_reads_as_a_sentence():
    assert str(ErrorEstimate(0.5, 0.25, 1.0, F(9, 10))).startswith(
        "errs on about 50.0 % of these records (between 25.0 %"
    )
