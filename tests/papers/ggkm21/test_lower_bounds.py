"""Lower bounds on releases: the attack that proves them, by exhaustion; where they hold; a release that meets them."""

from fractions import Fraction
from itertools import product
from math import comb, exp, expm1

import numpy as np
import pytest
from flint import arb

from privpac.audit.exact_divergence import divergence, loss
from privpac.papers.ggkm21.lower_bounds import subsample_records, theorem_6_8, theorem_6_9
from privpac.privacy.rounding import ball
from tests.grid import over

pytestmark = pytest.mark.papers


def bits(v):
    return [np.array(each) for each in product((0, 1), repeat=v)]


@over(("v", "k", "filler"), [(2, 1, 0), (3, 2, 1), (4, 1, 3)])
def test_good_answers_show_the_bits(v, k, filler):
    """Any two secrets that answers within α fit differ in at most 2αn/k bits, whatever the other records are."""
    n = k * v + filler

    def answers(s):
        return [Fraction(int(k * (f != s).sum() + filler * (f[0] != 1)), n) for f in bits(v)]

    for s, other in product(bits(v), repeat=2):
        apart = max(abs(a - b) for a, b in zip(answers(s), answers(other), strict=True))
        assert (s != other).sum() * k <= apart * n  # so that α ≥ apart/2 if both fit


@over(("ε", "δ", "k"), [(1, "0", 1), ("0.5", "0.01", 2), ("0.1", "0.02", 5)])
def test_a_bit_in_equal_records_is_guessed_wrong_so_often(ε, δ, k):
    """Randomized response that also shows its bit with probability δ is the best guess, and its groups no better."""
    ε, δ, growth = float(Fraction(ε)), float(Fraction(δ)), exp(float(Fraction(ε)))
    shown = {0: (1 - δ) * growth / (1 + growth), 1: (1 - δ) / (1 + growth), "it is 0": δ, "it is 1": 0.0}
    P = {outcome: arb(p) for outcome, p in shown.items()}
    Q = {0: P[1], 1: P[0], "it is 0": P["it is 1"], "it is 1": P["it is 0"]}
    assert float(divergence(P, Q, ε)) == pytest.approx(δ)
    wrong = float(P[1])
    assert wrong == pytest.approx((1 - δ) / (1 + growth))
    grouped = δ * expm1(k * ε) / expm1(ε)
    assert grouped == pytest.approx(sum(δ * exp(i * ε) for i in range(k)))


def excluded(n, V, α, β, ε, δ):
    """By the inequality itself: some k, v with kv ≤ n such that good answers show more than privacy allows."""
    for k in range(1, n + 1):
        v = min(V, n // k)
        δ_k = sum(δ * exp(i * ε) for i in range(k))
        if (1 - β) * min(2 * α * n / k, v) + β * v < v * (1 - δ_k) / (1 + exp(k * ε)):
            return True
    return False


@over("V", [1, 2, 7, 20])
@over(
    ("α", "β", "ε", "δ"),
    [(0.02, 0.01, 0.5, 0), (0.05, 0.05, 1, 1e-3), (0.1, 0.2, 0.1, 0.1), (0.2, 0.01, 1, 0), (0.15, 0.01, 0.01, 0)],
)
def test_fewer_are_excluded(V, α, β, ε, δ):
    least = theorem_6_9(V, alpha=α, beta=β, epsilon=ε, delta=δ)
    assert all(excluded(n, V, α, β, ε, δ) for n in range(1, least))
    assert least > 1 or not excluded(1, V, α, β, ε, δ)
    assert not excluded(least, V, α, β, ε, δ) or V > 1  # between multiples of k, a few more may be excluded


def test_the_bound_grows_as_printed_if_delta_is_small():
    """Linear in V, 1/α and 1/ε, with the constant 0.13."""
    for V, α, ε in [(10, 0.01, 0.01), (1000, 0.001, 0.01), (10, 0.001, 1e-6)]:
        n = theorem_6_9(V, alpha=α, beta=0.01, epsilon=ε, delta=1e-9 * ε)
        assert 0.13 < n * ε * α / V < 0.135
    assert theorem_6_9(5, alpha=0.4, beta=0.01, epsilon=1, delta=0) == 1  # such answers show no bit
    assert theorem_6_9(0, alpha=0.01, beta=0.01, epsilon=1, delta=0) == 1


def test_keeping_records_is_private_and_enough():
    """(0, q) exactly; and the exact chance that a share of the kept records is off by more than α."""
    q, α = Fraction(1, 10), 0.019

    def law(sample):
        kept = {}
        for which in product((0, 1), repeat=len(sample)):
            p = ball(q ** sum(which) * (1 - q) ** (len(sample) - sum(which)))
            outcome = tuple(sorted(r for r, w in zip(sample, which, strict=True) if w))
            kept[outcome] = kept.get(outcome, arb(0)) + p
        return kept

    assert float(divergence(law("aab"), law("aac"), 0)) == pytest.approx(0.1)
    assert not loss(law("aab"), law("aac")).is_finite()
    n = 400  # Hoeffding's bound against the truth, both queries at one half
    α = 0.15
    exact = sum(
        comb(n, m) * 0.1**m * 0.9 ** (n - m)
        * sum(comb(200, a) * comb(200, m - a) for a in range(max(0, m - 200), min(m, 200) + 1)
              if abs(2 * a - m) > 2 * α * m) / comb(n, m)
        for m in range(1, n + 1)
    )  # fmt: skip
    assert exact + 0.9**n < 2 * (0.9 + 0.1 * exp(-2 * α**2)) ** n
    assert subsample_records(2, alpha=0.019, beta=0.01) == 83012
    assert 4 * (0.9 + 0.1 * exp(-2 * 0.019**2)) ** 83012 < 0.01 < 4 * (0.9 + 0.1 * exp(-2 * 0.019**2)) ** 83011


def test_conjunctions():
    assert theorem_6_8(256, 10, alpha=0.1, beta=0.01, epsilon=0.5, delta=0) == pytest.approx(10 * 16 / 0.5 / 0.01)
    assert theorem_6_8(256, 10, alpha=0.1, beta=0.01, epsilon=0.5, delta=1e-4) == pytest.approx(1000)
    assert theorem_6_8(256, 10, alpha=0.1, beta=0.4, epsilon=0.5, delta=0) is None
    assert theorem_6_8(256, 2, alpha=0.1, beta=0.01, epsilon=0.5, delta=0) is None
    assert theorem_6_8(256, 129, alpha=0.1, beta=0.01, epsilon=0.5, delta=0) is None
    assert theorem_6_8(256, 3, alpha=0.9 * 256 ** (-1 / 12), beta=0.01, epsilon=1, delta=0) is None  # too accurate
    assert theorem_6_8(256, 9, alpha=0.49, beta=0.01, epsilon=1, delta=0) is not None


@pytest.mark.parametrize("wrong", [{"alpha": 0}, {"beta": 1}, {"epsilon": 0}, {"delta": 2}], ids=str)
def test_bad_goals_are_refused(wrong):
    goal = {"alpha": 0.1, "beta": 0.1, "epsilon": 1, "delta": 0} | wrong
    for bound in (lambda **g: theorem_6_9(3, **g), lambda **g: theorem_6_8(16, 4, **g)):
        with pytest.raises(ValueError, match="must lie strictly between 0 and 1"):
            bound(**goal)
