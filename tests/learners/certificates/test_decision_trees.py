"""Certificates of decision trees, against their formula."""

import numpy as np
import pytest

from privpac.learners.certificates.decision_trees import log_priors, tree_chance


def test_certificates_have_the_figures_of_their_formula():
    """Priors add up to 1, and ln M + n·ln φ is computed again here for one θ."""
    assert abs(log_priors(150, 3, 1)) < 1e-12
    for k, alpha in ((2, 0.0373), (3, 0.0539)):
        assert tree_chance(150, k, 30_000, alpha, 0.5, "agnostic") <= 0.05
        assert tree_chance(150, k, 30_000, alpha - 0.0003, 0.5, "agnostic") > 0.05
        cost = (2**k - 1) * np.log(300) + 2**k * np.log(2)
        θ = np.linspace(0.001, 1, 20_000)
        A = 2 ** (1 - θ)
        for _ in range(k):
            A = 2 * 4**-θ + 150 * 300**-θ * A**2
        s = np.exp(0.5 * θ)
        for regime, φ in (
            ("agnostic", (1 + alpha) / (2 * s) + (1 - alpha) * s / 2),
            ("realizable", 1 - alpha + alpha / s),
        ):
            n = 30_000 if regime == "agnostic" else 3_000
            least = np.exp((np.log(A) + θ * cost + n * np.log(φ)).min())
            assert tree_chance(150, k, n, alpha, 0.5, regime) == pytest.approx(min(1, least), rel=1e-3)
