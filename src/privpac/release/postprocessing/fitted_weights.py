"""Weights of listed points whose answers are near noisy ones. Only released numbers are read here.

Throughout this file
    w           a weight ≥ 0 for each listed point; their sum never changes
    A           the linear map from weights to answers; Aᵀ its adjoint
    y           noisy answers
    residual    A·w − y; its square is the sum of squares

Mirror descent multiplies weights by e^(−step·gradient). It starts at a smooth guess and stops as soon as the answers
are as near to y as the noise would put the true ones, or somewhat nearer: further steps would fit noise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privpac.release.postprocessing.consistency import Floats

ROUNDS = 1500
SHARE = 0.5  # the descent stops at this share of the square that the noise explains
FAR = 0.9  # above this share of it, weights that have not settled after all rounds are rejected
TINY = 1e-12  # the least weight at the start, as a share of the sum; also the least value of step × steepest gradient
CHECK_EVERY = 25  # rounds after which progress is checked
SETTLED = 1e-3  # weights have settled if CHECK_EVERY rounds lower the square by less than this share
GROWTH = 1.5  # the factor by which the step grows after each round that makes progress

Map = Callable[[Floats], Floats]


def fitted_weights(y: Floats, A: Map, At: Map, start: Floats, noise: float) -> Floats | None:
    """Weights whose answers are as near to y as the noise explains, or as near as the descent brings them.

    ``noise`` is the expected square of the noise. None if the descent neither gets that near nor settles, and if it has
    nothing to descend: if the sum of ``start`` is not positive, or if the answers of ``start`` are far from y and the
    gradient there is constant, as it is for a single weight.

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
    square, step, settled = float(residual @ residual), 0.0, False
    square_before = square  # at the last check
    for i in range(1, ROUNDS + 1):
        gradient = At(residual)
        gradient -= gradient.min()  # a constant would change nothing, since weights keep their sum
        steepest = float(gradient.max())
        if square <= SHARE * noise or settled or not steepest > 0:
            break
        step = step or 1 / steepest
        while True:  # halve the step until the square does not grow
            new_logs = logs - step * gradient
            new_logs -= new_logs.max()
            new_w = np.exp(new_logs)
            new_w *= total / new_w.sum()
            new_residual = A(new_w) - y
            new_square = float(new_residual @ new_residual)
            if new_square <= square or step * steepest < TINY:
                break
            step /= 2
        if not new_square <= square:
            settled = True
            break
        w, logs, residual, square, step = new_w, new_logs, new_residual, new_square, step * GROWTH
        if i % CHECK_EVERY == 0:
            settled, square_before = square_before - square < SETTLED * square_before, square
    return w if settled or square <= FAR * noise else None
