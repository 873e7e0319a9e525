"""The error that is certified for each number of records, and where a release stands.

Throughout this file
    n      records            α      the error that is certified for them

Main declarations
    draw_curve    α over n, both on logarithmic axes, with the release marked
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from privpac.report.numbers import grouped
from privpac.report.shapes import WIDTH, Strip, label, line, stacked
from privpac.report.trees import Picture

LEFT, RIGHT, TOP, BOTTOM = 46, WIDTH - 12, 14, 210


def draw_curve(points: Sequence[tuple[int, float]], n: int) -> Picture:
    """The curve through ``points`` (n, α), and the release at n.

    >>> "you are here" in draw_curve([(100, 0.5), (1000, 0.05), (10000, 0.006)], 1000).svg
    True
    """
    first, last = log10(min(points[0][0], n)), log10(max(points[-1][0], n))
    top = min(0, ceil(log10(max(α for _, α in points))))
    bottom = min(floor(log10(min(α for _, α in points))), top - 1)

    def across(n: float) -> float:
        return LEFT + (RIGHT - LEFT) * (log10(n) - first) / (last - first or 1)

    def down(α: float) -> float:
        return TOP + (BOTTOM - TOP) * (top - log10(α)) / (top - bottom)

    grid = [line(LEFT, down(10**k), RIGHT, down(10**k)) for k in range(bottom, top + 1)]
    errors = [label(LEFT - 6, down(10**k) + 4, f"{10**k:g}", "faint", "end") for k in range(bottom, top + 1)]
    counts = [label(across(10**k), BOTTOM + 18, grouped(10**k), "faint", "middle")
              for k in range(ceil(first), floor(last) + 1)]  # fmt: skip
    through = " ".join(f"{across(m):.1f},{down(α):.1f}" for m, α in points)
    here = dict(points).get(n)
    x = across(n)
    mark = [line(x, TOP, x, BOTTOM, "line dashed")]
    side, gap = ("end", -9) if x > WIDTH / 2 else ("start", 9)
    told = "you are here" if here is not None else "you are here: too few"
    mark.append(label(x + gap, TOP + 14, told, "strong", side))
    if here is not None:
        mark.append(f'<circle class="yes" cx="{x:.1f}" cy="{down(here):.1f}" r="5.5"/>')
    axis = label((LEFT + RIGHT) / 2, BOTTOM + 38, "records n", "faint", "middle")
    curve = f'<polyline class="curve" points="{through}"/>'
    return stacked([Strip(BOTTOM + 46, (*grid, *errors, *counts, curve, *mark, axis))], "Certified error over records")
