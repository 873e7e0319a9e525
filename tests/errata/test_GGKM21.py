"""[GGKM21]: what is printed fails, what is said instead holds. Entries: docs/errata/GGKM21.md."""

from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from privpac.classes.values.points import SparseSets
from privpac.dimensions.irreducible import soa
from privpac.dimensions.littlestone import littlestone_dimension
from privpac.dimensions.oracle import ListedOracle
from privpac.dimensions.vc import vc_dimension
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21 import (
    Branching,
    GeneralizedTree,
    Levels,
    PolyPriLearn,
    PolyPriPlan,
    is_irreducible,
    most_hypotheses,
    printed_plan,
    reduce_tree,
    reducing_array,
    soa_functions,
    surviving_leaf,
)
from privpac.papers.ggkm21.sizes import Shape
from privpac.privacy.budget import Budget
from tests.dimensions import ggkm21
from tests.papers.ggkm21.audits import audited

pytestmark = pytest.mark.papers


def test_two_points():
    """E-GGKM21-7, as printed: with d = 2 the dimension left is 1, and SOA is 1 everywhere."""
    rows = ggkm21.some_of_first(6, 2)
    assert littlestone_dimension(rows[rows[:, 5] == 0]).value == 1
    assert soa(rows).labels == (True,) * 6


@pytest.mark.parametrize("d", [3, 4, 5])
def test_three_points_or_more(d):
    """E-GGKM21-7, as corrected: with d ≥ 3 it is 2, and SOA is 1 exactly on the chosen points."""
    rows = ggkm21.some_of_first(d + 3, d)
    assert littlestone_dimension(rows[rows[:, -1] == 0]).value == 2
    assert soa(rows).labels == (True,) * d + (False,) * 3


# 1: repeated points


def test_a_repeated_point_leaves_nothing():
    """E-GGKM21-1, as printed: the second row asks for both labels of one point; and the case does not occur."""
    F = ListedOracle(list(product((0, 1), repeat=2)))  # both labels of each point lower Ldim
    printed = Branching((0, 0), ((True,), (False, True), (False, False)))
    left = [F.ldim(F.after(F.everything, printed.labels(j))) for j in range(3)]
    assert left == [1, -1, 1]
    assert not is_irreducible(F, F.everything, 1)  # where the lemma asks for k − 1 = 1


def test_distinct_points_leave_something():
    """E-GGKM21-1, as corrected: distinct points, and every row leaves something of smaller dimension."""
    F = ListedOracle(SparseSets(2, 5))
    found = reducing_array(F, F.everything, 4)
    assert len(set(found.points)) == len(found.points) == 4
    assert {F.ldim(F.after(F.everything, found.labels(j))) for j in range(5)} <= {0, 1}


# 2: k_{d+1}


def run_to_the_end():
    """ReduceTree on sets of at most one of five points, all of them consistent with the sample: no break."""
    F, levels = ListedOracle(SparseSets(1, 6)), Levels.printed(1, Fraction(1, 10), 3)
    return reduce_tree(F, np.array([[9, 0], *[[0, 0]] * 5]), levels), levels


def test_the_last_defined_k_is_too_small():
    """E-GGKM21-2, as printed: after d steps the tree is higher than k_d − k′."""
    found, levels = run_to_the_end()
    assert found.t == levels.d + 1
    assert found.tree.height == 5 > levels.k(levels.d) - levels.k_prime == 3


def test_k_is_defined_for_the_last_step():
    """E-GGKM21-2, as corrected: k_{d+1} = k′·2^(d+1), and the height is at most k_{d+1} − k′."""
    found, levels = run_to_the_end()
    assert levels.k(levels.d + 1) == 3 * 2**2
    assert found.tree.height <= levels.k(levels.d + 1) - levels.k_prime


# 3: the number of votes

ONE_OF_FOUR, LEVELS = SparseSets(1, 4), Levels.printed(1, Fraction(1, 10), 1)


class Printed(PolyPriLearn):
    """ℓ = 2, which no plan may say: the constructor refuses it."""

    @property
    def selection(self):
        return SparseExponential(self.cost, 2)


