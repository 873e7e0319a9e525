"""Algorithms 1, 2 and 3, line by line."""

from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.mechanisms.algorithm import law_of
from privpac.papers.hct24 import (
    TIES,
    Angles,
    HighH,
    MakeData,
    MakeHighDimData,
    MakeHighDimThrData,
    MakeThrData,
    SimpleH,
    ThrLearner,
    sample,
    theorem_14,
)
from privpac.papers.hct24.not_private import copies
from tests.statistics import assert_matches

pytestmark = pytest.mark.papers

KNOWING = {"acknowledge_not_private": True}
H = Angles(1)
ONE_EACH = tuple((φ, 1) for φ in H)
S = sample([((1, 1), 1)] * 5 + [((-1, 1), 1)] * 5)  # quality 10 at 60°, 90°, 120°; 5 at 330° … 30° and 150° … 210°


def test_copies_are_noisy_counts():
    make = MakeData(1, Angles(1, only=(2, 3)), most=3, **KNOWING)
    two, none = (law_of(lambda ask, n=n: copies(n, Fraction(1), ask, 3)) for n in (5, 0))
    for ((_, a), (_, b)), p in make.law(S).items():
        assert float(p) == pytest.approx(float(two[a] * none[b]))


def test_every_angle_is_there_at_least_once():
    found = MakeData(0.1, H, **KNOWING).release(S)
    assert [φ for φ, _ in found] == list(H)
    assert min(count for _, count in found) >= 1


def chosen(line):
    return {line.angle(place): (y, count) for place, y, count in line.examples}


def test_the_largest_by_quality_then_by_angle():
    line = MakeThrData(H, 5, **KNOWING).release((ONE_EACH, S))
    assert set(chosen(line)) == {2, 3, 4, 11, 12}  # of quality 5, the two largest angles
    assert line.cut not in chosen(line)


def test_an_angle_may_be_chosen_in_part():
    S_H = ((2, 4), (3, 1), (4, 4), (8, 1))
    line = MakeThrData(H, 6, **KNOWING).release((S_H, S))
    assert {φ: count for φ, (_, count) in chosen(line).items()} == {4: 4, 3: 1, 2: 1}
    assert line.cut in {2, 8}


def test_the_cut_is_a_uniform_copy_of_the_rest():
    S_H = ((3, 2), (7, 1), (8, 3))
    make = MakeThrData(H, 2, **KNOWING)
    cuts = law_of(lambda ask: make.run((S_H, S), ask).cut)
    assert {φ: float(p) for φ, p in cuts.items()} == {7: pytest.approx(1 / 4), 8: pytest.approx(3 / 4)}


def test_without_a_rest_the_cut_is_at_zero():
    assert MakeThrData(H, 99, **KNOWING).release((ONE_EACH, S)).cut == 0
    assert SimpleH(1, 0.1, 0.1, H, C=10_000, **KNOWING).release([]).k == 1


def test_labels_follow_the_cut():
    """Cut at 90° (not chosen), the places are 120°, …, 60°: with φ* = 60° all are 1, with φ* = 120° one is."""
    S_H = ((2, 1), (3, 1), (4, 1), (8, 1))
    make = {ties: MakeThrData(H, 3, ties, **KNOWING) for ties in TIES}
    labels = {
        ties: [y for _, y, _ in each.release((S_H, S)).examples] for ties, each in make.items() if ties != "random"
    }
    assert labels == {
        "last": [1, 1, 1],
        "first": [1, -1, -1],
        "last turned": [1, 1, 1],
        "first turned": [1, -1, -1],
        "middle turned": [1, 1, -1],
    }
    some = law_of(lambda ask: tuple(y for _, y, _ in make["random"].run((S_H, S), ask).examples))
    assert [float(p) for p in some.values()] == pytest.approx([1 / 3] * 3)


def test_turning_matters():
    """Of 330° and 30°, cut between them at 0°, the first is the last in places; cut at 180° it is not."""
    for cut, first in ((0, 1), (6, 11)):
        S_H = ((1, 1), (11, 1), (cut, 1)) if cut else ((1, 2), (11, 2), (cut, 1))
        make = MakeThrData(H, 2 if cut else 4, "first turned", **KNOWING)
        line = make.cut({1: 1, 11: 1, cut: 0}, S_H, lambda mechanism, data: mechanism.count - 1)
        assert line.cut == cut
        assert chosen(line)[first][0] == 1
        assert chosen(line)[12 - first][0] == -1


def test_bad_parameters():
    with pytest.raises(ValueError, match="ties must be one of last, first"):
        MakeThrData(H, 5, "any", **KNOWING)
    with pytest.raises(ValueError, match="C must be at least 1"):
        MakeThrData(H, 0, **KNOWING)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        MakeData(0, H, **KNOWING)
    with pytest.raises(ValueError, match="most must be at least 1"):
        MakeData(1, H, most=0, **KNOWING)
    with pytest.raises(ValueError, match="most must be at least 1"):
        MakeHighDimThrData(1, H, 5, 3, most=0, **KNOWING)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"alpha": 0}, "alpha must lie strictly between 0 and 1"),
        ({"beta": 1}, "beta must lie strictly between 0 and 1"),
        ({"C": 0}, "C must be at least 1"),
        ({"ties": "any"}, "ties must be one of last, first"),
    ],
)
def test_a_learner_is_refused_when_it_is_made(wrong, says):
    with pytest.raises(ValueError, match=says):
        SimpleH(**{"epsilon": 1, "alpha": 0.1, "beta": 0.1, "H": H, **wrong}, **KNOWING)


