"""Bars are as high as they say, and a ratio of e^ε reaches the limit."""

import re
from math import e

from privpac.report.pictures.laws import HIGH, MIDDLE, REACH, draw_laws


def rects(svg: str, kind: str) -> list[tuple[float, float]]:
    return [(float(y), float(h)) for y, h in re.findall(rf'class="{kind}".*? y="([\d.]+)".*? height="([\d.]+)"', svg)]


def test_heights_and_ratios():
    svg = draw_laws([("a", 0.5, 0.5 / e), ("b", 0.25, 0.25 * e)], 1).svg
    assert [h for _, h in rects(svg, "one")] == [round(HIGH * 0.5 / (0.25 * e), 1), round(HIGH / e, 1)]
    (top, up), (bottom, down) = rects(svg, "ratio")
    assert (top, up) == (MIDDLE - REACH, REACH) and (bottom, down) == (MIDDLE, REACH)


def test_names_are_escaped():
    assert "<b>" not in draw_laws([("<b>", 0.5, 0.5)], 1).svg
