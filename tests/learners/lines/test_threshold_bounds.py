"""The lemmas behind certified cuts, by enumeration and against simulated records; caps; what is certified."""

from decimal import Decimal, localcontext
from functools import cache
from itertools import combinations_with_replacement, pairwise, product
from math import exp

import numpy as np
import pytest
from scipy.stats import beta, binom

from privpac.learners.lines.threshold_bounds import (
    CappedCuts,
    NoisyCuts,
    PureCuts,
    excess_law,
    expected_chance,
    integers_between,
)
from privpac.privacy.bisection import smallest
from privpac.privacy.budget import Budget
from tests.grid import over

BEATEN = {(16, 0.5): 992, (16, 1): 547, (16, 3): 232, (64, 0.5): 1125, (64, 1): 617, (64, 3): 257}


@pytest.mark.slow
def test_on_every_sample_a_supported_split_or_a_constant_is_nearly_as_good_as_any_cut():
    """Lemma 2 for all samples of four labeled records on eight values; ⌊(K − 1)/2⌋ is needed."""
    gaps = set()
    for points in combinations_with_replacement(range(8), 4):
        for labels in product((0, 1), repeat=4):
            err = [sum((x >= t) != y for x, y in zip(points, labels, strict=True)) for t in range(9)]
            for K in range(1, 6):
                good = [0, 8]
                for width in (8, 4, 2):
                    good += [
                        low + width // 2
                        for low in range(0, 8, width)
                        if sum(low <= x < low + width for x in points) >= K
                    ]
                gap = min(err[t] for t in good) - min(err)
                assert gap <= (K - 1) // 2
                gaps.add((K, gap))
    assert {(K, (K - 1) // 2) for K in range(1, 6)} <= gaps


@pytest.mark.parametrize("epsilon", [0.5, 1, 3, 6])
def test_nodes_beyond_the_nearest_bad_one_weigh_at_most_f(epsilon):
    """Lemma 3 against the worst supports, found by recursion over all of them."""
    cuts = CappedCuts(Budget(epsilon, 1e-6), 2**20, 1, 0.05)
    T, log_r = cuts.selection.T, cuts.log_r

    @cache
    def worst(d):
        if d < -3 * T - 40 / log_r:
            return exp(log_r * d) / (1 - exp(-log_r))
        return max(min(exp(log_r * (x - T)), exp(log_r * d)) + worst(d - x) for x in range(1, int(T + abs(d)) + 2))

    for d in range(-int(3 * T), int(T) + 20, 1 + int(T) // 20):
        assert worst(d) <= cuts._beyond(np.array([float(d)]), 0.0)[0] * (1 + 1e-9)


def test_means_of_falling_functions_are_never_too_small():
    chance = np.minimum(1, 3.0 ** -(np.arange(0, 60) - 20.0))
    exact = float(binom.pmf(np.arange(60), 59, 0.4) @ chance)
    every = np.arange(-1, 59)
    assert exact <= expected_chance(chance[every + 1], binom.cdf(every, 59, 0.4)) <= exact * (1 + 1e-8)
    coarse = integers_between(-1, 58)[::7].astype(int)
    assert expected_chance(chance[coarse + 1], binom.cdf(coarse, 59, 0.4)) >= exact


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.35])
def test_few_samples_have_a_bad_cut_that_looks_good(noise):
    """Lemma 4: a lower confidence bound (one-sided, 99.99 %) of P(J ≤ x) is at most the bound; 3000 samples."""
    rng = np.random.default_rng(4)
    n, alpha, runs = 300, 0.1, 3000
    t = np.linspace(0, 1, 201)
    bad = np.abs(t - 0.5) * (1 - 2 * noise) > alpha
    J = np.empty(runs)
    for i in range(runs):
        x = rng.random(n)
        y = (x >= 0.5) ^ (rng.random(n) < noise)
        ones, zeros = np.sort(x[y]), np.sort(x[~y])
        err = np.searchsorted(ones, t) + len(zeros) - np.searchsorted(zeros, t)
        J[i] = err[bad].min() - err[100]
    for x in range(-5, 30):
        seen = int((x >= J).sum())
        low = beta.ppf(1e-4, seen, runs - seen + 1) if seen else 0.0
        assert low <= excess_law(np.array([float(x)]), n, alpha, 2)[0]


@pytest.mark.parametrize(("bits", "epsilon"), BEATEN)
def test_certified_sizes(bits, epsilon):
    cuts = CappedCuts(Budget(epsilon, 1e-6), 2**bits, 1, 0.05)
    n = smallest(lambda n: cuts.failure(n, 0.1) <= 0.05)
    assert n < BEATEN[bits, epsilon]
    both = CappedCuts(Budget(epsilon, 1e-6), 2**bits, 2, 0.05)
    assert n < smallest(lambda n: both.failure(n, 0.1) <= 0.05) < BEATEN[bits, epsilon]


@pytest.mark.slow
@over("kind", [CappedCuts, NoisyCuts, PureCuts])
@over("size", [1, 2, 100, 2**64, 2**300])
def test_failures_are_probabilities_that_fall(kind, size):
    if kind is PureCuts:
        cuts = PureCuts(Budget(1), size, 1)
        failure = lambda n, alpha: cuts.failure(n, alpha, "agnostic")  # noqa: E731
    else:
        failure = kind(Budget(1, 1e-6), size, 1, 0.05).failure
    for alpha in (0.001, 0.1, 0.5, 0.9):
        values = [failure(n, alpha) for n in (1, 2, 10, 100, 1000, 10**4, 10**6, 10**9)]
        assert all(0 <= value <= 1 for value in values)
        assert all(later <= earlier + 1e-12 for earlier, later in pairwise(values))
    for n in (100, 10**4, 10**7):
        values = [failure(n, alpha) for alpha in (0.001, 0.01, 0.1, 0.3, 0.99)]
        assert all(later <= earlier + 1e-12 for earlier, later in pairwise(values))


def as_stated(cuts, n, alpha):
    """The bound of Theorem 4 with 60 digits, J by J."""
    with localcontext(prec=60, Emin=-(10**6)):
        T, g, p, b = map(Decimal, (cuts.selection.T, float(cuts.selection.gain(cuts.cap)), alpha, cuts.levels))
        r, chance, whole = Decimal(cuts.log_r).exp(), (1 - p) ** n, Decimal(0)
        for j in range(n + 1):
            d = cuts.cap - j
            beyond = r**d + max((d + T / 2) * r ** (1 - T), r ** (d - T / 2)) + r ** (-T / 2) / (1 - 1 / r)
            f = beyond if d > -T / 2 else r**d / (1 - 1 / r)
            u = (b * (r**d + f) + r**d / cuts.sides + max(1, r**d)) / r**g
            whole += chance if d >= g else chance * u / (1 + u)
            chance *= p / (1 - p) * (n - j) / (j + 1)
            if j > n * p and chance < Decimal("1e-330"):
                break
        return cuts.sides * whole


@pytest.mark.audit
@pytest.mark.parametrize("epsilon", [6, 20])
def test_no_certificate_is_too_small_however_rarely_it_may_fail(epsilon):
    """Weights beyond e^600 occur here: cut off, they made what is certified fail 37 and 15 times too often."""
    cuts = CappedCuts(Budget(epsilon, 1e-6), 2**64, 1, 1e-300)
    n = smallest(lambda n: cuts.failure(n, 0.1) <= 1e-300)
    assert cuts.power(cuts.selection.gain(cuts.cap) - 1) == cuts.power(
        cuts.selection.gain(cuts.cap)
    )  # so large that it is cut off
    assert 1e-301 <= as_stated(cuts, n, 0.1) <= 1e-300
