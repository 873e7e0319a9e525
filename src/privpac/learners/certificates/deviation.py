"""The probability that a private selection prefers a bad candidate to a good one: the bounds behind every certificate.

[ZS13]  docs/references.bib        proof: docs/proofs/certificates.md

Throughout this file
    r      e^(ε/2): a candidate with one more error weighs 1/r as much
    α      a bad candidate's excess: its error minus that of the good one (which is 0 if labels are realizable)
    D      errors of the bad candidate minus errors of the good one on n independent records
    h      the handicap: the bad candidate weighs at most r^(h − D) times the good one
    M      the number of bad candidates, each weighted by its prior
    σ      √n/2, the largest standard deviation of a number of errors
    C      copies of a record: if errors have weights, the largest of them, and errors are counted in copies
    p₀     with weights, what the good candidate costs per record and per C, at most; ½ says nothing
    G, γ   the number of groups of similar candidates, and the mass on which those of a group may differ
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, erfcx, log_ndtr, rel_entr

from privpac.refusals.option_words import Regime

ROUNDING = 1 + 1e-9  # covers all rounding errors
PARTS = 4  # the numbers from v to v + 1 are divided into this many parts; the worst of them counts (Lemma 6)
DEVIATIONS = 64  # how many deviations v of the good candidate are tried, up to 8σ; larger ones are too rare to matter
EXCESSES = np.linspace(0, 1, 256)  # deviations v as shares of nα, so that the bound never rises with n if h ≥ 0
MOST = 2**30  # certificates stop improving at this many records, where scipy's binomial law overflows
CELLS = tuple(2**j for j in range(1, 13))  # numbers of cells into which a line or a plane of rules is divided
CHORDS = ((5, 1 / 9), (1, 1 / 3), (1 / 5, 5 / 9))  # W/(1 + W) is at most the sum of c·min(1, bW) over these (b, c)
LARGEST_LOGARITHM = 600.0  # its exponential, times any number of candidates, is below the largest float


class Groups(NamedTuple):
    """G groups of candidates; those of a group agree outside a set of values of probability γ, its ``mass``."""

    number: int
    mass: float


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
    groups: Iterable[Groups] = (),
    cheapest: float = 0.5,
) -> float:
    """An upper bound on the probability that one of M bad candidates is selected: the smallest bound below.

    If candidates come from the records, ``determined_by`` records determine each candidate, and only the others are
    independent of it (Lemma 3). With weights, r and h are those of copies, a record adds between −C and C to D (Lemma
    7), and ``cheapest`` is p₀ (Lemma 10). Public candidates may be divided into ``groups``, in one way or several.

    >>> round(chance(log(300), 0, 230, 0.1, 0.5, "realizable"), 4)
    0.0293
    >>> [round(chance(log(300), 0, n, 0.1, 0.5, "agnostic"), 4) for n in (900, 1800)]
    [0.0536, 0.0006]
    """
    independent, λ = n - determined_by, copies * log_r  # the records on which a candidate does not depend
    h = handicap / copies + (determined_by if regime == "agnostic" else 0)
    pairs = by_pairs(log_m, h, independent, alpha, λ, regime)
    if regime != "agnostic":
        return pairs
    p = cheapest if copies > 1 else None
    if p is None:
        separate = by_deviations(log_m, h, independent, alpha, λ)
    else:
        separate = by_costs(log_m, h, independent, alpha, λ, p)
    return min(pairs, float(separate), *(by_groups(log_m, h, n, alpha, λ, division, p) for division in groups))


def by_pairs(  # noqa: PLR0917  (the numbers of the lemma, in its order)
    log_m: float, handicap: float, n: int, alpha: float, log_r: float, regime: Regime
) -> float:
    """An upper bound on M·E[min(1, r^(h − D))]: M·s^h·E[s^(−D)] for the best base 1 < s ≤ r (Lemmas 1 and 2)."""
    if n <= 0 or alpha <= 0:
        return 1.0
    up, down, stay = _steps(alpha, regime)
    log_s = min(_best_log_base(up, down, stay, handicap / n), log_r, LARGEST_LOGARITHM)
    if log_s <= 0:
        return 1.0
    moment = float(log_moment(log_s, alpha, regime))
    return min(1.0, exp(min(0.0, log_m + handicap * log_s + n * moment)) * ROUNDING)


def by_deviations(log_m: float, handicap: object, n: int, alpha: float, log_r: float) -> NDArray[np.float64]:
    """An upper bound on E[min(1, Σ r^(h − D))] over M bad candidates, for one handicap or many; any labels (Lemma 6).

    The good candidate errs on more than v records beyond its mean with probability at most Φ(−v/σ). If it does not,
    each bad candidate adds at most E[min(2, r^(k − σ·min(G, 0)))], G standard normal, k = h + v + 1 − nα.
    """
    h = np.asarray(handicap, dtype=np.float64)[..., None]
    return _by_best_deviation(log_m + log(2), h, np.array([-log(2)]), n, alpha, log_r)


def by_kinds(log_m: Any, handicap: object, n: int, alpha: float, log_r: float) -> float:
    """An upper bound on E[W/(1 + W)], W = Σ r^(h − D) over bad candidates of several kinds (Lemma 9).

    ``log_m`` and ``handicap`` have an entry for each kind.
    """
    m, h = np.asarray(log_m, dtype=np.float64)[:, None], np.asarray(handicap, dtype=np.float64)[:, None]
    steps, shares = np.log(CHORDS).T
    log_kinds, handicaps, log_factors = map(np.ravel, np.broadcast_arrays(m + shares, h, steps))  # three for each kind
    return float(_by_best_deviation(log_kinds, handicaps, log_factors, n, alpha, log_r))


def _by_best_deviation(  # noqa: PLR0917  (the numbers of the lemmas, in their order)
    log_m: Any, handicap: NDArray[np.float64], log_a: NDArray[np.float64], n: int, alpha: float, log_r: float
) -> NDArray[np.float64]:
    """Φ(−v/σ) + Σ M·E[min(1, a·r^(k − σ·min(G, 0)))] over the kinds on the last axis, for the best v."""
    if n <= 0 or alpha <= 0 or log_r <= 0:
        return np.ones(handicap.shape[:-1])
    σ, λ = n**0.5 / 2, min(log_r, LARGEST_LOGARITHM)
    # Rows are the v that are tried; columns are the parts of [v, v + 1], the worst of which counts.
    v = np.linspace(0, min(n * alpha, 8 * σ), DEVIATIONS)[:, None] + np.arange(PARTS) / PARTS
    k = handicap[..., None, None, :] + log_a / λ + (v + 1 / PARTS + 1 - n * alpha)[..., None]
    bad = np.exp(np.minimum(log_m + _log_mean(k, σ, λ), 1.0)).sum(axis=-1)
    failure: NDArray[np.float64] = (np.exp(log_ndtr(-v / σ)) + bad).max(axis=-1).min(axis=-1)
    return np.minimum(1.0, failure * ROUNDING)


def _log_mean(k: NDArray[np.float64], σ: float, λ: float) -> NDArray[np.float64]:
    """An upper bound on ln E[min(1, e^(λ(k − σ·min(G, 0))))]: ln N(k) of Lemma 6."""
    c = np.minimum(k, 0) / σ
    u = c + λ * σ
    near = np.where(
        u > 0, np.log(erfcx(np.maximum(u, 0) / 2**0.5) / 2) - c * c / 2, log_ndtr(-u) + λ * σ * (c + λ * σ / 2)
    )
    bound: NDArray[np.float64] = np.minimum(np.logaddexp(np.logaddexp(log_ndtr(c), near), c * σ * λ - log(2)), 0)
    return bound


def by_weighted_deviations(log_m: float, handicap: object, n: int, alpha: float, log_r: float) -> NDArray[np.float64]:
    """The bound of ``by_deviations`` if a record may add any number between −1 and 1 to D (Lemma 7).

    The good candidate costs more than v beyond its mean with probability at most e^(−2v²/n). If it does not, each bad
    candidate adds at most e^(λk + nλ²/8), k = h + v − nα, for every 0 ≤ λ ≤ ln r.
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


