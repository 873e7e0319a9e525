"""ProperLearner: private for every sample, always a concept of the class, right at its tight N."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import exp

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.values.points import Points
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.algorithm import law_of
from privpac.papers.yan25.improper import OPTPrivateLearner
from privpac.papers.yan25.proper import ProperLearner
from privpac.papers.yan25.trees import NodeSample
from privpac.privacy.accounting.composition import optimal_at_epsilon
from privpac.privacy.budget import Budget
from tests.papers.yan25.populations import COMB, FORK, Population, explicit, hostile, random_class, success
from tests.papers.yan25.test_improper import dealt, labeled

ROUGH = Budget(1, "0.1")
α, β, COST = 0.1, 0.1, Budget(1, 1e-6)
LOOSE = (Budget(8, "0.001"), 0.4, 0.2)

pytestmark = [
    pytest.mark.papers,
    pytest.mark.filterwarnings("ignore:the theorem asks for N"),
]  # few records are the point of most tests


@dataclass(frozen=True)
class Small(ProperLearner):
    """Two of three records go to the way down."""

    @cached_property
    def plan(self):
        return ProperLearner.plan.func(self)._replace(N2=2)

    @property
    def N(self):  # noqa: N802
        return 3


@pytest.mark.parametrize("constants", ["printed", "tight"])
def test_private_on_all_samples_of_a_small_universe(constants):
    learner = Small(FORK, ROUGH, 0.9, 0.5, constants, "exponential", t=1)
    found = worst_divergence(dealt(learner), labeled("abc"), 3, learner.cost, ordered=True)
    assert not found.refuted
    assert float(found.ratio) > 0.2


def test_private_on_all_samples_of_a_few_points():
    learner = Small(Points(3), ROUGH, 0.9, 0.5, "tight", "exponential", t=1)
    found = worst_divergence(dealt(learner), labeled(range(3)), 2, learner.cost, ordered=True)
    assert not found.refuted
    tenth = Budget(learner.cost.epsilon / 10)
    assert worst_divergence(dealt(learner), labeled(range(3)), 2, tenth, ordered=True).refuted  # the records do count


def relabeled(S):
    """Nodes with labels, as the learners read them."""
    number = {each: i for i, each in enumerate(dict.fromkeys(S))}
    return NodeSample(list(number), np.array([number[each] for each in S], dtype=int))


def down(learner):
    """The laws of the way down from a node that is no concept, on all samples of the nodes given."""
    x_good = learner.tree.canon("a")
    return lambda S: law_of(lambda ask: learner.down(x_good, relabeled(S), ask))


def test_the_way_down_alone():
    learner = ProperLearner(COMB, ROUGH, 0.9)
    universe = [(learner.tree.canon(x), y) for x, y in product("bcde", (False, True))]
    claimed = Budget(2 * learner.plan.T * learner.plan.release_cost.epsilon)  # pure: all releases together
    assert not worst_divergence(down(learner), universe, 3, claimed).refuted


def test_the_way_down_to_a_point():
    """Points that no example has are drawn as often as they should, whatever their number."""
    learner = ProperLearner(Points(4), ROUGH, 0.9)
    universe = [((j,), y) for j, y in product(range(4), (False, True))]
    laws = {
        S: law_of(lambda ask, S=S: learner.down((), relabeled(S), ask))
        for S in combinations_with_replacement(universe, 3)
    }
    claimed = Budget(2 * learner.plan.release_cost.epsilon)
    assert not worst_divergence(lambda S: laws[tuple(sorted(S))], universe, 3, claimed).refuted
    law = laws[((0,), False), ((0,), False), ((2,), False)]
    heavier = {j: float(law[(j,)] / law[(1,)]) for j in range(4)}
    r = exp(-float(learner.plan.release_cost.epsilon) / 2)
    assert heavier == pytest.approx({0: r**2, 1: 1, 2: r, 3: 1})


@dataclass(frozen=True)
class BestLeaf(ProperLearner):
    """Broken: "any leaf" is the one with the fewest zeros on its path."""

    def down(self, x_good, S_2, ask):
        self.__dict__["zeros"] = [v for v, y in S_2 if not y]
        return super().down(x_good, S_2, ask)

    def first_leaf(self, T_good, x):
        leaves = [v for v in T_good if not T_good[v] and self._below(v, x)]
        return min(leaves, key=self.zeros.count)

    def _below(self, v, x):
        return self.tree.depth(v) >= self.tree.depth(x) and self.tree.ancestor(v, self.tree.depth(x)) == x


def test_a_leaf_chosen_by_the_records_is_refuted():
    for broken, refuted in ((BestLeaf, True), (ProperLearner, False)):
        learner = broken(COMB, Budget(1, "0.01"), 0.9)
        universe = [(learner.tree.canon(x), False) for x in "cde"]
        claimed = Budget(2 * learner.plan.T * learner.plan.release_cost.epsilon, "0.01")
        assert worst_divergence(down(learner), universe, 2, claimed).refuted is refuted


def test_all_releases_together_cost_what_is_claimed():
    for C, constants in product((FORK, COMB, spine(60, 0.0).concept_class), ("printed", "tight")):
        learner = ProperLearner(C, COST, 0.1, constants=constants)
        k, each = 2 * learner.plan.T, learner.plan.release_cost
        assert optimal_at_epsilon(each, k, 1) <= learner.cost
        assert optimal_at_epsilon(Budget(each.epsilon * 1001 / 1000), k, 1).delta > learner.cost.delta


def test_there_are_no_more_steps_than_ways_down():
    assert [ProperLearner(C, COST, 0.1).plan.T for C in (FORK, COMB, spine(9, 0.0).concept_class)] == [1, 2, 9]
    assert ProperLearner(spine(60, 0.0).concept_class, COST, 0.1).plan.T == 20  # 2/α
    assert ProperLearner(Points(2**64), COST, 0.1).plan.T == 1


def test_where_all_nodes_are_concepts_there_is_no_way_down():
    for H in (Thresholds(0, 2**16 - 1, direction="above"), RootPaths("/", height=8)):
        learner = ProperLearner(H, COST, constants="tight")
        assert learner.plan.N2 == learner.plan.T == 0
        assert learner.N == OPTPrivateLearner(H, COST, constants="tight").N


@pytest.mark.parametrize("seed", range(4))
def test_the_rule_is_a_concept_whatever_the_records(seed):
    C, rng = random_class(12, seed), np.random.default_rng(seed)
    concepts = {tuple(row) for row in C.matrix_on(C.all_points).tolist()}
    learner = ProperLearner(C, ROUGH, 0.5, 0.5, t=2)
    for n in (0, 1, 5, 40):
        for _ in range(20):
            points = rng.integers(0, len(C.all_points), n).tolist()
            assert learner.learn(points, (rng.random(n) < 0.5).tolist()).labels in concepts


def spine(length, heavy):
    """Below a, which is no concept: the target g, and a spine of light nodes with a leaf each, which few subsets see.

    With ``heavy`` there is something below g, so that no child of a is light.
    """
    nodes, teeth = np.tri(length, dtype=int), np.eye(length, dtype=int)
    rows = np.hstack([np.tile([1, 0, 0], (length, 1)), nodes, teeth])
    few = np.array([[0, 0, 0], [1, 1, 0], [1, 1, 1]])
    C = ExplicitClass(np.vstack([np.hstack([few, np.zeros((3, 2 * length), dtype=int)]), rows]))
    masses = [0.1, 0.0, heavy, *[(0.9 - heavy) / length] * length, *[0.0] * length]
    return Population(
        "heavy children" if heavy else "a light child", C, list(C.all_points), [1, 1] + [0] * (2 * length + 1), masses
    )


def gaps(alpha):
    """Ways down of one and of several steps."""
    thin = 1.02 * alpha
    return [spine(3, 0.0), spine(3, 0.3), explicit(30, 1, thin), explicit(30, 2, thin)]


@pytest.mark.parametrize("population", [*hostile(α)[:3], *gaps(α)], ids=repr)
def test_right_at_its_tight_n(population):
    """With a probability of at least 1 − 2β, that is, of 150 fits at most 8 may fail; none of 350 did."""
    learner = ProperLearner(population.concept_class, COST, α, β, "tight", "exponential")
    assert success(learner, population, learner.N, 150, seed=4) >= 1 - 2 * β


@pytest.mark.parametrize("heavy", [0.0, 0.3])
def test_right_where_the_steps_are_bounded_by_theta(heavy):
    population = spine(60, heavy)
    learner = ProperLearner(population.concept_class, *LOOSE, "tight", "exponential")
    assert learner.plan.T < 60
    assert success(learner, population, learner.N, 80, seed=4) >= 1 - 2 * LOOSE[2]


def test_a_way_down_without_records_is_seen():
    @dataclass(frozen=True)
    class Blind(ProperLearner):
        def descent(self, x_good, S_2):
            return super().descent(x_good, S_2.subset(np.zeros(len(S_2), dtype=bool)))

    for population in (spine(60, 0.0), spine(60, 0.3)):
        learner = Blind(population.concept_class, *LOOSE, "tight", "exponential")
        assert success(learner, population, learner.N, 50, seed=5) < 0.7


def test_weights_and_values():
    learner = ProperLearner(COMB, ROUGH, 0.9)
    node = {x: learner.tree.canon(x) for x in "abcde"}
    S_2 = relabeled([(node[x], bool(y)) for x, y in zip("aabccde", [0, 1, 0, 0, 1, 0, 0], strict=True)])
    T_good, w, least, _ = learner.descent(node["a"], S_2)
    assert set(T_good) == set(node.values())
    assert [w[node[x]] for x in "abcde"] == [5, 3, 1, 1, 1]
    assert [least[node[x]] for x in "abcde"] == [1, 2, 2, 2, 1]


def test_a_proper_node_is_kept():
    learner = ProperLearner(COMB, ROUGH, 0.9)
    c = learner.tree.canon("c")
    assert learner.down(c, [], lambda mechanism, seen: pytest.fail("nothing is to be decided")) == c


@pytest.mark.parametrize("H", [Points(), Spider(bits=2)], ids=["points", "spider"])
def test_roots_that_are_no_concepts_are_refused(H):
    with pytest.raises(ValueError, match=r"Points\(N\).*materialize"):
        ProperLearner(H, ROUGH)


@pytest.mark.parametrize("N", [1, 2, 2**16, 2**64, 10**30])
def test_points_of_any_number_are_named(N):
    learner = ProperLearner(Points(N), ROUGH, 0.5, 0.5, t=2)
    for examples in ((), ((0, True),), ((0, False),) * 9, ((0.0, True), (N - 1, False))):
        (value,) = learner.release(learner.check(examples), SYSTEM).values
        assert value in range(N)
    for outside in (N, -1, "a", 0.5):
        with pytest.raises((ValueError, TypeError), match="values"):
            learner.check(((outside, True),))


def test_printed_numbers_add_up():
    learner = ProperLearner(FORK, COST)
    assert learner.N == learner.improper.N + learner.plan.N2
    assert learner.plan.N2 == 8935
    assert learner.plan.theta * 10 == 1
    learner.release((), SYSTEM)


@pytest.mark.parametrize("constants", ["printed", "tight"])
def test_small_errors_are_planned_at_once(constants):
    for C, a in ((spine(20, 0.0).concept_class, 1e-9), (Points(9), 1e-100)):
        assert 10 / a < ProperLearner(C, COST, a, constants=constants).N
    with pytest.raises(ValueError, match="at least 1e-100"):
        ProperLearner(FORK, COST, 1e-101, constants=constants)


@pytest.mark.parametrize(("spent", "refuted"), [(2, False), (400, True)], ids=["private", "too dear"])
def test_sampled_on_a_pair_of_41_records(spent, refuted):
    """One record turns the majority of subsets of one record; at 200 times the claimed ε the learner follows it."""
    learner = ProperLearner(ExplicitClass(np.eye(3)), Budget(spent, 1e-3), 0.5, 0.5, median="exponential", t=41)
    pair = tuple(((2, 1),) * k + ((0, 1),) * (41 - k) for k in (20, 21))
    assert audit(learner, pair, claimed=Budget(2, 1e-3), runs=600, confidence=1 - 1e-9).refuted is refuted
