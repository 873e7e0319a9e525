"""Dots lie where their numbers do, on a plain and on a logarithmic axis."""

import re
from math import inf

import pytest

from privpac.report.pictures.measures import AXIS, NAMES, Measure, draw_measures


def places(values, **asked):
    svg = draw_measures([Measure(f"m{value}", value, "") for value in values], "title", **asked).svg
    return [(float(x) - NAMES) / AXIS for x in re.findall(r'cx="([\d.]+)"', svg)]


def test_a_plain_axis_starts_at_zero():
    assert places([0, 1, 4]) == pytest.approx([0, 0.25, 1], abs=0.01)


def test_a_logarithmic_axis_starts_at_the_least():
    assert places([10, 1000, 100], logarithmic=True) == pytest.approx([0, 1, 0.5], abs=0.01)


def test_the_limit_is_on_the_axis():
    assert places([1], limit=2) == pytest.approx([0.5], abs=0.01)
    assert 'class="thin dashed"' in draw_measures([Measure("a", 1, "1")], "t", limit=2).svg


def test_an_infinite_number_lies_beyond_the_limit():
    assert places([1, inf], limit=1) == pytest.approx([0.5, 1], abs=0.01)


@pytest.mark.parametrize("values", [[inf], [inf, 1], [0], [5, 5], []])
def test_extreme_numbers_are_on_the_picture(values):
    for logarithmic in (False, True) if 0 not in values else (False,):
        assert all(0 <= x <= 1.001 for x in places(values, logarithmic=logarithmic))


def test_names_are_escaped_and_cut():
    svg = draw_measures([Measure("<b>" * 40, 1, "<i>", filled=False)], "<u>").svg
    assert "<b>" not in svg and "<i>" not in svg and "<u>" not in svg and "…" in svg and 'class="no"' in svg
