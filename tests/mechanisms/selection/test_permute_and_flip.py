"""Permute-and-flip: its law by definition, beside the exponential mechanism, its releases, and what it refuses."""

from fractions import Fraction
from itertools import permutations, product
from math import exp, factorial, inf, nan

import numpy as np
import pandas as pd
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from privpac.audit.exact_divergence import loss
from privpac.mechanisms.selection.exponential import Exponential
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip, permute_and_flip
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball
from tests.grid import over
from tests.sentinels import SECRET, Untouchable, assert_pays_first, assert_refused
from tests.statistics import assert_matches

F = Fraction
SCORES = st.lists(st.integers(-9, 9), min_size=1, max_size=4)
EPSILONS = st.fractions(F(1, 100), 5)


def defined(scores, ε):
    """In every order, the first whose coin shows heads."""
    with ctx.workprec(200):
        p = [ball(ε / 2 * (s - max(scores))).exp() for s in scores]
        law = dict.fromkeys(range(len(scores)), arb(0))
        for order in permutations(law):
            left = arb(1) / factorial(len(scores))
            for i in order:
                law[i] += left * p[i]
                left *= 1 - p[i]
        return law


@settings(max_examples=100, deadline=None)
@given(SCORES, EPSILONS)
def test_the_law_is_its_definition(scores, ε):
    law = PermuteAndFlip(Budget(ε)).law(scores)
    assert list(law) == list(range(len(scores)))
    assert all(abs(law[i] - p) < 1e-30 for i, p in defined(scores, ε).items())


@over("scores", [[0] * 60, [0] * 59 + [1], [0, -(10**17), 3], list(range(40)), [-(2**61), 2**61]])
@over("ε", ["1e-300", "0.01", 1, 1000])
def test_large_laws_add_up_and_stay_narrow(scores, ε):
    law = PermuteAndFlip(Budget(ε)).law(scores)
    assert all(p > 0 and p.rel_accuracy_bits() > 60 for p in law.values())
    with ctx.workprec(128):
        assert abs(sum(law.values(), arb(0)) - 1) < 1e-30


def worst(law, size=3, top=4):
    """The largest loss over all pairs of score vectors that differ by at most 1 everywhere."""
    vectors = list(product(range(top + 1), repeat=size))
    laws = {v: law(v) for v in vectors}
    steps = list(product((-1, 0, 1), repeat=size))
    pairs = [(v, tuple(map(sum, zip(v, s, strict=True)))) for v in vectors for s in steps]
    return max(float(loss(laws[v], laws[w]).mid()) for v, w in pairs if w in laws)


@pytest.mark.parametrize("ε", [F(1, 10), F(1), F(5)])
def test_neighboring_scores_are_within_epsilon_and_reach_it(ε):
    assert worst(PermuteAndFlip(Budget(ε)).law) == pytest.approx(float(ε), rel=1e-12)


def test_broken_twins_are_refuted():
    assert worst(PermuteAndFlip(Budget("1.01")).law) > 1  # a base 1 % too large is caught

    def first_of_the_list(scores):
        law, left = {}, arb(1)
        for i, s in enumerate(scores):
            p = ball(F(s - max(scores), 2)).exp()
            law[i], left = left * p, left * (1 - p)
        return law

    assert worst(first_of_the_list) == inf


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=2, max_size=8), EPSILONS)
def test_it_errs_as_lemma_4_says(scores, ε):
    flips, weighted = PermuteAndFlip(Budget(ε)).law(scores), Exponential(Budget(ε)).law(scores)
    r = exp(ε / 2)
    for b, g in product(range(len(scores)), repeat=2):
        D = scores[g] - scores[b]
        if b != g:
            assert float(flips[b]) <= (r**-D / 2 if D >= 0 else 1 - r**D / 2) * (1 + 1e-9)
    for least in set(scores):
        below = [i for i, s in enumerate(scores) if s < least]
        assert sum(float(flips[i]) for i in below) <= sum(float(weighted[i]) for i in below) * (1 + 1e-9)
    for cut in range(1, len(scores)):
        ratio = sum(r ** scores[b] for b in range(cut)) / sum(r ** scores[a] for a in range(cut, len(scores)))
        assert sum(float(flips[b]) for b in range(cut)) <= ratio * (1 + 1e-9)


