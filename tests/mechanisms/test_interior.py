"""Interior points and medians: laws by the definition, hard inputs, certificates, privacy, bad input."""

import math
from collections import Counter, defaultdict
from datetime import date
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.special import betaincinv

import privpac as pp
from privpac.audit.exact import worst_divergence
from privpac.data.line import Line
from privpac.exact.entropy import Entropy
from privpac.mechanisms.interior import QuantileDyadic, QuantileExponential
from privpac.privacy.budget import Budget

WIDE = {"low": -(2**63), "high": 2**63 - 1}


def rank_error(v, x, τ=0.5):
    n, τ = len(x), Fraction(str(τ))
    return max(0, sum(a < v for a in x) - math.floor(τ * n), math.ceil(τ * n) - sum(a <= v for a in x))


@pytest.mark.parametrize("sample", [[3], [0, 7], [2, 2, 5], [1, 1, 1, 6, 6], [0, 0, 0, 0]])
@pytest.mark.parametrize("τ", [Fraction(1, 2), Fraction(1, 4), Fraction(9, 10)])
def test_the_exponential_law_is_the_definition(sample, τ):
    law, n = QuantileExponential(Budget(1), Line(0, 7), τ).law(sample), len(sample)

    def weight(v):
        below, above = sum(x < v for x in sample), sum(x > v for x in sample)
        return (-arb(max(below - math.floor(τ * n), above - (n - math.ceil(τ * n)))) / 2).exp()

    total = sum(weight(v) for v in range(8))
    assert all(abs(float(law[v] - weight(v) / total)) < 1e-15 for v in range(8))


@pytest.mark.parametrize("sample", [[3], [0, 7], [2, 2, 5], [1, 1, 1, 6, 6]])
@pytest.mark.parametrize("δ", [Fraction(1, 1000), Fraction(2, 5)])
def test_the_dyadic_law_is_the_definition(sample, δ):
    law, bits, m = QuantileDyadic(Budget(1, δ), Line(0, 7), kept=len(sample)).law(sample), 3, len(sample)
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


