"""The probability that a selection on a tree releases a bad rule.

proof: docs/proofs/tree_learner.md

Throughout this file
    r, T     e^(ε/2); a candidate that T records support weighs as much as the fallback
    K        some candidate with support K, or the fallback, errs on at most K − 1 records more than the best rule
    C        the cap of the selection
    g        that candidate weighs at least r^g, and g > 0
    J        how many records distinguish the best rule from the nearest bad one: binomial (n, α)
    level    a set of candidates, such as the nodes of one depth; a record supports at most one of them
    leg      a path of positions from the root, in a tree that is a union of such paths
    never    the rule that answers 0 everywhere
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log

import numpy as np
from numpy.typing import NDArray

from privpac.learners.certificates.capped_selection import CappedSelection
from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, at_most, chance
from privpac.mechanisms.selection.public_stable import whole_steps
from privpac.mechanisms.selection.regret import Discounts
from privpac.privacy.budget import Budget

DEPTH = 32  # if the depth is unbounded, the cap suits paths of this many steps
STEPS = 4096  # the most terms of a sum over J
RARE = 1e12  # sums end where a candidate weighs this much less than its rival: what follows counts as the last term


@dataclass(frozen=True)
class FailureByCount:
    """The probability of a failure given J: ``chance[i]`` for J from ``at[i]`` to ``at[i + 1] − 1``; it never rises.

    >>> round(FailureByCount(np.arange(3), np.array([1.0, 0.5, 0.0])).mean(2, 0.5), 8)
    0.5
    """

    at: NDArray[np.int64]
    chance: NDArray[np.float64]

    def mean(self, n: int, alpha: float) -> float:
        """E[chance(J)] = chance(∞) + Σ_i (chance(i) − chance(i + 1))·P(J < at(i + 1)), rounded up."""
        below = at_most(self.at[1:] - 1, n, alpha)
        return min(1.0, float(self.chance[-1] - np.diff(self.chance) @ below) * (1 + 1e-9))


def upto(last: int) -> NDArray[np.int64]:
    """0, 1, … last, or only some of them if there are many.

    >>> upto(3).tolist()
    [0, 1, 2, 3]
    """
    return np.unique(np.linspace(0, last, min(last, STEPS) + 1).astype(np.int64))


@lru_cache(maxsize=256)
def release_failures(cost: Budget, levels: int, beta: float, legs: bool) -> tuple[FailureByCount, ...]:
    """The chance that a bad rule is released, without label noise, given J.

    On legs, a second entry is for rules with too many 1s. It has a J of its own, so the two means add up (Theorem 2).
    """
    capped = selection(cost, levels)
    C, log_r = cap(cost, levels, beta), capped.log_r
    g = float(capped.gain(C))
    # With J ≤ missed, the good candidate, of support K ≥ T + g, may be bad; 1e-9 is for rounding.
    missed = ceil(g + capped.T - 1e-9) - 1
    j = upto(C + ceil(log(levels * RARE) / log_r))
    # What bad rules weigh at most, relative to the good candidate: that of one level, the fallback, all other levels'.
    one_level = np.exp(np.minimum((C - j - g) * log_r, LARGEST_LOGARITHM))
    fallback = np.exp(np.minimum((np.maximum(C - j, 0) - g) * log_r, LARGEST_LOGARITHM))
    # A level of a leg may hold several, each with one error more than the last: 1 + (1 + 1/r + 1/r² + …) times one.
    all_levels = levels * one_level * (1 + 1 / -np.expm1(-log_r)) if legs else (levels - 1) * one_level
    bad = all_levels + fallback
    by_count = FailureByCount(j, np.where(j <= missed, 1.0, bad / (1 + bad)))
    too_many_ones = FailureByCount(j, np.minimum(levels * one_level, 1.0))
    return (by_count, too_many_ones) if legs else (by_count,)


@lru_cache(maxsize=256)
def never_failure(cost: Budget, levels: int) -> FailureByCount:
    """The chance that *never* is released although a rule without errors has J records with label 1 (Theorem 4)."""
    capped = selection(cost, levels)
    j = upto(ceil(capped.T + log(RARE) / capped.log_r))
    labeled_weight = np.exp(np.minimum((j - capped.T) * capped.log_r, LARGEST_LOGARITHM))
    return FailureByCount(j, np.where(j == 0, 1.0, 1 / (1 + labeled_weight)))


@lru_cache(maxsize=256)
def selection(cost: Budget, levels: int | None) -> CappedSelection:
    """The public numbers of a selection on this many levels."""
    return CappedSelection(cost, levels or (DEPTH + 1) * (DEPTH + 2), fallbacks=1, share=1)


@lru_cache(maxsize=256)
def cap(cost: Budget, levels: int | None, beta: float) -> int:
    """C, without label noise."""
    return selection(cost, levels).cap(beta / 2)


def regret_failure(  # noqa: PLR0917  (the numbers of the theorem)
    cost: Budget, levels: int, near: bool, n: int, alpha: float, copies: int = 1
) -> float:
    """An upper bound on the chance that selection by regret releases a bad rule, for any labels.

    proof: docs/proofs/certificates.md, Theorem 5

    ``near``: candidates at most two steps below another record have a discount of their own.
    """
    if n < 1:
        return 1.0
    discounts = Discounts.of(cost, levels, near, np.zeros(1, dtype=np.int64))
    handicap = int(whole_steps(discounts.far, cost.epsilon / 4, ceil)[0]) / 2 + 1
    log_s = float(cost.epsilon / 6)  # a rule is released with probability at most s^(handicap − its excess of errors)
    from_records = chance(log(n * levels), handicap, n, alpha, log_s, "agnostic", copies=copies, determined_by=1)
    fallback = chance(0.0, handicap, n, alpha, log_s, "agnostic", copies=copies)
    return min(1.0, from_records + fallback)
