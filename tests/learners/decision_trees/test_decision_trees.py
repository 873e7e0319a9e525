"""Certificates of decision trees, against their formula."""

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import norm

from privpac.learners.decision_trees.tree_bounds import TreesInDraw, tree_chance
from tests.grid import over


@pytest.mark.audit
def test_certificates_have_the_figures_of_their_formula():
    """Priors add up to 1, and all bounds are computed again here."""
    assert abs(TreesInDraw(150, 3).log_priors(np.array([1.0]))[0]) < 1e-12
    n = 30_000
    for k, alpha in ((2, 0.0227), (3, 0.0308)):
        assert tree_chance(TreesInDraw(150, k), n, alpha, 0.5, "agnostic") <= 0.05
        assert tree_chance(TreesInDraw(150, k), n, alpha - 0.0003, 0.5, "agnostic") > 0.05
        cost = (2**k - 1) * np.log(300) + 2**k * np.log(2)
        θ = np.linspace(0.001, 1, 20_000)
        kinds = kinds_of(150, k)
        log_m, s = np.log(sum(N * p**θ for N, p in kinds)) + θ * cost, np.exp(0.5 * θ)
        least = np.exp((log_m + 3000 * np.log(1 - alpha + alpha / s)).min())
        assert tree_chance(TreesInDraw(150, k), 3000, alpha, 0.5, "realizable") == pytest.approx(
            min(1, least), rel=1e-2
        )
        beyond = [
            norm.sf(2 * v / n**0.5) + np.exp((log_m + np.log(s) * (v + 1 - n * alpha) + n * np.log(s) ** 2 / 8).min())
            for v in np.linspace(0, 400, 500)
        ]
        by_kind = []
        for v in np.linspace(0, 400, 500):
            bad = sum(N * won(2 * (cost + np.log(p)) + v + 1.25 - n * alpha, n) for N, p in kinds)
            by_kind.append(norm.sf(2 * v / n**0.5) + bad)
        least = min(*beyond, *by_kind)
        assert tree_chance(TreesInDraw(150, k), n, alpha, 0.5, "agnostic") == pytest.approx(least, rel=5e-2)


def kinds_of(T, k):
    """The numbers and priors of all kinds of trees with two labels, level by level."""
    kinds = [(2, 1 / 2)]
    for _ in range(k):
        label = 1 / 4 + kinds[0][1] ** 2 / 2
        pairs = [(T * a * b, p * q / (2 * T)) for a, p in kinds for b, q in kinds]
        kinds = [(2, label), (2 * T, pairs[0][1]), *pairs[1:]]
    return kinds


def won(k, n):
    """E[W/(1 + W)] for W = e^((k + σ|G|·[G < 0])/2), by integration."""
    g = np.linspace(0, 12, 4000)
    W = np.exp((k + n**0.5 / 2 * g) / 2)
    return float(np.trapezoid(W / (1 + W) * norm.pdf(g), g)) + 1 / (1 + np.exp(-k / 2)) / 2


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


def trees(T, k, K):
    """All trees, reduced, with their priors."""
    if k == 0:
        return [(label, 1 / K) for label in range(K)]
    sides = trees(T, k - 1, K)
    tested = [
        (t if t == u and isinstance(t, int) else (b, t, u), p * q / (2 * T))
        for b in range(T)
        for t, p in sides
        for u, q in sides
    ]
    return [(label, 1 / (2 * K)) for label in range(K)] + tested


def priors(T, k, K):
    """The priors of all reduced trees, by definition."""
    found = {}
    for tree, prior in trees(T, k, K):
        found[tree] = found.get(tree, 0) + prior
    return list(found.values())


@over("K", (2, 3, 5))
@over("k", (0, 1, 2))
@over("free", (False, True))
def test_sums_of_priors_and_the_largest_cost_are_those_of_all_reduced_trees(K, k, free):
    T, θ, size = 2, np.array([0.0, 0.3, 1.0]), TreesInDraw(2, k, K, free)
    depths = range(1, k + 1) if free and k else (k,)
    every = np.array([p / len(depths) for d in depths for p in priors(T, d, K)])
    assert np.allclose(size.log_priors(θ), np.log([(every**each).sum() for each in θ]))
    assert size.cost == pytest.approx(-np.log(every.min()))  # the best tree may have the least prior
    assert abs(size.log_priors(np.array([1.0]))[0]) < 1e-12
    numbers, kinds = size.kinds
    assert np.allclose(np.repeat(kinds, np.exp(numbers).round().astype(int)).sum(), np.log(every).sum())


def test_more_labels_and_a_free_depth_cost_little():
    """The certified error with 30,000 records, ε = 1, 150 tests."""

    def error(**size):
        return next(
            a / 1000
            for a in range(1000)
            if tree_chance(TreesInDraw(150, **size), 30_000, a / 1000, 0.5, "agnostic") <= 0.05
        )

    assert error(k=3) <= error(k=3, draws_depth=True) <= error(k=3) + 0.001
    assert error(k=2) < error(k=2, K=10) < 1.3 * error(k=2)


def test_without_tests_only_labels_are_drawn():
    assert TreesInDraw(0, 3, 4, draws_depth=True).cost == pytest.approx(np.log(4))
