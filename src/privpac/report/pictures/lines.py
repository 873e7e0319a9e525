"""The picture of a line with its ends, its cuts, and the label of each part between cuts.

Throughout this file
    share     position of a value on the line: 0 at the low end, 1 at the high end
    cuts      values where the label changes
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from privpac.classes.picture_shapes import CutLine
from privpac.data.domains.line import Line
from privpac.data.values.value_text import readable_bound, readable_cut
from privpac.report.pictures.shapes import LETTER, WIDTH, Strip, bar, label, line, short

START, LENGTH = 14, WIDTH - 28
NARROWEST = 0.05  # narrower parts of the line are drawn this wide


def cut_line(shape: CutLine) -> Strip:
    """The line, cut into parts of equal width if its ends are unknown.

    >>> cut_line(CutLine(Line(0, 120), "age", (37, 52), (False, True, False))).height
    106
    """
    axis, name, cuts, labels = shape.line, shape.name, shape.cuts, shape.labels
    shares = [_share(axis, cut) for cut in cuts]
    places = _spread([(i + 1) / (len(cuts) + 1) if share is None else share for i, share in enumerate(shares)])
    ends = [START + LENGTH * place for place in (0.0, *places, 1.0)]
    parts = [bar(a, 56, b - a, 20, "yes" if yes else "no") for (a, b), yes in zip(pairwise(ends), labels, strict=True)]
    marks = [line(x, 48, x, 82, "line") for x in ends[1:-1]]
    names = [short(_cut(axis, cut), 24) for cut in cuts]
    cut_names = [_name_above(x, text) for x, text in _merged_names(ends[1:-1], names)]
    bounds = [("start", START, axis.low), ("end", START + LENGTH, axis.high)] if axis else []
    below = [label(x, 96, bound_text(value), "faint", anchor) for anchor, x, value in bounds]
    scale = [] if shares == places else [label(WIDTH / 2, 96, "not to scale", "faint", "middle")]
    title = [] if name is None else [label(START, 12, short(name, 40), "strong")]
    return Strip(106, (*title, *parts, *marks, *cut_names, *below, *scale))


def _cut(axis: Line | None, cut: object) -> str:
    """A cut as sentences show it."""
    if not isinstance(cut, str):
        return readable_bound(cut, axis.places if axis else None)
    sign, text = readable_cut(cut)
    return text if sign == "≥" else f"{sign} {text}"


def _share(axis: Line | None, value: object) -> float | None:
    """The position of ``value``; None if it has none, as for text."""
    if axis is None or axis.kind == "string":
        return None
    low, value, high = map(_number, (axis.low, value, axis.high))
    return float((min(max(value, low), high) - low) / (high - low)) if high > low else None


def _number(value: object) -> Any:
    """A value as a number: times in seconds; floats halved, since the difference of the extreme ones overflows."""
    if isinstance(value, (date, np.datetime64)):
        return int(np.datetime64(value).astype("datetime64[s]").astype(int))
    return value / 2 if isinstance(value, float) else value


def _spread(places: list[float]) -> list[float]:
    """The places in order, moved so that each is at least NARROWEST away from the next and from both ends."""
    low, moved = 0.0, []
    for i, place in enumerate(places):
        low = min(max(place, low + NARROWEST), 1 - NARROWEST * (len(places) - i))
        moved.append(low)
    return moved


def _merged_names(xs: list[float], names: list[str]) -> list[tuple[float, str]]:
    """The names of the cuts at ``xs`` and where to write them; two that are equal or would overlap are merged."""
    if len(names) == 2 and (names[0] == names[1] or xs[1] - xs[0] < LETTER * sum(map(len, names)) / 2 + 14):
        return [(sum(xs) / 2, " … ".join(dict.fromkeys(names)))]
    return list(zip(xs, names, strict=True))


def _name_above(x: float, text: str) -> str:
    """A name above x, moved if necessary to stay inside the picture."""
    half = LETTER * len(text) / 2
    return label(min(max(x, half), WIDTH - half), 40, text, "strong", "middle")


def bound_text(value: object, places: int | None = None) -> str:
    """A value beside an axis; if it is a number with many digits, only three of them.

    >>> bound_text(-60), bound_text(2**64), bound_text(0.5, 2)
    ('−60', '1.84e+19', '0.50')
    """
    text = readable_bound(value, places)
    if len(text) > 14 and isinstance(value, (int, float)):
        return f"{Decimal(value):.3g}".replace("-", "−", 1)  # an integer may be larger than all floats
    return short(text, 20)
