"""Many exact coins: right on either side of every boundary, with floats and with balls, and independent."""

from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.exact import biased_coins as module
from privpac.exact.biased_coins import bernoulli, head_count, power_of_e
from privpac.exact.biased_coins import heads as shown_by
from privpac.exact.entropy import SYSTEM, Entropy
from tests.grid import over
from tests.statistics import assert_matches

F = Fraction


def heads(gaps, rate, coins):
    """The candidates whose coins show heads."""
    return np.flatnonzero(shown_by(gaps, rate, coins))


class Played(Entropy):
    """The bits of one number, and ones after them: first 32, then 64 at a time."""

    private = False

    def __init__(self, number, width):
        self.left, self.width, self.read = number, width, 0

    def octets(self, count):
        return self.bits(8 * count).to_bytes(count, "little")

    def bits(self, count):
        if self.width < count:
            self.left, self.width = ((self.left + 1) << count) - 1, self.width + count
        self.width -= count
        self.read += count
        taken, self.left = divmod(self.left, 1 << self.width)
        return taken


def boundary(x, width):
    """⌊2^width·e^(−x)⌋."""
    with ctx.workprec(width + 128):
        return int((arb(fmpq(-x.numerator, x.denominator)).exp() * arb(2) ** width).floor().fmpq().p)


@pytest.mark.parametrize("p", [F(0), F(1, 3), F(5, 7), F(1)])
def test_bernoulli_is_exact(p):
    class Each(Entropy):
        private = False
        octets = None

        def __init__(self, number):
            self.number = number

        def below(self, bound):
            return self.number if bound == p.denominator else None

    assert sum(bernoulli(p, Each(number)) for number in range(p.denominator)) == p.numerator


GAPS = [(1, F(1, 2)), (3, F(1, 7)), (1, F(1, 10**12)), (40, F(1, 2)), (2**62, F(1, 2**61)), (1, F(1, 10**30))]


@over(("gap", "rate"), GAPS)
@over("width", [96, 160, 352])
def test_a_coin_is_right_on_either_side_of_its_boundary(gap, rate, width):
    edge = boundary(rate * gap, width)
    for number, shown in ((edge - 1, True), (edge + 1, False)):
        if 0 <= number < 2**width:
            coins = Played(number, width)
            assert (heads(np.array([gap]), rate, coins).size == 1) is shown
            assert coins.read in {width - 64, width}  # the last bits decide, or the ones before


@pytest.mark.audit
@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**63 - 2), st.fractions(0, 10**6), st.integers(0, 2**32 - 1))
def test_what_floats_decide_is_right(gap, rate, number):
    coins = Played(number, 32)
    shown = heads(np.array([gap]), rate, coins).size == 1
    edge = boundary(rate * gap, 32)  # U < e^(−x) is sure below it and impossible above it
    assert coins.read > 32 or (number < edge if shown else number > edge)


def test_the_band_is_needed(monkeypatch):
    edge = boundary(F(1, 2), 352)
    coins = (Played(edge - 1, 352), Played(edge + 1, 352))
    monkeypatch.setattr(module, "BAND", -1.0)
    assert [heads(np.array([1]), F(1, 2), each).size for each in coins] != [1, 0]


@over("rate", [F(0), F(1, 10**300), F(1, 2), F(10**6), F(2**600)])
def test_the_best_always_show_heads_and_the_hopeless_never(rate):
    class Last(Entropy):
        private = False

        def octets(self, count):
            return b"\xff" * count

    assert heads(np.array([0, 0]), rate, Last()).tolist() == [0, 1]
    if rate >= F(1, 2):
        assert heads(np.array([0, 10**6, 2**63 - 2]), rate, SYSTEM).tolist() == [0]


def test_blocks_join():
    gaps = np.full(3 * module.BLOCK + 5, 10**9)
    there = [0, module.BLOCK - 1, module.BLOCK, 2 * module.BLOCK + 7, gaps.size - 1]
    gaps[there] = 0
    assert heads(gaps, F(1), SYSTEM).tolist() == there


@pytest.mark.slow
def test_coins_are_independent_and_follow_their_law():
    ρ = np.exp(-0.5)
    one, two = ρ, ρ**2
    law = {(): (1 - one) * (1 - two), (0,): one * (1 - two), (1,): (1 - one) * two, (0, 1): one * two}
    tied = {(): 1 - one, (0,): one - two, (1,): 0.0, (0, 1): two}  # one number for both coins
    assert_matches(lambda: tuple(heads(np.array([1, 2]), F(1, 2), SYSTEM).tolist()), law, must_reject=tied)


def test_many_equal_coins_show_as_many_heads_as_they_should():
    """Size: a count is 7 σ off with probability below 1e-11. Power: one with a rate 2 % off is 12 σ off."""
    n, p = 10**6, np.exp(-0.5)
    σ = np.sqrt(n * p * (1 - p))
    assert abs(heads(np.ones(n, dtype=np.int64), F(1, 2), SYSTEM).size - n * p) < 7 * σ
    assert n * (p - np.exp(-0.51)) > 12 * σ


def binomial(m, p, most):
    """The chances of 0, 1, …, ``most`` heads of m coins."""
    return {k: comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(most + 1)}


@pytest.mark.slow
@over(("m", "rate"), [(1, F(1, 3)), (3, F(1)), (40, F(3))])
def test_the_number_of_heads_follows_its_law(m, rate):
    right, wrong = (binomial(m, float(np.exp(-float(x))), min(m, 8)) for x in (rate, 2 * rate))
    assert_matches(lambda: head_count(m, partial(power_of_e, -rate), SYSTEM), right, must_reject=wrong, draws=2000)


@over(("m", "rate"), [(2, F(1, 2)), (12, F(2)), (2**64, F(45)), (2**300, F(208))])
@over("width", [128, 192, 384])
def test_the_number_of_heads_is_right_on_either_side_of_every_boundary(m, rate, width):
    with ctx.workprec(width + 400):
        p, at_most = power_of_e(-rate), arb(0)
        for k in range(min(m, 4)):
            at_most += arb(m - k + 1).rising(k) / arb(k).fac() * p**k * ((-p).log1p() * (m - k)).exp()
            edge = int((at_most * arb(2) ** width).floor().fmpq().p)
            for number, heads in ((edge - 1, k), (edge + 1, k + 1)):
                coins = Played(number, width)
                assert head_count(m, partial(power_of_e, -rate), coins) == heads
                assert coins.read in {width - 64, width}  # the last bits decide, or the ones before


def test_no_coins_show_no_heads():
    assert head_count(0, partial(power_of_e, F(-1)), SYSTEM) == 0