def by_small_costs(  # noqa: PLR0917  (the numbers of the lemma, in its order)
    log_m: object, handicap: object, n: int, alpha: float, log_r: float, cheapest: float
) -> NDArray[np.float64]:
    """The bound of ``by_kinds`` with weights, if the good candidate costs at most p₀ on average (Lemma 10).

    The good candidate costs v beyond np₀ with probability at most e^(−n·KL(p₀ + v/n, p₀)). If it does not, each bad
    candidate adds at most e^(λ(h + np₀ + v))·(1 − (p₀ + α)(1 − e^(−λ)))^n, for every 0 ≤ λ ≤ ln r. An α above ½ − p₀
    counts as ½ − p₀.
    """
    m, h, p, α = np.asarray(log_m), np.asarray(handicap, dtype=np.float64), cheapest, min(alpha, 0.5 - cheapest)
    if n <= 0 or α <= 0 or log_r <= 0:
        return np.ones(h.shape[:-1])
    v = n * α * EXCESSES
    good = np.exp(-n * (rel_entr(p + v / n, p) + rel_entr(1 - p - v / n, 1 - p)))
    cost, q = h[..., None, :] + (n * p + v)[:, None], p + α
    x = np.clip(cost / n, np.finfo(float).tiny, q)
    λ = np.minimum(np.log(q / x * ((1 - x) / (1 - q))), min(log_r, LARGEST_LOGARITHM))
    bad = np.exp(np.minimum(m + λ * cost + n * np.log1p(q * np.expm1(-λ)), 1.0)).sum(axis=-1)
    failure: NDArray[np.float64] = (good + bad).min(axis=-1)
    return np.minimum(1.0, failure * ROUNDING)


