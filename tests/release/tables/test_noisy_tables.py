"""Consistent pairs: what singles and tables must satisfy, and what shrinking is for."""

import numpy as np
import pytest

from privpac.release.tables.noisy_tables import NoisyTables, column_pairs
from tests.release.set_counts import set_counts

RNG = np.random.default_rng(11)
SHAPE = (3, 2, 4)
ROWS = np.stack([RNG.integers(0, side, 5000) for side in SHAPE], axis=1)
PAIRS, ONES = column_pairs(3), np.ones(5000, dtype=np.int64)
TRUE = set_counts(ROWS, ONES, SHAPE, PAIRS)


def noisy(sigma, rng=RNG):
    return TRUE + np.rint(rng.normal(0, sigma, TRUE.shape)).astype(np.int64)


def test_counts_of_pairs_are_those_of_the_definition():
    tables = NoisyTables.of(TRUE, SHAPE, PAIRS, 1.0, 5000, total=5000).noisy
    for (i, j), table in tables.items():
        for a in range(SHAPE[i]):
            for b in range(SHAPE[j]):
                assert table[a, b] == ((ROWS[:, i] == a) & (ROWS[:, j] == b)).sum()


def test_a_record_that_is_replaced_changes_two_counts_of_each_pair():
    others = ROWS.copy()
    others[0] = (others[0] + 1) % SHAPE
    change = set_counts(others, ONES, SHAPE, PAIRS) - TRUE
    assert (change**2).sum() == 2 * 3
    assert set(change.tolist()) == {-1, 0, 1}


@pytest.mark.parametrize("sigma", [0, 30, 3000])
def test_all_tables_agree_with_the_singles(sigma):
    pairs = NoisyTables.of(noisy(sigma), SHAPE, PAIRS, float(sigma**2) or 1e-9, 5000, total=5000)
    for single in pairs.singles:
        assert single.min() >= 0
        assert single.sum() == pytest.approx(5000)
    for (i, j), table in pairs.consistent.items():
        assert table.sum(axis=1) == pytest.approx(pairs.singles[i])
        assert table.sum(axis=0) == pytest.approx(pairs.singles[j])
        assert pairs.shrunk[i, j].min() >= 0
    if not sigma:
        assert np.concatenate([table.ravel() for table in pairs.consistent.values()]) == pytest.approx(TRUE)


def test_singles_use_all_tables():
    """Of 200 runs: the mean of two sums has a smaller error than either sum, which has √4·30 or √2·30."""
    rng, errors = np.random.default_rng(3), []
    for _ in range(200):
        pairs = NoisyTables.of(noisy(30, rng), SHAPE, PAIRS, 900.0, 5000, total=5000)
        errors.append(pairs.singles[0] - np.bincount(ROWS[:, 0]))
    assert np.std(errors) < 30 * np.sqrt(2)


def test_much_noise_leaves_only_independence():
    pairs = NoisyTables.of(noisy(1), SHAPE, PAIRS, 1e9, 5000, total=5000)
    for pair, shrunk in pairs.shrunk.items():
        assert shrunk == pytest.approx(pairs.independent(pair), rel=1e-3)


def test_an_unknown_total_is_estimated_and_never_exceeds_n():
    assert NoisyTables.of(TRUE, SHAPE, PAIRS, 1.0, 6000, total=None).total == 5000
    assert NoisyTables.of(TRUE, SHAPE, PAIRS, 1.0, 4000, total=None).total == 4000
    assert NoisyTables.of(-TRUE, SHAPE, PAIRS, 1.0, 4000, total=None).total == 0


@pytest.mark.parametrize("sets", [[(0, 1, 2)], [(0, 2), (1,)], [(0, 1), (1, 2)]])
def test_tables_of_any_sets_agree_with_the_singles(sets):
    true = set_counts(ROWS, ONES, SHAPE, sets)
    for sigma in (0, 300):
        rough = true + np.rint(RNG.normal(0, sigma, true.shape)).astype(np.int64)
        tables = NoisyTables.of(rough, SHAPE, sets, float(sigma**2) or 1e-9, 5000, total=5000)
        for chosen, table in tables.consistent.items():
            for axis, i in enumerate(chosen):
                others = tuple(other for other in range(len(chosen)) if other != axis)
                assert table.sum(axis=others) == pytest.approx(tables.singles[i])
        assert set(tables.shrunk) == {pair for pair in PAIRS if any(set(pair) <= set(each) for each in sets)}
        if not sigma:
            for (i, j), table in tables.pairs.items():
                assert table.ravel() == pytest.approx(set_counts(ROWS, ONES, SHAPE, [(i, j)]))
