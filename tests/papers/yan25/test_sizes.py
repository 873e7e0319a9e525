"""The numbers of lemmas and theorems: printed ones as printed, tight ones against what they promise."""

from fractions import Fraction
from math import e, exp, log

import numpy as np
import pytest
from scipy.special import bdtrc

from privpac.mechanisms.selection.exponential import SparseExponential
from privpac.papers.yan25.sizes import (
    Subsets,
    improper_size,
    log_star,
    losses,
    median_size,
    printed_second,
    printed_subsets,
    proper_size,
    sample_size,
    second_size,
    slack,
    split,
    steps,
    subset_size,
    votes_needed,
)
from privpac.privacy.budget import Budget
from tests.grid import over

pytestmark = pytest.mark.papers


@over(
    ("x", "times"),
    [(0.5, 0), (1, 0), (1.5, 1), (2, 1), (2.1, 2), (4, 2), (16, 3), (17, 4), (65536, 4), (65537, 5)],
)
def test_the_iterated_logarithm(x, times):
    assert log_star(x) == times


def test_numbers_beyond_floats_have_one():
    assert log_star(2**65536) == 5
    assert log_star(2**65536 + 1) == 5  # the logarithm is a float


def test_theorem_3_by_hand():
    assert sample_size(0.1, 0.05) == pytest.approx(480 * (10 * log(480 * e) + log(100)))
    assert sample_size(0.1, 0.05, vc=2) == pytest.approx(480 * (20 * log(480 * e) + log(100)))


def test_theorem_3_on_thresholds():
    """Two thresholds that differ on no more than α/10 of the records differ by less than α: all gaps at once."""
    α, β, rng = 0.3, 0.5, np.random.default_rng(3)
    m = int(sample_size(α, β))
    failed = 0
    for _ in range(40):
        ends = np.sort([0.0, 1.0, *rng.random(m)])
        few = int(α / 10 * m)  # the most records that two cuts may have between them
        failed += (ends[few + 1 :] - ends[: -few - 1]).max() >= α
    assert failed == 0


def test_theorem_9_has_alg_2s_form_at_one_third():
    L = log_star(2**64)
    assert median_size(2**64, 1 / 3, 0.01, 0.5, 1e-7) == pytest.approx(L * log(L / 1e-9) ** 2 / 0.5)
    assert median_size(2**64, 1 / 6, 0.01, 0.5, 1e-7) == pytest.approx(2 * L * log(L / 1e-9) ** 2 / 0.5)
    assert median_size(1, 1 / 3, 0.01, 0.5, 1e-7) > 0


@over("ε", [0.1, 1.0, 3.0])
@over("δ", [1e-3, 1e-9])
@over("k", [1, 7])
def test_votes_that_suffice_do_and_one_less_does_not(ε, δ, k):
    cost, β = Budget(ε, δ), 0.01
    choose = SparseExponential(cost, k)
    q = votes_needed(cost, β, k)
    assert float(choose.law({"x": q})[None]) <= β
    assert float(choose.law({"x": q - 1})[None]) > β
    assert q < slack(q, β, ε, δ, k)


def test_theorem_11_is_a_fixed_point():
    α, β, ε, δ, d = 0.1, 0.05, 1.0, 1e-6, 2**64
    t = printed_subsets(d, β, ε, δ)
    n = median_size(d, 1 / 3, β / (t + 2), ε / 2, δ / 2)
    assert t == pytest.approx(max(n, 6 * slack(n, β / (t + 2), ε / 2, δ / 2)))
    assert improper_size(d, α, β, ε, δ) == pytest.approx(t * sample_size(α, β / (t + 2)))
    assert proper_size(d, α, β, ε, δ) == improper_size(d, α, β, ε, δ) + printed_second(α, β, ε, δ)
    assert improper_size(d, α, β, 9.0, δ) == improper_size(d, α, β, 4.0, δ)


@over("α", [0.01, 0.1, 0.4])
@over("β", [0.3, 1e-6])
def test_one_subset(α, β):
    m = subset_size(α, β)
    assert (1 - α) ** m <= β < (1 - α) ** (m - 1)
    assert m < sample_size(α, β) / 100


