"""The booster: its parts within their bounds, and few mistakes on majorities of few concepts."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.online.boosting import BoostedMajority, boosting_bound, importances
from privpac.online.soa import Adversary
from tests.grid import over
from tests.online.oracles import Reversed, contradict, ldim, mistake_tree, random_class

POINTS = ExplicitClass(np.eye(6, dtype=bool))
THRESHOLDS = ExplicitClass(np.tri(7, 6, -1, dtype=bool))
TWO_SIDED = ExplicitClass(np.concatenate([np.tri(6, 5, -1, dtype=bool), ~np.tri(6, 5, -1, dtype=bool)]))
INTERVALS = ExplicitClass([[a <= x < b for x in range(5)] for a in range(5) for b in range(a, 6)])


def majorities(c, k):
    """MAJ_k(c) as a tuple of rows."""
    return tuple(sorted(map(tuple, c.compose("majority", *[c] * (k - 1)).matrix_on(c.all_points).tolist())))


def in_doubt(T, k, d, slack=0.0):
    """Whether T mistakes in T rounds are not yet refuted."""
    return T * (1 - slack) <= k * math.sqrt(2 * T * math.log(sum(math.comb(T, i) for i in range(d + 1))))


@over(("k", "d"), [(1, 0), (1, 1), (1, 3), (3, 1), (3, 4), (5, 2), (9, 1)])
def test_the_bound_is_where_doubt_ends(k, d):
    bound = boosting_bound(k, d)
    assert all(in_doubt(T, k, d) for T in range(1, bound + 1))
    assert not any(in_doubt(T, k, d) for T in range(bound + 1, 2 * bound + 50))
    copies = 100 * (k + 1) ** 2
    finite = boosting_bound(k, d, copies)
    assert in_doubt(finite, k, d, 1 / 20) and not in_doubt(finite + 1, k, d, 1 / 20)
    assert bound <= finite <= bound / 0.95**2 * 1.3 + 1


def test_a_single_concept_is_known():
    assert boosting_bound(3, 0) == 0
    assert boosting_bound(3, 1) < boosting_bound(3, 2) < boosting_bound(5, 2)


def test_the_bound_bounds_the_dimension_of_majorities():
    """[ABMS20, Eq. 4], with constants."""
    rng = np.random.default_rng(1)
    for k in (1, 3):
        for _ in range(25):
            c = ExplicitClass(np.array(random_class(rng, 4, 6)))
            rows = majorities(c, k)
            d = ldim(majorities(c, 1))
            assert d <= ldim(rows) <= boosting_bound(k, d)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_some_voter_has_an_edge_of_one_half_over_k(k):
    """In any weighting, one of k voters errs on at most (1/2 − 1/(2k)) of the weight when their majority is right."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        wrong = rng.random((k, 8)) < 0.5
        rounds = wrong.sum(axis=0) < k / 2
        weight = rng.random(8) * rounds
        assert (wrong @ weight).min() <= (1 / 2 - 1 / (2 * k)) * weight.sum() + 1e-12


def test_the_edge_of_one_over_k_is_too_much():
    """Three voters, each wrong once in three rounds, in turn: the best errs on 1/3 > 1/2 − 1/3 of them."""
    wrong = np.eye(3, dtype=bool)
    assert (wrong.sum(axis=0) < 3 / 2).all()
    assert 3 * (1 / 2 - 1 / 3) < wrong.sum(axis=1).min() == 1


def gradient_regret(g, G):
    return importances(g, G) @ g - min(0.0, g.sum())


def test_descent_keeps_its_regret_bound_in_every_game():
    for N in (1, 2, 5, 9):
        for signs in product([-1.0, 0.0, 1.0] if N < 9 else [-1.0, 1.0], repeat=N):
            assert gradient_regret(2 * np.array(signs), 2) <= math.sqrt(N) + 1e-12


def test_descent_keeps_its_regret_bound_in_long_games():
    rng = np.random.default_rng(3)
    worst = 0
    for N in (100, 1000):
        walks = [np.sign(np.sin(np.arange(N) * f)) * 4 for f in (0.01, 0.1, 1)] + [rng.uniform(-4, 4, N)]
        for g in [np.full(N, -4.0), np.full(N, 4.0), *walks]:
            worst = max(worst, gradient_regret(g, 4) / (2 * math.sqrt(N)))
            assert 0 <= importances(g, 4).min() <= importances(g, 4).max() <= 1
    assert 0.45 < worst <= 1


def test_descent_does_not_look_ahead():
    g = np.random.default_rng(4).uniform(-1, 1, 20)
    p = importances(g, 1)
    assert p[0] == 0.5
    for i in range(20):
        other = np.concatenate([g[:i], -g[i:]])
        assert (importances(other, 1)[: i + 1] == p[: i + 1]).all()