def by_costs(  # noqa: PLR0917  (the numbers of the lemmas, in their order)
    log_m: float, handicap: object, n: int, alpha: float, log_r: float, cheapest: float
) -> NDArray[np.float64]:
    """With weights: the smaller of the bounds of Lemmas 7 and 10."""
    small = by_small_costs([log_m], np.asarray(handicap, dtype=np.float64)[..., None], n, alpha, log_r, cheapest)
    return np.minimum(by_weighted_deviations(log_m, handicap, n, alpha, log_r), small)


def by_groups(  # noqa: PLR0917  (the numbers of the lemma, in its order)
    log_m: float, handicap: float, n: int, alpha: float, log_r: float, groups: Groups, cheapest: float | None = None
) -> float:
    """The bound if the M candidates are in G groups of similar ones (Lemma 8); without weights, ``cheapest`` is None.

    A group deviates like one candidate, with M/G times its weight; within it, candidates gain at most γ·ln r/8 of α.
    """
    α, log_g = alpha - groups.mass * log_r / 8, log(groups.number)
    if log_r <= 0 or log_r > LARGEST_LOGARITHM:
        return 1.0
    h = handicap + (log_m - log_g) / log_r
    if cheapest is not None:
        return float(by_costs(log_g, h, n, α, log_r, cheapest))
    return by_kinds([log_g + log(2)], [h + 1], n, α, log_r)


def log_moment(log_s: Any, alpha: float, regime: Regime) -> Any:
    """An upper bound on ln E[s^(−D)] for a single record, for one s or an array of them."""
    up, down, _ = _steps(alpha, regime)
    return np.log1p(up * np.expm1(-log_s) + down * np.expm1(log_s))


def _steps(alpha: float, regime: Regime) -> tuple[float, float, float]:
    """The worst probabilities with which one record adds 1, −1, and 0 to D."""
    return ((1 + alpha) / 2, (1 - alpha) / 2, 0.0) if regime == "agnostic" else (alpha, 0.0, 1 - alpha)


def log_flipped(candidates: int) -> float:
    """ln M for permute-and-flip, where M is half the number of candidates; a single candidate has no rival."""
    return log(candidates / 2) if candidates > 1 else -inf


def _best_log_base(up: float, down: float, stay: float, share: float) -> float:
    """The ln s at which share·ln s + ln(up/s + stay + down·s) is least, by a quadratic equation in s."""
    if share >= up - down:
        return 0.0
    # share·(up + stay·s + down·s²) + down·s² − up = 0
    a, b, c = down * (1 + share), stay * share, up * (share - 1)
    if a:
        return log((-b + (b * b - 4 * a * c) ** 0.5) / (2 * a))
    return log(-c / b) if b else inf


def at_most(j: NDArray[Any], n: int, alpha: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """P(J ≤ j), where J of n records lie in a set of probability α; if n > 2^30, an upper bound.

    >>> at_most(np.array([-1, 0, 1, 2, 3]), 2, 0.5).tolist()
    [0.0, 0.25, 0.75, 1.0, 1.0]
    """
    m = min(n, MOST)  # with fewer records, it is more likely that at most j are in the set
    return np.where(j < 0, 0.0, bdtr(np.clip(j, 0, m), m, alpha))
