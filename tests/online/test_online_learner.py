"""The rounds, the columns, the coins and the refusals that all learners share."""

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.online.boosting import BoostedMajority
from privpac.online.experts import AgnosticOnline, Fixed, Hedge, WeightedMajority
from privpac.online.online_learner import Randomized
from privpac.online.soa import StandardOptimal

SECRET = 987654321
THRESHOLDS = ExplicitClass([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], points="abc")


def concepts():
    return [Fixed(THRESHOLDS, c) for c in THRESHOLDS.concepts]


LEARNERS = {
    "StandardOptimal": lambda: StandardOptimal(THRESHOLDS),
    "Fixed": lambda: Fixed(THRESHOLDS, 1),
    "WeightedMajority": lambda: WeightedMajority(concepts()),
    "Hedge": lambda: Hedge(concepts(), 0.5, rng=np.random.default_rng(1)),
    "AgnosticOnline": lambda: AgnosticOnline(THRESHOLDS, 9, rng=np.random.default_rng(1)),
    "BoostedMajority": lambda: BoostedMajority(THRESHOLDS, 3),
}


@pytest.fixture(params=LEARNERS.values(), ids=LEARNERS)
def learner(request):
    return request.param()


def state(learner):
    return learner.mistakes, [learner.probability_one(x) for x in "abc"]


def test_a_round_returns_nothing_and_a_column_the_learner(learner):
    assert learner.learn_one("a", False) is None
    assert learner.partial_fit("bc", [0, 1]) is learner


def test_columns_are_rounds(learner):
    rounds = [("b", True), ("c", True), ("a", False), ("b", True)]
    other = LEARNERS[type(learner).__name__]()
    for x, y in rounds:
        other.learn_one(x, y)
    learner.partial_fit(np.array(list("bcab")), np.array([1, 1, 0, 1]))
    assert state(learner) == state(other)
    labels = learner.predict("abca")
    assert labels.dtype == bool and labels.shape == (4,)


def test_predictions_change_nothing(learner):
    before = state(learner.partial_fit("bc", [0, 1]))
    learner.predict("abcabc")
    assert state(learner) == before


def test_mistakes_are_counted(learner):
    expected = 0
    for x, y in [("b", 0), ("b", 1), ("a", 1), ("c", 0)]:
        expected += abs(learner.probability_one(x) - y)
        learner.learn_one(x, y)
    assert learner.mistakes == pytest.approx(expected) and expected > 0


@pytest.mark.parametrize("y", [2, -1, 0.5, 1.0, float("nan"), "1", "yes", None, [1], np.array([1]), np.float64(1)])
def test_other_labels_are_refused(learner, y):
    before = state(learner)
    for attempt in (lambda: learner.learn_one("a", y), lambda: learner.partial_fit("ba", [1, y])):
        with pytest.raises(ValueError, match="booleans, or 0 and 1"):
            attempt()
    assert state(learner) == before


@pytest.mark.parametrize("y", [True, np.True_, 1, np.int8(1), np.uint64(1)])
def test_labels_of_all_kinds(y):
    assert StandardOptimal(THRESHOLDS).partial_fit("b", [y]).version_space == (2, 3)


def test_unknown_points_are_refused_unquoted(learner):
    before = state(learner)
    attempts = [
        lambda: learner.predict_one(SECRET),
        lambda: learner.learn_one(SECRET, True),
        lambda: learner.partial_fit(["a", "b", SECRET], [True, False, True]),
        lambda: learner.predict(["a", SECRET]),
    ]
    for attempt in attempts:
        with pytest.raises(ValueError, match="not declared") as caught:
            attempt()
        assert str(SECRET) not in str(caught.value)
    assert state(learner) == before


def test_every_point_needs_a_label(learner):
    before = state(learner)
    with pytest.raises(ValueError, match="2 points and 1 labels"):
        learner.partial_fit("ab", [True])
    assert state(learner) == before


class Biased(Randomized):
    """Predicts 1 with probability 1/4."""

    def probability_one(self, x):
        return 0.25

    def _learn(self, x, y):
        pass


class Script:
    def __init__(self, *numbers):
        self.random = iter(numbers).__next__


def test_a_coin_below_the_probability_is_a_one():
    assert Biased(Script(0.0, 0.2499, 0.25, 0.999)).predict("abcd").tolist() == [True, True, False, False]


def test_without_coins_only_probabilities():
    learner = Biased(None)
    learner.learn_one("a", True)
    assert learner.mistakes == 0.75
    with pytest.raises(ValueError, match="pass rng"):
        learner.predict_one("a")


def test_learners_say_how_they_fare():
    assert repr(StandardOptimal([[0, 1], [1, 1]]).partial_fit([0], [0])) == "StandardOptimal(1 mistakes)"
