"""The probability that a selection on a tree releases a bad rule.

proof: docs/proofs/tree_learner.md

Throughout this file
    r, T     e^(ε/2); a candidate that T records support weighs as much as the fallback
    K        some candidate with support K, or the fallback, errs on at most K − 1 records more than the best rule
    C        the cap            g      log_r of what that candidate weighs, at least (g > 0)
    J        records that distinguish the best rule from the nearest bad one: Bin(n, α)
    level    candidates of which a record supports at most one, such as the nodes of one depth
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
    """The probability of a failure, which depends on J: ``chance[i]`` from J = ``at[i]`` on; it never rises.

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
    """The chance that a bad rule is released, without label noise, given J; on legs, also for rules with too many 1s.

    The two have a J each, so their means add up (Theorem 2).
    """
    chosen = selection(cost, levels)
    C, log_r = cap(cost, levels, beta), chosen.log_r
    g = float(chosen.gain(C))
    lost = ceil(g + chosen.T - 1e-9) - 1  # what the good candidate, of support K ≥ T + g, may miss; 1e-9 for rounding
    j = upto(C + ceil(log(levels * RARE) / log_r))
    # What bad rules weigh at most, relative to the good candidate: one of a level, the fallback, those of all levels.
    apart = np.exp(np.minimum((C - j - g) * log_r, LARGEST_LOGARITHM))
    fallback = np.exp(np.minimum((np.maximum(C - j, 0) - g) * log_r, LARGEST_LOGARITHM))
    # A level of a leg may hold several, which err on one record more each: 1 + (1 + 1/r + 1/r² + …) times the weight.
    beside = levels * apart * (1 + 1 / -np.expm1(-log_r)) if legs else (levels - 1) * apart
    bad = beside + fallback
    short = FailureByCount(j, np.where(j <= lost, 1.0, bad / (1 + bad)))
    return (short, FailureByCount(j, np.minimum(levels * apart, 1.0))) if legs else (short,)


@lru_cache(maxsize=256)
def never_failure(cost: Budget, levels: int) -> FailureByCount:
    """The chance that *never* is released although a rule without errors has J records with label 1 (Theorem 4)."""
    chosen = selection(cost, levels)
    j = upto(ceil(chosen.T + log(RARE) / chosen.log_r))
    found = np.exp(np.minimum((j - chosen.T) * chosen.log_r, LARGEST_LOGARITHM))
    return FailureByCount(j, np.where(j == 0, 1.0, 1 / (1 + found)))


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
    """At least the chance that selection by regret releases a bad rule, for any labels (certificates, Theorem 5).

    ``near``: candidates at most two steps below another record have a discount of their own.
    """
    if n < 1:
        return 1.0
    discounts = Discounts.of(cost, levels, near, np.zeros(1, dtype=np.int64))
    handicap = int(whole_steps(discounts.far, cost.epsilon / 4, ceil)[0]) / 2 + 1
    log_s = float(cost.epsilon / 6)  # a rule is released with probability at most s^(handicap − its excess of errors)
    from_records = chance(log(n * levels), handicap, n, alpha, log_s, "agnostic", copies=copies, determined_by=1)
    return min(1.0, from_records + chance(0.0, handicap, n, alpha, log_s, "agnostic", copies=copies))
