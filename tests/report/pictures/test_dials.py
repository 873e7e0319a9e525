"""Dials of half-planes: the shaded half is the one on the side of the normal."""

import re

from privpac.report.pictures.dials import RADIUS, Dial, draw_dials


def test_the_half_on_the_side_of_the_normal_is_shaded():
    up = draw_dials([Dial("up", [(1, 1)], {90.0: 3})]).svg
    [(x1, y1, x2, y2)] = re.findall(r"M ([\d.]+) ([\d.]+) A 70 70 0 0 0 ([\d.]+) ([\d.]+) Z", up)
    assert y1 == y2 and float(x1) - float(x2) == 2 * RADIUS  # from right to left, counterclockwise: over the top
    assert 'fill-opacity="0.25"' in up and "90° · 3×" in up


def test_several_rules_share_the_shade_and_the_length_of_arrows():
    both = draw_dials([Dial("S", [(1, 0), (0, 2)], {0.0: 20, 180.0: 5})]).svg
    assert re.findall('fill-opacity="(.*?)"', both) == ["0.20", "0.05"]
    lengths = [abs(float(b) - float(a)) for a, b in re.findall('class="normal" x1="(.*?)" .*?x2="(.*?)"', both)]
    assert lengths[0] > lengths[1] > 0
