"""[ABMS20, Thm 3.14]: the printed bound, and the ones with constants, against exact means of private algorithms."""

from itertools import product
from math import exp, inf, isclose, log

import numpy as np
import pytest

from privpac.papers.abms20.generalization import expectation_bound, tail_bound, theorem_3_14
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers


def test_the_printed_formula():
    ε, δ, n = 2.0, 1e-12, 1000
    assert isclose(theorem_3_14(Budget(ε, δ), n, 0.1), exp(2 * ε) * (0.1 + 10 / (ε * n) * log(1 / (ε * δ * n))))
    assert theorem_3_14(Budget(1), n, 0.1) == theorem_3_14(Budget(1, "0.001"), n, 0.1) == inf
    assert theorem_3_14(Budget(1, "0.0009"), n, 0.1) < inf


@over("n", [1, 2, 3])
@over("epsilon", [0.5, 2.0])
def test_the_mean_and_the_tail_of_a_noisy_histogram_test(n, epsilon):
    """A = the record that is seen least, by the exponential mechanism; all means and tails are exact."""
    chances = np.array([0.5, 0.3, 0.2])
    named, share = np.zeros(3), 0.0
    for S in product(range(3), repeat=n):
        weight = float(np.prod(chances[list(S)]))
        counts = np.bincount(S, minlength=3)
        law = np.exp(-epsilon * counts / 2)
        law /= law.sum()
        named += weight * law
        share += weight * float(law @ counts) / n
    cost, population = Budget(str(epsilon)), float(named @ chances)
    assert share < population <= expectation_bound(cost, share)  # the sample misleads: the share alone is no bound
    for γ in (0.3, 0.6, 0.9):
        assert named[chances > tail_bound(cost, share, 0.0, γ)].sum() <= γ


def test_tails_follow_from_means():
    assert isclose(tail_bound(Budget(1, "0.01"), 0.02, 0.03, 0.5), (exp(1) * 0.05 + 0.01) / 0.5)
    assert isclose(tail_bound(Budget(1), 0.9, 0.3, 1.0), exp(1))  # a share is at most 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: theorem_3_14(Budget(1), 0, 0.1),
        lambda: theorem_3_14(Budget(1), 10, -0.1),
        lambda: expectation_bound(Budget(1), 1.5),
        lambda: tail_bound(Budget(1), 0.1, -0.1, 0.5),
        lambda: tail_bound(Budget(1), 0.1, 0.1, 0.0),
    ],
)
def test_refusals(call):
    with pytest.raises(ValueError, match="must"):
        call()
