"""The building blocks of pictures: SVG shapes, strips as wide as a phone, and strips stacked from top to bottom.

Lengths are in units of the picture, about one pixel each on a phone; y increases downward. ``kind`` is a CSS class.
Colors are CSS variables of the page around a picture, with default values for a picture without a page.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, takewhile
from pathlib import Path

from privpac.data.files.private_files import write_new

WIDTH = 400  # the width of a strip
LETTER = 8.7  # the width of a letter
LETTERS = 28  # the most letters of a name; longer names are cut off
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif'
STYLES = {
    "rule": """
.rule .faint { fill: var(--faint, #5b6570); font-size: 12.5px }
.rule .strong { font-weight: 650 }
.rule .halo { paint-order: stroke; stroke: var(--paper, #ffffff); stroke-width: 4px }
.rule .on { fill: var(--on-yes, #ffffff) }
.rule .yes { fill: var(--yes, #1d5fa6); stroke: var(--yes, #1d5fa6) }
.rule .no { fill: var(--no, #eceff2); stroke: var(--edge, #aab3bc) }
.rule .line { stroke: var(--ink, #1b1f24); stroke-width: 2; fill: none }
.rule .test { fill: none; stroke: var(--ink, #1b1f24); stroke-width: 1.3 }
.rule .thin { stroke: var(--edge, #aab3bc); stroke-width: 1.3; fill: none }
.rule .dashed { stroke-dasharray: 4 3 }
.rule .curve { fill: none; stroke: var(--yes, #1d5fa6); stroke-width: 2.4 }
.rule .band { fill: var(--yes, #1d5fa6); fill-opacity: .2 }
.rule .whisker { stroke: var(--ink, #1b1f24); stroke-width: 1.4 }
.rule .number { font-size: 12.5px; font-variant-numeric: tabular-nums }
.rule .heat { fill: var(--yes, #1d5fa6) }
.rule .empty { fill: none; stroke: var(--edge, #aab3bc) }
""",
    "tree": """
.tree text { text-anchor: middle; dominant-baseline: central; font-size: 13px }
.tree .edge { stroke: var(--edge, #8b949e); stroke-width: 1.3; fill: none }
.tree .one { stroke: var(--line1, #b3541e); stroke-width: 1.8 }
.tree .zero { stroke: var(--line0, #2d6a9f); stroke-width: 1.8; stroke-dasharray: 5 3 }
.tree .bit { font-size: 12px; font-weight: 600 }
.tree .pill { fill: none; stroke: var(--ink, #1b1f24); stroke-width: 1.3 }
.tree .member { fill: var(--member, #dbe9f6); stroke: var(--line0, #2d6a9f) }
.tree .leaf { font-size: 12px; fill: var(--faint, #57606a) }
.tree .note { text-anchor: start; font-style: italic }
""",
    "panels": """
.panels text { font-size: 12px }
.panels .title { font-weight: 600 }
.panels .tick { fill: var(--faint, #57606a); font-size: 11px }
.panels .frame { fill: none; stroke: var(--edge, #8b949e) }
.panels .grid { stroke: var(--no, #e3e7eb) }
.panels .now { stroke: var(--ink, #1b1f24); stroke-dasharray: 2 3 }
.panels .curve { fill: none; stroke-width: 1.8 }
.panels .dotted { stroke-dasharray: 2 4 }
""",
    "dials": """
.dials .title { font-weight: 600 }
.dials .times { font-size: 13px; font-weight: 600; paint-order: stroke }
.dials .times { stroke: var(--paper, #ffffff); stroke-width: 4px }
.dials .rim { fill: none; stroke: var(--edge, #8b949e) }
.dials .half { fill: var(--yes, #1d5fa6) }
.dials .normal { stroke: var(--yes, #1d5fa6); stroke-width: 3 }
.dials .example { fill: var(--line1, #b3541e) }
""",
    "bars": """
.bars .faint { fill: var(--faint, #57606a); font-size: 12px }
.bars .name { font-size: 12px }
.bars .grid { stroke: var(--no, #e3e7eb) }
.bars .limit { stroke: var(--warn, #a3260f); stroke-dasharray: 4 3 }
.bars .one { fill: var(--line0, #2d6a9f) }
.bars .other { fill: var(--line1, #b3541e) }
.bars .ratio { fill: var(--bar, #7a4fa3) }
""",
}


@dataclass(frozen=True)
class Picture:
    """A drawing as SVG text, which notebooks display automatically.

    >>> svg("rule", 10, 10, "a dot", []).svg[:5]
    '<svg '
    """

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file in UTF-8; a new file can be read by its owner and group."""
        write_new(path, self.svg)


def svg(kind: str, width: float, height: float, title: str, parts: Iterable[str]) -> Picture:
    """The parts as one picture; ``kind`` selects its style, which does not touch other pictures on the page."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="{kind}" {size} role="img" aria-label="{escaped(title)}">'
    text = f".{kind} text {{ font: 14px {FONT}; fill: var(--ink, #1b1f24) }}"
    style = f"<style>\n{text}{STYLES[kind]}</style>"
    return Picture("\n".join([head, f"<title>{escaped(title)}</title>", style, *parts, "</svg>", ""]))


@dataclass(frozen=True)
class Strip:
    """A drawing of the width WIDTH; its shapes are SVG, and (0, 0) is its top left corner."""

    height: float
    shapes: tuple[str, ...]


def stacked(strips: Sequence[Strip], title: str) -> Picture:
    """The strips from top to bottom, as one picture.

    >>> stacked([Strip(20, (label(0, 14, "late"),)), Strip(30, ())], "two strips").svg.count("<g ")
    2
    """
    tops = [sum(strip.height for strip in strips[:i]) for i in range(len(strips) + 1)]
    groups = (
        f'<g transform="translate(0 {top:.1f})">{"".join(strip.shapes)}</g>'
        for top, strip in zip(tops, strips, strict=False)
    )
    return svg("rule", WIDTH, tops[-1], title, groups)


def escaped(text: str) -> str:
    """Text that is safe in XML."""
    return escape("".join(letter if letter.isprintable() else "�" for letter in text))


def short(text: str, letters: int = LETTERS) -> str:
    """``text``, cut to the width of at most ``letters`` Latin letters.

    >>> short("a very long name of a column", 10), short("東京都庁舎", 8)
    ('a very lo…', '東京都…')
    """
    if text_width(text) <= letters and len(text) <= 4 * letters:
        return text
    fitting = takewhile(lambda width: width < letters, accumulate(map(_letter_width, text[: 4 * letters])))
    return text[: sum(1 for _ in fitting)] + "…"


def text_width(text: str) -> int:
    """The width of a text in Latin letters: some letters are twice as wide, and combining accents have no width.

    >>> text_width("Zürich"), text_width("東京")
    (6, 4)
    """
    return sum(map(_letter_width, text))


def _letter_width(letter: str) -> int:
    return 0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")


def label(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> str:
    """Text with its baseline at y."""
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'


def bar(x: float, y: float, width: float, height: float, kind: str, *, radius: float = 3) -> str:
    """A rectangle with rounded corners."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius}"'
    return f'<rect class="{kind}" {place}/>'


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "thin") -> str:
    """A straight line."""
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def elbow(x: float, top: float, bottom: float, right: float, kind: str = "thin") -> str:
    """A line down, and then to the right."""
    return f'<path class="{kind}" d="M{x:.1f} {top:.1f}V{bottom:.1f}H{right:.1f}"/>'


def polyline(points: Iterable[tuple[float, float]], kind: str = "curve", more: str = "") -> str:
    """The line through the points."""
    return f'<polyline class="{kind}"{more} points="{_corners(points)}"/>'


def polygon(points: Iterable[tuple[float, float]], kind: str = "band") -> str:
    """The polygon with these corners."""
    return f'<polygon class="{kind}" points="{_corners(points)}"/>'


def _corners(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def pill(x: float, y: float, text: str, yes: bool) -> tuple[str, float]:
    """A name in a rounded box, filled if ``yes``; and the width of the box."""
    text = short(text)
    width = LETTER * len(text) + 22
    box = bar(x, y, width, 28, "yes" if yes else "no", radius=14)
    return box + label(x + width / 2, y + 19, text, "on strong" if yes else "", "middle"), width


def pills(named: Iterable[tuple[str, bool]]) -> Strip:
    """Names side by side, on as many lines as needed; filled if the label is positive."""
    x, y, shapes = 0.0, 4.0, []
    for text, yes in named:
        shape, width = pill(x, y, text, yes)
        if x and x + width > WIDTH:
            x, y = 0.0, y + 36
            shape, width = pill(x, y, text, yes)
        shapes.append(shape)
        x += width + 8
    return Strip(y + 36, tuple(shapes))
