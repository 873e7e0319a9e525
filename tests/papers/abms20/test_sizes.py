"""How many examples: the printed numbers, and bounds that hold on every sample that is tried."""

from math import exp, inf, log

import numpy as np
import pytest

from privpac.mechanisms.selection.exponential import Exponential
from privpac.papers.abms20.sizes import (
    Step,
    bad_concept,
    bad_pattern,
    claim_5_4,
    claim_5_4_short,
    theorem_6_1,
    theorem_7_1,
)
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers


def test_printed_numbers():
    assert claim_5_4(0.1, 0.05, 2, 500) == pytest.approx(20 * log(20) + 40 * (1 + log(250)))
    assert claim_5_4_short(0.1, 0.05, 2) == pytest.approx(40 * log(20) + 200 * (1 + log(200)))
    assert theorem_6_1(100, 2, 0.5, 0.5) == pytest.approx(100 + 4 * (2 + log(2)))
    assert theorem_7_1(3, 2, 50, 0.5, 0.5) == pytest.approx(4 * (54 + 9 * log(6)) + 50)
    assert theorem_7_1(3, 2, 50, 0.5, 0.5, constants="tight") == pytest.approx(4 * (54 + 27 * log(6)) + 50)


@over("V", [1, 3, 10])
@over("alpha", [0.3, 0.1, 0.01])
@over("beta", [0.3, 0.01])
def test_the_short_form_of_claim_5_4_implies_the_long_one(V, alpha, beta):
    D = claim_5_4_short(alpha, beta, V)
    assert claim_5_4(alpha, beta, V, int(2 * D)) <= D


@over(("K", "d", "gap"), [(2, 1, 1.0), (30, 20, 0.5), (5, 40, 0.1)])
def test_the_draw_adds_few_errors(K, d, gap):
    """The worst scores: one pattern at 0, all others just beyond the gap. Exact."""
    law = Exponential(Budget(1)).law([0] + [-int(np.ceil(gap * d))] * (K - 1))
    assert float(1 - law[0]) <= bad_pattern(K, d, gap, 1.0)
    assert bad_pattern(K, d, gap, 1.0) == pytest.approx(min(K * exp(-gap * d / 2), 1))
    assert bad_pattern(inf, d, gap, 1.0) == 1


@over(("size", "d", "gap"), [(9, 200, 0.3), (65, 300, 0.3), (9, 100, 0.45)])
def test_errors_rarely_mislead(size, d, gap):
    """Concepts of error 1/2 + gap/2 beside one of error 1/2 − gap/2, all independent. Of 2000 samples, at most the
    bound's share and 6.5 standard deviations mislead: except with probability 1e-9."""
    rng, bound = np.random.default_rng(), bad_concept(size, size, d, gap)
    bad = rng.binomial(d, 0.5 + gap / 2 + 1e-9, size=(2000, size - 1)).min(axis=1)
    good = rng.binomial(d, 0.5 - gap / 2, size=2000)
    assert bound < 0.5
    assert (bad <= good).sum() <= 2000 * bound + 6.5 * np.sqrt(2000 * bound) + 1


def test_the_bound_without_a_size_needs_enough_examples():
    assert bad_concept(inf, 21, 10, 0.1) == 1
    assert bad_concept(inf, inf, 10**6, 0.1) == 1
    assert bad_concept(inf, 2 * 10**5 + 1, 10**5, 0.1) < 1e-29
    t = 0.08
    expected = 2 * 60001 * exp(-3 * 10**4 * t**2 / 8) + exp(-6 * 10**4 * 0.02**2)
    assert bad_concept(inf, 6 * 10**4 + 1, 3 * 10**4, 0.1) == pytest.approx(expected)


@over("many", [50, inf])
def test_what_is_enough_stays_enough(many):
    """From N on, at every n: an odd n has one point more than the even n before it, and no more examples in D."""
    for gap, failure in ((0.1, 0.01), (0.1, 0.02), (0.3, 0.01), (0.3, 0.1)):
        step = Step(lambda n: n + 1, many, lambda n: n + 1, 1.0, Budget(2))
        N = step.least(gap, failure)
        assert all(step.failure(n, gap) <= failure for n in range(N, N + 10))
        assert step.failure(N - 1, gap) > failure


def test_the_least_number_is_the_least():
    step = Step(lambda n: n + 1, 101, lambda n: n + 1, 1.0, Budget(2))
    n = step.least(0.2, 0.05)
    assert step.failure(n, 0.2) <= 0.05 < step.failure(n - 2, 0.2)
    assert n == 1208
