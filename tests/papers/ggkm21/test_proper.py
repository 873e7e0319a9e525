"""PolyPriPropLearn: always a concept, disjoint steps, exact privacy of its choice, plans, and errors at N."""

import warnings
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points, SparseSets
from privpac.dimensions.oracle import ListedOracle
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.minimax import minimax_set, printed_members
from privpac.papers.ggkm21.proper import PolyPriPropLearn, PolyPriPropPlan, printed_fresh
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sizes import PolyPriPlan
from privpac.papers.ggkm21.trees import soa_functions
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger

pytestmark = pytest.mark.papers

COST = Budget(1, 1e-6)


def tight(H, alpha=0.25, **others):
    return PolyPriPropLearn(H, COST, alpha, constants="tight", **others)


SIX = Points(6)


def with_fresh(fresh, H=SIX, cls=PolyPriPropLearn):
    """A learner whose last step has examples of its own, as in a class with more points than k′."""
    points = len(PolyPriLearn(H, COST, 0.25).F.points)
    small = PolyPriPlan(5, 20, Levels.tight(1, Fraction(1, 4), points), points)
    improper = PolyPriLearn(H, COST, 0.125, 0.025, "tight", plan=small)
    return cls(H, COST, 0.25, constants="tight", plan=PolyPriPropPlan(improper, Fraction(1, 10), fresh))


def asked(learner, data):
    """What each mechanism was asked about, in a real run."""
    seen = []

    def ask(mechanism, about):
        answer = mechanism.release(mechanism.check(about), SYSTEM)
        seen.append((mechanism, about, answer))
        return answer

    return learner.run(learner.check(data), ask), seen


def test_steps_see_different_examples():
    """Step 1 and step 3 share no example, in random positions; step 3 has its part, and fewer than N are divided."""
    learner = with_fresh(50)
    assert learner.N == 150
    for n, late in [(90, 30), (150, 50), (400, 50)]:
        data, places = [(i % 6, i % 6 == 3) for i in range(n)], set()
        for _ in range(2):
            _, ((_, _, second), (first, used, _), *_) = asked(learner, data)
            assert first is learner.numbers.improper
            assert (sum(second), len(used)) == (late, n - late)
            assert Counter(used) + Counter(each for each, y in zip(data, second, strict=True) if y) == Counter(data)
            places.add(tuple(second))
        assert len(places) == 2


def test_step_three_sees_the_fresh_examples():
    """From a hypothesis that is not a concept: the scores are minus the errors on the examples that are late."""
    learner = with_fresh(50)
    nowhere = learner.whole.F.hypothesis(np.zeros(6, dtype=bool))
    data, seen = [(i % 6, i % 6 == 3) for i in range(150)], []

    def ask(mechanism, about):
        seen.append(about)
        return [i >= 100 for i in range(150)] if len(seen) == 1 else nowhere if len(seen) == 2 else 0

    learner.run(learner.check(data), ask)
    H = minimax_set(learner.whole.F.matrix, np.zeros(6), learner.numbers.a).rows
    assert seen[1] == tuple(data[:100])
    assert seen[2].tolist() == [-sum((x == row) != y for x, y in data[100:]) for row in H]


def fresh_law(cls, sigma):
    """The law of steps 2 and 3 on fresh examples, for fixed labels of step 1."""
    learner = with_fresh(3, ExplicitClass(np.eye(3, dtype=int)), cls)
    σ = learner.whole.F.hypothesis(np.array(sigma, dtype=bool))
    return lambda sample: law_of(lambda ask: learner.nearest(σ, list(sample), ask))


@dataclass(frozen=True)
class Argmin(PolyPriPropLearn):
    """Step 3 returns the concept with the fewest errors."""

    def nearest(self, sigma, fresh, ask):
        return super().nearest(sigma, fresh, lambda mechanism, scores: int(np.argmax(scores)))


@dataclass(frozen=True)
class TwicePaid(PolyPriPropLearn):
    """Step 3 at twice its ε."""

    def nearest(self, sigma, fresh, ask):
        return super().nearest(sigma, fresh, lambda mechanism, scores: ask(Exponential(Budget(2)), scores))


@pytest.mark.parametrize(("cls", "refuted"), [(PolyPriPropLearn, False), (Argmin, True), (TwicePaid, True)])
def test_the_exact_cost_of_the_choice(cls, refuted):
    """ε = 1 for all neighbors among three fresh examples on three points; nearly spent."""
    found = worst_divergence(fresh_law(cls, [0, 0, 0]), labeled(range(3)), 3, Budget(1))
    assert found.refuted == refuted
    assert found.ratio > 0.7


def test_one_candidate_sees_no_example():
    """If step 1 returns a concept, step 3 has nothing to choose and asks nothing."""
    law = fresh_law(PolyPriPropLearn, [0, 0, 1])
    assert len(law([(0, True)] * 3)) == 1
    assert worst_divergence(law, labeled(range(3)), 2, Budget(1)).value == 0


def test_the_choice_prefers_fewer_errors():
    law = fresh_law(PolyPriPropLearn, [0, 0, 0])([(2, True)] * 3 + [(1, False)])
    best = max(law, key=lambda h: float(law[h]))
    assert best([0, 1, 2]).tolist() == [False, False, True]
    assert float(law[best]) > 0.6


