"""How many records the algorithms of [Yan25] need, as printed and tight.

Throughout this file
    α, β    error and failure probability          ε, δ    privacy
    d       how many depths a node can have: one more than the height of the tree
    t, m    how many subsets, of how many records each
    q       how many subsets vote for a node        r       how many subsets lie on either side of the median
    k       how many candidates a record supports at most
    θ, T    a child is light if it has at most a share θ of the records; the way down has at most T steps
    ε₀      the cost of each of the 2T releases on that way: ``release_cost``

Where a theorem says O(·), the hidden constant is 1: in ``median_size`` and ``printed_second``. These numbers, and those
computed from them, show an order of magnitude and guarantee nothing. The other functions have no hidden constant.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import ceil, e, exp, inf, log, log1p, log2, sqrt
from typing import NamedTuple

from scipy.special import bdtrc, gammainccinv

from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.privacy.bisection import smallest, smallest_between, smallest_upto
from privpac.privacy.budget import Budget

MOST_SUBSETS = 2**40  # the most subsets; no budget asks for more
LIGHT_SHARES = tuple(Fraction(i, 5) for i in (1, 2, 3))  # of the error that the way down may add: values of θ to try


def log_star(x: float) -> int:
    """How many times log₂ is applied until at most 1 is left.

    >>> [log_star(x) for x in (1, 2, 16, 65536, 2**64, 2 ** (2**20))]
    [0, 1, 3, 4, 5, 6]
    """
    if not x < inf:
        raise ValueError("x must be finite")
    return 0 if x <= 1 else 1 + log_star(log2(x))


def sample_size(alpha: float, beta: float, vc: int = 1) -> float:
    """(48/α)(10·VC·ln(48e/α) + ln(5/β)) [Yan25, Thm 3].

    With probability 1 − β, two concepts that differ on at most a share α/10 of this many examples differ with
    probability less than α on a new one.

    >>> round(sample_size(0.1, 0.05))
    36645
    """
    return 48 / alpha * (10 * vc * log(48 * e / alpha) + log(5) - log(beta))  # E-Yan25-7: e, not ε


def median_size(d: float, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """log* d·ln²(log* d/(βδ))/(3αε) [Yan25, Thm 9]: the hidden constant is 1 at α = ⅓, where Alg. 2 asks for it.

    >>> round(median_size(2**64, 1 / 3, 0.05, 1, 1e-6))
    1697
    """
    L = max(log_star(d), 1)
    return L * (log(L) - log(beta) - log(delta)) ** 2 / (3 * alpha * epsilon)


def slack(n: float, beta: float, epsilon: float, delta: float, k: int = 1) -> float:
    """(16/ε)·ln(4kn/(βεδ)) [Yan25, Lemma 1]: with probability 1 − β, the choice scores at most this less than the best.

    >>> round(slack(200, 0.05, 1, 1e-6))
    376
    """
    return 16 / epsilon * (log(4 * k * n) - log(beta) - log(epsilon) - log(delta))


def votes_needed(cost: Budget, beta: float, k: int = 1) -> int:
    """The votes with which the sparse exponential mechanism chooses a lone candidate with probability 1 − β.

    >>> votes_needed(Budget(1, 1e-6), 0.05)
    35
    """
    return max(1, ceil((SparseExponential(cost, k).log_nothing + log((1 - beta) / beta)) / float(cost.epsilon / 2)))


def improper_size(d: float, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """t·m records [Yan25, Thm 11]: with ε/2, δ/2 and β/(t + 2) in place of ε, δ and β, as its proof asks.

    An ε above 4 is served by 4, since Lemma 1 asks for ε/2 < 2.

    >>> f"{improper_size(2**64, 0.1, 0.05, 1, 1e-6):.1e}"
    '3.2e+08'
    """
    t = printed_subsets(d, beta, epsilon, delta)
    return t * sample_size(alpha, beta / (t + 2))


def printed_subsets(d: float, beta: float, epsilon: float, delta: float) -> float:
    """t [Yan25, Alg. 2]: enough for the median, and six times the slack of the choice.

    ε, δ and β are replaced as in :func:`improper_size`.

    >>> round(printed_subsets(2**64, 0.05, 1, 1e-6))
    7889
    """
    ε, δ, t = min(epsilon, 4.0) / 2, delta / 2, 1.0
    for _ in range(100):  # converges to a fixed point: the right-hand side depends on t only through its logarithm
        β = beta / (t + 2)
        n = median_size(d, 1 / 3, β, ε, δ)
        t = max(n, 6 * slack(n, β, ε, δ))
    return t


def proper_size(d: float, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """``improper_size`` plus the records for the way down to a concept [Yan25, Thm 13].

    >>> f"{proper_size(2**64, 0.1, 0.05, 1, 1e-6):.1e}"
    '3.2e+08'
    """
    return improper_size(d, alpha, beta, epsilon, delta) + printed_second(alpha, beta, epsilon, delta)


def printed_second(alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """N₂ [Yan25, Alg. 4] as Theorem 13 has it: (ln(1/α) + ln(1/(αβ)))·√ln(1/δ)/(α^2.5·ε).

    >>> round(printed_second(0.1, 0.05, 1, 1e-6))
    8934
    """
    return (log(1 / alpha) + log(1 / (alpha * beta))) * sqrt(log(1 / delta)) / (alpha**2 * sqrt(alpha) * epsilon)


def subset_size(alpha: float, beta: float) -> int:
    """The least m with (1 − α)^m ≤ β: the path of m examples errs by more than α with probability at most β.

    It replaces :func:`sample_size` in [Yan25, Lemma 7].

    >>> subset_size(0.1, 0.05)
    29
    """
    return max(1, ceil(log(beta) / log1p(-alpha)))  # E-Yan25-6: directly, not by Theorem 3


class Subsets(NamedTuple):
    """t subsets of m records each."""

    t: int
    m: int

    @property
    def records(self) -> int:
        return self.t * self.m


def split(rank_error: Callable[[int], int | None], choice: Budget, alpha: float, beta: float) -> Subsets:
    """The t and m with the least t·m, within 1 %, for which Alg. 2 fails with probability at most β (Theorem 3).

    ``rank_error(t)`` bounds the rank error of the median of t depths, except with probability β/3 (None: no bound); it
    must not grow faster than t/2. The median, the choice, and the event of too many bad subsets, whose rules err by
    more than α, may each fail with probability β/3.

    >>> split(lambda t: 20, Budget("0.5", 1e-6), 0.1, 0.05)
    Subsets(t=185, m=11)
    """
    q, least = votes_needed(choice, beta / 3), subset_size(alpha, 0.5)

    def side(t: int) -> int:  # r
        error = rank_error(t)
        return -1 if error is None else (t + 1) // 2 - error

    t = smallest_upto(MOST_SUBSETS, lambda t: side(t) >= q)  # E-Yan25-6: more votes than the choice may lose
    if t is None:
        raise ValueError("this median has no certified rank error; set t, the number of subsets")

    def enough(t: int, m: int) -> bool:
        """Whether ``side(t)`` or more of t subsets of m records are bad with probability at most β/3."""
        return bool(bdtrc(side(t) - 1, t, exp(m * log1p(-alpha))) <= beta / 3)  # E-Yan25-13: not all t need to succeed

    best = Subsets(t, smallest_between(partial(enough, t), 0, subset_size(alpha, beta / (3 * t))))
    while t * least < best.records:  # a subset may fail at most half the time, so m ≥ least
        t += max(1, t // 100)
        fewer = (best.records - 1) // t
        if enough(t, fewer):
            best = Subsets(t, smallest_between(partial(enough, t), 0, fewer))
    return best


def steps(theta: Fraction, longest: int) -> int:
    """T: ⌈2/θ⌉ [Yan25, Alg. 4, step 7], or the length of the longest way down to a concept, if that is less.

    >>> steps(Fraction(1, 10), 1000), steps(Fraction(1, 10), 3)
    (20, 3)
    """
    return min(ceil(2 / theta), longest)  # E-Yan25-11: the loop ends at a leaf


class Losses(NamedTuple):
    """Bounds on what the way down loses, in records; λ, V, and s in Theorem 4 of yan25."""

    noise: float  # λ, in all T steps
    value: float  # V, the sum over all choices by value
    weight: float  # s, in one choice by weight


def losses(release_cost: Budget, beta: float, theta: Fraction, T: int) -> Losses:
    """λ, V and s, each of which fails with probability at most β.

    >>> [round(x) for x in losses(Budget("0.5"), 0.05, Fraction(1, 10), 4)]
    [10, 60, 21]
    """
    ε0, θ = float(release_cost.epsilon), float(theta)
    value = 2 / ε0 * (T * log1p(2 / (θ * T)) + float(gammainccinv(T, beta)))  # E-Yan25-12: not T·ln(2/α)/ε
    return Losses(log(2 * T / beta) / ε0, value, 2 / ε0 * log(1 / (θ * beta)))


def second_size(release_cost: Budget, alpha: Fraction, beta: float, theta: Fraction, T: int) -> int:
    """The N₂ with which T steps add an error of at most α, except with probability β (yan25, Theorem 4).

    The noise, the choices by value, the choice by weight, and the error beyond the sample may each fail with
    probability β/4.

    >>> second_size(Budget("0.5"), Fraction(1, 5), 0.05, Fraction(1, 25), 1)
    1032
    """
    α, θ, part = float(alpha), float(theta), beta / 4
    noise, value, weight = losses(release_cost, part, theta, T)

    def fails(n: int) -> bool:
        # K: the most errors of the result on S_2; b: the fewest errors of a bad leaf on n new records
        K, b = θ * n + noise + value + weight, α * n - 1
        if b <= K or noise > θ * n / 2:
            return True
        # The 2n records have at most 2n + 1 paths of a bad leaf; Hoeffding's bound is for each of them.
        return log(2 * (2 * n + 1)) - (b - K) ** 2 / (2 * (b + K)) > log(part)

    return smallest(lambda n: not fails(n))
