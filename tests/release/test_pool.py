"""The pool: the tree finds strong dependences, and the descent fits all pairs."""

import numpy as np
import pytest

from privpac.release.pairs import NoisyPairs, pair_counts
from privpac.release.pool import PARTS, Pool, chow_liu, information, membership, pool_of

RNG = np.random.default_rng(5)
SHAPE = (4, 3, 2, 5)
N = 4000


def rows():
    """Column 1 follows column 0, column 3 follows columns 1 and 2 together; no tree has all of it."""
    a, c = RNG.integers(0, 4, N), RNG.integers(0, 2, N)
    b = np.where(RNG.random(N) < 0.8, a % 3, RNG.integers(0, 3, N))
    d = np.where(RNG.random(N) < 0.7, b + 2 * c, RNG.integers(0, 5, N))
    return np.stack([a, b, c, d], axis=1)


ROWS = rows()
TRUE = pair_counts(ROWS, None, SHAPE)


def test_without_noise_the_pool_has_all_pairs():
    pool = pool_of(NoisyPairs.of(TRUE, SHAPE, 1e-6, N, N))
    off = np.abs(pair_counts(pool.rows, pool.weights, SHAPE) / PARTS - TRUE)
    assert off.max() < 0.004 * N
    assert pool.weights.sum() / PARTS == pytest.approx(N, abs=1)


def test_the_descent_is_better_than_the_tree_alone():
    pairs = NoisyPairs.of(TRUE, SHAPE, 1e-6, N, N)
    pool = pool_of(pairs)
    alone = pair_counts(pool.rows, None, SHAPE) * (N / len(pool.rows))
    fitted = pair_counts(pool.rows, pool.weights, SHAPE) / PARTS
    assert np.abs(fitted - TRUE).sum() < np.abs(alone - TRUE).sum() / 5


def test_equal_counts_have_equal_pools():
    one, other = (pool_of(NoisyPairs.of(TRUE, SHAPE, 100.0, N, N)) for _ in range(2))
    assert (one.rows == other.rows).all()
    assert (one.weights == other.weights).all()


@pytest.mark.parametrize("n", [0, 1, 7])
def test_few_records_have_a_pool_too(n):
    pool = pool_of(NoisyPairs.of(pair_counts(ROWS[:n], None, SHAPE), SHAPE, 100.0, n, n))
    assert pool.weights.sum() / PARTS == pytest.approx(n, abs=0.01)


def test_the_tree_is_the_best_of_all_trees():
    """Three columns have three trees."""
    for _ in range(50):
        tables = [RNG.random((3, 3)) ** 3 for _ in range(3)]
        found = chow_liu(tables, [(0, 1), (0, 2), (1, 2)], 3)
        told = dict(zip([(0, 1), (0, 2), (1, 2)], map(information, tables), strict=True))
        taken = sum(told[min(edge), max(edge)] for edge in found)
        assert taken == pytest.approx(sum(told.values()) - min(told.values()))


def test_membership_counts_pairs():
    counted = np.ones(N) @ membership(ROWS, SHAPE)
    assert counted.tolist() == TRUE.tolist()


def test_a_text_that_holds_no_pool_is_refused():
    rows, weights = Pool(ROWS, np.ones(N, dtype=np.int64)).packed()
    assert (Pool.unpacked(rows, weights, 4).rows == ROWS).all()
    for wrong in ((rows, weights, 3), ("???", weights, 4), (rows, "AAAA", 4), (weights, weights, 4)):
        with pytest.raises(ValueError, match="pool"):
            Pool.unpacked(*wrong)
    with pytest.raises(ValueError, match="pool"):
        Pool.unpacked(rows, Pool(ROWS, -np.ones(N, dtype=np.int64)).packed()[1], 4)
