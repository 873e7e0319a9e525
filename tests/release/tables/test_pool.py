"""The pool: the tree finds strong dependences, and the descent fits all pairs."""

import numpy as np
import pytest

from privpac.release.tables.noisy_tables import NoisyTables, column_pairs
from privpac.release.tables.pool import PARTS, Pool, pool_of
from privpac.release.tables.synthetic_rows import chow_liu, information
from tests.release.set_counts import set_counts

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
PAIRS = column_pairs(4)


def counted(rows, weights=None):
    """The counts of all pairs."""
    return set_counts(rows, np.ones(len(rows), dtype=np.int64) if weights is None else weights, SHAPE, PAIRS)


TRUE = counted(ROWS)


@pytest.mark.slow
def test_without_noise_the_pool_has_all_pairs():
    pool = pool_of(NoisyTables.of(TRUE, SHAPE, PAIRS, 1e-6, N, total=N))
    off = np.abs(counted(pool.rows, pool.weights) / PARTS - TRUE)
    assert off.max() < 0.004 * N
    assert pool.weights.sum() / PARTS == pytest.approx(N, abs=1)


@pytest.mark.slow
def test_the_descent_is_better_than_the_tree_alone():
    pairs = NoisyTables.of(TRUE, SHAPE, PAIRS, 1e-6, N, total=N)
    pool = pool_of(pairs)
    alone = counted(pool.rows) * (N / len(pool.rows))
    fitted = counted(pool.rows, pool.weights) / PARTS
    assert np.abs(fitted - TRUE).sum() < np.abs(alone - TRUE).sum() / 5


@pytest.mark.slow
def test_equal_counts_have_equal_pools():
    one, other = (pool_of(NoisyTables.of(TRUE, SHAPE, PAIRS, 100.0, N, total=N)) for _ in range(2))
    assert (one.rows == other.rows).all()
    assert (one.weights == other.weights).all()


@pytest.mark.parametrize("n", [0, 1, 7])
def test_few_records_have_a_pool_too(n):
    pool = pool_of(NoisyTables.of(counted(ROWS[:n]), SHAPE, PAIRS, 100.0, n, total=n))
    assert pool.weights.sum() / PARTS == pytest.approx(n, abs=0.01)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("variance", [1e6, 1e9, 1e15])
def test_a_pool_holds_n_records_however_large_the_noise_is(variance):
    noise = np.rint(RNG.normal(0, variance**0.5, len(TRUE))).astype(np.int64)
    pool = pool_of(NoisyTables.of(TRUE + noise, SHAPE, PAIRS, variance, 100, total=100))
    assert pool.weights.sum() / PARTS == pytest.approx(100, abs=0.1)


def test_the_tree_is_the_best_of_all_trees():
    """Three columns have three trees."""
    for _ in range(50):
        tables = {pair: RNG.random((3, 3)) ** 3 for pair in ((0, 1), (0, 2), (1, 2))}
        first, *found = chow_liu(tables, 3)
        assert first == (None, 0)
        told = {pair: information(table) for pair, table in tables.items()}
        taken = sum(told[min(edge), max(edge)] for edge in found)
        assert taken == pytest.approx(sum(told.values()) - min(told.values()))


def test_a_text_that_holds_no_pool_is_refused():
    rows, weights = Pool(ROWS, np.ones(N, dtype=np.int64)).packed()
    assert (Pool.unpacked(rows, weights, 4).rows == ROWS).all()
    for wrong in ((rows, weights, 3), ("???", weights, 4), (rows, "AAAA", 4), (weights, weights, 4)):
        with pytest.raises(ValueError, match="pool"):
            Pool.unpacked(*wrong)
    with pytest.raises(ValueError, match="pool"):
        Pool.unpacked(rows, Pool(ROWS, -np.ones(N, dtype=np.int64)).packed()[1], 4)
    with pytest.raises(ValueError, match="pool"):  # their sum is 0 in 64 bits
        Pool.unpacked(rows, Pool(ROWS, np.full(N, 2**62)).packed()[1], 4)


def test_rows_of_another_width_are_refused_in_a_sentence():
    """Earlier versions wrote a second column beside a single one."""
    with pytest.raises(ValueError, match="of one column, read the file with that version"):
        Pool.unpacked(*Pool(np.array([[2, 0], [1, 0]]), np.array([5, 700])).packed(), width=1)
