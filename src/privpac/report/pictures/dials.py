"""Half-planes through the origin that were released, as dials: one for each sample, with its examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, radians, sin, sqrt

from privpac.report.pictures.shapes import Picture, label, line, svg

RADIUS, APART, TOP = 70, 190, 48  # pixels; APART is from one center to the next
FARTHEST = 1.5 * RADIUS / 2  # how far from the center the farthest example is drawn


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
        f"{each.title}: " + ", ".join(f"normal at {angle:g}° {times} times" for angle, times in each.released.items())
        for each in dials
    )
    parts = [part for i, each in enumerate(dials) for part in _dial(each, APART * (i + 0.5))]
    return svg("dials", APART * len(dials), TOP + 2 * RADIUS + 30, title, parts)


def _dial(dial: Dial, x: float) -> list[str]:
    y, total = TOP + RADIUS, sum(dial.released.values())
    unit = FARTHEST / max(sqrt(a * a + b * b) for a, b in dial.examples)
    parts = [label(x, 18, dial.title, "title", "middle")]
    for angle, times in dial.released.items():
        parts.append(_half(x, y, angle, times / total))
    parts.append(f'<circle class="rim" cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>')
    for angle, times in dial.released.items():
        reach = RADIUS * (0.35 + 0.65 * times / total)
        across, up = reach * cos(radians(angle)), reach * sin(radians(angle))
        parts.append(line(x, y, x + across, y - up, "normal"))
        parts.append(label(x + 1.2 * across, y - 1.2 * up + 5, f"{angle:g}° · {times}×", "times", "middle"))
    parts += [
        f'<circle class="example" cx="{x + unit * a:.1f}" cy="{y - unit * b:.1f}" r="5"/>' for a, b in dial.examples
    ]
    return parts


def _half(x: float, y: float, angle: float, share: float) -> str:
    """The half of the disk on the side of the normal."""
    across, up = RADIUS * sin(radians(angle)), RADIUS * cos(radians(angle))
    arc = f"M {x + across:.1f} {y + up:.1f} A {RADIUS} {RADIUS} 0 0 0 {x - across:.1f} {y - up:.1f} Z"
    return f'<path class="half" fill-opacity="{0.25 * share:.2f}" d="{arc}"/>'
