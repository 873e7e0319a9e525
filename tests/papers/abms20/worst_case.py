"""The class on which relabeling costs nearly its price, a learner that says most, and the exact loss."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import exp, log
from typing import ClassVar

import numpy as np

from privpac.audit.exact_divergence import worst
from privpac.classes.finite.explicit import ExplicitClass
from privpac.mechanisms.algorithm import Coin, law_of
from privpac.papers.abms20.relabeling import RelabelAndLearn
from privpac.papers.paper_learner import PaperLearner
from privpac.privacy.budget import Budget

ONE = Budget(1)
FIRST, SECOND = "first", "second"


def crowded(bits):
    """All patterns on some points. FIRST has two labels beside the first pattern and only False beside the others;
    for SECOND it is the other way round."""
    rows = [
        (*g, a, b)
        for g in product((0, 1), repeat=bits)
        for a, b in product((0, 1), repeat=2)
        if (b == 0 if not any(g) else a == 0)
    ]
    return ExplicitClass(rows, points=[*range(bits), FIRST, SECOND])


@dataclass(frozen=True)
class Tells(PaperLearner):
    """Says whether FIRST is among its points; with probability δ the truth, otherwise by randomized response."""

    H: ExplicitClass
    cost: Budget
    name: ClassVar[str] = "tells"
    theorem: ClassVar[str] = "composition, Theorem 3"
    N: ClassVar[int] = 0
    alpha: ClassVar[Fraction] = Fraction(1, 10)
    beta: ClassVar[Fraction] = Fraction(1, 10)

    @property
    def domain(self):
        return self.H.domain

    def run(self, data, ask):
        truth = any(x == FIRST for x, _ in data)
        if self.cost.delta and ask(Coin(self.cost.delta), None):
            return "surely", truth
        g = Fraction(exp(float(self.cost.epsilon)))
        return "perhaps", truth == ask(Coin(g / (1 + g) - Fraction(1, 10**9)), None)


def first_wins(rows, D):
    """A score of matched sensitivity 1, as it is 0 or 1: whether the first pattern is meant, and FIRST is not there."""
    is_first = ~rows[:, :-1].any(axis=1)
    return (is_first != (D[-1][0] == FIRST)).astype(np.int64)


def worst_case(bits, *, cost=ONE, counts_errors=True):
    """V is public and shows the pattern; one example is FIRST or SECOND, labeled True, which most patterns miss."""
    H, shared = crowded(bits), tuple((x, False) for x in range(bits))
    learner = RelabelAndLearn(Tells(H, cost), H, V=shared, q=None if counts_errors else first_wins)
    beside = () if counts_errors else shared
    return learner, ((*beside, (FIRST, True)), (*beside, (SECOND, True)))


def expected(bits, *, counts_errors=True):
    """ln of (1 + r)/r, or of 2/r, and of how much more all the others weigh for SECOND; and ε."""
    r, others = exp(-0.5), 2**bits - 1
    most = 1 + r if counts_errors else 2
    return 1 + log(most / r) + log((others * most + r) / (others * r + most))


def loss(learner, pair, claimed=None):
    return worst(law(learner), [pair], claimed or learner.cost)


def law(learner):
    return lambda S: law_of(lambda ask: learner.run(S, ask))
