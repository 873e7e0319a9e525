"""The probability that a set read off a signed histogram errs on more than α: the bounds behind its certificates.

proof: docs/proofs/set_learner.md

Throughout this file
    k        the largest size of a set           ρ = e^(−x), x = ε/2, k₀    the noise and the threshold of the histogram
    γ, π     the mass of a value, and the probability that it is hidden; π falls as γ grows
    l, i     values of the best set that are missing, and values that are shown in their place

Main declarations
    hidden          π(γ) for many γ
    missed_values   at least P(missing values weigh more than α), if the class makes no error
    wrong_values    at least P(the set errs by more than α more than the best one), for any labels
"""

from __future__ import annotations

from math import log, log1p

import numpy as np
from scipy.special import bdtrc, gammaln

from privpac.learners.certificates.capped import Floats
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, MOST, at_most

MASSES, SLOPES = 3000, 32  # points of the grids of γ and of t
BASES, BLOCKS = 128, 64  # of the grid of s, and of the sum over noise
MOST_TERMS = 2**22
SLACK = 1 + 1e-9  # exceeds all rounding errors


def hidden(n: int, masses: Floats, least: int, x: float) -> Floats:
    """At least π(γ) = P(no record, or Bin(n, γ) + Z < k₀), by tilted binomial laws (Lemma 2).

    >>> hidden(380, np.array([0.0, 0.1]), 28, 0.5).round(3)
    array([1.   , 0.049])
    """
    x = min(x, LARGEST_LOGARITHM)  # beyond it, noise is rarer than any rounding error
    ρ, last = np.exp(-x), np.full(masses.shape, least - 1)
    up, down = np.log1p(masses * np.expm1(x)), np.log1p(masses * np.expm1(-x))
    more, fewer = np.minimum(1.0, masses * np.exp(x - up)), masses * np.exp(-x - down)
    below = at_most(last, n, masses)
    risen = np.exp(np.minimum(n * up - least * x, LARGEST_LOGARITHM)) * at_most(last, n, more)
    above = bdtrc(least - 1, n, fewer) if least <= n else np.zeros(masses.shape)
    fallen = np.exp(np.minimum(n * down + (least - 1) * x, LARGEST_LOGARITHM)) * (above + 1e-300)
    unseen = (1 - masses) ** n * np.exp(-least * x)
    shown = np.minimum(risen / (1 + ρ), below / 2)  # Z ≥ k₀ − J ≥ 1 has probability at most 1/2
    return np.asarray(np.minimum(1.0, (below - shown + (fallen + unseen) / (1 + ρ)) * SLACK))


def missed_values(k: int, n: int, alpha: float, least: int, x: float) -> float:
    """At least P(hidden values of the best set weigh more than α), for realizable labels (Theorem 2).

    >>> [round(missed_values(k, n, 0.1, 28, 0.5), 3) for k, n in ((1, 400), (3, 900), (5, 1400))]
    [0.027, 0.043, 0.027]
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    n = min(n, MOST)  # of fewer records, more are missed
    if k < 2:
        return float(hidden(n, np.array([alpha]), least, x)[0]) if k else 0.0
    γ = np.linspace(0, alpha, MASSES + 1)
    π = hidden(n, γ[:-1], least, x)
    after = γ[1:] / alpha

    def bounds(slopes: Floats) -> Floats:  # t·α
        return np.array([k * np.log1p(π * np.expm1(slope * after)).max() - slope for slope in slopes])

    wide = np.geomspace(0.1, 500, SLOPES)
    best = wide[bounds(wide).argmin()]
    log_p = float(bounds(best * np.geomspace(0.75, 1.33, SLOPES)).min())
    return min(1.0, float(np.exp(min(0.0, log_p))) * SLACK)


def wrong_values(k: int, n: int, alpha: float, least: int, x: float) -> float:
    """At least P(the set errs by more than α more than the best set), for any labels (Theorem 3).

    >>> [round(wrong_values(k, n, 0.1, 28, 0.5), 3) for k, n in ((1, 1500), (3, 3300), (5, 5200))]
    [0.043, 0.046, 0.037]
    """
    if n <= k or alpha <= 0:
        return 1.0
    largest = 0.5 * (log1p(alpha) - log1p(-alpha)) if alpha < 1 else LARGEST_LOGARITHM  # where φ is least
    bases = int(min(BASES, max(MOST_TERMS // (k + 1) ** 2, 8)))
    log_s = np.linspace(0, min(largest, x, LARGEST_LOGARITHM), bases + 2)[1:-1]
    s, ρ = np.exp(log_s), float(np.exp(-x))
    log_φ = np.log((1 + alpha) / (2 * s) + (1 - alpha) * s / 2)
    log_μ = 2 * log1p(-ρ) - np.log1p(-ρ * s) - np.log1p(-ρ / s)
    log_ν = np.log(shared_noise(s, least, ρ))
    total = 0.0
    for l in range(1, k + 1):
        i = np.arange(l + 1)
        h = np.where(i == l, 0, (least - 1) * l - least * i)
        ways = gammaln(k + 1) - gammaln(l + 1) - gammaln(k - l + 1) + i * log(n) - gammaln(i + 1)
        terms = np.outer(h + i, log_s) + l * log_μ + np.outer(i, log_ν) + np.outer(n - i, log_φ)
        total += float(np.exp(np.minimum(0.0, ways + terms.min(axis=1))).sum())
    return min(1.0, total * SLACK)


def shared_noise(s: Floats, least: int, ρ: float) -> Floats:
    """At least E[s^Z/max(1, k₀ − Z)]: a value that is shown with noise Z has at least k₀ − Z positive records.

    >>> shared_noise(np.array([1.0]), 28, np.exp(-0.5)).round(4)
    array([0.0367])
    """
    edges = np.unique(np.linspace(0, least - 1, BLOCKS + 1).astype(np.int64))
    powers = np.power.outer(ρ * s, edges.astype(np.float64)) / (1 - ρ * s)[:, None]
    between = ((powers[:, :-1] - powers[:, 1:]) / (least + 1 - edges[1:])).sum(axis=1)
    negative = (ρ / s) / (1 - ρ / s) / (least + 1)
    return np.asarray((1 - ρ) / (1 + ρ) * (negative + between + powers[:, -1]))
