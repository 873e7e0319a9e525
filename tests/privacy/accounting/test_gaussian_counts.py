"""The δ of discrete Gaussian noise on counts: above the exact sum, and near it; the least variance; broken formulas."""

from fractions import Fraction
from itertools import islice, pairwise
from math import erfc, exp, sqrt

import pytest
from flint import arb, arb_poly, ctx

from privpac.exact.bulk_noise import Gaussian
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import counts_delta, counts_variance, kinds_delta, worth
from privpac.privacy.budget import Budget
from tests.grid import over


def law_of_noise(σ2, far, step=1):
    """x^far times the generating polynomial of Z·step, for |Z·step| ≤ far."""
    G = list(islice(Gaussian(σ2).within(), far // step + 1))
    one = [G[0], *((b - a) / 2 for a, b in pairwise(G))]
    law = [arb(0)] * (2 * far + 1)
    for z in range(1 - len(one), len(one)):
        law[far + z * step] = one[abs(z)]
    return arb_poly(law)


def exact_delta(ε, d, σ2, κ=Fraction(0)):
    """Σ Pr[T = t]·(1 − e^(ε − (D + 2t)/(2aσ²))) over t > ε·aσ² − D/2, with the law of T = a·S + b·Y by convolution.

    S is the sum of d noises, Y is noise of the variance σ²/κ, and κ = b/a and D = a·d + b.
    """
    with ctx.workprec(192):
        a, b = κ.denominator, κ.numerator
        far = int(16 * float(a * a * σ2 + b * a * σ2) ** 0.5) + 8
        law = law_of_noise(σ2, far, a) ** d * (law_of_noise(σ2 / κ, far, b) if κ else arb_poly([0] * far + [1]))
        total, D, edge = arb(0), a * d + b, (d + 1) * far
        for t, p in enumerate(law.coeffs(), start=-edge):
            if t > ε * a * σ2 - Fraction(D, 2):
                x = ε - Fraction(D + 2 * t, 1) / (2 * a * σ2)
                total += p * (1 - (arb(x.numerator) / x.denominator).exp())
        return float(total)


GRID = [
    *[("1", 14, 250), ("1", 2, 36), ("1", 1, 18), ("0.25", 3, 100), ("3", 14, 33), ("6", 4, 3)],
    *[("0.5", 2, 1), ("0", 6, 400), ("0.01", 14, 4), ("8", 2, "0.3"), ("20", 1, "0.11"), ("246.25", 40, "0.08")],
]


@pytest.mark.slow
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


@pytest.mark.audit
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


BESIDE = [
    *[("1", 14, 250, "3/2"), ("1", 2, 40, "2/9"), ("1", 1, 40, "2/9"), ("1", 6, 120, "1"), ("3", 14, 40, "2")],
    *[("0.5", 3, 60, "7/2"), ("6", 2, 2, "1"), ("6", 2, 1, "3"), ("8", 2, "0.4", "1/2"), ("0", 3, 50, "5/2")],
]


@pytest.mark.audit
@over(("ε", "d", "σ2", "κ"), BESIDE)
def test_one_more_number_counts_as_κ_counts(ε, d, σ2, κ):
    ε, σ2, κ = Fraction(ε), Fraction(σ2), Fraction(κ)
    bound, exact = float(counts_delta(ε, d, σ2, κ)), exact_delta(ε, d, σ2, κ)
    assert exact <= bound
    if σ2 >= 16 * d and ε:
        assert bound < (1.05 + 0.5 * ε / d) * exact
    if ε:
        assert exact > float(counts_delta(ε, d, σ2)) * 1.05 or σ2 < 16 * d  # it is not free


def test_whole_counts_beside_are_counts():
    ε, σ2 = Fraction(1), Fraction(250)
    assert counts_delta(ε, 13, σ2, Fraction(1)) == counts_delta(ε, 14, σ2)


@over(("share", "d"), [(Fraction(i, 20), d) for i in (1, 2, 10, 19) for d in (1, 2, 14, 300)])
def test_a_number_is_worth_at_most_its_share(share, d):
    κ = worth(share, d)
    assert share / 3 < κ / (d + κ) <= share
    assert κ.denominator <= 2 or κ.numerator <= 2
    cost = Budget(1, "1e-6")
    assert counts_variance(cost, d) < counts_variance(cost, d, κ) <= (d + κ) / (2 * Concentrated.within(cost).rho)


def test_a_kind_of_no_counts_changes_nothing():
    ε, σ2, kinds = Fraction(1), Fraction(30), ((3, Fraction(1)), (2, Fraction(2, 3)))
    for place in range(3):
        assert kinds_delta(ε, (*kinds[:place], (0, Fraction(5)), *kinds[place:]), σ2) == kinds_delta(ε, kinds, σ2)
    assert kinds_delta(ε, ((0, Fraction(1)),), σ2) == 0
