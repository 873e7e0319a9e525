"""Each sampler's law: from all patterns of its coins where these are few, and tested with power where they are not."""

from fractions import Fraction
from itertools import product
from math import exp, prod

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.audit.controls.timing import loops_laplace
from privpac.exact import samplers
from privpac.exact.bulk_noise import FEW, Laplace, _draw, discrete_gaussians, discrete_laplaces
from privpac.exact.entropy import SYSTEM, Entropy, Seeded
from privpac.exact.samplers import (
    BITS,
    DigitCoins,
    PowerCoins,
    as_integers,
    gaussians,
    geometric,
    geometrics,
    laplaces,
    tosses,
    truncated_laplaces,
)
from tests.grid import over
from tests.statistics import assert_matches
from tests.work import work

F = Fraction
DRAWS = 25_000
RATES = (F(50), F(45), F(2), F(7, 3), F(1), F(31415, 10**5), F(1, 40), F(1, 10**6), F(1, 10**30))


def power(x, n):
    """e^(−x·n)."""
    return arb(fmpq(-x.numerator, x.denominator) * n).exp()


class Words(Entropy):
    """Plays words of 64 bits for the coins, and then bits for what they leave open."""

    private = False

    def __init__(self, words, later=()):
        self.words, self.later = list(words), list(later)

    def octets(self, count):
        taken, self.words = self.words[: count // 8], self.words[count // 8 :]
        assert 8 * len(taken) == count
        return np.array(taken, dtype="<u8").tobytes()

    def bits(self, count):
        assert count == 64
        return self.later.pop(0)


def showing(row, heads):
    """Words with which the coins of a row show this."""
    return [0 if shows else 2**64 - 1 for shows, _ in zip(heads, row.ends, strict=True)]


# Coins


@over("x", RATES)
@over("kind", [PowerCoins, DigitCoins])
def test_ends_are_the_integer_parts_of_the_chances(x, kind):
    """By definition, and the last power is less than 2^-64, and the one before is not."""
    row = kind(x)
    with ctx.workprec(2000):
        for i, end in enumerate(row.ends.tolist()):
            p = power(x, 2**i)
            chance = p / (1 + p) if kind is DigitCoins and i < row.digits else p
            assert end <= chance * 2**BITS < end + 1
    assert len(row.ends) == row.digits + 1 and row.ends[-1] == 0
    assert x * 2**row.digits >= 45 and (row.digits == 0 or x * 2 ** (row.digits - 1) < 45)


def test_an_unproved_end_asks_for_more_precision(monkeypatch):
    row = DigitCoins(F(1, 3))
    assert None in row._floors(40) and None not in row._floors(192)
    monkeypatch.setattr(samplers, "PRECISION", 10)
    assert DigitCoins(F(1, 3)).ends.tolist() == row.ends.tolist()


@over("x", [F(1), F(1, 40)])
def test_words_around_every_end(x):
    row = DigitCoins(x)
    ends = row.ends.tolist()
    below, above = [max(end - 1, 1) for end in ends], [end + 1 for end in ends]
    assert tosses(row, 2, Words(below + above)).tolist() == [[end > 1 for end in ends], [False] * len(ends)]


@over("x", [F(1), F(1, 40)])
@over("kind", [PowerCoins, DigitCoins])
def test_a_word_on_an_end_is_settled_by_the_bits_that_follow(x, kind):
    row = kind(x)
    for i, end in enumerate(row.ends.tolist()):
        words = [2**64 - 1] * len(row.ends)
        words[i] = end
        with ctx.workprec(400):
            turn = int((row.chances()[i] * arb(2) ** (BITS + 64)).floor().unique_fmpz()) - (end << 64)
        for later, shows in (([turn - 1], True), ([turn + 1], False), ([turn, 0], True), ([turn, 2**64 - 1], False)):
            if 0 <= later[0] < 2**64:
                shown = tosses(row, 1, Words(words, later))
                assert shown[0, i] == shows and shown.sum() == shows


# Numbers


def chance_of(row, heads):
    """The probability that the coins of a row show this."""
    return prod((p if shows else 1 - p for p, shows in zip(row.chances(), heads, strict=True)), start=arb(1))


@over("x", [F(50), F(9), F(4), F(7, 3)])
def test_digits_are_those_of_a_geometric_number(x):
    """All patterns of the coins; those that show heads at last continue beyond 2^K."""
    row = DigitCoins(x)
    with ctx.workprec(256):
        for heads in product((False, True), repeat=row.digits):
            g = samplers._geometrics(row, 1, Words(showing(row, (*heads, False))))[0]
            assert g == sum(2**i for i, shows in enumerate(heads) if shows)
            law, beyond = (1 - power(x, 1)) * power(x, int(g)), power(x, 2**row.digits)
            assert abs(chance_of(row, (*heads, False)) / (law / (1 - beyond) * (1 - beyond)) - 1) < 1e-60


def test_a_number_beyond_all_digits_is_geometric_again():
    row = DigitCoins(F(4))
    larger = [2**64 - 1] * row.digits + [0]
    three, none = showing(row, [True, True, *[False] * (row.digits - 1)]), showing(row, [False] * (row.digits + 1))
    assert geometric(F(4), Words([*larger, *three], [0])) == 2**row.digits + 3
    assert geometric(F(4), Words([*larger, *larger, *none], [0, 0])) == 2 * 2**row.digits
    assert laplaces(F(4), 1, Words([*none, *larger, *three], [0])).tolist() == [-(2**row.digits) - 3]


@over("x", [F(1), F(1, 10**6), F(1, 10**30)])
def test_laplace_numbers_are_differences_of_geometric_numbers(x):
    row = samplers._digit_coins(x)
    five = showing(row, [True, False, True, *[False] * (row.digits - 2)])
    most = showing(row, [True] * row.digits + [False])
    found = laplaces(x, 2, Words(five + most + most + five)).tolist()
    assert found == [5 - (2**row.digits - 1), 2**row.digits - 6]


@over("x", [F(1, 2), F(2), F(5)])
def test_the_difference_of_two_geometric_numbers_is_laplace_noise(x):
    with ctx.workprec(128):
        ρ = power(x, 1)
        for z in range(-6, 7):
            both = sum(((1 - ρ) ** 2 * ρ**g * ρ ** (g + abs(z)) for g in range(200)), arb(0))
            assert abs(both / ((1 - ρ) / (1 + ρ) * ρ ** abs(z)) - 1) < 1e-30


@over("x", [F(50), F(9), F(4)])
@over("n", [0, 1, 2, 3, 5, 6, 7, 12])
def test_a_number_is_accepted_with_the_power_of_its_digits(x, n):
    """All patterns of the coins; a number beyond all digits needs the last one as well, and so on."""
    row, total = PowerCoins(x), arb(0)
    with ctx.workprec(256):
        for heads in product((False, True), repeat=row.digits):
            if samplers._accepted(row, np.array([n]), Words(showing(row, (*heads, False))))[0]:
                total += prod((p if h else 1 - p for p, h in zip(row.chances(), heads, strict=False)), start=arb(1))
        low, beyond = n % 2**row.digits, n >> row.digits
        assert abs(total / power(x, low) - 1) < 1e-60 if not beyond else total == 0
        if beyond:  # the last coin shows heads once in 2^64 times
            words = [0] * row.digits + [0]
            assert samplers._accepted(row, np.array([n]), Words(words, [0] * 30))[0]
            assert beyond == 1 or not samplers._accepted(row, np.array([n]), Words(words, [0, 2**64 - 1]))[0]


@over("variance", [F(1, 10**4), F(1, 9), F(1), F(4), F(22, 7), F(10**6), F(10**40)])
def test_gaussian_numbers_are_accepted_as_the_law_says(variance):
    """|z|·(rate of the proposals) + (exponent of the coin) is z²/(2σ²) and a constant; the coin's is never negative."""
    seen, sums = [], set()

    def accepted(row, n, coins):
        seen.append([(row.x, int(each)) for each in n])
        return np.ones(len(n), dtype=bool)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samplers, "_differences", lambda row, tries, coins: rates.append(row.x) or proposed)
        patch.setattr(samplers, "_accepted", accepted)
        spread = max(int(variance ** F(1, 2)), 1)
        rates, proposed = [], np.array([-3 * spread, -spread, -1, 0, 1, 2, spread, 7 * spread], dtype=object)
        assert gaussians(variance, len(proposed), SYSTEM).tolist() == proposed.tolist()
    for z, (x, n) in zip(proposed.tolist(), seen[0], strict=True):
        assert n >= 0
        sums.add(abs(z) * rates[0] + x * n - F(z**2) / (2 * variance))
    assert len(sums) == 1


