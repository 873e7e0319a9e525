"""[ABMS20, Thm 3.14]: how privacy bounds what happens on unseen records, as printed and with constants.

[ABMS20]  docs/references.bib        corrections: docs/errata/ABMS20.md        proof: docs/proofs/generalization.md

A private algorithm sees n records of a population and names a *test*, a set of records. If few of the n records pass
the test, few of the population do.

Throughout this file
    share        how many of the n records pass, divided by n        (ε, δ)    what naming the test costs
    population   the probability that a new record passes
"""

from __future__ import annotations

from math import exp, inf, log

from privpac.privacy.budget import Budget


def theorem_3_14(cost: Budget, n: int, share: float) -> float:
    """e^(2ε)·(share + 10/(εn)·ln(1/(εδn))). Fails with probability O(εδn/ln(1/(εδn))), constant unknown.

    ∞ where it says nothing: at δ = 0, and from εδn = 1 on (E-ABMS20-13).

    >>> [round(theorem_3_14(Budget(ε, 1e-9), 10**6, share=0.0001), 3) for ε in (4, 2.14)]
    [0.339, 0.009]
    """
    _check(n, share)
    ε, δ = float(cost.epsilon), float(cost.delta)
    if not 0 < ε * δ * n < 1:
        return inf
    return exp(2 * ε) * (share + 10 / (ε * n) * log(1 / (ε * δ * n)))


def expected(cost: Budget, share: float) -> float:
    """E[population] ≤ e^ε·E[share] + δ, for every n: one factor e^ε, no logarithm, and δ may be 0. Proved and tight.

    >>> round(expected(Budget("2.14"), 0.01), 3)
    0.085
    """
    _check(1, share)
    return exp(float(cost.epsilon)) * share + float(cost.delta)


def tail(cost: Budget, share: float, beta: float, gamma: float) -> float:
    """If the share exceeds ``share`` with probability at most β, the population exceeds this with at most γ. Proved.

    (e^ε·(share + β) + δ)/γ, by Markov's inequality: all constants are known, but it grows with 1/γ instead of ln(1/γ).

    >>> round(tail(Budget(1), share=0.001, beta=1e-6, gamma=0.05), 3)
    0.054
    """
    if not (0 <= beta <= 1 and 0 < gamma <= 1):
        raise ValueError("beta must lie in [0, 1] and gamma in (0, 1]: they are probabilities")
    return expected(cost, min(1.0, share + beta)) / gamma


def _check(n: int, share: float) -> None:
    if n < 1 or not 0 <= share <= 1:
        raise ValueError("n must be at least 1, and share must lie in [0, 1]")
