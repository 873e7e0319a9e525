"""Composition against enumeration, against itself backwards, and against dp_accounting."""

import json
from fractions import Fraction
from itertools import product
from math import ceil, expm1, log, prod, sqrt
from pathlib import Path
from random import Random

import pytest
from flint import arb, ctx

from privpac.privacy.accounting import composition as accounting
from privpac.privacy.accounting.composition import (
    as_count,
    optimal_at_delta,
    optimal_at_epsilon,
    parallel,
    per_use,
    sequential,
)
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball, rounded_up
from tests.grid import over

DP_ACCOUNTING = json.loads((Path(__file__).parent / "dp_accounting_values.json").read_text("utf-8"))


@pytest.fixture(autouse=True)
def precise():
    with ctx.workprec(256):
        yield


def divergence(P, Q, t: Fraction) -> arb:
    """The hockey-stick divergence Σ (P − e^t·Q)₊ of two lists of probabilities."""
    growth = ball(t).exp()
    return sum((x for x in (p - growth * q for p, q in zip(P, Q, strict=True)) if not x <= 0), arb(0))


def response(cost: Budget) -> tuple[list[arb], list[arb]]:
    """The worst pair of laws that are (ε, δ)-close: reveal with probability δ, else respond at random."""
    growth, δ = ball(cost.epsilon).exp(), ball(cost.delta)
    law = [δ, (1 - δ) * growth / (1 + growth), (1 - δ) / (1 + growth), arb(0)]
    return law, law[::-1]


def joint(laws) -> list[arb]:
    return [prod(outcome, start=arb(1)) for outcome in product(*laws)]


def binomial_divergence(ε: Fraction, k: int, t: Fraction) -> arb:
    """The same for k pure responses, by incomplete beta functions instead of a sum."""
    last = ceil((k - t / ε) / 2) - 1
    p = 1 / (1 + ball(ε).exp())
    return (1 - p).beta_lower(k - last, last + 1, True) - ball(t).exp() * p.beta_lower(k - last, last + 1, True)


# Basic and parallel composition


def test_sequential_composition_adds_up():
    costs = [Budget("0.1"), Budget("0.2", "1e-6"), Budget("0.3", "1e-7")]
    assert sequential(costs) == Budget("0.6", "1.1e-6")
    assert sequential([]) == Budget(0)
    assert sequential([Budget(1, "0.6")] * 2) == Budget(2, 1)


def test_sequential_composition_is_attained_for_pure_costs():
    costs = [Budget("0.5"), Budget(1), Budget("0.25")]
    P, Q = (joint(laws) for laws in zip(*map(response, costs), strict=True))
    total = sequential(costs).epsilon
    assert divergence(P, Q, total) < 1e-60
    assert divergence(P, Q, total - Fraction(1, 1000)) > 1e-4


def test_parallel_composition_of_two_positions():
    """Every pair of neighbors: record 0 is answered at ε = 1, record 1 at ε = 0.5."""
    costs = [Budget(1, "0.001"), Budget("0.5", "0.01")]
    laws = {
        bits: joint([response(c)[bit] for c, bit in zip(costs, bits, strict=True)]) for bits in product((0, 1), (0, 1))
    }
    pairs = [(laws[a], laws[b]) for a, b in product(laws, laws) if sum(x != y for x, y in zip(a, b, strict=True)) == 1]
    claim = parallel(costs)
    assert claim == Budget(1, "0.01")
    assert max(divergence(P, Q, claim.epsilon).upper() for P, Q in pairs) - ball(claim.delta) < 1e-60
    first = [(P, Q) for P, Q in pairs if divergence(P, Q, claim.epsilon) < 0.002]
    assert max(divergence(P, Q, claim.epsilon - Fraction(1, 1000)).upper() for P, Q in first) > 0.0011
    assert parallel([]) == Budget(0)


def test_parts_formed_by_value_are_not_parallel():
    """One record, one part per value, each part answers "am I empty?" at ε = 1: a substitution changes both."""
    yes, no = response(Budget(1))
    P, Q = joint([yes, no]), joint([no, yes])
    assert divergence(P, Q, parallel([Budget(1), Budget(1)]).epsilon) > 0.3
    assert divergence(P, Q, sequential([Budget(1), Budget(1)]).epsilon) < 1e-60