def test_only_accepted_numbers_are_kept_in_their_order(monkeypatch):
    monkeypatch.setattr(samplers, "_differences", lambda row, tries, coins: np.arange(tries))
    monkeypatch.setattr(samplers, "_accepted", lambda row, n, coins: np.arange(len(n)) % 3 == 2)
    assert gaussians(F(1), 4, SYSTEM).tolist() == [2, 5, 8, 11]
    monkeypatch.setattr(samplers, "SPARE", 1)
    assert gaussians(F(1), 4, SYSTEM).tolist() == [2, 5, 8, 2]


# Laws, by statistics


def geometric_law(x):
    return lambda g: (1 - exp(-x)) * exp(-x * g)


def laplace_law(x):
    return lambda z: (1 - exp(-x)) / (1 + exp(-x)) * exp(-x * abs(z))


def gaussian_law(variance):
    whole = sum(exp(-(z**2) / (2 * variance)) for z in range(-200, 201))
    return lambda z: exp(-(z**2) / (2 * variance)) / whole


def truncated_law(x, most):
    whole = sum(exp(-x * abs(z)) for z in range(-most, most + 1))
    return lambda z: exp(-x * abs(z)) / whole if abs(z) <= most else 0.0


def table(law, outcomes):
    return {outcome: law(outcome) for outcome in outcomes}


