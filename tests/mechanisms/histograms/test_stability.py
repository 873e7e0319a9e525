"""The stability histogram: its threshold, its law, its order, and what it refuses."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import ceil, exp, inf, log, nan

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.exact.entropy import SYSTEM, Seeded
from privpac.mechanisms import stability_histogram
from privpac.mechanisms.histograms.stability import StabilityHistogram
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.sentinels import SECRET, assert_pays_first, assert_refused
from tests.statistics import assert_matches

F = Fraction


def rational(x):
    return fmpq(x.numerator, x.denominator)


def ratio(ε):
    return (-arb(rational(ε / 2))).exp()


def shows_a_single_record(ε, k):
    """Pr[1 + Z ≥ k] for k ≥ 1."""
    ρ = ratio(ε)
    return ρ ** (k - 1) / (1 + ρ)


# The threshold


@pytest.mark.audit
@settings(max_examples=200, deadline=None)
@given(st.fractions(F(1, 10**4), 50), st.fractions(F(1, 10**30), F(999, 1000)))
def test_the_threshold_is_the_least_that_hides_a_single_record(ε, δ):
    least = StabilityHistogram(Budget(ε, δ)).least
    with ctx.workprec(256):
        assert least >= 1
        assert shows_a_single_record(ε, least) <= rational(δ)
        assert least == 1 or shows_a_single_record(ε, least - 1) > rational(δ)


@over(("ε", "δ", "least"), [(1, 1e-6, 28), (2, 1e-6, 15), (1, 0.5, 2), (100, 0.5, 2), (100, 0.999, 2)])
def test_thresholds_one_can_check_by_hand(ε, δ, least):
    assert StabilityHistogram(Budget(ε, δ)).least == least == max(1, 1 + ceil(log(1 / (δ * (1 + exp(-ε / 2)))) * 2 / ε))


def test_the_threshold_is_one_when_delta_allows_it():
    assert StabilityHistogram(Budget("0.1", 0.6)).least == 1


@pytest.mark.parametrize("ε", ["1e-30", "1e-300", "1e6"])
def test_extreme_epsilons_have_a_threshold(ε):
    least = StabilityHistogram(Budget(ε, 1e-6)).least
    with ctx.workprec(4096):
        assert shows_a_single_record(F(ε), least) <= rational(F(1, 10**6))
    assert isinstance(stability_histogram({"a": 5}, epsilon=ε, delta=1e-6), dict)


# The law


def release_law(counts, ε, δ, reach):
    """The definition, key by key, with everything from k₀ + reach upwards as one."""
    least = StabilityHistogram(Budget(ε, δ)).least
    ρ = ratio(ε)

    def mass(z):
        return (1 - ρ) / (1 + ρ) * ρ ** abs(z)

    laws = []
    for key, count in counts.items():
        shown = {(key, least + i): mass(least + i - count) for i in range(reach)}
        far = least + reach - count
        shown[(key, least + reach)] = ρ**far / (1 + ρ) if far > 0 else 1 - ρ ** (1 - far) / (1 + ρ)
        laws.append({None: 1 - sum(shown.values(), arb(0))} | shown)
    law = {}
    for choice in product(*(each.items() for each in laws)):
        outcome = frozenset(item for item, _ in choice if item)
        p = arb(1)
        for _, q in choice:
            p *= q
        law[outcome] = p
    return law


@over("counts", [{}, {"a": 1}, {"a": 3, "b": 1}, {"a": 9, "b": 2}])
@over(("ε", "δ"), [(F(1), F(1, 10)), (F(3), F(1, 1000))])
def test_the_law_is_its_definition(counts, ε, δ):
    law = StabilityHistogram(Budget(ε, δ)).law(counts, reach=5)
    with ctx.workprec(128):
        defined = release_law(counts, ε, δ, 5)
        assert law.keys() == defined.keys()
        assert all(abs(p - defined[outcome]) < 1e-25 for outcome, p in law.items())
        assert abs(sum(law.values(), arb(0)) - 1) < 1e-25


class Lower(StabilityHistogram):
    """Broken: shows what is one below the threshold."""

    @property
    def least(self):
        return super().least - 1


def worst(mechanism, ε, n, reach):
    samples = list(product("abc", repeat=n))
    laws = {sample: mechanism.law(Counter(sample), reach) for sample in samples}
    with ctx.workprec(128):
        base = arb(rational(ε)).exp()

        def divergence(P, Q):
            gaps = [p - base * Q.get(outcome, arb(0)) for outcome, p in P.items()]
            return sum((gap for gap in gaps if gap > 0), arb(0)).upper().fmpq()

        return max(divergence(laws[s], laws[t]) for s in samples for t in samples if sum(map(str.__ne__, s, t)) == 1)


@over(("ε", "δ"), [(F(1), F(1, 10)), (F(1, 4), F(1, 3)), (F(4), F(1, 100)), (F(1), F(7, 10))])
@over("n", [1, 2, 3])
def test_small_samples_do_not_refute_the_claim(ε, δ, n):
    assert worst(StabilityHistogram(Budget(ε, δ)), ε, n, reach=3) <= rational(δ)


def test_a_threshold_that_is_one_too_low_is_caught():
    for ε, δ in [(F(1), F(1, 10)), (F(4), F(1, 100))]:
        assert worst(Lower(Budget(ε, δ)), ε, 1, reach=3) > rational(δ)


@pytest.mark.audit
def test_releases_follow_the_law():
    law = StabilityHistogram(Budget(2, 0.2)).law({"a": 3, "b": 1}, reach=30)
    mutant = Lower(Budget(2, 0.2)).law({"a": 3, "b": 1}, reach=30)
    assert_matches(
        lambda: frozenset(stability_histogram({"a": 3, "b": 1}, epsilon=2, delta=0.2).items()),
        law,
        must_reject=mutant,
    )


@pytest.mark.parametrize("β", [0.3, 0.1, 0.01])
def test_a_key_with_enough_records_is_shown(β):
    """docs/proofs/stability.md, Theorem 2, and that it asks for no more than is needed."""
    mechanism, ε = StabilityHistogram(Budget(1, 1e-3)), 1
    ρ = exp(-ε / 2)
    enough = mechanism.least + max(0, ceil(log(1 / ((1 + ρ) * β)) * 2 / ε) - 1)

    def hidden(count):
        return mechanism.law({"a": count}, reach=0)[frozenset()]

    assert hidden(enough) <= β < hidden(enough - 1)


# Keys, counts, order


KEYS = ["ключ 🗝", "", (1, "x"), 2**100, frozenset({1}), None, 1.5, b"bytes", True, "J10"]


def test_keys_of_mixed_types_are_shown():
    shown = stability_histogram(dict.fromkeys(KEYS, 10**6), epsilon=1, delta=1e-6)
    assert set(shown) == set(KEYS) and all(abs(count - 10**6) < 200 for count in shown.values())


@pytest.mark.parametrize("count", [np.int8(100), np.uint64(2**63), 2**100, np.int64(10**6)])
def test_counts_of_every_kind_are_read(count):
    shown = stability_histogram({"a": count}, epsilon=100, delta=1e-6)
    assert shown == {"a": int(count)} and type(shown["a"]) is int


def test_keys_without_records_are_never_shown():
    assert stability_histogram({}, epsilon=100, delta=0.99) == {}
    for _ in range(200):
        assert "a" not in stability_histogram({"a": 0, "b": 1}, epsilon=0.01, delta=0.99)


@given(st.permutations(range(8)), st.integers())
def test_the_order_tells_nothing_but_the_counts(arrival, seed):
    mechanism = StabilityHistogram(Budget(1, 0.5))
    shown = mechanism.release({f"k{i}": 3 for i in arrival}, Seeded(seed))
    assert list(shown.items()) == sorted(shown.items(), key=lambda item: (-item[1], item[0]))


def test_a_sample_and_its_reverse_are_released_alike():
    one, two = (
        StabilityHistogram(Budget(100, 0.5)).release(dict(s), SYSTEM)
        for s in ([("a", 5), ("b", 5)], [("b", 5), ("a", 5)])
    )
    assert list(one) == list(two) == ["a", "b"]


def test_the_histogram_pays_first():
    cost = Budget("0.5", "1e-6")
    assert_pays_first(
        stability_histogram, {"a": SECRET}, epsilon=0.5, delta=1e-6, cost=cost, theorem="stability, Theorem 1"
    )


# What is refused


@pytest.mark.parametrize(
    "counts",
    [
        *({"a": -SECRET}, {"a": 1, "b": -1}, {"a": float(SECRET)}, {"a": nan}, {"a": inf}, {"a": True}, {"a": None}),
        *({"a": str(SECRET)}, {"a": [SECRET]}, {"a": F(SECRET, 2)}, {SECRET: 0.5}, {"a": -(2**100)}),
        *([SECRET], [("a", SECRET)], pd.Series({"a": SECRET}), None, "abc", SECRET, {"a"}, np.array([SECRET])),
    ],
    ids=repr,
)
def test_bad_counts_are_refused(counts):
    assert_refused(stability_histogram, counts, epsilon=1, delta=1e-6)


@pytest.mark.parametrize("delta", [0, 1, -1e-9, 1.5, nan, inf, "", None, True])
def test_bad_deltas_are_refused(delta):
    assert_refused(stability_histogram, {"a": SECRET}, epsilon=1, delta=delta, match="delta")


@pytest.mark.parametrize("epsilon", [0, -1, nan, inf, "x", None, True])
def test_bad_epsilons_are_refused(epsilon):
    assert_refused(stability_histogram, {"a": SECRET}, epsilon=epsilon, delta=1e-6, match="epsilon")
