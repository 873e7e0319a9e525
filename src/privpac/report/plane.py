"""The plane of two columns, with the half-plane or the box in which the label is positive.

Throughout this file
    a, b      the least and the largest value of both columns
    corners   of the positive part, in the columns' own values

Main declarations
    plane         a strip with the plane and the positive part
    half_plane    the corners of w·x ≥ c within the square from a to b
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from privpac.data.values import shown
from privpac.report.shapes import Strip, label, short

SIDE, X, Y = 260, 70, 12  # of the square that is drawn, and where it stands
Corner = tuple[Fraction | int, Fraction | int]


def half_plane(normal: Sequence[int], bias: int, low: int, high: int) -> list[Corner]:
    """The corners of the part of the square where w·x ≥ c, in order round it.

    >>> [(int(x), int(y)) for x, y in half_plane((1, 0), 3, 0, 10)]
    [(3, 0), (10, 0), (10, 10), (3, 10)]
    """
    square = [(low, low), (high, low), (high, high), (low, high)]
    corners: list[Corner] = []
    for (x, y), (u, v) in zip(square, [*square[1:], square[0]], strict=True):
        here, there = (normal[0] * p + normal[1] * q - bias for p, q in ((x, y), (u, v)))
        if here >= 0:
            corners.append((Fraction(x), Fraction(y)))
        if (here < 0) != (there < 0):
            t = Fraction(here, here - there)
            corners.append((x + t * (u - x), y + t * (v - y)))
    return list(dict.fromkeys(corners))


def plane(corners: Sequence[Corner], low: int, high: int, columns: Sequence[str]) -> Strip:
    """The square from ``low`` to ``high``, the positive part of it filled; the second column runs upwards."""
    span = max(high - low, 1)

    def place(point: Corner) -> str:
        across, up = (float((value - low) / Fraction(span)) for value in point)
        return f"{X + SIDE * across:.1f},{Y + SIDE * (1 - up):.1f}"

    names = [short(name, 30) for name in columns]
    upwards = label(0, 0, names[1], "strong", "middle")
    middle, bottom = X + SIDE / 2, Y + SIDE
    return Strip(
        bottom + 46,
        (
            f'<rect class="no" x="{X}" y="{Y}" width="{SIDE}" height="{SIDE}"/>',
            f'<polygon class="yes" points="{" ".join(map(place, corners))}"/>' if len(corners) > 2 else "",
            f'<rect class="line" x="{X}" y="{Y}" width="{SIDE}" height="{SIDE}"/>',
            label(X, bottom + 17, shown(low), "faint", "middle"),
            label(X + SIDE, bottom + 17, shown(high), "faint", "middle"),
            label(X - 8, bottom, shown(low), "faint", "end"),
            label(X - 8, Y + 10, shown(high), "faint", "end"),
            label(middle, bottom + 36, names[0], "strong", "middle"),
            f'<g transform="translate({X - 40} {Y + SIDE / 2}) rotate(-90)">{upwards}</g>',
        ),
    )
