"""Synthetic records: each cell gets its share of them, in random order."""

import numpy as np
import pytest

from privpac.exact.entropy import SYSTEM, Seeded
from privpac.refusals.refusal import Refused
from privpac.release.postprocessing.synthetic import spread


@pytest.mark.parametrize("counts", [[1], [3, 1], [0, 5, 0], [10**15, 1, 10**15], [-4, 7]])
@pytest.mark.parametrize("size", [0, 1, 2, 1000])
def test_every_cell_gets_its_share_rounded(counts, size):
    found = np.bincount(spread(counts, size, SYSTEM), minlength=len(counts))
    shares = np.maximum(counts, 0) * (size / sum(max(0, each) for each in counts))
    assert found.sum() == size and (np.abs(found - shares) <= 1).all()


def test_the_order_is_random():
    assert (spread([50, 50], 100, Seeded(1)) != spread([50, 50], 100, Seeded(2))).any()


@pytest.mark.parametrize("counts", [[], [0, 0], [-3]])
def test_nothing_shown_gives_no_records(counts):
    with pytest.raises(Refused, match="shows no records"):
        spread(counts, 10, SYSTEM)