# Optimal composition


@over("k", [1, 2, 3, 5])
@over("cost", [Budget(1), Budget("0.3"), Budget(1, "0.05"), Budget("0.01", "1e-5")])
@over("part", [0, Fraction(1, 3), Fraction(3, 5), Fraction(99, 100), 1, 2])
def test_optimal_composition_is_that_of_responses(k, cost, part):
    t = part * k * cost.epsilon
    P, Q = (joint([law] * k) for law in response(cost))
    exact = divergence(P, Q, t)
    claimed = ball(optimal_at_epsilon(cost, k, t).delta)
    assert claimed >= exact - 1e-60
    assert claimed <= exact * (1 + arb(1e-13)) + 1e-60


@pytest.mark.slow
@over(
    ("ε", "k", "t"),
    [
        ("0.01", 2000, "1"),
        ("0.01", 2000, "0"),
        ("0.1", 2000, "15"),
        ("1", 300, "100"),
        ("3", 500, "1499.5"),
        ("2", 400, "0"),
    ],
)
def test_the_sum_is_the_incomplete_beta_function(ε, k, t):
    exact = binomial_divergence(Fraction(ε), k, Fraction(t))
    claimed = ball(optimal_at_epsilon(Budget(ε), k, t).delta)
    assert exact < claimed or claimed == 1
    assert claimed <= exact * (1 + arb(1e-13))


@over("seed", range(20))
def test_adaptive_composition_of_arbitrary_laws_stays_below(seed):
    """The second pair of laws depends on the first output; (ε, δ) is what the pairs are measured to satisfy."""
    random = Random(seed)

    def law():
        weights = [random.randint(1, 9), random.randint(0, 9), random.randint(0, 9)]
        return [arb(w) / sum(weights) for w in weights]

    pairs = [(law(), law()) for _ in range(4)]
    ε = Fraction(random.randint(1, 30), 10)
    δ = max(rounded_up(divergence(A, B, ε)) for pair in pairs for A, B in (pair, pair[::-1]))
    P, Q = ([x * y for i, x in enumerate(pairs[0][s]) for y in pairs[1 + i][s]] for s in (0, 1))
    for t in (Fraction(0), ε / 2, ε, 3 * ε / 2, 2 * ε):
        assert divergence(P, Q, t) <= ball(optimal_at_epsilon(Budget(ε, δ), 2, t).delta)


def test_more_of_anything_costs_more():
    δs = [optimal_at_epsilon(Budget("0.1"), 100, t).delta for t in (0, 1, 2, 5, 9.9, 10)]
    assert δs == sorted(δs, reverse=True)
    assert δs[-1] == 0
    by_k = [optimal_at_epsilon(Budget("0.1"), k, 2).delta for k in (20, 21, 30, 100, 1000)]
    assert by_k == sorted(by_k) and by_k[0] == 0 < by_k[1]
    by_ε = [optimal_at_epsilon(Budget(ε), 100, 2).delta for ε in ("0.02", "0.03", "0.1", "1", "50")]
    assert by_ε == sorted(by_ε)
    by_δ = [optimal_at_epsilon(Budget("0.1", δ), 100, 2).delta for δ in ("0", "1e-9", "0.001", "0.5")]
    assert by_δ == sorted(by_δ)


def test_it_is_never_worse_than_basic_composition():
    assert optimal_at_epsilon(Budget("0.1", "1e-16"), 1, "0.1") == Budget("0.1", "1e-16")
    assert optimal_at_epsilon(Budget("0.1", "1e-16"), 3, "0.3") <= Budget("0.3", "3e-16")


