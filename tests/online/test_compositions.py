"""Compositions: two learners within their bounds against adversaries, and never below the Littlestone dimension."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.closure import littlestone_of_composition, littlestone_of_unions, tree_sauer
from privpac.online.boosting import boosting_bound
from privpac.online.compositions import ComposedByBoosting, ComposedByHalving, conjunctions, theorem_2_1
from privpac.online.soa import Adversary, StandardOptimal
from tests.grid import over
from tests.online.oracles import Reversed, contradict, ldim, mistake_tree, random_class

GATES_2 = [tuple(bool(i >> j & 1) for j in range(4)) for i in range(16)]
IF_THEN_ELSE = (False, False, True, True, False, True, False, True)
GATES_3 = ["and", "or", "xor", "majority", IF_THEN_ELSE]
POINTS = ExplicitClass(np.eye(5, dtype=bool))
THRESHOLDS = ExplicitClass(np.tri(6, 5, -1, dtype=bool))


def rows_of(c):
    return tuple(sorted(set(map(tuple, c.matrix_on(c.all_points).tolist()))))


def composed(G, *classes):
    return rows_of(classes[0].compose(G, *classes[1:]))


def small_classes(seed, k, concepts=3, points=4):
    rng = np.random.default_rng(seed)
    return [ExplicitClass(np.array(random_class(rng, concepts, points)), points=range(points)) for _ in range(k)]


def worst_play(new_learner, rows):
    """The most mistakes on labels of one row, over all sequences of points with a wrong prediction each."""
    best, stack = 0, [((), rows)]
    while stack:
        shown, left = stack.pop()
        player = new_learner()
        for x, y in shown:
            player.learn_one(x, y)
        best = max(best, int(player.mistakes))
        for x in range(len(rows[0])):
            wrong = not player.predict_one(x)
            if kept := tuple(row for row in left if row[x] == wrong):
                stack.append(((*shown, (x, wrong)), kept))
    return best


@pytest.mark.slow
@over("G", GATES_2)
@over("seed", [1, 2])
def test_halving_on_every_gate_of_two_bits_in_every_game(G, seed):
    """All sequences in which the learner errs in every round: between the Littlestone dimension and the bound."""
    classes = small_classes(seed, 2)
    rows, bound = composed(G, *classes), ComposedByHalving(G, *classes).mistake_bound()
    assert ldim(rows) <= worst_play(lambda: ComposedByHalving(G, *classes), rows) <= bound


@over("G", GATES_3)
def test_halving_on_three_classes(G):
    classes = small_classes(7, 3)
    rows = composed(G, *classes)
    learner = ComposedByHalving(G, *classes)
    assert contradict(learner, rows, learner.mistake_bound() + 1) <= learner.mistake_bound()
    assert learner.mistake_bound() == littlestone_of_composition([ldim(rows_of(c)) for c in classes])


@over("G", ["and", "or", "xor"])
@over(("first", "second"), [(POINTS, POINTS), (THRESHOLDS, POINTS), (THRESHOLDS, THRESHOLDS)])
def test_an_adversary_along_the_mistake_tree_of_the_composed_class(G, first, second):
    """Both learners make as many mistakes as the tree is deep, like SOA; then halving keeps its bound."""
    rows = composed(G, first, second)
    for learner in (ComposedByHalving(G, first, second), StandardOptimal(np.array(rows))):
        shown = Adversary(mistake_tree(rows)).play(learner)
        assert learner.mistakes == len(shown) == ldim(rows) <= learner.mistake_bound()
        left = tuple(row for row in rows if all(row[x] == y for x, y in shown))
        contradict(learner, left, learner.mistake_bound() + 1)
        assert learner.mistakes <= learner.mistake_bound()


def test_the_vote_counts_experts_that_are_listed():
    """All pairs of sets of rounds, each expert run by itself: the prediction is the vote of those that never erred."""
    first, second = small_classes(3, 2, points=3)
    learner = ComposedByHalving("xor", first, second)
    T = learner.mistake_bound() + 1

    def experts(c):
        rows, d = rows_of(c), ldim(rows_of(c))
        return [Reversed(rows, set(s)) for i in range(d + 1) for s in combinations(range(T), i)]

    pairs = list(product(experts(first), experts(second)))
    assert len(pairs) == tree_sauer(T, ldim(rows_of(first))) * tree_sauer(T, ldim(rows_of(second)))
    every = {id(e): e for pair in pairs for e in pair}
    wrong, taught = set(), 0
    for x, y in [(0, 1), (1, 1), (2, 0), (0, 0), (1, 0), (2, 1), (1, 1), (0, 1)]:
        says = {i: e.predict_one(x) for i, e in every.items()}
        votes = [says[id(a)] != says[id(b)] for i, (a, b) in enumerate(pairs) if i not in wrong]
        assert sum(past * learner._futures(state) for past, _, state in learner._steps(x)) == len(votes)
        assert learner.predict_one(x) == (2 * sum(votes) >= len(votes))
        if learner.predict_one(x) != y and taught < T - 1:
            now = wrong | {i for i, (a, b) in enumerate(pairs) if (says[id(a)] != says[id(b)]) != y}
            if len(now) == len(pairs):
                break
            wrong, taught = now, taught + 1
            for e in every.values():
                e.learn_one(x, y)
        learner.learn_one(x, y)
    assert taught >= 2


@pytest.mark.slow
@over("G", [(False, True, True, False), (False, False, True, False), (True, True, False, True), (True,) * 4])
def test_boosted_conjunctions_stay_within_their_bound(G):
    classes = small_classes(5, 2)
    rows = composed(G, *classes)
    learner = ComposedByBoosting(G, *classes, copies=400)
    bound = learner.mistake_bound()
    assert ldim(rows) <= contradict(learner, rows, bound + 1) <= bound
    parts = {row for c in conjunctions(G, *classes) for row in rows_of(c)} | {(True,) * 4}
    everything = parts if sum(G) > 1 else parts - {(True,) * 4}
    assert bound == boosting_bound(2 * sum(G) - 1, ldim(tuple(sorted(everything))), 400)
    dimensions = [ldim(rows_of(c)) for c in classes]
    assert bound <= 2 * theorem_2_1(dimensions, sum(G))
    assert littlestone_of_composition(dimensions) <= theorem_2_1(dimensions, sum(G))


@over("G", GATES_2 + GATES_3)
def test_a_gate_is_the_majority_of_its_conjunctions_and_ones(G):
    """The normal form of the proof: MAJ over 2m − 1 votes; a conjunction over 2k − 1, the others 0."""
    k = 2 if G in GATES_2 else 3
    inputs = [ExplicitClass([[b[i] for b in product((0, 1), repeat=k)]], points=range(2**k)) for i in range(k)]
    whole = inputs[0].compose(G, *inputs[1:]).matrix_on(range(2**k))[0]
    parts = [c.matrix_on(range(2**k))[0] for c in conjunctions(G, *inputs)]
    m = len(parts)
    assert m == whole.sum()
    assert all(part.sum() == 1 for part in parts)
    if m:
        assert ((2 * (sum(part.astype(int) for part in parts) + m - 1) > 2 * m - 1) == whole).all()


def test_a_gate_that_is_never_one_predicts_zero():
    learner = ComposedByBoosting((False,) * 4, POINTS, THRESHOLDS)
    assert learner.mistake_bound() == 0
    assert not learner.partial_fit([0, 1], [0, 0]).predict(range(5)).any()
    assert learner.mistakes == 0
    assert theorem_2_1([1, 2], terms=0) == 0


@pytest.mark.slow
@over("dimensions", [[1, 1], [2, 1], [0, 3]])
def test_the_bound_of_the_paper_in_its_steps(dimensions):
    k = len(dimensions)
    one = boosting_bound(2 * k - 1, littlestone_of_unions([*dimensions, 0]))
    assert theorem_2_1(dimensions, terms=1) == one
    assert theorem_2_1(dimensions, terms=2) == boosting_bound(3, littlestone_of_unions([one, one, 0]))
    assert theorem_2_1(dimensions, 1) < theorem_2_1(dimensions, 2) < theorem_2_1(dimensions, 3)


@over("dimensions", [[1], [3], [1, 1], [1, 2, 3], [2] * 6])
def test_the_closure_bound_is_where_doubt_ends(dimensions):
    def in_doubt(q):
        return 2**q <= math.prod(sum(math.comb(q, i) for i in range(d + 1)) for d in dimensions)

    bound = littlestone_of_composition(dimensions)
    assert all(map(in_doubt, range(bound + 1)))
    assert not any(map(in_doubt, range(bound + 1, 3 * bound + 10)))
    assert bound >= sum(dimensions)


@over("G", GATES_2)
def test_no_composition_of_random_classes_exceeds_the_closure_bound(G):
    for seed in range(12):
        classes = small_classes(seed, 2, concepts=4, points=5)
        assert ldim(composed(G, *classes)) <= littlestone_of_composition([ldim(rows_of(c)) for c in classes])


def test_labels_of_no_composition_leave_a_learner_that_still_predicts():
    learner = ComposedByHalving("and", POINTS, POINTS)
    for _ in range(20):
        learner.learn_one(0, not learner.predict_one(0))
    assert learner.mistakes == 20


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ComposedByHalving("and"), "at least one class"),
        (lambda: ComposedByBoosting("and"), "at least one class"),
        (lambda: ComposedByHalving((True,) * 3, POINTS, POINTS), "2 classes need 4"),
        (lambda: ComposedByHalving("and", POINTS, POINTS).predict_one(9), "not declared"),
        (lambda: ComposedByBoosting((False, False), POINTS).predict_one(9), "not declared"),
        (lambda: theorem_2_1([1, 1], terms=5), "terms must lie between 0 and 4"),
        (lambda: theorem_2_1([1, 1], terms=-1), "terms must lie between 0 and 4"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
