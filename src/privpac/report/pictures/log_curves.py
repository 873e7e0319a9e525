"""Curves on logarithmic axes, as SVG that needs no external library or font.

Throughout this file
    n      number of records            α      error certified with n records
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10

from privpac.report.numbers import grouped
from privpac.report.pictures.shapes import WIDTH, Picture, Strip, label, line, polyline, stacked, svg

PANEL_WIDTH, PANEL_HEIGHT, PANEL_LEFT, PANEL_TOP = 230, 190, 62, 34  # pixels
GAP = 34  # pixels between two panels
FOOT, LEGEND_LINE = 46, 20  # the heights of the labels below a panel, and of a line of the legend
COLORS = ("#2d6a9f", "#b3541e", "#3b7d3f", "#7a4fa3", "#a3762d", "#3f8f8f")  # of solid curves
QUIET = "#8b949e"  # the color of dotted curves
LEFT, RIGHT, TOP, BOTTOM = 46, WIDTH - 12, 30, 226  # the box of a single curve in a strip


@dataclass(frozen=True)
class LogAxes:
    """A box on the page that shows the ranges ``xs`` and ``ys`` on logarithmic axes; y increases upward.

    >>> axes = LogAxes((0, 100), (0, 50), (1, 100), (0.1, 10))
    >>> axes.place(10, 1), axes.tens((20, 3000))
    ((50.0, 25.0), range(2, 4))
    """

    across: tuple[float, float]  # the left and the right end of the box
    down: tuple[float, float]  # its top and its bottom
    xs: tuple[float, float]
    ys: tuple[float, float]

    def x(self, value: float) -> float:
        """The horizontal position of ``value``."""
        first, last = map(log10, self.xs)
        return self.across[0] + (self.across[1] - self.across[0]) * (log10(value) - first) / (last - first or 1)

    def y(self, value: float) -> float:
        """The vertical position of ``value``, measured downward."""
        low, high = map(log10, self.ys)
        return self.down[0] + (self.down[1] - self.down[0]) * (high - log10(value)) / (high - low)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point lies on the page."""
        return self.x(x), self.y(y)

    @staticmethod
    def tens(range_: tuple[float, float]) -> range:
        """The exponents of all powers of ten within a range."""
        return range(ceil(log10(range_[0])), floor(log10(range_[1])) + 1)

    def ring(self, x: float, y: float, more: str = "") -> str:
        """A single point as a ring, since a line through it would have no length."""
        return f'<circle class="curve"{more} cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3"/>'

    def curve(self, points: Iterable[tuple[float, float]], kind: str = "curve", more: str = "") -> str:
        """The line through the points."""
        return polyline((self.place(x, y) for x, y in points), kind, more)


@dataclass(frozen=True)
class Panel:
    """Solid and dotted curves of one variable, by their names, as points (x, y); ``ticks`` pair an x with a text.

    >>> Panel("ε", [(1, "1")], 1, {"n": [(1, 20), (2, 10)]}).title
    'ε'
    """

    title: str
    ticks: list[tuple[float, str]]
    now: float | None  # the x that is marked by a dashed line, such as the current ε
    lines: dict[str, list[tuple[float, float]]]
    dotted: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def curves(self) -> dict[str, list[tuple[float, float]]]:
        return self.lines | self.dotted


def draw_panels(panels: list[Panel], title: str) -> Picture:
    """The panels side by side, with a common vertical scale.

    >>> draw_panels([Panel("ε", [(1, "1"), (2, "2")], 1, {"a": [(1, 20), (2, 10)]})], "n").svg[:5]
    '<svg '
    """
    heights = [y for panel in panels for points in panel.curves.values() for _, y in points] or [1, 10]
    low, high = floor(log10(min(heights))), ceil(log10(max(heights)))
    solid = dict.fromkeys(name for panel in panels for name in panel.lines)
    names = list(solid | dict.fromkeys(name for panel in panels for name in panel.dotted))
    colors = {name: COLORS[i % len(COLORS)] for i, name in enumerate(solid)}
    width, bottom = PANEL_LEFT + len(panels) * (PANEL_WIDTH + GAP), PANEL_TOP + PANEL_HEIGHT + FOOT
    height = bottom + LEGEND_LINE * len(names) + 6
    scale = low, max(high, low + 1)
    lefts = range(PANEL_LEFT, width, PANEL_WIDTH + GAP)
    parts = [_panel(panel, left, scale, left == PANEL_LEFT, colors) for left, panel in zip(lefts, panels, strict=True)]
    legend = [_legend(name, bottom + LEGEND_LINE * i, colors) for i, name in enumerate(names)]
    return svg("panels", width, height, title, [*parts, *legend])


