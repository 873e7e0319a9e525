"""[BBKN14, §1.2, Remark 6.2]: how many examples all learners need, and how many learn points without privacy.

[BBKN14]  docs/references.bib        proof: docs/proofs/bbkn14.md, Theorem 30

Throughout this file
    V       the VC dimension of the class        α, β    error and failure probability, both below 1
    c_j     the concept of a point: 1 at j, and 0 at the T − 1 other points of the domain
"""

from __future__ import annotations

from math import ceil, log, log1p


def vc_needs(V: int, alpha: float, beta: float) -> float:
    """V·(1 − 2(α + β − αβ)): the Ω(V) of [BBKN14, §1.2] with its constant, or 0 if that is negative.

    >>> round(vc_needs(1000, 0.1, 0.05), 3)
    710.0
    """
    _check(alpha, beta)
    return max(0.0, V * (1 - 2 * (alpha + beta - alpha * beta)))


def rare_needs(alpha: float, beta: float) -> float:
    """ln(1/(2β))/(−ln(1 − α)): the Ω(log(1/β)/α) of [BBKN14, Remark 6.2] with its constant; 0 for β ≥ ½.

    With fewer examples, a rare point of mass above α may be missed, and concepts that differ only there look alike.

    >>> round(rare_needs(0.1, 0.05), 2)
    21.85
    """
    _check(alpha, beta)
    return max(0.0, -log(2 * beta) / -log1p(-alpha))


def remark_6_2(alpha: float, beta: float) -> int:
    """The least m with (2/α)(1 − α/2)^m ≤ β: every point of mass α/2 or more is seen, so any consistent c_j will do.

    The learner is proper and fast, and m is O((log(1/α) + log(1/β))/α). A private proper learner needs a further term,
    about log T.

    >>> remark_6_2(0.1, 0.05)
    117
    """
    _check(alpha, beta)
    return ceil(log(2 / (alpha * beta)) / -log1p(-alpha / 2))


def _check(alpha: float, beta: float) -> None:
    if not (0 < alpha < 1 and 0 < beta < 1):
        raise ValueError("alpha and beta must lie strictly between 0 and 1")
