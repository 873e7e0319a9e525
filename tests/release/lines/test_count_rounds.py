"""Counts in rounds: cells always cover the line, the fit is that of least squares, and even records are recognized."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from privpac.mechanisms.lines.line_tree import LineTree
from privpac.release.lines.count_rounds import MOST_PARTS, Round, RoundPlan, all_even, cut_again, nearest
from tests.grid import over

RNG = np.random.default_rng(2)
TREES = [
    LineTree(501),
    LineTree(2**16),
    LineTree(2**64, 2**63),
    LineTree(2**64, 3),
    LineTree(1000, 1000),
    LineTree(2**900),
]


@over("tree", TREES)
def test_the_first_cells_are_few_and_cover_the_line(tree):
    plan = RoundPlan.of(tree)
    assert plan.edges[0] == 0 and plan.edges[-1] == tree.size and list(plan.edges) == sorted(set(plan.edges))
    assert len(plan.edges) <= 20 and set(plan.edges) <= {0, *tree.magnitudes(), tree.size, tree.origin}
    assert sum(plan.shares) == 1


@over("tree", TREES)
@over("voids", [False, True])
def test_cells_are_cut_where_records_are_and_void_ones_stay_apart(tree, voids):
    edges = RoundPlan.of(tree).edges + ((tree.size + 1,) if voids else ())
    for _ in range(50):
        counts = RNG.dirichlet(np.full(len(edges) - 1, 0.1)) * 100
        new = cut_again(tree, edges, counts, 100)
        assert list(new) == sorted(set(new)) and new[0] == 0 and new[-1] == edges[-1] and tree.size in new
        for (start, stop), count in zip(pairwise(edges), counts, strict=True):
            parts = sum(start <= edge < stop for edge in new)
            assert parts <= MOST_PARTS + 1
            assert parts > 1 or count < 31 or stop - start == 1


def test_cells_of_one_value_are_not_cut_and_empty_samples_keep_one_cell():
    assert cut_again(LineTree(8), (0, 1, 8), np.array([100.0, 0.0]), 100) == (0, 1, 8)
    assert cut_again(LineTree(8), (0, 1, 8), np.array([0.0, 0.0]), 0) == (0, 8)


def test_no_count_exceeds_the_total_however_large_the_noise_is():
    """A cell is cut in the more parts the more it holds: a rounding error must not ask for billions of them."""
    assert nearest([Round((0, 1, 2, 9), (-(10**30),) * 3, 1.0)], 5)[1].max() <= 5


def test_the_counts_are_those_of_least_squares():
    """Where no count is near 0, by the normal equations with the total as a constraint."""
    truth, n = np.array([100.0, 200.0, 300.0, 150.0, 250.0]), 1000
    rows = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1], *np.eye(5)])
    noisy = rows @ truth + RNG.normal(0, 5, 7)
    weights = np.array([0.25, 0.25, 1, 1, 1, 1, 1])
    system = np.block([[rows.T * weights @ rows, np.ones((5, 1))], [np.ones((1, 5)), np.zeros((1, 1))]])
    expected = np.linalg.solve(system, np.append(rows.T * weights @ noisy, n))[:-1]
    rounds = [Round((0, 2, 9), tuple(noisy[:2]), 100.0), Round((0, 1, 2, 4, 5, 9), tuple(noisy[2:]), 25.0)]
    edges, found = nearest(rounds, n)
    assert edges == (0, 1, 2, 4, 5, 9) and found == pytest.approx(expected, abs=1e-6)


@pytest.mark.slow
@over("n", [0, 1, 100])
def test_counts_are_possible_whatever_the_noise_is(n):
    for _ in range(20):
        rounds = [Round((0, 4, 9), tuple(RNG.integers(-(10**6), 10**6, 2).tolist()), 1e12)]
        rounds.append(Round((0, 1, 2, 9), tuple(RNG.integers(-500, 500, 3).tolist()), 2.0))
        found = nearest(rounds, n)[1]
        assert found.sum() == pytest.approx(n, abs=1e-6) and (found >= 0).all()


def test_noise_alone_is_even_and_other_records_are_not():
    edges, size, n = RoundPlan.of(LineTree(2**16)).edges, 2**16, 1000
    even = np.diff(edges) * n / size
    noise = RNG.laplace(0, 30, (1000, len(even)))
    taken = [all_even(Round(edges, tuple(even + each), 1800.0), size, n) for each in noise]
    assert np.mean(taken) > 0.9  # measured: .96
    low = np.append(even[1:], even[0])[::-1]
    assert not any(all_even(Round(edges, tuple(low + each / 10), 18.0), size, n) for each in noise)


def test_shares_are_exact():
    assert RoundPlan.of(LineTree(2**16)).shares == (Fraction(3, 10), Fraction(7, 10))
