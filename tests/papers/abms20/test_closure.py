"""Algorithms 4 and 5, and small ε: audits on all neighbors, charges, success at N, refusals."""

import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import exp, inf, log
from typing import Any, ClassVar

import numpy as np
import pytest

import privpac as pp
from privpac.audit.claims.case import labeled
from privpac.audit.exact_divergence import worst, worst_divergence
from privpac.classes.compositions.rules import composition
from privpac.classes.finite.boolean_functions import gate
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.vectors.boxes import Conjunctions
from privpac.exact.entropy import SYSTEM
from privpac.learners.finite import FiniteLearner, table, table_errors
from privpac.mechanisms.algorithm import Coin, law_of
from privpac.mechanisms.selection.exponential import Exponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.papers.abms20 import ClosureLearn, ColumnLearner, Library, PrivateAgnostic, RelabelAndLearn, SmallEpsilon
from privpac.papers.abms20.closure import depends
from privpac.papers.abms20.relabeling import PatternDraw, relabeling_price
from privpac.papers.abms20.scores import CompletionErrors
from privpac.papers.abms20.sizes import Step
from privpac.papers.abms20.subsampling import EmpiricalLearner
from privpac.papers.bbkn14 import A5, Boosted, ProperFromLight, ProperPoints
from privpac.papers.bbkn14.formulas import KCnfLearner
from privpac.papers.bbkn14.intervals import IntervalExponential
from privpac.papers.bbkn14.occam import PrivateOccam
from privpac.papers.edition import Goal
from privpac.papers.editions import BY_KEY
from privpac.papers.ggkm21 import Levels, PolyPriLearn, PolyPriPlan, PolyPriPropLearn
from privpac.papers.paper_learner import PaperLearner
from privpac.papers.yan25 import OPTPrivateLearner
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.grid import over
from tests.papers.abms20.worst_case import FIRST, SECOND, crowded

pytestmark = pytest.mark.papers

ONE, GOAL = Budget(1), (Fraction(1, 100), Fraction(1, 1000))
CUTS = ExplicitClass([[0, 0], [0, 1], [1, 1]], points="ab")
TWINS = ExplicitClass([[0, 1], [1, 0], [1, 1]], points="ab")


def occam(H, budget=ONE, goal=GOAL, constants="tight"):
    return PrivateOccam(H, budget, *goal, constants)


CUTS_OF_THREE = ExplicitClass(np.tri(4, 3, -1, dtype=int))


IN_BITS = KCnfLearner(2, 2, ONE, *GOAL)


def agnostic(H=CUTS, budget=ONE, constants="tight", **given):
    return PrivateAgnostic(occam(H, budget), H, 0.1, 0.05, constants, **given)


def both(G="and", constants="tight", **given):
    return ClosureLearn(G, [occam(CUTS), occam(TWINS)], [CUTS, TWINS], 0.1, 0.05, constants, **given)


# privacy


def test_algorithm_4_is_private_on_all_samples():
    learner = agnostic(redraw=False)
    assert not worst_divergence(learner.law, labeled("ab"), 3, learner.cost, ordered=True).refuted


@dataclass(frozen=True)
class Reveals(PaperLearner):
    """Says how the points are labeled, at ε/10, nearly surely if there are many copies; and whether FIRST is there."""

    H: ExplicitClass
    bits: int
    name: ClassVar[str] = "reveals"
    theorem: ClassVar[str] = "composition, Theorem 1"
    N: ClassVar[int] = 1
    alpha, beta = GOAL
    cost: Budget = ONE

    @property
    def domain(self):
        return self.H.domain

    def run(self, data, ask):
        patterns = list(product((False, True), repeat=self.bits))
        agree = [sum(y == g[x] for x, y in data if x not in (FIRST, SECOND)) for g in patterns]
        seen = patterns[ask(Exponential(Budget(Fraction(1, 10))), agree)]
        e = exp(0.9)
        truth = any(x == FIRST for x, _ in data)
        return WholeAnswer(seen, truth == ask(Coin(Fraction(e / (1 + e)) - Fraction(1, 10**9)), None))


