"""ProperLearner: private for every sample, always a concept of the class, right at its tight N."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from privpac.audit.exact import worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.explicit import ExplicitClass
from privpac.classes.points import Points
from privpac.classes.spider import Spider
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.programs import law_of
from privpac.papers.yan25.proper import ProperLearner
from privpac.papers.yan25.sizes import steps
from privpac.privacy.accounting import optimal_at_epsilon
from privpac.privacy.budget import Budget
from tests.papers.yan25.populations import COMB, FORK, Population, explicit, hostile, random_class, success
from tests.papers.yan25.test_improper import dealt, labelled

ROUGH = Budget(1, "0.1")
α, β, LOOSE = 0.4, 0.2, Budget(8, "0.001")


@dataclass(frozen=True)
class Small(ProperLearner):
    """Two of three records go to the way down."""

    N2 = 2

    @property
    def N(self):  # noqa: N802
        return 3


@pytest.mark.parametrize("constants", ["printed", "tight"])
def test_private_on_all_samples_of_a_small_universe(constants):
    learner = Small(FORK, ROUGH, 0.9, 0.5, constants, "exponential", t=1)
    found = worst_divergence(dealt(learner), labelled("abc"), 3, learner.cost, ordered=True)
    assert not found.refuted
    assert float(found.ratio) > 0.2


def down(learner):
    """The laws of the way down from a node that is no concept, on all samples of the nodes given."""
    x_good = learner.tree.canon("a")
    return lambda S: law_of(lambda ask: learner.down(x_good, S, ask))


def test_the_way_down_alone():
    learner = ProperLearner(COMB, ROUGH, 0.9)
    universe = [(learner.tree.canon(x), y) for x, y in product("bcde", (False, True))]
    claimed = Budget(2 * steps(learner.theta) * learner.each.epsilon)  # pure: all releases together
    assert not worst_divergence(down(learner), universe, 3, claimed).refuted


@dataclass(frozen=True)
class BestLeaf(ProperLearner):
    """Broken: "any leaf" is the one with the fewest zeros on its path."""

    def down(self, x_good, S_2, ask):
        self.__dict__["zeros"] = [v for v, y in S_2 if not y]
        return super().down(x_good, S_2, ask)

    def leaf(self, T_good, x):
        leaves = [v for v in T_good if not T_good[v] and self._below(v, x)]
        return min(leaves, key=self.zeros.count)

    def _below(self, v, x):
        return self.tree.depth(v) >= self.tree.depth(x) and self.tree.ancestor(v, self.tree.depth(x)) == x


def test_a_leaf_chosen_by_the_records_is_refuted():
    for broken, refuted in ((BestLeaf, True), (ProperLearner, False)):
        learner = broken(COMB, Budget(1, "0.01"), 0.9)
        universe = [(learner.tree.canon(x), False) for x in "cde"]
        claimed = Budget(2 * steps(learner.theta) * learner.each.epsilon, "0.01")
        assert worst_divergence(down(learner), universe, 2, claimed).refuted is refuted


def test_all_releases_together_cost_what_is_claimed():
    for constants in ("printed", "tight"):
        learner = ProperLearner(FORK, Budget(1, 1e-6), 0.1, constants=constants)
        k = 2 * steps(learner.theta)
        assert optimal_at_epsilon(learner.each, k, 1) <= learner.cost
        assert optimal_at_epsilon(Budget(learner.each.epsilon * 1001 / 1000), k, 1).delta > learner.cost.delta


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


def beside(alpha):
    """Where only the way down decides, and where there is none."""
    thin = 1.02 * alpha
    points = Population(
        "points", ExplicitClass(np.eye(6)), list(range(6)), [0] * 5 + [1], [(1 - thin) / 5] * 5 + [thin]
    )
    return [spine(60, 0.0), spine(60, 0.3), explicit(30, 1, thin), points, hostile(alpha)[0], hostile(alpha)[2]]


@pytest.mark.parametrize("population", beside(α), ids=repr)
def test_right_at_its_tight_n(population):
    learner = ProperLearner(population.concept_class, LOOSE, α, β, "tight", "exponential")
    assert success(learner, population, learner.N, 80, seed=4) >= 1 - β


def test_a_way_down_without_records_is_seen():
    @dataclass(frozen=True)
    class Blind(ProperLearner):
        def descent(self, x_good, S_2):
            return super().descent(x_good, [])

    for population in beside(α)[:2]:
        learner = Blind(population.concept_class, LOOSE, α, β, "tight", "exponential")
        assert success(learner, population, learner.N, 50, seed=5) < 0.7


def test_weights_and_values():
    learner = ProperLearner(COMB, ROUGH, 0.9)
    node = {x: learner.tree.canon(x) for x in "abcde"}
    T_good, w, least = learner.descent(
        node["a"], [(node[x], y) for x, y in zip("aabccde", [0, 1, 0, 0, 1, 0, 0], strict=True)]
    )
    assert set(T_good) == set(node.values())
    assert [w[node[x]] for x in "abcde"] == [5, 3, 1, 1, 1]
    assert [least[node[x]] for x in "abcde"] == [1, 2, 2, 2, 1]


def test_a_proper_node_is_kept():
    learner = ProperLearner(COMB, ROUGH, 0.9)
    c = learner.tree.canon("c")
    assert learner.down(c, [], lambda mechanism, seen: pytest.fail("nothing is to be decided")) == c


@pytest.mark.parametrize("H", [Points(), Spider(bits=2)], ids=["points", "spider"])
def test_roots_that_are_no_concepts_are_refused(H):
    with pytest.raises(ValueError, match="no concept"):
        ProperLearner(H, ROUGH)


def test_printed_numbers_add_up():
    learner = ProperLearner(FORK, Budget(1, 1e-6))
    assert learner.N == learner.improper.N + learner.N2
    assert learner.N2 == 8935
    assert learner.theta * 10 == 1
    learner.release((), SYSTEM)


@pytest.mark.parametrize(("spent", "refuted"), [(2, False), (400, True)], ids=["private", "too dear"])
def test_sampled_on_a_pair_of_41_records(spent, refuted):
    """One record turns the majority of subsets of one record; at 200 times the claimed ε the learner follows it."""
    learner = ProperLearner(ExplicitClass(np.eye(3)), Budget(spent, 1e-3), 0.5, 0.5, median="exponential", t=41)
    pair = tuple(((2, 1),) * k + ((0, 1),) * (41 - k) for k in (20, 21))
    assert audit(learner, pair, claimed=Budget(2, 1e-3), runs=600, confidence=1 - 1e-9).refuted is refuted
