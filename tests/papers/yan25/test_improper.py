"""OPTPrivateLearner: private for every sample, right at its tight N, and as printed line by line."""

import pickle
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise, product
from math import comb

import pytest

from privpac.audit.exact_divergence import worst, worst_divergence
from privpac.audit.sampling import audit
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.classes.values.points import Points
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms.algorithm import law_of
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic, QuantileExponential
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.yan25.improper import OPTPrivateLearner, Partition
from privpac.papers.yan25.medians import MEDIANS
from privpac.papers.yan25.trees import relabeling, tree_of
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Mechanism
from tests.papers.yan25.populations import FORK, hostile, success

ROUGH = Budget(1, "0.1")  # so that δ is seen on few records
α, β, COST = 0.1, 0.1, Budget(1, 1e-6)

pytestmark = [
    pytest.mark.papers,
    pytest.mark.filterwarnings("ignore:the theorem asks for N"),
]  # few records are the point of most tests


def in_order(partition):
    """The deal that puts the first records into the first part, and so on."""
    return tuple(part for part, size in enumerate(partition.sizes) for _ in range(size))


def dealt(learner):
    """The law given one deal: the law of the learner is a mixture of such."""

    def law(S):
        examples = learner.check(S)
        return law_of(
            lambda ask: learner.run(examples, lambda m, seen: in_order(m) if isinstance(m, Partition) else ask(m, seen))
        )

    return law


def labeled(points):
    return list(product(points, (0, 1)))


CLASSES = {
    "explicit": (FORK, "abc", 3, 2),
    "thresholds": (Thresholds(0, 2, direction="above"), [0, 1, 2], 3, 2),
    "paths": (RootPaths("/", height=2), ["/", "a", "a/b", "c"], 2, 1),
    "taxonomy": (Taxonomy({"b": "a", "c": "b", "d": "b"}), list("abcd"), 2, 1),
    "points": (Points(), list("abc"), 3, 3),
    "spider": (Spider(bits=1), [("g", 0), ("g", 1), ("h", 1)], 2, 2),
    "two sides": (TwoSided(0, 4, center=2), [0, 1, 2, 3], 2, 1),
}


CASES = [*((name, "exponential") for name in sorted(CLASSES)), *product(["paths", "taxonomy"], ["dyadic", "recprefix"])]


@pytest.mark.parametrize(("name", "median"), CASES)
def test_private_on_all_samples_of_a_small_universe(name, median):
    H, points, n, t = CLASSES[name]
    learner = OPTPrivateLearner(H, ROUGH, median=median, t=t)
    found = worst_divergence(dealt(learner), labeled(points), n, learner.cost, ordered=True)
    assert not found.refuted
    assert float(found.ratio) > 0.2  # the samples do come near the bound


def test_private_with_its_random_partition():
    learner = OPTPrivateLearner(FORK, ROUGH, median="exponential", t=2)
    assert not worst_divergence(learner.law, labeled("abc"), 3, learner.cost).refuted


@dataclass(frozen=True)
class Unshared(OPTPrivateLearner):
    """Broken: median and choice take all of the budget each."""

    @property
    def private_median(self):
        return QuantileExponential(Budget(self.cost.epsilon), Line(0, self.tree.height))

    @property
    def selection(self):
        return SparseExponential(self.cost)


@dataclass(frozen=True)
class Twice(OPTPrivateLearner):
    """Broken: every subset votes for each node of its path, whatever z is."""

    def votes_of(self, B_i, z):
        return [] if B_i is None else [self.tree.ancestor(B_i, l) for l in range(1, self.tree.depth(B_i) + 1)]


@pytest.mark.parametrize(("broken", "t"), [(Unshared, 8), (Twice, 1)])
def test_a_broken_twin_is_refuted(broken, t):
    for kind, refuted in ((broken, True), (OPTPrivateLearner, False)):
        learner = kind(Thresholds(0, 5, direction="above"), Budget(3, "0.02"), median="exponential", t=t)
        samples = [((0, 1),) * i + ((5, 1),) * (t - i) for i in range(t + 1)]
        assert worst(dealt(learner), pairwise(samples), learner.cost).refuted is refuted


