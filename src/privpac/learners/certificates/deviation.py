"""The probability that a private selection prefers a bad candidate to a good one: the bounds behind every certificate.

[ZS13]  docs/references.bib        proof: docs/proofs/certificates.md

Throughout this file
    r      e^(ε/2): a candidate with one more error weighs 1/r as much
    α      a bad candidate's excess: its error beyond that of the good one (beyond 0, if labels are realizable)
    D      errors of the bad candidate minus errors of the good one on n independent records
    h      the handicap: the bad candidate weighs at most r^(h − D) times the good one
    M      the number of bad candidates, each weighted by its prior
    σ      √n/2, the largest standard deviation of a number of errors
    C      copies of a record: if errors have weights, the largest of them, and errors are counted in copies
"""

from __future__ import annotations

from math import exp, inf, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, erfcx, log_ndtr

from privpac.refusals.option_words import Regime

ROUNDING = 1 + 1e-9  # covers all rounding errors
DEVIATIONS = 64  # how many deviations v of the good candidate are tried, up to 8σ: larger ones are too rare to matter
MOST = 2**30  # certificates stop improving at this many records, where scipy's binomial law overflows
LARGEST_LOGARITHM = 600.0  # a float holds its exponential, times any number of candidates


def chance(  # noqa: PLR0917  (the numbers of the lemma, in its order)
    log_m: float,
    handicap: float,
    n: int,
    alpha: float,
    log_r: float,
    regime: Regime,
    *,
    copies: int = 1,
    determined_by: int = 0,
) -> float:
    """At least the probability that one of M bad candidates is selected; ``determined_by`` records determine each.

    With weights, r and h are those of copies. One record then adds between −C and C to D (Lemma 7).

    >>> round(chance(log(300), 0, 230, 0.1, 0.5, "realizable"), 4)
    0.0293
    >>> [round(chance(log(300), 0, n, 0.1, 0.5, "agnostic"), 4) for n in (900, 1800)]
    [0.0573, 0.0006]
    """
    h, λ, others = handicap / copies + (determined_by if regime == "agnostic" else 0), copies * log_r, n - determined_by
    pairs = by_pairs(log_m, h, others, alpha, λ, regime)
    if regime != "agnostic":
        return pairs
    return min(pairs, float((apart if copies == 1 else weighted_apart)(log_m, h, others, alpha, λ)))


