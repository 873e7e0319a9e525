"""[GGKM21, §6, App.]: what is printed fails, what the code does instead holds. Entries: docs/errata/GGKM21.md."""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest
from flint import arb

from privpac.audit.exact_divergence import divergence
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.values.points import Points
from privpac.dimensions import littlestone_dimension, vc_dimension
from privpac.dimensions.oracle import ListedOracle
from privpac.mechanisms.algorithm import law_of
from privpac.papers.ggkm21.lower_bounds import subsample_records, theorem_6_8, theorem_6_9
from privpac.papers.ggkm21.minimax import irreducible_enough, minimax_set, most_members, printed_members
from privpac.papers.ggkm21.proper import PolyPriPropLearn
from privpac.papers.ggkm21.sanitizer import (
    FoolingGame,
    appendix_c_epsilon,
    corollary_6_7,
    error_queries,
    labeled_dual,
)
from privpac.papers.ggkm21.trees import soa_functions
from privpac.privacy.accounting.concentrated import Concentrated
from privpac.privacy.budget import Budget
from tests.dimensions.oracles import random_rows
from tests.grid import over
from tests.papers.ggkm21.test_minimax import value

pytestmark = pytest.mark.papers


@over("C0", [1, 2, 8])
@over("d", [1, 3, 10])
def test_the_printed_sample_is_too_small_for_its_proof(C0, d):
    """E-GGKM21-11, as printed: at n = ⌈C₀d/α²⌉ Theorem 2.1 promises more than α."""
    α = 0.1
    n = printed_members(d, Fraction(1, 10), C0)
    assert C0 * sqrt((d + log(2)) / n) > 1.02 * α
    assert C0 * sqrt((d + log(2)) / (C0**2 * (d + log(2)) / α**2)) == pytest.approx(α)  # what the proof asks for


def test_fewer_points_and_fewer_concepts_are_enough():
    """E-GGKM21-11, as corrected: points, which are n − 2-irreducible, have a concept near their SOA and a small set."""
    α = Fraction(1, 10)
    k = irreducible_enough(80, 80, α)
    assert k == 42
    assert 80 * 0.9**k <= 1 < 80 * 0.9 ** (k - 1)
    assert value(np.eye(80), np.zeros(80)) == pytest.approx(1 / 80)  # 78-irreducible, so that v ≤ α
    H = minimax_set(np.eye(80, dtype=bool), np.zeros(80, dtype=bool), α)
    assert H.error <= 2 * α
    assert len(H) <= most_members(80, 80, α) == 80
    assert most_members(10**4, 10**9, α) == 213 < printed_members(3, α) < 1000 * log(2)


def no_irreducible_class_has(F, k, labels):
    return all(tuple(h(list(F.points)).tolist()) != labels for h in soa_functions(F, k))


def test_there_need_not_be_a_class():
    """E-GGKM21-13, as printed: nowhere is the SOA of no 4-irreducible class of 4 points; and η/2 is not β/2."""
    assert no_irreducible_class_has(ListedOracle(np.eye(4, dtype=int)), 4, (False,) * 4)
    η, β = 0.5, 0.01
    assert 1 - η / 2 < 1 - β < 1 - β / 2


def test_a_concept_in_all_cases():
    """E-GGKM21-13, as corrected: whatever labels step 1 returns, the output is in F; step 1 may fail with β/2."""
    learner = PolyPriPropLearn(Points(4), Budget(1, 1e-6), 0.25, 0.05, "printed")
    assert learner.numbers.improper.beta == Fraction(1, 40)
    F = learner.whole.F
    concepts = {tuple(row) for row in F.matrix.tolist()}
    for labels in product((False, True), repeat=4):
        σ = F.hypothesis(np.array(labels))
        law = law_of(lambda ask, σ=σ: learner.nearest(σ, [(0, True)], ask))
        assert {tuple(h(list(F.points)).tolist()) for h in law} <= concepts


CONSTANTS = ExplicitClass([[0], [1]], points=["x"], concepts=["never", "always"])


def test_right_or_wrong():
    """E-GGKM21-14, as printed: for a sample that f fits, one definition asks for 1 and the other for 0."""
    S = [("x", True)] * 4
    right = sum(CONSTANTS["always"][0] == y for _, y in S) / 4
    wrong = sum(CONSTANTS["always"][0] != y for _, y in S) / 4
    assert (right, wrong) == (1, 0)


