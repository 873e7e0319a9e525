"""Intervals from noisy counts cover as often as they say, by exact sums over all outcomes, and are hardly too wide."""

from fractions import Fraction
from functools import cache
from math import expm1, log

import numpy as np
import pytest
from scipy.special import bdtr, betaincinv, comb

from privpac.learners.errors.error_intervals import (
    NoiseSum,
    clearly_more,
    declared_interval,
    error_interval,
    nearest_counts,
)
from tests.grid import over

F = Fraction
USUAL = F(1, 20)


def noise_law(rate, terms, reach):
    """The law of T on −reach … reach, by convolution."""
    ρ, z = np.exp(-float(rate)), np.arange(-reach, reach + 1)
    one = (1 - ρ) / (1 + ρ) * ρ ** abs(z)
    law = np.ones(1)
    for _ in range(terms):
        law = np.convolve(law, one)
    middle = len(law) // 2
    return law[middle - reach : middle + reach + 1]


@over("rate", [F(1, 20), F(1, 2), F(3)])
@over("terms", [1, 2, 4, 5])
def test_tails_are_those_of_the_convolution(rate, terms):
    reach = 1500
    law = noise_law(rate, terms, reach)
    tails = np.cumsum(law[::-1])[::-1]
    t = np.arange(-40, 41)
    assert np.abs(NoiseSum(rate, terms).tail(t) - tails[t + reach]).max() < 1e-12


@over("rate", [F(1, 10**9), F(1, 10**4), F(10**6)])
def test_extreme_rates_have_tails(rate):
    tails = NoiseSum(rate, 5).tail(np.arange(-3, 4))
    assert (np.diff(tails) <= 0).all() and tails.min() >= 0 and tails.max() <= 1
    assert tails[2] + tails[5] == pytest.approx(1, abs=1e-9)  # Pr[T ≥ −1] + Pr[T ≥ 2] = 1


def test_the_reach_is_the_least():
    noise = NoiseSum(F(1, 2), 4)
    t = noise.reach(0.01)
    assert noise.tail(t) <= 0.01 < noise.tail(t - 1)


@pytest.mark.audit
@over("rate", [F(1, 2), F(20)])
@over("n", [1, 20])
def test_the_interval_covers_every_error_by_exact_sums(rate, n):
    """Over all outcomes of sampling and noise; what noise beyond the reach would add is below 10⁻⁷."""
    reach = max(int(25 / rate), 3)
    law, k, noise = noise_law(rate, 4, reach), np.arange(n + 1), NoiseSum(rate, 4)
    outcomes = np.arange(-reach, 2 * n + reach + 1)
    found = [error_interval(int(y), n, noise, USUAL) for y in outcomes]
    chances = np.zeros(len(outcomes))
    for p in (0.0, 0.01, 0.1, 0.35, 0.5, 0.8, 1.0):
        chances[:] = 0
        for wrong, weight in zip(k, comb(n, k) * p**k * (1 - p) ** (n - k), strict=True):
            chances[2 * wrong : 2 * wrong + len(law)] += weight * law
        missed = sum(c for c, (low, high) in zip(chances, found, strict=True) if not low <= p <= high)
        assert missed <= float(USUAL) + 1e-7


def missed(interval, p, q, n=6, reach=9):
    """How often an interval misses p, the error on records with a declared label, if a record has one with chance q."""
    total, one, six = 0.0, noise_law(F(2), 1, reach), noise_law(F(2), 6, reach)
    for declared in range(n + 1):
        some = comb(n, declared) * q**declared * (1 - q) ** (n - declared)
        for wrong in range(declared + 1):
            weight = some * comb(declared, wrong) * p**wrong * (1 - p) ** (declared - wrong)
            for z, chance in zip(range(-reach, reach + 1), one * weight, strict=True):
                if chance > 1e-7:
                    for t, law in zip(range(-reach, reach + 1), six, strict=True):
                        low, high = interval(2 * wrong + t - z, n - declared + z)
                        total += 0.0 if low <= p <= high else chance * law
    return total


@pytest.mark.audit
def test_the_interval_covers_the_error_on_records_with_a_declared_label_by_exact_sums():
    """Over all numbers of such records, errors, and noises; an interval that takes all records for such ones fails."""
    n, noise = 6, NoiseSum(F(2), 7)
    known = cache(lambda y, others: declared_interval(y, n, others, noise, USUAL))
    for p, q in ((0.0, 0.5), (0.1, 1.0), (0.5, 0.6), (0.95, 0.3), (1.0, 0.9)):
        assert missed(known, p, q) <= float(USUAL) + 1e-6
    all_of_them = cache(lambda y: error_interval(y, n, noise, USUAL))
    assert missed(lambda y, others: all_of_them(y), 1.0, 0.4) > 0.2