@pytest.mark.slow
def test_releases_follow_the_law():
    scores = [0, 3] * 5 + [9]
    law = {i: float(p) for i, p in PermuteAndFlip(Budget(1)).law(scores).items()}
    mutant = {i: float(p) for i, p in Exponential(Budget(1)).law(scores).items()}
    assert_matches(lambda: permute_and_flip(scores, epsilon=1), law, must_reject=mutant)


@pytest.mark.slow
def test_releases_among_many_follow_the_law():
    scores = np.repeat([0, 4], [2000, 3])
    K = np.arange(2001)
    best = float(binom.pmf(K, 2000, exp(-4)) @ (3 / (3 + K)))  # K of the others show heads
    weighted = 3 / (3 + 2000 * exp(-4))
    assert_matches(
        lambda: permute_and_flip(scores, epsilon=2) >= 2000,
        {True: best, False: 1 - best},
        must_reject={True: 2 * weighted, False: 1 - 2 * weighted},
    )


@pytest.mark.slow
def test_a_release_is_a_python_integer_and_the_best_wins():
    assert permute_and_flip([SECRET], epsilon=1) == 0
    assert type(permute_and_flip(np.array([0, 9000]), epsilon=1)) is int
    scores = np.zeros(10**5, dtype=np.int64)
    scores[[7, 99_999]] = 10**6
    assert {permute_and_flip(scores, epsilon=1) for _ in range(60)} == {7, 99_999}  # one alone: 2^-59


@pytest.mark.parametrize(
    "scores",
    [
        *([3, 900], (3, 900), iter([3, 900]), range(3, 901, 897), [np.int64(3), 900], [-(2**61), 2**61]),
        *(np.array([-3, 120], dtype=np.int8), np.array([3, 900], dtype=np.uint64), pd.Series([3, 900], index=[1, 0])),
    ],
)
def test_scores_of_every_kind_are_read(scores):
    assert permute_and_flip(scores, epsilon=1) == 1


def test_numbers_of_every_kind_are_epsilons():
    for epsilon in (1, 1.0, "1", "0.5e1", F(7, 3), np.int64(1), np.float32(1), 1e6):
        assert permute_and_flip([0, 10**6], epsilon=epsilon) == 1
    assert permute_and_flip([0, 10**6], epsilon=1e-300) in (0, 1)


@pytest.mark.parametrize(
    "scores",
    [
        *([], [SECRET, nan], [SECRET, inf], [float(SECRET)], [SECRET, None], [SECRET, "a"], [SECRET, True], SECRET),
        None,
        *([2**100 + SECRET], [2**62], [-(2**62)], [[SECRET]], np.array([[SECRET]]), np.array([SECRET / 2]), "scores"),
        *(np.array([True]), pd.Series([SECRET, None]), pd.DataFrame({"a": [SECRET]}), np.array([SECRET, nan])),
    ],
)
def test_bad_scores_are_refused(scores):
    assert_refused(permute_and_flip, scores, epsilon=1)


@pytest.mark.parametrize("epsilon", [0, -1, nan, inf, -inf, "", "abc", None, True, [1], 1j])
def test_bad_epsilons_are_refused(epsilon):
    assert_refused(permute_and_flip, [SECRET, 0], epsilon=epsilon, match="epsilon")


@pytest.mark.parametrize("rng", ["seed", 1.5, 7])
def test_bad_coins_are_refused(rng):
    assert_refused(permute_and_flip, [SECRET, 0], epsilon=1, rng=rng)


def test_it_pays_first():
    assert_pays_first(permute_and_flip, [1, SECRET], epsilon=0.1, cost=Budget("0.1"), theorem="selection, Theorem 5")
    with pytest.raises(TypeError, match=r"Budget\(1\)"):
        permute_and_flip([1, 2], epsilon=1, budget=1, rng=Untouchable())
