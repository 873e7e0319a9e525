"""The probability that a drawn decision tree is bad: a sum over all trees with their priors.

proof: docs/proofs/tree_draw.md

Throughout this file
    T, k    the number of tests, and the depth        θ    0 < θ ≤ 1; the bound holds for each, and we take the best
    A_k     Σ prior(t)^θ over all trees               C    the largest −ln prior(t)

    v       how far the errors of the best tree may exceed their mean        σ    √n/2

Main declarations
    tree_chance    at least the probability that a tree with excess error more than α is released
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from privpac.data.choices import Regime
from privpac.learners.certificates.deviation import DEVIATIONS, LARGEST_LOGARITHM, ROUNDING, log_moment

THETAS = np.geomspace(1e-4, 1, 300)  # that are tried


def tree_chance(  # noqa: PLR0917  (the numbers of the theorem, in its order)
    T: int, k: int, n: int, alpha: float, log_r: float, regime: Regime
) -> float:
    """The bound of Theorem 2, with r = e^(ε'/2).

    >>> [round(tree_chance(150, k, 10_000, 0.035, 0.5, "agnostic"), 3) for k in (1, 2, 3)]
    [0.02, 0.35, 1.0]
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    k = k if T else 0
    θ = THETAS[THETAS * log_r <= LARGEST_LOGARITHM]
    log_m, log_s = log_priors(T, k, θ) + θ * ((2**k - 1) * log(2 * T or 1) + 2**k * log(2)), θ * log_r
    failure = np.exp(np.minimum(log_m + n * log_moment(log_s, alpha, regime), 0)).min()
    if regime == "agnostic":
        v = np.linspace(0, min(n * alpha, 4 * n**0.5), DEVIATIONS)[:, None]
        bad = (log_m + log_s * (v + 1 - n * alpha) + n * log_s**2 / 8).min(axis=1)
        failure = min(failure, (np.exp(log_ndtr(-2 * v[:, 0] / n**0.5)) + np.exp(np.minimum(bad, 0))).min())
    return min(1.0, float(failure) * ROUNDING)


def log_priors(T: int, k: int, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln A_k.

    >>> log_priors(200, 3, np.array([1.0]))
    array([0.])
    """
    A = 2 ** (1 - theta)
    for _ in range(k):
        A = 2 * 4**-theta + T * (2 * T) ** -theta * A**2
    return np.asarray(np.log(A))
