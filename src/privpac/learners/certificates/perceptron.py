"""How long a noisy perceptron runs, and how often its rule errs on new records.

[CKS20] [Cov65] [Hoe63]  docs/references.bib        proof: docs/proofs/half_space_learner.md, Theorems 4 and 5

Throughout this file
    D      the number of weights               g      the margin of lifted records, relative to their length
    T, θ   the number of rounds, and the bar: the least number of missed records that a step is divided by
    σ      the noise of each coordinate of a sum, relative to the length of a record: √(2T/ρ), rounded up
    ν      how far the noisy numbers of missed records are off, all of them, with high probability
    b      any number above T                  n'     the size of the ghost sample

Main declarations
    Schedule         T, θ and ν
    schedule         the one with the smallest θ + ν
    unfinished       at least the probability that all T rounds miss θ records or more
    overfitted       at least the probability that a half-space errs on m of n records, and on more than α of new ones
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, floor, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, psi

from privpac.learners.certificates.deviation import ROUNDING
from privpac.mechanisms.perceptron import FINENESS, UNIT

NUMBERS, ROUNDS = 1 / 8, 3 / 8  # shares of β: noisy numbers are far off, or no round is good
LENGTHS = np.geomspace(1.5, 16, 16)  # T·g² that are tried
SPREADS = np.geomspace(1.02, 300, 80)[:, None]  # b/T that are tried
DRIFTS = np.append(np.linspace(1.5, 12, 22), np.geomspace(13, 800, 40))[None, :]  # −ln P(noise turns the weights back)
BAR_STEPS = 40  # of the bisection for θ
GHOSTS = (1, 2, 4, 8, 16, 32, 64)  # n'/n that are tried


class Schedule(NamedTuple):
    """The public numbers of a noisy perceptron."""

    rounds: int
    bar: int
    slack: float


@lru_cache(maxsize=64)
def schedule(D: int, margin: float, rho: float, beta: float) -> Schedule:
    """The schedule whose rules miss the fewest records.

    >>> schedule(11, 0.3 / 1.7, 0.0244, 0.05)
    Schedule(rounds=..., bar=..., slack=...)
    """
    found = [_with(max(1, ceil(x / margin**2)), D, margin, rho, beta) for x in LENGTHS]
    return min(found, key=lambda each: each.bar + each.slack)


def _with(T: int, D: int, margin: float, rho: float, beta: float) -> Schedule:
    """The smallest bar for T rounds, by bisection."""
    σ, of_number = sqrt(2 * T / rho + 1 / FINENESS), sqrt(2 * T / (3 * rho) + 1 / FINENESS)
    ν = of_number * sqrt(2 * log(2 * T / (NUMBERS * beta)))
    low, high = ν, 2.0**40 * ν
    for _ in range(BAR_STEPS):
        middle = sqrt(low * high)
        enough = unfinished(T, middle, σ, ν, D, margin) <= ROUNDS * beta
        low, high = (low, middle) if enough else (middle, high)
    return Schedule(T, ceil(high), ν)


def unfinished(T: int, bar: float, noise: float, slack: float, D: int, margin: float) -> float:  # noqa: PLR0917
    """At least the probability that T rounds all miss θ records or more, if the noisy numbers are off by at most ν.

    >>> [round(unfinished(166, bar, 116.7, 310, 11, 0.1765), 3) for bar in (1000, 1400)]
    [1.0, 0.003]
    """
    s, κ = noise / bar, slack / bar
    forward = margin * T * (1 - κ) - T * sqrt(D) / UNIT - s * np.sqrt(2 * T * DRIFTS)
    b = SPREADS * T
    longer = D / 2 * np.log(b / (b - T)) + (1 + κ) ** 2 / (2 * s * s) * (psi(b) - psi(b - T))
    beyond = np.exp(np.minimum(longer - np.maximum(forward, 0) ** 2 / (2 * s * s * b), 0))
    return min(1.0, float((beyond + np.exp(-DRIFTS)).min()) * ROUNDING)


def overfitted(n: int, missed: float, alpha: float, d: int) -> float:
    """At least the probability that a half-space of d dimensions errs on few of n records, and on more than α of all.

    >>> [round(overfitted(n, 1640, 0.1, 10), 3) for n in (20_000, 25_000)]
    [1.0, 0.0]
    """
    if n < 1 or alpha <= 0:
        return 1.0
    m = floor(missed)
    logs = [_log_overfitted(n, ghosts * n, m, floor(alpha * ghosts * n), d) for ghosts in GHOSTS]
    return min(1.0, exp(min(0.0, *logs)) * ROUNDING)


def _log_overfitted(n: int, ghosts: int, m: int, g: int, d: int) -> float:
    """ln of 2·(patterns of n + n' points)·P(at most m of g + m marked points are among the first n)."""
    p, k = n / (n + ghosts), g + m
    if not k or m >= p * k:
        return 0.0
    q = m / k
    divergence = (q * log(q / p) if q else 0.0) + (1 - q) * log((1 - q) / (1 - p))
    return log(2) + _log_patterns(n + ghosts, d) - k * divergence


def _log_patterns(N: int, d: int) -> float:
    """ln of 2·Σ_{i ≤ d} C(N − 1, i), which bounds the affine dichotomies of N points [Cov65]."""
    i = np.arange(min(d, N - 1) + 1)
    return log(2) + float(np.logaddexp.reduce(gammaln(N) - gammaln(i + 1) - gammaln(N - i)))
