"""One price for counts of several kinds and other releases: above the exact sum, and near it; broken prices."""

from fractions import Fraction
from itertools import islice, pairwise
from math import comb

import pytest
from flint import arb, arb_poly, ctx

from privpac.exact.bulk_noise import Gaussian
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.accounting.gaussian_counts import SharedCost, kinds_delta
from privpac.privacy.budget import NOTHING, Budget
from tests.grid import over


def law_of_kind(variance, step, far):
    """x^far times the generating polynomial of step·Z, for |step·Z| ≤ far."""
    G = list(islice(Gaussian(variance).within(), far // step + 1))
    one, law = [G[0], *((b - a) / 2 for a, b in pairwise(G))], [arb(0)] * (2 * far + 1)
    for z in range(1 - len(one), len(one)):
        law[far + z * step] = one[abs(z)]
    return arb_poly(law)


def exact(ε, kinds, σ2, other=NOTHING, times=0):
    """The sum over losses of counts, by convolution, and of randomized responses, one after another."""
    with ctx.workprec(192):
        q = 1
        for _, κ in kinds:
            q *= κ.denominator  # steps of 1/q
        law, edge = arb_poly([1]), 0
        for d, κ in kinds:
            far = int(14 * float(q * q * κ * σ2) ** 0.5) + 2 * q
            law, edge = law * law_of_kind(σ2 / κ, int(κ * q), far) ** d, edge + d * far
        D, found = sum(d * κ for d, κ in kinds), 1 - (1 - float(other.delta)) ** times
        p = 1 / (1 + float((arb(other.epsilon.numerator) / other.epsilon.denominator).exp()))
        for l in range(times + 1):
            left, total = ε - (times - 2 * l) * other.epsilon, arb(0)
            for t, each in enumerate(law.coeffs(), start=-edge):
                loss = (D + 2 * Fraction(t, q)) / (2 * σ2)
                if loss > left:
                    x = left - loss
                    total += each * (1 - (arb(x.numerator) / x.denominator).exp())
            weight = comb(times, l) * p**l * (1 - p) ** (times - l)
            found += (1 - float(other.delta)) ** times * weight * float(total)
        return found


def kinds_of(*pairs):
    return tuple((d, Fraction(κ)) for d, κ in pairs)


GRID = [
    ("1", kinds_of((6, 1), (4, "1/3")), 120, NOTHING, 0),
    ("1", kinds_of((4, 1), (6, "1/5"), (1, "1/2")), 110, NOTHING, 0),
    ("0.5", kinds_of((2, 1), (2, "1/2"), (2, "1/3"), (1, "3/2")), 90, NOTHING, 0),
    ("6", kinds_of((2, 1), (2, "1/4"), (1, 2)), 2, NOTHING, 0),
    ("8", kinds_of((2, 1), (4, "1/3")), "0.4", NOTHING, 0),
    ("1", kinds_of((6, 1), (2, "1/4")), 120, Budget("0.1", "1e-7"), 2),
    ("0.2", kinds_of((2, 1)), 20, Budget("0.15", "1e-3"), 3),
]


@pytest.mark.audit
@over(("ε", "kinds", "σ2", "other", "times"), GRID)
def test_the_bound_holds_and_is_near(ε, kinds, σ2, other, times):
    ε, σ2 = Fraction(ε), Fraction(σ2)
    bound, reached = float(SharedCost(kinds, other, times).delta(ε, σ2)), exact(ε, kinds, σ2, other, times)
    assert reached <= bound
    if σ2 > 16 and ε > times * other.epsilon:
        assert bound < 1.12 * reached


@pytest.mark.slow
def test_nothing_is_free():
    """What the counts alone cost is less than what they cost beside other kinds, or beside other releases."""
    ε, σ2, tables = Fraction(1), Fraction(120), kinds_of((6, 1))
    alone = float(kinds_delta(ε, tables, σ2))
    assert exact(ε, (*tables, (4, Fraction(1, 3))), σ2) > 1.5 * alone
    assert exact(ε, tables, σ2, Budget("0.1", "1e-7"), 2) > 1.2 * alone


@over(
    ("cost", "times"),
    [(Budget(1, "1e-6"), 0), (Budget(1, "1e-6"), 3), (Budget("0.1", "1e-6"), 1), (Budget(8, "0.1"), 2)],
)
def test_the_variance_is_enough_and_at_most_what_zcdp_asks_for(cost, times):
    kinds = kinds_of((12, 1), (14, "1/53"), (82, "1/308"), (1, "3/2"))
    other = Budget(cost.epsilon / 40, cost.delta / (4 * max(times, 1)))
    shared = SharedCost(kinds, other, times)
    found, left = shared.variance(cost), Concentrated.within(cost, times * other.delta).rho
    zcdp = shared.weight / (2 * (left - times * Concentrated.of(other).rho))
    assert found <= zcdp
    assert shared.delta(cost.epsilon, found) <= cost.delta or found == zcdp
    if not times:
        assert found < 0.9 * zcdp


@over(("cost", "other", "times"), [(Budget(1, "1e-6"), Budget("0.1", "1e-8"), 3), (Budget(8, "0.1"), Budget(1), 5)])
def test_other_releases_leave_less_to_the_counts(cost, other, times):
    """Other releases take most of ρ here: what zCDP asks for without them is proved by nothing."""
    shared = SharedCost(kinds_of((12, 1)), other, times)
    found, left = shared.variance(cost), Concentrated.within(cost, times * other.delta).rho
    assert times * Concentrated.of(other).rho > left / 2
    zcdp = shared.weight / (2 * (left - times * Concentrated.of(other).rho))
    assert shared.delta(cost.epsilon, found) <= cost.delta or found == zcdp
    assert shared.delta(cost.epsilon, shared.weight / (2 * left)) > cost.delta


def test_order_and_grouping_do_not_matter_much():
    ε, σ2 = Fraction(1), Fraction(120)
    one = kinds_delta(ε, kinds_of((6, 1), (4, "1/3")), σ2)
    other = kinds_delta(ε, kinds_of((1, "1/3"), (3, 1), (3, "1/3"), (3, 1)), σ2)
    assert abs(float(one / other) - 1) < 1e-6
