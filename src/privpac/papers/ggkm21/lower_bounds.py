"""[GGKM21, Thm 6.8, Thm 6.9]: how many records any private release of all answers needs.

[GGKM21] [BUV14]  docs/references.bib      corrections: docs/errata/GGKM21.md      proof: docs/proofs/ggkm21_proper.md

Throughout this file
    F         a class, V its VC dimension; a query f asks for the share of the records (x, y) with f(x) ≠ y
    n         records; an (n, α, β, ε, δ)-sanitizer answers every query of F up to α, except with probability β
    v, k      v shattered points carry one secret bit each, as the label of k equal records
    d, t      the number of bits of a point, and of literals of a conjunction

By group privacy, k equal records are (kε, δ_k)-private, δ_k = δ·(e^(kε) − 1)/(e^ε − 1). So a guess of their bit is
wrong with probability at least (1 − δ_k)/(1 + e^(kε)). But good answers show all but 2αn/k of the v bits. Both cannot
be true if n is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, exp, expm1, floor, inf, log, sqrt

LARGEST_EXPONENT = 700  # floats hold its exponential
LARGEST_ALPHA, MOST_FAILURES = 1 / 2, 1 / 3  # conditions of [GGKM21, Thm 6.8]


def theorem_6_9(V: int, *, alpha: float, beta: float, epsilon: float, delta: float) -> int:
    """The least n for which an (n, α, β, ε, δ)-sanitizer of a class of VC dimension V is not excluded.

    For small ε and much smaller δ it is about 0.13·V/(εα). It does not grow beyond about V/(δα): [GGKM21, Thm 6.9]
    prints Ω(V/(εα)) for δ = 0.1, which no constant makes true.

    >>> theorem_6_9(10, alpha=0.01, beta=0.01, epsilon=0.1, delta=1e-6)
    1343
    >>> theorem_6_9(1, alpha=0.019, beta=0.01, epsilon=1e-9, delta=0.1)
    32
    """
    _check(alpha, beta, epsilon, delta)
    least = 1
    for k in _copies(epsilon):
        wrong = (1 - _group_delta(k, epsilon, delta)) / (1 + exp(min(k * epsilon, LARGEST_EXPONENT)))
        excess = (wrong - beta) / (1 - beta)  # even when all answers are good, this share of the guesses is wrong
        if excess <= 2 * alpha * _unevenness(least, k, V):  # E-GGKM21-18: δ_k stops k, not only ε
            break
        least = max(least, ceil(k * V * excess / (2 * alpha) * (1 - 1e-12)))  # rounding must not make it too large
    return least


def _unevenness(least: int, k: int, V: int) -> float:
    """The most of n/(kv) for n from ``least`` to kV, where v = ⌊n/k⌋ points have k records each."""
    v = least // k
    return 1.0 if v >= V else (k * (v + 1) - 1) / (k * v) if v else inf


def _check(alpha: float, beta: float, epsilon: float, delta: float) -> None:
    if not (0 < alpha < 1 and 0 < beta < 1 and epsilon > 0 and 0 <= delta <= 1):
        raise ValueError("alpha and beta must lie strictly between 0 and 1, epsilon must be positive, delta in [0, 1]")


def _group_delta(k: int, epsilon: float, delta: float) -> float:
    """The δ for k records at once: δ_k."""
    if not delta:
        return 0.0
    if k * epsilon > LARGEST_EXPONENT:
        return inf
    return delta * (expm1(k * epsilon) / expm1(epsilon) if epsilon > 1e-300 else k)  # the limit for ε → 0 is k


def _copies(epsilon: float) -> Iterator[int]:
    """1, 2, 3, … until kε is large; from 200 on, in steps of k/100. Any set of k gives a valid bound."""
    k = 1
    while k * epsilon <= LARGEST_EXPONENT and k < 1e18:
        yield k
        k += max(1, k // 100)


def theorem_6_8(d: int, t: int, *, alpha: float, beta: float, epsilon: float, delta: float) -> float | None:
    """t·√d/(εα²) for conjunctions of t of d literals: [GGKM21, Thm 6.8] with all hidden factors set to 1.

    None outside its conditions: 3 ≤ t ≤ d/2, d^(1/4 − (t − 2)/3)/√ε ≤ α, β ≤ 1/3, and α < ½, which is not printed. The
    theorem is for δ ≤ 1/(10n): with δ > 0, it excludes only n ≤ 1/(10δ).

    >>> round(theorem_6_8(256, 10, alpha=0.1, beta=0.01, epsilon=1, delta=0))
    16000
    >>> theorem_6_8(256, 10, alpha=0.5, beta=0.01, epsilon=1, delta=0) is None
    True
    """
    _check(alpha, beta, epsilon, delta)
    if not 3 <= t <= d / 2 or alpha >= LARGEST_ALPHA or beta > MOST_FAILURES:  # E-GGKM21-19
        return None
    ε = min(epsilon, 1.0)
    if alpha < d ** (1 / 4 - (t - 2) / 3) / sqrt(ε):
        return None
    order = t * sqrt(d) / (ε * alpha**2)
    return min(order, 1 / (10 * delta)) if delta else order


def subsample_records(queries: int, *, alpha: float, beta: float, q: float = 0.1) -> int:
    """How many records are enough for a subsample to answer all ``queries`` up to α, except with probability β.

    The release keeps each record with probability q and publishes those that it keeps. It is (0, q)-private: neighbors
    differ in one record, which is kept with probability q. In a subsample of m records, an answer is wrong by more than
    α with probability at most 2·e^(−2mα²); m is binomial.

    >>> subsample_records(2, alpha=0.019, beta=0.01)
    83012
    """
    _check(alpha, beta, 1.0, q)
    return floor(log(2 * queries / beta) / -log(1 - q + q * exp(-2 * alpha**2))) + 1
