"""Small panels of curves on logarithmic axes, as SVG that needs no external library or font.

Main declarations
    Panel          curves over one variable
    draw_panels    panels side by side, with a common scale and legend
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor, log10

from privpac.report.axes import LogAxes
from privpac.report.numbers import grouped
from privpac.report.shapes import Picture, label, line, svg

WIDE, HIGH, PANEL_LEFT, PANEL_TOP, GAP, FOOT, LINE = 230, 190, 62, 34, 34, 46, 20  # pixels
COLOURS = ("#2d6a9f", "#b3541e", "#3b7d3f", "#7a4fa3", "#a3762d", "#3f8f8f")
QUIET = "#8b949e"


@dataclass(frozen=True)
class Panel:
    """Curves over one variable: named lines of points (x, y), dotted ones, ticks (x, text), and a mark at ``now``.

    >>> Panel("ε", [(1, "1")], 1, {"n": [(1, 20), (2, 10)]}).title
    'ε'
    """

    title: str
    ticks: list[tuple[float, str]]
    now: float | None
    lines: dict[str, list[tuple[float, float]]]
    dotted: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def curves(self) -> dict[str, list[tuple[float, float]]]:
        """All curves, solid and dotted."""
        return self.lines | self.dotted


def draw_panels(panels: list[Panel], title: str) -> Picture:
    """The panels side by side, with a common vertical scale.

    >>> draw_panels([Panel("ε", [(1, "1"), (2, "2")], 1, {"a": [(1, 20), (2, 10)]})], "n").svg[:5]
    '<svg '
    """
    heights = [y for panel in panels for line in panel.curves.values() for _, y in line] or [1, 10]
    low, high = floor(log10(min(heights))), ceil(log10(max(heights)))
    drawn = dict.fromkeys(name for panel in panels for name in panel.lines)
    names = list(drawn | dict.fromkeys(name for panel in panels for name in panel.dotted))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(drawn)}
    width, bottom = PANEL_LEFT + len(panels) * (WIDE + GAP), PANEL_TOP + HIGH + FOOT
    height = bottom + LINE * len(names) + 6
    scale = low, max(high, low + 1)
    parts = [_panel(panel, PANEL_LEFT + i * (WIDE + GAP), scale, i == 0, colours) for i, panel in enumerate(panels)]
    legend = [_legend(name, bottom + LINE * i, colours) for i, name in enumerate(names)]
    return svg("panels", width, height, title, [*parts, *legend])


def _panel(panel: Panel, left: int, scale: tuple[int, int], first: bool, colours: dict[str, str]) -> str:
    xs = [x for line in panel.curves.values() for x, _ in line] + [x for x, _ in panel.ticks]
    axes = LogAxes(
        (left, left + WIDE), (PANEL_TOP, PANEL_TOP + HIGH), (min(xs), max(xs)), (10.0 ** scale[0], 10.0 ** scale[1])
    )
    parts = [f'<rect class="frame" x="{left}" y="{PANEL_TOP}" width="{WIDE}" height="{HIGH}"/>']
    for k in range(scale[0], scale[1] + 1):
        y = axes.y(10.0**k)
        parts.append(line(left, y, left + WIDE, y, "grid"))
        if first:
            parts.append(label(left - 6, y + 4, grouped(10**k) if k < 7 else f"1e{k}", "tick", "end"))
    parts += [label(axes.x(x), PANEL_TOP + HIGH + 15, text, "tick", "middle") for x, text in panel.ticks]
    if panel.now is not None and min(xs) <= panel.now <= max(xs):
        at = axes.x(panel.now)
        parts.append(line(at, PANEL_TOP, at, PANEL_TOP + HIGH, "now"))
    for name, points in panel.curves.items():
        parts.append(axes.curve(points, f"curve{_dots(name, colours)}", f' stroke="{colours.get(name, QUIET)}"'))
    parts.append(label(left + WIDE / 2, PANEL_TOP + HIGH + 33, panel.title, "title", "middle"))
    if first:
        parts.append(label(left, PANEL_TOP - 12, "records n", "title"))
    return "\n".join(parts)


def _legend(name: str, y: int, colours: dict[str, str]) -> str:
    ends = f'x1="{PANEL_LEFT}" x2="{PANEL_LEFT + 28}" y1="{y + 8}" y2="{y + 8}"'
    sample = f'<line class="curve{_dots(name, colours)}" stroke="{colours.get(name, QUIET)}" {ends}/>'
    return sample + label(PANEL_LEFT + 36, y + 12, name)


def _dots(name: str, colours: dict[str, str]) -> str:
    return "" if name in colours else " dotted"
