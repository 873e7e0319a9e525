"""The bounds behind the perceptron's certificate: closed forms, simulation, and what they grow with."""

from itertools import pairwise
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy.special import comb, psi

from privpac.learners.half_spaces.perceptron import overfitting_chance, schedule, unfinished_chance
from tests.grid import over

RHO = 0.0243559703595383


def test_the_sum_of_the_proof_is_a_difference_of_digammas():
    for b, T in ((30.5, 30), (400.0, 171)):
        assert psi(b) - psi(b - T) == pytest.approx(sum(1 / (b - j) for j in range(1, T + 1)))


def test_the_noise_multiplies_lengths_as_the_proof_says():
    """E[e^(λ|p + e|²)] for a Gaussian e, where the bound is an equality, by quadrature."""
    s, λ, p = 0.3, 1.1, 0.7
    z = np.linspace(-12, 12, 200_001) * s
    mean = (np.exp(λ * (p + z) ** 2 - z * z / (2 * s * s)) / (s * sqrt(2 * np.pi))).sum() * (z[1] - z[0])
    assert mean == pytest.approx((1 - 2 * λ * s * s) ** -0.5 * exp(λ * p * p / (1 - 2 * λ * s * s)))


def rounds_missed(rng, T, θ, σ, D, margin):
    """Whether T rounds of the worst record, which every rule misses until u outweighs it, all miss θ records.

    Missed records add the vector with the least forward part, g along u, and the rest across w.
    """
    w, u = np.zeros(D), np.eye(D)[0]
    for _ in range(T):
        across = -w + (w @ u) * u
        across = across / (np.linalg.norm(across) or 1.0)
        v = margin * u + sqrt(1 - margin**2) * across
        if w @ v > 0:
            return False
        w = w + v + rng.normal(size=D) * σ / θ
    return True


def test_weights_go_forward_as_often_as_the_bound_says():
    """200 runs at a bound of .02: 30 or more unfinished_chance ones have probability below 10⁻¹⁷."""
    D, margin, T, σ = 6, 0.4, 60, sqrt(2 * 60 / 1.0)
    θ = next(θ for θ in range(20, 4000, 5) if unfinished_chance(T, θ, σ, 0.0, D, margin) <= 0.02)
    rng = np.random.default_rng()
    assert sum(rounds_missed(rng, T, θ, σ, D, margin) for _ in range(200)) < 30
    assert sum(rounds_missed(rng, 3, θ, σ, D, margin) for _ in range(50)) > 25  # three rounds do not suffice


@pytest.mark.slow
def test_bars_grow_with_what_makes_learning_harder():
    bars = [schedule(11, g, RHO, 0.05).bar for g in (0.4, 0.2, 0.1)]
    assert all(later > 1.7 * earlier for earlier, later in pairwise(bars))
    assert schedule(51, 0.2, RHO, 0.05).bar > schedule(11, 0.2, RHO, 0.05).bar
    assert schedule(11, 0.2, RHO / 4, 0.05).bar > 1.8 * schedule(11, 0.2, RHO, 0.05).bar
    assert schedule(11, 0.2, RHO, 0.001).bar > schedule(11, 0.2, RHO, 0.05).bar


@pytest.mark.slow
def test_bars_stay_small_for_tiny_failure_probabilities():
    """Bars grow with the root of −ln β. A bar near the end of the bisection would leave the weights where they are."""
    usual = schedule(11, 0.2, RHO, 0.05).bar
    for β in (1e-5, 1e-30, 1e-300):
        assert schedule(11, 0.2, RHO, β).bar < usual * sqrt(log(1 / β))


def test_the_bound_on_new_records_is_the_formula_of_the_proof():
    n, m, α, d = 4000, 40, 0.05, 3
    N, g = 2 * n, 200
    k, p = g + m, 0.5
    H = m / k * log(m / k / p) + g / k * log(g / k / (1 - p))
    once = 4 * sum(comb(N - 1, i, exact=True) for i in range(d + 1)) * exp(-k * H)
    assert overfitting_chance(n, m, α, d) <= once * (1 + 1e-6)
    assert overfitting_chance(n, m, α, d) > 1e-12 * once


@over(("m", "n"), [(0, 200), (3, 300)])
def test_half_lines_with_few_errors_err_rarely_on_new_records(m, n):
    """Points are uniform on [0, 1] and labels are 1: the half-lines x ≥ t err on a share of t. 4000 samples."""
    rng = np.random.default_rng(9)
    x = np.sort(rng.random((4000, n)), axis=1)[:, m]  # up to here, x ≥ t errs on at most m records
    for α in (0.03, 0.06):
        assert (x > α).mean() <= overfitting_chance(n, m, α, 1) + 4 * sqrt(1 / 16_000)


def test_nothing_is_claimed_without_records_or_for_no_error():
    assert (
        overfitting_chance(0, 10, 0.1, 2)
        == overfitting_chance(100, 10, 0.0, 2)
        == overfitting_chance(100, 60, 0.5, 2)
        == 1.0
    )
    assert overfitting_chance(10**6, 10, 1.0, 2) < 1e-100