@pytest.mark.parametrize("population", hostile(α), ids=repr)
@pytest.mark.parametrize("median", MEDIANS)
def test_right_at_its_tight_n(population, median):
    """With a probability of at least 1 − 2β, that is, of 150 fits at most 8 may fail; none of 900 did."""
    learner = OPTPrivateLearner(population.concept_class, COST, α, β, "tight", median)
    assert success(learner, population, learner.N, 150, seed=1) >= 1 - 2 * β


def test_too_few_records_are_seen():
    population = hostile(α)[2]
    learner = OPTPrivateLearner(population.concept_class, COST, α, β, "tight", "exponential")
    assert success(learner, population, learner.split.t, 50, seed=3) < 0.1  # one record for each subset


def test_the_printed_numbers():
    learner = OPTPrivateLearner(Thresholds(0, 2**64 - 1, direction="above"), Budget(1, 1e-6))
    assert 3e8 < learner.N < 3.5e8
    assert learner.split.t == 7889


def test_tight_is_far_less_than_printed():
    for H in (Thresholds(0, 2**64 - 1, direction="above"), Points(), RootPaths("/", height=32)):
        printed, tight = (OPTPrivateLearner(H, Budget(1, 1e-6), constants=c).N for c in ("printed", "tight"))
        assert 2000 < tight < printed / 50_000


def test_every_record_counts_in_one_subset():
    assert sorted(Partition((3, 0, 2)).release(None, SYSTEM).tolist()) == [0, 0, 0, 2, 2]
    assert Partition(()).release(None, SYSTEM).tolist() == []


def test_every_deal_is_as_probable():
    law = Partition((2, 2)).law(None)
    assert len(law) == comb(4, 2)
    assert {round(float(p), 12) for p in law.values()} == {round(1 / 6, 12)}
    drawn = [tuple(Partition((2, 2)).release(None, SYSTEM).tolist()) for _ in range(2000)]
    assert all(200 < drawn.count(deal) < 480 for deal in law)  # 333 ± 8 standard deviations


def test_keys_that_meet_are_drawn_again():
    class Meeting(Seeded):
        def octets(self, count):
            self._drawn += 1
            return bytes(count) if self._drawn < 3 else super().octets(count)

    coins = Meeting(1)
    assert sorted(Partition((2, 1)).release(None, coins).tolist()) == [0, 0, 1]
    assert coins._drawn > 3


def test_any_median_can_be_plugged_in():
    def mine(cost, line, beta):
        return QuantileExponential(Budget(cost.epsilon), line)

    learner = OPTPrivateLearner(FORK, ROUGH, constants="tight", median=mine)
    assert learner.N == OPTPrivateLearner(FORK, ROUGH, constants="tight", median="exponential").N
    with pytest.raises(ValueError, match="no certified rank error"):
        OPTPrivateLearner(FORK, ROUGH, constants="tight", median=lambda cost, line, beta: Partition((1,)))


def test_every_number_of_examples_is_served():
    for H in (FORK, ExplicitClass([[0, 1]]), Points(), Thresholds(4, 4, direction="above")):
        for examples in ((), ((H.domain.decode(0) if H is not Points() else 0, 1),)):
            rule = OPTPrivateLearner(H, ROUGH, t=3).release(examples, SYSTEM)
            assert rule([H.domain.decode(0)]).shape == (1,)
    assert OPTPrivateLearner(Points(), Budget(1, 1e-9), t=3).learn([], []) == Constant(False)


def test_what_it_costs_is_charged():
    ledger = Ledger(Budget(2, "0.3"))
    OPTPrivateLearner(FORK, ROUGH, t=3).learn(["a"], [1], budget=ledger)
    assert ledger.spent == ROUGH


@pytest.mark.parametrize("H", [Points(), Spider(bits=4)], ids=["points", "spider"])
def test_rows_may_be_lists(H):
    learner = OPTPrivateLearner(H, Budget(200, "0.1"), t=9)
    rows, labels = [["a", 3], ["b", 4]] * 30, [1, 0] * 30
    assert learner.learn(rows, labels)([("a", 3), ("b", 4)]).tolist() == [True, False]


