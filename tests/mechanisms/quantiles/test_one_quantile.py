"""The two quantile mechanisms: laws by the definition, shortened lists, privacy over all neighbors, certificates."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import privpac as pp
from privpac.audit.exact_divergence import worst_divergence
from privpac.data.domains.line import Line
from privpac.exact.entropy import SYSTEM, Entropy
from privpac.mechanisms.quantiles.median import quantile_mechanism
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic, QuantileExponential, certified_log_odds, ln
from privpac.privacy.budget import Budget
from tests.grid import over


def rank_error(v, x, τ=0.5):
    n, τ = len(x), Fraction(str(τ))
    return max(0, sum(a < v for a in x) - math.floor(τ * n), math.ceil(τ * n) - sum(a <= v for a in x))


@over("sample", [[3], [0, 7], [2, 2, 5], [1, 1, 1, 6, 6], [0, 0, 0, 0]])
@over("τ", [Fraction(1, 2), Fraction(1, 4), Fraction(9, 10)])
def test_the_exponential_law_is_the_definition(sample, τ):
    law, n = QuantileExponential(Budget(1), Line(0, 7), τ).law(sample), len(sample)

    def weight(v):
        below, above = sum(x < v for x in sample), sum(x > v for x in sample)
        return (-arb(max(below - math.floor(τ * n), above - (n - math.ceil(τ * n)))) / 2).exp()

    total = sum(weight(v) for v in range(8))
    assert all(abs(float(law[v] - weight(v) / total)) < 1e-15 for v in range(8))


@over("sample", [[3], [0, 7], [2, 2, 5], [1, 1, 1, 6, 6]])
@over("δ", [Fraction(1, 1000), Fraction(2, 5)])
def test_the_dyadic_law_is_the_definition(sample, δ):
    law, bits, m = QuantileDyadic(Budget(1, δ), Line(0, 7), window=len(sample)).law(sample), 3, len(sample)
    weights = defaultdict(lambda: arb(0))
    r = (arb(1) / 2).exp()
    a = arb(δ.numerator) / (δ.denominator - δ.numerator) / bits
    weights[4] += 1
    for v in range(8):
        weights[v] += r ** min(sum(x <= v for x in sample), sum(x >= v for x in sample)) / 8
    for depth in range(bits + 1):
        for prefix in range(2**depth):
            low, high = prefix << (bits - depth), (prefix + 1) << (bits - depth)
            w = sum(low <= x < high for x in sample)
            if w:
                p = low if depth == bits else (low + high) // 2 - 1
                beyond = sum(x >= p for x in sample) if depth == bits else sum(x > p for x in sample)
                weights[p] += min(a * r ** (w - 1), r ** min(sum(x <= p for x in sample), beyond), key=float)
    total = sum(weights.values())
    assert m and all(abs(float(law[v] - weights[v] / total)) < 1e-12 for v in range(8))


def test_quantiles_near_an_end_of_the_sample():
    x = np.arange(1000)
    β = Fraction(1, 10**9)
    kept = pp.interior_size(2**16, epsilon=1, delta=1e-6, beta=β, method="dyadic")
    mechanism = QuantileDyadic(Budget(1, 1e-6), Line(0, 2**16 - 1), Fraction(1, 50), kept)
    bound = mechanism.rank_error(1000, β)
    v = mechanism.release(mechanism.check(x), SYSTEM)
    assert rank_error(v, x.tolist(), 0.02) <= bound


class Top(Entropy):
    """The largest number there is to draw, where a shortened list is not enough; then zeros."""

    private = False

    def __init__(self):
        self.asked = 0

    def octets(self, count):
        self.asked += 1
        return (b"\xff" if self.asked <= 2 else b"\x00") * count


def test_the_shortened_list_gives_way_to_the_full_one():
    mechanism = QuantileExponential(Budget(20), Line(0, 2**16 - 1))
    data = mechanism.check(np.arange(1000) * 50)
    weights, outcome = mechanism.menu(data)
    full = weights.complete()
    assert len(full.scores) > len(weights.scores)
    assert full.scores[: len(weights.scores)].tolist() == weights.scores.tolist()
    assert sum(full.counts.tolist()) == 2**16
    unlisted = {outcome(j, 0) for j in range(len(weights.scores), len(full.scores))}
    assert len(unlisted) == len(full.scores) - len(weights.scores)
    assert mechanism.release(data, Top()) in range(2**16)


@pytest.mark.parametrize(("N", "n", "ε", "τ"), [(8, 3, 1, "1/2"), (5, 4, 2, "1/4"), (8, 1, 1, "1/2")])
def test_exponential_quantiles_are_not_refuted(N, n, ε, τ):
    mechanism = QuantileExponential(Budget(ε), Line(0, N - 1), Fraction(τ))
    assert not worst_divergence(lambda s: mechanism.law(list(s)), range(N), n, Budget(ε)).refuted


@pytest.mark.audit
@pytest.mark.parametrize(
    ("N", "n", "ε", "δ", "m"), [(8, 2, 1, "0.1", 2), (8, 4, "0.5", "0.01", 3), (5, 5, 1, "0.4", 2)]
)
def test_dyadic_quantiles_are_not_refuted(N, n, ε, δ, m):
    mechanism = QuantileDyadic(Budget(ε, δ), Line(0, N - 1), window=m)
    assert not worst_divergence(lambda s: mechanism.law(list(s)), range(N), n, Budget(ε, δ)).refuted


def test_a_window_around_the_data_is_refuted():
    """The broken twin: a line that ends where the data end."""

    def law(sample):
        line = Line(min(sample), max(sample))
        return QuantileExponential(Budget(1), line).law(list(sample))

    assert worst_divergence(law, range(5), 3, Budget(1)).refuted


SETTINGS = {
    "size": st.sampled_from([1, 2, 3, 5, 16, 1000, 2**24, 2**64, 2**1000]),
    "epsilon": st.sampled_from(["0.1", "1", "5", "10", "60"]),
    "delta": st.sampled_from(["1e-30", "1e-6", "0.1", "0.5", "0.999"]),
    "beta": st.sampled_from(["1e-20", "0.001", "0.05", "0.5", "21/22", "0.999"]),
}


@given(**SETTINGS)
def test_the_certified_size_is_the_least_that_is_certified(size, epsilon, delta, beta):
    odds = ln((1 - Fraction(beta)) / Fraction(beta))
    for cost, method in ((Budget(epsilon), "exponential"), (Budget(epsilon, delta), "dyadic")):
        n = pp.interior_size(size, epsilon=epsilon, delta=delta, beta=beta, method=method)
        assert certified_log_odds(n, size, cost) >= odds
        assert n == 1 or certified_log_odds(n - 1, size, cost) < odds


@given(**SETTINGS)
def test_what_auto_runs_is_what_auto_certifies(size, epsilon, delta, beta):
    n = pp.interior_size(size, epsilon=epsilon, delta=delta, beta=beta)
    for promise in (n, n + 1, 3 * n):
        best = max(certified_log_odds(promise, size, cost) for cost in (Budget(epsilon), Budget(epsilon, delta)))
        assert best >= ln((1 - Fraction(beta)) / Fraction(beta))


@pytest.mark.slow
@over("method", ["exponential", "dyadic"])
@over(
    ("N", "ε", "δ", "β"), [(3, 8, "0.5", "1/4"), (4, 12, "0.1", "1/2"), (8, 20, "1/100", "0.05"), (5, 9, "0.9", "0.9")]
)
def test_no_sample_at_all_exceeds_the_certified_failure(N, ε, δ, β, method):
    β = Fraction(β)
    n = pp.interior_size(N, epsilon=ε, delta=δ, beta=β, method=method)
    mechanism = (
        QuantileExponential(Budget(ε), Line(0, N - 1))
        if method == "exponential"
        else QuantileDyadic(Budget(ε, δ), Line(0, N - 1), window=n)
    )
    for sample in combinations_with_replacement(range(N), n):
        law = mechanism.law(list(sample))
        assert sum(float(p) for v, p in law.items() if not sample[0] <= v <= sample[-1]) <= float(β)


@pytest.mark.parametrize("method", ["exponential", "dyadic"])
@pytest.mark.parametrize("τ", ["1/2", "1/5"])
def test_no_sample_at_all_exceeds_the_certified_rank_error(method, τ):
    N, n, β = 3, 12, Fraction(1, 20)
    mechanism = quantile_mechanism(Budget(12, "0.3"), Line(0, N - 1), Fraction(τ), n, method)
    e = mechanism.rank_error(n, β)
    assert e is not None
    for sample in combinations_with_replacement(range(N), n):
        law = mechanism.law(list(sample))
        assert sum(float(p) for v, p in law.items() if rank_error(v, sample, τ) > e) <= float(β)


def test_dyadic_rank_errors_are_not_certified_beyond_what_is_kept():
    mechanism = quantile_mechanism(Budget(1, 1e-6), Line(0, 2**64 - 1), Fraction(1, 2), 100, "dyadic")
    assert mechanism.rank_error(100, Fraction(1, 1000)) is None  # too few records
    assert mechanism.rank_error(1000, Fraction(1, 1000)) == 54
    assert mechanism.rank_error(1000, Fraction(1, 10**9)) is None


def test_the_full_list_of_a_wide_line_keeps_the_order():
    mechanism = QuantileExponential(Budget(20), Line(0, 2**90))
    weights, _ = mechanism.menu(mechanism.check([i * 2**70 for i in range(500)]))
    full = weights.complete()
    assert full.scores[: len(weights.scores)].tolist() == weights.scores.tolist()
    assert sum(full.counts.tolist()) == 2**90 + 1
