"""Bars are as high as they say, and a ratio of e^ε reaches the limit."""

import re
from math import e

from privpac.report.pictures.neighbors import DIAL_RADIUS, HIGH, MIDDLE, REACH, Dial, draw_dials, draw_laws


def rects(svg: str, kind: str) -> list[tuple[float, float]]:
    return [(float(y), float(h)) for y, h in re.findall(rf'class="{kind}".*? y="([\d.]+)".*? height="([\d.]+)"', svg)]


def test_heights_and_ratios():
    svg = draw_laws([("a", 0.5, 0.5 / e), ("b", 0.25, 0.25 * e)], 1).svg
    assert [h for _, h in rects(svg, "one")] == [round(HIGH * 0.5 / (0.25 * e), 1), round(HIGH / e, 1)]
    (top, up), (bottom, down) = rects(svg, "ratio")
    assert (top, up) == (MIDDLE - REACH, REACH) and (bottom, down) == (MIDDLE, REACH)


def test_names_are_escaped():
    assert "<b>" not in draw_laws([("<b>", 0.5, 0.5)], 1).svg


def test_the_half_on_the_side_of_the_normal_is_shaded():
    up = draw_dials([Dial("up", [(1, 1)], {90.0: 3})]).svg
    [(x1, y1, x2, y2)] = re.findall(r"M ([\d.]+) ([\d.]+) A 70 70 0 0 0 ([\d.]+) ([\d.]+) Z", up)
    assert y1 == y2 and float(x1) - float(x2) == 2 * DIAL_RADIUS  # from right to left, counterclockwise: over the top
    assert 'fill-opacity="0.25"' in up and "90° · 3×" in up


def test_several_rules_share_the_shade_and_the_length_of_arrows():
    both = draw_dials([Dial("S", [(1, 0), (0, 2)], {0.0: 20, 180.0: 5})]).svg
    assert re.findall('fill-opacity="(.*?)"', both) == ["0.20", "0.05"]
    lengths = [abs(float(b) - float(a)) for a, b in re.findall('class="normal" x1="(.*?)" .*?x2="(.*?)"', both)]
    assert lengths[0] > lengths[1] > 0
