"""The noisy perceptron: sums by definition, what a round costs, its noise, exact audits, and twins that are refuted."""

from fractions import Fraction
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.audit.exact_divergence import worst_divergence
from privpac.data.samples.sample import Sample
from privpac.exact.bulk_noise import discrete_gaussians
from privpac.exact.entropy import SYSTEM
from privpac.mechanisms.half_spaces.perceptron import GaussianSums, Lift, NoisyPerceptron, SignedRecords, rho_of
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.statistics import assert_matches


def seen(lift, records):
    """Void records are None."""
    real = [record for record in records if record is not None]
    points = np.array([x for x, _ in real], dtype=object).reshape(-1, lift.dim)
    return SignedRecords.of(lift, Sample(points, np.array([y for _, y in real], dtype=bool), None, len(records)))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_missed_records_and_their_sum_are_those_of_the_definition(data):
    d = data.draw(st.integers(1, 3))
    side = data.draw(st.sampled_from([1, 2, 5, 1000, 2**40, 2**60]))
    lift = Lift(d, side, data.draw(st.integers(1, side)))
    points = data.draw(st.lists(st.tuples(*[st.integers(0, side - 1)] * d), max_size=6))
    labels = data.draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    counts = data.draw(st.one_of(st.none(), st.lists(st.integers(1, 5), min_size=len(points), max_size=len(points))))
    w = data.draw(st.tuples(*[st.one_of(st.integers(-9, 9), st.integers(-(2**60), 2**60))] * (d + 1)))
    times = counts or [1] * len(points)
    expected = [0] * (d + 2)
    for x, y, each in zip(points, labels, times, strict=True):
        v = [2 * xi - (side - 1) for xi in x] + [lift.length]
        if (sum(a * b for a, b in zip(w, v, strict=True)) >= 0) != y:
            expected[0] += each
            for j, vj in enumerate(v):
                expected[j + 1] += each * (vj if y else -vj)
    array = np.array(points, dtype=object).reshape(-1, d)
    weights = None if counts is None else np.array(counts, dtype=np.int64)
    sample = Sample(array, np.array(labels, dtype=bool), weights, sum(times) + 2)
    assert SignedRecords.of(lift, sample).missed(w) == tuple(expected)


@over("shift", [52, 60, 70, 1200])
def test_records_in_floats_meet_wide_weights_exactly(shift):
    """Two weights that differ by 1 decide; as floats, they would be equal or too large."""
    records = seen(Lift(2, 4, 1), [((3, 3), True), ((0, 0), True)])
    assert records.rows.dtype == np.float64
    assert records.missed((2**shift + 1, -(2**shift), 0)) == (1, -3, -3, 1)


@over(("d", "side", "rounds", "epsilon"), product((1, 4, 50), (2, 1000), (1, 7, 500), ("0.1", "1", "8")))
def test_a_round_costs_its_share_of_rho_for_every_change(d, side, rounds, epsilon):
    """A missed record becomes another one: the sum moves by 2r. One comes or goes: the sum by r, the number by 1."""
    lift, promise = Lift(d, side, side), Budget(epsilon, 1e-6)
    number, coordinate, *_ = NoisyPerceptron(promise, lift, rounds, 10).variances
    share = rho_of(promise) / rounds
    both, one = 4 * lift.square / (2 * coordinate), lift.square / (2 * coordinate) + 1 / (2 * number)
    assert share * Fraction(9, 10) <= max(both, one) <= share
    corners = SignedRecords.of(lift, Sample(np.array([[0] * d]), np.array([False]), None, 1))
    assert sum(each**2 for each in corners.missed((0,) * (d + 1))[1:]) == lift.square


def test_the_law_of_the_noise_is_that_of_its_sampler():
    """15,000 draws: each of 21 shares is off by more than six standard deviations with probability below 10⁻⁷."""
    variance, N = Fraction(13, 2), 15_000
    law = GaussianSums(Budget(1), (variance,), (1,), 1).law((0,))
    found = discrete_gaussians(variance, N, SYSTEM)
    for z in range(-10, 11):
        p = float(law[z,])
        assert abs((found == z).mean() - p) < 6 * sqrt(p * (1 - p) / N) + 1e-9
        assert p == pytest.approx(float(law[0,]) * exp(-z * z / 13), rel=1e-12)


@pytest.mark.audit
def test_releases_are_sums_with_noise_of_their_own_variances():
    right, wrong = (Fraction(4), Fraction(2)), (Fraction(4), Fraction(1, 2))
    law, mutant = (GaussianSums(Budget(1), each, (1, 1), 1).law((1, -1)) for each in (right, wrong))
    mechanism = GaussianSums(Budget(1), right, (1, 1), 1)
    assert_matches(lambda: mechanism.release((1, -1), SYSTEM), law, must_reject=mutant, draws=6000)


