"""The descent: rows are counted as tables are, and a low rank keeps noise out of the weights."""

import numpy as np
import pytest

from privpac.exact.entropy import entropy
from privpac.release.tables import pool as under_test
from privpac.release.tables.noisy_tables import NoisyTables, column_pairs
from privpac.release.tables.pool import dependent_rows, descent, membership
from tests.release.set_counts import set_counts

SHAPE, N = (6, 5, 6, 4, 5), 20_000
PAIRS, ONES = column_pairs(5), np.ones(N, dtype=np.int64)


def kinds(rng):
    """Three kinds of records: the dependence of all columns has rank 2."""
    kind = rng.integers(0, 3, N)
    laws = [rng.dirichlet(np.ones(side), 3).cumsum(axis=1) for side in SHAPE]
    return np.stack(
        [(rng.random(N)[:, None] > law[kind]).sum(axis=1).clip(max=law.shape[1] - 1) for law in laws], axis=1
    )


@pytest.mark.parametrize("sets", [PAIRS, [(0, 2, 3), (1,), (1, 4)]], ids=["pairs", "sets"])
def test_membership_counts_as_tables_do(sets):
    rows = kinds(np.random.default_rng(1))
    assert (np.ones(N) @ membership(rows, SHAPE, sets)).tolist() == set_counts(rows, ONES, SHAPE, sets).tolist()


def distance(rank, monkeypatch):
    """The mean distance of the fitted tables from the true ones, over two populations."""
    monkeypatch.setattr(under_test, "RANK", rank)
    apart = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        true = set_counts(kinds(rng), ONES, SHAPE, PAIRS)
        noisy = true + np.rint(rng.normal(0, 60, len(true))).astype(np.int64)
        tables = NoisyTables.of(noisy, SHAPE, PAIRS, 3600.0, N, total=N)
        rows = dependent_rows(tables, 6000, entropy(seed))
        apart.append(np.abs(descent(tables, rows) @ membership(rows, SHAPE, PAIRS) - true).sum())
    return np.mean(apart)


@pytest.mark.audit
def test_a_low_rank_keeps_noise_out(monkeypatch):
    """Seeds are fixed, so that this does not depend on luck."""
    assert distance(0.4, monkeypatch) < 0.95 * distance(0.0, monkeypatch)
