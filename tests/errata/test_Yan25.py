"""[Yan25]: what is printed fails, what the code does instead holds. Entries: docs/errata/Yan25.md."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, comb, e, exp, expm1, log, sqrt

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import gammaincc

from privpac.audit.exact_divergence import divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import Exponential, SparseExponential
from privpac.papers.yan25 import (
    OPTPrivateLearner,
    ProperLearner,
    make_sub_tree,
    make_tree,
    path_end,
    sample_size,
    slack,
    subset_size,
    tree_of,
    votes_needed,
)
from privpac.papers.yan25.improper import Partition
from privpac.papers.yan25.sizes import losses, second_size, split
from privpac.papers.yan25.trees import relabeling
from privpac.privacy.accounting.composition import optimal_at_delta, optimal_at_epsilon, per_use
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers

CHAIN = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]], points="abc")
FORK = ExplicitClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]], points="abc")  # a is no concept, b and c below it are


# 1: complementary columns


def below(C_f, x, y):
    """x ⪯ y [Def. 13]."""
    return bool((C_f[:, x] <= C_f[:, y]).all())


def test_complementary_points_are_equal_relative_to_f():
    """E-Yan25-1, as printed: two points that C tells apart lie below each other under C_f."""
    C = ExplicitClass([[0, 1], [1, 0]])
    assert len(C.points) == 2
    C_f = C.matrix ^ C.matrix[0]
    assert below(C_f, 0, 1)
    assert below(C_f, 1, 0)


def test_points_are_merged_relative_to_f():
    """E-Yan25-1, as corrected: they share a node."""
    T = make_tree(ExplicitClass([[0, 1], [1, 0]]))
    assert len(T.parents) == 2
    assert T.points(1) == (0, 1)


# 2: points on which all concepts agree


def test_removing_a_concept_loses_it():
    """E-Yan25-2, as printed: all concepts agree on the second point, without c₂ too, which is then lost."""
    C = ExplicitClass([[0, 1, 0], [1, 1, 0], [0, 1, 1]], concepts=["c1", "c2", "c3"])
    rest = ExplicitClass(C.matrix[[0, 2]])
    for each in (C, rest):
        assert (each.matrix[:, 1] == each.matrix[0, 1]).all()
    assert C.matrix[1].tolist() not in rest.matrix.tolist()


def test_the_point_leaves_and_f_speaks_there():
    """E-Yan25-2, as corrected: the point has no node, and every rule says f there."""
    tree = tree_of(ExplicitClass([[0, 1], [1, 1]]))
    assert tree.canon(1) is None
    assert [tree.hypothesis(v).labels for v in (0, 1)] == [(False, True), (True, True)]


# 3: MakeTree


def printed_tree(C_f, *, once, picked):
    """Step 3 on columns without twins: parents, ∅ being None. ``picked``: "≺ x" for the missing x, instead of "≺ ℓ"."""
    X, parent, leaves = list(range(C_f.shape[1])), {}, [None]

    def under(x, y):
        return y is None or (x != y and below(C_f, x, y))

    while missing := [x for x in X if x not in parent]:
        grown = []
        for leaf in leaves:
            top = missing[0] if picked else leaf
            for x in missing:
                between = [y for y in X if y != x and under(x, y) and top is not None and under(y, top)]
                between += [y for y in X if y != x and top is None and under(x, y)]
                if x not in parent and under(x, leaf) and not between:
                    parent[x] = leaf
                    grown.append(x)
        leaves = grown
        if once or not grown:
            break
    return parent


def test_one_step_makes_one_layer():
    """E-Yan25-3, as printed: "If" leaves the points of the second layer out, "≺ x" puts them into the first."""
    C_f = CHAIN.matrix ^ CHAIN.matrix[0]
    assert printed_tree(C_f, once=True, picked=False) == {0: None}
    assert printed_tree(C_f, once=False, picked=True)[1] is None


def test_while_points_are_missing():
    """E-Yan25-3, as corrected: "while" and "≺ ℓ" make the tree."""
    C_f = CHAIN.matrix ^ CHAIN.matrix[0]
    assert printed_tree(C_f, once=False, picked=False) == {0: None, 1: 0, 2: 1}
    assert make_tree(CHAIN).parents == (0, 0, 1, 2)


# 4: inconsistent subsets

NODES, CALIBRATED = 1000, 1e-6
STAR = ExplicitClass(
    np.vstack([np.zeros((1, NODES + 1), dtype=int), np.eye(NODES, NODES + 1, dtype=int)])
)  # 1000 is in none


@dataclass(frozen=True)
class Vacuous(OPTPrivateLearner):
    """As printed: a subset that no concept fits determines every point."""

    def distance(self, B_i):
        return self.tree.height if B_i is None else super().distance(B_i)

    def votes_of(self, B_i, z):
        if B_i is not None:
            return super().votes_of(B_i, z)
        return self.tree.children(self.tree.root) if z else [self.tree.root]  # all nodes at depth z of a star


def worst_pair(learner):
    """Nine subsets of one record: eight vote for node 1; the ninth fits no concept, or says nothing.

    All subsets have one record, so that every partition gives the same law: one of them is looked at.
    """
    deal = tuple(range(9))

    def law(last):
        S = learner.check((*((0, 1),) * 8, last))
        return law_of(lambda ask: learner.run(S, lambda m, x: deal if isinstance(m, Partition) else ask(m, x)))

    return float(divergence(law((NODES, 1)), law((5, 0)), learner.cost.epsilon))


def test_one_record_lets_a_thousand_nodes_appear():
    """E-Yan25-4, as printed: the choice alone has δ = 1e-3 where it is calibrated to 1e-6 for votes of one node."""
    choose = SparseExponential(Budget(1, CALIBRATED))
    everyone, nobody = choose.law(dict.fromkeys(range(NODES), 1)), choose.law({})
    assert float(divergence(everyone, nobody, 1)) == pytest.approx(NODES * CALIBRATED / (1 + 999e-6), rel=1e-6)


def test_the_whole_algorithm_with_vacuous_votes():
    """E-Yan25-4, as printed: the learner itself exceeds its δ nine hundred times, on 9 records."""
    assert worst_pair(Vacuous(STAR, Budget(1, CALIBRATED), median="exponential", t=9)) > 900 * CALIBRATED


def test_an_inconsistent_subset_has_no_vote():
    """E-Yan25-4, as corrected: on the same pair the promise holds; such a subset has distance 0."""
    learner = OPTPrivateLearner(STAR, Budget(1, CALIBRATED), median="exponential", t=9)
    assert worst_pair(learner) <= CALIBRATED
    assert [learner.distance(None), learner.votes_of(None, 0), learner.votes_of(None, 1)] == [0, [], []]
    tree = tree_of(FORK)
    for examples in (
        (("a", False), ("b", True)),
        (("b", True), ("c", True)),
        (("b", False), ("c", False), ("a", True)),
    ):
        assert path_end(tree, set(relabeling(tree, examples))) is None
    assert path_end(learner.tree, {(None, True)}) is None


# 5: no node to choose


def test_there_may_be_nothing_to_choose_from():
    """E-Yan25-5, as printed: at median depth 0 no point of X is in P, and the lemma's bracket asks too much."""
    tree = tree_of(FORK)
    assert [x for x in FORK.all_points if tree.depth(tree.canon(x)) == 0] == []
    best, n, β = 10, 10, 0.05
    assert not best - slack(n, β, 1, 1e-6) >= 1 - β