@over("e", [0, 5, 40])
@over("α", [0.05, 0.3])
def test_the_split_is_enough_and_the_least(e, α):
    choice, β = Budget(1, 1e-6), 0.05
    q = votes_needed(choice, β / 3)

    def enough(t, m):
        r = (t + 1) // 2 - e
        return r >= q and bdtrc(r - 1, t, (1 - α) ** m) <= β / 3

    found = split(lambda t: e, choice, α, β)
    assert enough(*found)
    fewer = [Subsets(t, m) for m in range(1, 100) for t in range(1, found.records // m)]
    assert all(s.records > 0.98 * found.records for s in fewer if enough(*s))


def test_a_median_without_a_bound_is_refused():
    with pytest.raises(ValueError, match="no certified rank error"):
        split(lambda t: None, Budget(1, 1e-6), 0.1, 0.05)


def test_steps():
    assert [steps(Fraction(1, 10), h) for h in (0, 1, 19, 20, 21)] == [0, 1, 19, 20, 20]
    assert steps(Fraction(3, 10), 99) == 7


def asked(ε0, α=Fraction(1, 5), β=0.05, θ=Fraction(1, 25), T=4):
    return second_size(Budget(ε0), α, β, θ, T)


def test_the_way_down_asks_for_more_where_more_is_asked_of_it():
    sizes = [asked(ε0) for ε0 in ("0.05", "0.1", "0.2", "0.4")]
    assert sizes == sorted(sizes, reverse=True)
    assert asked("0.1", T=1) < asked("0.1") < asked("0.1", T=8)
    assert asked("0.1") < asked("0.1", α=Fraction(1, 10))
    assert asked("0.1") < asked("0.1", β=0.001)


@pytest.mark.parametrize("T", [1, 4, 30])
def test_what_the_way_down_loses(T):
    """20 000 ways of T choices, each among as many children as Theorem 4 allows, one without a loss."""
    ε0, β, θ, rng = 0.1, 0.2, 0.04, np.random.default_rng(T)
    noise, value, _ = losses(Budget(str(ε0)), β, Fraction(1, 25), T)
    drawn = rng.geometric(1 - exp(-ε0), (20_000, T)) - rng.geometric(1 - exp(-ε0), (20_000, T))
    assert (np.abs(drawn).max(axis=1) > noise).mean() <= β
    k, steps_apart = 1 + int(2 / θ / T), np.arange(4000)  # the others lose 0, 1, 2, …, the worst of which is looked for
    weights = np.exp(-ε0 / 2 * steps_apart)
    worst = [(d, 1 - 1 / (1 + (k - 1) * weights[d])) for d in range(0, 400, 20)]
    assert all((d * rng.binomial(T, p, 20_000) > value).mean() <= β for d, p in worst)


def test_the_way_down_asks_for_the_least_that_is_enough():
    each, α, β, θ, T = Budget("0.1"), 0.2, 0.05, 0.04, 4
    n, lost = asked("0.1"), losses(each, β / 4, Fraction(1, 25), T)

    def enough(n):
        K, b = θ * n + sum(lost), α * n - 1
        beyond = 2 * (2 * n + 1) * exp(-((b - K) ** 2) / (2 * (b + K)))
        return b > K and lost[0] <= θ * n / 2 and beyond <= β / 4

    assert enough(n)
    assert not enough(n - 1)


def test_the_hypergeometric_bound_behind_the_way_down():
    """Of B + K marked among 2n, at most K fall into a half: at most exp(−(B − K)²/(2(B + K)))."""
    rng = np.random.default_rng(2)
    for n, B, K in ((50, 30, 10), (200, 60, 30), (1000, 40, 12)):
        drawn = rng.hypergeometric(B + K, 2 * n - B - K, n, size=20_000)
        assert (drawn <= K).mean() <= exp(-((B - K) ** 2) / (2 * (B + K))) + 0.02
