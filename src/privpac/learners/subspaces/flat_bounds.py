"""The public numbers of a vote among flats, and the probability that it releases a bad one.

proof: docs/proofs/flat_learner.md

Throughout this file
    k, p     the largest dimension of a flat, and the size of the field
    A        the planned number of errors: αn, or fewer if n is large
    m        the size of a subset            L      the number of levels, one for each size and deal
    r, T     e^(ε/2); a flat of T votes weighs as much as never with at least C errors
    F        the flat that makes no error    G      a flat inside F that few records leave
    e        the probability of F outside G
    t        the probability of G outside the likeliest flat that is smaller than G
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, floor, log

import numpy as np

from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, MOST, at_most, chance
from privpac.learners.certificates.tree_orders import upto
from privpac.learners.values.points import missed_point
from privpac.mechanisms.selection.exponential import log_at_least
from privpac.mechanisms.selection.votes import levels_of
from privpac.privacy.budget import Budget

DEALS, WORK = 16, 2**22  # deals at most, and records that are dealt in all
FEW = 100  # records, of which one deal is enough
SHARES = 0.84, 0.7  # of A that is the cap: near the smallest n that learns, and where a certificate is within reach
NEAR = 5  # how many times k·T is "near"
SCARCE = 1.6  # how many times T votes there are from the largest subsets
LARGE, GROWTH = 20, 2.5  # A is at most LARGE·T, times GROWTH for each dimension after the first
MOST_DIMENSIONS = 12  # of flats with a certificate
STEPS = 12  # of a bisection, in logarithms
ROUNDING = 1 - 1e-9
GIVEN_UP = (0.0005, 0.005, 0.02, 0.035, 0.045, 0.09, 0.3)  # shares that are tried for never


@dataclass(frozen=True)
class Vote:
    """The sizes of subsets, how many deals there are, and the cap.

    >>> Vote.of(Budget(1, 1e-6), 0.1, 2, 2277)
    Vote(sizes=(1, 13, 38), deals=16, cap=191)
    """

    sizes: tuple[int, ...]
    deals: int
    cap: int

    @staticmethod
    def of(cost: Budget, alpha: float, k: int, n: int) -> Vote:
        """The vote of n records about flats of dimension k at most."""
        T = sufficient_votes(cost, 1)
        A = min(alpha * n, LARGE * T * GROWTH ** (max(k, 1) - 1))
        sizes = {1} | {round(_best_share(j) * j * n / A) for j in range(1, k + 1)}
        widest, larger = max(sizes), n / (SCARCE * T)
        while k and larger > 2 * widest:
            sizes.add(floor(larger))
            larger /= 2
        few = tuple(sorted(size for size in sizes if 1 <= size <= n))
        deals = 1 if n < FEW else max(1, min(DEALS, WORK // (n * len(few))))
        share = SHARES[NEAR * max(k, 1) * T <= A]
        return Vote(few, deals, floor(share * A))

    @property
    def levels(self) -> int:
        return levels_of(self.sizes, self.deals)

    def failure(self, cost: Budget, k: int, p: int, n: int, alpha: float) -> float:
        """At least the probability of an error above α, if some flat makes no error (Theorem 2)."""
        log_r = float(cost.epsilon / 2)
        bad = chance(0.0, self.cap, n, alpha, log_r, "realizable") + sum(
            chance(log_voters(self, m, n), self.cap, n - m, alpha, log_r, "realizable") for m in self.sizes
        )
        if bad >= 1 or k > MOST_DIMENSIONS:
            return 1.0
        low, high = -1, len(GIVEN_UP)  # of the last share that is not enough, and of the first that is
        while high - low > 1:
            middle = (low + high) // 2
            enough = uncertain(self, cost, k, p, n, GIVEN_UP[middle]) <= alpha
            low, high = (low, middle) if enough else (middle, high)
        return min(1.0, GIVEN_UP[high] + bad) if high < len(GIVEN_UP) else 1.0


def sufficient_votes(cost: Budget, levels: int) -> float:
    """T.

    >>> round(sufficient_votes(Budget(1, 1e-6), 33), 2)
    35.62
    """
    return 1 + log_at_least((1 - cost.delta) / cost.delta * levels) / float(cost.epsilon / 2)


def log_voters(vote: Vote, m: int, n: int) -> float:
    """ln of the number of subsets of m records in all deals."""
    return log((1 if m == 1 else vote.deals) * max(n // m, 1))


def spans(e: float, t: float, m: int, d: int, p: int) -> float:
    """At most the probability that the positive records among m span a G of dimension d (Lemma 2).

    >>> round(spans(0, 0.1, 1, 0, 2), 4), round(spans(0.1, 0.1, 2, 0, 2), 4), round(spans(0, 0.25, 2, 1, 2), 4)
    (0.1, 0.17, 0.125)
    """
    rates = [t * p / (p - 1) if d else t, *(t * (1 - p**-c) / (1 - 1 / p) for c in range(d, 0, -1))]
    step = np.diag([1 - e] * (d + 2)).astype(np.float64)
    for i, rate in enumerate(rates):
        step[i, i + 1] = min(rate, 1 - e)
        step[i, i] -= step[i, i + 1]
    return float(np.linalg.matrix_power(step, m)[0, -1]) * ROUNDING


@lru_cache(maxsize=1024)
def uncertain(vote: Vote, cost: Budget, k: int, p: int, n: int, share: float) -> float:  # noqa: PLR0917
    """If F has a larger probability, never is released with probability ``share`` at most (Theorem 2); 1 if unknown.

    >>> vote = Vote.of(Budget(1, 1e-6), 0.1, 1, 3000)
    >>> uncertain(vote, Budget(1, 1e-6), 1, 2, 3000, 0.04) < 0.1
    True
    """
    e, log_r, T = 0.0, float(cost.epsilon / 2), sufficient_votes(cost, vote.levels)
    for d in range(k, -1, -1):
        rest = share - too_many(n, e, vote.cap, log_r)

        def found(t: float, e: float = e, d: int = d, rest: float = rest) -> bool:
            """Whether few enough subsets fail to vote for G."""
            return any(missed_point(n // m, spans(e, t, m, d, p), T, log_r) <= rest for m in vote.sizes)

        low, high = 1 / (100 * n), 1 - e
        if rest <= 0 or not found(high):
            return 1.0
        for _ in range(STEPS):
            middle = (low * high) ** 0.5
            low, high = (low, middle) if found(middle) else (middle, high)
        e += high
        if e >= 1:
            return 1.0
    return e


def too_many(n: int, e: float, C: int, log_r: float) -> float:
    """At least E[1/(1 + r^(C − J))], J ~ Bin(n, e): a flat outside of which J positive records lie is given up.

    >>> round(too_many(100, 0.0, 10, 0.5), 6) == round(1 / (1 + exp(5)), 6)
    True
    """
    if n > MOST:
        return 1.0  # at_most then counts fewer records, and J would be too small
    J = upto(max(C, 0) + floor(40 / log_r) + 2)
    lost = 1 / (1 + np.exp(np.clip((C - J) * log_r, -LARGEST_LOGARITHM, LARGEST_LOGARITHM)))
    lost = np.append(lost[1:], 1.0) if len(J) <= J[-1] else lost  # between two of some J, the larger counts
    above = 1 - at_most(J[:-1], n, e)
    beyond = (1 - lost[-1]) * (1 - at_most(J[-1:], n, e)[0])
    return min(1.0, float(lost[0] + np.diff(lost) @ above + beyond) * (1 + 1e-9))


@lru_cache
def _best_share(j: int) -> float:
    """x where (1 − e^(−x))^(j+1)/x is largest: of subsets of x·j/α records, the most see j + 1 points of mass α/j each.

    >>> round(_best_share(1), 2), round(_best_share(2), 2)
    (1.26, 1.9)
    """
    low, high = 1e-9, 2.0 * (j + 2)
    for _ in range(60):
        x = (low + high) / 2
        low, high = (x, high) if (j + 1) * x > exp(x) - 1 else (low, x)
    return high
