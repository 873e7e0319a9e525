"""The certified error as a function of the number of records, with the release marked.

Throughout this file
    n      number of records            α      error certified with n records

Main declarations
    draw_curve    α against n on logarithmic axes, with the release marked
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from privpac.report.axes import LogAxes
from privpac.report.numbers import grouped
from privpac.report.shapes import WIDTH, Picture, Strip, label, line, stacked

LEFT, RIGHT, TOP, BOTTOM = 46, WIDTH - 12, 14, 210


def draw_curve(points: Sequence[tuple[int, float]], n: int) -> Picture:
    """The curve through ``points`` (n, α), and the release at n.

    >>> "you are here" in draw_curve([(100, 0.5), (1000, 0.05), (10000, 0.006)], 1000).svg
    True
    """
    top = min(0, ceil(log10(max(α for _, α in points))))
    bottom = min(floor(log10(min(α for _, α in points))), top - 1)
    records = min(points[0][0], n), max(points[-1][0], n)
    axes = LogAxes((LEFT, RIGHT), (TOP, BOTTOM), records, (10.0**bottom, 10.0**top))
    grid, errors = [], []
    for k in range(bottom, top + 1):
        y = axes.y(10.0**k)
        grid.append(line(LEFT, y, RIGHT, y))
        errors.append(label(LEFT - 6, y + 4, f"{10**k:g}", "faint", "end"))
    counts = [label(axes.x(10**k), BOTTOM + 18, grouped(10**k), "faint", "middle") for k in axes.tens(records)]
    here = dict(points).get(n)
    x = axes.x(n)
    mark = [line(x, TOP, x, BOTTOM, "line dashed")]
    side, gap = ("end", -9) if x > WIDTH / 2 else ("start", 9)
    told = "you are here" if here is not None else "you are here: too few records"
    mark.append(label(x + gap, TOP + 14, told, "strong", side))
    if here is not None:
        mark.append(f'<circle class="yes" cx="{x:.1f}" cy="{axes.y(here):.1f}" r="5.5"/>')
    axis = label((LEFT + RIGHT) / 2, BOTTOM + 38, "records n", "faint", "middle")
    drawn = (*grid, *errors, *counts, axes.curve(points), *mark, axis)
    return stacked([Strip(BOTTOM + 46, drawn)], "Certified error by number of records")