def test_labels_are_read_relative_to_f():
    tree = OPTPrivateLearner(TwoSided(0, 9, center=4), ROUGH).tree
    assert list(relabeling(tree, ((4, False), (7, False)))) == [(None, True), (7, False)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"constants": "best"},
        {"alpha": 0},
        {"alpha": 1e-300},
        {"beta": 1},
        {"cost": Budget(1)},
        {"median": "mean"},
        {"beta": "x"},
        {"t": 0},
        {"concept_class": StartsWith(height=3)},
    ],
    ids=lambda wrong: f"{next(iter(wrong))} {type(next(iter(wrong.values()))).__name__}",
)
def test_parameters_that_promise_nothing_are_refused(wrong):
    with pytest.raises(ValueError, match=" "):
        OPTPrivateLearner(**({"concept_class": FORK, "cost": ROUGH} | wrong))


def test_small_errors_are_planned_at_once():
    sizes = [OPTPrivateLearner(FORK, COST, a, constants=c).N for c in ("printed", "tight") for a in (1e-9, 1e-199)]
    assert [len(str(n)) for n in sizes] == [17, 209, 12, 202]


def test_equal_learners_are_equal():
    learner = OPTPrivateLearner(FORK, COST)
    for twin in (pickle.loads(pickle.dumps(learner)), deepcopy(learner), OPTPrivateLearner(FORK, COST)):
        assert twin == learner
        assert hash(twin) == hash(learner)
    assert OPTPrivateLearner(Points(), COST) != learner


@dataclass(frozen=True)
class Plain(Mechanism):
    """Broken: the median itself."""

    cost: Budget
    name, theorem = "median", "none"

    def release(self, data, coins):
        return sorted(data)[len(data) // 2]


@pytest.mark.parametrize(
    ("median", "refuted"), [("exponential", False), (lambda cost, *_: Plain(cost), True)], ids=["private", "plain"]
)
def test_sampled_on_a_pair_of_41_records(median, refuted):
    learner = OPTPrivateLearner(Points(), Budget(2, 1e-3), median=median, t=41)
    pair = tuple((("a", 1),) * k + (("b", 0),) * (41 - k) for k in (20, 21))
    assert audit(learner, pair, claimed=learner.cost, runs=800, confidence=1 - 1e-9).refuted is refuted


class Leaves(TwoSided):
    """A tree of which only the two ends are concepts."""

    def is_proper(self, v):
        return v in {self.low, self.high}


def test_a_tree_with_other_nodes_that_are_no_concepts_is_refused():
    with pytest.raises(ValueError, match="some nodes of this tree are not concepts"):
        OPTPrivateLearner(Leaves(0, 4, center=2), Budget(1, 1e-6))


@pytest.mark.parametrize("greedy", [Budget(1), Budget("0.5", 1e-6)], ids=["all of ε", "all of δ"])
@pytest.mark.parametrize("t", [None, 50])
def test_a_median_that_leaves_nothing_is_refused(greedy, t):
    with pytest.raises(ValueError, match="must leave some of ε and δ"):
        OPTPrivateLearner(
            Thresholds(0, 9, direction="above"),
            Budget(1, 1e-6),
            constants="tight",
            median=lambda cost, line, beta: QuantileDyadic(greedy, line, window=41),
            t=t,
        )


def test_what_is_no_median_is_refused():
    with pytest.raises(ValueError, match="median must be one of"):
        OPTPrivateLearner(Thresholds(0, 9, direction="above"), Budget(1, 1e-6), median=3)


def test_equal_classes_keep_their_own_names():
    """0 and False are equal, and so are the classes; what is released has the names that were given."""
    rows = [[0, 0], [0, 1], [1, 1]]
    for points in ([False, True], [0, 1]):
        tree = tree_of(ExplicitClass(rows, points=points))
        assert [type(x) for x in tree.hypothesis(1).points] == [type(x) for x in points]
