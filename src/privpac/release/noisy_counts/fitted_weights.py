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
SHARE = 0.5  # answers are near enough at this share of the squared distance that the noise explains
FAR = 0.9  # beyond this share of it, weights that still move did not settle in time
TINY = 1e-12  # the least weight at the start, as a share of the sum
LULL = 25  # rounds whose progress is looked at together
SETTLED = 1e-3  # with less relative progress than this in these rounds, no more of them are worth it
GROWTH = 1.5  # the factor by which the step grows after each round that makes progress

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
            new_logs = logs - step * gradient
            new_logs -= new_logs.max()
            weights = np.exp(new_logs)
            weights *= total / weights.sum()
            off = A(weights) - y
            if float(off @ off) <= value or step * steepest < TINY:
                break
            step /= 2
        if not float(off @ off) <= value:
            settled = True
            break
        w, logs, residual, value, step = weights, new_logs, off, float(off @ off), step * GROWTH
        if i % LULL == 0:
            settled, mark = mark - value < SETTLED * mark, value
    return w if settled or value <= FAR * noise else None
