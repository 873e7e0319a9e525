"""Weights of listed points whose answers are near noisy ones. Only released numbers are read here.

Throughout this file
    w      a weight ≥ 0 for each listed point; their sum stays what it is at the start
    A      the linear map from weights to answers; Aᵀ its adjoint
    y      noisy answers

Mirror descent multiplies weights by e^(−step·gradient). It starts at a smooth guess and stops as soon as the answers
are as near to y as the noise would put the true ones, or somewhat nearer: whatever comes later would fit noise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privpac.release.noisy_counts.consistency import Floats

ROUNDS = 1500
SHARE = 0.5  # of what the noise explains: how near is near enough
FAR = 0.9  # the same: what is farther away, and still approaches, did not settle in time
TINY = 1e-12  # of the sum of the weights: the least weight at the start
LULL = 25  # rounds that are looked at together
SETTLED = 1e-3  # relative progress in these rounds that is not worth more of them
GROWTH = 1.5  # of the step after each round that makes progress

Map = Callable[[Floats], Floats]


def fitted_weights(y: Floats, A: Map, At: Map, start: Floats, noise: float) -> Floats | None:
    """Weights near ``start``, whose answers are as near to y as noise with these expected squares explains; or None.

    >>> double = lambda w: 2 * w
    >>> fitted_weights(np.array([2.0, 6.0]), double, double, np.array([2.0, 2.0]), 1e-6).round(2).tolist()
    [1.0, 3.0]
    """
    total = float(start.sum())
    if total <= 0:
        return None
    w = np.maximum(start, TINY * total)
    w *= total / w.sum()
    logs, residual = np.log(w), A(w) - y
    value, step, settled = float(residual @ residual), 0.0, False
    mark = value
    for i in range(1, ROUNDS + 1):
        gradient = At(residual)
        gradient -= gradient.min()
        steepest = float(gradient.max())
        if value <= SHARE * noise or settled or not steepest > 0:
            break
        step = step or 1 / steepest
        while True:
            tried = logs - step * gradient
            tried -= tried.max()
            weights = np.exp(tried)
            weights *= total / weights.sum()
            off = A(weights) - y
            if float(off @ off) <= value or step * steepest < TINY:
                break
            step /= 2
        if not float(off @ off) <= value:
            settled = True
            break
        w, logs, residual, value, step = weights, tried, off, float(off @ off), step * GROWTH
        if i % LULL == 0:
            settled, mark = mark - value < SETTLED * mark, value
    return w if settled or value <= FAR * noise else None
