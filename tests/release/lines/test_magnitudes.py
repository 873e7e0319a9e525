"""Cells are cut by magnitude, without touching the counts that were known."""

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from privpac.mechanisms.lines.line_tree import LineTree
from privpac.release.lines.within_cells import MOST_BITS, cells_by_magnitude, never_decreasing
from tests.grid import over

RNG = np.random.default_rng(4)


@over(
    ("size", "origin"),
    [(1, 0), (1000, 0), (1000, 400), (1000, 1000), (2**64, 2**63), (2**200, 5), (2**200 + 1, 2**199)],
)
def test_known_counts_stay_and_new_ones_never_decrease(size, origin):
    tree = LineTree(size, origin)
    edges = [edge for edge in tree.magnitudes() if RNG.random() < 0.3]
    starts = tuple(sorted({0, *edges}))
    below = (0, *np.sort(RNG.integers(0, 500, len(starts))).tolist())
    new_starts, new_below = cells_by_magnitude(tree, starts, below)
    found = dict(zip((*new_starts, size), new_below, strict=True))
    assert {start: found[start] for start in (*starts, size)} == dict(zip((*starts, size), below, strict=True))
    assert list(new_starts) == sorted(set(new_starts)) and list(new_below) == sorted(new_below)
    assert set(new_starts) - set(starts) <= set(tree.magnitudes())


def test_the_two_cells_beside_the_origin_are_not_cut():
    assert cells_by_magnitude(LineTree(2**20, 2**19), (0, 2**19), (0, 40, 80)) == ((0, 2**19), (0, 40, 80))


def test_records_that_are_even_over_magnitudes_get_even_counts():
    """Beside cells of ten records for each magnitude, those of eight magnitudes share their eighty records evenly."""
    tree = LineTree(2**40)
    known = [0, *(2**k for k in range(2, 20)), *(2**k for k in range(28, 40))]
    below = (0, *(10 * k for k in (*range(2, 20), *range(28, 40))), 400)
    starts, found = cells_by_magnitude(tree, tuple(known), below)
    assert [found[starts.index(2**k)] for k in range(19, 29)] == [10 * k for k in range(19, 29)]


def test_lines_of_very_many_magnitudes_are_left_alone():
    size = 2 ** (MOST_BITS + 1)
    assert cells_by_magnitude(LineTree(size), (0, 7), (0, 1, 2)) == ((0, 7), (0, 1, 2))


def test_interpolation_is_that_of_scipy_inside_and_never_decreases():
    for _ in range(50):
        x = np.cumsum(RNG.random(9) + 0.01)
        y = np.cumsum(RNG.integers(0, 3, 9)).astype(float)
        at = np.sort(RNG.uniform(x[0], x[-1], 300))
        found, scipys = never_decreasing(x, y, at.tolist()), PchipInterpolator(x, y)(at)
        inside = (at > x[1]) & (at < x[-2])  # scipy has other slopes at the ends
        assert found[inside] == pytest.approx(scipys[inside], abs=1e-9)
        assert (np.diff(found) >= -1e-9).all()
