"""[ABMS20, Thm 3.14]: privacy bounds the error on unseen records. The printed bound, and two with known constants.

[ABMS20]  docs/references.bib        corrections: docs/errata/ABMS20.md        proof: docs/proofs/generalization.md

A private algorithm sees n records of a population and names a *test*, a set of records. If few of the n records pass
the test, few of the population do.

Throughout this file
    share        how many of the n records pass, divided by n        (ε, δ)    the cost of the algorithm
    population   the probability that a new record passes
"""

from __future__ import annotations

from math import exp, inf, log

from privpac.privacy.budget import Budget


def theorem_3_14(cost: Budget, n: int, share: float) -> float:
    """e^(2ε)·(share + 10/(εn)·ln(1/(εδn))). Fails with probability O(εδn/ln(1/(εδn))), constant unknown.

    The result is ∞ where the theorem says nothing: if δ = 0 or εδn ≥ 1 (E-ABMS20-13).

    >>> [round(theorem_3_14(Budget(ε, 1e-9), 10**6, share=0.0001), 3) for ε in (4, 2.14)]
    [0.339, 0.009]
    """
    if n < 1 or not 0 <= share <= 1:
        raise ValueError("n must be at least 1, and share must lie in [0, 1]")
    ε, δ = float(cost.epsilon), float(cost.delta)
    if not 0 < ε * δ * n < 1:
        return inf
    return exp(2 * ε) * (share + 10 / (ε * n) * log(1 / (ε * δ * n)))


def expectation_bound(cost: Budget, share: float) -> float:
    """A bound on E[population] from ``share`` ≥ E[share]: e^ε·share + δ, for every n. Proved and tight; δ may be 0.

    >>> round(expectation_bound(Budget("2.14"), 0.01), 3)
    0.085
    """
    if not 0 <= share <= 1:
        raise ValueError("share must lie in [0, 1]")
    return exp(float(cost.epsilon)) * share + float(cost.delta)


def tail_bound(cost: Budget, share: float, beta: float, gamma: float) -> float:
    """A bound on the population that fails with probability at most γ, if the share of the n records is at most
    ``share`` except with probability β. Proved.

    (e^ε·(share + β) + δ)/γ, by Markov's inequality: all constants are known, but it grows with 1/γ instead of ln(1/γ).

    >>> round(tail_bound(Budget(1), share=0.001, beta=1e-6, gamma=0.05), 3)
    0.054
    """
    if not (0 <= beta <= 1 and 0 < gamma <= 1):
        raise ValueError("beta must lie in [0, 1] and gamma in (0, 1]: they are probabilities")
    return expectation_bound(cost, min(1.0, share + beta)) / gamma
