"""Caps, gains and certificates of public-stable selection, against their definitions."""

from fractions import Fraction
from math import ceil, exp, fsum, isclose, log

import pytest

from privpac.learners.certificates.capped_selection import CappedSelection, laplace
from privpac.privacy.budget import Budget
from tests.grid import over

TREES = [CappedSelection(Budget(Fraction(ε), 1e-6), levels=33, fallbacks=1, share=1) for ε in ("1/2", "1", "3")]
LINES = [CappedSelection(Budget(1, δ), levels=63, fallbacks=2, share=2) for δ in (1e-9, 1e-6, 0.4)]
ALL = TREES + LINES
each = pytest.mark.parametrize("capped", ALL, ids=range(len(ALL)))


def law(noise):
    """Discrete Laplace noise, in about 128 cells."""
    reach = ceil(-log(1e-9) / float(noise))
    width = ceil(reach / 64)
    return laplace(noise, range(-reach - 1, reach + width, width))


def gain(capped, c):
    """The largest min(K − T, c − e(K))."""
    return max(min(K - capped.T, c - (K - 1) // capped.share) for K in range(1, 2000))


@each
def test_the_support_that_weighs_one_is_the_mechanisms(capped):
    δ = float(capped.cost.delta)
    a = capped.fallbacks * δ / ((1 - δ) * capped.levels)
    assert isclose(exp(-(capped.T - 1) * capped.log_r), a, rel_tol=1e-9)


@each
@over("c", [-(10**3), -5, 0, 1, 2, 7.5, 40, 41, 200, 1500])
def test_the_gain_is_the_best_of_all_supports(capped, c):
    assert capped.gain(c) == gain(capped, c)


@each
def test_the_cap_is_the_least_that_does(capped):
    for β in (0.2, 0.025, 1e-4):
        C = capped.cap(β)
        preferred = [capped.fallbacks * exp(-capped.gain(c) * capped.log_r) for c in (C - 1, C)]
        assert preferred[1] <= β < preferred[0]
        assert capped.cap(β / 2) >= C


@each
def test_the_noisy_cap_is_the_least_that_does_on_average(capped):
    noise, β = capped.cost.epsilon / 5, 0.025

    def preferred(X):
        cells = zip(law(noise).low, law(noise).p, strict=True)
        odds = ((p, capped.fallbacks * exp(-max(capped.gain(X + z), 0) * capped.log_r)) for z, p in cells)
        return law(noise).outside + sum(p * min(1.0, weight) for p, weight in odds)

    X = capped.noisy_cap(β, law(noise))
    assert preferred(X) <= β < preferred(X - 1)
    assert capped.cap(β) <= X


@pytest.mark.parametrize("noise", [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 5), Fraction(3)])
def test_the_law_of_the_noise_is_that_of_the_mechanism(noise):
    low, high, p, outside = law(noise)
    assert isclose(p.sum() + outside, 1, rel_tol=1e-12) and len(p) <= 129
    assert (low[1:] == high[:-1] + 1).all()
    assert isclose(outside, 1 - exact(noise, low[0], high[-1]), rel_tol=1e-6, abs_tol=1e-15) and outside <= 3e-9
    for first, last, chance in zip(low, high, p, strict=True):
        assert isclose(chance, exact(noise, first, last), rel_tol=1e-6, abs_tol=1e-15)


def exact(noise, first, last):
    """P(first ≤ Z ≤ last), term by term."""
    ρ = exp(-float(noise))
    return (1 - ρ) / (1 + ρ) * fsum(ρ ** abs(z) for z in range(int(first), int(last) + 1))
