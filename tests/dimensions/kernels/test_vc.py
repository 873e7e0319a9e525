"""The compiled search for shattered sets: right, and the same in slices as at one go."""

from itertools import combinations
from time import process_time

import numpy as np
import pytest

from privpac.dimensions.bitset import bitsets
from privpac.dimensions.time_limit import Clock
from privpac.dimensions.vc import shattered
from tests.dimensions.oracles import naive_vc, random_rows

pytest.importorskip("numba")

from privpac.dimensions.kernels import vc as kernel


def searches(matrix, k):
    """The searches from all groups, each run to its end; what they find is shattered."""
    ended = [kernel.VcSearch(bitsets(matrix.T), len(matrix), k, start) for start in range(max(1, k - 1))]
    for search in ended:
        while (found := search.run()) is None:
            pass
        assert not found or len(np.unique(matrix[:, search.shattered], axis=0)) == 2**k
    return ended


def found(searches):
    return [search.t == search.k for search in searches]


def rich_rows(rng):
    """130 to 500 distinct rows on 8 to 13 points, which often shatter six to eight of them, or almost do."""
    n, d = rng.integers(8, 14), rng.integers(6, 9)
    cube = np.array(list(np.ndindex((2,) * d)), dtype=bool)
    places = rng.permutation(n)
    spans = [np.arange(n) // rng.integers(1, 4) % 2 == b for b in (0, 1)]
    matrix = rng.random((500, n)) < rng.choice([0.3, 0.5, 0.7])
    matrix[: len(cube), places[:d]] = cube
    match rng.integers(5):
        case 0:  # copies and complements
            matrix[:, places[d:]] = matrix[:, places[: n - d] % d] ^ (rng.random(n - d) < 0.5)
        case 1:  # parities
            matrix[:, places[d:]] = matrix[:, places[:d]] @ rng.integers(0, 2, (d, n - d)) % 2
        case 2:  # a concept of the cube or two are missing
            matrix = matrix[: len(cube)][rng.permutation(len(cube))[: -rng.integers(1, 3)]]
        case 3:  # few labels in each row, and intervals
            matrix = np.vstack(
                [matrix[matrix.sum(axis=1) <= n // 2], [s ^ (np.arange(n) < i) for s in spans for i in range(n)]]
            )
        case 4:  # nothing but chance
            matrix = rng.random((500, n)) < 0.5
    rows = np.unique(matrix, axis=0)
    return rows[rng.permutation(len(rows))[: max(130, rng.integers(1, len(rows) + 1))]]


@pytest.mark.slow
def test_k_points_are_found_iff_there_are():
    rng = np.random.default_rng()
    for _ in range(300):
        rows = random_rows(rng, 150, 7)
        matrix, truth = np.array(rows, dtype=bool), naive_vc(rows)
        for k in range(1, matrix.shape[1] + 1):
            assert any(found(searches(matrix, k))) == (truth >= k), rows


@pytest.mark.audit
def test_rich_classes_equal_the_plain_search():
    rng = np.random.default_rng()
    attempts = answers = 0
    for _ in range(1000):
        matrix = rich_rows(rng)
        for k in (6, 7, 8):
            plain = shattered(bitsets(matrix.T), len(matrix), k, Clock(None, None))
            ended = searches(matrix, k)
            assert any(found(ended)) == (plain is not None), matrix.astype(int).tolist()
            attempts += any(search.B.sizes.any() for search in ended)
            answers += plain is not None
    assert attempts > 100 and 300 < answers < 2700


def test_a_set_is_found_from_one_group_only():
    """Nine points of which five, and no others, are shattered: each five are found from exactly one of four groups."""
    cube = np.array(list(np.ndindex((2,) * 5)), dtype=bool)
    rng, starts = np.random.default_rng(), set()
    for points in combinations(range(9), 5):
        matrix = np.zeros((64, 9), dtype=bool)
        matrix[:32, points] = cube
        others = [x for x in range(9) if x not in points]
        matrix[32:, others] = rng.random((32, 1)) < 0.5
        matrix[32:48, others] = True
        ends = found(searches(matrix, 5))
        assert sum(ends) == 1
        starts.add(ends.index(True))
    assert starts == {0, 1, 2, 3}


@pytest.mark.slow
def test_a_slice_is_short():
    columns = bitsets(np.random.default_rng(1).random((60, 5000)) < 0.5)
    search = kernel.VcSearch(columns, 5000, 11, 3)
    search.run()  # compiled code is loaded
    times = [process_time()]
    for _ in range(20):
        assert search.run() is None
        times.append(process_time())
    assert max(np.diff(times)) < 0.3


def test_a_slice_goes_on_where_the_last_one_ended(monkeypatch):
    columns = bitsets(np.random.default_rng(1).random((12, 70)) < 0.5)
    whole = {k: shattered(columns, 70, k, Clock(None, None)) is not None for k in range(1, 7)}
    assert whole[3] and not whole[6]
    monkeypatch.setattr(kernel, "SLICE", 1)
    for k, expected in whole.items():
        ends, slices = [], 0
        for start in range(max(1, k - 1)):
            search = kernel.VcSearch(columns, 70, k, start)
            while (answer := search.run()) is None:
                slices += 1
            ends.append(answer)
        assert any(ends) is expected
        assert slices >= k - 1 or not expected
