"""The subsets that half-spaces cut off are exactly the linearly separable ones."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from privpac.classes.vectors.separable_subsets import cuts
from tests.grid import over


def separable(V, positive):
    """Whether w·x − b ≥ 1 on the positives and ≤ −1 elsewhere has a solution: a linear program, feasible or not."""
    sign = np.where(positive, 1, -1)
    constraints = -sign[:, None] * np.hstack([V, -np.ones((len(V), 1))])
    bounds = [(None, None)] * (V.shape[1] + 1)
    return linprog(np.zeros(V.shape[1] + 1), A_ub=constraints, b_ub=-np.ones(len(V)), bounds=bounds).status == 0


def assert_cuts(V):
    V = np.array(V)
    found = cuts(V)
    rows = set(map(tuple, found.labels.tolist()))
    proper = (row for row in product([False, True], repeat=len(V)) if 0 < sum(row) < len(V))
    assert rows == {row for row in proper if separable(V, np.array(row))}
    assert len(rows) == len(found.labels)
    values = found.normals.astype(object) @ V.T.astype(object)
    assert ((values >= found.biases[:, None]) == found.labels).all()


@pytest.mark.audit
@over("d", [1, 2, 3, 4, 5])
def test_random_points(d):
    rng = np.random.default_rng(d)
    for n in range(1, 8):
        V = np.unique(rng.integers(0, 4, (n, d)), axis=0)  # small, so that many points share a hyperplane
        assert_cuts(V)


@pytest.mark.parametrize(
    "V",
    [
        [(0, 0), (1, 1), (2, 2), (5, 5)],
        [(0, 0, 7), (1, 2, 7), (2, 4, 7), (3, 6, 7)],
        [(0, 0, 0), (1, 1, 1), (2, 2, 2), (0, 1, 0), (1, 2, 1)],
        [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (1, 1, 1, 0), (2, 1, 0, 0), (0, 0, 0, 0)],
        [(3, 4, 5)],
        [(0, 0), (2, 1), (4, 2), (1, 3), (3, 1), (-5, 2)],
    ],
)
def test_points_that_do_not_span(V):
    assert_cuts(V)


def test_points_far_apart_do_not_overflow():
    V = np.array([(0, 0), (2**62, 1), (-(2**62), 3), (5, -(2**61)), (2**61, 2**60)])
    found = cuts(V)
    values = found.normals.astype(object) @ V.T.astype(object)
    assert ((values >= found.biases[:, None]) == found.labels).all()
    lines = len(V) * (len(V) - 1) // 2  # in general position
    assert len(found.labels) == 2 * lines


def test_the_count_of_a_planar_set_is_that_of_its_arrangement():
    rng = np.random.default_rng(5)
    for _ in range(20):
        V = np.unique(rng.integers(0, 6, (12, 2)), axis=0)
        through = {
            frozenset(k for k, z in enumerate(V) if np.linalg.det([y - x, z - x]).round() == 0)
            for i, x in enumerate(V)
            for y in V[i + 1 :]
        }
        assert len(cuts(V).labels) == 2 * sum(len(line) - 1 for line in through)
