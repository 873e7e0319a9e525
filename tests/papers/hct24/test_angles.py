"""Half-spaces by their angles, against floating point where that decides; and what holds: Lemmas 11 and 16."""

from itertools import combinations, product
from math import asin, atan2, cos, hypot, pi, sin, sqrt

import numpy as np
import pytest

from privpac.papers.hct24 import Angles, Half, Q, lemma_11, q, sample
from privpac.papers.hct24.angles import Surd, angle, direction
from tests.grid import over

pytestmark = pytest.mark.papers

CLEAR = 1e-9  # a float that is so far from 0 has its sign


def points(k, d=2):
    return list(product(range(-k, k + 1), repeat=d))


def test_signs_of_surds():
    for whole, part, root in product(range(-8, 9), range(-4, 5), (3, 4, 63)):
        value = whole + part * sqrt(root)
        assert Surd(whole, part, root).sign == (0 if abs(value) < CLEAR else int(np.sign(value)))


def test_arithmetic_of_surds():
    a, b = Surd(2, -1, 3), Surd(-5, 4, 3)
    value = {each: each.whole + each.part * sqrt(3) for each in (a, b, a + b, a * b, a * 7, b.signed_square)}
    assert value[a + b] == pytest.approx(value[a] + value[b])
    assert value[a * b] == pytest.approx(value[a] * value[b])
    assert value[a * 7] == pytest.approx(7 * value[a])
    assert value[b.signed_square] == pytest.approx(value[b] * abs(value[b]))


@pytest.mark.parametrize(("k", "m"), [(1, 13), (2, 51), (3, 114), (5, 315)])
def test_how_many_angles(k, m):
    """⌊2π/γ⌋ + 1."""
    assert Angles(k).m == len(Angles(k)) == m
    assert m == int(2 * pi / asin(1 / (2 * k * k)) + CLEAR) + 1


@pytest.mark.parametrize("k", [1, 2, 3])
def test_directions(k):
    m = Angles(k).m
    for φ in range(-1, m + 1):
        x, y = (each.whole + each.part * sqrt(each.root) for each in direction(k, φ))
        true = φ * asin(1 / (2 * k * k))
        assert (x / hypot(x, y), y / hypot(x, y)) == pytest.approx((cos(true), sin(true)), abs=1e-6)


@over(("k", "around"), [*product([1, 2, 3], [False, True])])
def test_near_angles(k, around):
    γ = asin(1 / (2 * k * k))
    for x, φ in product(points(k), Angles(k)):
        apart = abs(atan2(x[1], x[0]) % (2 * pi) - φ * γ)
        apart = min(apart, abs(2 * pi - apart)) if around else apart
        if x == (0, 0) or abs(apart - γ) > CLEAR:
            assert Angles(k, around).near(φ, x) == (x != (0, 0) and apart < γ)


def test_an_angle_exactly_gamma_away_is_not_near():
    assert [φ for φ in Angles(1) if Angles(1).near(φ, (0, 1))] == [3]


def normal(k, φ):
    """The unit vector with spherical angles, in floats."""
    γ, found, factor = asin(1 / (2 * k * k)), [], 1.0
    for each in φ:
        found.append(factor * cos(each * γ))
        factor *= sin(each * γ)
    return np.array([*found, factor])


@pytest.mark.parametrize(("k", "d"), [(1, 2), (2, 2), (1, 3), (1, 4)])
def test_labels(k, d):
    rng = np.random.default_rng(d)
    for φ in map(tuple, rng.integers(Angles(k).m, size=(60, d - 1)).tolist()):
        for x in points(k, d):
            value = normal(k, φ) @ x
            assert Half(k, φ)(x) == (1 if value > -CLEAR else -1)


def test_points_on_a_boundary_are_inside():
    h = Half(1, (3,))
    assert (h((1, 0)), h((-1, 0)), h((0, 0)), h((1, -1))) == (1, 1, 1, -1)


def test_spherical_angles():
    for x in points(2, 4):
        for i in (1, 2, 3):
            u, v, R = angle(x, i)
            rest = x[3] if i == 3 else hypot(*x[i:])
            assert (u, v * sqrt(R)) == pytest.approx((x[i - 1], rest))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_lemma_11(k):
    """sin² of the angle between any two lines is at least 1/4k⁴, in integers."""
    for (a, b), (c, d) in combinations(points(k), 2):
        if a * d != b * c:
            assert (a * d - b * c) ** 2 >= lemma_11(k) ** 2 * (a * a + b * b) * (c * c + d * d)


def test_lemma_16():
    """One example changes Q by 0 or 1."""
    rng, H = np.random.default_rng(16), Angles(1)
    examples = [(x, y) for x in points(1, 3) for y in (-1, 1)]
    for _ in range(6):
        chosen = [examples[j] for j in rng.integers(len(examples), size=5)]
        S, T = sample(chosen[:4]), sample(chosen)
        for prefix, φ in [((), 2), ((), 9), ((4,), 7), ((7,), 0)]:
            assert Q(H, T, prefix, φ, 3) - Q(H, S, prefix, φ, 3) in {0, 1}


def test_the_last_q_is_plain():
    S = sample([((1, 0, 1), 1), ((0, 1, 1), -1)])
    assert [Q(Angles(1), S, (2,), φ, 3) for φ in Angles(1)] == [q(1, S, (2, φ)) for φ in Angles(1)]


def test_what_is_counted():
    H = Angles(1)
    S = sample([((1, 1), 1)] * 3 + [((1, 1), -1)] + [((1, 0), 1)])
    assert [H.n(φ, S) for φ in H] == [1, 3, 3] + [0] * 10
    assert [H.n(φ, sample([((0, 0), 1)])) for φ in H] == [0] * 13


@pytest.mark.parametrize("make", [Angles, lemma_11, lambda k: Half(k, (1,)), lambda k: q(k, sample([]), (1,))])
def test_k_is_at_least_one(make):
    with pytest.raises(ValueError, match="k must be at least 1"):
        make(0)


def test_k_is_a_small_integer():
    with pytest.raises(ValueError, match="k must be at most 20"):
        Angles(21)
    assert Angles(np.int64(2)).m == 51


@pytest.mark.parametrize("only", [(), (13,), (-1,), (1, 1)])
def test_only_some_angles(only):
    with pytest.raises(ValueError, match="only must be some of the angles 0 to 12, each once"):
        Angles(1, only=only)


def test_labels_are_for_points_of_the_same_dimension():
    with pytest.raises(ValueError, match="a point must have 2 coordinates"):
        Half(1, (3,))((1, 0, 0))
    with pytest.raises(ValueError, match="from 0 to 12"):
        Half(1, (99,))((1, 0))


@pytest.mark.parametrize(("prefix", "d"), [((), 1), ((1, 2), 3), ((), 40)])
def test_q_needs_an_angle_to_complete(prefix, d):
    with pytest.raises(
        ValueError, match="d must be at least the length of prefix plus 2, and leave at most 1000000 comp"
    ):
        Q(Angles(1), sample([]), prefix, 1, d)
