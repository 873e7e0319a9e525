"""Releases on two neighboring samples: their laws as bars, and released half-planes through the origin as dials.

Throughout this file
    p, q    the probability of an outcome on the sample, and on its neighbor
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, log, radians, sin, sqrt

from privpac.report.pictures.shapes import Picture, bar, label, line, short, svg

LEFT, TOP, HIGH, STEP = 46, 26, 170, 66  # pixels; HIGH is the length of the longest bar, STEP the width of an outcome
MIDDLE, REACH = 304, 44  # the y where ln(p/q) = 0, and how far ε and −ε are from there
FOOT = 60  # from MIDDLE to the end of the picture
DIAL_RADIUS, DIALS_APART, DIAL_TOP = 70, 190, 48  # pixels; DIALS_APART is from one center to the next
FARTHEST = 1.5 * DIAL_RADIUS / 2  # how far from the center the farthest example is drawn


def draw_laws(outcomes: Sequence[tuple[str, float, float]], epsilon: float) -> Picture:
    """The picture of triples (outcome, p, q); all probabilities are positive.

    >>> draw_laws([("x ≥ 0", 0.4, 0.6), ("x ≥ 1", 0.6, 0.4)], 1).svg.count("<rect")
    6
    """
    width = LEFT + STEP * len(outcomes) + 10
    top = max(max(p, q) for _, p, q in outcomes)
    parts = [label(LEFT, 14, "probability: on S (left bar) and on its neighbor S′ (right bar)", "faint")]
    for share in (0, 0.5, 1):
        y = TOP + HIGH * (1 - share)
        parts += [line(LEFT, y, width - 10, y, "grid"), label(LEFT - 6, y + 4, f"{top * share:.2f}", "faint", "end")]
    for place, name in ((-1, "ε"), (0, "0"), (1, "−ε")):
        y = MIDDLE + place * REACH
        parts += [
            line(LEFT, y, width - 10, y, "limit" if place else "grid"),
            label(LEFT - 6, y + 4, name, "faint", "end"),
        ]
    parts.append(label(LEFT, MIDDLE - REACH - 14, "ln(probability on S / probability on S′)", "faint"))
    for i, (name, p, q) in enumerate(outcomes):
        x = LEFT + STEP * i + 8
        for side, (value, kind) in enumerate(((p, "one"), (q, "other"))):
            height = HIGH * value / top
            parts.append(bar(x + 26 * side, TOP + HIGH - height, 25, height, kind, radius=0))
        reach = REACH * log(p / q) / epsilon
        parts.append(bar(x + 13, min(MIDDLE, MIDDLE - reach), 26, abs(reach), "ratio", radius=0))
        parts.append(label(x + 25, TOP + HIGH + 18, short(name, 9), "name", "middle"))
    return svg("bars", width, MIDDLE + FOOT, "Probability of each outcome on two neighboring samples", parts)


@dataclass(frozen=True)
class Dial:
    """The examples of one sample, and how often each half-plane was released, by its normal's angle in degrees."""

    title: str
    examples: Sequence[tuple[float, float]]
    released: Mapping[float, int]


def draw_dials(dials: Sequence[Dial]) -> Picture:
    """An arrow for each normal, longer if it was released more often; its half-plane is shaded.

    >>> draw_dials([Dial("on S", [(1, 1)], {60.0: 25})]).svg.count("<circle")
    2
    """
    title = "; ".join(
        f"{dial.title}: " + ", ".join(f"normal at {angle:g}° {times} times" for angle, times in dial.released.items())
        for dial in dials
    )
    parts = [part for i, dial in enumerate(dials) for part in _dial(dial, DIALS_APART * (i + 0.5))]
    return svg("dials", DIALS_APART * len(dials), DIAL_TOP + 2 * DIAL_RADIUS + 30, title, parts)


def _dial(dial: Dial, x: float) -> list[str]:
    """The dial with its center at ``x``."""
    y, total = DIAL_TOP + DIAL_RADIUS, sum(dial.released.values())
    unit = FARTHEST / max(sqrt(a * a + b * b) for a, b in dial.examples)
    parts = [label(x, 18, dial.title, "title", "middle")]
    for angle, times in dial.released.items():
        parts.append(_half(x, y, angle, times / total))
    parts.append(f'<circle class="rim" cx="{x:.1f}" cy="{y:.1f}" r="{DIAL_RADIUS}"/>')
    for angle, times in dial.released.items():
        reach = DIAL_RADIUS * (0.35 + 0.65 * times / total)
        across, up = reach * cos(radians(angle)), reach * sin(radians(angle))
        parts.append(line(x, y, x + across, y - up, "normal"))
        parts.append(label(x + 1.2 * across, y - 1.2 * up + 5, f"{angle:g}° · {times}×", "times", "middle"))
    parts += [
        f'<circle class="example" cx="{x + unit * a:.1f}" cy="{y - unit * b:.1f}" r="5"/>' for a, b in dial.examples
    ]
    return parts


def _half(x: float, y: float, angle: float, share: float) -> str:
    """The half of a disk on the side of the normal, shaded by how often it was released."""
    across, up = DIAL_RADIUS * sin(radians(angle)), DIAL_RADIUS * cos(radians(angle))
    arc = f"M {x + across:.1f} {y + up:.1f} A {DIAL_RADIUS} {DIAL_RADIUS} 0 0 0 {x - across:.1f} {y - up:.1f} Z"
    return f'<path class="half" fill-opacity="{0.25 * share:.2f}" d="{arc}"/>'