def test_tight_plans_are_irreducible_on_all_points():
    """k′ = |X|, so that σ is a concept: N of the improper learner where it has such a k′, little more elsewhere."""
    for H, α, most in [(Points(40), 0.25, 4.2e6), (SparseSets(2, 12), 0.1, 8.6e7)]:
        learner = tight(H, α)
        assert learner.numbers.improper.numbers.levels.k_prime == learner.whole.shape.points
        assert learner.N == PolyPriLearn(H, COST, α, 0.05, "tight", oracle=learner.F).N < most
        assert learner.numbers.fresh == 0
    many = tight(Points(600))
    assert many.whole.numbers.levels.k_prime < 600 == many.numbers.improper.numbers.levels.k_prime
    assert many.N < 1.1 * many.whole.N
    assert (many.numbers.improper.alpha, many.numbers.improper.beta) == (many.alpha, many.beta)


def test_what_irreducible_on_all_points_means():
    """Every SOA of an |X|-irreducible sub-class is a concept; with one point less it need not be."""
    for F in (ListedOracle(np.eye(4, dtype=int)), ListedOracle([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]])):
        concepts = {tuple(row) for row in F.matrix.tolist()}
        assert {tuple(h(list(F.points)).tolist()) for h in soa_functions(F, len(F.points))} == concepts
    assert len(soa_functions(ListedOracle(np.eye(4, dtype=int)), 2)) == 5


def test_printed_plans():
    """Step 1 at η/4 and β/2; |H| = ⌈d*/(η/8)²⌉, and (ln|H| + ln(1/β))/(ηε) fresh examples."""
    learner = PolyPriPropLearn(Points(40), COST, 0.1)
    improper, a, fresh = learner.numbers
    assert (improper.alpha, improper.beta, a) == (Fraction(1, 40), Fraction(1, 40), Fraction(1, 80))
    assert fresh == printed_fresh(printed_members(1, a), 0.1, 0.05, 1.0) == 118
    assert learner.N == PolyPriLearn(Points(40), COST, 0.025, 0.025).N + 118


def test_errors_at_n():
    """A population on which a wrong point and nowhere both err by more than α: at most 1 of 12 runs may do that.

    By the theorem, two runs do with probability at most C(12, 2)·β² = 6.6·10⁻⁷, β = 10⁻⁴.
    """
    learner = PolyPriPropLearn(SparseSets(1, 8), Budget(4, 1e-4), 0.4, 1e-4, "tight")
    rng, p, target = np.random.default_rng(3), np.array([0.56, *[0.0] * 6, 0.44]), 7
    failures = 0
    for _ in range(12):
        x = rng.choice(8, learner.N, p=p).tolist()
        labels = learner.learn(x, [each == target for each in x])(range(8))
        assert labels.sum() <= 1
        failures += p[labels != (np.arange(8) == target)].sum() > 0.4
    assert failures <= 1


def test_few_examples_are_said_before_anything_is_spent():
    learner, ledger = tight(Points(6)), Ledger(COST)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="asks for N ="):
            learner.learn([1], [1], budget=ledger)
    assert ledger.spent == Budget(0)
    with pytest.warns(UserWarning, match="asks for N ="):
        h = learner.learn([], [], budget=ledger)
    assert h(range(6)).sum() == 1
    assert ledger.spent == COST


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: PolyPriPropLearn(Thresholds(0, 2**64 - 1, direction="above"), COST), r"too many|list|choose fewer"),
        (lambda: PolyPriPropLearn(Points(), COST), r"list|declare|finite|infinite"),
        (lambda: PolyPriPropLearn(Points(4), Budget(1)), "delta strictly between 0 and 1"),
        (lambda: PolyPriPropLearn(Points(4), COST, 2), "alpha"),
        (lambda: PolyPriPropLearn(Points(4), COST, 0.1, 0.05, "tighter"), "constants must be one of"),
    ],
)
def test_bad_parameters(made, sentence):
    with pytest.raises((ValueError, TypeError), match=sentence):
        made()


def test_the_set_of_a_hypothesis_that_is_not_a_concept():
    """Nowhere, for points: H has as many points as 2a allows, and step 3 picks the right one from enough examples."""
    learner = with_fresh(400)
    F = learner.whole.F
    nowhere = F.hypothesis(np.zeros(6, dtype=bool))
    assert len(minimax_set(F.matrix, np.zeros(6), learner.numbers.a)) == 5
    found = [
        learner.nearest(nowhere, [(1, True)] * 300, lambda m, s: m.release(m.check(s), SYSTEM))([1]) for _ in range(5)
    ]
    assert all(found)


def test_the_improper_learner_of_a_plan_may_use_the_closed_form():
    """It may return never, and then the third step chooses a point."""
    improper = PolyPriLearn(SIX, COST, 0.25, constants="tight")
    learner = tight(SIX, plan=PolyPriPropPlan(improper, Fraction(1, 10), 50))
    assert learner.learn([i % 6 for i in range(600)], [0] * 600)(range(6)).sum() == 1
    assert learner.learn([3] * 600, [1] * 600)(range(6)).tolist() == [i == 3 for i in range(6)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"improper": PolyPriLearn(SIX, Budget(2, COST.delta), 0.25)},
        {"improper": PolyPriLearn(Points(5), COST, 0.25)},
        {"a": Fraction(0)},
        {"fresh": -1},
    ],
    ids=["cost", "class", "a", "fresh"],
)
def test_a_plan_that_breaks_its_promise_is_refused(wrong):
    """PolyPriLearn inside must not cost more than the whole says it does."""
    with pytest.raises(ValueError, match="plan"):
        PolyPriPropLearn(SIX, COST, 0.25, plan=with_fresh(9).numbers._replace(**wrong))
