"""Certificates of decision trees, against their formula."""

import numpy as np
import pytest
from scipy.special import erfcx, gammaln
from scipy.stats import norm

from privpac.learners.decision_trees.trees import TreesInDraw, tree_chance
from tests.grid import over


@pytest.mark.slow
def test_certificates_have_the_figures_of_their_formula():
    """Priors add up to 1, and all bounds are computed again here."""
    assert abs(TreesInDraw(150, 3).log_priors(np.array([1.0]))[0]) < 1e-12
    n = 30_000
    for k, alpha in ((2, 0.0235), (3, 0.0321)):
        assert tree_chance(TreesInDraw(150, k), n, alpha, 0.5, "agnostic") <= 0.05
        assert tree_chance(TreesInDraw(150, k), n, alpha - 0.0003, 0.5, "agnostic") > 0.05
        cost = (2**k - 1) * np.log(300) + 2**k * np.log(2)
        θ = np.linspace(0.001, 1, 20_000)
        A = 2 ** (1 - θ)
        for _ in range(k):
            A = 2 * 4**-θ + 150 * 300**-θ * A**2
        log_m, s = np.log(A) + θ * cost, np.exp(0.5 * θ)
        least = np.exp((log_m + 3000 * np.log(1 - alpha + alpha / s)).min())
        assert tree_chance(TreesInDraw(150, k), 3000, alpha, 0.5, "realizable") == pytest.approx(
            min(1, least), rel=1e-2
        )
        beyond = [
            norm.sf(2 * v / n**0.5) + np.exp((log_m + np.log(s) * (v + 1 - n * alpha) + n * np.log(s) ** 2 / 8).min())
            for v in np.linspace(0, 400, 500)
        ]
        number, σ = np.log(A_of(150, k)), n**0.5 / 2
        many = []
        for v in np.linspace(0, 400, 500):
            κ = 2 * (cost - number) + v + 2 - n * alpha
            c = min(κ, 0) / σ
            each = norm.cdf(c) + np.exp(-c * c / 2) * erfcx((c + 0.5 * σ) / 2**0.5) / 2 + np.exp(min(κ, 0) / 2) / 2
            many.append(norm.sf(v / σ) + np.exp(number) * each)
        least = min(*beyond, *many)
        assert tree_chance(TreesInDraw(150, k), n, alpha, 0.5, "agnostic") == pytest.approx(least, rel=5e-2)


def A_of(T, k):  # noqa: N802
    """The number of trees of depth at most k over T tests, with two labels."""
    return 2 + T * A_of(T, k - 1) ** 2 if k else 2


@over("n", (15, 40))
@over("log_r", (0.2, 0.5, 2))
@over("noise", (0.05, 0.2, 0.35))
def test_trees_over_one_test_fail_no_more_often_than_is_certified(n, log_r, noise):
    """The exact law of a draw of depth 1: two constants of prior 3/8, and two stumps of 1/8; one of these is best."""
    # records: the test fails and the label is 0, or 1; it holds and the label is 0
    a, b, c = np.indices((n + 1,) * 3).reshape(3, -1)
    some = a + b + c <= n
    counts = np.array([a, b, c, n - a - b - c])[:, some]
    p = np.array([1 - noise, noise, noise, 1 - noise]) / 2
    law = np.exp(gammaln(n + 1) - gammaln(counts + 1).sum(axis=0) + np.log(p) @ counts)
    # of always 0, always 1, the worst stump, and the best one
    errors = np.array([counts[1] + counts[3], counts[0] + counts[2], counts[0] + counts[3], counts[1] + counts[2]])
    weights = np.array([[3], [3], [1], [1]]) * np.exp(-log_r * (errors - errors.min(axis=0)))
    failed = float(law @ (1 - weights[3] / weights.sum(axis=0)))
    assert failed <= tree_chance(TreesInDraw(1, 1), n, 0.5 - noise - 1e-9, log_r, "agnostic")


def priors(T, k, K):
    """The priors of all trees, by definition."""
    if k == 0:
        return [1 / K] * K
    sides = priors(T, k - 1, K)
    return [1 / (2 * K)] * K + [p * q / (2 * T) for _ in range(T) for p in sides for q in sides]


@over("K", (2, 3, 5))
@over("k", (0, 1, 2))
@over("free", (False, True))
def test_sums_of_priors_and_the_largest_cost_are_those_of_all_trees(K, k, free):
    T, θ, size = 3, np.array([0.3, 1.0]), TreesInDraw(3, k, K, free)
    depths = range(1, k + 1) if free and k else (k,)
    every = np.array([p / len(depths) for d in depths for p in priors(T, d, K)])
    assert np.allclose(size.log_priors(θ), np.log([(every**each).sum() for each in θ]))
    assert size.cost == pytest.approx(-np.log(every.min()))  # the best tree may have the least prior
    assert abs(size.log_priors(np.array([1.0]))[0]) < 1e-12


def test_more_labels_and_a_free_depth_cost_little():
    """The certified error with 30,000 records, ε = 1, 150 tests."""

    def error(**size):
        return next(
            a / 1000
            for a in range(1000)
            if tree_chance(TreesInDraw(150, **size), 30_000, a / 1000, 0.5, "agnostic") <= 0.05
        )

    assert error(k=3) <= error(k=3, free=True) <= error(k=3) + 0.001
    assert error(k=2) < error(k=2, K=10) < 1.3 * error(k=2)


def test_without_tests_only_labels_are_drawn():
    assert TreesInDraw(0, 3, 4, free=True).cost == pytest.approx(np.log(4))
