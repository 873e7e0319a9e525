"""Discrete Gaussian noise: its law, its divergence over all neighbors, twins with too little noise, and refusals."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import exp

import numpy as np
import pytest
from flint import arb, ctx

from privpac.exact.entropy import SYSTEM
from privpac.exact.samplers import as_integers
from privpac.mechanisms import discrete_gaussian
from privpac.mechanisms.noise import gaussian
from privpac.mechanisms.noise.gaussian import LARGEST, DiscreteGaussian
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from tests.statistics import assert_matches

COST = Budget(1, "0.01")


def histogram(records):
    return [records.count(key) for key in "abc"]


def test_the_law_is_its_definition():
    mechanism = DiscreteGaussian(COST, 2)
    law, terms = mechanism.law([3], reach=30), {z: exp(-(z**2) / (2 * mechanism.variance)) for z in range(-400, 401)}
    whole = sum(terms.values())
    assert all(float(law[o,]) == pytest.approx(terms[o - 3] / whole, rel=1e-12) for o in range(-29, 30))
    assert float(law[30,]) == pytest.approx(sum(terms[z] for z in range(27, 401)) / whole, rel=1e-9)
    assert float(law[-30,]) == pytest.approx(sum(terms[z] for z in range(-400, -32)) / whole, rel=1e-9)


def divergence(mechanism, s, t, ε):
    with ctx.workprec(128):
        P, Q = (mechanism.law(histogram(records)[:2], reach=14) for records in (s, t))
        return float(sum((gap for o in P if (gap := P[o] - arb(float(ε)).exp() * Q[o]) > 0), arb(0)))


@pytest.mark.slow
def test_all_neighbors_are_within_the_claim_and_halved_noise_is_refuted():
    """Two of three counts that sum up to n tell the third, which noise would hide: a lower bound, near the claim."""
    right = DiscreteGaussian(COST, 2)
    pairs = [
        ("".join(rest) + a, "".join(rest) + b) for rest in product("abc", repeat=2) for a, b in permutations("abc", 2)
    ]
    worst = max(divergence(right, s, t, 1) for s, t in pairs)
    assert 0.36 * 0.01 < worst <= 0.01  # the conversion from zCDP has slack

    @dataclass(frozen=True)
    class Halved(DiscreteGaussian):
        @property
        def variance(self) -> Fraction:
            return super().variance / 2

    assert divergence(Halved(COST, 2), "ab", "bb", 1) > 0.01
    assert divergence(DiscreteGaussian(COST, 1), "ab", "bb", 1) > 0.01  # one cell where two change


def test_the_cost_in_zcdp_is_that_of_the_variance():
    mechanism = DiscreteGaussian(Budget(1, "1e-6"), 2)
    cost = Concentrated(1 / mechanism.variance)
    assert cost.rho == Concentrated.within(Budget(1, "1e-6")).rho
    assert cost.at_delta("1e-6") <= Budget(1, "1e-6")


@pytest.mark.audit
def test_releases_follow_the_law():
    law, narrow = (DiscreteGaussian(Budget(1, "0.01"), square).law([3], reach=16) for square in (4, 2))
    mechanism = DiscreteGaussian(Budget(1, "0.01"), 4)
    assert_matches(lambda: told(mechanism.release(np.array([3]), SYSTEM)), law, must_reject=narrow, draws=10_000)


def told(released):
    """With the ends of a law of reach 16."""
    return tuple(np.clip(released, -16, 16).tolist())


def test_releases():
    values = np.array([0, 500, -(10**6)])
    drawn = np.array([discrete_gaussian(values, epsilon=1, delta=1e-6) - values for _ in range(40)])
    assert np.abs(drawn).max() < 80 and drawn.any() and drawn.dtype == np.int64
    assert discrete_gaussian([], epsilon=1, delta=1e-6).tolist() == []


@pytest.mark.parametrize("noise", [2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**70])
def test_a_release_is_the_sum_and_nothing_else(monkeypatch, noise):
    """Its type too: the same sum of another value and other noise looks the same."""
    mechanism = DiscreteGaussian(COST)
    monkeypatch.setattr(gaussian, "discrete_gaussians", lambda variance, count, coins: as_integers([drawn.pop()]))
    for value in (-LARGEST, 0, LARGEST):
        released = []
        for shift in (0, -value):
            drawn = [noise - shift]
            released.append(mechanism.release(mechanism.check([value + shift]), SYSTEM))
        assert [each.tolist() for each in released] == [[value + noise]] * 2
        assert len({each.dtype for each in released}) == 1


@pytest.mark.parametrize(
    ("values", "named"), [([0.5], "integers"), ([LARGEST + 1], "between"), ([2**70], "between"), ([[1]], "values")]
)
def test_what_is_refused(values, named):
    with pytest.raises((TypeError, ValueError), match=named):
        discrete_gaussian(values, epsilon=1, delta=1e-6)


def test_bad_parameters():
    for given in ({"delta": 0}, {"epsilon": 0}, {"squared_sensitivity": 0}, {"squared_sensitivity": 1.5}):
        with pytest.raises((TypeError, ValueError)):
            discrete_gaussian([1], **{"epsilon": 1, "delta": 1e-6, **given})