def _panel(panel: Panel, left: int, scale: tuple[int, int], first: bool, colors: dict[str, str]) -> str:
    """The panel at ``left``; ``scale`` has the powers of ten at both ends. Only the ``first`` panel labels its axis."""
    xs = [x for points in panel.curves.values() for x, _ in points] + [x for x, _ in panel.ticks]
    axes = LogAxes(
        (left, left + PANEL_WIDTH),
        (PANEL_TOP, PANEL_TOP + PANEL_HEIGHT),
        (min(xs), max(xs)),
        (10.0 ** scale[0], 10.0 ** scale[1]),
    )
    parts = [f'<rect class="frame" x="{left}" y="{PANEL_TOP}" width="{PANEL_WIDTH}" height="{PANEL_HEIGHT}"/>']
    for k in range(scale[0], scale[1] + 1):
        y = axes.y(10.0**k)
        parts.append(line(left, y, left + PANEL_WIDTH, y, "grid"))
        if first:
            parts.append(label(left - 6, y + 4, grouped(10**k) if k < 7 else f"1e{k}", "tick", "end"))
    parts += [label(axes.x(x), PANEL_TOP + PANEL_HEIGHT + 15, text, "tick", "middle") for x, text in panel.ticks]
    if panel.now is not None and min(xs) <= panel.now <= max(xs):
        x = axes.x(panel.now)
        parts.append(line(x, PANEL_TOP, x, PANEL_TOP + PANEL_HEIGHT, "now"))
    for name, points in panel.curves.items():
        kind, stroke = f"curve{_dots(name, colors)}", f' stroke="{colors.get(name, QUIET)}"'
        parts.append(axes.curve(points, kind, stroke) if len(points) > 1 else axes.ring(*points[0], stroke))
    parts.append(label(left + PANEL_WIDTH / 2, PANEL_TOP + PANEL_HEIGHT + 33, panel.title, "title", "middle"))
    if first:
        parts.append(label(left, PANEL_TOP - 12, "records n", "title"))
    return "\n".join(parts)


def _legend(name: str, y: int, colors: dict[str, str]) -> str:
    ends = f'x1="{PANEL_LEFT}" x2="{PANEL_LEFT + 28}" y1="{y + 8}" y2="{y + 8}"'
    sample = f'<line class="curve{_dots(name, colors)}" stroke="{colors.get(name, QUIET)}" {ends}/>'
    return sample + label(PANEL_LEFT + 36, y + 12, name)


def _dots(name: str, colors: dict[str, str]) -> str:
    """The CSS class of dotted curves, which have no color; empty for solid ones."""
    return "" if name in colors else " dotted"


def draw_curve(points: Sequence[tuple[int, float]], n: int, title: str = "certified error") -> Picture:
    """The curve through ``points`` (n, α), with a mark at the release of n records.

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
        errors.append(label(LEFT - 6, y + 4, f"{100 * 10**k:g} %", "faint", "end"))
    ticks = [(axes.x(10**k), grouped(10**k)) for k in axes.tens(records)]
    counts = [label(x, BOTTOM + 18, tick, "faint", "end" if x > RIGHT - 20 else "middle") for x, tick in ticks]
    here = dict(points).get(n)
    x = axes.x(n)
    mark = [line(x, TOP, x, BOTTOM, "line dashed")]
    side, gap = ("end", -9) if x > WIDTH / 2 else ("start", 9)
    text = "you are here" if here is not None else "you are here: too few records"
    mark.append(label(x + gap, TOP + 14, text, "strong", side))
    if here is not None:
        mark.append(f'<circle class="yes" cx="{x:.1f}" cy="{axes.y(here):.1f}" r="5.5"/>')
    axis = label((LEFT + RIGHT) / 2, BOTTOM + 38, "records n", "faint", "middle")
    heading = label(0, 12, title, "faint")
    drawn = (*grid, *errors, *counts, axes.curve(points), *mark, axis, heading)
    return stacked([Strip(BOTTOM + 46, drawn)], f"{title.capitalize()} by number of records")