@over("variance", [Fraction(1, 3), Fraction(2), Fraction(50)])
@over("rate", [0.1, 0.5, -1.3])
def test_the_noise_is_no_wilder_than_a_gaussian(variance, rate):
    law = GaussianSums(Budget(1), (variance,), (1,), 1).law((0,))
    moment = sum(float(p) * exp(rate * z) for (z,), p in law.items())
    assert moment <= exp(rate**2 * float(variance) / 2) * (1 + 1e-9)


# ---- privacy

LINE = Lift(1, 1, 1)  # one point: what a record adds is the lift alone
UNIVERSE = [((0,), 0), ((0,), 1), None]
CLAIM = Budget("0.2", "0.3")


def of_round(view, perceptron, w=(0, 0)):
    """The law of one round on a view of records."""
    noisy = GaussianSums(perceptron.cost, perceptron.variances, (1, *perceptron.lift.largest), 2)
    return lambda records: noisy.law(view(seen(perceptron.lift, records), w))


@pytest.mark.parametrize("w", [(0, 0), (0, -1), (0, 5)])
def test_no_pair_of_neighbors_refutes_a_round_and_the_worst_comes_near_the_claim(w):
    perceptron = NoisyPerceptron(CLAIM, LINE, 1, 1)
    found = worst_divergence(of_round(SignedRecords.missed, perceptron, w), UNIVERSE, 2, CLAIM)
    assert not found.refuted
    assert float(found.ratio) > 0.6


@pytest.mark.slow
def test_no_pair_of_neighbors_refutes_a_round_on_two_points():
    claim = Budget(6, "0.3")
    two = NoisyPerceptron(claim, Lift(1, 2, 1), 1, 1)
    records = [((0,), 0), ((1,), 0), ((0,), 1), None]
    found = worst_divergence(of_round(SignedRecords.missed, two, (1, 0)), records, 1, claim)
    assert not found.refuted
    assert float(found.ratio) > 0.2


def averaged(records, w):
    """The average of the missed records, times n: where few are missed, one record moves it by more than r."""
    missed, *total = records.missed(w)
    return missed, *(records.size * each // max(missed, 1) for each in total)


def all_added(records, w):
    """The sum over all records: it moves by 2r while the number moves by 1."""
    return records.missed(w)[0], *map(int, records.rows.sum(axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("view", [averaged, all_added])
def test_broken_twins_are_refuted(view):
    claim = Budget(1, 1e-6)
    perceptron = NoisyPerceptron(claim, LINE, 1, 1)
    assert worst_divergence(of_round(view, perceptron), UNIVERSE, 2, claim).refuted
    assert not worst_divergence(of_round(SignedRecords.missed, perceptron), UNIVERSE, 2, claim).refuted


def test_a_number_with_too_little_noise_is_refuted():
    """The number comes free only at three times the share of ρ: with a quarter of its variance it does not."""
    claim = Budget(1, 1e-6)
    number, *others = NoisyPerceptron(claim, LINE, 1, 1).variances
    noisy = GaussianSums(claim, (number / 4, *others), (1, 0, 1), 1)
    law = lambda records: noisy.law(seen(LINE, records).missed((0, 0)))  # noqa: E731
    assert worst_divergence(law, UNIVERSE, 1, claim).refuted


# ---- steps


def test_weights_move_toward_missed_records_and_round_toward_zero():
    perceptron = NoisyPerceptron(Budget(1, 1e-6), Lift(1, 4, 4), 3, bar=10)  # r = 5
    assert perceptron.moved((0, 0), (20, 50, -33)) == (2**14 * 50 // 100, -(2**14 * 33 // 100))
    assert perceptron.moved((0, 0), (-7, 50, 0)) == perceptron.moved((0, 0), (10, 50, 0))  # the bar
    once = perceptron.moved((0, 0), (20, 50, -33))
    assert perceptron.path([(20, 50, -33)] * 2) == [(0, 0), once, perceptron.moved(once, (20, 50, -33))]


def test_rounds_end_when_nothing_seems_to_be_missed():
    perceptron = NoisyPerceptron(Budget(1000, 1e-6), Lift(1, 3, 1), 50, bar=1)
    records = seen(perceptron.lift, [((0,), 1), ((2,), 1)] * 20)
    assert len(perceptron.release(records, SYSTEM)) < 50  # w = 0 says 1 of all
