"""Algorithms 4, 5, 6 and 7, line by line."""

import pytest

from privpac.mechanisms.algorithm import Coin, Uniform, law_of
from privpac.papers.hct24 import (
    Angles,
    HighH,
    MakeData,
    MakeHighDimData,
    MakeHighDimThrData,
    Q,
    ReorderSliceCompute,
    SimpleH,
    sample,
    theorem_21,
)
from privpac.papers.hct24.plane import PaperLine, ThrLearner
from privpac.papers.hct24.space import corresponding_examples

pytestmark = pytest.mark.papers

KNOWING = {"acknowledge_not_private": True}
H = Angles(1)
ONE_EACH = tuple((φ, 1) for φ in H)


def test_in_the_plane_algorithm_4_is_algorithm_1():
    S = [((1, 1), 1), ((-1, 0), 1), ((0, -1), -1)]
    few = Angles(1, only=(2, 6))
    first, second = MakeData(1, few, most=3, **KNOWING).law(S), MakeHighDimData(1, few, 1, most=3, **KNOWING).law(S)
    assert {outcome: float(p) for outcome, p in first.items()} == {outcome: float(p) for outcome, p in second.items()}


def test_angles_of_points_in_space():
    """(1, 1, 1) has the angles 54.7° and 45°, (0, 0, −1) has 90° and 270°."""
    counted = [[φ for φ in H if H.n(φ, sample([(x, 1)]), i)] for x in ((1, 1, 1), (0, 0, -1)) for i in (1, 2)]
    assert counted == [[1, 2], [1, 2], [3], [9]]


def test_about_c_of_the_best():
    S = sample([((1, 1, 0), 1)] * 4)
    make = MakeHighDimThrData(1, H, 3, 3, most=2, **KNOWING)
    sizes = law_of(lambda ask: sum(count for _, _, count in make.run((ONE_EACH, S), ask)[0].examples))
    assert {size: round(float(p), 4) for size, p in sizes.items()} == {3: 0.6321, 4: 0.2325, 5: 0.1353}
    quality = {φ: Q(H, S, (), φ, 3) for φ in H}
    line, _ = MakeHighDimThrData(1000, H, 3, 3, **KNOWING).release((ONE_EACH, S))
    order = sorted(H, key=lambda φ: (quality[φ], φ))
    assert {line.angle(place) for place, _, _ in line.examples} == set(order[-3:])


def test_examples_that_go_with_the_places():
    S = sample([((1, 1), 1)] * 5 + [((1, 1), -1)] * 5 + [((0, 1), 1)] * 2)
    gone = corresponding_examples(H, S, PaperLine(13, 0, ((1, 1, 2), (3, 1, 7))), 1)
    assert dict(gone.counts) == {((1, 1), 1): 2, ((0, 1), 1): 2}
    again = corresponding_examples(
        H, S, PaperLine(13, 12, ((2, 1, 3), (3, 1, 4))), 1
    )  # 30° and 60°: the same five examples
    assert dict(again.counts) == {((1, 1), 1): 5}


def test_one_angle_after_another():
    learner = HighH(1, 0.2, 0.1, H, 4, **KNOWING)
    h = learner.release([((1, 1, 0, 1), 1), ((0, 1, 1, -1), 1)] * 40)
    assert len(h.φ) == 3
    assert h((0, 0, 0, 0)) == 1


def test_in_the_plane_algorithm_6_has_the_lines_of_algorithm_3():
    """Asked for no noise at all, both find the same angle."""
    S = sample([((1, 1), 1)] * 300 + [((-1, 1), 1)] * 300)

    def ask(mechanism, data):
        return (
            {Coin: False, Uniform: 5}.get(type(mechanism), 0) if data is None else max(range(13), key=data.__getitem__)
        )

    assert HighH(1, 0.2, 0.1, H, 2, **KNOWING).run(S, ask) == SimpleH(1, 0.2, 0.1, H, **KNOWING).run(S, ask)


def test_every_sample_has_an_output():
    for T in ([], [((0, 0, 0), 1)], [((1, 1, 0), -1)] * 9, [((1, 1, 1), 1), ((1, 1, 1), -1)] * 9):
        assert len(HighH(1, 0.5, 0.5, H, 3, **KNOWING).release(T).φ) == 2


def test_slices():
    slices = ReorderSliceCompute(1, 2, (int, lambda x: -x), lambda part, ask: tuple(part), most=1, **KNOWING)
    law = {parts: round(float(p), 3) for parts, p in slices.law([1, 2, 3, 4, 5, 6]).items()}
    assert law == {
        ((6, 5), (1, 2)): 0.4,
        ((6, 5), (1, 2, 3)): 0.233,
        ((6, 5, 4), (1, 2)): 0.233,
        ((6, 5, 4), (1, 2, 3)): 0.135,
    }
    assert slices.release([1]) == ((1,), ())


def test_theorem_21_asks_for_more_in_higher_dimensions():
    n = [theorem_21(HighH(1, 0.1, 0.05, H, d, **KNOWING), 1e-6) for d in (2, 3, 4)]
    assert n == sorted(set(n))
    assert n[0] == pytest.approx(13.8155 * 20 * 5.5607, rel=1e-3)


def test_bad_parameters():
    with pytest.raises(ValueError, match="d must be at least 2"):
        HighH(1, 0.1, 0.1, H, 1, **KNOWING)
    with pytest.raises(ValueError, match="beta must lie strictly between 0 and 1"):
        HighH(1, 0.1, 0, H, 3, **KNOWING)
    with pytest.raises(ValueError, match="at least the length of prefix plus 2"):
        MakeHighDimThrData(1, H, 5, 3, (1, 2), **KNOWING)
    with pytest.raises(ValueError, match="i must be at least 1"):
        MakeHighDimData(1, H, 0, **KNOWING)
    with pytest.raises(ValueError, match="m must be at least 1"):
        ReorderSliceCompute(1, 0, (int,), lambda part, ask: None, **KNOWING)
    with pytest.raises(ValueError, match="slack must lie strictly between 0 and 1"):
        theorem_21(HighH(1, 0.1, 0.1, H, 3, **KNOWING), 1)


def test_points_outside_are_refused():
    learner = HighH(1, 0.1, 0.1, H, 3, **KNOWING)
    with pytest.raises(ValueError, match="points must have 3 coordinates"):
        learner.release([((1, 1), 1)])
    with pytest.raises(ValueError, match="between -1 and 1"):
        learner.release([((1, 1, 2), 1)])
    with pytest.raises(ValueError, match="points must have more than i coordinates"):
        MakeHighDimData(1, H, 2, **KNOWING).release([((1, 1), 1)])


def test_examples_that_went_with_an_angle_are_gone():
    """Without noise: 41 of the 50 copies are at 90°, and of the 50 examples at 135° nine are left for the next one."""
    seen = []

    class Watching(ThrLearner):
        def __call__(self, S_Thr, epsilon, ask):
            seen.append({S_Thr.angle(place): count for place, _, count in S_Thr.examples})
            return super().__call__(S_Thr, epsilon, ask)

    def ask(mechanism, data):
        return {Coin: False}.get(type(mechanism), 0) if data is None else max(range(13), key=data.__getitem__)

    HighH(1, 0.2, 0.1, H, 3, A_Thr=Watching(), C=50, **KNOWING).run([((0, -1, 1), 1)] * 50 + [((0, 1, 1), 1)] * 10, ask)
    assert (seen[0][3], seen[1][4], seen[1][2]) == (41, 9, 10)
