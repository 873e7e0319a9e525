"""Integer noise and the sparse vector: the laws by definition, the releases, and what is refused."""

from fractions import Fraction
from itertools import product
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.mechanisms import above_threshold, discrete_laplace, geometric
from privpac.mechanisms.noise import laplace as noise
from privpac.mechanisms.noise.laplace import AboveThreshold, DiscreteLaplace, laplace_tail
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.sentinels import SECRET, assert_pays_first, assert_refused
from tests.statistics import assert_matches

F = Fraction


def rational(x):
    return fmpq(x.numerator, x.denominator)


def ratio(x):
    return (-arb(rational(x))).exp()


def mass(x, z):
    """Pr[Z_x = z] as defined."""
    ρ = ratio(x)
    return (1 - ρ) / (1 + ρ) * ρ ** abs(z)


def close(p, q):
    return abs(p - q) < 1e-25


def divergence(P, Q, ε):
    with ctx.workprec(128):
        gaps = [p - arb(rational(ε)).exp() * Q.get(c, arb(0)) for c, p in P.items()]
        return float(sum((gap for gap in gaps if gap > 0), arb(0)))


# Tails and laws


@settings(max_examples=60, deadline=None)
@given(st.fractions(F(1, 5), 5), st.integers(-30, 30))
def test_the_tail_is_the_sum_of_the_masses(x, least):
    with ctx.workprec(128):
        beyond = ratio(x) ** 200  # what lies beyond 200 weighs less than this
        total = sum((mass(x, z) for z in range(least, 200)), arb(0))
        assert total - 1e-25 <= laplace_tail(x, least) <= total + beyond + 1e-25


@over(("ε", "Δ"), [(F(1), 1), (F(1, 3), 2), (F(5), 7)])
@over("value", [-7, 0, 3])
def test_the_discrete_laplace_law_is_its_definition(ε, Δ, value):
    law, x = DiscreteLaplace(Budget(ε), Δ).law(value, reach=12), ε / Δ
    with ctx.workprec(128):
        assert all(close(law[z], mass(x, z - value)) for z in range(-11, 12))
        assert close(law[12], laplace_tail(x, 12 - value)) and close(law[-12], laplace_tail(x, 12 + value))
        assert close(sum(law.values(), arb(0)), 1) and len(law) == 25


@pytest.mark.parametrize("value", [0, 2, 5])
def test_the_geometric_law_collects_what_lies_outside_at_its_ends(value):
    law, x = DiscreteLaplace(Budget("0.3"), 1, 0, 5).law(value), F(3, 10)
    with ctx.workprec(128):
        assert all(close(law[z], mass(x, z - value)) for z in range(1, 5))
        assert close(law[0], laplace_tail(x, value)) and close(law[5], laplace_tail(x, 5 - value))
        assert close(sum(law.values(), arb(0)), 1)


def threshold_law(values, threshold, ε, reach):
    """The definition, summed over the bar and every value's noise: reaches ±reach of each."""
    law = dict.fromkeys((*range(len(values)), None), arb(0))
    noises = [(z, mass(ε / 4, z)) for z in range(-reach, reach + 1)]
    for bar in range(-reach, reach + 1):
        alive = mass(ε / 2, bar)
        for i, value in enumerate(values):
            passes = sum((p for z, p in noises if value + z >= threshold + bar), arb(0))
            law[i] += alive * passes
            alive *= 1 - passes
        law[None] += alive
    return law


def test_the_threshold_law_is_its_definition():
    values, ε = [0, 2, 1], F(6)
    law = AboveThreshold(Budget(ε), 1).law(values, reach=40)
    with ctx.workprec(128):
        defined = threshold_law(values, 1, ε, 40)
        assert all(abs(law[i] - p) < 1e-20 for i, p in defined.items())
        assert close(sum(law.values(), arb(0)), 1)


# Privacy on small inputs