def test_the_error_is_answered():
    """E-GGKM21-14, as corrected: the queries of the game are the errors."""
    Q, S = error_queries(CONSTANTS), [("x", True), ("x", True), ("x", False)]
    assert dict(zip(Q.concepts, Q.matrix_on(S).sum(axis=1).tolist(), strict=True)) == {"never": 2, "always": 1}


def test_no_record_for_a_mean():
    """E-GGKM21-15, as printed: d* = 0, and (32) vanishes as d* does, though a private mean takes records."""
    assert littlestone_dimension(CONSTANTS.dual()).value == 0
    assert vc_dimension(CONSTANTS).value == littlestone_dimension(CONSTANTS).value == 1
    near_zero = corollary_6_7(1, 1, 1e-60, alpha=0.1, beta=0.05, epsilon=1, delta=1e-6)
    assert abs(near_zero) < 1e-17
    assert theorem_6_9(1, alpha=0.1, beta=0.05, epsilon=0.1, delta=1e-6) > 10


def test_the_dual_of_labeled_points():
    """E-GGKM21-15, as corrected: 2d* + 1 = 1, which is attained here; and (32) asks for records."""
    assert littlestone_dimension(error_queries(CONSTANTS).dual()).value == labeled_dual(0) == 1
    assert corollary_6_7(1, 1, labeled_dual(0), alpha=0.1, beta=0.05, epsilon=1, delta=1e-6) > 1e6


def test_two_values_of_tau():
    """E-GGKM21-16, as printed: the theorem's τ₀ is the square; the rounds fail with more than β/2 if δ > 1/e; and
    real and synthetic points have labels that no concept fits."""
    for T0, δ in [(100, 1e-6), (7, 0.5)]:
        τ = 1 / sqrt(T0 * log(1 / δ))
        assert 1 / (T0 * log(1 / δ)) == pytest.approx(τ**2)
        assert (T0 * τ**2 / 2 > 1 / 2) == (δ > 1 / exp(1))
    both = [("x", False), ("x", True)]  # a real point, and the same one from the generator
    assert not any(all(CONSTANTS[c][0] == y for _, y in both) for c in CONSTANTS.concepts)


def test_the_rounds_of_the_game_fail_with_beta_in_all():
    """E-GGKM21-16, as corrected: T draws from 2|F| answers, each off by more than the slack with β/T at most."""
    game = FoolingGame(error_queries(CONSTANTS), Budget(1, 0.5), Fraction(1, 4))
    slack, K = game._slack(game.T, float(game.round_cost.epsilon)) - 1, 2 * game.queries.size
    assert game.T * K * exp(-float(game.round_cost.epsilon) * slack / 2) == pytest.approx(float(game.beta))
    seen = []
    game.run(game.check([("x", True)] * 3), lambda mechanism, scores: seen.append(scores) or 0)
    assert all(len(scores) == K and (scores == -np.roll(scores, 2)).all() for scores in seen)


@over("T0", [10, 1000, 10**6])
def test_app_c_costs_twenty(T0):
    """E-GGKM21-17, as printed: with App. C's own τ₀, ε = 20.5 at δ = 10⁻⁶, whatever T₀ is."""
    δ = 1e-6
    τ = 1 / sqrt(T0 * log(1 / δ))
    each = 6 * τ + τ
    ε = sqrt(2 * T0 * log(1 / δ)) * each + 3 * T0 * each**2
    assert ε == pytest.approx(20.54, abs=0.01)
    assert appendix_c_epsilon(δ) == pytest.approx(ε)


def test_a_smaller_tau_costs_one():
    """E-GGKM21-17, as corrected: a twelfth of it does for δ = 10⁻⁶; the game stays within its cost by zCDP."""
    assert appendix_c_epsilon(1e-6, 1 / 12) < 1 < appendix_c_epsilon(1e-6, 1 / 10)
    game = FoolingGame(error_queries(CONSTANTS), Budget(1, 1e-6), Fraction(1, 20))
    rounds = Concentrated(game.round_cost.epsilon**2 / 8 * game.T)
    assert rounds.at_delta(1e-6).epsilon <= 1


