"""Consistent tables: the nearest ones by least squares, found here by a matrix that shares no code with them."""

from itertools import combinations, product
from math import prod

import numpy as np
import pytest

from privpac.release.postprocessing.consistency import as_tables, consistent_effects, nonnegative

SHAPE = (2, 3, 2, 4)


def design(chosen, shape):
    """A row for each cell of each table, a column for each combination of cells."""
    cells = list(product(*map(range, shape)))
    return np.array(
        [
            [all(cell[i] == v for i, v in zip(columns, place, strict=True)) for cell in cells]
            for columns in chosen
            for place in product(*(range(shape[i]) for i in columns))
        ],
        dtype=float,
    )


CHOSEN = {
    "all pairs": list(combinations(range(4), 2)),
    "all triples": list(combinations(range(4), 3)),
    "a chain": [(0, 1), (1, 2), (2, 3)],
    "singles": [(0,), (1,), (2,), (3,)],
    "of two sizes": [(0, 1, 2), (2, 3), (3,)],
}


@pytest.mark.parametrize("chosen", CHOSEN)
@pytest.mark.parametrize("total", [None, 50])
def test_they_are_the_nearest_tables_that_agree(chosen, total):
    tables, rng = CHOSEN[chosen], np.random.default_rng(7)
    A = design(tables, SHAPE)
    y = rng.integers(-20, 60, len(A)).astype(float)
    effects = consistent_effects(as_tables(y, tables, SHAPE), SHAPE, total)
    found = np.concatenate([effects.table(columns).ravel() for columns in tables])
    if total is None:
        expected = A @ np.linalg.lstsq(A, y, rcond=None)[0]
    else:  # weights of a given sum: an even start, and steps that add up to zero
        start = np.full(A.shape[1], total / A.shape[1])
        N = np.eye(A.shape[1])[:, 1:] - np.eye(A.shape[1])[:, :-1]
        expected = A @ (start + N @ np.linalg.lstsq(A @ N, y - A @ start, rcond=None)[0])
    assert found == pytest.approx(expected)
    assert effects.rank + 1 == np.linalg.matrix_rank(A)
    assert effects.total == pytest.approx(effects.table(tables[0]).sum())


def test_exact_tables_stay_as_they_are_and_others_follow():
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 9, SHAPE).astype(float)
    triples = {S: whole.sum(axis=tuple({*range(4)} - {*S})) for S in combinations(range(4), 3)}
    effects = consistent_effects(triples, SHAPE)
    for k in range(4):
        for S in combinations(range(4), k):
            assert effects.table(S) == pytest.approx(whole.sum(axis=tuple({*range(4)} - {*S})))


def test_nonnegative_numbers_are_the_nearest():
    rng = np.random.default_rng(3)
    for _ in range(20):
        y, total = rng.normal(0, 5, (3, 4)), float(rng.integers(0, 20))
        w = nonnegative(y, total)
        assert w.shape == y.shape and (w >= 0).all() and w.sum() == pytest.approx(total)
        shift = (y - w)[w > 0]  # the same everywhere where w > 0, and no smaller elsewhere
        assert np.ptp(shift) < 1e-9 if shift.size else total == 0
        assert not shift.size or ((y - w)[w == 0] <= shift[0] + 1e-9).all()


def test_tables_are_read_in_order():
    tables = as_tables(np.arange(10), [(0, 1), (3,)], SHAPE)
    assert tables[0, 1].tolist() == [[0, 1, 2], [3, 4, 5]] and tables[3,].tolist() == [6, 7, 8, 9]
    assert sum(map(np.size, tables.values())) == prod(SHAPE[:2]) + SHAPE[3]
