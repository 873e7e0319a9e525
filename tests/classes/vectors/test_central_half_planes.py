"""Half-planes through a point: counts, dimensions, patterns, small normals, hostile input."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privpac.classes.vectors.central_half_planes import CentralHalfPlanes, positions
from privpac.dimensions.littlestone import littlestone_dimension
from tests.classes.definitions import assert_comes_back, assert_known, assert_patterns
from tests.grid import over

GRIDS = [
    (-1, 1, (0, 0)),
    (0, 2, (0, 0)),
    (0, 3, (1, 2)),
    (-2, 2, (0, 0)),
    (-1, 3, (3, -1)),
    (5, 8, (6, 6)),
    (7, 7, (7, 7)),
]
DUALS = ("threshold", "dual VC", "dual Littlestone", "dual threshold")


def grid(low, high):
    return [(x, y) for x in range(low, high + 1) for y in range(low, high + 1)]


def definition(low, high, center):
    """A predicate for every integer normal that is large enough, unless a point lies on its boundary."""
    reach = 2 * (high - low) + 1
    others = [(x - center[0], y - center[1]) for x, y in grid(low, high) if (x, y) != center]
    normals = [(u, v) for u in range(-reach, reach + 1) for v in range(-reach, reach + 1)]
    return [
        lambda p, u=u, v=v: u * (p[0] - center[0]) + v * (p[1] - center[1]) >= 0
        for u, v in normals
        if all(u * a + v * b for a, b in others) and (u, v) != (0, 0)
    ]


@over(("low", "high", "center"), GRIDS)
def test_patterns_and_sizes_are_those_of_the_definition(low, high, center):
    cls, points = CentralHalfPlanes(low, high, center), grid(low, high)
    assert_patterns(cls, definition(low, high, center), points)
    assert_patterns(cls, definition(low, high, center), [points[0], center, points[-1], points[0]])
    assert cls.size == cls.materialize().size


@pytest.mark.parametrize(("low", "high", "center"), GRIDS[:3] + GRIDS[-1:])
def test_closed_forms_are_dimensions(low, high, center):
    assert_known(CentralHalfPlanes(low, high, center), definition(low, high, center), grid(low, high), unknown=DUALS)


def test_the_littlestone_dimension_is_found_by_search():
    cls = CentralHalfPlanes(-4, 4)
    assert littlestone_dimension(cls.materialize()).value == cls.known("Littlestone").value


@over(("low", "high", "center"), GRIDS)
def test_representatives_show_their_patterns_and_no_point_lies_on_a_boundary(low, high, center):
    cls, points = CentralHalfPlanes(low, high, center), grid(low, high)
    labels, rules = cls.pattern_table(points)
    for row, rule in zip(labels, rules, strict=True):
        assert (rule(points) == row).all()
        assert rule([center])[0]
        on = [p for p in points if rule.normal[0] * p[0] + rule.normal[1] * p[1] == rule.bias]
        assert on == [center]
        assert_comes_back(rule)


def test_positions_order_directions_by_their_angle():
    a, b = (np.array(each) for each in zip(*[p for p in grid(-7, 7) if p != (0, 0)], strict=True))
    turned, ahead, norm = positions(a, b)
    place = [Fraction(int(p), int(q)) for p, q in zip(ahead, norm, strict=True)]
    angle = (np.degrees(np.arctan2(b, a)) + 45 + 1e-9) % 360
    assert (turned == (angle >= 180)).all()
    order = np.argsort(angle % 180, kind="stable")
    ordered = [place[i] for i in order]
    assert ordered == sorted(ordered)
    lines = {(x // math.gcd(x, y), y // math.gcd(x, y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)}
    assert len(set(place)) == len(lines) // 2
    assert 0 <= min(place) <= max(place) < 2


@pytest.mark.parametrize("direction", [(1 << 40, 12345678901), (-(1 << 40), 333), (77, -(1 << 50)), (-5, -(1 << 30))])
def test_small_normals_label_the_grid_alike(direction):
    cls = CentralHalfPlanes(-12, 9, (2, -3))
    rule = cls.left_of(direction)
    assert max(map(abs, rule.normal)) <= 2 * cls.reach
    for x, y in grid(-12, 9):
        if (x, y) != cls.center:
            side = direction[0] * (y + 3) - direction[1] * (x - 2)
            assert rule([(x, y)])[0] == (side > 0)


def test_large_grids_are_counted_up_to_a_bound():
    assert CentralHalfPlanes(-(2**15), 2**15 - 1).size > 2 * 0.6 * 2**31
    wide = CentralHalfPlanes(0, 2**40)
    assert wide.known("VC").value == 2
    assert wide.known("Littlestone") is None
    assert wide.size == 2 * ((2**40 + 1) ** 2 - 1)
    assert len(wide.representatives([(1, 2**40), (2**40, 1), (0, 0)])) == 4


@pytest.mark.parametrize("center", [(0,), (0, 0, 0), (9, 0), (0.5, 0), "00", (None, 1)])
def test_the_center_is_a_point_of_the_grid(center):
    with pytest.raises((ValueError, TypeError), match="center"):
        CentralHalfPlanes(-3, 3, center)


def test_points_off_the_grid_are_refused():
    with pytest.raises(ValueError, match="off the grid"):
        CentralHalfPlanes(-3, 3).patterns([(4, 0)])
    with pytest.raises(ValueError, match="low ≤ high"):
        CentralHalfPlanes(3, -3)
