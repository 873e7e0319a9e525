"""Which classes represent which, proved by distributions and mixtures; and the random sets of Lemma 4.1."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from privpac.classes.finite.explicit import ExplicitClass, explicit
from privpac.classes.lines.thresholds import Thresholds
from privpac.exact.entropy import entropy
from privpac.papers.bbkn14.representation import (
    Sizes,
    condition_3,
    game,
    is_minimal,
    largest_overlap,
    lemma_3_10,
    lemma_4_1,
    plane_sets,
    random_sets,
    represents,
)

pytestmark = pytest.mark.papers

HALF = Fraction(1, 2)


def points(T):
    return ExplicitClass(np.eye(T, dtype=bool), points=range(T))


def plane(q):
    """The lines of the projective plane over a prime field, as sets of points."""
    normed = [v for v in product(range(q), repeat=3) if next((x for x in v if x), 0) == 1]
    return np.array([[sum(a * b for a, b in zip(line, x, strict=True)) % q == 0 for x in normed] for line in normed])


def test_a_game_is_proved_by_its_two_sides():
    rng = np.random.default_rng(3)
    for _ in range(20):
        H, c = rng.random((5, 6)) < 0.5, rng.random(6) < 0.5
        low, high, D, λ = game(H, c)
        assert sum(D) == sum(λ) == 1
        assert min(D) >= 0 <= min(λ)
        assert low == min(sum(D[x] for x in range(6) if h[x] != c[x]) for h in H)
        assert high == max(sum(λ[i] for i in range(5) if H[i, x] != c[x]) for x in range(6))
        assert low == high  # simple fractions are found exactly


def test_known_values():
    assert game(plane(2), points(7)[0])[:2] == (Fraction(1, 3), Fraction(1, 3))
    assert game(plane(3), points(13)[5])[:2] == (Fraction(1, 4), Fraction(1, 4))
    assert game(np.eye(3, dtype=bool)[1:], np.array([True, False, False]))[:2] == (1, 1)


@pytest.mark.parametrize("α", [0.1, 0.5, 0.99])
def test_points_are_minimal_for_themselves(α):
    """[BBKN14, Prop. 3.7], for every α < 1."""
    assert is_minimal(points(5), points(5), α)


def test_thresholds_are_minimal_for_themselves_below_one_half():
    cuts = explicit(Thresholds(1, 5, direction="above"))
    assert is_minimal(cuts, cuts, 0.49)
    assert represents(cuts, cuts, 0)
    assert not is_minimal(cuts, cuts, 0.5)


def test_more_represents_as_much():
    more = ExplicitClass(np.vstack([plane(2), np.ones((1, 7), dtype=bool)]), points=range(7))
    assert represents(more, points(7), Fraction(1, 3))
    assert not is_minimal(more, points(7), Fraction(1, 3))
    assert is_minimal(ExplicitClass(plane(2), points=range(7)), points(7), Fraction(1, 3))


def test_no_hypothesis_represents_nothing():
    nothing = ExplicitClass(np.zeros((0, 2)), points=range(2))
    assert not represents(nothing, points(2), 1)
    assert represents(points(2), nothing, 0)


@pytest.mark.parametrize("T", [2, 3, 4])
def test_fewer_hypotheses_than_the_lower_bound_represent_no_points(T):
    """[BBKN14, Lemma 3.10], over all classes of one hypothesis less."""
    every = [np.array(labels, dtype=bool) for labels in product((0, 1), repeat=T)]
    for few in combinations(every, lemma_3_10(T) - 1):
        H = ExplicitClass(np.array(few).reshape(-1, T), points=range(T))
        assert not represents(H, points(T), 0.49)


def test_condition_three():
    sets = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0]], dtype=bool)
    assert condition_3(sets, 2, 2).tolist() == [False, False, False, False]
    assert condition_3(sets, 2, 3).tolist() == [True, True, False, False]
    assert condition_3(sets, 1, 2).tolist() == [True, True, True, False]


def test_random_sets_have_their_size_and_are_fair():
    sets = random_sets(10, 2000, 3, entropy(None))
    assert (sets.sum(axis=1) == 3).all()
    assert abs(sets.sum(axis=0) - 600).max() < 130  # 6 standard deviations of 20.5


def test_the_construction_represents():
    T, α = 2**7, Fraction(1, 2)
    H = lemma_4_1(T, α)
    assert H.size <= Sizes.of(T, α).k
    assert largest_overlap(H.matrix) <= α
    small = H.matrix[:, :24]
    assert all(game(small, c).high <= α for c in np.eye(24, dtype=bool)[:3])
    assert represents(ExplicitClass(plane(3), points=range(13)), points(13), largest_overlap(plane(3)))


def test_sizes():
    assert Sizes.of(2**16, Fraction(1, 10)).k == 42101  # hardly fewer than the 2^16 points
    p, k, size = Sizes.of(2**20, Fraction(1, 2))
    assert k * size / 2**21 == pytest.approx(2 * p, rel=0.01)  # sets that contain a point, on average
    with pytest.raises(ValueError, match="larger"):
        lemma_4_1(16, Fraction(1, 2))


def test_what_no_set_contains_is_not_represented():
    assert largest_overlap(np.array([[1, 0], [1, 0]], dtype=bool)) == 1


@pytest.mark.parametrize(("q", "α"), [(13, Fraction(1, 2)), (31, Fraction(1, 2)), (31, Fraction(1, 7))])
def test_lines_of_a_plane(q, α):
    """[BBKN14, §4.1], requirements (1) and (2), and how many lines: O(√T/α)."""
    H, T, p = plane_sets(q, α), (q**2 + q + 1) // 2, int(1 / α) + 1
    assert len(H.all_points) == T
    assert H.matrix.sum(axis=0).min() >= p > 1 / α
    assert (H.matrix.astype(int) @ H.matrix.astype(int).T - np.diag(H.matrix.sum(axis=1))).max() <= 1
    assert H.size <= 2 * (2 * T) ** 0.5 * (p + 1)
    assert largest_overlap(H.matrix) <= Fraction(1, p) < α


def test_planes_that_are_none():
    for q, α in ((12, HALF), (3, HALF), (13, 0), (13, 1)):
        with pytest.raises(ValueError, match="must be a prime"):
            plane_sets(q, α)
