"""The plane with its positive part."""

import pytest

from privpac.classes.plane import HalfSpace
from privpac.report.plane import half_plane, plane
from tests.grid import over


def area(corners):
    following = [*corners[1:], corners[0]] if corners else []
    return abs(sum(x * v - u * y for (x, y), (u, v) in zip(corners, following, strict=True))) / 2


@over(
    ("normal", "bias", "expected"),
    [((1, 0), 3, 70), ((0, -1), -3, 30), ((1, 1), 10, 50), ((-1, -1), -10, 50), ((1, 1), 21, 0), ((1, 1), 0, 100)],
)
def test_the_part_has_the_right_area(normal, bias, expected):
    assert area(half_plane(normal, bias, 0, 10)) == expected


@pytest.mark.parametrize("normal", [(3, -2), (-3, 2), (1, 7), (0, 1)])
def test_its_corners_belong_to_the_half_plane(normal):
    corners = half_plane(normal, 5, -10, 10)
    assert all(normal[0] * x + normal[1] * y >= 5 for x, y in corners)
    inside = HalfSpace(normal, 5)([(x, y) for x in range(-10, 11) for y in range(-10, 11)]).mean()
    assert float(area(corners)) / 400 == pytest.approx(inside, abs=0.05)


def test_an_empty_part_is_not_drawn():
    assert "polygon" not in "".join(plane([], 0, 10, ["a", "b"]).shapes)
    drawn = "".join(plane(half_plane((1, 0), 5, 0, 10), 0, 10, ["<a>", "b"]).shapes)
    assert "polygon" in drawn
    assert "&lt;a&gt;" in drawn
