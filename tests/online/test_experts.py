"""Mistakes and regret within their bounds in every small game, exactly and in expectation, without sampling."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.online.experts import AgnosticOnline, Fixed, Hedge, SoaExperts, WeightedMajority, hedge_rate
from privpac.online.online_learner import OnlineLearner
from privpac.online.soa import Adversary, StandardOptimal, VersionSpaces
from tests.grid import over
from tests.online.oracles import Reversed, all_classes, ldim, mistake_tree, random_class

THRESHOLDS = ExplicitClass(np.tri(16, 15, -1, dtype=bool))  # Ldim 4
ROUNDING = 1e-9


class Scripted(OnlineLearner):
    """Predicts at x = 0, 1, 2 … what it was told to."""

    def __init__(self, labels):
        self.labels = labels

    def predict_one(self, x):
        return self.labels[x]

    def _learn(self, x, y):
        pass


def games(n, rounds):
    """All advice that n experts may give, with all labels."""
    strings = list(product([False, True], repeat=rounds))
    return product(product(strings, repeat=n), strings)


def play(learner, labels):
    for x, y in enumerate(labels):
        learner.learn_one(x, y)
    return learner.mistakes


def fewest(advice, labels):
    return min(sum(a != y for a, y in zip(row, labels, strict=True)) for row in advice)


@pytest.mark.audit
@over("beta", [0, 0.5, 0.9])
@over(("n", "rounds"), [(1, 4), (2, 3), (3, 3)])
def test_majority_keeps_its_mistake_bound_in_every_game(beta, n, rounds):
    for advice, labels in games(n, rounds):
        learner = WeightedMajority([Scripted(row) for row in advice], beta)
        assert play(learner, labels) <= learner.mistake_bound(fewest(advice, labels)) + ROUNDING


@pytest.mark.parametrize("log_n", [1, 2, 3])
def test_halving_reaches_its_bound(log_n):
    advice = [[bool(i >> j & 1) for j in range(log_n)] for i in range(2**log_n)]
    learner = WeightedMajority([Scripted(row) for row in advice], beta=0)
    assert play(learner, [False] * log_n) == learner.mistake_bound(0) == log_n


def test_majority_bound_is_the_published_one():
    learner = WeightedMajority([Scripted(())] * 8, beta=0.5)
    assert learner.mistake_bound(5) == pytest.approx((3 + 5) / math.log2(4 / 3))
    assert WeightedMajority([Scripted(())] * 8, beta=0).mistake_bound(1) == math.inf


def test_majority_weights_stay_sound_over_many_mistakes():
    learner = WeightedMajority([Scripted([True] * 5000), Scripted([False] * 5000)], beta=0.01)
    play(learner, [False] * 2500)
    assert not learner.predict_one(0)
    play(learner, [True] * 2501)
    assert learner.predict_one(0)


def test_halving_without_a_perfect_expert_trusts_the_best():
    learner = WeightedMajority([Scripted([True] * 9), Scripted([True] * 9), Scripted([False] * 9)], beta=0)
    play(learner, [True, False, False])
    assert not learner.predict_one(3)


def test_experts_learn_along():
    soa = StandardOptimal(THRESHOLDS)
    WeightedMajority([soa]).partial_fit([7], [True])
    assert soa.version_space == tuple(range(8, 16))


@pytest.mark.slow
def test_union_by_majority_of_optimal_learners():
    """[ABMS20, Prop. 4.3]: k classes of Littlestone dimension ≤ d, 2.41·(log₂ k + d) mistakes."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        parts = [random_class(rng, 4, 6) for _ in range(rng.integers(2, 5))]
        union = tuple(sorted({row for rows in parts for row in rows}))
        learner = WeightedMajority([StandardOptimal(np.array(rows)) for rows in parts])
        adversary = Adversary(mistake_tree(union))
        adversary.play(learner)
        learner.partial_fit(range(6), union[adversary.concept])
        bound = learner.mistake_bound(max(map(ldim, parts)))
        assert ldim(union) <= learner.mistakes <= bound <= 3 * max(map(ldim, parts)) + 3 * math.log2(len(parts))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rounds"), [(2, 1), (2, 3), (3, 3)])
def test_hedge_keeps_its_regret_bound_in_every_game(n, rounds):
    worst = 0
    for advice, labels in games(n, rounds):
        learner = Hedge([Scripted(row) for row in advice], hedge_rate(n, rounds))
        worst = max(worst, play(learner, labels) - fewest(advice, labels))
    bound = learner.regret_bound(rounds)
    assert bound == pytest.approx(math.sqrt(rounds * math.log(n) / 2))
    assert 0.6 * bound < worst <= bound + ROUNDING


