"""Consistent pairs: what singles and tables must satisfy, and what shrinking is for."""

import numpy as np
import pytest

from privpac.release.pairs import NoisyPairs, column_pairs, pair_counts

RNG = np.random.default_rng(11)
SHAPE = (3, 2, 4)
ROWS = np.stack([RNG.integers(0, side, 5000) for side in SHAPE], axis=1)
TRUE = pair_counts(ROWS, None, SHAPE)


def noisy(sigma, rng=RNG):
    return TRUE + np.rint(rng.normal(0, sigma, TRUE.shape)).astype(np.int64)


def test_counts_of_pairs_are_those_of_the_definition():
    tables = NoisyPairs.of(TRUE, SHAPE, 1.0, 5000, 5000).noisy
    for (i, j), table in zip(column_pairs(3), tables, strict=True):
        for a in range(SHAPE[i]):
            for b in range(SHAPE[j]):
                assert table[a, b] == ((ROWS[:, i] == a) & (ROWS[:, j] == b)).sum()


def test_a_record_that_is_replaced_changes_two_counts_of_each_pair():
    others = ROWS.copy()
    others[0] = (others[0] + 1) % SHAPE
    change = pair_counts(others, None, SHAPE) - TRUE
    assert (change**2).sum() == 2 * 3
    assert set(change.tolist()) == {-1, 0, 1}


@pytest.mark.parametrize("sigma", [0, 30, 3000])
def test_all_tables_agree_with_the_singles(sigma):
    pairs = NoisyPairs.of(noisy(sigma), SHAPE, float(sigma**2) or 1e-9, 5000, 5000)
    for single in pairs.singles:
        assert single.min() >= 0
        assert single.sum() == pytest.approx(5000)
    for (i, j), table, shrunk in zip(pairs.pairs, pairs.consistent, pairs.shrunk, strict=True):
        assert table.sum(axis=1) == pytest.approx(pairs.singles[i])
        assert table.sum(axis=0) == pytest.approx(pairs.singles[j])
        assert shrunk.min() >= 0
    if not sigma:
        assert np.concatenate([table.ravel() for table in pairs.consistent]) == pytest.approx(TRUE)


def test_singles_use_all_tables():
    """Of 200 runs: the mean of two sums has a smaller error than either sum, which has √4·30 or √2·30."""
    rng, errors = np.random.default_rng(3), []
    for _ in range(200):
        pairs = NoisyPairs.of(noisy(30, rng), SHAPE, 900.0, 5000, 5000)
        errors.append(pairs.singles[0] - np.bincount(ROWS[:, 0]))
    assert np.std(errors) < 30 * np.sqrt(2)


def test_much_noise_leaves_only_independence():
    pairs = NoisyPairs.of(noisy(1), SHAPE, 1e9, 5000, 5000)
    for shrunk, alone in zip(pairs.shrunk, pairs.independent, strict=True):
        assert shrunk == pytest.approx(alone, rel=1e-3)


def test_an_unknown_total_is_estimated_and_never_exceeds_n():
    assert NoisyPairs.of(TRUE, SHAPE, 1.0, 6000, None).total == 5000
    assert NoisyPairs.of(TRUE, SHAPE, 1.0, 4000, None).total == 4000
    assert NoisyPairs.of(-TRUE, SHAPE, 1.0, 4000, None).total == 0