def test_where_nothing_is_chosen_the_rule_is_f():
    """E-Yan25-5, as corrected: without positives relative to f the rule is f, always; without ε < 2, too."""
    for ε in (1, 5):
        learner = OPTPrivateLearner(FORK, Budget(ε, 1e-6), t=1)
        assert float(learner.law((("a", 0),))[FORK.hypothesis(FORK.concepts[0])]) == pytest.approx(1)


@over("ε", [1, 5])
@over("t", [1, 2, 9, 60])
def test_the_choice_is_private_from_one_vote_on(ε, t):
    """E-Yan25-5, as corrected: however few votes there are, one more or another one costs what is claimed."""
    selection = OPTPrivateLearner(FORK, Budget(2 * ε, 2e-6), median="exponential", t=t).selection
    cost = selection.cost
    for votes, other in (({"b": t}, {"b": t - 1, "c": 1}), ({"b": t}, {"b": t - 1}), ({}, {"b": 1})):
        laws = selection.law(votes), selection.law(other)
        assert float(divergence(*laws, cost.epsilon)) <= float(cost.delta)
        assert float(divergence(*laws[::-1], cost.epsilon)) <= float(cost.delta)


# 6: gaps in Lemmas 7 and 9, and Fact 1


def test_a_fitting_concept_may_be_better_than_what_is_determined():
    """E-Yan25-6, as printed: h' beyond B_i is right where h_i is wrong; a best score of the slack allows score 0."""
    tree, D = tree_of(CHAIN), {"a": 0.4, "b": 0.3, "c": 0.3}
    B_i = path_end(tree, set(relabeling(tree, (("a", True),))))
    h_i, target, h = ({"a"}, {"a", "b", "c"}, {"a", "b"})  # h' fits (a, 1) and is 0 on c, as the proof asks
    assert tree.hypothesis(B_i)(list("abc")).tolist() == [True, False, False]
    assert (h - h_i) & target  # where the proof says c* is 0
    assert sum(D[x] for x in target - h_i) > sum(D[x] for x in target - h)  # so error(h_i) ≤ error(h') fails
    n_PM, t = 100, 6 * slack(100, 0.05, 0.5, 1e-6)
    assert t / 6 - slack(n_PM, 0.05, 0.5, 1e-6) == pytest.approx(0)  # a score that nodes without votes have
    assert slack(t, 0.05, 0.5, 1e-6) > t / 6  # and the mechanism runs on t subsets, not on n_PM
    S, far = [1, 2, 3], 10**9
    assert min(sum(x <= far for x in S), sum(x >= far for x in S)) >= (1 / 2 - 1 / 2) * len(S)


