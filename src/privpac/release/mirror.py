"""Weights of listed points whose answers are near noisy ones. Only released numbers are read here.

Throughout this file
    w      a weight ≥ 0 for each listed point; their sum stays what it is at the start
    A      the linear map from weights to answers; Aᵀ its adjoint
    y      noisy answers

Mirror descent multiplies weights by e^(−step·gradient). It starts at a smooth guess and stops as soon as the answers
are as near to y as the noise would put the true ones, or somewhat nearer: whatever comes later would fit noise.

Main declarations
    fitted    such weights
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privpac.release.consistency import Floats

ROUNDS = 1500
SHARE = 0.5  # of what the noise explains: how near is near enough
FAR = 0.9  # the same: what is farther away did not settle in time
TINY = 1e-12  # of the sum of the weights: the least weight at the start
SETTLED = 1e-7  # relative progress that is not worth another round
GROWTH = 1.5  # of the step after each round that makes progress

Map = Callable[[Floats], Floats]


def fitted(y: Floats, A: Map, At: Map, start: Floats, noise: float) -> Floats | None:
    """Weights near ``start``, whose answers are as near to y as noise with these expected squares explains; or None.

    >>> double = lambda w: 2 * w
    >>> fitted(np.array([2.0, 6.0]), double, double, np.array([2.0, 2.0]), 1e-6).round(2).tolist()
    [1.0, 3.0]
    """
    total = float(start.sum())
    if total <= 0:
        return None
    w = np.maximum(start, TINY * total)
    w *= total / w.sum()
    logs, residual = np.log(w), A(w) - y
    value, step = float(residual @ residual), 0.0
    for _ in range(ROUNDS):
        gradient = At(residual)
        gradient -= gradient.min()
        if value <= SHARE * noise or not gradient.max() > 0:
            break
        step = step or 1 / float(gradient.max())
        before = value
        while True:
            tried = logs - step * gradient
            tried -= tried.max()
            weights = np.exp(tried)
            weights *= total / weights.sum()
            off = A(weights) - y
            value = float(off @ off)
            if value <= before or step * float(gradient.max()) < SETTLED:
                break
            step /= 2
        if value > before:
            value = before
            break
        w, logs, residual, step = weights, tried, off, step * GROWTH
        if before - value <= SETTLED * before:
            break
    return w if value <= FAR * noise else None