def one_by_one(drawn):
    """A sampler of the numbers that were drawn at once."""
    rest = iter(drawn.tolist())
    return lambda: next(rest)


@pytest.mark.parametrize("x", [F(1, 10), F(31415, 10**5), F(27, 10)])
def test_geometric_at_odd_rates(x):
    right, wrong = geometric_law(x), geometric_law(x * 1.3)
    drawn = geometrics(x, DRAWS, SYSTEM)
    outcomes = range(30)
    assert_matches(one_by_one(drawn), table(right, outcomes), must_reject=table(wrong, outcomes), draws=DRAWS)


@pytest.mark.parametrize("x", [F(1, 5), F(31415, 10**5), F(27, 10)])
def test_laplaces_at_odd_rates(x):
    right, wrong = laplace_law(x), laplace_law(x * 1.3)  # a scale 30 % too small
    around, drawn = range(-25, 26), laplaces(x, DRAWS, SYSTEM)
    assert_matches(one_by_one(drawn), table(right, around), must_reject=table(wrong, around), draws=DRAWS)


@pytest.mark.parametrize("variance", [F(1, 2), F(7, 3)])
def test_gaussians_at_odd_variances(variance):
    right, wrong, around = gaussian_law(variance), gaussian_law(0.6 * variance), range(-25, 26)
    drawn = gaussians(variance, DRAWS, SYSTEM)
    assert_matches(one_by_one(drawn), table(right, around), must_reject=table(wrong, around), draws=DRAWS)


@over(("x", "most"), [(F(1, 3), 3), (F(1, 4), 5), (F(3, 2), 1)])
def test_truncated_laplaces_by_either_proposal(x, most):
    right, wrong, around = truncated_law(x, most), truncated_law(2 * x, most), range(-most - 1, most + 2)
    drawn = truncated_laplaces(x, most, DRAWS, SYSTEM)
    assert_matches(one_by_one(drawn), table(right, around), must_reject=table(wrong, around), draws=DRAWS)


def test_truncated_noise_ends_soon_at_any_rate():
    for most in (2000, 10**290):
        assert len(set(truncated_laplaces(F(1, 10**300), most, 40, SYSTEM).tolist())) > 20


def test_tiny_rates_spread_far_and_huge_ones_are_zero():
    far = sum(abs(z) > 10**28 for z in laplaces(F(1, 10**30), 40, SYSTEM).tolist())
    assert far >= 20  # each with probability e^(−1/100); fewer than 20 with probability below 10^−28
    assert not laplaces(F(10**30), 20, SYSTEM).any() and geometric(F(10**30, 7), SYSTEM) == 0
    wide = gaussians(F(10**60), 40, SYSTEM).tolist()
    assert sum(10**29 < abs(z) < 10**31 for z in wide) >= 20


@settings(deadline=None)
@given(st.fractions(min_value=F(1, 10**6), max_value=10**6), st.integers())
def test_a_seed_gives_the_same_integers(x, seed):
    g = geometric(x, Seeded(seed))
    assert type(g) is int and g >= 0 and g == geometric(x, Seeded(seed))


def test_integers_of_any_size():
    assert as_integers([2**63 - 1, -(2**63)]).dtype == np.int64 and as_integers([]).tolist() == []
    assert as_integers([2**63]).dtype == as_integers([-(2**63) - 1]).dtype == object


# Time


SINGLE = {
    "Laplace": lambda coins: int(discrete_laplaces(F(1), 1, coins)[0]),
    "wide Laplace": lambda coins: int(discrete_laplaces(F(1, 10**6), 1, coins)[0]),
    "very wide Laplace": lambda coins: int(discrete_laplaces(F(1, 10**30), 1, coins)[0]),
    "geometric": lambda coins: geometric(F(1, 3), coins),
    "Gaussian": lambda coins: int(discrete_gaussians(F(20), 1, coins)[0]),
    "wide Gaussian": lambda coins: int(discrete_gaussians(F(10**12), 1, coins)[0]),
    "from a table": lambda coins: int(np.abs(_draw(Laplace(F(1, 300), None), 3, coins)).sum()),
    "from a table, many": lambda coins: int(np.abs(discrete_laplaces(F(1, 300), FEW, coins)).sum()),
}


@over("name", list(SINGLE))
def test_all_draws_read_the_same_bytes_and_call_the_same_functions(name):
    """A Gaussian draw repeats its proposals with probability below 10^-3, whatever it is: all but a few are alike."""
    work(SINGLE[name])  # what is kept for the next draws is made now
    found = [work(SINGLE[name]) for _ in range(200)]
    shapes = [shape for _, *shape in found]
    usual = max(shapes, key=shapes.count)
    assert len({drawn for drawn, *_ in found}) > 3
    assert shapes.count(usual) >= 200 - 5 * ("Gaussian" in name)


def test_the_work_of_looping_samplers_tells_what_they_draw():
    found = [work(lambda coins: loops_laplace(F(1), coins)) for _ in range(200)]
    assert len({(asked, events) for _, asked, events in found}) > 20