@pytest.mark.slow
def test_large_k_neither_overflows_nor_loses_digits():
    for ε, k, t in [("1", 600, "350"), ("0.001", 10**5, "1"), ("1", 10**5, "47000"), ("0.001", 10**5, "0")]:
        exact = binomial_divergence(Fraction(ε), k, Fraction(t))
        claimed = ball(optimal_at_epsilon(Budget(ε), k, t).delta)
        assert exact < claimed < exact * (1 + arb(1e-13))
    assert optimal_at_epsilon(Budget(10), 10**5, 0).delta == 1
    assert optimal_at_epsilon(Budget("0.5"), 10**5, 30000).delta == Fraction(1, 10**300)


@pytest.mark.parametrize("t", ["0", "10", "20", "30"])
def test_what_is_cut_off_is_made_up_for(t, monkeypatch):
    """With a cut so coarse that it shows, the sum still lies above."""
    monkeypatch.setattr(accounting, "CUT", 0.1)
    exact = binomial_divergence(Fraction("0.1"), 2000, Fraction(t))
    assert exact * (1 + arb(1e-4)) < ball(optimal_at_epsilon(Budget("0.1"), 2000, t).delta) < exact * 1.2


def test_the_printed_advanced_composition_is_false():
    """[Yan25, Thm 7] claims (√(2k·ln(1/δ'))·ε, δ'); with the term kε(e^ε − 1) that it drops, the claim holds."""
    δ = 1e-6
    printed = sqrt(2 * 100 * log(1 / δ))
    assert float(optimal_at_epsilon(Budget(1), 100, printed).delta) == pytest.approx(0.2073, abs=1e-4)
    printed = sqrt(2 * 1000 * log(1 / δ)) * 0.1
    assert optimal_at_epsilon(Budget("0.1"), 1000, printed).delta > 40 * Fraction("1e-6")
    assert optimal_at_epsilon(Budget("0.1"), 1000, printed + 1000 * 0.1 * expm1(0.1)).delta <= Fraction("1e-6")


# Backwards


@over(
    ("cost", "k", "δ"),
    [
        (Budget(1), 1, "0.1"),
        (Budget(1), 10, "1e-3"),
        (Budget("0.1"), 1000, "1e-6"),
        (Budget("0.1", "1e-9"), 100, "1e-6"),
        (Budget("0.001"), 10**5, "1e-9"),
    ],
)
def test_the_least_epsilon_is_enough_and_less_is_not(cost, k, δ):
    found = optimal_at_delta(cost, k, δ)
    assert found.delta == Fraction(δ)
    assert optimal_at_epsilon(cost, k, found.epsilon) <= found
    assert optimal_at_epsilon(cost, k, found.epsilon * (1 - Fraction(1, 10**6))).delta > found.delta


def test_the_ends_of_the_search_for_epsilon():
    assert optimal_at_delta(Budget("1/3"), 2, 0) == Budget("2/3")
    assert optimal_at_delta(Budget("0.1"), 3, "0.9") == Budget(0, "0.9")
    assert optimal_at_delta(Budget("0.1", "1e-6"), 10, "1e-5") <= Budget(1, "1e-5")
    with pytest.raises(ValueError, match="a delta of at least"):
        optimal_at_delta(Budget("0.1", "1e-6"), 10, "9e-6")


def stays_within(target: Budget, cost: Budget, k: int, bounded_range: bool) -> bool:
    """By any of the three accounts."""
    accounts = [sequential([cost] * k), optimal_at_epsilon(cost, k, target.epsilon)]
    if bounded_range:
        accounts.append(sum([Concentrated.of_bounded_range(cost)] * k, Concentrated(0)).at_epsilon(target.epsilon))
    return any(account <= target for account in accounts)


@pytest.mark.audit
@over("bounded_range", [False, True])
@over("k", [1, 2, 10, 137, 1000])
@over(
    ("target", "δ"),
    [(Budget(1), 0), (Budget(1, "1e-6"), 0), (Budget(3, "1e-5"), "1e-9"), (Budget("0.1", "0.3"), 0)],
)
def test_the_largest_epsilon_per_use_fits_and_more_does_not(target, δ, k, bounded_range):
    cost = per_use(target, k, δ, bounded_range=bounded_range)
    assert cost.delta == Fraction(δ)
    slack = Fraction(1, 10**10) if bounded_range else 0  # zCDP read forwards may choose another order than backwards
    assert stays_within(target, Budget(cost.epsilon * (1 - slack), δ), k, bounded_range)
    assert not stays_within(target, Budget(cost.epsilon * (1 + Fraction(1, 10**6)), δ), k, bounded_range)