@pytest.mark.parametrize("rate", [0.01, 0.3, 2, 40])
def test_hedge_keeps_the_bound_of_any_rate(rate):
    rng = np.random.default_rng(2)
    for n, rounds in [(2, 60), (9, 60), (40, 20)]:
        advice = rng.random((n, rounds)) < 0.5
        learner = Hedge([Scripted(row) for row in advice.tolist()], rate)
        shown = []
        for x in range(rounds):
            shown.append(learner.probability_one(x) < 1 / 2)
            learner.learn_one(x, shown[-1])
        assert learner.mistakes - fewest(advice, shown) <= learner.regret_bound(rounds) + ROUNDING
        assert learner.regret_bound(rounds) == pytest.approx(math.log(n) / rate + rate * rounds / 8)


def test_hedge_probabilities_are_the_definition():
    advice, labels = [[1, 0, 1, 1], [0, 0, 1, 0], [1, 1, 1, 0]], [1, 1, 0, 1]
    learner = Hedge([Scripted([bool(a) for a in row]) for row in advice], 0.7)
    for t, y in enumerate(labels):
        weights = [math.exp(-0.7 * sum(a != z for a, z in zip(row[:t], labels, strict=False))) for row in advice]
        share = sum(w for w, row in zip(weights, advice, strict=True) if row[t]) / sum(weights)
        assert learner.probability_one(t) == pytest.approx(share, abs=1e-12)
        learner.learn_one(t, y)


def test_hedge_over_hedges():
    """An expert may be randomized: what counts is its expected loss."""
    inner = Hedge([Scripted([True] * 9), Scripted([False] * 9)], 1.0)
    outer = Hedge([inner, Scripted([False] * 9)], 1.0)
    assert outer.probability_one(0) == pytest.approx(0.25)
    outer.learn_one(0, True)
    second = 1 / (1 + math.exp(-1)), 1 / (1 + math.exp(-0.5))  # inner says 1; weight of inner
    assert outer.probability_one(1) == pytest.approx(second[0] * second[1])


def test_hedge_is_stable_over_long_runs():
    learner = Hedge([Scripted([True] * 2000), Scripted([False] * 2000)], 50)
    assert play(learner, [True] * 2000) == pytest.approx(0.5)
    assert learner.probability_one(0) == 1


def sequences(points, rounds):
    return product(product(range(points), [False, True]), repeat=rounds)


