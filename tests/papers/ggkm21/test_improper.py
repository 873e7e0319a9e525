"""PolyPriLearn: private for every sample, right at its tight N, and as printed line by line."""

import pickle
import re
from copy import deepcopy
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privpac.audit.exact_divergence import worst_divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import Points, SparseSets
from privpac.classes.vectors.subspaces import AffineSubspaces
from privpac.dimensions.oracle import oracle_of
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.ggkm21.improper import PolyPriLearn
from privpac.papers.ggkm21.reduce_tree import Levels
from privpac.papers.ggkm21.sizes import PolyPriPlan, Shape, most_votes
from privpac.papers.yan25.improper import Partition
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger
from tests.grid import over
from tests.papers.ggkm21.audits import audited, in_order

pytestmark = pytest.mark.papers

COST = Budget(1, 1e-6)
ROUGH = Budget(1, "0.02")  # so that δ is seen on few records
ONE_OF_FOUR = SparseSets(1, 4)
LEVELS = Levels.tight(1, Fraction(1, 10), 2)
SMALL = PolyPriPlan(2, 2, LEVELS, most_votes(LEVELS, Shape(1, 1, 4, 5)))  # two subsets of two records


class Alone(PolyPriLearn):
    """Broken: ⊥ weighs as if a record supported one hypothesis."""

    @property
    def selection(self):
        return SparseExponential(self.cost, 1)


class Twice(PolyPriLearn):
    """Broken: every hypothesis of a subset counts twice."""

    def votes_of(self, T_j):
        return [h for h in super().votes_of(T_j) for _ in range(2)]


class Sorted(PolyPriLearn):
    """Broken: records are dealt after sorting, so that one of them moves others to other subsets."""

    def run(self, data, ask):
        return super().run(tuple(sorted(data)), ask)


class ForAll(PolyPriLearn):
    """Broken: a subset that no concept fits votes for all concepts, as all of them fit vacuously."""

    def votes_of(self, T_j):
        return super().votes_of(T_j) or [self.F.soa(1 << i) for i in range(self.F.concept_class.size)]


@pytest.mark.parametrize(
    ("kind", "ratio"), [(PolyPriLearn, 1.0), (Alone, 2.885), (Twice, 1.63), (Sorted, 1.325), (ForAll, 1.31)]
)
def test_private_on_all_ordered_samples(kind, ratio):
    found = audited(kind(ONE_OF_FOUR, ROUGH, plan=SMALL), range(4), 4)
    assert float(found.ratio) == pytest.approx(ratio, abs=0.01)
    assert found.refuted is (kind is not PolyPriLearn)


def listed(H, **others):
    return PolyPriLearn(H, COST, 0.25, 0.05, "tight", oracle=oracle_of(H), **others)


def released(mechanism, seen):
    return mechanism.release(mechanism.check(seen), SYSTEM)


def failures(learner, target, masses, runs, seed):
    """In how many runs the error exceeds α; the subsets are drawn as counts."""
    rng, plan, X = np.random.default_rng(seed), learner.numbers, len(masses)
    cells = np.zeros((X, 2))
    cells[np.arange(X), target] = masses
    failed = 0
    for _ in range(runs):
        subsets = rng.multinomial(plan.n0, cells.ravel(), size=plan.m).reshape(-1, X, 2)
        rule = learner.choice(subsets, released)
        failed += masses[rule(list(learner.F.points)) != target.astype(bool)].sum() > float(learner.alpha) + 1e-12
    return failed


def at_a_level(learner, t, share):
    """The first concept is the target; the others err as much as α_t − share·α_Δ, divided among the points."""
    M, levels = learner.F.matrix, learner.numbers.levels
    level = float(levels.alpha(t)) - share * float(levels.step)
    target = M[0].astype(int)
    differ = M[-1] != M[0]
    masses = np.where(differ, level / differ.sum(), (1 - level) / (~differ).sum())
    return target, masses


@pytest.mark.parametrize("H", [Points(12), SparseSets(2, 6), AffineSubspaces(2, 3, 1)], ids=repr)
def test_right_at_its_tight_n(H):
    """Of 15 runs 8 fail with a probability of 2e-7 if each fails with a probability of β = .05; none of 90 did."""
    learner = listed(H)
    for t, share in ((1, 0), (learner.shape.d + 1, 0.5)):
        assert failures(learner, *at_a_level(learner, t, share), 15, seed=t) < 8


def test_too_few_records_are_seen():
    learner = listed(Points(12))
    few = listed(Points(12), plan=learner.numbers._replace(m=20))
    target, masses = np.eye(12, dtype=int)[0], np.array([0.34, *[0.06] * 11])
    assert failures(learner, target, masses, 5, seed=1) == 0
    assert failures(few, target, masses, 20, seed=1) >= 9


