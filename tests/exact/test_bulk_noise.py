"""Noise in bulk: tables that are the laws, numbers that tables do not decide, independence, and the scalar draws."""

from bisect import bisect_left
from collections import Counter
from fractions import Fraction
from itertools import islice
from math import exp
from typing import NamedTuple

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from privpac.exact import bulk_noise
from privpac.exact.bulk_noise import (
    BITS,
    FEW,
    LARGEST_VARIANCE,
    SMALLEST_RATE,
    Gaussian,
    Laplace,
    discrete_gaussians,
    discrete_laplaces,
    truncated_laplaces,
)
from privpac.exact.entropy import SYSTEM, Entropy, Seeded
from tests.grid import over
from tests.statistics import interval

F = Fraction
DRAWS = 20_000
LAWS = (
    *(Laplace(x, None) for x in (F(50), F(5), F(1), F(3, 10), F(1, 40))),
    *(Laplace(x, most) for x, most in ((F(1, 2), 27), (F(1), 1), (F(1, 100), 3), (F(2), 0), (F(7), 90))),
    *(Gaussian(v) for v in (F(1, 9), F(1), F(22, 7), F(400), F(1, 10**4))),
)


def weight(law, z):
    """What Pr[z] is proportional to, as defined."""
    if isinstance(law, Gaussian):
        return (-(arb(z) ** 2) / (2 * arb(fmpq(law.variance.numerator, law.variance.denominator)))).exp()
    return (-arb(fmpq(law.x.numerator, law.x.denominator)) * abs(z)).exp() if abs(z) <= (law.most or 10**9) else arb(0)


def reached(law):
    return law.most if getattr(law, "most", None) is not None else 4500


@pytest.mark.slow
@over("law", LAWS)
def test_tables_are_the_laws(law):
    """Each e_m is the integer part of 2^63·Pr[|Z| ≤ m], from sums of the definition; 4500 terms leave below 2^-150."""
    with ctx.workprec(256):
        terms = [weight(law, z) * (1 if z == 0 else 2) for z in range(reached(law) + 1)]
        whole, so_far = sum(terms, arb(0)), arb(0)
        ends = bulk_noise._table(law).ends.tolist()
        for end, term in zip(ends, terms, strict=False):
            so_far += term
            expected = so_far / whole * 2**BITS
            assert end - arb(2) ** -60 <= expected <= end + 1 + arb(2) ** -60
    assert ends[-1] >= 2**BITS - 1 and len(ends) <= len(terms)


class Words(Entropy):
    """Plays words of 64 bits for the draws, and then bits for what they leave open."""

    private = False

    def __init__(self, words, later=()):
        self.words, self.later = words, list(later)

    def octets(self, count):
        assert count == 8 * len(self.words)
        return np.array(self.words, dtype="<u8").tobytes()

    def bits(self, count):
        assert count == 64
        return self.later.pop(0)


@over("law", LAWS)
def test_numbers_around_every_end(law):
    """N below e_m is at most m, N above it is more, whatever the leading bits decide; the last bit is the sign."""
    ends = bulk_noise._table(law).ends.tolist()
    around = {end + d for end in ends[:-1] for d in (-1, 1)} - {*ends, -1}
    sure = [(N, bisect_left(ends, N)) for N in around]
    found = bulk_noise._draw(law, 2 * len(sure), Words([2 * N + sign for N, _ in sure for sign in (0, 1)]))
    assert found.tolist() == [s * m for _, m in sure for s in (1, -1)]


@over("law", LAWS)
def test_a_number_on_an_end_is_settled_by_the_bits_that_follow(law):
    ends = bulk_noise._table(law).ends.tolist()
    for m in range(min(len(ends) - 1, 12)):
        with ctx.workprec(400):
            G = next(islice(law.within(), m, None))
            turn = int((G * arb(2) ** (BITS + 64)).floor().unique_fmpz()) - (ends[m] << 64)  # 2^64 of the part in e_m
        for later, size in (([turn - 1], m), ([turn + 1], m + 1), ([turn, 0], m), ([turn, 2**64 - 1], m + 1)):
            if 0 <= later[0] < 2**64 and (m + 1 < len(ends) or size == m):
                assert abs(bulk_noise._draw(law, 1, Words([2 * ends[m]], later)).item()) == size


def test_a_number_on_an_end_is_settled_once():
    """A place that is among the spare ones as well must not read a second U."""
    law, ones = Laplace(F(1), None), 2**64 - 1
    words = [2 * int(bulk_noise._table(law).ends[0]), *[0] * 599]
    assert bulk_noise._draw(law, 600, Words(words, [0, ones]))[0] == 0
    assert bulk_noise._draw(law, 600, Words(words, [ones, 0]))[0] == 1


def test_the_last_end_walks_on():
    """All known bits are ones: the draw lies where the table ends, or beyond."""
    law, ones = Laplace(F(1), None), 2**64 - 1
    sizes = [bulk_noise._draw(law, 1, Words([ones - 1], [ones] * k + [0])).item() for k in range(3)]
    assert sizes == sorted(sizes) and len(set(sizes)) == 3 and sizes[0] >= 43 and sizes[2] > 120


