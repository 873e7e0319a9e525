"""Certificates of decision trees, against their formula."""

import numpy as np
import pytest
from scipy.stats import norm

from privpac.learners.decision_trees.trees import log_priors, tree_chance


@pytest.mark.slow
def test_certificates_have_the_figures_of_their_formula():
    """Priors add up to 1, and both bounds are computed again here."""
    assert abs(log_priors(150, 3, np.array([1.0]))[0]) < 1e-12
    n = 30_000
    for k, alpha in ((2, 0.0245), (3, 0.0326)):
        assert tree_chance(150, k, n, alpha, 0.5, "agnostic") <= 0.05
        assert tree_chance(150, k, n, alpha - 0.0003, 0.5, "agnostic") > 0.05
        cost = (2**k - 1) * np.log(300) + 2**k * np.log(2)
        θ = np.linspace(0.001, 1, 20_000)
        A = 2 ** (1 - θ)
        for _ in range(k):
            A = 2 * 4**-θ + 150 * 300**-θ * A**2
        log_m, s = np.log(A) + θ * cost, np.exp(0.5 * θ)
        least = np.exp((log_m + 3000 * np.log(1 - alpha + alpha / s)).min())
        assert tree_chance(150, k, 3000, alpha, 0.5, "realizable") == pytest.approx(min(1, least), rel=1e-2)
        beyond = [
            norm.sf(2 * v / n**0.5) + np.exp((log_m + np.log(s) * (v + 1 - n * alpha) + n * np.log(s) ** 2 / 8).min())
            for v in np.linspace(0, 400, 500)
        ]
        assert tree_chance(150, k, n, alpha, 0.5, "agnostic") == pytest.approx(min(beyond), rel=5e-2)
