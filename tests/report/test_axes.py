"""Logarithmic axes."""

import pytest

from privpac.report.pictures.log_curves import LogAxes

AXES = LogAxes((10, 110), (5, 55), (1, 100), (0.01, 1))


def test_decades_are_as_wide_as_each_other_and_y_runs_upwards():
    assert [AXES.x(v) for v in (1, 10, 100)] == pytest.approx([10, 60, 110])
    assert [AXES.y(v) for v in (0.01, 0.1, 1)] == pytest.approx([55, 30, 5])
    assert AXES.place(10, 0.1) == (60.0, 30.0)


def test_a_single_x_stands_at_the_left():
    assert LogAxes((10, 110), (5, 55), (7, 7), (0.01, 1)).x(7) == 10


def test_powers_of_ten_within_a_range():
    assert list(LogAxes.tens((1, 100))) == [0, 1, 2]
    assert list(LogAxes.tens((11, 99))) == []
    assert list(LogAxes.tens((0.02, 2))) == [-1, 0]


def test_a_curve_goes_through_its_points():
    assert AXES.curve([(1, 1), (100, 0.01)]) == '<polyline class="curve" points="10.0,5.0 110.0,55.0"/>'