def regret(learner, rows, sequence):
    for x, y in sequence:
        learner.learn_one(x, y)
    return learner.mistakes - min(sum(row[x] != y for x, y in sequence) for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_agnostic_regret_in_every_game_on_two_points(rounds):
    for rows in all_classes(2):
        bound = AgnosticOnline(np.array(rows), rounds).regret_bound()
        count = sum(math.comb(rounds, i) for i in range(ldim(rows) + 1))
        assert bound == pytest.approx(math.sqrt(rounds * math.log(count) / 2))
        worst = max(regret(AgnosticOnline(np.array(rows), rounds), rows, s) for s in sequences(2, rounds))
        assert worst <= bound + ROUNDING
        assert worst >= 0.49 * (len(rows) > 1)


def reversed_experts(rows, rounds):
    sets = (s for i in range(ldim(rows) + 1) for s in combinations(range(rounds), i))
    return [Reversed(rows, set(s)) for s in sets]


@pytest.mark.slow
def test_grouped_experts_are_the_experts_one_by_one():
    rng = np.random.default_rng(3)
    cases = [(rows, 3) for rows in all_classes(2)] + [(random_class(rng, 7, 4), 6) for _ in range(25)]
    for rows, rounds in cases:
        grouped = AgnosticOnline(np.array(rows), rounds)
        experts = reversed_experts(rows, rounds)
        single = Hedge(experts, hedge_rate(len(experts), rounds) or 1)
        for _ in range(rounds):
            for x in range(len(rows[0])):
                assert grouped.probability_one(x) == pytest.approx(single.probability_one(x), abs=1e-12)
            x, y = int(rng.integers(len(rows[0]))), bool(rng.integers(2))
            grouped.learn_one(x, y)
            single.learn_one(x, y)
        assert grouped.mistakes == pytest.approx(single.mistakes)


def test_every_concept_is_an_expert():
    """What the regret bound rests on: in any order of points, some expert predicts what the concept says."""
    rng = np.random.default_rng(4)
    for rows in all_classes(3)[::7]:
        points = rng.integers(0, 3, 4).tolist()
        paths = set()
        for expert in reversed_experts(rows, 4):
            path = []
            for x in points:
                path.append(expert.predict_one(x))
                expert.learn_one(x, path[-1])
            paths.add(tuple(path))
        assert {tuple(row[x] for x in points) for row in rows} <= paths


@pytest.mark.parametrize("noise", ["adversary", 0.0, 0.2, 0.5])
def test_agnostic_regret_over_long_runs(noise):
    rng = np.random.default_rng(5)
    learner = AgnosticOnline(THRESHOLDS, horizon=120)
    target, sequence = THRESHOLDS.matrix[9], []
    for _ in range(120):
        x = int(rng.integers(15))
        y = learner.probability_one(x) < 1 / 2 if noise == "adversary" else target[x] != (rng.random() < noise)
        learner.learn_one(x, y)
        sequence.append((x, y))
    best = min(sum(row[x] != y for x, y in sequence) for row in THRESHOLDS.matrix)
    assert learner.mistakes - best <= learner.regret_bound() + ROUNDING
    if noise == "adversary":
        assert learner.mistakes - best > 0.25 * learner.regret_bound()


def test_the_cost_is_the_states_not_the_experts():
    spaces = VersionSpaces(THRESHOLDS)
    experts = SoaExperts(spaces, rounds=300)
    rng = np.random.default_rng(6)
    for _ in range(300):
        experts.learn(spaces.ones(int(rng.integers(15))), bool(rng.integers(2)), np.ones(1))
    assert experts.count > 10**8
    assert len(experts._pasts) <= (spaces.dimension + 1) * 16 * 17 // 2  # the version spaces are intervals of concepts


def test_every_player_weighs_the_experts_by_its_own_importances():
    rng = np.random.default_rng(7)
    rows = random_class(rng, 7, 4)
    spaces, single = VersionSpaces(np.array(rows)), reversed_experts(rows, 6)
    grouped, losses = SoaExperts(spaces, 6, players=3), np.zeros((3, len(single)))
    assert grouped.count == len(single)
    mistakes, wrong = np.zeros(3), np.zeros((3, len(rows)))
    for _ in range(6):
        x, y, p = int(rng.integers(4)), bool(rng.integers(2)), rng.random(3)
        advice = np.array([expert.predict_one(x) for expert in single])
        weights = np.exp(-hedge_rate(len(single), 6) * losses)
        share = weights @ advice / weights.sum(axis=1)
        assert grouped.probabilities(spaces.ones(x)) == pytest.approx(share, abs=1e-12)
        grouped.learn(spaces.ones(x), y, p)
        for expert in single:
            expert.learn_one(x, y)
        losses += np.outer(p, advice != y)
        mistakes += p * abs(share - y)
        wrong += np.outer(p, [row[x] != y for row in rows])
    assert (mistakes - wrong.min(axis=1) <= math.sqrt(6 * math.log(len(single)) / 2)).all()


def test_weights_below_the_smallest_float():
    """One mistake each: the experts that reverse round 0, 1 or 2, of which the first alone says 0 from then on."""
    spaces = VersionSpaces([[0, 1], [1, 1]])
    experts = SoaExperts(spaces, 100)
    for y in [True, False, False]:
        experts.learn(spaces.ones(0), y, np.full(1, 1e5))
    assert experts.probabilities(spaces.ones(0)) == pytest.approx([2 / 3])


def test_no_round_beyond_the_horizon():
    learner = AgnosticOnline(THRESHOLDS, horizon=2).partial_fit([0, 1], [0, 0])
    for attempt in (lambda: learner.probability_one(0), lambda: learner.learn_one(0, True)):
        with pytest.raises(ValueError, match="all 2 rounds are over"):
            attempt()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: WeightedMajority([]), "at least one"),
        (lambda: WeightedMajority([Fixed(THRESHOLDS, 0)], beta=1), "beta"),
        (lambda: WeightedMajority([Fixed(THRESHOLDS, 0)], beta=-0.1), "beta"),
        (lambda: Hedge([], 1), "at least one"),
        (lambda: Hedge([Fixed(THRESHOLDS, 0)], -1), "0 or more"),
        (lambda: Hedge([Fixed(THRESHOLDS, 0)], math.inf), "finite"),
        (lambda: hedge_rate(0, 3), "must be at least 1"),
        (lambda: hedge_rate(3, 0), "must be at least 1"),
        (lambda: AgnosticOnline(THRESHOLDS, 0), "horizon"),
        (lambda: AgnosticOnline(np.zeros((0, 2), dtype=bool), 3), "at least one"),
        (lambda: Fixed(THRESHOLDS, "other"), "not declared"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_one_expert_needs_no_rate():
    hedge = Hedge([Fixed(THRESHOLDS, 0)], hedge_rate(1, 10))
    assert hedge.regret_bound(10) == 0
    assert Hedge([Fixed(THRESHOLDS, 0), Fixed(THRESHOLDS, 1)], 0).regret_bound(10) == float("inf")


def test_a_column_beyond_the_horizon_is_refused_as_a_whole():
    learner = AgnosticOnline(THRESHOLDS, horizon=3)
    with pytest.raises(ValueError, match="longer horizon"):
        learner.partial_fit([0] * 4, [0] * 4)
    assert learner.mistakes == 0


def test_experts_may_come_from_a_generator():
    assert len(WeightedMajority(Fixed(THRESHOLDS, c) for c in range(2)).experts) == 2
    with pytest.raises(ValueError, match="at least one"):
        WeightedMajority(iter(()))
    with pytest.raises(ValueError, match="0 or more"):
        WeightedMajority([Fixed(THRESHOLDS, 0)]).mistake_bound(-3)