@dataclass(frozen=True)
class WholeAnswer(pp.Hypothesis):
    """What was revealed, and always False."""

    seen: tuple[bool, ...]
    first: bool

    def __call__(self, column, /):
        return np.zeros(len(column), dtype=bool)

    def sentence(self, *names):
        return "never"


@dataclass(frozen=True)
class Uneven(ClosureLearn):
    """The second step gets four examples."""

    def ends(self, n):
        return [0, n - 4, n]


def copied(bits, copies, last):
    """As many examples of each label at each point, so that patterns differ in no score; ``last`` is scored too."""
    many = tuple((x, y) for x in range(bits) for y in (False, True)) * copies
    return (*many, (last, True)), (*many, (0, True))


@pytest.mark.parametrize(("closure", "share"), [(False, 0.86), (True, 0.68)])
def test_the_price_is_nearly_reached_where_nothing_is_published(closure, share):
    """Eight patterns, or four: what the learner itself may say about its sample is enough."""
    bits, copies = 2 if closure else 3, 60
    H = crowded(bits)
    nothing = ExplicitClass([[0] * (bits + 2)], points=H.all_points)
    A = Reveals(H, bits)
    pair = []
    for last in (FIRST, SECOND):
        D, T = copied(bits, copies, last)
        pair.append(D + T + ((0, True),) * (4 if closure else 0))
    if closure:
        given = [A, occam(nothing)], [H, nothing]
        learner: Any = Uneven("xor", *given, 0.1, 0.05, "tight", redraw=False)
    else:
        learner = PrivateAgnostic(A, H, 0.1, 0.05, "tight", redraw=False)
    found = worst(lambda S: law_of(lambda ask: learner.run(S, ask)), [tuple(pair)], learner.cost)
    assert not found.refuted
    assert float(found.ratio) > share
    assert worst(lambda S: law_of(lambda ask: learner.run(S, ask)), [tuple(pair)], Budget(2)).refuted


