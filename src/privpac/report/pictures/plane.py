"""The plane of two columns, with the half-plane or box where the label is positive.

Throughout this file
    low, high   smallest and largest value of both columns
    corners     corners of the positive part, in units of the columns
"""

from __future__ import annotations

from fractions import Fraction

from privpac.classes.picture_shapes import Corner, Plane
from privpac.data.values.value_text import value_text
from privpac.report.pictures.shapes import Strip, label, short

SIDE, X, Y = 260, 70, 12  # the side of the square and its top left corner


def plane(shape: Plane) -> Strip:
    """The square from ``low`` to ``high`` with its positive part filled; the second column increases upward."""
    corners, low, high = shape.corners, shape.low, shape.high
    span = max(high - low, 1)

    def place(point: Corner) -> str:
        across, up = (float((value - low) / Fraction(span)) for value in point)
        return f"{X + SIDE * across:.1f},{Y + SIDE * (1 - up):.1f}"

    names = [short(name, 30) for name in shape.names]
    upwards = label(0, 0, names[1], "strong", "middle")
    middle, bottom = X + SIDE / 2, Y + SIDE
    return Strip(
        bottom + 46,
        (
            f'<rect class="no" x="{X}" y="{Y}" width="{SIDE}" height="{SIDE}"/>',
            f'<polygon class="yes" points="{" ".join(map(place, corners))}"/>' if len(corners) > 2 else "",
            f'<rect class="line" x="{X}" y="{Y}" width="{SIDE}" height="{SIDE}"/>',
            label(X, bottom + 17, value_text(low), "faint", "middle"),
            label(X + SIDE, bottom + 17, value_text(high), "faint", "middle"),
            label(X - 8, bottom, value_text(low), "faint", "end"),
            label(X - 8, Y + 10, value_text(high), "faint", "end"),
            label(middle, bottom + 36, names[0], "strong", "middle"),
            f'<g transform="translate({X - 40} {Y + SIDE / 2}) rotate(-90)">{upwards}</g>',
        ),
    )
