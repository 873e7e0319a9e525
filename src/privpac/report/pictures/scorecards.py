"""Pictures of scorecards, as wide as a phone: a table of tests and points, and how many points are enough."""

from __future__ import annotations

from privpac.classes.decision_trees.scorecards import signed, with_minus
from privpac.classes.picture_shapes import DrawnPoints
from privpac.report.pictures.shapes import LETTER, WIDTH, Strip, bar, label, line, short

ROW = 26
MIDDLE, LONGEST_BAR, ROOM = 0.82 * WIDTH, 0.1 * WIDTH, 0.58 * WIDTH  # where bars start, their length, and the names


def points_table(card: DrawnPoints) -> Strip:
    """A line for each test: bars to the right are points for the positive label, bars to the left against it.

    >>> strip = points_table(DrawnPoints((("age ≥ 40", 3), ("job = clerk", -2)), 2))
    >>> strip.height, "".join(strip.shapes).count("<rect")
    (90, 2)
    """
    largest = max(abs(points) for _, points in card.tests) or 1
    shapes = [line(MIDDLE, 2, MIDDLE, ROW * len(card.tests) + 2)]
    for i, (test, points) in enumerate(card.tests):
        y, width = 4.0 + ROW * i, LONGEST_BAR * abs(points) / largest
        shapes.append(label(0, y + 15, short(test, int(ROOM / LETTER))))
        shapes.append(label(ROOM + 0.11 * WIDTH, y + 15, signed(points), "strong", "end"))
        shapes.append(bar(MIDDLE - (width if points < 0 else 0), y + 3, width, ROW - 10, "yes" if points > 0 else "no"))
    end = ROW * len(card.tests) + 26.0
    shapes.append(
        label(0, end, f"positive from {with_minus(card.enough)} point{'s' * (card.enough != 1)} on", "strong")
    )
    return Strip(ROW * len(card.tests) + 38, tuple(shapes))