@over("bounds", [(None, None), (0, 4)])
@over(("ε", "Δ"), [(F(1, 2), 1), (F(2), 1), (F(1), 3)])
def test_neighboring_values_are_within_epsilon_and_hardly_less(ε, Δ, bounds):
    mechanism = DiscreteLaplace(Budget(ε), Δ, *bounds)
    pairs = [(a, b) for a in range(5) for b in range(5) if abs(a - b) <= Δ]
    assert max(divergence(mechanism.law(a), mechanism.law(b), ε) for a, b in pairs) < 1e-30
    assert max(divergence(mechanism.law(a), mechanism.law(b), ε * F(99, 100)) for a, b in pairs) > 1e-4
    light = DiscreteLaplace(Budget(ε * F(13, 10)), Δ, *bounds)
    assert max(divergence(light.law(a), light.law(b), ε) for a, b in pairs) > 1e-2


class Halved(AboveThreshold):
    """Broken: noise of the values for half of what they need."""

    def law(self, data, reach):
        return threshold_law(data, self.threshold, self.cost.epsilon * 2, reach)


def worst_threshold(mechanism, ε, top):
    vectors = list(product(range(top + 1), repeat=3))
    laws = {v: mechanism.law(v, reach=12) for v in vectors}
    pairs = [(v, w) for v in vectors for w in vectors if max(abs(a - b) for a, b in zip(v, w, strict=True)) <= 1]
    return max(divergence(laws[v], laws[w], ε) for v, w in pairs)


def test_neighboring_values_above_a_threshold_are_within_epsilon():
    ε = F(4)
    assert worst_threshold(AboveThreshold(Budget(ε), 1), ε, top=2) < 1e-20
    assert worst_threshold(Halved(Budget(ε), 1), ε, top=2) > 1e-4


# Releases


@pytest.mark.slow
def test_discrete_laplace_releases_follow_the_law():
    law, mutant = ({z: float(mass(x, z - 5)) for z in range(-20, 31)} for x in (F(1, 4), F(1, 3)))
    assert_matches(lambda: discrete_laplace(5, epsilon=0.5, sensitivity=2), law, must_reject=mutant, draws=12_000)


@pytest.mark.slow
def test_geometric_releases_follow_the_law():
    law = DiscreteLaplace(Budget("0.3"), 1, 0, 5).law(1)
    without_ends = {z: float(mass(F(3, 10), z - 1)) for z in range(6)}
    assert_matches(lambda: geometric(1, low=0, high=5, epsilon=0.3), law, must_reject=without_ends)


@pytest.mark.slow
def test_threshold_releases_follow_the_law():
    law, mutant = (AboveThreshold(Budget(ε), 2).law([0, 3, 1]) for ε in (4, 6))
    assert_matches(lambda: above_threshold([0, 3, 1], threshold=2, epsilon=4), law, must_reject=mutant)


def test_the_bar_has_half_the_rate_and_each_value_a_quarter(monkeypatch):
    asked = []

    def none(rate, count, coins):
        asked.append((rate, count))
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(noise, "discrete_laplaces", none)
    for values, first in (([0, 2, 5, 9], 2), ([9, 2, 5, 0], 0), ([0, 0, 0, 0], None)):
        assert above_threshold(values, threshold=3, epsilon=1) == first
    assert asked == [(F(1, 2), 1), (F(1, 4), 4)] * 3  # all noise is drawn, wherever the first one is


def test_only_the_first_value_above_is_told():
    assert above_threshold([0, 0, 5000, 9000], threshold=2500, epsilon=1) == 2
    assert above_threshold([-5000] * 100, threshold=0, epsilon=1) is None
    assert above_threshold([], threshold=0, epsilon=1) is None
    assert above_threshold([-(2**70), 0, 2**70], threshold=2**69, epsilon=1) == 2
    assert above_threshold(np.array([0, 2**64 - 1], dtype=np.uint64), threshold=2**63, epsilon=1) == 1


@pytest.mark.parametrize("value", [7, np.int8(7), np.uint64(7), np.array(7), pd.Series([7]).iloc[0]])
def test_values_of_every_kind_are_read(value):
    assert discrete_laplace(value, epsilon=1000) == 7
    assert geometric(value, low=0, high=10, epsilon=1000) == 7
    assert type(discrete_laplace(value, epsilon=1000)) is int