@pytest.mark.parametrize("m", [1, 2, 4])
def test_one_subset_fails_as_often_as_it_misses_the_end(m):
    """E-Yan25-6, as corrected: a subset determines too little with probability (1 − mass)^m < (1 − α)^m."""
    tree, D, α = tree_of(CHAIN), {"a": 0.4, "b": 0.35, "c": 0.25}, 0.2
    failed = 0.0
    for drawn in product(D, repeat=m):
        B = path_end(tree, set(relabeling(tree, tuple((x, True) for x in drawn))))
        missed = sum(p for x, p in D.items() if tree.depth(tree.canon(x)) > tree.depth(B))
        failed += (missed > α) * np.prod([D[x] for x in drawn])
    assert failed == pytest.approx((1 - D["c"]) ** m)
    assert failed < (1 - α) ** m
    assert subset_size(α, (1 - α) ** m) in {m, m + 1}  # up to rounding


def test_enough_votes_are_chosen_and_a_median_exists():
    """E-Yan25-6, as corrected: a node without votes is never chosen; a 0-median is always there."""
    cost, β, e = Budget("0.5", 1e-6), 0.05, 20
    t, _ = split(lambda t: e, cost, 0.1, 3 * β)
    assert (t + 1) // 2 - e >= votes_needed(cost, β)
    law = SparseExponential(cost).law({"good": votes_needed(cost, β), "other": 0})
    assert set(law) == {"good", None}
    assert float(law[None]) <= β
    for S in ([1], [1, 2], [5, 1, 1], [3, 1, 2, 9]):
        middle = sorted(S)[(len(S) - 1) // 2]
        assert 2 * min(sum(x <= middle for x in S), sum(x >= middle for x in S)) >= len(S)


# 7: ε for e


def test_a_sample_of_negative_size():
    """E-Yan25-7, as printed: with log(48ε/α) a small ε asks for fewer than no records."""
    α, β, ε = 0.5, 0.05, 1e-3
    assert 48 / α * (10 * log(48 * ε / α) + log(5 / β)) < 0


def test_the_size_of_theorem_3():
    """E-Yan25-7, as corrected: log(48e/α), whatever ε is."""
    assert sample_size(0.5, 0.05) == pytest.approx(96 * (10 * log(96 * e) + log(100)))


# 8: proper nodes


def proper_points(C, under):
    """Points x for which I(c_f) = {y : under(y, x)} for some concept, f being the empty one."""
    concepts = {frozenset(np.flatnonzero(row)) for row in C.matrix}
    X = range(len(C.points))
    return {C.points[x] for x in X if frozenset(y for y in X if under(y, x)) in concepts}


def test_what_lies_below_is_no_path():
    """E-Yan25-8, as printed: by {y : y ⪯ x} the points b and c of a chain are not proper, though concepts end there."""
    assert proper_points(CHAIN, lambda y, x: below(CHAIN.matrix, y, x)) == {"a"}  # by accident: all lies below a


def test_what_lies_above_is():
    """E-Yan25-8, as corrected: by {y : x ⪯ y} they are, as in the tree."""
    assert proper_points(CHAIN, lambda y, x: below(CHAIN.matrix, x, y)) == set("abc")
    chain, fork = tree_of(CHAIN), tree_of(FORK)
    assert all(chain.is_proper(chain.canon(x)) for x in "abc")
    assert [fork.is_proper(fork.canon(x)) for x in "abc"] == [False, True, True]


# 9: advanced composition

USES = [(100, 1.0), (100, 0.5), (1000, 0.1)]
SLACK = 1e-6


def true_delta(k: int, epsilon: float, total: float) -> float:
    """The exact δ at ``total`` of k randomized responses, each epsilon-private: by how many bits were told truly."""
    with ctx.workprec(128):
        truth = 1 / (1 + (-arb(epsilon)).exp())
        lie = 1 - truth
        excess = [truth**j * lie ** (k - j) - arb(total).exp() * truth ** (k - j) * lie**j for j in range(k + 1)]
        return float(sum((comb(k, j) * x for j, x in enumerate(excess) if x > 0), arb(0)))


def printed(k: int, epsilon: float) -> float:
    return sqrt(2 * k * log(1 / SLACK)) * epsilon


def corrected(k: int, epsilon: float) -> float:
    return printed(k, epsilon) + k * epsilon * expm1(epsilon)


def test_the_exact_delta_of_one_and_two_uses():
    assert true_delta(1, 1.0, 0.0) == pytest.approx((exp(1) - 1) / (exp(1) + 1))
    assert true_delta(2, 1.0, 1.0) == pytest.approx((exp(2) - exp(1)) / (1 + exp(1)) ** 2)
    assert true_delta(2, 1.0, 2.0) == pytest.approx(0, abs=1e-30)


@pytest.mark.parametrize(("k", "epsilon"), USES)
def test_advanced_composition_without_its_second_term(k, epsilon):
    """E-Yan25-9, as printed: the claim fails."""
    assert true_delta(k, epsilon, printed(k, epsilon)) > 40 * SLACK


def test_how_far_the_printed_claim_is_off():
    """E-Yan25-9, as printed: 100 uses at ε = 1 have δ = 0.21 where 1e-6 is claimed."""
    assert true_delta(100, 1.0, printed(100, 1.0)) == pytest.approx(0.2073, abs=1e-4)


@pytest.mark.parametrize(("k", "epsilon"), USES)
def test_advanced_composition_with_both_terms(k, epsilon):
    """E-Yan25-9, as corrected: with both terms the claim holds, and the exact bound is never worse."""
    total = corrected(k, epsilon)
    assert true_delta(k, epsilon, total) <= SLACK
    assert optimal_at_delta(Budget(epsilon), k, SLACK).epsilon <= total


@pytest.mark.parametrize(("k", "epsilon"), USES)
def test_composition_as_computed(k, epsilon):
    """E-Yan25-9, as corrected: what is computed instead is the δ of the counterexample."""
    total = printed(k, epsilon)
    computed = float(optimal_at_epsilon(Budget(epsilon), k, total).delta)
    assert computed == pytest.approx(true_delta(k, epsilon, total), rel=1e-9)


# 10: what 2T releases cost


def per_release(α, ε, δ):
    """ε as substituted in the text before Theorem 13."""
    return ε / sqrt(2 * log(2 / δ) / α)


@pytest.mark.parametrize("α", [0.2, 0.1, 0.05, 0.01])
def test_the_substitution_by_the_papers_own_account(α):
    """E-Yan25-10, as printed: Theorem 12 turns the substituted ε into 2√2 times the target."""
    ε, δ, T = 1.0, 1e-6, 2 / α
    assert sqrt(2 * T * log(2 / δ)) * 2 * per_release(α, ε, δ) == pytest.approx(2 * sqrt(2) * ε)


@pytest.mark.parametrize(
    ("α", "least", "most"), [(0.2, 1.49, 1.50), (0.1, 1.61, 1.62), (0.05, 1.64, 1.65), (0.01, 1.67, 1.68)]
)
def test_what_two_t_releases_cost_at_worst(α, least, most):
    """E-Yan25-10, as printed: 2T releases at that ε have δ > 3e-4 at the target ε, where 1e-6 is claimed."""
    ε, δ, k = 1.0, 1e-6, 2 * ceil(2 / α)
    each = Budget(per_release(α, ε, δ))
    assert float(optimal_at_epsilon(each, k, ε).delta) > 300 * δ
    assert true_delta(k, float(each.epsilon), ε) > 300 * δ
    assert least < float(optimal_at_delta(each, k, δ / 2).epsilon) / ε < most


def comb_of(length):
    """A spine of nodes that are no concepts, each with a tooth that is one; at its end there are two."""
    spine, teeth = np.tri(length + 1, length, dtype=int), np.eye(length + 1, dtype=int)
    return ExplicitClass(np.vstack([np.zeros((1, 2 * length + 1), dtype=int), np.hstack([spine, teeth])]))


DEEP = comb_of(200)


@pytest.mark.parametrize("α", [0.2, 0.1, 0.05, 0.01])
def test_two_t_releases_are_solved_for(α):
    """E-Yan25-10, as corrected: the ε of each release is solved for, and 2T of them stay within the target."""
    plan = ProperLearner(DEEP, Budget(1, 1e-6), α).plan
    assert ceil(2 / α) == plan.T
    assert plan.release_cost == per_use(Budget(1, 1e-6), 2 * plan.T)
    assert true_delta(2 * plan.T, float(plan.release_cost.epsilon), 1.0) <= 1e-6
    assert float(plan.release_cost.epsilon) < per_release(α, 1.0, 1e-6)


# 11: Algorithm 4, to the letter


@dataclass(frozen=True)
class ToTheLetter(ProperLearner):
    """As printed: T iterations whatever x_flag is."""

    def down(self, x_good, S_2, ask):
        T_good, w, *_ = self.descent(x_good, S_2)
        x_flag = x_good
        for _ in range(ceil(2 / self.plan.theta)):
            w_min = min(w[x] for x in T_good[x_flag])
            if w_min <= self.plan.theta * len(S_2):
                return T_good[x_flag][0]
            x_flag = T_good[x_flag][0]
        return x_flag


STEP = comb_of(2)  # points 0 and 1 are no concepts; below 0 lie 1 and the leaf 2, below 1 the leaves 3 and 4


def heavy(tree, *points):
    """Five examples with label 0 at each of the points."""
    return relabeling(tree, tuple((x, False) for x in points) * 5)


def test_a_leaf_has_no_lightest_child():
    """E-Yan25-11, as printed: the second iteration takes a minimum over nothing; and αN exceeds N₂."""
    learner = ToTheLetter(FORK, Budget(1, 1e-6), 0.1)
    with pytest.raises(ValueError, match="empty"):
        learner.down(learner.tree.canon("a"), heavy(learner.tree, "b", "c"), None)
    assert 0.1 * learner.N > learner.plan.N2


def test_the_way_down_ends_at_a_leaf():
    """E-Yan25-11, as corrected: it stops at a leaf, wherever that is, and takes no more steps than there are ways."""
    learner = ProperLearner(STEP, Budget(1, 1e-6), 0.1)
    leaves = {learner.tree.canon(x) for x in (2, 3, 4)}
    law = law_of(lambda ask: learner.down(learner.tree.canon(0), heavy(learner.tree, 2, 3, 4), ask))
    assert set(law) == leaves
    assert learner.plan.T == 2


def test_weights_are_numbers_of_records_and_compared_with_n2():
    """E-Yan25-11, as corrected: of 15 records, 5 are not light at α = .1, and all of them are counted."""
    learner, asked = ProperLearner(STEP, Budget(1, 1e-6), 0.1), []
    tree = learner.tree

    def ask(mechanism, seen):
        asked.append(seen)
        return seen if isinstance(mechanism, DiscreteLaplace) else 0

    node = learner.down(tree.canon(0), heavy(tree, 2, 3, 4), ask)
    T_good = make_sub_tree(tree, tree.canon(0))
    first, second = T_good[tree.canon(0)], T_good[tree.canon(1)]
    w = {tree.canon(1): 10, **{tree.canon(x): 5 for x in (2, 3, 4)}}
    least = w | {tree.canon(1): 5}
    assert asked[:2] == [5, [-least[x] for x in first]]  # not light, so by value
    assert asked[2:] == ([5, [-least[x] for x in second]] if first[0] == tree.canon(1) else [])
    assert node in {tree.canon(2), second[0]}
    assert learner.first_leaf(T_good, tree.canon(1)) == second[0]  # the first in the order of the tree


# 12: Claims 2 to 5


def test_claims_2_4_and_5():
    """E-Yan25-12, as printed: the best leaf always has few zeros, choices lose more than ln(2/α)/ε, q is not > 0."""
    tree = tree_of(FORK)
    learner = ProperLearner(FORK, Budget(1, 1e-6))
    S_2 = relabeling(tree, tuple((x, x != "c") for x in "abbabc"))  # the target is b
    assert learner.descent(tree.canon("a"), S_2).least_v[tree.canon("b")] == 0  # so Pr[v ≤ 2αN] = 1, not < β
    α, ε, β = 0.1, 1, 0.05
    lost = ceil(log(2 / α) / ε) + 1
    law = Exponential(Budget(ε)).law([0] + [-lost] * 19)  # 2/α children, one of which is good
    assert 1 - float(law[0]) > 10 * β
    assert not -3 * α * 1000 > 4 * α * 1000  # "q ≥ −3αN − … > 4αN₂"
    law = Exponential(Budget(ε)).law([0, -30])  # two children whose weights differ by 3αN/2 = 30
    assert float(law[1] / law[0]) > 1000 * exp(-ε * 30)  # "(2/α)·e^(−3εαN/2)"


def test_a_leaf_may_come_before_step_7c():
    """E-Yan25-12, as printed: on records that a concept labels, no child is light, and no child has children."""
    C = ExplicitClass([[0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 0, 1], [1, 0, 1, 0]], points="abcd")  # d lies below b
    learner = ProperLearner(C, Budget(1, 1e-6), 0.1)
    tree = learner.tree
    S_2 = relabeling(tree, (("c", False),) * 50 + (("d", False),) * 50)  # the target is b
    T_good, w, *_ = learner.descent(tree.canon("a"), S_2)
    children = T_good[tree.canon("a")]
    assert min(w[x] for x in children) == 50 > 4 * 0.1 * len(S_2)
    assert [T_good[x] for x in children] == [(), ()]


@pytest.mark.parametrize("T", [1, 3, 20])
def test_what_choices_may_lose(T):
    """E-Yan25-12, as corrected: what N₂ allows for them is lost with probability at most β, and no less is allowed."""
    each, β, θ = Budget("0.1"), 0.05, Fraction(1, 10)
    (noise, value, weight), r = losses(each, β, θ, T), float(each.epsilon) / 2
    light = Exponential(each).law([0] + [-ceil(weight)] * 10)  # 1/θ heavy children
    assert 1 - float(light[0]) <= β
    assert 1 - float(Exponential(each).law([0] + [-int(0.8 * weight)] * 10)[0]) > β
    k = 1 + 20 / T  # children at each of T nodes
    assert gammaincc(T, r * value - T * log(k)) == pytest.approx(β)
    assert 2 * T * exp(-float(each.epsilon) * noise) == pytest.approx(β)
    alone = Exponential(each).law([0] + [-ceil(losses(each, β, θ, 1)[1])] * 20)  # one choice among 21
    assert 1 - float(alone[0]) <= β


def test_n2_leaves_room_for_all_of_it():
    """E-Yan25-12, as corrected: θN₂, the noise and both kinds of choices together stay below α₂N₂."""
    for T in (1, 4, 20):
        n = second_size(Budget("0.1"), Fraction(1, 5), 0.05, Fraction(1, 20), T)
        K, b = n / 20 + sum(losses(Budget("0.1"), 0.0125, Fraction(1, 20), T)), n / 5 - 1
        assert 2 * (2 * n + 1) * exp(-((b - K) ** 2) / (2 * (b + K))) <= 0.0125
        assert b > K


@over("seed", range(5))
def test_no_zeros_on_the_true_path(seed):
    """E-Yan25-12, as corrected: v = 0 at the leaf on the way to the target, for every realizable sample."""
    rng, learner = np.random.default_rng(seed), ProperLearner(FORK, Budget(1, 1e-6))
    tree = learner.tree
    points = rng.choice(list("abc"), 50).tolist()
    S_2 = relabeling(tree, tuple((x, x != "c") for x in points))
    zeros = Counter(v for v, y in S_2 if not y)
    assert learner.descent(tree.canon("a"), S_2).least_v[tree.canon("b")] == zeros[tree.canon("b")] == 0


# 13: Theorem 11 loses ln(t + 2)


def substituted(log_1_δ, α, β):
    """What Alg. 2 asks of each subset once β is β/(t + 2), over what Theorem 11 says; log* d = ε = 1, in logarithms."""
    t = (log_1_δ + log(1 / β)) ** 2
    return (10 * log(48 * e / α) + log(5 * (t + 2) / β)) / (10 * log(48 * e / α) + log(5 / β))


def test_the_union_bound_is_not_a_constant():
    """E-Yan25-13, as printed: the factor between the algorithm and the theorem grows without bound as δ falls."""
    ratios = [substituted(10.0**k, 0.5, 0.5) for k in (1, 10, 50, 100)]
    assert ratios == sorted(ratios)
    assert ratios[-1] > 8


def test_a_share_of_the_subsets_may_fail():
    """E-Yan25-13, as corrected: no union bound over the subsets, and m does not grow with t."""
    sizes = [
        OPTPrivateLearner(FORK, Budget(1, 10.0**-k), 0.1, 0.05, "tight", "exponential").split for k in (6, 60, 300)
    ]
    assert sizes[0].t < sizes[1].t < sizes[2].t
    assert sizes[0].m >= sizes[1].m >= sizes[2].m
