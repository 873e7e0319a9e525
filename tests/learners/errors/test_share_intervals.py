"""Intervals for a share of an unknown number of records cover as often as they say, by exact sums over all outcomes."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.special import comb

from privpac.learners.errors.share_intervals import NoisyPair, WeightedNoise
from tests.grid import over
from tests.learners.errors.test_error_intervals import noise_law

F = Fraction
USUAL = F(1, 20)


@cache
def found(pair):
    return pair.interval(USUAL)


def chances(rate, noises, n, p, q, reach):
    """The law of both noisy counts, if a record is of one of the kinds with chance q, and then of the first with p."""
    law = np.zeros((n + 1 + 2 * reach, n + 1 + 2 * reach))
    first, second = (noise_law(rate, number, reach) for number in noises)
    for N in range(n + 1):
        for A in range(N + 1):
            weight = comb(n, N) * q**N * (1 - q) ** (n - N) * comb(N, A) * p**A * (1 - p) ** (N - A)
            law[A : A + 2 * reach + 1, N - A : N - A + 2 * reach + 1] += weight * np.outer(first, second)
    return law


@pytest.mark.audit
@over("p", [0.0, 0.03, 0.3, 0.5, 0.81])
@over("q", [0.3, 1.0])
def test_the_interval_covers_every_share_by_exact_sums(p, q):
    """Eight records, noise of rate 2; what noise beyond the reach would add is below 10⁻⁵."""
    rate, noises, n, reach = F(2), (1, 2), 8, 7
    law, missed = chances(rate, noises, n, p, q, reach), 0.0
    for i, j in zip(*np.nonzero(law > 1e-12), strict=True):
        low, high = found(NoisyPair((int(i) - reach, int(j) - reach), noises, n, rate))
        missed += law[i, j] * (not low <= p <= high)
    assert missed <= float(USUAL) + 1e-5


@pytest.mark.audit
@over("share", [F(1, 2), F(1, 11), F(9, 10)])
def test_a_share_that_is_not_larger_is_rarely_called_larger_by_exact_sums(share):
    rate, noises, n, reach = F(2), (1, 1), 8, 7
    law, said = chances(rate, noises, n, float(share), 0.8, reach), 0.0
    for i, j in zip(*np.nonzero(law > 1e-12), strict=True):
        said += law[i, j] * NoisyPair((int(i) - reach, int(j) - reach), noises, n, rate).exceeds(share, USUAL)
    assert said <= float(USUAL) + 1e-5


@pytest.mark.slow
@over("c", [0.001, 0.3, 0.77])
@over("rate", [F(1, 20), F(1, 2), F(30)])
def test_the_tabulated_tail_is_never_too_small_and_hardly_too_large(c, rate):
    reach = min(int(30 / rate) + 2, 700)
    first, second = noise_law(rate, 1, reach), noise_law(rate, 2, reach)
    z = np.arange(-reach, reach + 1)
    sums, weights = ((1 - c) * z[:, None] - c * z).ravel(), np.outer(first, second).ravel()
    noise = WeightedNoise.of(rate, (1, 2), c)
    for v in np.linspace(-2, 4, 9) * noise.spread:
        true = weights[sums >= v].sum()
        shown = float(noise.tail(np.array([v]))[0])
        assert true - 1e-9 <= shown <= true + weights[(sums >= v - 0.2 * noise.spread) & (sums < v)].sum() + 1e-8


@pytest.mark.slow
def test_intervals_are_about_as_wide_as_the_normal_law_says():
    for (A, B), ε, ratio in (((60, 140), 1, 1.1), ((200, 1800), 1, 1.05), ((600, 1400), F(1, 10), 1.2)):
        rate, N, p = F(ε) / 2, A + B, A / (A + B)
        low, high = NoisyPair((A, B), (1, 1), 10 * N, rate).interval(F(1, 80))
        spread = np.sqrt(p * (1 - p) / N + 2 / float(rate) ** 2 * ((1 - p) ** 2 + p**2) / N**2)
        assert (high - low) / (2 * 2.498 * spread) < ratio
        assert low < p < high


@pytest.mark.slow
@over("counts", [(0, 0), (-30, 5), (10**6, -5), (0, 4), (3, 0)])
@over("most", [0, 1, 2, 1000])
def test_whatever_noise_does_the_interval_is_one(counts, most):
    for rate in (F(1, 10**6), F(1, 2), F(1000)):
        low, high = NoisyPair(counts, (1, 1), most, rate).interval(USUAL)
        assert 0 <= low <= high <= 1


def test_exchanged_kinds_have_the_opposite_share():
    pair = NoisyPair((30, 170), (2, 1), 1000, F(1, 2))
    low, high = pair.interval(USUAL)
    assert pair.reversed.interval(USUAL) == pytest.approx((1 - high, 1 - low))