def test_huge_values_stay_exact():
    assert discrete_laplace(2**100 + SECRET, epsilon=1000) == 2**100 + SECRET
    assert discrete_laplace(-(2**1000), epsilon=1000) == -(2**1000)
    assert geometric(2**100, low=-(2**200), high=2**100, epsilon=1000) == 2**100
    assert above_threshold([-(2**100), 2**100], threshold=2**99, epsilon=1000) == 1


def test_the_ends_may_coincide():
    assert geometric(3, low=3, high=3, epsilon=1) == 3


@pytest.mark.parametrize(
    "values", [np.array([0, 100], dtype=np.int8), pd.Series([0, 100]), iter([0, 100]), range(0, 101, 100)]
)
def test_lists_of_every_kind_are_read(values):
    assert above_threshold(values, threshold=50, epsilon=10) == 1


def test_noise_pays_first():
    cost, first = Budget("0.1"), "noise, Theorem 1"
    assert_pays_first(discrete_laplace, SECRET, epsilon=0.1, cost=cost, theorem=first)
    assert_pays_first(geometric, SECRET, low=0, high=2 * SECRET, epsilon=0.1, cost=cost, theorem=first)
    assert_pays_first(above_threshold, [SECRET], threshold=SECRET, epsilon=0.1, cost=cost, theorem="noise, Theorem 2")


# What is refused


BAD_VALUES = (
    nan,
    inf,
    float(SECRET),
    str(SECRET),
    None,
    True,
    np.True_,
    [SECRET],
    np.array([SECRET]),
    F(SECRET, 2),
    1j,
)


@pytest.mark.parametrize("value", BAD_VALUES, ids=repr)
def test_bad_values_are_refused(value):
    assert_refused(discrete_laplace, value, epsilon=1)
    assert_refused(geometric, value, low=0, high=10, epsilon=1)


@pytest.mark.parametrize("value", [SECRET, -SECRET, 11, -1, 2**100])
def test_values_out_of_bounds_are_refused(value):
    assert_refused(geometric, value, low=0, high=10, epsilon=1, match="outside low … high")


@pytest.mark.parametrize(("low", "high"), [(1, 0), (0.0, 1), (0, nan), (None, 1), (0, inf), (False, True)])
def test_bad_bounds_are_refused(low, high):
    assert_refused(geometric, SECRET, low=low, high=high, epsilon=1, match="low|high")


@pytest.mark.parametrize(
    "values",
    [[nan], [SECRET, inf], [float(SECRET)], [True], None, SECRET, [[SECRET]], np.zeros((2, 2), dtype=int), "12"],
)
def test_bad_lists_are_refused(values):
    assert_refused(above_threshold, values, threshold=1, epsilon=1)


@pytest.mark.parametrize("threshold", [nan, inf, 1.5, None, "1", True, [1]])
def test_bad_thresholds_are_refused(threshold):
    assert_refused(above_threshold, [SECRET], threshold=threshold, epsilon=1)


@pytest.mark.parametrize("sensitivity", [0, -1, 1.5, nan, None, True, "1"])
def test_bad_sensitivities_are_refused(sensitivity):
    assert_refused(discrete_laplace, SECRET, epsilon=1, sensitivity=sensitivity, match="sensitivity")
    assert_refused(geometric, 1, low=0, high=9, epsilon=1, sensitivity=sensitivity, match="sensitivity")


@pytest.mark.parametrize("epsilon", [0, -1, nan, inf, "x", None, True])
def test_bad_epsilons_are_refused(epsilon):
    assert_refused(discrete_laplace, SECRET, epsilon=epsilon, match="epsilon")
    assert_refused(geometric, 1, low=0, high=9, epsilon=epsilon, match="epsilon")
    assert_refused(above_threshold, [SECRET], threshold=1, epsilon=epsilon, match="epsilon")
