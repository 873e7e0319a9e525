"""Names of coordinates, and what hypotheses on vectors refuse."""

import numpy as np
import pytest

from privpac.classes.boxes import Rectangles
from privpac.classes.vectors import check_positions, coordinate


def test_coordinates_count_from_one_and_keep_the_name():
    assert [coordinate("x", 0), coordinate("x2_", 10)] == ["x₁", "x2_₁₁"]


def test_points_are_tuples_whatever_they_came_as():
    c = Rectangles(0, 2, 2).materialize(np.array([[0, 1], [2, 2], [0, 1]]))
    assert c.all_points == ((0, 1), (2, 2))


@pytest.mark.parametrize("positions", [(3,), (-1,), (1, 1)])
def test_positions_must_be_there(positions):
    check_positions(3, (2, 0))
    with pytest.raises(ValueError, match="positions"):
        check_positions(3, positions)
    with pytest.raises(ValueError, match="d at least 1"):
        check_positions(0, ())