HARD = {
    "constant": [77] * 400,
    "atom": [5] * 320 + list(range(1000, 1080)),
    "two clusters": [10] * 200 + [2**62] * 201,
    "low end": [-(2**63)] * 400,
    "high end": [2**63 - 1] * 400,
    "both ends": [-(2**63)] * 150 + [2**63 - 1] * 250,
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("method", ["exponential", "dyadic", "auto"])
def test_hard_data_on_a_line_of_64_bits(name, method):
    x = HARD[name]
    v = pp.private_median(np.array(x), **WIDE, epsilon=2, delta=1e-9, method=method)
    bound = pp.median_rank_error(2**64, epsilon=2, delta=1e-9, beta=1e-9, method="exponential")
    assert rank_error(v, x) <= max(
        bound, pp.median_rank_error(2**64, epsilon=2, delta=1e-9, beta=1e-3, method="dyadic")
    )


@pytest.mark.parametrize("method", ["exponential", "dyadic"])
def test_constant_data_gives_the_constant(method):
    for value in (-(2**63), 0, 2**63 - 1):
        x = np.full(2000, value)
        assert pp.private_median(x, **WIDE, epsilon=1, delta=1e-6, method=method) == value


def test_floats_dates_and_wide_integers():
    assert pp.private_median(np.full(1000, 0.1), low=-1e300, high=1e300, epsilon=1) == 0.1
    day = date(2026, 5, 17)
    assert pp.private_median([day] * 1000, low=date(1, 1, 1), high=date(9999, 12, 31), epsilon=1) == day
    wide = [2**5000 + 1] * 1000
    assert pp.private_median(wide, low=0, high=2**8192, epsilon=1, delta=1e-6) == 2**5000 + 1


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("method", ["exponential", "dyadic"])
def test_tiny_samples_and_lines_never_fail(n, method):
    for high in (0, 1, 2, 6):
        v = pp.private_median([0] * n, low=0, high=high, epsilon=0.01, delta=0.5, method=method)
        assert 0 <= v <= high


def test_quantiles_near_an_end_of_the_sample():
    x = np.arange(1000)
    bound = pp.median_rank_error(2**16, epsilon=1, delta=1e-6, beta=1e-9, method="dyadic")
    mechanism = QuantileDyadic(Budget(1, 1e-6), Line(0, 2**16 - 1), Fraction(1, 50), kept=2 * bound)
    v = mechanism.release(mechanism.check(x), pp.exact.entropy.SYSTEM)
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


@pytest.mark.parametrize(("bits", "most"), [(64, 133), (1024, 148), (2**20, 190)])
def test_certified_sizes_meet_the_figures(bits, most):
    assert pp.interior_size(2**bits, epsilon=1, delta=1e-6, beta=0.05) <= most


def hostile(n, bits, rng):
    """Samples that leave a trie little to choose from."""
    half = n // 2
    yield [0] * half + [2**bits - 1] * (n - half)
    yield [2 ** (bits - 1) - 1] * half + [2 ** (bits - 1)] * (n - half)
    yield sorted({2 ** (bits - 1) + (1 << (i % bits)) * (-1) ** i for i in range(n)} | {2 ** (bits - 1)})[:n]
    yield sorted(rng.integers(0, 2**62, n).tolist())


@pytest.mark.parametrize("method", ["exponential", "dyadic"])
def test_certified_sizes_hold_in_simulation(method):
    """At the certified n the failure rate's 99.9 % lower bound does not exceed β."""
    bits, β, runs = 64, Fraction(1, 5), 400
    n = pp.interior_size(2**bits, epsilon=2, delta=1e-3, beta=β, method=method)
    for sample in hostile(n, bits, np.random.default_rng()):
        x = np.array(sample, dtype=np.uint64)
        drawn = Counter(
            min(sample)
            <= pp.interior_point(x, low=0, high=2**bits - 1, epsilon=2, delta=1e-3, method=method)
            <= max(sample)
            for _ in range(runs)
        )
        failures = drawn[False]
        assert failures == 0 or betaincinv(failures, runs - failures + 1, 1e-3) <= β


def test_certified_failure_probability_is_exact_on_small_lines():
    for bits, ε, β in ((2, 4, Fraction(1, 3)), (3, 4, Fraction(1, 2))):
        n = pp.interior_size(2**bits, epsilon=ε, delta=Fraction(1, 2), beta=β, method="dyadic")
        for sample in ([0] * (n // 2) + [1] * (n - n // 2), [2**bits - 1] * n, [1] * n):
            law = QuantileDyadic(Budget(ε, Fraction(1, 2)), Line(0, 2**bits - 1), kept=n).law(sample)
            assert sum(float(p) for v, p in law.items() if not min(sample) <= v <= max(sample)) <= float(β)


@pytest.mark.parametrize(("N", "n", "ε", "τ"), [(8, 3, 1, "1/2"), (5, 4, 2, "1/4"), (8, 1, 1, "1/2")])
def test_exponential_quantiles_are_not_refuted(N, n, ε, τ):
    mechanism = QuantileExponential(Budget(ε), Line(0, N - 1), Fraction(τ))
    assert not worst_divergence(lambda s: mechanism.law(list(s)), range(N), n, Budget(ε)).refuted


@pytest.mark.parametrize(
    ("N", "n", "ε", "δ", "m"), [(8, 2, 1, "0.1", 2), (8, 4, "0.5", "0.01", 3), (5, 5, 1, "0.4", 2)]
)
def test_dyadic_quantiles_are_not_refuted(N, n, ε, δ, m):
    mechanism = QuantileDyadic(Budget(ε, δ), Line(0, N - 1), kept=m)
    assert not worst_divergence(lambda s: mechanism.law(list(s)), range(N), n, Budget(ε, δ)).refuted


def test_a_window_around_the_data_is_refuted():
    """The broken twin: a line that ends where the data end."""

    def law(sample):
        line = Line(min(sample), max(sample))
        return QuantileExponential(Budget(1), line).law(list(sample))

    assert worst_divergence(law, range(5), 3, Budget(1)).refuted


BAD = [
    ({"epsilon": 0}, ValueError),
    ({"epsilon": -1}, ValueError),
    ({"epsilon": math.nan}, ValueError),
    ({"delta": 1}, ValueError),
    ({"delta": -0.1}, ValueError),
    ({"low": 10, "high": 0}, ValueError),
    ({"method": "magic"}, ValueError),
    ({"method": "dyadic", "delta": 0}, ValueError),
    ({"x": []}, ValueError),
    ({"x": [987654321]}, ValueError),
    ({"x": [1.5]}, TypeError),
    ({"x": ["987654321"]}, TypeError),
    ({"on_invalid": "drop"}, ValueError),
]


@pytest.mark.parametrize("function", [pp.private_median, pp.interior_point])
@pytest.mark.parametrize(("change", "error"), BAD)
def test_bad_input_spends_nothing_and_tells_nothing(function, change, error):
    ledger = pp.Ledger(Budget(10, 0.5))
    arguments = {"x": [1, 2, 3], "low": 0, "high": 100, "epsilon": 1, "delta": 1e-6, "budget": ledger} | change
    with pytest.raises(error) as caught:
        function(arguments.pop("x"), **arguments)
    assert "987654321" not in str(caught.value)
    assert ledger.spent == Budget(0)


@pytest.mark.parametrize("beta", [0, 1, math.nan])
def test_sizes_need_a_probability(beta):
    with pytest.raises(ValueError, match="beta"):
        pp.interior_size(2**8, epsilon=1, beta=beta)


def test_auto_is_pure_where_the_pure_method_is_certified():
    ledger = pp.Ledger(Budget(3, 1e-5))
    pp.private_median(range(10_000), **WIDE, epsilon=1, delta=1e-6, budget=ledger)
    pp.private_median(range(200), **WIDE, epsilon=1, delta=1e-6, budget=ledger)
    assert [entry.mechanism for entry in ledger.entries] == ["exponential quantile", "dyadic quantile"]
