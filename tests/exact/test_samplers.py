"""Each sampler's law: enumerated coin by coin where that is possible, and tested with power where it is not."""

from collections import Counter
from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.exact import samplers
from privpac.exact.entropy import SYSTEM, Entropy, Seeded
from privpac.exact.samplers import (
    bernoulli,
    bernoulli_exp,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    truncated_laplace,
)
from tests.grid import over
from tests.statistics import assert_matches

F = Fraction
DRAWS = 25_000


class Branch(Exception):
    """The prescribed choices are used up; the next one has ``bound`` equally likely values."""

    def __init__(self, bound):
        self.bound = bound


class Choices(Entropy):
    """Plays prescribed values of ``below``."""

    private = False

    def __init__(self, path):
        self.rest = list(reversed(path))

    def below(self, bound):
        if bound == 1:
            return 0
        if not self.rest:
            raise Branch(bound)
        return self.rest.pop()

    def bits(self, count):
        return self.below(2**count)

    def octets(self, count):
        raise AssertionError("the samplers ask for integers")


def enumerated(sampler, least):
    """The law of a sampler, over every sequence of choices of probability ≥ least, and the probability left over."""
    law, left, pending = Counter(), F(0), [((), F(1))]
    while pending:
        path, p = pending.pop()
        if p < least:
            left += p
            continue
        try:
            law[sampler(Choices(path))] += p
        except Branch as branch:
            pending += [((*path, choice), p / branch.bound) for choice in range(branch.bound)]
    return law, left


def fits(law, left, pmf):
    """Whether every enumerated probability leaves room for the true one, and no more than the leftover."""
    return all(-1e-15 <= pmf(outcome) - float(p) <= float(left) + 1e-15 for outcome, p in law.items())


def geometric_law(x):
    return lambda g: (1 - exp(-x)) * exp(-x * g)


def laplace_law(x):
    return lambda z: (1 - exp(-x)) / (1 + exp(-x)) * exp(-x * abs(z))


@pytest.mark.parametrize("p", [F(0), F(1, 3), F(5, 7), F(1)])
def test_bernoulli_is_exact(p):
    law, left = enumerated(lambda coins: bernoulli(p, coins), least=0)
    assert left == 0 and law[True] == p


def coin_law(p):
    return {True: p, False: 1 - p}.get


@over("x", [F(0), F(1, 3), F(1, 2), F(1), F(3, 2), F(2), F(7, 3)])
def test_bernoulli_exp_is_exact(x):
    law, left = enumerated(lambda coins: bernoulli_exp(x, coins), least=F(1, 10**6))
    assert left < 1e-3
    assert fits(law, left, coin_law(exp(-x)))
    assert x == 0 or not fits(law, left, coin_law(exp(-1.01 * x)))


@pytest.mark.parametrize("x", [F(1), F(2), F(1, 2), F(3, 2)])
def test_geometric_is_exact(x):
    law, left = enumerated(lambda coins: geometric(x, coins), least=F(1, 10**5))
    assert left < 0.05
    assert fits(law, left, geometric_law(x))
    assert not fits(law, left, geometric_law(1.1 * x))
    assert not fits(law, left, lambda g: geometric_law(x)(g + 1))


@pytest.mark.parametrize("x", [F(1), F(2), F(1, 2)])
def test_discrete_laplace_is_exact(x):
    law, left = enumerated(lambda coins: discrete_laplace(x, coins), least=F(1, 10**5))
    assert left < 0.1
    assert fits(law, left, laplace_law(x))
    assert not fits(law, left, laplace_law(1.2 * x))


def gaussian_law(variance):
    whole = sum(exp(-(z**2) / (2 * variance)) for z in range(-200, 201))
    return lambda z: exp(-(z**2) / (2 * variance)) / whole


@over("variance", [F(1, 9), F(1), F(4), F(22, 7), F(10**6)])
def test_discrete_gaussian_keeps_laplace_numbers_as_the_law_says(variance):
    """|z|·(rate) + (exponent of the coin) is z²/(2σ²) and a constant, in exact fractions."""
    with pytest.MonkeyPatch.context() as patch:
        rates, exponents = {}, {}
        for z in range(-9, 10):
            patch.setattr(samplers, "discrete_laplace", lambda x, coins, z=z: rates.setdefault(z, x) and z)
            patch.setattr(samplers, "bernoulli_exp", lambda x, coins, z=z: exponents.setdefault(z, x) >= 0)
            assert discrete_gaussian(variance, SYSTEM) == z
    assert len({abs(z) * rates[z] + exponents[z] - z**2 / (2 * variance) for z in rates}) == 1