@pytest.mark.parametrize(("c", "k"), [(POINTS, 3), (THRESHOLDS, 1), (TWO_SIDED, 3), (INTERVALS, 3)])
def test_mistakes_between_the_dimension_and_the_bound(c, k):
    rows = majorities(c, k)
    learner = BoostedMajority(c, k)
    bound = learner.mistake_bound()
    assert bound == boosting_bound(k, ldim(majorities(c, 1)), 25 * (k + 1) ** 2)
    shown = Adversary(mistake_tree(rows)).play(learner)
    assert learner.mistakes == len(shown) == ldim(rows)
    left = tuple(row for row in rows if all(row[x] == y for x, y in shown))
    contradict(learner, left, bound + 1)
    assert learner.mistakes <= bound


@pytest.mark.slow
def test_mistakes_on_random_classes():
    rng = np.random.default_rng(5)
    for _ in range(10):
        c = ExplicitClass(np.array(random_class(rng, 5, 5)))
        learner, rows = BoostedMajority(c, 3), majorities(c, 3)
        assert contradict(learner, rows, learner.mistake_bound() + 1) <= learner.mistake_bound()


def test_a_majority_that_no_concept_is_near():
    """The vote of {0, 1}, {1, 2} and {0, 2} is {0, 1, 2}."""
    c = ExplicitClass([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]])
    learner = BoostedMajority(c, 3)
    learner.partial_fit([0, 1, 2, 3] * learner.mistake_bound(), [1, 1, 1, 0] * learner.mistake_bound())
    assert learner.predict(range(4)).tolist() == [True, True, True, False]
    assert learner.mistakes <= learner.mistake_bound()


@pytest.mark.slow
def test_the_copies_one_by_one():
    """N players over all SOA experts; what a mistake matters to each falls with the agreement of those before it."""
    rng = np.random.default_rng(6)
    rows = ((False, False, True), (False, True, False), (True, True, False))
    k, N, d = 3, 9, ldim(rows)
    learner = BoostedMajority(np.array(rows), k, copies=N)
    T = learner.mistake_bound() + 1
    experts = [Reversed(rows, set(s)) for i in range(d + 1) for s in combinations(range(T), i)]
    losses = np.zeros((N, len(experts)))
    for _ in range(40):
        x, y = int(rng.integers(3)), bool(rng.integers(2))
        advice = np.array([expert.predict_one(x) for expert in experts])
        weights = np.exp(-math.sqrt(8 * math.log(len(experts)) / T) * losses)
        w = 2 * (weights @ advice) / weights.sum(axis=1) - 1
        assert learner._votes(x) == pytest.approx(w, abs=1e-9)
        assert abs(w.sum()) > 1e-6 and learner.predict_one(x) == (w.sum() > 0)
        learner.learn_one(x, y)
        if (w.sum() > 0) != y:
            p = 1 / 2
            for i in range(N):
                agreement = w[i] if y else -w[i]
                losses[i] += p * (advice != y)
                p = np.clip(p - (agreement * k - 1) / ((k + 1) * 2 * math.sqrt(N)), 0, 1)
            for expert in experts:
                expert.learn_one(x, y)
    assert learner.mistakes > 10


def state(learner):
    return np.array([learner._votes(x) for x in range(6)])


def test_only_mistakes_teach():
    learner = BoostedMajority(THRESHOLDS, 3)
    before = state(learner)
    learner.partial_fit(range(6), learner.predict(range(6)))
    assert (state(learner) == before).all() and learner.mistakes == 0
    learner.learn_one(2, not learner.predict_one(2))
    assert (state(learner) != before).any() and learner.mistakes == 1


def test_labels_of_no_majority_stop_it():
    learner = BoostedMajority(POINTS, 1, copies=2)
    for _ in range(learner.mistake_bound()):
        before = state(learner)
        learner.learn_one(0, not learner.predict_one(0))
        assert (state(learner) != before).any()
    before = state(learner)
    learner.learn_one(0, not learner.predict_one(0))
    assert learner.mistakes == learner.mistake_bound() + 1
    assert (state(learner) == before).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: boosting_bound(2, 1), "odd"),
        (lambda: boosting_bound(-1, 1), "odd"),
        (lambda: boosting_bound(3, 1, copies=4), "more than 4 copies"),
        (lambda: boosting_bound(1, 1, copies=0), "more than 1 copies"),
        (lambda: BoostedMajority(POINTS, 4), "odd"),
        (lambda: BoostedMajority(POINTS, 3, copies=3), "copies"),
        (lambda: BoostedMajority(np.zeros((0, 2), dtype=bool), 3), "at least one"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    "arguments", [(2, 1), (2.5, 1), (3, -1), (3, 1, 4), (3, 1, float("nan")), (float("nan"), 1), (3, 0.5)]
)
def test_bounds_refuse_what_is_no_number_of_votes_mistakes_or_copies(arguments):
    with pytest.raises(ValueError, match=r"k must be odd|d must be|copies"):
        boosting_bound(*arguments)
