"""The compiled search for shattered sets: right, and the same in slices as at one go."""

import numpy as np
import pytest

from privpac.dimensions.bitset import bitsets
from privpac.dimensions.time_limit import Clock
from privpac.dimensions.vc import shattered
from tests.dimensions.oracles import naive_vc, random_rows

pytest.importorskip("numba")

from privpac.dimensions.kernels import vc as kernel


@pytest.mark.slow
def test_k_points_are_found_iff_there_are():
    rng = np.random.default_rng()
    for _ in range(300):
        rows = random_rows(rng, 150, 7)
        matrix, truth = np.array(rows, dtype=bool), naive_vc(rows)
        for k in range(1, matrix.shape[1] + 1):
            search = kernel.VcSearch(bitsets(matrix.T), len(matrix), k)
            found = search.run()
            assert found is (truth >= k), rows
            assert not found or len(np.unique(matrix[:, search.shattered], axis=0)) == 2**k


def test_a_slice_goes_on_where_the_last_one_ended(monkeypatch):
    columns = bitsets(np.random.default_rng(1).random((12, 70)) < 0.5)
    whole = {k: shattered(columns, 70, k, Clock(None, None)) is not None for k in range(1, 7)}
    assert whole[3] and not whole[6]
    monkeypatch.setattr(kernel, "SLICE", 1)
    for k, expected in whole.items():
        search, slices = kernel.VcSearch(columns, 70, k), 1
        while (answer := search.run()) is None:
            slices += 1
        assert answer is expected
        assert slices >= k or not answer