@dataclass(frozen=True)
class Short(ClosureLearn):
    """Steps of one example to score and one beside it: few enough to list all samples."""

    def ends(self, n):
        return [0, n // 2, n]


def test_algorithm_5_is_private_on_all_samples():
    learner = Short("and", [occam(CUTS), occam(TWINS)], [CUTS, TWINS], 0.1, 0.05, "tight", redraw=False)
    found = worst_divergence(learner.law, labeled("ab")[1:3], 4, learner.cost, ordered=True)
    assert not found.refuted


def test_prices():
    a, ninth = agnostic(), EmpiricalLearner(occam(CUTS), "tight").cost
    assert a.cost == relabeling_price(ninth, counts_errors=True)
    assert float(a.cost.epsilon) == pytest.approx((exp(1) - 1) / 9 + 2 * log(1 + exp(0.5)))
    assert agnostic(redraw=False).cost == relabeling_price(ONE, counts_errors=True)
    assert agnostic(constants="printed").cost == both(constants="printed").cost == Budget(4)
    assert both().cost == relabeling_price(ninth, counts_errors=False)
    unequal = ClosureLearn(
        "or", [occam(CUTS), occam(TWINS, Budget(2))], [CUTS, TWINS], 0.1, 0.05, "tight", redraw=False
    )
    assert unequal.cost == relabeling_price(Budget(2), counts_errors=False)


@over("learner", [agnostic(), both(), agnostic(constants="printed")])
def test_one_charge_for_everything(learner):
    ledger, n = Ledger(learner.cost), 200
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer than N
        learner.learn(["a", "b"] * (n // 2), [0, 1] * (n // 2), budget=ledger)
    assert [(each.mechanism, each.cost) for each in ledger.entries] == [(learner.name, learner.cost)]


# any ε


def test_small_epsilon_is_private_on_all_samples():
    """Two of three examples, in random order."""
    inner = agnostic(redraw=False)
    learner = Kept(inner, 1)
    claim = Budget(log(1 + 2 / 3 * (exp(float(inner.cost.epsilon)) - 1)) + 1e-9)
    assert not worst_divergence(learner.law, labeled("ab")[:2], 3, claim, ordered=True).refuted


@dataclass(frozen=True)
class Kept(SmallEpsilon):
    """Two of three, whatever the rate."""

    def sample_size(self, n):
        return 2


def test_the_rate_and_its_cost():
    inner = RelabelAndLearn(occam(CUTS, Budget(1, Fraction(1, 100))), CUTS)
    learner = SmallEpsilon(inner, 0.5)
    ε0 = float(inner.cost.epsilon)
    assert float(learner.rate) == pytest.approx((exp(0.5) - 1) / (exp(ε0) - 1))
    assert float(learner.rate) * (exp(ε0) - 1) <= exp(0.5) - 1
    assert learner.cost == Budget(Fraction(1, 2), learner.rate / 100)
    assert learner.sample_size(1000) == int(1000 * learner.rate)
    assert learner.N is inner.N is None  # relabeling alone promises nothing
    inner = occam(CUTS, Budget(1, Fraction(1, 100)))
    learner = SmallEpsilon(inner, 0.5)
    assert learner.sample_size(learner.N) >= inner.N > learner.sample_size(learner.N - 1)


def test_examples_are_kept_in_random_order():
    """Of three, the first two places: all six orders occur in 300 runs, except with probability 6·(5/6)^300 < 1e-22."""
    seen = set()
    learner = Kept(agnostic(redraw=False), 1)

    def ask(mechanism, data):
        if mechanism is learner.inner:
            seen.add(tuple(x for x, _ in data))
            return None
        return mechanism.release(mechanism.check(data), SYSTEM)

    for _ in range(300):
        learner.run((("x", 1), ("y", 1), ("z", 1)), ask)
    assert len(seen) == 6


# utility


def line(k):
    return ExplicitClass([[x >= t for x in range(k)] for t in range(k + 1)], points=range(k))


def excess(rule, masses, labels, best):
    return float(masses[rule(list(range(len(masses)))) != labels].sum()) - best


@over("redraw", [True, False])
def test_algorithm_4_succeeds_at_n(redraw):
    """Label 1 from 5 on, 5 % noise; a rule that misses the thin atom at 5 fails. All of 20 runs succeed: even if D were
    a hundredth of N, a wrong cut would err on some 40 % more of it, and be drawn with probability below e^(−20)."""
    H, rng = line(8), np.random.default_rng()
    A = PrivateOccam(H, ONE, Fraction(3, 20), Fraction(1, 100), "tight")
    learner = PrivateAgnostic(A, H, 0.4, 0.05, "tight", redraw=redraw)
    masses = np.array([0.0, 0, 0, 0, 0.25, 0.46, 0, 0.29])
    labels = np.arange(8) >= 5
    for _ in range(20):
        x = rng.choice(8, size=learner.N, p=masses)
        y = labels[x] ^ (rng.random(learner.N) < 0.05)
        assert excess(learner.learn(x.tolist(), y.tolist()), masses, labels, 0) * 0.9 <= 0.4


@over("G", ["and", "xor", lambda a, b: a and not b])
def test_algorithm_5_succeeds_at_n(G):
    """Cuts from both sides, labels composed by G: error at most 0.5 in each of 10 runs."""
    up, rng = line(6), np.random.default_rng()
    down = up.complement()
    learners = [PrivateOccam(H, Budget(2), Fraction(1, 10), Fraction(1, 1000), "tight") for H in (up, down)]
    learner = ClosureLearn(G, learners, (up, down), 0.5, 0.02, "tight", redraw=False)
    labels = gate(G, 2)(np.arange(6) >= 2, np.arange(6) < 4)
    for _ in range(10):
        x = rng.integers(6, size=learner.N)
        found = learner.learn(x.tolist(), labels[x].tolist())
        assert (found(list(range(6))) != labels).mean() <= 0.5


def test_three_different_classes_and_an_improper_answer():
    """If-then-else of a cut, points and everything; a learner that returns no hypothesis counts as never."""
    k = 4
    classes = [line(k), ExplicitClass(np.eye(k, dtype=int), points=range(k)), line(k).complement()]
    learner = ClosureLearn(lambda a, b, c: b if a else c, [occam(H) for H in classes], classes, 0.9, 0.9, "tight")
    S = tuple((x % k, bool(x % 3)) for x in range(60))

    def ask(mechanism, seen):
        return 0 if isinstance(mechanism, PatternDraw) else None

    assert learner.run(S, ask)(list(range(k))).tolist() == [False] * k


# the score


def brute(G, found, later, rows, D):
    """The minimum over all choices of concepts."""
    x, y = [x for x, _ in D], np.array([y for _, y in D])
    best = []
    for row in rows:
        choices = product(*[[H.hypothesis(c)(x) for c in H.concepts] for H in later])
        best.append(min(int((G(*[h(x) for h in found], row, *c) != y).sum()) for c in choices))
    return best


@over("seed", range(20))
def test_completions_by_the_definition(seed):
    rng = np.random.default_rng(seed)
    G = gate(rng.random(8) < 0.5, 3)
    classes = [ExplicitClass.random(4, 5, rng) for _ in range(3)]
    D = tuple((int(x), bool(y)) for x, y in zip(rng.integers(5, size=9), rng.integers(2, size=9), strict=True))
    rows = rng.random((6, 9)) < 0.5
    for i in range(3):
        found: list[Any] = [H.hypothesis(H.concepts[0]) for H in classes[:i]]
        assert CompletionErrors(G, found, classes[i + 1 :])(rows, D).tolist() == brute(
            G, found, classes[i + 1 :], rows, D
        )


# refusals


def test_what_is_refused_before_anything_is_spent():
    with pytest.raises(ValueError, match="G ignores part 2"):
        both(G=lambda a, b: a)
    with pytest.raises(ValueError, match="one learner for each class"):
        ClosureLearn("and", [occam(CUTS)], [CUTS, TWINS], 0.1, 0.05)
    other = ExplicitClass([[0, 1], [1, 1]], points="xy")
    with pytest.raises(ValueError, match="class read different samples"):
        ClosureLearn("and", [occam(CUTS), occam(other)], [CUTS, other], 0.1, 0.05)
    with pytest.raises(ValueError, match="base learner and the class read different samples"):
        ClosureLearn("and", [occam(CUTS), occam(other)], [CUTS, TWINS], 0.1, 0.05)
    with pytest.raises(ValueError, match="less than alpha and beta"):
        PrivateAgnostic(occam(CUTS, goal=(0.1, 0.01)), CUTS, 0.1, 0.05, "tight")
    with pytest.raises(ValueError, match="less than alpha/k"):
        ClosureLearn("and", [occam(CUTS, goal=(0.06, 0.01))] * 2, [CUTS, CUTS], 0.1, 0.05, "tight")
    with pytest.raises(ValueError, match="at least 18 examples"):
        agnostic().learn("a" * 17, [1] * 17)
    with pytest.raises(ValueError, match=r"at least 18, and step \d gets fewer"):
        both().learn("a" * 20, [1] * 20)
    with pytest.raises(ValueError, match="less than what the algorithm itself costs"):
        SmallEpsilon(agnostic(), 3)
    with pytest.raises(TypeError, match="private algorithm"):
        SmallEpsilon(CUTS, 1)
    with pytest.raises(TypeError, match="must be sequences"):
        ClosureLearn("and", occam(CUTS), [CUTS, TWINS], 0.1, 0.05)
    with pytest.raises(ValueError, match="less than alpha/k"):  # the second one aims too high
        ClosureLearn("and", [occam(CUTS), occam(CUTS, goal=(0.06, 0.01))], [CUTS, CUTS], 0.1, 0.05, "tight")
    with pytest.raises(TypeError, match="learner of the library"):
        Library(CUTS)
    with pytest.raises(ValueError, match="d must be at least 1"):
        RelabelAndLearn(occam(CUTS), CUTS, d=-1)
    nested = PrivateAgnostic(agnostic(), CUTS, 0.3, 0.3)
    with pytest.raises(ValueError, match="at least 18 examples"):
        nested.check([("a", 1)] * 200)  # 11 of which reach the algorithm inside
    assert len(nested.check([("a", 1)] * 400)) == 400
    with pytest.raises(ValueError, match="too many to list"):
        between = pp.Intervals(1, 2**20)
        PrivateAgnostic(IntervalExponential(2**20, ONE, *GOAL), between, 0.1, 0.05).check([(1, 1)] * 200_000)


def test_a_rate_that_keeps_no_example():
    learner, ledger = SmallEpsilon(RelabelAndLearn(occam(CUTS), CUTS), 0.5), Ledger(ONE)
    few = next(n for n in range(1, 1000) if learner.sample_size(n))
    with pytest.raises(ValueError, match=f"at least {few} examples: of fewer, none is kept"):
        learner.learn("a" * (few - 1), [1] * (few - 1), budget=ledger)
    assert ledger.spent == Budget(0)
    assert len(learner.check([("a", 1)] * few)) == few


@over("name", ["k-CNF", "Algorithm 3"])
def test_learners_that_return_something_else_than_a_hypothesis(name):
    """Nothing fails after the charge: a k-CNF is a function, and of what Algorithm 3 publishes, A(S̃) counts."""
    H = Conjunctions(2)
    A = KCnfLearner(2, 1, ONE, *GOAL) if name == "k-CNF" else RelabelAndLearn(IN_BITS, H)
    learner = ClosureLearn("xor", [A, IN_BITS], [H, H], 0.1, 0.05, redraw=False)
    bits = list(product((0, 1), repeat=2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer than N
        found = learner.learn(bits * 10, [0, 1, 1, 0] * 10)
    assert found(bits).shape == (4,)
    assert str(found)


def test_gates_that_ignore_a_bit():
    assert [depends(gate(lambda a, b, c: b if a else c, 3), i) for i in range(3)] == [True] * 3
    assert [depends(gate(lambda a, b, c: b, 3), i) for i in range(3)] == [False, True, False]


def test_a_learner_of_the_library_after_relabeling():
    clf = pp.PrivateClassifier(
        pp.Points(), epsilon=1, delta=1e-6, regime="realizable", method="PointLearner", alpha=0.01, beta=0.001
    )
    A = Library(clf.fitting(100).learner)
    learner = RelabelAndLearn(A, pp.Points())
    assert learner.cost == relabeling_price(Budget(1, 1e-6), counts_errors=True)
    noisy = ["EV"] * 3000 + [f"name {i % 50}" for i in range(3000)]
    labels = [i % 10 > 0 for i in range(3000)] + [i % 10 == 0 for i in range(3000)]
    with pytest.warns(UserWarning, match="no theorem says how many"):
        found = learner.learn(noisy, labels)
    assert str(found.f) == "x = EV"
    assert (A.alpha, A.beta) == (Fraction(1, 100), Fraction(1, 1000))


class SaysLess(FiniteLearner):
    """It spends what it was given, and says that it cost a hundredth of that."""

    @property
    def cost(self):
        return Budget(self.terms.cost.epsilon / 100)

    def run(self, records, ask):
        errors = records.see(lambda sample: -table_errors(table(self.concept_class), sample))
        return self.concept_class.hypothesis(ask(PermuteAndFlip(self.terms.cost), errors))


def test_a_learner_that_costs_more_than_it_says_releases_nothing():
    """Its price would be too low, because a base learner is charged as a whole."""
    terms, drawn = pp.PrivateClassifier(CUTS, epsilon=5).conditions().terms(1), []
    learner = RelabelAndLearn(Library(SaysLess(CUTS, terms)), CUTS)
    assert learner.cost <= Budget(2)
    ask = lambda mechanism, data: drawn.append(mechanism.name) or mechanism.release(mechanism.check(data), SYSTEM)  # noqa: E731
    with pytest.raises(RuntimeError, match="asks for more; its cost must cover every release"):
        learner.inner.run((("a", True), ("b", True)), ask)
    assert not drawn


@dataclass(frozen=True)
class AnyOutputs(PolyPriLearn):
    """The same learner, if nobody knows what it may return."""

    outputs: ClassVar[float] = inf


def test_only_learners_with_a_proof_have_an_n():
    """Theorems 5 and 7 of abms20 are about outputs in H, or in a finite set; a printed number promises nothing."""
    H = ExplicitClass([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    proper = PolyPriPropLearn(H, Budget(3, 1e-6), 0.3, 0.04, "tight")
    improper = PolyPriLearn(H, Budget(3, 1e-6), 0.3, 0.04, "tight")
    assert PrivateAgnostic(proper, H, 0.4, 0.05, "tight").N >= 18 * proper.N
    unknown = AnyOutputs(H, Budget(3, 1e-6), 0.3, 0.04, "tight")
    for A in (unknown, replace(improper, constants="printed"), replace(improper, plan=improper.numbers)):
        assert PrivateAgnostic(A, H, 0.4, 0.05, "tight").N is None
        assert ClosureLearn("or", [occam(H), A], [H, H], 0.9, 0.09, "tight").N is None
    assert SmallEpsilon(PrivateAgnostic(unknown, H, 0.4, 0.05, "tight"), 0.5).N is None
    assert EmpiricalLearner(PrivateAgnostic(unknown, H, 0.4, 0.05, "tight")).N is None
    assert PrivateAgnostic(improper, H, 0.4, 0.05, "tight").N >= 18 * improper.N
    assert ClosureLearn("or", [occam(H), improper], [H, H], 0.9, 0.09, "tight").N > 18 * improper.N
    assert (
        PrivateAgnostic(improper, H, 0.4, 0.05, "tight", redraw=False).N is None
    )  # its promise is about distributions
    assert PrivateAgnostic(improper, CUTS_OF_THREE, 0.4, 0.05, "tight").N is None  # it learns another class
    printed = PrivateOccam(CUTS, ONE, 0.04, 0.01)
    assert PrivateAgnostic(printed, CUTS, 0.1, 0.05, "tight").N is None
    assert PrivateAgnostic(occam(CUTS), CUTS, 0.1, 0.05, "tight").N > 0
    larger = ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]], points=CUTS.all_points)
    assert PrivateAgnostic(occam(larger), CUTS, 0.1, 0.05, "tight").N is None  # its rules need not lie in CUTS
    assert ClosureLearn("and", [occam(CUTS), occam(TWINS)], [CUTS, TWINS], 0.1, 0.05, "tight").N > 0
    assert ClosureLearn("and", [occam(CUTS), occam(larger)], [CUTS, CUTS], 0.1, 0.05, "tight").N is None


def test_a_printed_number_inside_another_algorithm_promises_nothing_either():
    """N of ProperFromLight adds up that of the light learner, many times."""
    low, H = Fraction(1, 10**4), pp.Points(8)

    def size(constants):
        light = ProperPoints(8, ONE, low / 4, Fraction(1, 4), constants)
        return PrivateAgnostic(ProperFromLight(light, 2, ONE, low, low), H, 0.1, 0.05, "tight").N

    assert size("tight") > 0
    assert size("printed") is None


def test_any_learner_that_aims_low_has_an_n():
    """Theorem 10 of abms20: a rule of any kind, if it errs little enough; every one of the terms is needed."""

    def size(α, β, **given):
        clf = pp.PrivateClassifier(pp.Points(), epsilon=1, delta=1e-6, alpha=α, beta=β, regime="realizable")
        A = Library(clf.fitting(1000).learner)
        assert A.outputs == inf
        return PrivateAgnostic(A, pp.Points(), 0.2, 0.05, "tight", **given).N, A.N

    N, base = size(0.0005, 0.0002)
    assert 18 * base <= N
    assert size(0.01, 0.0002)[0] is size(0.0005, 0.01)[0] is size(0.0005, 0.0002, redraw=False)[0] is None
    step = Step(lambda n: n + 1, 2**16, lambda n: n + 1, 1.0, Budget("2.14", 1e-7))
    n, inner = step.least_for(0.2, 0.05, (0.0005, 0.0002)), (0.0005, 0.0002)
    γ = min((0.05 * i / 8 for i in range(1, 8)), key=lambda γ: step.error(n, 0.05, inner, γ))
    assert step.error(n, 0.05, inner, γ) <= 0.2 < step.error(n - 2, 0.05, inner, γ)
    markov = (exp(2.14) * sum(inner) + 1e-7) / γ
    assert markov < step.error(10**9, 0.05, inner, γ) < 1.2 * markov
    dear = replace(step, cost=Budget(4))
    assert dear.least_for(0.2, 0.05, inner) is None


def test_an_improper_base_learner_has_no_more_outputs_than_it_says():
    """Over all samples of two records; and the sizes that the planner of Algorithm 4 takes them for."""
    small = PolyPriPlan(2, 1, Levels.tight(1, Fraction(1, 10), 2), 3)
    poly = PolyPriLearn(pp.SparseSets(1, 2), Budget(1, "0.02"), plan=small)
    tree = OPTPrivateLearner(pp.ExplicitClass([[0, 0], [0, 1]]), Budget(1, "0.02"), constants="tight", t=2)
    for learner, points in ((poly, range(2)), (tree, range(2))):
        samples = product(labeled(points), repeat=2)
        assert len({str(rule) for S in samples for rule in learner.law(S)}) <= learner.outputs <= 4
    assert A5(7, Fraction(2, 5), "tight", prime=23).outputs == 23**2
    assert Boosted(2**64, ONE, Fraction(1, 10), Fraction(1, 20), "tight").outputs == (2**127 - 1) ** 2 + 1
    assert OPTPrivateLearner(pp.RootPaths("/", height=9), Budget(1, 1e-6)).outputs == inf


def test_an_improper_base_learner_succeeds_at_n():
    """Points that an improper learner learns with pure ε, one label in five wrong; a rule may say more."""
    boosted = Boosted(2**16, ONE, Fraction(1, 5), Fraction(1, 50), "tight")
    learner, rng = PrivateAgnostic(boosted, pp.Points(2**16), 0.5, 0.1, "tight"), np.random.default_rng(5)
    assert max(learner.N, 18 * boosted.N) == learner.N
    for _ in range(2):
        x = rng.choice([7, *range(100, 200)], p=[0.6, *[0.004] * 100], size=learner.N)
        y = (x == 7) ^ (rng.random(learner.N) < 0.2)
        h = learner.learn(x.tolist(), y.tolist())
        assert 0.6 * (h([7]) != [True]).mean() + 0.4 * h(list(range(100, 200))).mean() <= 0.5 / 0.6


# columns


def on_columns(kind=ColumnLearner):
    """Two cuts on two columns of three values."""
    classes = [pp.Thresholds(1, 2, direction="below").on(column) for column in (0, 1)]
    learners = [kind(IntervalExponential(2, ONE, *GOAL), column) for column in (0, 1)]
    return Short("and", learners, classes, 0.1, 0.05, "tight", redraw=False)


CORNERS = [((1, 2), True), ((2, 1), False), ((1, 1), True)]


def test_algorithm_5_over_columns_is_private_on_all_samples():
    learner = on_columns()
    assert learner.domain.names == (0, 1)
    assert learner.N is not None
    assert not worst_divergence(learner.law, CORNERS, 4, learner.cost, ordered=True).refuted


def by_edition():
    """What the shell runs for two cuts on two columns, without the random part that a small ε keeps."""
    H = pp.And(*[pp.Thresholds(1, 2, direction="below").on(column) for column in (0, 1)])
    whole = BY_KEY["closure-learn"].make(H, Goal(Budget(9), Fraction(1, 10), Fraction(1, 20)))
    named = {name: getattr(whole, name) for name in ("G", "inner", "classes", "alpha", "beta", "constants")}
    return Short(**named, redraw=False)


def test_the_edition_over_columns_is_private_on_all_samples():
    learner = by_edition()
    assert [A.column for A in learner.inner] == [0, 1]
    assert learner.stays_in(pp.Compose("and", *learner.classes))
    assert not worst_divergence(learner.law, CORNERS, 4, learner.cost, ordered=True).refuted
    assert worst_divergence(learner.law, CORNERS, 4, Budget("0.05"), ordered=True).refuted


@dataclass(frozen=True)
class Repeats(ColumnLearner):
    """Broken: it runs the learner inside five times for every example that it has, and says all that it heard."""

    def run(self, data, ask):
        rules = tuple(super(Repeats, self).run(data, ask) for _ in range(5))
        return composition(gate("majority", 5), rules)


def test_a_column_learner_that_asks_again_is_refuted():
    one, many = (kind(IntervalExponential(2, ONE, *GOAL), 0) for kind in (ColumnLearner, Repeats))
    rows = [((1, 2), True), ((2, 1), True), ((1, 1), False), ((2, 2), False)]
    assert not worst_divergence(one.law, rows, 2, one.cost).refuted
    assert worst_divergence(many.law, rows, 2, many.cost).refuted


def test_algorithm_5_over_columns_succeeds_at_n():
    """x ≥ 300 and y ≥ 500, 10 % noise, N examples of two columns."""
    rng = np.random.default_rng(9)
    cut = pp.Thresholds(0, 999, direction="above")
    learner = ClosureLearn(
        "and", [proper(cut.on("x")), proper(cut.on("y"))], [cut.on("x"), cut.on("y")], 0.4, 0.1, "tight"
    )
    X = rng.integers(0, 1000, (learner.N, 2))
    clean = (X >= (300, 500)).all(axis=1)
    rows = [{"x": x, "y": y} for x, y in X.tolist()]
    h = learner.learn(rows, (clean ^ (rng.random(learner.N) < 0.1)).tolist())
    assert (h(rows) != clean).mean() <= 0.4


def proper(H):
    clf = pp.PrivateClassifier(H.concept_class, epsilon=1, delta=0, alpha=0.15, beta=0.02, regime="realizable")
    return ColumnLearner(Library(clf.fitting(1).learner), H.column)


def test_columns_that_do_not_fit_are_refused():
    A = ColumnLearner(IntervalExponential(2, ONE, *GOAL), "x")
    cuts = pp.Thresholds(1, 2, direction="below")
    with pytest.raises(ValueError, match="read different samples"):
        ClosureLearn("and", [A, A], [cuts.on("x"), cuts.on("y")], 0.1, 0.05)
    with pytest.raises(ValueError, match="read different samples"):
        ClosureLearn("and", [A, IntervalExponential(2, ONE, *GOAL)], [cuts.on("x"), cuts], 0.1, 0.05)
    with pytest.raises(TypeError, match="private algorithm"):
        ColumnLearner(cuts, "x")


def test_without_an_n_learning_warns_and_runs():
    larger = ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]], points=CUTS.all_points)
    learner = PrivateAgnostic(occam(larger), CUTS, 0.1, 0.05, "tight")
    with pytest.warns(UserWarning, match="no theorem says how many examples are enough: privacy still holds, but noth"):
        assert isinstance(learner.learn([*CUTS.all_points] * 20, [0, 1] * 20), pp.Hypothesis)