@pytest.mark.parametrize("S_H", [(), ((1, 0),), ((1, 2), (1, 2))])
def test_bad_copies(S_H):
    with pytest.raises(ValueError, match="S_H must be pairs of an angle, each once"):
        MakeThrData(H, 2, **KNOWING).release((S_H, S))


@pytest.mark.parametrize("φ", [-1, 13, 99])
def test_angles_of_copies_are_on_the_grid(φ):
    with pytest.raises(ValueError, match="S_H must be pairs of an angle, each once"):
        MakeThrData(H, 2, **KNOWING).release((((φ, 2), (3, 1)), []))


NO_PAIRS = [5, (1, 2, 3), ((1, 2, 3),), (("1", 2),), ((1, 0.5),)]


@pytest.mark.parametrize("data", [None, 5, ONE_EACH, (ONE_EACH,), *((S_H, S) for S_H in NO_PAIRS)])
def test_what_is_no_pair_is_refused_in_a_sentence(data):
    for make in (MakeThrData(H, 2, **KNOWING), MakeHighDimThrData(1, H, 2, 2, **KNOWING)):
        with pytest.raises(TypeError, match=r"the data must be \(S_H, S\), copies of angles and ex"):
            make.release(data)


@pytest.mark.parametrize("H", [None, 1, (0, 1), "Angles"])
@pytest.mark.parametrize(
    "make",
    [
        lambda H: MakeData(1, H, **KNOWING),
        lambda H: MakeThrData(H, 5, **KNOWING),
        lambda H: SimpleH(1, 0.1, 0.1, H, **KNOWING),
        lambda H: MakeHighDimData(1, H, 1, **KNOWING),
        lambda H: MakeHighDimThrData(1, H, 5, 3, **KNOWING),
        lambda H: HighH(1, 0.1, 0.1, H, 3, **KNOWING),
    ],
    ids=["1", "2", "3", "4", "5", "6"],
)
def test_angles_are_angles(make, H):
    with pytest.raises(TypeError, match=r"H must be the angles of a grid, like Angles\(1\), not"):
        make(H)


def test_a_learner_of_thresholds_is_one():
    with pytest.raises(TypeError, match="A_Thr must be a ThrLearner, not function"):
        SimpleH(1, 0.1, 0.1, H, A_Thr=lambda line, epsilon, ask: 0, **KNOWING)


def test_the_law_of_few_angles_can_be_listed():
    """What SimpleH releases follows the law that it lists; that of another ε does not."""
    given = {"C": 2, "A_Thr": ThrLearner(4, 1)}
    learner = SimpleH(8, 0.5, 0.5, Angles(1, only=(2, 3)), most=3, **given, **KNOWING)
    law = {h: float(p) for h, p in learner.law([((1, 1), 1)]).items()}
    assert sum(law.values()) == pytest.approx(1)
    mutant = replace(learner, epsilon=1).law([((1, 1), 1)])
    assert_matches(lambda: learner.release([((1, 1), 1)]), law, must_reject={h: float(p) for h, p in mutant.items()})
    with pytest.raises(ValueError, match="set most"):
        replace(learner, most=None).law([])


@pytest.mark.parametrize(("x", "says"), [((1, 1, 1), "2 coordinates"), ((2, 1), "between -1 and 1")])
def test_points_outside_are_refused(x, says):
    for each in (MakeData(1, H, **KNOWING), SimpleH(1, 0.1, 0.1, H, **KNOWING)):
        with pytest.raises(ValueError, match=says):
            each.release([(x, 1)])
    with pytest.raises(ValueError, match=says):
        MakeThrData(H, 2, **KNOWING).release((ONE_EACH, [(x, 1)]))


def test_it_learns_when_all_goes_well():
    learner = SimpleH(1, 0.275, 0.05, H, A_Thr=ThrLearner(4, 1), **KNOWING)
    T = sample([((1, 1), 1)] * 700 + [((-1, 1), 1)] * 700)
    assert T.matches(learner.release(T)) == T.size  # at 120° but for a chance of 1e-8, whatever the ties


def test_c_is_n_thr():
    learner = SimpleH(Fraction(1, 2), 0.1, 0.05, H, **KNOWING)
    assert learner.n_thr == learner.A_Thr.n_thr(13, 0.5, 0.1, 0.05) == theorem_14(SimpleH(1, 0.1, 0.05, H, **KNOWING))
    assert SimpleH(1, 0.1, 0.05, H, C=7, **KNOWING).n_thr == 7


def test_every_sample_has_an_output():
    for T in ([], [((0, 0), 1)], [((1, 1), -1)] * 9, [((1, 1), 1), ((1, 1), -1)] * 9):
        assert SimpleH(1, 0.5, 0.5, H, **KNOWING).release(T).φ[0] in range(13)