def test_records_are_dealt_to_subsets_of_the_planned_size():
    """With more records than N, every subset has n₀ of them and a rest is left; with fewer, all are dealt."""
    learner, asked = PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL), []

    def ask(mechanism, seen):
        if isinstance(mechanism, Partition):
            asked.append(mechanism.sizes)
            return in_order(mechanism)
        return None

    for n in (0, 1, 3, 4, 7):
        learner.run(((0, False),) * n, ask)
    assert asked == [(0, 0, 0), (1, 0, 0), (2, 1, 0), (2, 2, 0), (2, 2, 3)]


def test_private_with_its_random_partition():
    learner = PolyPriLearn(SparseSets(1, 2), ROUGH, plan=PolyPriPlan(2, 1, LEVELS, 3))
    found = worst_divergence(learner.law, [(x, y) for x in (0, 1) for y in (0, 1)], 2, learner.cost)
    assert not found.refuted


def test_a_subset_votes_for_no_more_than_it_may():
    learner = PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL)
    some = [learner.votes_of(np.array(counts).reshape(4, 2)) for counts in product(range(3), repeat=8)]
    assert max(map(len, some)) == SMALL.votes == 3


def test_learn_charges_and_warns():
    ledger = Ledger(Budget(2, "0.3"))
    with pytest.warns(UserWarning, match="N = 4 examples, but there are 2"):
        PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL).learn([0, 1], [0, 0], budget=ledger)
    assert ledger.spent == ROUGH


def test_names_and_twins_of_points():
    H = ExplicitClass([[0, 0, 1], [1, 1, 0]], points="abc")
    learner = PolyPriLearn(H, Budget(50, "0.1"), 0.25, constants="tight")
    assert learner.learn(["a", "b", "c"] * learner.N, [1, 1, 0] * learner.N)(list("abc")).tolist() == [1, 1, 0]


def test_equal_learners_are_equal():
    learner = PolyPriLearn(ONE_OF_FOUR, COST, 0.25)
    for twin in (pickle.loads(pickle.dumps(learner)), deepcopy(learner), PolyPriLearn(ONE_OF_FOUR, COST, 0.25)):
        assert twin == learner
        assert hash(twin) == hash(learner)
    assert PolyPriLearn(ONE_OF_FOUR, COST, 0.25, constants="tight") != learner


@pytest.mark.parametrize(
    "wrong",
    [
        {"constants": "best"},
        {"alpha": 0},
        {"beta": 1},
        {"cost": Budget(1)},
        {"concept_class": SparseSets(2)},
        {"concept_class": Thresholds(0, 2**64, direction="above")},
        {"concept_class": ExplicitClass(np.zeros((0, 2)))},
    ],
    ids=repr,
)
def test_parameters_that_promise_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match=" "):
        PolyPriLearn(**({"concept_class": ONE_OF_FOUR, "cost": ROUGH} | wrong))


@pytest.mark.parametrize("wrong", [{"votes": 2}, {"votes": 1}], ids=repr)
def test_a_plan_that_breaks_privacy_is_refused(wrong):
    """With fewer votes than a subset may have, (ε, δ) is false: the twin Alone, and E-GGKM21-3."""
    with pytest.raises(ValueError, match="give votes=") as refused:
        PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL._replace(**wrong))
    (enough,) = re.findall(r"votes=(\d+)", str(refused.value))
    assert PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL._replace(votes=int(enough))).numbers.votes == int(enough) > 2


@pytest.mark.parametrize("value", [0, -1, Fraction(1, 2), 1.5, float("nan"), True, None], ids=repr)
@over("name", ["m", "n0", "votes"])
def test_a_plan_counts_in_whole_numbers(name, value):
    """A part of a vote would be too small a weight of ⊥."""
    with pytest.raises((ValueError, TypeError), match=rf"plan\.{name} must be"):
        PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL._replace(**{name: value}))


@pytest.mark.parametrize(("points", "labels"), [([0, 7], [0, 0]), ([0, "secret"], [0, 1]), ([0, 1], [0, 2])])
def test_records_that_do_not_fit_are_refused_without_a_quote(points, labels):
    with pytest.raises(ValueError, match=" ") as refused:
        PolyPriLearn(ONE_OF_FOUR, ROUGH, plan=SMALL).learn(points, labels)
    assert "secret" not in str(refused.value)


def test_a_learner_keeps_nothing_of_its_records():
    learner = PolyPriLearn(Points(4), Budget(1, "1e-6"), 0.25, constants="tight")
    with pytest.warns(UserWarning, match="the theorem asks for"):
        learner.learn([0, 1, 2, 3] * 50, [1, 0, 0, 0] * 50)
    assert learner._votes == {}
