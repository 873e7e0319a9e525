"""The public numbers of a vote among flats, and a bound on the probability that it releases a bad one.

The records are dealt into subsets, and each subset votes for the flat that its positive points span. A flat competes
with a weight that grows with its votes and falls with its errors. The rule *never*, which answers 0 everywhere, weighs
at least 1. Two things can go wrong: a bad flat is released, or *never* is, although too many records are positive.

proof: docs/proofs/flat_learner.md

Throughout this file
    n, k, p  the number of records, the largest dimension of a flat, and the size of the field
    α        the error to plan for           A      the number of errors to plan for: αn, or fewer if n is large
    m        the size of a subset            L      the number of levels, one for each size and deal
    C        the cap: a flat with more than C errors hardly competes with never
    r        e^(ε/2)                         T      the votes with which a flat weighs as much as never
    F        the flat that makes no error    G      a flat inside F that contains most of its records
    e        the probability of F outside G
    t        the probability of G outside the likeliest flat that is smaller than G
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from math import exp, floor, log

import numpy as np

from privpac.learners.certificates.deviation import LARGEST_LOGARITHM, MOST, at_most, chance
from privpac.learners.certificates.tree_orders import upto
from privpac.learners.values.points import missed_point
from privpac.mechanisms.selection.exponential import log_at_least
from privpac.mechanisms.selection.votes import level_count
from privpac.privacy.budget import Budget

# The numbers of a vote. The proofs hold for any choice of them. They decide only how many records a good rule needs,
# which benchmarks/flats.py measures.
MOST_DEALS, MOST_DEALT = 16, 2**22  # the most deals, and the most records that all deals handle together
FEW_RECORDS = 100  # below this, one deal is enough
CAP_SHARE_FEW, CAP_SHARE_MANY = 0.84, 0.7  # C/A if A is below MANY·k·T, and otherwise, where certificates are possible
MANY = 5
VOTES_OF_LARGEST = 1.6  # how many of the largest subsets there are, in multiples of T
LARGEST_A, A_GROWTH = 20, 2.5  # A is at most LARGEST_A·T, times A_GROWTH for each dimension after the first
# The numbers of a certificate.
MOST_DIMENSIONS = 12  # flats of more dimensions have no certificate
STEPS = 12  # steps of a bisection on a logarithmic scale
ROUNDING = 1 - 1e-9  # covers the rounding of a matrix power in floats
NEVER_SHARES = (0.0005, 0.005, 0.02, 0.035, 0.045, 0.09, 0.3)  # failure probabilities to try for "never is released"


@dataclass(frozen=True)
class Vote:
    """The public numbers of a vote: the sizes of subsets, the number of deals, and the cap C.

    >>> Vote.of(Budget(1, 1e-6), 0.1, 2, 2277)
    Vote(sizes=(1, 13, 38), deals=16, cap=191)
    """

    sizes: tuple[int, ...]
    deals: int
    cap: int

    @staticmethod
    def of(cost: Budget, alpha: float, k: int, n: int) -> Vote:
        """The vote of n records about flats of dimension at most k.

        For each dimension j, there is the size at which most subsets span a flat of j + 1 equally likely points. Larger
        subsets see points of smaller probability; the largest ones are as large as the number of votes allows.
        """
        T = sufficient_votes(cost, 1)
        A = min(alpha * n, LARGEST_A * T * A_GROWTH ** (max(k, 1) - 1))
        sizes = {1} | {round(_best_share(j) * j * n / A) for j in range(1, k + 1)}
        widest, larger = max(sizes), n / (VOTES_OF_LARGEST * T)
        while k and larger > 2 * widest:
            sizes.add(floor(larger))
            larger /= 2
        possible = tuple(sorted(size for size in sizes if 1 <= size <= n))
        deals = 1 if n < FEW_RECORDS else max(1, min(MOST_DEALS, MOST_DEALT // (n * len(possible))))
        cap_share = CAP_SHARE_FEW if MANY * max(k, 1) * T > A else CAP_SHARE_MANY
        return Vote(possible, deals, floor(cap_share * A))

    @property
    def levels(self) -> int:
        """The number L of levels."""
        return level_count(self.sizes, self.deals)

    def failure(self, cost: Budget, k: int, p: int, n: int, alpha: float) -> float:
        """An upper bound on the probability of an error above α, if some flat makes no error (Theorem 2).

        It is the probability ``bad`` of a bad flat, plus the smallest of NEVER_SHARES that bounds that of never.
        """
        log_r = float(cost.epsilon / 2)
        voters = {m: (1 if m == 1 else self.deals) * max(n // m, 1) for m in self.sizes}  # subsets of m records
        bad = chance(0.0, self.cap, n, alpha, log_r, "realizable") + sum(
            chance(log(voters[m]), self.cap, n - m, alpha, log_r, "realizable") for m in self.sizes
        )
        if bad >= 1 or k > MOST_DIMENSIONS:
            return 1.0

        def is_bound(i: int) -> bool:
            return missable_probability(self, cost, k, p, n, NEVER_SHARES[i]) <= alpha

        first = bisect_left(range(len(NEVER_SHARES)), True, key=is_bound)
        return min(1.0, NEVER_SHARES[first] + bad) if first < len(NEVER_SHARES) else 1.0


def sufficient_votes(cost: Budget, levels: int) -> float:
    """The number T of votes with which a flat weighs as much as never.

    >>> round(sufficient_votes(Budget(1, 1e-6), 33), 2)
    35.62
    """
    return 1 + log_at_least((1 - cost.delta) / cost.delta * levels) / float(cost.epsilon / 2)


def span_probability(e: float, t: float, m: int, d: int, p: int) -> float:
    """A lower bound on the probability that the positive records among m span G, which has dimension d (Lemma 2).

    The bound is the probability that a Markov chain is in its last state after m steps. State i means that the
    records so far span a flat of dimension i − 1 inside G. A record of F outside G, which has probability e, ends it.
    """
    rates = [t * p / (p - 1) if d else t, *(t * (1 - p**-c) / (1 - 1 / p) for c in range(d, 0, -1))]
    step = np.diag([1 - e] * (d + 2)).astype(np.float64)
    for i, rate in enumerate(rates):
        step[i, i + 1] = min(rate, 1 - e)
        step[i, i] -= step[i, i + 1]
    return float(np.linalg.matrix_power(step, m)[0, -1]) * ROUNDING


@lru_cache(maxsize=1024)
def missable_probability(vote: Vote, cost: Budget, k: int, p: int, n: int, share: float) -> float:  # noqa: PLR0917
    """A bound e*: if F is likelier than that, never is released with probability at most ``share`` (Theorem 2).

    The loop takes a chain of flats, F = G_0 ⊃ G_1 ⊃ …, one dimension less each. If no G_i wins with enough probability,
    each step from G_i to G_(i+1) loses little, so all of F is unlikely. 1 if nothing is known.
    """
    e, log_r, T = 0.0, float(cost.epsilon / 2), sufficient_votes(cost, vote.levels)
    for d in range(k, -1, -1):
        left = share - loss_to_never(n, e, vote.cap, log_r)

        def wins(t: float, e: float = e, d: int = d, left: float = left) -> bool:
            """Whether G gets enough votes, except with the probability ``left`` of the share."""
            return any(missed_point(n // m, span_probability(e, t, m, d, p), T, log_r) <= left for m in vote.sizes)

        low, high = 1 / (100 * n), 1 - e  # ``high`` wins at every step; ``low`` is the end of the search
        if left <= 0 or not wins(high):
            return 1.0
        for _ in range(STEPS):
            middle = (low * high) ** 0.5
            low, high = (low, middle) if wins(middle) else (middle, high)
        e += high
        if e >= 1:
            return 1.0
    return e


def loss_to_never(n: int, e: float, C: int, log_r: float) -> float:
    """An upper bound on E[1/(1 + r^(C − J))], J ~ Bin(n, e): the chance that never beats a flat with J errors."""
    if n > MOST:
        return 1.0  # at_most would count only MOST records, which is too few for an upper bound
    J = upto(max(C, 0) + floor(40 / log_r) + 2)  # beyond, the flat weighs less than e^(−40) of never
    lost = 1 / (1 + np.exp(np.clip((C - J) * log_r, -LARGEST_LOGARITHM, LARGEST_LOGARITHM)))
    # If ``upto`` leaves out numbers, the loss at the next larger one bounds theirs.
    lost = np.append(lost[1:], 1.0) if len(J) <= J[-1] else lost
    above = 1 - at_most(J[:-1], n, e)
    beyond = (1 - lost[-1]) * (1 - at_most(J[-1:], n, e)[0])
    return min(1.0, float(lost[0] + np.diff(lost) @ above + beyond) * (1 + 1e-9))


@lru_cache
def _best_share(j: int) -> float:
    """The x for which (1 − e^(−x))^(j+1)/x is largest.

    Suppose that j + 1 points of probability α/j each span a flat. A subset of x·j/α records sees all of them with
    probability about (1 − e^(−x))^(j+1), and the number of subsets is proportional to 1/x. So this x gives most votes.
    """
    low, high = 1e-9, 2.0 * (j + 2)
    for _ in range(60):
        x = (low + high) / 2
        low, high = (x, high) if (j + 1) * x > exp(x) - 1 else (low, x)
    return high
