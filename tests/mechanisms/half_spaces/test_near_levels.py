"""Levels near the best are counted as a list of all candidates counts them, for all small samples of small grids."""

from itertools import product

import numpy as np
import pytest

from privpac.mechanisms.half_spaces.dual_lines import DualLines, NearLevels, level_sizes
from tests.mechanisms.half_spaces.test_dual_lines import listed

SQUARE = tuple(product((0, 1), repeat=2))
TRIANGLE = (0, 0), (1, 0), (1, 1), (0, 2), (2, 2)


def samples(points, weights, both):
    """Every choice of a weight for each point, and ``both`` records of each label at points that favor neither."""
    for chosen in product(weights, repeat=len(points)):
        w = np.array(chosen)
        (x, y), w = np.array(points).T[:, w != 0], w[w != 0]
        yield x, y, w, both - int(w[w < 0].sum()), both + int(w[w > 0].sum())


def near_sizes(lines, reach):
    """The sizes of the levels that are near the best one, on either side, as a draw counts them."""
    near = NearLevels(lines.total, reach, min(lines.zeros, lines.ones))
    sizes = level_sizes(lines, list(lines.edges(near)))
    most = near.most
    return {e: size for e, size in sizes.items() if e <= most or lines.total - e <= most}, most


def assert_near_levels(N, bits, points, weights, both, reach):
    for sample in samples(points, weights, both):
        lines = DualLines(*sample, N, bits)
        every = {e: len(members) for e, members in listed(lines).items()}
        found, most = near_sizes(lines, reach)
        best = min([*every, *(lines.total - e for e in every)])
        assert most == best + reach
        assert found == {e: size for e, size in every.items() if e <= most or lines.total - e <= most}


@pytest.mark.slow
@pytest.mark.parametrize("reach", [0, 1, 3])
@pytest.mark.parametrize(
    ("N", "bits", "points", "weights", "both"),
    [
        (1, 2, SQUARE, range(-2, 3), 1),  # many points for this grid: turns are swept
        (2, 3, TRIANGLE, range(-1, 2), 0),  # with one or two points, each one is compared with all others
        (4, 3, TRIANGLE, range(-1, 2), 1),  # few points for this grid: always so
        (3, 3, SQUARE, (-3, 0, 2), 0),
    ],
)
def test_near_levels_have_as_many_candidates_as_a_list(N, bits, points, weights, both, reach):
    assert_near_levels(N, bits, points, weights, both, reach)


def test_a_sweep_that_misses_the_level_below_the_first_point_is_found(monkeypatch):
    """A mutant: the level below all points decides nothing about their first edges."""
    swept = DualLines._edges_between_turns

    def without_first(self, starts, p, q, near):
        seen = (lambda levels: np.zeros(levels.shape, bool) if levels.shape == (1,) else near(levels)) if near else None
        return swept(self, starts, p, q, seen)

    monkeypatch.setattr(DualLines, "_edges_between_turns", without_first)
    with pytest.raises(AssertionError):
        assert_near_levels(1, 2, SQUARE, (-1, 0, 1), 0, 0)
