"""[GGKM21]: what is printed fails, what is said instead holds. Entries: docs/errata/GGKM21.md."""

import pytest

from privpac.dimensions.irreducible import soa
from privpac.dimensions.littlestone import littlestone_dimension
from tests.dimensions import ggkm21


def test_two_points():
    """E-GGKM21-7, as printed: with d = 2 the dimension left is 1, and SOA is 1 everywhere."""
    rows = ggkm21.some_of_first(6, 2)
    assert littlestone_dimension(rows[rows[:, 5] == 0]).value == 1
    assert soa(rows).labels == (True,) * 6


@pytest.mark.parametrize("d", [3, 4, 5])
def test_three_points_or_more(d):
    """E-GGKM21-7, as corrected: with d ≥ 3 it is 2, and SOA is 1 exactly on the chosen points."""
    rows = ggkm21.some_of_first(d + 3, d)
    assert littlestone_dimension(rows[rows[:, -1] == 0]).value == 2
    assert soa(rows).labels == (True,) * d + (False,) * 3
