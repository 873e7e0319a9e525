"""The probability that a private selection prefers a bad candidate to a good one: the bounds behind every certificate.

proof: docs/proofs/certificates.md

Throughout this file
    r      e^(ε/2): a candidate with one error more weighs 1/r of another
    α      a bad candidate's excess: its error beyond that of the good one (beyond 0, if labels are realizable)
    D      errors of the bad candidate minus errors of the good one on n independent records
    h      the handicap: the bad candidate weighs at most r^(h − D) times the good one
    M      the number of bad candidates, each weighted by its prior

Main declarations
    chance      at least M·E[min(1, r^(h − D))]
    log_flipped ln M for permute-and-flip
    at_most     the binomial law
"""

from __future__ import annotations

from math import exp, expm1, inf, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

REGIMES = ("agnostic", "realizable")
LARGEST_LOGARITHM = 600.0  # of a logarithm: a float holds its exponential, times any number of candidates


def chance(  # noqa: PLR0917  (the numbers of the lemma, in its order)
    log_m: float, handicap: float, n: int, alpha: float, log_r: float, regime: str
) -> float:
    """At least M·E[min(1, r^(h − D))], by the best base 1 < s ≤ r: M·s^h·E[s^(−D)] (Lemmas 1 and 2).

    >>> round(chance(log(300), 0, 230, 0.1, 0.5, "realizable"), 4)
    0.0293
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    up = (1 + alpha) / 2 if regime == "agnostic" else alpha  # the worst law of one record's part in D
    down = (1 - alpha) / 2 if regime == "agnostic" else 0.0
    stay = 0.0 if regime == "agnostic" else 1 - alpha
    log_s = min(_best(up, down, stay, handicap / n), log_r, LARGEST_LOGARITHM)
    if log_s <= 0:
        return 1.0
    moment = log1p(up * expm1(-log_s) + down * expm1(log_s))
    return min(1.0, exp(min(0.0, log_m + handicap * log_s + n * moment)) * (1 + 1e-9))


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
    """P(J ≤ j), J the number of n records in a set of probability α. For n up to 2^30: scipy's law overflows beyond.

    >>> at_most(np.array([-1, 0, 1, 2, 3]), 2, 0.5).tolist()
    [0.0, 0.25, 0.75, 1.0, 1.0]
    """
    return np.where(j < 0, 0.0, bdtr(np.clip(j, 0, n), n, alpha))
