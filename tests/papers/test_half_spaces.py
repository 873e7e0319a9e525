"""The numbers of the corollaries, and the lift of footnote 3."""

from itertools import product
from math import isclose, log

import pytest

from privpac.papers.half_spaces import corollary_15, corollary_22, footnote_3

pytestmark = pytest.mark.papers


def test_the_numbers_by_hand():
    goal = (0.2, 0.1, 0.5, 1e-3)
    assert isclose(corollary_15(16, *goal), 3 * log(3 / 1e-4) ** 2 / 0.1)  # log* 16 = 3
    assert isclose(corollary_22(4, 16, *goal), 12 * log(12 / 1e-4) ** 2 / 0.1)


def test_a_shifted_half_plane_is_one_through_the_origin():
    for a, b, c, x, y in product((-2, 1), (0, 3), (-3, 0, 2), (-1, 2), (-2, 1)):
        assert (a * x + b * y + c >= 0) == (sum(u * v for u, v in zip((a, b, c), footnote_3((x, y)), strict=True)) >= 0)
