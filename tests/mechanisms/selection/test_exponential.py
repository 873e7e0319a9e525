"""Exponential and sparse selection: their laws by definition, their releases, and what they refuse."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, inf, nan

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.exact.entropy import SYSTEM, Entropy
from privpac.exact.exponential_weights import Weights
from privpac.mechanisms import exponential, sparse_exponential
from privpac.mechanisms.selection.exponential import (
    Exponential,
    Selection,
    SparseExponential,
    log_at_least,
    record_counts,
)
from privpac.privacy.budget import Budget
from tests.grid import over
from tests.sentinels import SECRET, Untouchable, assert_pays_first, assert_refused
from tests.statistics import assert_matches

F = Fraction


def rational(x):
    return fmpq(x.numerator, x.denominator)


def divergence(P, Q, ε):
    """Hockey-stick: Σ (P − e^ε·Q)₊, as the upper end of its ball."""
    with ctx.workprec(128):
        gap = [p - arb(rational(ε)).exp() * Q.get(c, arb(0)) for c, p in P.items()]
        return sum((g for g in gap if g > 0), arb(0)).upper().fmpq()


# Exponential


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=8), st.fractions(F(1, 100), 5), st.data())
def test_the_exponential_law_is_its_definition(scores, ε, data):
    size = {"min_size": len(scores), "max_size": len(scores)}
    counts = data.draw(st.none() | st.lists(st.integers(0, 9), **size).filter(any))
    priors = data.draw(st.none() | st.lists(st.floats(-5, 5), **size))
    law = Exponential(Budget(ε), counts, priors).law(scores)
    with ctx.workprec(200):
        weights = [
            c * (arb(rational(ε / 2)) * s + arb(p)).exp()
            for s, c, p in zip(scores, counts or [1] * len(scores), priors or [0.0] * len(scores), strict=True)
        ]
        assert list(law) == list(range(len(scores)))
        assert all(abs(law[i] - w / sum(weights, arb(0))) < 1e-30 for i, w in enumerate(weights))


@pytest.mark.slow
def test_the_exponential_releases_follow_the_law():
    law = {i: exp(s / 2) / sum(exp(q / 2) for q in range(4)) for i, s in enumerate(range(4))}
    twice = {i: exp(s) / sum(exp(q) for q in range(4)) for i, s in enumerate(range(4))}
    assert_matches(lambda: exponential(range(4), epsilon=1), law, must_reject=twice)


@pytest.mark.slow
def test_counts_and_priors_shift_the_odds():
    law = {0: F(3, 9), 1: F(2, 9), 2: F(4, 9)}
    even = dict.fromkeys(law, F(1, 3))

    def release():
        return exponential([7, 7, 7], epsilon=1, counts=[3, 1, 1], log_prior=np.log([1.0, 2.0, 4.0]))

    assert_matches(release, law, must_reject=even)


def worst(law, ε, size=3, top=2):
    """The worst divergence over all pairs of score vectors that differ by at most 1 everywhere."""
    vectors = list(product(range(top + 1), repeat=size))
    laws = {v: law(v) for v in vectors}
    pairs = [(v, w) for v in vectors for w in vectors if max(abs(a - b) for a, b in zip(v, w, strict=True)) <= 1]
    return max(divergence(laws[v], laws[w], ε) for v, w in pairs)


def test_neighboring_scores_are_within_epsilon():
    assert worst(Exponential(Budget(1)).law, F(1)) == 0
    assert worst(Exponential(Budget(2)).law, F(1)) > rational(F(1, 20))  # a base of e^ε is caught


def test_a_release_is_a_python_integer():
    assert type(exponential(np.array([0, 9000]), epsilon=1)) is int


@pytest.mark.parametrize(
    "scores",
    [
        [3, 900],
        (3, 900),
        iter([3, 900]),
        range(3, 901, 897),
        np.array([-3, 120], dtype=np.int8),
        np.array([3, 900], dtype=np.uint64),
        pd.Series([3, 900], index=["a", "b"]),
        [np.int64(3), 900],
        [-(2**61), 2**61],
    ],
)
def test_scores_of_every_kind_are_read(scores):
    assert exponential(scores, epsilon=1) == 1


def test_numbers_of_every_kind_are_epsilons():
    for epsilon in (1, 1.0, "1", "0.5e1", F(7, 3), np.int64(1), np.int8(100), np.float32(1), 1e6):
        assert exponential([0, 10**6], epsilon=epsilon) == 1
    assert exponential([0, 10**6], epsilon=1e-300) in (0, 1)
    with pytest.raises(ValueError, match="promises nothing"):
        exponential([0, 1], epsilon=1e7)


def test_one_candidate_is_chosen():
    assert exponential([SECRET], epsilon=1) == 0
    assert exponential([5, 5], epsilon=1, counts=[0, 2 ** (2**20)]) == 1


@pytest.mark.parametrize(
    "scores",
    [
        *(
            [],
            [SECRET, nan],
            [SECRET, inf],
            [float(SECRET)],
            [SECRET, None],
            [SECRET, "a"],
            [SECRET, True],
            SECRET,
            None,
        ),
        *([2**100 + SECRET], [2**62], [-(2**62)], [[SECRET]], np.array([[SECRET]]), np.array([SECRET / 2]), "scores"),
        *(np.array([True]), pd.Series([SECRET, None]), pd.DataFrame({"a": [SECRET]}), np.array([SECRET, nan])),
    ],
)
def test_bad_scores_are_refused(scores):
    assert_refused(exponential, scores, epsilon=1)


EPSILONS = (0, -1, nan, inf, -inf, "", "abc", None, True, [1], 1j)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_bad_epsilons_are_refused(epsilon):
    assert_refused(exponential, [SECRET, 0], epsilon=epsilon, match="epsilon")
    assert_refused(sparse_exponential, {SECRET: SECRET}, epsilon=epsilon, delta=0.1, match="epsilon")


@pytest.mark.parametrize(
    "parameters",
    [
        *({"counts": [1]}, {"counts": [1, -1]}, {"counts": [0, 0]}, {"counts": [1.0, 2.0]}, {"counts": [True, True]}),
        *({"log_prior": [0.0]}, {"log_prior": [0.0, nan]}, {"log_prior": [0.0, -inf]}, {"log_prior": [0.0, inf]}),
        *({"rng": "seed"}, {"rng": 1.5}, {"rng": 7}),
    ],
)
def test_bad_parameters_are_refused(parameters):
    assert_refused(exponential, [SECRET, 0], epsilon=1, **parameters)


def test_selections_pay_first():
    assert_pays_first(exponential, [1, SECRET], epsilon=0.1, cost=Budget("0.1"), theorem="selection, Theorem 1")
    assert_pays_first(
        sparse_exponential,
        {"a": SECRET},
        epsilon=1,
        delta=1e-6,
        cost=Budget(1, "1e-6"),
        theorem="selection, Theorem 2",
    )


@pytest.mark.parametrize("budget", [1, 1.0, "1"])
def test_a_number_is_no_budget(budget):
    with pytest.raises(TypeError, match=r"Budget\(1\)"):
        exponential([1, 2], epsilon=1, budget=budget, rng=Untouchable())


# Sparse


def sparse_law(support, ε, δ, k=1):
    """The definition, with the real weight of ⊥."""
    with ctx.workprec(200):
        r = arb(rational(ε / 2)).exp()
        weights = {None: k * r * rational(1 - δ) / rational(δ)}
        weights |= {c: r**q for c, q in support.items() if q}
        total = sum(weights.values(), arb(0))
        return {c: w / total for c, w in weights.items()}


@settings(max_examples=50, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 40)),
    st.fractions(F(1, 10), 4),
    st.fractions(F(1, 10**9), F(99, 100)),
    st.integers(1, 9),
)
def test_the_sparse_law_is_its_definition(support, ε, δ, k):
    law, defined = SparseExponential(Budget(ε, δ), k).law(support), sparse_law(support, ε, δ, k)
    assert law.keys() == defined.keys()
    for outcome, p in law.items():
        assert abs(p / defined[outcome] - 1) < 1e-13
    assert law[None] >= defined[None].lower() - 1e-30  # rounding favors ⊥


def supports(n, universe):
    return [Counter(sample) for sample in product(universe, repeat=n)]


@over("δ", [F(1, 1000), F(1, 10), F(9, 10)])
@over("ε", [F(1, 10), F(1), F(4)])
def test_sparse_selection_is_private_on_every_small_sample_and_hardly_more(ε, δ):
    def worst(law):
        laws = [(sample, law(Counter(sample))) for n in (1, 2, 3) for sample in product("abc", repeat=n)]
        return max(
            divergence(P, Q, ε)
            for s, P in laws
            for t, Q in laws
            if len(s) == len(t) and sum(a != b for a, b in zip(s, t, strict=True)) == 1
        )

    mechanism = SparseExponential(Budget(ε, δ))
    assert rational(δ * F(99, 100)) < worst(mechanism.law) <= rational(δ)
    assert worst(SparseExponential(Budget(ε, δ * F(101, 100))).law) > rational(δ)  # a fallback 1 % too light is caught


@pytest.mark.audit
def test_sparse_releases_follow_the_law():
    law = {c: float(p) for c, p in sparse_law({"a": 9, "b": 8}, F(1), F(1, 20)).items()}
    light = {c: float(p) for c, p in sparse_law({"a": 9, "b": 8}, F(1), F(1, 10)).items()}
    assert_matches(lambda: sparse_exponential({"a": 9, "b": 8}, epsilon=1, delta=0.05), law, must_reject=light)


@pytest.mark.audit
def test_k_outweighs_its_candidates():
    law = {c: float(p) for c, p in sparse_law({"a": 9}, F(1), F(1, 20), k=3).items()}
    single = {c: float(p) for c, p in sparse_law({"a": 9}, F(1), F(1, 20)).items()}
    assert_matches(lambda: sparse_exponential({"a": 9}, epsilon=1, delta=0.05, k=3), law, must_reject=single)


def test_without_support_there_is_nothing():
    assert sparse_exponential({}, epsilon=100, delta=0.9) is None
    assert sparse_exponential({"a": 0, "b": 0}, epsilon=100, delta=0.9) is None
    assert list(SparseExponential(Budget(1, 0.5)).law({"a": 0})) == [None]


@pytest.mark.parametrize("key", ["ключ 🗝", "", (1, "x"), 2**100, frozenset({1}), nan, 1.5, b"bytes", True])
def test_every_hashable_is_a_key(key):
    assert sparse_exponential({key: 10**6, "other": 1}, epsilon=1, delta=1e-6) is key


@pytest.mark.parametrize("count", [np.int8(100), np.uint64(2**60), 2**60, np.int64(10**6)])
def test_counts_of_every_kind_are_read(count):
    assert sparse_exponential({"a": count, "b": 0}, epsilon=2, delta=1e-6) == "a"


@pytest.mark.parametrize(
    "support",
    [
        *({"a": -SECRET}, {"a": 1, "b": -1}, {"a": float(SECRET)}, {"a": nan}, {"a": inf}, {"a": True}, {"a": None}),
        *({"a": str(SECRET)}, {"a": 2**60 + SECRET}, {"a": 2**100}, {"a": [SECRET]}, {"a": F(1, 2)}, {SECRET: 0.5}),
        *([SECRET], [("a", SECRET)], pd.Series({"a": SECRET}), None, "abc", SECRET, {"a"}),
    ],
)
def test_bad_support_is_refused(support):
    assert_refused(sparse_exponential, support, epsilon=1, delta=1e-6)


DELTAS = (0, 1, -1e-9, 1.5, nan, inf, "", None, True)


@pytest.mark.parametrize("delta", DELTAS)
def test_bad_deltas_are_refused(delta):
    assert_refused(sparse_exponential, {"a": SECRET}, epsilon=1, delta=delta, match="delta")


@pytest.mark.parametrize("k", [0, -1, 1.5, True, None, "1", nan])
def test_bad_k_is_refused(k):
    assert_refused(sparse_exponential, {"a": SECRET}, epsilon=1, delta=0.1, k=k, match="k must be")


# What selections are made of


@pytest.mark.audit
@settings(max_examples=200, deadline=None)
@given(st.fractions(F(1, 10**30), 10**30), st.fractions(-(10**6), 10**6))
def test_log_at_least_is_at_least_and_hardly_more(numerator, exponent):
    value = log_at_least(numerator, exponent)
    with ctx.workprec(200):
        true = arb(rational(numerator)).log()
        true += arb(rational(exponent))
        assert true <= value
        assert arb(value) - true <= 4 * np.spacing(abs(value)) or float(abs(true)) < 1e-12


def test_record_counts_are_bounded():
    assert record_counts([0, 2**60], "support").dtype == np.int64
    for values in ([-1], [2**60 + 1], [2**64]):
        with pytest.raises(ValueError, match=r"support must lie between 0 and 2\^60"):
            record_counts(values, "support")


FULL = Weights([0, -100], F(1), counts=[4, 3])


class Shortened(Selection):
    """Lists its first group and leaves out one that weighs e^-100."""

    name, theorem, cost = "shortened", "none", Budget(1)

    def menu(self, data):
        return Weights([0], F(1), counts=[4], complete=lambda: FULL), lambda group, member: (group, member)


class Ones(Entropy):
    private = False

    def octets(self, count):
        return b"\xff" * count

    def below(self, bound):
        return bound - 1


def test_a_shortened_selection_releases_what_it_did_not_list():
    assert Shortened().release(None, Ones()) == (1, 2)
    law = Shortened().law(None)
    assert set(law) == {(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2)}
    assert abs(sum(law.values(), arb(0)) - 1) < 1e-12


@pytest.mark.slow
def test_a_member_is_uniform_in_its_group():
    uniform = {(0, member): F(1, 4) for member in range(4)}
    mutant = {(0, member): F(member + 1, 10) for member in range(4)}
    assert_matches(lambda: Shortened().release(None, SYSTEM), uniform, must_reject=mutant)
