"""Numbers side by side: each has a name and a dot on one axis, and a dashed line may mark a limit."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, log
from typing import NamedTuple

from privpac.report.pictures.shapes import LETTER, WIDTH, Picture, Strip, label, line, short, stacked

ROW, TITLE = 24, 24  # pixels
NAMES, NUMBERS = 186, 66  # the width of names on the left, and of numbers on the right
AXIS, DOT = WIDTH - NAMES - NUMBERS, 5  # the length of the axis, and the radius of a dot


class Measure(NamedTuple):
    """A number with its name."""

    name: str
    value: float
    words: str  # the number as people read it
    filled: bool = True  # whether its dot is; a hollow dot warns


def draw_measures(measures: Sequence[Measure], title: str, *, logarithmic: bool = False, limit: float = inf) -> Picture:
    """The numbers on one axis, which starts at 0 or is logarithmic; an infinite number lies at its end.

    >>> claim, measured = Measure("claimed", 1, "1"), Measure("measured", 4.1, "4.1", False)
    >>> draw_measures([claim, measured], "ε", limit=1).svg.count("<circle")
    2
    """
    finite = [value for value in (*(measure.value for measure in measures), limit) if isfinite(value)]
    low, high = (min(finite, default=1), max(finite, default=1)) if logarithmic else (0, max([*finite, 0]))
    if not all(isfinite(measure.value) for measure in measures):
        high *= 2  # infinite numbers lie at the end, beyond all finite ones

    def place(value: float) -> float:
        if not isfinite(value):
            return NAMES + AXIS
        span, offset = (log(high / low), log(value / low)) if logarithmic else (high, value)
        return NAMES + AXIS * (offset / span if span else 0.5)

    bottom = TITLE + ROW * len(measures)
    shapes = [label(0, 14, title, "faint")]
    if isfinite(limit):
        shapes.append(line(place(limit), TITLE, place(limit), bottom, "thin dashed"))
    for i, measure in enumerate(measures):
        y, x = TITLE + ROW * (i + 0.5), place(measure.value)
        shapes += [
            label(0, y + 4, short(measure.name, int((NAMES - 8) / LETTER))),
            line(NAMES, y, NAMES + AXIS, y, "thin"),
            f'<circle class="{"yes" if measure.filled else "no"}" cx="{x:.1f}" cy="{y:.1f}" r="{DOT}"/>',
            label(WIDTH, y + 4, measure.words, "number", "end"),
        ]
    return stacked([Strip(bottom + 6, tuple(shapes))], title)
