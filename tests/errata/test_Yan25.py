"""[Yan25]: what is printed fails, what the code does instead holds. Entries: docs/errata/Yan25.md."""

from math import comb, exp, expm1, log, sqrt

import pytest
from flint import arb, ctx

from privpac.privacy.accounting import optimal_at_delta, optimal_at_epsilon
from privpac.privacy.budget import Budget

USES = [(100, 1.0), (100, 0.5), (1000, 0.1)]
SLACK = 1e-6


def true_delta(k: int, epsilon: float, total: float) -> float:
    """The exact δ at ``total`` of k randomised responses, each epsilon-private: by how many bits were told truly."""
    with ctx.workprec(128):
        truth = 1 / (1 + (-arb(epsilon)).exp())
        lie = 1 - truth
        excess = [truth**j * lie ** (k - j) - arb(total).exp() * truth ** (k - j) * lie**j for j in range(k + 1)]
        return float(sum((comb(k, j) * x for j, x in enumerate(excess) if x > 0), arb(0)))


def printed(k: int, epsilon: float) -> float:
    return sqrt(2 * k * log(1 / SLACK)) * epsilon


def corrected(k: int, epsilon: float) -> float:
    return printed(k, epsilon) + k * epsilon * expm1(epsilon)


def test_the_exact_delta_of_one_and_two_uses():
    assert true_delta(1, 1.0, 0.0) == pytest.approx((exp(1) - 1) / (exp(1) + 1))
    assert true_delta(2, 1.0, 1.0) == pytest.approx((exp(2) - exp(1)) / (1 + exp(1)) ** 2)
    assert true_delta(2, 1.0, 2.0) == pytest.approx(0, abs=1e-30)


@pytest.mark.parametrize(("k", "epsilon"), USES)
def test_advanced_composition_without_its_second_term(k, epsilon):
    """E-Yan25-9, as printed: the claim fails."""
    assert true_delta(k, epsilon, printed(k, epsilon)) > 40 * SLACK


def test_how_far_the_printed_claim_is_off():
    """E-Yan25-9, as printed: 100 uses at ε = 1 have δ = 0.21 where 1e-6 is claimed."""
    assert true_delta(100, 1.0, printed(100, 1.0)) == pytest.approx(0.2073, abs=1e-4)


@pytest.mark.parametrize(("k", "epsilon"), USES)
def test_advanced_composition_with_both_terms(k, epsilon):
    """E-Yan25-9, as corrected: with both terms the claim holds, and the exact bound is never worse."""
    total = corrected(k, epsilon)
    assert true_delta(k, epsilon, total) <= SLACK
    assert optimal_at_delta(Budget(epsilon), k, SLACK).epsilon <= total


@pytest.mark.parametrize(("k", "epsilon"), USES)
def test_composition_as_computed(k, epsilon):
    """E-Yan25-9, as corrected: what is computed instead is the δ of the counterexample."""
    total = printed(k, epsilon)
    computed = float(optimal_at_epsilon(Budget(epsilon), k, total).delta)
    assert computed == pytest.approx(true_delta(k, epsilon, total), rel=1e-9)
