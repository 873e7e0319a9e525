"""Numbers side by side: each has a name and a dot on one axis, and a dashed line may mark a limit."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, log
from typing import NamedTuple

from privpac.report.pictures.shapes import LETTER, WIDTH, Picture, Strip, label, line, short, stacked

ROW, TITLE = 24, 24  # pixels
NAMES, NUMBERS = 186, 66  # the room for names on the left and for numbers on the right
AXIS, DOT = WIDTH - NAMES - NUMBERS, 5


class Measure(NamedTuple):
    """A number with its name; the dot of a number to rely on is filled."""

    name: str
    value: float
    words: str  # the number as people read it
    filled: bool = True


def draw_measures(measures: Sequence[Measure], title: str, *, logarithmic: bool = False, limit: float = inf) -> Picture:
    """The numbers on one axis, which starts at 0 or is logarithmic; an infinite number lies at its end.

    >>> claim, found = Measure("claimed", 1, "1"), Measure("found", 4.1, "4.1", False)
    >>> draw_measures([claim, found], "ε", limit=1).svg.count("<circle")
    2
    """
    finite = [each for each in (*(one.value for one in measures), limit) if isfinite(each)]
    low, high = (min(finite, default=1), max(finite, default=1)) if logarithmic else (0, max([*finite, 0]))
    if not all(isfinite(one.value) for one in measures):
        high *= 2  # no finite number lies where the infinite ones do

    def place(value: float) -> float:
        if not isfinite(value):
            return NAMES + AXIS
        span = log(high / low) if logarithmic else high
        return NAMES + AXIS * ((log(value / low) if logarithmic else value) / span if span else 0.5)

    bottom = TITLE + ROW * len(measures)
    shapes = [label(0, 14, title, "faint")]
    if isfinite(limit):
        shapes.append(line(place(limit), TITLE, place(limit), bottom, "thin dashed"))
    for i, each in enumerate(measures):
        y, x = TITLE + ROW * (i + 0.5), place(each.value)
        shapes += [
            label(0, y + 4, short(each.name, int((NAMES - 8) / LETTER))),
            line(NAMES, y, NAMES + AXIS, y, "thin"),
            f'<circle class="{"yes" if each.filled else "no"}" cx="{x:.1f}" cy="{y:.1f}" r="{DOT}"/>',
            label(WIDTH, y + 4, each.words, "number", "end"),
        ]
    return stacked([Strip(bottom + 6, tuple(shapes))], title)