def test_published_records_serve_every_epsilon():
    """E-GGKM21-18, as printed: (0, 0.1)-private, and right with 83,012 records, while V/(εα) exceeds any number."""
    q = 0.1
    P, Q = {"": arb(1 - q), "a": arb(q)}, {"": arb(1 - q), "b": arb(q)}  # what becomes of the record that differs
    assert float(divergence(P, Q, 0)) == pytest.approx(q)
    n, α = subsample_records(2, alpha=0.019, beta=0.01), 0.019
    assert 4 * (1 - q + q * exp(-2 * α**2)) ** n <= 0.01
    assert α < 1 / 50
    for constant in (1, 1e-3, 1e-6):
        assert constant * 1 / (1e-12 * α) > n


def test_the_bound_stops_where_delta_lets_it():
    """E-GGKM21-18, as corrected: at δ = 0.1 it stays below what suffices; for δ ≪ ε it grows with 1/ε."""
    bounds = [theorem_6_9(1, alpha=0.019, beta=0.01, epsilon=ε, delta=0.1) for ε in (1, 0.1, 1e-6, 1e-12)]
    assert max(bounds) == 32 <= subsample_records(2, alpha=0.019, beta=0.01)
    small = [theorem_6_9(1, alpha=0.019, beta=0.01, epsilon=ε, delta=ε / 1000) for ε in (1e-3, 1e-6)]
    assert small[1] / small[0] == pytest.approx(1000, rel=0.01)


def test_one_half_is_always_near():
    """E-GGKM21-19, as printed: within ½ of every share of every sample, from one record on, at no cost."""
    shares = [Fraction(wrong, n) for n in range(1, 30) for wrong in range(n + 1)]
    assert all(abs(Fraction(1, 2) - share) <= Fraction(1, 2) for share in shares)
    assert 10**3 * sqrt(10**8) / (0.5 * 0.5**2) > 10**7  # what is printed, with constants 1


def test_below_one_half():
    """E-GGKM21-19, as corrected: nothing is claimed from α = ½ on."""
    claims = [theorem_6_8(10**8, 10**3, alpha=α, beta=0.01, epsilon=0.5, delta=0) for α in (0.49, 0.5, 0.9)]
    assert claims[0] > 10**7
    assert claims[1:] == [None, None]


def test_points_are_not_closed():
    """E-GGKM21-20, as printed: on any finite set, almost all points of ℕ agree with nowhere; no value of thresholds."""
    seen = set(range(100))
    assert all(not any(x == n for x in seen) for n in range(100, 200))  # the limit, 0, is not a point function
    for D in ({3: 0.5, 70: 0.5}, dict.fromkeys(range(40), 1 / 40)):  # min over D of max over x: wrong far out
        assert max(sum(p for n, p in D.items() if x >= n) for x in range(100)) == pytest.approx(1)
    P = {5: 0.5, 9: 0.5}  # max over P of min over n: no P is
    assert min(sum(p for x, p in P.items() if x >= n) for n in range(20)) == 0


def test_finite_games_have_a_value():
    """E-GGKM21-20, as corrected: on finitely many points, inf sup = sup inf; the two linear programs agree."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        F = np.array(random_rows(rng, 10, 6))
        σ = rng.integers(2, size=F.shape[1])
        right = np.equal(F, σ).T.astype(int)  # the column player's game: its value is 1 − v
        assert 1 - value(right, np.zeros(len(F), dtype=int)) == pytest.approx(value(F, σ), abs=1e-7)


def gaussian_marginals(d, alpha=0.1):
    """Records for d one-way marginals within α by Gaussian noise, (1, 10⁻⁶), failure 1 %: n = √(d/(2ρ))·z/α."""
    ρ = float(Concentrated.within(Budget(1, 1e-6)).rho)
    return sqrt(d / (2 * ρ)) * sqrt(2 * log(2 * d / 0.01)) / alpha


def test_marginals_take_fewer_than_their_number():
    """E-GGKM21-12, as printed: no polynomial of log d makes d a lower bound; here (ln d)¹⁰."""
    d = 1e70
    assert gaussian_marginals(d) < d / log(d) ** 10


def test_marginals_take_the_square_root():
    """E-GGKM21-12, as corrected: what suffices stays above √d, for every d."""
    assert all(gaussian_marginals(10.0**k) > sqrt(10.0**k) for k in range(1, 80))