def by_pairs(  # noqa: PLR0917  (the numbers of the lemma, in its order)
    log_m: float, handicap: float, n: int, alpha: float, log_r: float, regime: Regime
) -> float:
    """At least M·E[min(1, r^(h − D))], by the best base 1 < s ≤ r: M·s^h·E[s^(−D)] (Lemmas 1 and 2).

    >>> round(by_pairs(log(300), 0, 900, 0.1, 0.5, "agnostic"), 4)
    1.0
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    up, down, stay = _steps(alpha, regime)
    log_s = min(_best(up, down, stay, handicap / n), log_r, LARGEST_LOGARITHM)
    if log_s <= 0:
        return 1.0
    moment = float(log_moment(log_s, alpha, regime))
    return min(1.0, exp(min(0.0, log_m + handicap * log_s + n * moment)) * ROUNDING)


def apart(log_m: float, handicap: Any, n: int, alpha: float, log_r: float) -> NDArray[np.float64]:
    """At least E[min(1, Σ r^(h − D))] over M bad candidates, for one handicap or many, whatever the labels (Lemma 6).

    The good candidate errs on more than v + 1 records beyond its mean with probability at most Φ(−v/σ). If it does not,
    each bad candidate adds at most E[min(2, r^(k − σG))], G a normal number, k = h + v + 2 − nα.

    >>> apart(log(300), [0, 20], 900, 0.1, 0.5).round(4)
    array([0.0573, 0.2919])
    """
    h = np.asarray(handicap, dtype=np.float64)[..., None]
    if n <= 0 or alpha <= 0 or log_r <= 0:
        return np.ones(h.shape[:-1])
    σ, λ = n**0.5 / 2, min(log_r, LARGEST_LOGARITHM)
    v = np.linspace(0, min(n * alpha, 8 * σ), DEVIATIONS)
    k = h + v + 2 - n * alpha
    c = np.minimum(k - log(2) / λ, 0) / σ  # the deviation below which a bad candidate is given up
    below = np.logaddexp(log(2) + log_ndtr(c), np.log(erfcx((c + λ * σ) / 2**0.5)) - c * c / 2)
    bad = np.exp(np.minimum(log_m + np.logaddexp(below, k * λ - log(2)), 1.0))
    failure: NDArray[np.float64] = np.where(k * λ > log(2), 1.0, np.exp(log_ndtr(-v / σ)) + bad).min(axis=-1)
    return np.minimum(1.0, failure * ROUNDING)


def weighted_apart(log_m: float, handicap: Any, n: int, alpha: float, log_r: float) -> NDArray[np.float64]:
    """The same if a record adds any number between −1 and 1 to D (Lemma 7).

    The good candidate costs more than v beyond its mean with probability at most e^(−2v²/n). If it does not, each bad
    candidate adds at most e^(λk + nλ²/8), k = h + v − nα, for every 0 ≤ λ ≤ ln r.

    >>> weighted_apart(log(300), [0, 20], 1237, 0.1, 0.5).round(4)
    array([0.0505, 0.2662])
    """
    h = np.asarray(handicap, dtype=np.float64)[..., None]
    if n <= 0 or alpha <= 0 or log_r <= 0:
        return np.ones(h.shape[:-1])
    v = np.linspace(0, min(n * alpha, 4 * n**0.5), DEVIATIONS)
    k = h + v - n * alpha
    λ = np.clip(-4 * k / n, 0, min(log_r, LARGEST_LOGARITHM))
    bad = np.exp(np.minimum(log_m + λ * k + n * λ**2 / 8, 0.0))
    failure: NDArray[np.float64] = (np.exp(-2 * v**2 / n) + bad).min(axis=-1)
    return np.minimum(1.0, failure * ROUNDING)


def log_moment(log_s: Any, alpha: float, regime: Regime) -> Any:
    """At least ln E[s^(−D)] for one record, for one s or many.

    >>> round(float(log_moment(0.5, 0.1, "realizable")), 4) == round(log(0.9 + 0.1 * exp(-0.5)), 4)
    True
    """
    up, down, _ = _steps(alpha, regime)
    return np.log1p(up * np.expm1(-log_s) + down * np.expm1(log_s))


def _steps(alpha: float, regime: Regime) -> tuple[float, float, float]:
    """The worst law of one record's part in D: 1, −1, 0."""
    return ((1 + alpha) / 2, (1 - alpha) / 2, 0.0) if regime == "agnostic" else (alpha, 0.0, 1 - alpha)


def log_flipped(candidates: int) -> float:
    """ln M for permute-and-flip, where M is half the candidates; a single candidate has no rival.

    >>> round(log_flipped(300), 4), log_flipped(1)
    (5.0106, -inf)
    """
    return log(candidates / 2) if candidates > 1 else -inf


def _best(up: float, down: float, stay: float, share: float) -> float:
    """ln s where share·ln s + ln(up/s + stay + down·s) is least: a quadratic equation in s."""
    if share >= up - down:
        return 0.0
    # share·(up + stay·s + down·s²) + down·s² − up = 0
    a, b, c = down * (1 + share), stay * share, up * (share - 1)
    if a:
        return log((-b + (b * b - 4 * a * c) ** 0.5) / (2 * a))
    return log(-c / b) if b else inf


def at_most(j: NDArray[Any], n: int, alpha: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """P(J ≤ j), J the number of n records in a set of probability α; at least that if n > 2^30.

    >>> at_most(np.array([-1, 0, 1, 2, 3]), 2, 0.5).tolist()
    [0.0, 0.25, 0.75, 1.0, 1.0]
    """
    m = min(n, MOST)  # with fewer records, it is more likely that at most j are in the set
    return np.where(j < 0, 0.0, bdtr(np.clip(j, 0, m), m, alpha))
