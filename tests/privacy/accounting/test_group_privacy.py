"""What a promise per record is worth per unit: exact numbers, and neither refuted nor generous on small universes."""

from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations_with_replacement, pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privpac.audit.claims.case import Case, support
from privpac.data.samples.units import Quota, slots_of
from privpac.mechanisms.noise.laplace import DiscreteLaplace
from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.privacy.accounting.group_privacy import PerUnit, per_record, per_unit
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Ledger, Sealed

EPSILONS = st.fractions(Fraction(1, 1000), 20, max_denominator=1000)
DELTAS = st.fractions(Fraction(1, 10**12), Fraction(1, 2))
COUNTS = st.integers(1, 40)


@settings(max_examples=50, deadline=None)
@given(EPSILONS, DELTAS, COUNTS)
def test_a_unit_never_pays_more_than_the_budget(ε, δ, k):
    budget = Budget(ε, δ)
    share = per_record(budget, k)
    assert per_unit(share, k) <= budget
    assert share.epsilon * k == ε


@settings(max_examples=50, deadline=None)
@given(EPSILONS, DELTAS, COUNTS, st.fractions(0, 1, max_denominator=100))
def test_stages_fit_into_the_budget(ε, δ, k, part):
    budget = Budget(ε, δ)
    share = per_record(budget, k)
    stages = [Budget(share.epsilon * part), Budget(share.epsilon * (1 - part), share.delta)]
    assert sum((per_unit(stage, k) for stage in stages), Budget(0)) <= budget


@settings(max_examples=50, deadline=None)
@given(EPSILONS, DELTAS, COUNTS)
def test_nothing_is_wasted(ε, δ, k):
    paid = per_unit(per_record(Budget(ε, δ), k), k)
    assert paid.delta >= δ * (1 - Fraction(1, 10**12))


@settings(max_examples=50, deadline=None)
@given(EPSILONS, st.integers(2, 40))
@example(Fraction(20), 40)
def test_the_sum_of_powers(ε, k):
    cost = Budget(ε, Fraction(1, 10**30))
    powers = (exp(min(i * float(ε), 700)) for i in range(k))  # any cap beyond 1e30 leaves the promise at 1
    assert float(per_unit(cost, k).delta) == pytest.approx(min(sum(powers) * 1e-30, 1), rel=1e-12)


def test_without_epsilon_deltas_add_up():
    assert per_unit(Budget(0, 1e-6), 5) == Budget(0, 5e-6)
    assert per_record(Budget(0, 5e-6), 5) == Budget(0, 1e-6)


def test_one_record_is_a_unit():
    odd = Budget("1/3", "1/7")
    assert per_unit(odd, 1) == per_record(odd, 1) == odd


def test_a_pure_cost_stays_pure():
    assert per_unit(Budget(1), 3) == Budget(3)
    assert per_record(Budget(1), 3) == Budget("1/3")


def test_beyond_one_nothing_is_promised():
    assert per_unit(Budget(100, 1e-6), 100).delta == 1


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_k_is_a_number_of_records(k):
    for function in (per_unit, per_record):
        with pytest.raises((TypeError, ValueError)):
            function(Budget(1), k)


def test_a_ledger_is_charged_for_units():
    ledger = Ledger(Budget(1))
    ledger.spend(PerUnit(DiscreteLaplace(Budget("0.25")), 4), Sealed(7, 1))
    assert ledger.spent == Budget(1)
    assert ledger.entries[0].theorem == "noise, Theorem 1; composition, Theorem 12"


# Exact audits: the universe are the records of one unit, a sample is a tuple of units.
K = 2
UNITS = [records for size in range(4) for records in combinations_with_replacement("ab", size)]


def entries(units):
    """The entries of the algorithm; void ones are left out, for no score counts them."""
    unit = np.array([i for i, records in enumerate(units) for _ in records], dtype=np.intp)
    content = np.array(list(chain.from_iterable(units)), dtype=object)
    if not len(unit):
        return []
    rows, n = slots_of(Quota(unit, K, "4f"), [content], "raise")
    assert n <= K * len(units)
    return content[rows].tolist()


def first_rows(units):
    """As many entries, taken from the top of the table whoever they belong to."""
    return list(chain.from_iterable(units))[: K * len(units)]


def uncapped(units):
    """Every record."""
    return list(chain.from_iterable(units))


def counts(records):
    return records.count("a")


CLAIMS = {
    "sparse selection": (SparseExponential(Budget(1, 0.05)), support),
    "a noisy count": (DiscreteLaplace(Budget(1)), counts),
}


def claim(select, name):
    """That two units are protected at k times the cost of a record."""
    mechanism, view = CLAIMS[name]
    capped = PerUnit(mechanism, K)
    return Case(capped, lambda units: view(select(units)), "units", UNITS, 2, capped.cost)


@pytest.mark.parametrize("name", CLAIMS)
def test_units_are_protected_as_claimed(name):
    worst = claim(entries, name).exact()
    assert not worst.refuted
    assert worst.excess < 1e-12


@pytest.mark.slow
def test_the_claim_is_attained():
    assert float(claim(entries, "a noisy count").exact().ratio) == pytest.approx(1)


@pytest.mark.parametrize("name", CLAIMS)
def test_charging_per_record_is_refuted(name):
    assert replace(claim(entries, name), claimed=CLAIMS[name][0].cost).exact().refuted


@pytest.mark.slow
@pytest.mark.parametrize("select", [first_rows, uncapped])
def test_a_selection_that_does_not_cap_each_unit_is_refuted(select):
    assert claim(select, "a noisy count").exact().refuted


def chance(x, ε, δ):
    """The largest chance of "yes" at x that the chain allows, starting with none."""
    return 0 if x == 0 else exp(ε) * chance(x - 1, ε, δ) + δ


def test_the_sum_of_powers_is_attained():
    ε, δ, k = 0.5, 1e-3, 6
    p = [chance(x, ε, δ) for x in range(k + 1)]
    for one, other in pairwise(p):
        assert other <= exp(ε) * one + δ + 1e-15
        assert 1 - one <= exp(ε) * (1 - other) + δ
    assert p[k] == pytest.approx(float(per_unit(Budget(ε, δ), k).delta))