def test_an_unknown_number_of_declared_labels_costs_little():
    """Among 1,000 records at ε = 1, the interval is at most an eighth wider than if it were known that all have one."""
    for wrong in (50, 200, 350):
        low, high = error_interval(2 * wrong, 1000, NoiseSum(F(1, 2), 7), USUAL)
        wide = declared_interval(2 * wrong, 1000, 0, NoiseSum(F(1, 2), 7), USUAL)
        assert high - low < wide[1] - wide[0] < 1.125 * (high - low)


def test_an_interval_that_ignores_sampling_does_not_cover():
    """The mutant: only noise is allowed for, as earlier versions did."""
    n, p, noise = 200, 0.2, NoiseSum(F(1, 2), 4)
    t = noise.reach(0.025) / 2
    assert bdtr(int(n * p - t) - 1, n, p) * 2 > 0.1


def test_it_is_hardly_wider_than_without_privacy():
    for n, k, most in ((200, 16, 1.25), (1000, 80, 1.06), (20_000, 2000, 1.01)):
        low, high = error_interval(2 * k, n, NoiseSum(F(1, 2), 4), USUAL)
        ideal = betaincinv(k + 1, n - k, 0.975) - betaincinv(k, n - k + 1, 0.025)
        assert low < k / n < high
        assert (high - low) / ideal < most


def test_no_records_say_nothing():
    assert error_interval(0, 0, NoiseSum(F(1), 4), USUAL) == (0.0, 1.0)
    assert not clearly_more((0, 0, 0, 0), ([0], [1]), 0, F(1), USUAL)


@pytest.mark.slow
@over("rate", [F(1, 2), F(20)])
@over("share", [0.3, 1.0])
def test_a_kind_that_is_as_likely_is_rarely_called_more_likely(rate, share):
    """By exact sums, if a record is of either kind with probability share/2; what else it is does not matter much."""
    n, reach = 16, 8
    law = noise_law(rate, 1, reach)
    wrong = 0.0
    for both in range(n + 1):
        weight = comb(n, both) * share**both * (1 - share) ** (n - both)
        if weight < 1e-7:
            continue
        for ones in range(both + 1):
            chance = weight * comb(both, ones) * 0.5**both
            if chance > 1e-7:
                for z in range(-reach, reach + 1):
                    p = law[z + reach]
                    if p > 1e-7 and clearly_more((ones + z, both - ones, n - both, 0), ([0], [1]), n, rate, USUAL):
                        wrong += chance * p
    assert wrong <= float(USUAL)


def test_the_noise_of_all_kinds_counts():
    """Among no records, any difference is noise: of four counts here, which exceeds that of two."""
    reach, rate = 60, F(1, 2)
    law = noise_law(rate, 4, reach)
    clear = [clearly_more((d, 0, 0, 0), ([0, 1], [2, 3]), 0, rate, USUAL) for d in range(-reach, reach + 1)]
    assert 0.02 < law[np.array(clear)].sum() <= float(USUAL)


def test_a_clear_difference_is_clear():
    assert clearly_more((600, 100, 200, 100), ([0], [1]), 1000, F(1, 2), USUAL)
    assert not clearly_more((110, 100, 400, 390), ([0], [1]), 1000, F(1, 2), USUAL)
    assert not clearly_more((100, 100, 400, 400), ([0], [1]), 1000, F(1, 2), USUAL)


@over("noisy", [(6, 3, -1), (0, 0, 0), (-5, -9, -2), (1000, 4, 4)])
def test_nearest_counts_are_counts(noisy):
    found = nearest_counts(noisy, 10)
    assert found.min() >= 0 and found.sum() == pytest.approx(10)
    shifts = [np.asarray(noisy) - found][0][found > 0]
    assert np.ptp(shifts) < 1e-9  # all that are positive are shifted alike, as for the nearest point of a simplex


def test_intervals_cover_with_very_high_confidence():
    """Without noise and without errors, the upper end is the p with (1 − p)^n = β/2."""
    for beta in (Fraction(1, 20), Fraction(1, 10**40), Fraction(1, 10**300)):
        _, high = error_interval(0, 1000, NoiseSum(Fraction(200), 4), beta)
        assert high == pytest.approx(-expm1((log(beta) - log(2)) / 1000), abs=1e-9)