def audit_of(kind):
    return audited(kind(ONE_OF_FOUR, Budget(1, "0.02"), plan=PolyPriPlan(2, 2, LEVELS, 3)), range(4), 4)


def test_printed_votes_are_too_few():
    """E-GGKM21-3, as printed: ℓ = 2^(d² + d·log k′) = 2 for d = k′ = 1, but a subset has three votes; not private."""
    assert prod(LEVELS.k(t) for t in (1,)) == 2 ** (1 + 0) == 2 < most_hypotheses(LEVELS) == 3
    found = audit_of(Printed)
    assert found.refuted
    assert float(found.ratio) == pytest.approx(1.49, abs=0.01)


def test_with_the_printed_k_prime_one_vote_is_too_many():
    """E-GGKM21-3, as printed: for d = 1 and k′ = 64, one of 128 points has 129 votes, and ℓ = 128."""
    F, levels = ListedOracle(SparseSets(1, 128)), Levels.printed(1, Fraction(1, 10), 64)
    found = reduce_tree(F, np.zeros((128, 2), dtype=np.int64), levels)
    assert len(found.hypotheses) == 129 == most_hypotheses(levels) == 2**1 * 64 + 1


def test_all_leaves_count():
    """E-GGKM21-3, as corrected: ℓ = Π(k_t + 1), which the printed plan has; private, and tight."""
    assert most_hypotheses(LEVELS) == 3
    assert not audit_of(PolyPriLearn).refuted
    for d in (1, 2, 3):
        plan = printed_plan(Shape(d, 1, 50, 60), Fraction(1, 10), 0.05, Budget(1, 1e-6))
        k = plan.levels.k_prime
        assert plan.votes == prod(k * 2**t + 1 for t in range(1, d + 1)) > prod(k * 2**t for t in range(1, d + 1))


# 4 and 8: the sets M


def members(F, population, levels, alpha, t, lengths):
    """𝓜 at α and t [GGKM21, (18)], its sets having one of the given lengths."""
    X, n = len(F.points), int(population.sum())
    e = F.errors_of(population)
    H, G = (F.low_error(e, int((alpha + sign * levels.step / 3) * n)) for sign in (-1, 1))
    some = [
        tuple(zip(xs, ys, strict=True))
        for size in lengths
        if size <= X
        for xs in combinations(range(X), size)
        for ys in product((False, True), repeat=size)
    ]
    return [
        (F.ldim(F.after(H, S)), S)
        for S in some
        if F.after(H, S)
        and is_irreducible(F, F.after(H, S), levels.k(t))
        and F.ldim(F.after(H, S)) == F.ldim(F.after(G, S))
    ]


EVENLY = np.array([[12, 0]] * 5)  # sixty records; sets of one point err on a fifth


def test_another_alpha_has_no_sets():
    """E-GGKM21-4, as printed: with an α at which sets of one point begin to fit, 𝓜 is empty."""
    F, levels = ListedOracle(SparseSets(1, 5)), Levels.printed(1, Fraction(1, 10), 2)
    alpha = Fraction(1, 5)
    assert not [S for _, S in members(F, EVENLY, levels, alpha, 1, [0])]


def test_at_alpha_t_there_are_sets():
    """E-GGKM21-4, as corrected: at α_t − α_Δ/2, t = t_final + 1, there are."""
    F, levels = ListedOracle(SparseSets(1, 5)), Levels.printed(1, Fraction(1, 10), 2)
    found = reduce_tree(F, EVENLY, levels)
    alpha = levels.alpha(found.t) - levels.step / 2
    assert members(F, EVENLY, levels, alpha, found.t, range(levels.k(found.t) - levels.k_prime + 1))


WIDE = Levels.printed(1, Fraction(1, 5), 2)  # α_1 − α_Δ = 2/5: all sets of at most one of five points fit


def test_an_empty_set_cannot_be_padded():
    """E-GGKM21-8, as printed: the loop breaks at once, and of exactly two labels none keep Ldim 1."""
    F = ListedOracle(SparseSets(1, 5))
    assert reduce_tree(F, EVENLY, WIDE).t == 1
    found = members(F, EVENLY, WIDE, WIDE.alpha(1) - WIDE.step / 2, 1, [WIDE.k(1) - WIDE.k_prime])
    assert max(d for d, _ in found) == 0 < F.dimension == 1


