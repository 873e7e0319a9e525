"""The δ of discrete Gaussian noise on counts: above the exact sum, and near it; the least variance; broken formulas."""

from fractions import Fraction
from itertools import islice, pairwise
from math import erfc, exp, sqrt

import pytest
from flint import arb, arb_poly, ctx

from privpac.exact.bulk_noise import Gaussian
from privpac.privacy.budget import Budget
from privpac.privacy.concentrated import Concentrated
from privpac.privacy.gaussian_counts import counts_delta, counts_variance
from tests.grid import over


def exact_delta(ε, d, σ2):
    """Σ Pr[S = s]·(1 − e^(ε − (d + 2s)/(2σ²))) over s > ε·σ² − d/2, with the law of S by convolution."""
    with ctx.workprec(192):
        far = int(16 * float(σ2) ** 0.5) + 8
        G = list(islice(Gaussian(σ2).within(), far + 1))
        one = [G[0], *((b - a) / 2 for a, b in pairwise(G))]
        law = (arb_poly([*one[:0:-1], *one]) ** d).coeffs()
        total = arb(0)
        for s, p in enumerate(law, start=-d * far):
            if s > ε * σ2 - Fraction(d, 2):
                x = ε - Fraction(d + 2 * s, 1) / (2 * σ2)
                total += p * (1 - (arb(x.numerator) / x.denominator).exp())
        return float(total)


GRID = [
    *[("1", 14, 250), ("1", 2, 36), ("1", 1, 18), ("0.25", 3, 100), ("3", 14, 33), ("6", 4, 3)],
    *[("0.5", 2, 1), ("0", 6, 400), ("0.01", 14, 4), ("8", 2, "0.3"), ("20", 1, "0.11")],
]


@over(("ε", "d", "σ2"), GRID)
def test_the_bound_holds_and_is_near(ε, d, σ2):
    ε, σ2 = Fraction(ε), Fraction(σ2)
    bound, exact = float(counts_delta(ε, d, σ2)), exact_delta(ε, d, σ2)
    assert exact <= bound
    if σ2 >= 16 * d and ε:
        assert bound < (1.05 + 0.5 * ε / d) * exact


def continuous_delta(ε, d, σ2):
    k, s = ε * σ2 - d / 2, sqrt(2 * d * σ2)
    return erfc(k / s) / 2 - exp(ε) * erfc((k + d) / s) / 2


def test_the_formula_for_real_numbers_does_not_bound_whole_ones():
    """By factors of 1.4 and 2.3."""
    assert exact_delta(Fraction(3), 1, Fraction("2.4")) > 1.4 * continuous_delta(3, 1, 2.4)
    assert exact_delta(Fraction(6), 1, Fraction("0.4")) > 2.2 * continuous_delta(6, 1, 0.4)


@over(("ε", "δ", "d"), [("1", "1e-6", 14), ("0.1", "1e-6", 2), ("3", "1e-9", 40), ("6", "0.9", 2), ("1", "0.3", 6)])
def test_the_variance_is_enough_and_hardly_more(ε, δ, d):
    cost = Budget(ε, δ)
    found, zcdp = counts_variance(cost, d), Fraction(d) / (2 * Concentrated.within(cost).rho)
    assert found <= zcdp
    assert exact_delta(cost.epsilon, d, found) <= cost.delta
    if found < zcdp:
        assert counts_delta(cost.epsilon, d, found) <= cost.delta < counts_delta(cost.epsilon, d, found * 4000 / 4096)


def test_more_counts_cost_more():
    assert counts_delta(Fraction(1), 13, Fraction(250)) < counts_delta(Fraction(1), 14, Fraction(250))


@pytest.mark.parametrize("d", [2, 2**32])
def test_any_width(d):
    """A closed form: it takes no longer for wide noise or many counts."""
    assert counts_variance(Budget("1e-6", "1e-12"), d) > 10**12
