"""Panels of curves as SVG."""

import xml.etree.ElementTree as ET

import pytest

from privpac.report import Panel, draw_panels

SVG = "{http://www.w3.org/2000/svg}"
LEFT = Panel("ε", [(1, "1"), (10, "10")], 1, {"a": [(1, 1000), (10, 100)]}, {"lower bound": [(1, 10), (10, 10)]})
RIGHT = Panel("α <", [(0.1, "0.1")], None, {"b & c": [(0.1, 50), (0.3, 5)]})


def drawn(*panels):
    return ET.fromstring(draw_panels(list(panels), "n & more").svg)


def points(root):
    return [
        [tuple(map(float, p.split(","))) for p in each.get("points").split()] for each in root.iter(f"{SVG}polyline")
    ]


def test_curves_stand_where_they_belong():
    a, low, b = points(drawn(LEFT, RIGHT))
    assert a[0][0] == low[0][0] < a[1][0] < b[0][0] < b[1][0]
    assert a[0][1] < a[1][1] < b[0][1] < low[0][1] == low[1][1] < b[1][1]  # upwards is less, with one scale for all
    assert a[1][1] - a[0][1] == pytest.approx((low[0][1] - a[0][1]) / 2, abs=0.2)  # a decade each


def test_names_are_in_the_legend_and_lower_bounds_dotted():
    root = drawn(LEFT, RIGHT)
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert {"a", "lower bound", "b & c", "ε", "α <", "records n"} <= set(words)
    dotted = [each.get("class") for each in root.iter(f"{SVG}polyline")]
    assert dotted == ["curve", "curve dotted", "curve"]


def test_the_mark_is_drawn_where_it_is_inside():
    def marks(panel):
        return [each for each in drawn(panel).iter(f"{SVG}line") if each.get("class") == "now"]

    assert len(marks(LEFT)) == 1
    assert marks(RIGHT) == []
    assert marks(Panel("ε", LEFT.ticks, 99, LEFT.lines)) == []


def test_a_panel_without_curves_is_a_frame():
    root = drawn(Panel("ε", [(1, "1"), (2, "2")], 1, {}))
    assert points(root) == []
    assert len(list(root.iter(f"{SVG}rect"))) == 1


def test_a_curve_of_one_point_is_a_ring():
    """A line without length would draw nothing, below a legend that names it."""
    one = draw_panels([Panel("ε", [(1, "1"), (2, "2")], None, {"a": [(1, 20)], "b": [(1, 20), (2, 9)]})], "n").svg
    assert one.count("<circle") == 1 and one.count("<polyline") == 1