def test_an_unproved_end_asks_for_more_precision(monkeypatch):
    law = Gaussian(F(3))
    right = bulk_noise._ends(law, 192)
    assert bulk_noise._ends(law, 40) is None
    monkeypatch.setattr(bulk_noise, "PRECISION", 10)
    bulk_noise._table.cache_clear()
    assert bulk_noise._table(law).ends.tolist() == right


class Lowered(NamedTuple):
    """A ball whose ends are taken while another thread lowers the precision, which all share."""

    ball: arb

    def __mul__(self, scale):
        return Lowered(self.ball * scale)

    def lower(self):
        end = self.ball.lower()
        ctx.prec = 53
        return end

    def upper(self):
        return self.ball.upper()


class Shared(Gaussian):
    def within(self):
        return map(Lowered, super().within())


def test_a_precision_that_another_thread_lowers_proves_nothing():
    assert bulk_noise._ends(Shared(F(3)), 192) is None


def chance(x, z):
    ρ = exp(-x)
    return (1 - ρ) / (1 + ρ) * ρ ** abs(z)


@over("x", [F(5), F(1), F(1, 2), F(3, 10), F(1, 7), F(3, 100)])
def test_draws_follow_the_law(x):
    """Of size 1e-8; a rate that is a tenth larger is rejected, see below."""
    counts = Counter(discrete_laplaces(x, DRAWS, SYSTEM).tolist())
    for z in range(-8, 9):
        least, most = interval(chance(x, z), DRAWS, 1e-8 / 17)
        assert least <= counts[z] <= most, z


@over("variance", [F(1, 3), F(4), F(225)])
def test_gaussian_draws_follow_the_law(variance):
    terms = {z: exp(-(z**2) / (2 * variance)) for z in range(-300, 301)}
    counts = Counter(discrete_gaussians(variance, DRAWS, SYSTEM).tolist())
    for z in range(-8, 9):
        least, most = interval(terms[z] / sum(terms.values()), DRAWS, 1e-8 / 17)
        assert least <= counts[z] <= most, z


@pytest.mark.parametrize("x", [F(1, 2), F(3, 100)])
def test_large_noise_is_as_likely_as_it_should_be(x):
    """|z| ≥ 1/x, 2/x, 4/x; a rate of 1.3·x would be seen."""
    drawn = np.abs(discrete_laplaces(x, DRAWS, SYSTEM))
    for rounds in (1, 2, 4):
        far = -(-rounds * x.denominator // x.numerator)
        least, most = interval(2 * exp(-x * far) / (1 + exp(-x)), DRAWS, 1e-8)
        assert least <= (drawn >= far).sum() <= most
        wrong = interval(2 * exp(-1.3 * x * far) / (1 + exp(-1.3 * x)), DRAWS, 1e-8)
        assert wrong[1] < least or rounds < 2


def test_neighboring_draws_are_independent():
    drawn = discrete_laplaces(F(1), 2 * DRAWS, SYSTEM)
    both = int(((drawn[::2] == 0) & (drawn[1::2] == 0)).sum())
    least, most = interval(chance(1, 0) ** 2, DRAWS, 1e-8)
    assert least <= both <= most


@pytest.mark.slow
def test_tiny_and_huge_rates():
    assert not discrete_laplaces(F(10**6), FEW, SYSTEM).any()
    assert max(map(abs, discrete_laplaces(F(1, 10**300), 5, SYSTEM).tolist())) > 10**290
    for rate in (SMALLEST_RATE * F(99, 100), SMALLEST_RATE):
        assert 2**10 < np.abs(discrete_laplaces(rate, FEW, SYSTEM)).max() < 2**16
    for variance in (LARGEST_VARIANCE, LARGEST_VARIANCE + 1):
        assert 2**11 < np.abs(discrete_gaussians(variance, FEW, SYSTEM)).max() < 2**15
    for tiny in (F(1, 10**20), F(1, 10**300), F(1, 10**4000)):
        assert not discrete_gaussians(tiny, FEW, SYSTEM).any()
    assert discrete_laplaces(F(1), 0, SYSTEM).tolist() == truncated_laplaces(F(1), 3, 0, SYSTEM).tolist() == []


def test_truncated_noise_stays_within_its_bounds():
    for x, most in ((F(1, 10), 5), (F(1, 5000), 5000), (F(3), 0)):
        drawn = truncated_laplaces(x, most, 600, SYSTEM)
        assert np.abs(drawn).max() <= most and drawn.dtype == np.int64


def test_a_seed_gives_the_same_draws():
    for few in (9, FEW):
        assert (discrete_laplaces(F(1, 3), few, Seeded(1)) == discrete_laplaces(F(1, 3), few, Seeded(1))).all()


@over("law", [Laplace(F(1, 2), None), Laplace(F(1, 300), None), Gaussian(F(400))])
def test_the_same_number_of_draws_is_searched_for_whatever_they_are(law):
    """All that the leading bits leave open, and others: 2·share·count + 64 in all."""
    table, sizes = bulk_noise._table(law), set()
    with pytest.MonkeyPatch.context() as patch:
        found = np.searchsorted
        patch.setattr(bulk_noise.np, "searchsorted", lambda a, v, side: sizes.add(len(v)) or found(a, v, side=side))
        for _ in range(60):
            bulk_noise._draw(law, FEW, SYSTEM)
    assert sizes == {min(int(2 * table.open_share * FEW) + bulk_noise.SPARE, FEW)}
    assert 0 < table.open_share == (table.decided < 0).mean() < 0.05
