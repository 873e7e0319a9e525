"""Corollary 6.5: what is composed, what it costs, how many records it takes, and that it learns from noisy labels."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from privpac.classes.values.points import Points
from privpac.exact.entropy import SYSTEM
from privpac.papers.abms20 import PrivateAgnostic, SmallEpsilon
from privpac.papers.ggkm21.agnostic import corollary_6_5, corollary_6_5_order
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.proper import PolyPriPropLearn, PolyPriPropPlan
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sizes import PolyPriPlan
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

COST = Budget("0.5", 1e-6)


@over("constants", ["printed", "tight"])
def test_the_parts_and_their_cost(constants):
    """PolyPriPropLearn at ε = 1 and ¾ of α and β, relabeled, on a part of the examples; within the budget."""
    learner = corollary_6_5(Points(8), COST, 0.3, 0.04, constants)
    agnostic = learner.inner
    assert isinstance(agnostic, PrivateAgnostic)
    proper = agnostic.inner
    assert isinstance(proper, PolyPriPropLearn)
    assert (proper.alpha, proper.beta, proper.cost.epsilon) == (Fraction(9, 40), Fraction(3, 100), 1)
    assert (agnostic.alpha, agnostic.beta) == (Fraction(3, 10), Fraction(1, 25))
    assert learner.cost <= COST
    assert learner.cost.epsilon == COST.epsilon
    assert learner.sample_size(learner.N) >= agnostic.N


@over("constants", ["printed", "tight"])
@over("budget", [Budget(1, 1e-6), Budget("0.1", 1e-9)])
def test_all_of_delta_is_spent(constants, budget):
    """The price of the whole is the budget, but for rounding; a little more for PolyPriPropLearn exceeds it."""
    learner = corollary_6_5(Points(4), budget, 0.4, constants=constants)
    assert budget.delta * Fraction("0.999999") <= learner.cost.delta <= budget.delta
    proper = learner.inner.inner
    more = replace(proper, cost=Budget(1, proper.cost.delta * Fraction("1.000001")))
    assert SmallEpsilon(replace(learner.inner, inner=more), budget.epsilon).cost.delta > budget.delta


def test_a_large_delta_stays_a_probability():
    for constants in ("printed", "tight"):
        assert corollary_6_5(Points(4), Budget(1, 0.5), 0.4, constants=constants).cost <= Budget(1, 0.5)


def test_how_many_records():
    """Printed and tight; a ninth of a half of a part of them reaches PolyPriPropLearn."""
    learner = corollary_6_5(Points(8), Budget(1, 1e-6), 0.3, constants="tight")
    assert learner.inner.N >= 18 * learner.inner.inner.N
    assert corollary_6_5_order(2, 1, alpha=0.1, beta=0.05, epsilon=1, delta=1e-6) > 32 * 36534


def test_it_learns_from_noisy_labels():
    """With a base of 500 examples, 12,000 records with 10 % noise: the right point, in each of 3 runs.

    The base sees 666 examples, which the relabeling has made consistent, in 25 subsets that hold both labels.
    """
    H = Points(4)
    small = PolyPriPlan(25, 20, Levels.tight(1, Fraction(1, 4), 4), 4)
    base = PolyPriLearn(H, Budget(3, 1e-3), 0.4, 0.05, "tight", plan=small)
    plan = PolyPriPropPlan(base, Fraction(1, 8), 0)
    proper = PolyPriPropLearn(H, Budget(3, 1e-3), 0.3, 0.03, "tight", plan=plan)
    learner = PrivateAgnostic(proper, proper.whole.F.concept_class, 0.4, 0.05, "tight")
    rng = np.random.default_rng(2)
    x = rng.integers(4, size=12_000)
    y = (x == 2) ^ (rng.random(12_000) < 0.1)
    for _ in range(3):
        found = learner.release(learner.check(list(zip(x.tolist(), y.tolist(), strict=True))), SYSTEM)
        assert found(range(4)).tolist() == [False, False, True, False]


@over("ε", [0, "1.5"])
def test_epsilon_as_in_the_paper(ε):
    with pytest.raises(ValueError, match=r"epsilon must lie in \(0, 1\]"):
        corollary_6_5(Points(4), Budget(ε, 1e-6))
