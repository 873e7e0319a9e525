"""The minimax set: its certificate by hand and by linear programming, its size, and what irreducibility it takes."""

from fractions import Fraction
from itertools import combinations
from math import log

import numpy as np
import pytest
from scipy.optimize import linprog

from privpac.dimensions.oracle import ListedOracle
from privpac.papers.ggkm21.minimax import irreducible_enough, minimax_set, most_members, printed_members, weights
from privpac.papers.ggkm21.trees import soa_functions
from tests.dimensions.oracles import random_rows
from tests.grid import over

pytestmark = pytest.mark.papers


def value(F, sigma) -> float:
    """v by linear programming: the least c with Σ_h D(h)·[h(x) ≠ σ(x)] ≤ c for all x."""
    wrong = (np.asarray(F) != np.asarray(sigma)).astype(float)
    K, n = wrong.shape
    solved = linprog(
        [*[0] * K, 1],
        A_ub=np.column_stack([wrong.T, -np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=[[*[1] * K, 0]],
        b_eq=[1],
    )
    return solved.fun


def sparse(n, k):
    return np.array([np.isin(np.arange(n), c) for j in range(k + 1) for c in combinations(range(n), j)])


def random_games(seed, how_many):
    rng = np.random.default_rng(seed)
    for _ in range(how_many):
        F = np.array(random_rows(rng, 14, 9), dtype=bool)
        yield F, rng.random(F.shape[1]) < 0.5


def test_the_certificate_is_exact():
    """``error`` is the exact maximum of the mixture, no less than the value of H, which is no less than that of F."""
    for F, σ in random_games(0, 50):
        H = minimax_set(F, σ, Fraction(1, 10))
        wrong = F[list(H.rows)] != σ
        mixture = [Fraction(sum(w for w, bad in zip(H.weights, column, strict=True) if bad)) for column in wrong.T]
        assert max(mixture) / sum(H.weights) == H.error
        assert float(H.error) >= value(F[list(H.rows)], σ) - 1e-9 >= value(F, σ) - 2e-9
        assert len(set(H.rows)) == len(H.rows) == len(H.weights)


def test_every_game_of_value_alpha_ends_within_twice_alpha():
    """At α just above v, for concepts that differ from σ in a few places: |H| and the error are as promised."""
    rng, values = np.random.default_rng(1), set()
    for _ in range(60):
        σ = rng.random(12) < 0.5
        F = σ ^ (rng.random((20, 12)) < rng.uniform(0.25, 0.35))
        α = Fraction(value(F, σ)).limit_denominator(10**6) + Fraction(1, 10**5)
        H = minimax_set(F, σ, α)
        assert H.error <= 2 * α
        assert len(H) <= most_members(12, 20, α)
        values.add(round(float(α), 3))
    assert len(values) > 10


def test_points_take_as_many_as_the_error_allows():
    """SOA of all points is nowhere; no fewer than 1/(2α) points can be near it, and H has no more."""
    for n, α in [(100, Fraction(1, 20)), (1000, Fraction(1, 50)), (64, Fraction(1, 8))]:
        H = minimax_set(np.eye(n, dtype=bool), np.zeros(n, dtype=bool), α)
        assert (len(H), H.error) == (1 / (2 * α), 2 * α)


@over("σ", [0, 5, 30])
def test_a_concept_is_its_own_set(σ):
    F = sparse(8, 2)
    H = minimax_set(F, F[σ], Fraction(1, 100))
    assert (H.rows, H.weights, H.error) == ((σ,), (1,), 0)


def test_a_hypothesis_far_from_all_concepts():
    """No promise, but the best that the rounds found, and as many rounds as planned: weights beyond 64 bits too."""
    F, σ = sparse(12, 1), np.ones(12, dtype=bool)
    assert float(minimax_set(F, σ, Fraction(1, 40)).error) == pytest.approx(value(F, σ), abs=0.02)
    far = minimax_set(np.eye(2, dtype=bool), ~np.eye(2, dtype=bool)[0] | True, Fraction(1, 200))
    assert far.error == Fraction(1, 2)


def test_irreducible_classes_have_a_near_concept():
    """Lemma 6.1 with its new k, for every irreducible sub-class of small classes; k − 1 may be too small."""
    rng = np.random.default_rng(2)
    classes = [np.array(random_rows(rng, 8, 6), dtype=bool) for _ in range(12)] + [np.eye(6, dtype=bool)]
    checked = 0
    for F in classes:
        oracle = ListedOracle(F)
        for α in (Fraction(1, 5), Fraction(2, 5), Fraction(3, 5)):
            k = irreducible_enough(len(oracle.points), len(oracle.matrix), α)
            for σ in soa_functions(oracle, k):
                assert value(oracle.matrix, σ(list(oracle.points))) <= α + 1e-9
                checked += 1
    assert checked > 100


def test_weights_double():
    """2^e relative to the least, in 64 bits or beyond."""
    assert weights(np.array([2, 5, 3])).tolist() == [1, 8, 2]
    assert weights(np.array([0, 70])).tolist() == [1, 2**70]


def test_the_numbers():
    assert most_members(10**6, 5, Fraction(1, 9)) == 5
    assert most_members(2, 10**6, Fraction(1, 2)) == 3
    assert irreducible_enough(10**6, 1, Fraction(1, 9)) == 1
    assert irreducible_enough(10**6, 1000, Fraction(1, 2)) == 10
    assert 1000 * Fraction(1, 2) ** 10 < 1 < 1000 * Fraction(1, 2) ** 9
    assert irreducible_enough(7, 1000, Fraction(1, 2)) == 7
    assert most_members(2**20, 10**9, Fraction(1, 100)) < 2.6 * log(2**20) * 100
    assert printed_members(3, Fraction(1, 10), 2) == 600


@pytest.mark.parametrize("α", [0, 1, -0.5])
def test_bad_accuracies(α):
    for asked in (lambda: minimax_set(np.eye(2), [0, 0], α), lambda: most_members(2, 2, α)):
        with pytest.raises(ValueError, match="alpha must lie strictly between 0 and 1"):
            asked()


def test_a_game_needs_a_move():
    with pytest.raises(ValueError, match="at least one concept and one point"):
        minimax_set(np.zeros((0, 3)), np.zeros(3), 0.1)
