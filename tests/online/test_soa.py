"""SOA makes exactly Ldim mistakes in the worst case, and the adversary forces them on everyone."""

import pickle
from copy import copy

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.dimensions.witnesses import MistakeTree
from privpac.online.boosting import BoostedMajority
from privpac.online.experts import AgnosticOnline, Fixed, Hedge, WeightedMajority
from privpac.online.soa import Adversary, StandardOptimal, VersionSpaces
from tests.online.oracles import all_classes, ldim, mistake_tree, part, random_class

THRESHOLDS = ((False, False), (False, True), (True, True))


def learned(learner, x, y):
    after = copy(learner)
    after.learn_one(x, y)
    return after


def most_mistakes(learner, rows, rounds):
    """The value of the game for an adversary who may show any point again, as often as there are rounds."""
    moves = [(x, y) for x in range(len(rows[0])) for y in (False, True) if part(rows, x, y)] if rounds else []
    return max(
        (most_mistakes(learned(learner, x, y), part(rows, x, y), rounds - 1) for x, y in moves),
        default=learner.mistakes,
    )


@pytest.mark.audit
@pytest.mark.parametrize(("points", "rounds"), [(1, 3), (2, 4), (3, 3)])
def test_mistakes_are_the_dimension_on_every_small_class(points, rounds):
    for rows in all_classes(points):
        learner = StandardOptimal(np.array(rows))
        assert most_mistakes(learner, rows, rounds) == ldim(rows) == learner.mistake_bound()


def value(learner, rows, memo):
    """The same without end: points on which all concepts left agree add nothing, by the test that follows."""
    if rows not in memo:
        splits = [x for x in range(len(rows[0])) if len({row[x] for row in rows}) == 2]
        after = [(learned(learner, x, y), part(rows, x, y)) for x in splits for y in (False, True)]
        memo[rows] = max((a.mistakes - learner.mistakes + value(a, V, memo) for a, V in after), default=0)
    return memo[rows]


@pytest.mark.audit
def test_mistakes_are_the_dimension_on_random_classes():
    rng = np.random.default_rng(2)
    for _ in range(250):
        rows = random_class(rng, rng.integers(2, 12), rng.integers(3, 7))
        assert value(StandardOptimal(np.array(rows)), rows, {}) == ldim(rows)


def test_what_all_concepts_left_agree_on_is_predicted():
    for rows in all_classes(3):
        learner = StandardOptimal(np.array(rows))
        for x in range(3):
            learner.learn_one(x, rows[0][x])
        assert learner.predict(range(3)).tolist() == list(rows[0])
        assert learner.version_space == (0,)


def test_ties_are_ones():
    assert StandardOptimal([[0], [1]]).predict_one(0)


def test_a_learner_can_be_stored():
    learner = StandardOptimal(np.array(THRESHOLDS)).partial_fit([0], [False])
    again = pickle.loads(pickle.dumps(learner))
    assert again.version_space == learner.version_space == (0, 1)
    assert again.partial_fit([1], [True]).version_space == (1,) and learner.version_space == (0, 1)


def test_contradictions_are_mistakes_and_change_nothing():
    learner = StandardOptimal(np.array(THRESHOLDS)).partial_fit([0], [True])
    before = learner.mistakes
    learner.partial_fit([1, 0, 1], [False, False, False])
    assert learner.mistakes == before + 3
    assert learner.version_space == (2,)


def test_merged_points_keep_their_names():
    c = ExplicitClass([[0, 0, 1], [1, 1, 0]], points="abc")
    assert c.point_twins == {"b": "a"}
    assert StandardOptimal(c).partial_fit("a", [0]).predict("abc").tolist() == [False, False, True]


def test_a_class_without_concepts_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        StandardOptimal(np.zeros((0, 3), dtype=bool))


def test_version_spaces():
    spaces = VersionSpaces(np.array(THRESHOLDS))
    assert (spaces.dimension, spaces.everything, spaces.ones(1)) == (1, 0b111, 0b110)
    assert spaces.after(0b111, 0b110, True) == 0b110 and spaces.after(0b111, 0b110, False) == 0b001
    assert spaces.after(0b001, 0b110, True) == 0b001
    assert spaces.names(0b101) == (0, 2)
    assert [spaces.ldim(V) for V in (0b000, 0b010, 0b011, 0b011)] == [-1, 0, 1, 1]


def deterministic(rows):
    c = ExplicitClass(np.array(rows))
    concepts = [Fixed(c, i) for i in c.concepts]
    return [
        StandardOptimal(c),
        Fixed(c, 0),
        WeightedMajority(concepts),
        WeightedMajority([Fixed(c, i) for i in c.concepts], beta=0),
        BoostedMajority(c, 1, copies=2),
    ]


@pytest.mark.slow
def test_the_adversary_forces_the_dimension_on_everyone():
    rng = np.random.default_rng(3)
    for _ in range(60):
        rows = random_class(rng, rng.integers(1, 14), rng.integers(1, 7))
        tree, d = mistake_tree(rows), ldim(rows)
        assert tree.holds_in(ExplicitClass(np.array(rows)))
        for learner in deterministic(rows):
            adversary = Adversary(tree)
            shown = adversary.play(learner)
            assert learner.mistakes == len(shown) == d
            assert all(rows[adversary.concept][x] == y for x, y in shown)


def test_after_the_adversary_the_optimal_learner_knows_everything():
    rng = np.random.default_rng(4)
    for _ in range(60):
        rows = random_class(rng, rng.integers(2, 14), rng.integers(2, 7))
        adversary, learner = Adversary(mistake_tree(rows)), StandardOptimal(np.array(rows))
        adversary.play(learner)
        points = range(len(rows[0]))
        assert learner.partial_fit(points, rows[adversary.concept]).mistakes == ldim(rows)


def test_half_of_it_on_randomised_learners():
    rng = np.random.default_rng(5)
    for _ in range(40):
        rows = random_class(rng, rng.integers(2, 14), rng.integers(2, 7))
        c = ExplicitClass(np.array(rows))
        for learner in (AgnosticOnline(c, 10), Hedge([Fixed(c, i) for i in c.concepts], 0.7)):
            Adversary(mistake_tree(rows)).play(learner)
            assert ldim(rows) / 2 - 1e-9 <= learner.mistakes <= ldim(rows)


def test_the_game_by_hand():
    adversary = Adversary(MistakeTree(points=("m", "l", "r"), concepts=("ll", "lr", "rl", "rr")))
    assert (adversary.next_point(), adversary.next_point(), adversary.concept) == ("m", "m", "ll")
    assert adversary.answer(False) is True
    assert (adversary.next_point(), adversary.concept, adversary.over) == ("r", "rl", False)
    assert adversary.answer(True) is False
    assert (adversary.concept, adversary.over) == ("rl", True)
    for move in (adversary.next_point, lambda: adversary.answer(True)):
        with pytest.raises(ValueError, match="over"):
            move()
    assert adversary.concept == "rl"


def test_a_single_concept_is_over_at_once_and_none_is_refused():
    assert Adversary(MistakeTree((), ("only",))).over
    with pytest.raises(ValueError, match="empty class"):
        Adversary(MistakeTree((), ()))


def test_a_dimension_without_a_tree_has_no_adversary():
    with pytest.raises(TypeError, match="materialize"):
        Adversary(None)
