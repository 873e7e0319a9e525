"""Interior points and medians: hard inputs, certificates, what they cost, bad input."""

import math
from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betaincinv

import privpac as pp
from privpac.data.domains.line import Line
from privpac.mechanisms.quantiles.one_quantile import QuantileDyadic
from privpac.privacy.budget import Budget
from tests.grid import over

WIDE = {"low": -(2**63), "high": 2**63 - 1}


def rank_error(v, x, τ=0.5):
    n, τ = len(x), Fraction(str(τ))
    return max(0, sum(a < v for a in x) - math.floor(τ * n), math.ceil(τ * n) - sum(a <= v for a in x))


HARD = {
    "constant": [77] * 400,
    "atom": [5] * 320 + list(range(1000, 1080)),
    "two clusters": [10] * 200 + [2**62] * 201,
    "low end": [-(2**63)] * 400,
    "high end": [2**63 - 1] * 400,
    "both ends": [-(2**63)] * 150 + [2**63 - 1] * 250,
}


@over("name", HARD)
@over("method", ["exponential", "dyadic", "auto"])
def test_hard_data_on_a_line_of_64_bits(name, method):
    x = HARD[name]
    v = pp.private_median(np.array(x), **WIDE, epsilon=2, delta=1e-9, method=method)
    bounds = [pp.median_rank_error(2**64, len(x), epsilon=2, beta=1e-9)]
    bounds.append(pp.median_rank_error(2**64, len(x), epsilon=2, delta=1e-9, method="dyadic"))
    assert rank_error(v, x) <= max(bounds)


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


@over("n", [1, 2, 3])
@over("method", ["exponential", "dyadic"])
def test_tiny_samples_and_lines_never_fail(n, method):
    for high in (0, 1, 2, 6):
        v = pp.private_median([0] * n, low=0, high=high, epsilon=0.01, delta=0.5, method=method)
        assert 0 <= v <= high


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


@pytest.mark.audit
@pytest.mark.parametrize("method", ["exponential", "dyadic"])
def test_certified_sizes_hold_in_simulation(method):
    """At the certified n the lower bound on the failure rate, wrong with probability 1e-7, does not exceed β."""
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
        assert failures == 0 or betaincinv(failures, runs - failures + 1, 1e-7) <= β


def test_certified_failure_probability_is_exact_on_small_lines():
    for bits, ε, β in ((2, 4, Fraction(1, 3)), (3, 4, Fraction(1, 2))):
        n = pp.interior_size(2**bits, epsilon=ε, delta=Fraction(1, 2), beta=β, method="dyadic")
        for sample in ([0] * (n // 2) + [1] * (n - n // 2), [2**bits - 1] * n, [1] * n):
            law = QuantileDyadic(Budget(ε, Fraction(1, 2)), Line(0, 2**bits - 1), window=n).law(sample)
            assert sum(float(p) for v, p in law.items() if not min(sample) <= v <= max(sample)) <= float(β)


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


def test_a_pure_release_costs_no_delta():
    ledger = pp.Ledger(Budget(10, 1e-5))
    pp.private_median(range(10_000), **WIDE, epsilon=1, delta=1e-6, budget=ledger)
    pp.private_median(range(100), low=0, high=99, epsilon=1, delta=1e-6, method="exponential", budget=ledger)
    pp.interior_point(range(10_000), **WIDE, epsilon=1, delta=1e-6, budget=ledger)
    assert ledger.spent == Budget(3)


def test_the_certificate_of_auto_is_that_of_what_runs():
    n = 10_000
    e = pp.median_rank_error(2**64, n, epsilon=1, delta=1e-6)
    x = np.arange(n, dtype=np.uint64)
    x[n // 2 + 55 :] = 2**64 - 1  # values between are worth little to the pure method, which runs
    assert e == 102
    worst = max(rank_error(pp.private_median(x, low=0, high=2**64 - 1, epsilon=1, delta=1e-6), x) for _ in range(20))
    assert worst <= pp.median_rank_error(2**64, n, epsilon=1, delta=1e-6, beta=1e-9)


@pytest.mark.parametrize("size", [0, -5, True, 2.5])
def test_sizes_must_be_sizes(size):
    for certify in (pp.interior_size, lambda size, **known: pp.median_rank_error(size, 10, **known)):
        with pytest.raises((ValueError, TypeError), match="size"):
            certify(size, epsilon=1, beta=0.05)


@pytest.mark.parametrize("odd", ["x", b"x", True, None, 10**500, Decimal("sNaN"), (1, 2), [1], {}, object(), 1j])
@pytest.mark.parametrize(
    ("low", "high", "value"),
    [(0, 120, 3), (0.0, 1.0, 0.5), ("a", "zz", "m"), (date(2000, 1, 1), date(2030, 1, 1), date(2020, 1, 1))],
    ids=["integers", "floats", "texts", "dates"],
)
def test_no_record_stops_the_others(odd, low, high, value):
    """Under "clamp", whatever a record holds is moved to a bound, and the others are read as before."""
    asked = {"low": low, "high": high, "epsilon": 50, "on_invalid": "clamp"}
    records = [value] * 500 + [odd]
    assert pp.private_median(records, **asked) == pp.interior_point(records, **asked) == value
    assert pp.private_quantiles(records, [0.4, 0.6], **asked) == [value, value]
