"""How often a draw of decision trees errs: the bound behind their certificate.

proof: docs/proofs/tree_draw.md

Throughout this file
    T, K   the numbers of tests and of labels       k      the depth; if the draw chooses it, the largest depth
    θ      0 < θ ≤ 1; the bound holds for each, and we take the best
    A_k    Σ prior(t)^θ over all trees              C      the largest −ln prior(t)
    v      how far the errors of the best tree may exceed their mean        σ    √n/2
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp

from privpac.learners.certificates.deviation import (
    DEVIATIONS,
    LARGEST_LOGARITHM,
    ROUNDING,
    by_kinds,
    by_small_costs,
    log_moment,
)
from privpac.refusals.option_words import Regime

THETAS = np.geomspace(1e-4, 1, 300)  # the values of θ to try


class TreesInDraw(NamedTuple):
    """All trees that a draw chooses from: T, k, K, and whether it also draws the depth."""

    T: int
    k: int
    K: int = 2
    draws_depth: bool = False

    @property
    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The kinds of trees in which no test has one label on both sides: ln of their numbers, and of their priors."""
        T, K = self.T, self.K
        numbers, priors = np.array([log(K)]), np.array([-log(K)])
        depths = []
        for _ in range(self._k):  # a test and two trees of kinds i ≤ j make a tree that is one level deeper
            i, j = np.triu_indices(len(numbers))
            pairs = log(T) + numbers[i] + numbers[j] + np.where(i < j, log(2), 0)
            pairs[0] = log(T * K * (K - 1))  # kind 0 is a single label; both sides must differ
            label = np.logaddexp(-log(2 * K), 2 * priors[0] - log(2))  # also of a test with this label on both sides
            numbers, priors = np.append(log(K), pairs), np.append(label, priors[i] + priors[j] - log(2 * T))
            depths.append((numbers, priors))
        if not self._several_depths:
            return numbers, priors
        numbers, priors = map(np.concatenate, zip(*depths, strict=True))
        return numbers, priors - log(self._k)

    def log_priors(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln A_k."""
        numbers, priors = self.kinds
        return np.asarray(logsumexp(numbers + theta[:, None] * priors, axis=1))

    @property
    def cost(self) -> float:
        """C: the largest −ln prior(t) that the best tree may have."""
        k, T = self._k, self.T
        return float((2**k - 1) * log(2 * T or 1) + 2**k * log(self.K) + log(k if self._several_depths else 1))

    @property
    def _k(self) -> int:
        """The depth that trees can have: 0 if there are no tests."""
        return self.k if self.T else 0

    @property
    def _several_depths(self) -> bool:
        return self.draws_depth and self._k > 0


def tree_chance(  # noqa: PLR0917  (the numbers of the theorem, in its order)
    size: TreesInDraw, n: int, alpha: float, log_r: float, regime: Regime, copies: int = 1, cheapest: float = 0.5
) -> float:
    """The bound of Theorem 2 on the probability of an error above α; with weights of errors, r is for one copy."""
    if n <= 0 or alpha <= 0:
        return 1.0
    log_r = copies * log_r
    θ = THETAS[THETAS * log_r <= LARGEST_LOGARITHM]
    log_m, log_s = size.log_priors(θ) + θ * size.cost, θ * log_r
    failure = np.exp(np.minimum(log_m + n * log_moment(log_s, alpha, regime), 0)).min()
    if regime == "agnostic":
        v = np.linspace(0, min(n * alpha, 4 * n**0.5), DEVIATIONS)[:, None]
        bad = (log_m + log_s * (v + (copies == 1) - n * alpha) + n * log_s**2 / 8).min(axis=1)
        good = np.exp(log_ndtr(-2 * v[:, 0] / n**0.5) if copies == 1 else -2 * v[:, 0] ** 2 / n)
        failure = min(failure, (good + np.exp(np.minimum(bad, 0))).min())
        if log_r <= LARGEST_LOGARITHM:
            numbers, priors = size.kinds
            kinds = numbers, (size.cost + priors) / log_r, n, alpha, log_r
            by_kind = by_kinds(*kinds) if copies == 1 else float(by_small_costs(*kinds, cheapest))
            failure = min(failure, by_kind)
    return min(1.0, float(failure) * ROUNDING)