def test_each_account_is_the_best_somewhere():
    target = Budget(1, "1e-6")
    assert per_use(Budget(1), 3).epsilon == Fraction(1, 3)
    assert per_use(target, 100).epsilon > 2 * target.epsilon / 100
    assert per_use(target, 1000, bounded_range=True).epsilon > Fraction(9, 5) * per_use(target, 1000).epsilon
    assert per_use(target, 2, bounded_range=True) == per_use(target, 2)


def test_a_delta_that_the_target_cannot_hold():
    assert per_use(Budget(1, "1e-5"), 10, "1e-6", bounded_range=True).epsilon >= Fraction(1, 10)
    with pytest.raises(ValueError, match="lower it to at most"):
        per_use(Budget(1, "1e-5"), 10, "2e-6")


# Against dp_accounting (benchmarks/crosscheck_dp_accounting.py says what each accountant computes)


@pytest.mark.parametrize("row", DP_ACCOUNTING["pld"], ids=str)
def test_the_pld_accountant_agrees(row):
    """Its losses are rounded up: exact where ε is a multiple of the interval, else 5 % above; floats blur by 1e-12."""
    ours = float(optimal_at_epsilon(Budget(row["epsilon"], row["delta"]), row["k"], row["epsilon_total"]).delta)
    multiple = (Fraction(str(row["epsilon"])) / Fraction(str(row["interval"]))).denominator == 1
    assert ours <= row["delta_total"] + 1e-12
    assert row["delta_total"] <= ours * (1 if multiple else 1.05) + 1e-12


@pytest.mark.parametrize("row", DP_ACCOUNTING["advanced_composition"], ids=str)
def test_the_advanced_composition_of_dp_accounting_agrees(row):
    """It knows the totals (k − 2i)ε alone, so it lies above by less than 2ε; where it overflows, this does not."""
    cost = Budget(row["epsilon"], row["delta"])
    ours = float(optimal_at_delta(cost, row["k"], row["delta_total"]).epsilon)
    if row.get("error"):
        assert row["error"] == "OverflowError" and 0 < ours < row["k"] * row["epsilon"]
    else:
        assert row["epsilon_total"] - 2 * row["epsilon"] < ours <= row["epsilon_total"] + 1e-12


# What is refused


@pytest.mark.parametrize("k", [0, -1])
def test_counts_start_at_one(k):
    with pytest.raises(ValueError, match="at least 1"):
        optimal_at_epsilon(Budget(1), k, 1)


@pytest.mark.parametrize("k", [1.0, "2", None, True, Fraction(3)])
def test_counts_are_integers(k):
    with pytest.raises(TypeError, match="k must be an integer"):
        as_count(k, "k")


@pytest.mark.parametrize(
    "call",
    [
        lambda: optimal_at_epsilon(Budget(0), 2, 1),
        lambda: optimal_at_epsilon(Budget(1, 1), 2, 1),
        lambda: optimal_at_epsilon(Budget(1), 2, -1),
        lambda: optimal_at_epsilon(Budget(1), 2, float("nan")),
        lambda: optimal_at_epsilon(Budget(1), 2, float("inf")),
        lambda: optimal_at_delta(Budget(1), 2, -0.1),
        lambda: optimal_at_delta(Budget(1), 2, 1.1),
        lambda: optimal_at_delta(Budget(1), 2, float("nan")),
        lambda: per_use(Budget(0, 1e-6), 2),
        lambda: per_use(Budget(1, 1), 2),
        lambda: per_use(Budget(1, 1e-6), 2, -1e-9),
        lambda: per_use(Budget(1, 1e-6), 2, float("nan")),
    ],
)
def test_bad_numbers_are_refused(call):
    with pytest.raises(ValueError, match=r"epsilon|delta"):
        call()
