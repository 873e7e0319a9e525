"""A distribution function with its band: which share of the records lies at or below each value of a line.

Throughout this file
    number   the position of a value in the order of its line: 0 for the least one
    share    a fraction of the records
    below    how many records lie below each number of a chart; between two numbers, the count rises evenly
    margin   with high probability, no count of ``below`` is off by more than this; None if not known
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import pairwise
from math import log
from typing import NamedTuple

from privpac.data.domains.line import Line
from privpac.release.charts import Steps
from privpac.report.pictures.lines import bound_text
from privpac.report.pictures.log_curves import BOTTOM, LEFT, RIGHT, TOP
from privpac.report.pictures.shapes import LETTER, Strip, label, line, polygon, polyline, short, text_width

TAIL, WIDEST_TAIL = 0.01, 0.1  # the share of records outside the picture on each side: at least, and at most
MOST_CORNERS = 300  # corners of the curve
SHARES = (0, 0.25, 0.5, 0.75, 1)  # where lines run across a picture
LARGE_RATIO = 1000  # from this ratio of the largest to the smallest value on, the axis is logarithmic


class Axis(NamedTuple):
    """The numbers from ``first`` to ``last`` on a horizontal axis; equal steps of ``position`` are equally long."""

    first: int
    last: int
    position: Callable[[int], float]
    logarithmic: bool = False

    def x(self, number: int) -> float:
        """Where a number stands in the picture; numbers beyond the axis stand at its ends."""
        low, high = self.position(self.first), self.position(self.last)
        part = (self.position(number) - low) / (high - low) if high > low else 0.5
        return LEFT + (RIGHT - LEFT) * min(max(part, 0.0), 1.0)


def distribution(chart: Steps, margin: int | None, n: int, counted: str = "records") -> Strip:
    """The function, the band in which the true one lies, and marked quantiles; ``counted`` says what the n things are.

    >>> strip = distribution(Steps("age", Line(0, 120), (0, 40, 121), (0, 500, 1000), ((0.5, 39),)), 20, 1000)
    >>> "".join(strip.shapes).count('class="band"')
    1
    """
    tail = min(max(TAIL, (margin or 0) / n), WIDEST_TAIL)  # a share smaller than the margin may be only noise
    axis = axis_of(chart, tail)
    corners = list(_inside(chart, axis))
    corners = [corners[i] for i in thinned(len(corners), MOST_CORNERS)]
    shown = [(axis.x(number), below / n) for number, below in corners]
    grid = [shape for share in SHARES for shape in share_line(share)]
    band = [] if margin is None else [_band(shown, margin / n)]
    drawn = [*grid, *band, polyline((x, share_y(share)) for x, share in shown)]
    total = chart.below[-1] / n  # quantiles count records on the line, and shares count all n
    quantiles = [(axis.x(number), share_y(share * total), _value(chart.line, number)) for share, number in chart.marks]
    marks = [line(x, y, x, BOTTOM, "thin dashed") for x, y, _ in quantiles]
    marks += [shape for x, y, text in quantiles for shape in _mark(x, y, text)]
    title = label(0, 14, f"share of {counted} at or below", "faint")
    return Strip(BOTTOM + 50, (title, *drawn, *marks, *axis_labels(chart, axis)))


def axis_of(chart: Steps, tail: float) -> Axis:
    """The axis without the tails; the whole line if it is at most twice as long, or if all records lie at one value."""
    scale, total, last = chart.line, chart.below[-1], chart.line.size - 1

    def position(number: int) -> float:
        if scale.kind == "float":
            return float(scale.decode(number)) / 2  # halved: the whole range of floats overflows
        return float((number << 53) // max(last, 1))  # in units of last/2^53, since numbers may be too large for floats

    low, high = _reached(chart, tail * total), _reached(chart, (1 - tail) * total)
    if low >= high or 2 * (position(high) - position(low)) >= position(last) - position(0):
        return Axis(0, last, position)
    if scale.kind in ("integer", "decimal", "float") and 0 < LARGE_RATIO * scale.decode(low) <= scale.decode(high):
        return Axis(low, high, lambda number: log(scale.decode(number)), logarithmic=True)
    return Axis(low, high, position)


def _reached(chart: Steps, count: float) -> int:
    """The first number below which about ``count`` records lie."""
    i = bisect_left(chart.below, count)
    if i == 0 or i == len(chart.below):
        return min(chart.numbers[min(i, len(chart.numbers) - 1)], chart.line.size - 1)
    (a, b), (low, high) = chart.numbers[i - 1 : i + 1], chart.below[i - 1 : i + 1]
    return int(a + (b - a) * int(count - low) // (high - low))


def _inside(chart: Steps, axis: Axis) -> Iterator[tuple[int, float]]:
    """The corners of the function within the axis: pairs of a number and the count of records at or below it.

    From a number of the chart to the last number before the next one, the curve rises from the lower count to the
    higher one. If both are the same number, it rises vertically.
    """
    for (start, low), (stop, high) in pairwise(zip(chart.numbers, chart.below, strict=True)):
        first, last = max(start, axis.first), min(stop - 1, axis.last)
        if first <= last:
            steps = stop - 1 - start
            yield first, low + (high - low) * (first - start) / max(steps, 1)
            yield last, low + (high - low) * (last - start) / steps if steps else high


def thinned(length: int, most: int) -> list[int]:
    """At most about ``most`` of the numbers 0 … length − 1, and always both ends.

    >>> thinned(7, 3)
    [0, 2, 4, 6]
    """
    return [*range(0, length - 1, max(1, length // most)), *range(length)[-1:]]


def share_y(share: float) -> float:
    """The height at which a share is drawn.

    >>> share_y(0) == BOTTOM, share_y(2) == TOP
    (True, True)
    """
    return BOTTOM - (BOTTOM - TOP) * min(max(share, 0.0), 1.0)


def share_line(share: float) -> Iterator[str]:
    """A line across the picture at a share, and its percentage."""
    yield line(LEFT, share_y(share), RIGHT, share_y(share))
    yield label(LEFT - 6, share_y(share) + 4, f"{100 * share:.0f} %", "faint", "end")


def _band(points: list[tuple[float, float]], margin: float) -> str:
    above = [(x, share_y(share + margin)) for x, share in points]
    below = [(x, share_y(share - margin)) for x, share in reversed(points)]
    return polygon([*above, *below])


def _mark(x: float, y: float, text: str) -> Iterator[str]:
    """A dot on the curve, and the value on the side where there is room for it."""
    fits = x + 10 + LETTER * text_width(text) <= RIGHT  # on the right
    yield f'<circle class="yes" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    beside, below, anchor = (10, 15, "start") if fits else (-10, -7, "end")
    yield label(x + beside, y + below, text, "strong halo", anchor)


def axis_labels(chart: Steps, axis: Axis) -> Iterator[str]:
    """The values at both ends of the axis, and the name of the column below it."""
    for number, x, anchor in ((axis.first, LEFT, "start"), (axis.last, RIGHT, "end")):
        yield label(x, BOTTOM + 18, _value(chart.line, number), "faint", anchor)
    name = short(chart.name or "value", 24) + " (logarithmic)" * axis.logarithmic
    yield label((LEFT + RIGHT) / 2, BOTTOM + 36, name, "strong", "middle")


def _value(scale: Line, number: int) -> str:
    return bound_text(scale.decode(number), scale.places)