@pytest.mark.parametrize("variance", [F(1, 2), F(7, 3)])
def test_discrete_gaussian_at_odd_variances(variance):
    right, wrong, around = gaussian_law(variance), gaussian_law(0.6 * variance), range(-25, 26)
    assert_matches(
        lambda: discrete_gaussian(variance, SYSTEM), table(right, around), must_reject=table(wrong, around), draws=DRAWS
    )


@over("x", [F(1), F(3, 2)])
def test_truncated_laplace_is_exact(x):
    """Uniform numbers are kept or not, or noise is drawn until it is small."""
    law, left = enumerated(lambda coins: truncated_laplace(x, 1, coins), least=F(1, 10**5))
    assert left < 0.25 and set(law) == {-1, 0, 1}
    assert fits(law, left, lambda z: exp(-x * abs(z)) / (1 + 2 * exp(-x)))
    assert not fits(law, left, lambda z: exp(-2 * x * abs(z)) / (1 + 2 * exp(-2 * x)))


def test_truncated_laplace_ends_soon_at_any_rate():
    assert len({truncated_laplace(F(1, 10**300), 2000, SYSTEM) for _ in range(40)}) > 20


def table(law, outcomes):
    return {outcome: law(outcome) for outcome in outcomes}


@pytest.mark.parametrize("x", [F(1, 1000), F(7, 10), F(31, 10), F(123456789, 10**9)])
def test_bernoulli_exp_at_odd_rates(x):
    p, wrong = exp(-x), exp(-x) * 0.6
    assert_matches(lambda: bernoulli_exp(x, SYSTEM), {True: p}, must_reject={True: wrong}, draws=DRAWS)


@pytest.mark.parametrize("x", [F(1, 10), F(31415, 10**5), F(27, 10)])
def test_geometric_at_odd_rates(x):
    right, wrong = geometric_law(x), geometric_law(x * 1.3)
    assert_matches(
        lambda: geometric(x, SYSTEM), table(right, range(30)), must_reject=table(wrong, range(30)), draws=DRAWS
    )


@pytest.mark.parametrize("x", [F(1, 5), F(31415, 10**5), F(27, 10)])
def test_discrete_laplace_at_odd_rates(x):
    right, wrong = laplace_law(x), laplace_law(x * 1.3)  # a scale 30 % too small
    around = range(-25, 26)
    assert_matches(
        lambda: discrete_laplace(x, SYSTEM), table(right, around), must_reject=table(wrong, around), draws=DRAWS
    )


def test_zero_is_not_drawn_twice():
    right = table(laplace_law(F(1)), range(-8, 9))
    both_zeros = 1 / sum(exp(-abs(z)) + (z == 0) for z in range(-8, 9))
    mutant = {z: (exp(-abs(z)) + (z == 0)) * both_zeros for z in right}
    assert_matches(lambda: discrete_laplace(F(1), SYSTEM), right, must_reject=mutant)


def test_a_tiny_rate_spreads_far():
    x = F(1, 10**30)
    far = sum(abs(discrete_laplace(x, SYSTEM)) > 10**28 for _ in range(40))
    assert far >= 20  # each with probability e^(−1/100); fewer than 20 with probability below 10^−28


def test_a_huge_rate_is_zero():
    assert all(discrete_laplace(F(10**30), SYSTEM) == 0 for _ in range(20))
    assert all(geometric(F(10**30, 7), SYSTEM) == 0 for _ in range(20))
    assert not bernoulli_exp(F(10**30), SYSTEM)


@given(st.fractions(min_value=F(1, 10**6), max_value=10**6), st.integers())
def test_values_are_integers_of_either_sign(x, seed):
    z, g = discrete_laplace(x, Seeded(seed)), geometric(x, Seeded(seed))
    assert type(z) is int and type(g) is int and g >= 0
