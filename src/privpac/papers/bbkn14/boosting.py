"""[BBKN14, Lemma 4.4, Claim 4.5]: any ε instead of ε*, and any β instead of 3/4.

Throughout this file
    A2, A5   learners of points from some of the examples, which return a set of points, or a key (``improper``)
    ε*       the cost of A2 or A5, which the error determines
    q        the probability that an entry is kept; ⋆ replaces the others
    α₁, f    the error that each copy aims at, and the probability that it misses it
    K, n₁    how many copies run, each on its own n₁ examples; the paper's N is K here
    m        fresh examples on which the copies' hypotheses are compared
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, log
from typing import Any, ClassVar, NamedTuple

import numpy as np
from flint import ctx

from privpac.classes.hypothesis import Constant
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.bbkn14.improper import A2, A5, RandomPlaces
from privpac.papers.bbkn14.occam import comparison_size, store_goal_as_fractions
from privpac.papers.bbkn14.points import STAR, OnPoints, TableEntry
from privpac.privacy.accounting.amplification import star_rate
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import PRECISION, ball, rounded_down
from privpac.refusals.option_words import PaperConstants

NEVER = Constant(False)


def star_share(epsilon: Fraction, epsilon_star: Fraction) -> Fraction:
    """(e^ε − 1)/(e^(ε*) + e^ε − e^(ε − ε*) − 1), rounded down: the share of entries that [BBKN14, Lemma 4.4] keeps.

    >>> round(float(star_share(Fraction(1), A2(3, Fraction(1, 10)).cost.epsilon)), 4)
    0.341
    """
    if epsilon >= epsilon_star:
        return Fraction(1)
    with ctx.workprec(PRECISION):
        ε, star = ball(epsilon), ball(epsilon_star)
        return rounded_down(ε.expm1() / (star.exp() + ε.exp() - (ε - star).exp() - 1))


@dataclass(frozen=True)
class A3(OnPoints):
    """Keep each entry with probability q, put ⋆ in place of the others, and run A2; or A5, for Theorem 4.8.

    Privacy   ε, for all inputs: bbkn14, Theorem 8
    Utility   error at most α with probability at least 1/5 from N or more labeled examples, if realizable: Theorem 9

    >>> A3(A2(3, Fraction(1, 10)), Budget(1)).N, A3(A2(3, Fraction(1, 10), "tight"), Budget(1)).N
    (53234, 222)
    """

    learner: A2
    cost: Budget
    name: ClassVar[str] = "A3"
    theorem: ClassVar[str] = "bbkn14, Theorem 8"
    failure: ClassVar[Fraction] = Fraction(4, 5)  # the probability that the error exceeds α; (4/5)^K for all K copies

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cost.epsilon <= 0:
            raise ValueError("the budget must have a positive epsilon")

    @property
    def T(self) -> int:  # type: ignore[override]  # noqa: N802  (the paper's letter)
        return self.learner.T

    @property
    def constants(self) -> str:  # type: ignore[override]
        return self.learner.constants

    @cached_property
    def q(self) -> Fraction:
        ε, star = self.cost.epsilon, self.learner.cost
        return star_rate(star, ε) if self.constants == "tight" else star_share(ε, star.epsilon)  # E-BBKN14-3

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        """384·ln 4/(εα²), ε ≤ 1; or the least that the proof allows."""
        ε, α = min(float(self.cost.epsilon), 1.0), float(self.learner.alpha)
        return ceil(384 * log(4) / (ε * α**2)) if self.constants == "printed" else self.sample_size(self.failure)

    def sample_size(self, failure: float | Fraction) -> int:
        """How many examples make the error exceed α with probability at most ``failure``."""
        return self.learner.sample_size(float(self.q), failure)

    def run(self, D: Sequence[TableEntry], ask: Ask) -> Any:
        kept = set(ask(RandomPlaces(self.q), len(D)))
        return ask(self.learner, [d if i in kept else STAR for i, d in enumerate(D)])


def claim_4_5(alpha: float, beta: float, epsilon: float) -> float:
    """log_{5/4}(5/β) copies with error α/8 on 384·ln 4/(ε(α/8)²) examples each, then 24·ln(3/β²)/(εα) to choose.

    For ε ≤ 1. The paper states it for every β, but proves it for β ≤ 0.01; :class:`Boosted` plans with at most that.

    >>> [f"{claim_4_5(0.1, β, 1.0):.3g}" for β in (0.05, 0.01)]
    ['7.03e+07', '9.49e+07']
    """
    n1 = 384 * log(4) / (epsilon * (alpha / 8) ** 2)
    return log(5 / beta) / log(5 / 4) * n1 + 24 * log(3 / beta**2) / (epsilon * alpha)


class BoostingPlan(NamedTuple):
    """How many copies run, on how many examples."""

    accuracy: Fraction  # α₁
    copies: int  # K
    n1: int  # n₁
    fresh: int  # m

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        return self.copies * self.n1 + self.fresh


@dataclass(frozen=True)
class Boosted(OnPoints):
    """K copies of A3 on samples of their own, then the exponential mechanism among their hypotheses.

    ``base`` is A2 for Claim 4.5 and A5 for Theorem 4.8; hypotheses of A5 are two numbers, however large T is. Any
    number of examples is divided in the same proportions as N.

    Privacy   ε, for all inputs: bbkn14, Theorem 10
    Utility   error at most α with probability at least 1 − β from N or more examples, if realizable: Theorem 11

    >>> Boosted(2**64, Budget(1), Fraction(1, 10), Fraction(1, 20)).N
    95397299
    >>> Boosted(2**64, Budget(1), Fraction(1, 10), Fraction(1, 20), "tight").plan
    BoostingPlan(accuracy=Fraction(11, 160), copies=7, n1=984, fresh=1928)
    """

    T: int
    cost: Budget
    alpha: Fraction
    beta: Fraction
    constants: PaperConstants = "printed"
    base: Callable[..., A2] = A5
    name: ClassVar[str] = "boosted A3"
    theorem: ClassVar[str] = "bbkn14, Theorem 10"

    def __post_init__(self) -> None:
        super().__post_init__()
        store_goal_as_fractions(self)
        if self.alpha >= Fraction(1, 2):
            raise ValueError("alpha must lie strictly between 0 and 1/2")
        _ = self.plan  # a plan that is impossible fails here, before anything is spent

    def copy(self, accuracy: Fraction) -> A3:
        """A3 for this error."""
        return A3(self.base(self.T, accuracy, self.constants), self.cost)

    @cached_property
    def plan(self) -> BoostingPlan:
        """The printed plan; or the plan with the least N among K ≤ 64 + ln(2/β) and α₁ = α/16, 2α/16, …, 15α/16."""
        ε, α, β = float(self.cost.epsilon), float(self.alpha), float(self.beta)
        if self.constants == "printed":
            β = min(β, 0.01)  # E-BBKN14-4
            fresh = ceil(24 * log(3 / β**2) / (min(ε, 1.0) * α))  # E-BBKN14-4
            return BoostingPlan(self.alpha / 8, ceil(log(5 / β) / log(5 / 4)), self.copy(self.alpha / 8).N, fresh)
        plans = []
        for α1 in (self.alpha * sixteenths / 16 for sixteenths in range(1, 16)):
            copy = self.copy(α1)
            for K in range(2, 65 + int(log(2 / β))):
                f = (β / 2) ** (1 / K)
                if f > 1 / 4:  # ``sample_size`` reaches it: κ + (1 − κ)/8 < 1/4, since κ = α₁/8 < 1/16
                    fresh = comparison_size(K, float(α1), α, β / 2, ε)
                    plans.append(BoostingPlan(copy.learner.alpha, K, copy.sample_size(f), fresh))
        return min(plans, key=lambda plan: plan.N)

    @cached_property
    def A(self) -> A3:  # noqa: N802  (the paper's letter)
        """The algorithm that runs K times."""
        return self.copy(self.plan.accuracy)

    @property
    def N(self) -> int:  # noqa: N802  (the paper's letter)
        return self.plan.N

    @property
    def outputs(self) -> int | float:
        """What one copy may return; ``NEVER`` stands for no hypothesis."""
        return self.A.learner.outputs + 1

    def run(self, D: Sequence[TableEntry], ask: Ask) -> Any:
        plan = self.plan
        n1 = len(D) * plan.n1 // plan.N
        Hyp = [ask(self.A, D[i * n1 : (i + 1) * n1]) or NEVER for i in range(plan.copies)]  # E-BBKN14-9
        fresh = Counter(z for z in D[plan.copies * n1 :] if z is not STAR)
        x, y = [x for x, _ in fresh], np.array([y for _, y in fresh], dtype=bool)
        counts = np.array([*fresh.values()])
        scores = [-int(counts[h(x) != y].sum()) for h in Hyp]  # minus the errors
        return Hyp[ask(Exponential(self.cost), scores)]
