"""Small panels of curves on logarithmic axes, as SVG without any library or font from elsewhere.

Main declarations
    Panel          curves over one variable
    draw_panels    panels side by side, with one scale for all and one legend
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

from privpac.report.numbers import grouped
from privpac.report.trees import Picture

WIDE, HIGH, LEFT, TOP, GAP, FOOT, LINE = 230, 190, 62, 34, 34, 46, 20  # pixels
COLOURS = ("#2d6a9f", "#b3541e", "#3b7d3f", "#7a4fa3", "#a3762d", "#3f8f8f")
QUIET = "#8b949e"
STYLE = """
text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1b1f24 }
.title { font-weight: 600 } .tick { fill: #57606a; font-size: 11px }
.frame { fill: none; stroke: #8b949e } .grid { stroke: #e3e7eb } .now { stroke: #1b1f24; stroke-dasharray: 2 3 }
.curve { fill: none; stroke-width: 1.8 } .dotted { stroke-dasharray: 2 4 }
"""


@dataclass(frozen=True)
class Panel:
    """Curves over one variable: named lines of points (x, y), ticks (x, text), and a mark at ``now``.

    A line whose name starts with "lower bound" is dotted.

    >>> Panel("ε", [(1, "1")], 1, {"n": [(1, 20), (2, 10)]}).title
    'ε'
    """

    title: str
    ticks: list[tuple[float, str]]
    now: float | None
    lines: dict[str, list[tuple[float, float]]]


def draw_panels(panels: list[Panel], title: str) -> Picture:
    """The panels side by side, all with the same scale upwards.

    >>> draw_panels([Panel("ε", [(1, "1"), (2, "2")], 1, {"a": [(1, 20), (2, 10)]})], "n").svg[:5]
    '<svg '
    """
    heights = [y for panel in panels for line in panel.lines.values() for _, y in line] or [1, 10]
    low, high = floor(log10(min(heights))), ceil(log10(max(heights)))
    names = sorted(dict.fromkeys(name for panel in panels for name in panel.lines), key=_quiet)
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(n for n in names if not _quiet(n))}
    width, bottom = LEFT + len(panels) * (WIDE + GAP), TOP + HIGH + FOOT
    height = bottom + LINE * len(names) + 6
    scale = low, max(high, low + 1)
    parts = [_panel(panel, LEFT + i * (WIDE + GAP), scale, i == 0, colours) for i, panel in enumerate(panels)]
    legend = [_legend(name, bottom + LINE * i, colours) for i, name in enumerate(names)]
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        + "\n".join([*parts, *legend])
        + "\n</svg>\n"
    )


def _panel(panel: Panel, left: int, scale: tuple[int, int], first: bool, colours: dict[str, str]) -> str:
    low, high = scale
    xs = [x for line in panel.lines.values() for x, _ in line] + [x for x, _ in panel.ticks]
    start, end = log10(min(xs)), log10(max(xs))

    def across(x: float) -> float:
        return left + WIDE * (log10(x) - start) / (end - start or 1)

    def up(y: float) -> float:
        return TOP + HIGH * (high - log10(y)) / (high - low)

    parts = [f'<rect class="frame" x="{left}" y="{TOP}" width="{WIDE}" height="{HIGH}"/>']
    for k in range(low, high + 1):
        parts.append(f'<line class="grid" x1="{left}" x2="{left + WIDE}" y1="{up(10**k):.1f}" y2="{up(10**k):.1f}"/>')
        if first:
            label = grouped(10**k) if k < 7 else f"1e{k}"
            parts.append(f'<text class="tick" text-anchor="end" x="{left - 6}" y="{up(10**k) + 4:.1f}">{label}</text>')
    for x, label in panel.ticks:
        parts.append(
            f'<text class="tick" text-anchor="middle" x="{across(x):.1f}" y="{TOP + HIGH + 15}">{escape(label)}</text>'
        )
    if panel.now is not None and min(xs) <= panel.now <= max(xs):
        at = f"{across(panel.now):.1f}"
        parts.append(f'<line class="now" x1="{at}" x2="{at}" y1="{TOP}" y2="{TOP + HIGH}"/>')
    for name, line in panel.lines.items():
        points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in line)
        parts.append(f'<polyline class="curve{_dots(name)}" stroke="{colours.get(name, QUIET)}" points="{points}"/>')
    middle = left + WIDE / 2
    parts.append(
        f'<text class="title" text-anchor="middle" x="{middle}" y="{TOP + HIGH + 33}">{escape(panel.title)}</text>'
    )
    if first:
        parts.append(f'<text class="title" x="{left}" y="{TOP - 12}">records n</text>')
    return "\n".join(parts)


def _legend(name: str, y: int, colours: dict[str, str]) -> str:
    stroke = f'stroke="{colours.get(name, QUIET)}"'
    line = f'<line class="curve{_dots(name)}" {stroke} x1="{LEFT}" x2="{LEFT + 28}" y1="{y + 8}" y2="{y + 8}"/>'
    return f'{line}<text x="{LEFT + 36}" y="{y + 12}">{escape(name)}</text>'


def _quiet(name: str) -> bool:
    return name.startswith("lower bound")


def _dots(name: str) -> str:
    return " dotted" if _quiet(name) else ""
