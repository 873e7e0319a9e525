"""The number of subsets and their size: [GGKM21, Alg. 2], step 1, as printed and tight.

[GGKM21, §5.3]  docs/references.bib        corrections: docs/errata/GGKM21.md        proof: docs/proofs/ggkm21.md

Throughout this file
    F, X     the class and its domain; ⊥ is no hypothesis           SOA, k′    as in reduce_tree.py
    d, V     Littlestone and VC dimension           η, β    error (alpha) and failure probability        ε, δ    privacy
    m, n₀    the number of subsets, and of records in each         ℓ    for how many hypotheses a subset may vote
    b, γ     of m subsets, b may be bad; one is bad with probability at most γ
    α_Δ      a step of error between the levels of the tree
    u        α_Δ/4, so that η = (4d + 3)·u: a good subset misjudges no function by more than u (``misjudgment``)
    r        e^(ε/2), the base of the weights of the choice
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import ceil, comb, exp, inf, log
from typing import NamedTuple

from scipy.special import bdtr, bdtrc, betainc

from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21.reduce_tree import Levels, most_hypotheses
from privpac.privacy.bisection import smallest, smallest_upto
from privpac.privacy.budget import Budget

MOST_BAD = 64  # tight plans allow fewer bad subsets than this
MOST_PARTS = 10**12  # the most closed sets of a target; with more, N would exceed the records of any sample
MOST_IN_A_SUBSET = 2**40  # more records than any subset has
MOST_COUNTED = 1000  # the most points on which all functions are counted; 2^1000 is still a float


@dataclass(frozen=True)
class Shape:
    """The dimensions and sizes of a class. If it is ``open``, records may have points that were not declared.

    >>> Shape(d=1, vc=1, points=40, concepts=40).functions(k_prime=40)
    40
    """

    d: int
    vc: int
    points: int | float
    concepts: int | float
    open: bool = False

    def functions(self, k_prime: int) -> int | float:
        """The most SOA hypotheses that k′-irreducible sub-classes can have; all functions, if no bound is known.

        With k′ ≥ |X| they are the concepts; with k′ > V they shatter no more than F does (ggkm21, Lemma 1).
        """
        if k_prime >= self.points:
            return self.concepts
        limit = self.vc if k_prime > self.vc else self.points  # E-GGKM21-9: V, not d
        if self.points == inf or limit > MOST_COUNTED:
            return inf
        return sum(comb(int(self.points), i) for i in range(int(limit) + 1))


class PolyPriPlan(NamedTuple):
    """m subsets of n₀ records, on levels that let each of them vote for at most ℓ = ``votes`` hypotheses."""

    m: int
    n0: int
    levels: Levels
    votes: int

    @property
    def records(self) -> int:
        """The number of records of all parts: m·n₀."""
        return self.m * self.n0


def most_votes(levels: Levels, shape: Shape) -> int:
    """ℓ: the number of leaves that the tree can have, or of hypotheses in all if there are fewer.

    >>> levels = Levels.tight(1, Fraction(1, 10), 50)
    >>> most_votes(levels, Shape(1, 1, 40, 40)), most_votes(levels, Shape(1, 1, 40, 40, open=True))
    (40, 51)
    """
    if shape.open:
        return most_hypotheses(levels)
    return int(min(most_hypotheses(levels, shape.points), shape.functions(levels.k_prime)))


def _printed_sizes(shape: Shape, alpha: float, beta: float, epsilon: float, delta: float) -> tuple[float, float]:
    """The least m and n₀ with (d + 3)·α_Δ ≤ η and (d + 1)·ν ≤ m [GGKM21, Alg. 2, step 1], where C₀ = C = 1.

    ν is the number of votes that a hypothesis needs.
    """
    d, ε, m, n0 = shape.d, min(epsilon, 1.0), 2.0, 1.0
    for _ in range(100):  # converges to a fixed point: n₀ and ν depend on m only through its logarithm
        n0 = (6 * (d + 3) / alpha) ** 2 * (shape.vc + log(2 * m / beta))
        k = max(n0 * alpha, 64 * d / alpha**2)
        ν = (log(m) + d**2 * log(2) + d * log(k) + log(1 / (ε * delta * beta))) / ε
        m = (d + 1) * ν
    return m, n0


def printed_size(d: int, vc: int, *, alpha: float, beta: float, epsilon: float, delta: float) -> float:
    """n = m·n₀ [GGKM21, Thm 5.7], with hidden constants set to 1: an order of magnitude that guarantees nothing.

    >>> f"{printed_size(1, 1, alpha=0.1, beta=0.05, epsilon=1, delta=1e-6):.1e}"
    '3.3e+07'
    """
    m, n0 = _printed_sizes(Shape(d, vc, 1, 1), alpha, beta, epsilon, delta)
    return m * n0


def printed_plan(shape: Shape, alpha: Fraction, beta: float, cost: Budget) -> PolyPriPlan:
    """Step 1 of [GGKM21, Alg. 2], with hidden constants set to 1 and α_Δ = η/(d + 3)."""
    m, n0 = map(ceil, _printed_sizes(shape, float(alpha), beta, float(cost.epsilon), float(cost.delta)))
    k_prime = max(ceil(n0 * alpha), ceil(64 * max(shape.d, 1) / alpha**2))
    levels = Levels.printed(shape.d, alpha / (shape.d + 3), k_prime)
    return PolyPriPlan(m, n0, levels, most_hypotheses(levels))  # E-GGKM21-3: Π(k_t + 1), more than printed


def misjudgment(n: int, d: int, u: Fraction) -> float:
    """A bound on the probability that n records misjudge one function (ggkm21, Lemma 3).

    They judge a function of error p well if, for every odd j ≤ 4d + 3, its error on them is at most (j + 1)·u if
    p ≤ j·u, and more than (j − 1)·u if p > j·u. In the code, each odd j stands for the errors j·u < p ≤ (j + 2)·u; at
    j = −1 and at j = 4d + 3, only one side can fail.

    >>> round(misjudgment(1173, 1, Fraction(1, 28)), 5)
    0.00298
    """

    def seen_below(j: int) -> float:
        return float(bdtr((j - 1) * u.numerator * n // u.denominator, n, float(j * u))) if j > 0 else 0.0

    def seen_above(j: int) -> float:
        most = (j + 1) * u.numerator * n // u.denominator
        return float(bdtrc(most, n, float(j * u))) if j <= 4 * d + 3 and most < n else 0.0

    return max(seen_below(j) + seen_above(j + 2) for j in range(-1, 4 * d + 4, 2))


def wrong_choice(m: int, b: int, d: int, choice: SparseExponential) -> float:
    """A bound on the probability of ⊥ or of a hypothesis for which only bad subsets vote, if b of m are bad.

    >>> round(wrong_choice(107, 20, 1, SparseExponential(Budget(1, 1e-6), k=40)), 4)
    0.0233
    """
    # Good subsets stop at one of d + 1 steps, and those that stop at the same step share a hypothesis. So some
    # hypothesis has the votes of at least q good subsets.
    q, half = -(-(m - b) // (d + 1)), float(choice.cost.epsilon) / 2
    return exp(min(0.0, choice.log_nothing - q * half)) + choice.k * b * exp(min(0.0, (b - q) * half))


def tight_plan(shape: Shape, alpha: Fraction, beta: float, cost: Budget) -> PolyPriPlan:
    """The m and n₀ with the least m·n₀ in Theorem 2 of ggkm21: β/2 is for bad subsets, and β/2 for a wrong choice.

    >>> plan = tight_plan(Shape(1, 1, 40, 40), Fraction(1, 4), 0.05, Budget(1, 1e-6))
    >>> plan.m, plan.n0, plan.records
    (107, 1173, 125511)
    """
    d, u = shape.d, alpha / (4 * shape.d + 3)
    if d == 0:
        return _plan_for(shape, 1, u)
    if shape.points == inf:
        raise ValueError("no number of records is proved for an infinite domain; declare its size, or give a plan")

    def γ(n0: int) -> float:
        functions = shape.functions(_plan_for(shape, n0, u).levels.k_prime)
        return (functions if functions < 2**MOST_COUNTED else inf) * misjudgment(n0, d, u)

    return _least_plan(lambda n0: _plan_for(shape, n0, u), γ, d, beta, cost)


def closure_plan(shape: Shape, alpha: Fraction, beta: float, cost: Budget, parts: float = 1) -> PolyPriPlan:
    """The least m·n₀ for points, sets and flats of a domain of any size: each subset votes for the hull of its ones.

    Hulls are nonempty closed sets inside the target, which has at most ``parts`` of them: for points, only itself.

    >>> plan = closure_plan(Shape(1, 1, 2**64, 2**64), Fraction(1, 4), 0.05, Budget(1, 1e-6))
    >>> plan.m, plan.n0, plan.records
    (57, 5, 285)
    >>> closure_plan(Shape(2, 2, inf, inf), Fraction(1, 4), 0.05, Budget(1, 1e-6), parts=3).records
    1536
    """
    if parts > MOST_PARTS:
        raise ValueError(f"N would be more than {MOST_PARTS:.0e} records; choose a class with a smaller k, dim, or p")
    # One step from α₁ = 1 to α₂ = 0: no leaf is ever added, and the tree has one hypothesis (Theorem 2, parts 2 and 3).
    levels = Levels(1, step=Fraction(1), top=Fraction(1), back=Fraction(0), k_prime=shape.vc + 1, k_first=0)
    plan = PolyPriPlan(1, 1, levels, most_hypotheses(levels))

    def γ(n0: int) -> float:
        return parts * float(1 - alpha) ** n0

    return _least_plan(lambda n0: plan._replace(n0=n0), γ, int(parts) - 1, beta, cost)


def _least_plan(
    with_size: Callable[[int], PolyPriPlan], bad: Callable[[int], float], d: int, beta: float, cost: Budget
) -> PolyPriPlan:
    """The plan with the least m·n₀; ``with_size(n0)`` is a plan, and ``bad(n0)`` the probability of a bad subset: γ."""
    plan_of, γ = cache(with_size), cache(bad)

    @cache
    def subsets(b: int, votes: int) -> int:
        choice = SparseExponential(cost, votes)
        return smallest(lambda m: wrong_choice(m, b, d, choice) <= beta / 2, b)

    def plan_with(b: int) -> PolyPriPlan | None:
        def enough(n0: int) -> bool:
            m = subsets(b, plan_of(n0).votes)
            # betainc(b + 1, m − b, γ) is the probability that more than b of m are bad; bdtrc takes no m beyond 2^31.
            return γ(n0) < 1 and float(betainc(b + 1, m - b, γ(n0))) <= beta / 2

        n0 = smallest_upto(MOST_IN_A_SUBSET, enough)
        return None if n0 is None else plan_of(n0)._replace(m=subsets(b, plan_of(n0).votes))

    plans = [plan for plan in map(plan_with, range(MOST_BAD)) if plan is not None]
    if not plans:
        raise ValueError("no number of records is proved, as subsets may vote for too many rules; give a plan")
    return min(plans, key=lambda plan: plan.records)


def _plan_for(shape: Shape, n0: int, u: Fraction) -> PolyPriPlan:
    """The plan with the least k′ for which good subsets vote only for hypotheses of error at most (4d + 3)·u."""
    most = n0 * (4 * shape.d + 2) * u  # the most errors that a concept behind a vote makes on the subset (Theorem 2)
    k_prime = int(min(max(int(most) + 1, shape.vc + 1), shape.points))
    levels = Levels.tight(shape.d, 4 * u, k_prime)
    return PolyPriPlan(1, n0, levels, most_votes(levels, shape))