def test_shorter_sets_keep_the_dimension():
    """E-GGKM21-8, as corrected: sets of at most two labels do, and the hypothesis is found."""
    F = ListedOracle(SparseSets(1, 5))
    found = members(F, EVENLY, WIDE, WIDE.alpha(1) - WIDE.step / 2, 1, range(WIDE.k(1) - WIDE.k_prime + 1))
    assert max(found) == (1, ())
    assert reduce_tree(F, EVENLY, WIDE).hypotheses == {F.soa(F.everything)}


# 6: nothing to choose


def test_no_votes_no_element():
    """E-GGKM21-6, as printed: subsets that no concept fits have no hypotheses, and the protocol has none to name."""
    learner = PolyPriLearn(ONE_OF_FOUR, Budget(1, "0.02"), plan=PolyPriPlan(2, 2, LEVELS, 3))
    contradictory = np.array([[0, 1], [0, 1], [0, 0], [0, 0]])
    assert not learner.votes_of(contradictory)
    assert set(SparseExponential(Budget(1, "0.02"), 3).law({})) == {None}


def test_a_public_hypothesis_stands_for_nothing():
    """E-GGKM21-6, as corrected: then SOA_F is returned."""
    learner = PolyPriLearn(ONE_OF_FOUR, Budget(1, "0.02"), plan=PolyPriPlan(2, 2, LEVELS, 3))
    contradictory = np.array([[0, 1], [0, 1], [0, 0], [0, 0]])
    rule = learner.choice([contradictory] * 2, lambda mechanism, seen: next(iter(mechanism.law(seen))))
    assert rule == learner.F.soa(learner.F.everything)


# 9: VC of the hypotheses


def test_ldim_may_exceed_vc():
    """E-GGKM21-9, as printed: thresholds on seven points have VC 1, for which α(n₀, γ) stands, and Ldim 3."""
    thresholds = np.tri(8, 7, -1, dtype=int)
    assert (vc_dimension(thresholds).value, littlestone_dimension(thresholds).value) == (1, 3)


def test_hypotheses_have_the_vc_dimension_of_the_class():
    """E-GGKM21-9, as corrected: VC(F̃) = V, from order V + 1 on; and no more functions than Shape says."""
    rng, larger = np.random.default_rng(9), 0
    some = [np.unique(rng.random((int(rng.integers(2, 8)), 5)) < 0.4, axis=0).astype(int) for _ in range(60)]
    for rows in (np.eye(4, 5, dtype=int), np.eye(5, dtype=int), *some):
        F, V = ListedOracle(rows), vc_dimension(rows).value
        functions = [h(range(5)).tolist() for h in soa_functions(F, V + 1)]
        assert vc_dimension(functions).value == V
        shape = Shape(F.dimension, V, len(F.points), F.concept_class.size)
        assert len(functions) <= shape.functions(V + 1)
        larger += len(functions) > F.concept_class.size
        assert len(soa_functions(F, len(F.points))) == F.concept_class.size == shape.functions(len(F.points))
    assert larger >= 2  # never, of single points


# 10: the empty class

STUMP = GeneralizedTree({(): Branching((0,), ((True,), (False,)))})


def test_all_leaves_of_the_empty_class_survive():
    """E-GGKM21-10, as printed: the empty class is irreducible, and both leaves keep its dimension, −1."""
    F = ListedOracle(np.eye(3))
    assert is_irreducible(F, 0, 1)
    assert [F.ldim(F.after(0, STUMP.ancestors(v))) for v in STUMP.leaves] == [F.ldim(0)] * 2


def test_a_class_with_a_concept_has_one_surviving_leaf():
    """E-GGKM21-10, as corrected: one leaf if there is a concept, no answer otherwise."""
    F = ListedOracle(np.eye(3))
    assert surviving_leaf(F, F.everything, STUMP) == (1,)
    assert surviving_leaf(F, 0, STUMP) is None
