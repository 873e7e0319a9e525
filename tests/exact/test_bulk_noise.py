"""Noise in bulk: the law of the single draws, also where rounds and remainders are many, and independence."""

from collections import Counter
from fractions import Fraction
from math import exp

import pytest

from privpac.exact.bulk_noise import SMALLEST_RATE, discrete_laplaces
from privpac.exact.entropy import SYSTEM, Seeded
from tests.grid import over
from tests.statistics import interval

DRAWS = 20_000


def chance(x, z):
    ρ = exp(-x)
    return (1 - ρ) / (1 + ρ) * ρ ** abs(z)


@over("x", [Fraction(5), Fraction(1), Fraction(1, 2), Fraction(3, 10), Fraction(1, 7), Fraction(3, 100)])
def test_draws_follow_the_law(x):
    """Of size 1e-8; a rate that is a tenth larger is rejected, see below."""
    counts = Counter(discrete_laplaces(x, DRAWS, SYSTEM))
    for z in range(-8, 9):
        least, most = interval(chance(x, z), DRAWS, 1e-8 / 17)
        assert least <= counts[z] <= most, z


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(3, 100)])
def test_large_noise_is_as_likely_as_it_should_be(x):
    """|z| ≥ 1/x, 2/x, 4/x: beyond one round, two and four."""
    drawn = [abs(z) for z in discrete_laplaces(x, DRAWS, SYSTEM)]
    for rounds in (1, 2, 4):
        far = -(-rounds * x.denominator // x.numerator)
        least, most = interval(2 * exp(-x * far) / (1 + exp(-x)), DRAWS, 1e-8)
        assert least <= sum(z >= far for z in drawn) <= most
        wrong = interval(2 * exp(-1.3 * x * far) / (1 + exp(-1.3 * x)), DRAWS, 1e-8)
        assert wrong[1] < least or rounds < 2  # so a rate of 1.3·x would be seen


def test_neighbouring_draws_are_independent():
    drawn = discrete_laplaces(Fraction(1), 2 * DRAWS, SYSTEM)
    both = sum(a == b == 0 for a, b in zip(drawn[::2], drawn[1::2], strict=True))
    least, most = interval(chance(1, 0) ** 2, DRAWS, 1e-8)
    assert least <= both <= most


def test_tiny_and_huge_rates():
    assert discrete_laplaces(Fraction(10**6), 5, SYSTEM) == [0] * 5
    assert max(map(abs, discrete_laplaces(Fraction(1, 10**300), 5, SYSTEM))) > 10**290
    for rate in (SMALLEST_RATE, SMALLEST_RATE * 2):
        assert 2**26 < max(map(abs, discrete_laplaces(rate, 9, SYSTEM))) < 2**40
    assert discrete_laplaces(Fraction(1), 0, SYSTEM) == []


def test_a_seed_gives_the_same_draws():
    assert discrete_laplaces(Fraction(1, 3), 9, Seeded(1)) == discrete_laplaces(Fraction(1, 3), 9, Seeded(1))
