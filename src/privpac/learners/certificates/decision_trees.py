"""The probability that a drawn decision tree is bad: a sum over all trees with their priors.

proof: docs/proofs/tree_draw.md

Throughout this file
    T, k    the number of tests, and the depth        θ    0 < θ ≤ 1; the bound holds for each, and we take the best
    A_k     Σ prior(t)^θ over all trees               C    the largest −ln prior(t)

Main declarations
    tree_chance    at least the probability that a tree with excess error more than α is released
"""

from __future__ import annotations

from math import exp, log

from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, log_moment

STEPS = 60  # of the search for θ
GOLDEN = (5**0.5 - 1) / 2


def tree_chance(  # noqa: PLR0917  (the numbers of the theorem, in its order)
    T: int, k: int, n: int, alpha: float, log_r: float, regime: str
) -> float:
    """The bound of Theorem 2, with r = e^(ε'/2).

    >>> [round(tree_chance(150, k, 10_000, 0.06, 0.5, "agnostic"), 3) for k in (1, 2, 3)]
    [0.0, 0.807, 1.0]
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    k = k if T else 0
    cost: float = (2**k - 1) * log(2 * T or 1) + 2**k * log(2)

    def exponent(θ: float) -> float:
        return log_priors(T, k, θ) + θ * cost + n * log_moment(θ * log_r, alpha, regime)

    low, high = 0.0, min(1.0, LARGEST_LOGARITHM / log_r)
    for _ in range(STEPS):  # the exponent is convex
        first, second = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, second) if exponent(first) < exponent(second) else (first, high)
    best = min(exponent(high), exponent((low + high) / 2))
    return min(1.0, exp(min(0.0, best)) * (1 + 1e-9))


def log_priors(T: int, k: int, theta: float) -> float:
    """ln A_k.

    >>> log_priors(200, 3, 1.0)
    0.0
    """
    A: float = 2 ** (1 - theta)
    for _ in range(k):
        A = 2 * 4**-theta + T * (2 * T) ** -theta * A**2
    return log(A)
