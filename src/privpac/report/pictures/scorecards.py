"""Pictures of scorecards, as wide as a phone: a table of tests and points, and how many points are enough."""

from __future__ import annotations

from privpac.classes.decision_trees.scorecards import signed, with_minus
from privpac.classes.picture_shapes import DrawnPoints
from privpac.report.pictures.shapes import LETTER, WIDTH, Strip, bar, label, line, short, text_width

ROW, LINE = 26, 17  # the height of a test, and of each further line of its name
MIDDLE, LONGEST_BAR = 0.82 * WIDTH, 0.1 * WIDTH  # where bars start, and how long they are at most
ROOM = 0.58 * WIDTH  # for the names of tests
LETTERS, MOST_LINES = int(ROOM / LETTER), 3


def points_table(card: DrawnPoints) -> Strip:
    """A row for each test: bars to the right are points for the positive label, bars to the left against it.

    >>> strip = points_table(DrawnPoints((("age ≥ 40", 3), ("job = clerk", -2)), 2))
    >>> strip.height, "".join(strip.shapes).count("<rect")
    (90, 2)
    """
    largest = max(abs(points) for _, points in card.tests) or 1
    shapes, y = [], 4
    for test, points in card.tests:
        width, lines = LONGEST_BAR * abs(points) / largest, lines_of(test)
        shapes += [label(0, y + 15 + LINE * i, text) for i, text in enumerate(lines)]
        shapes.append(label(ROOM + 0.11 * WIDTH, y + 15, signed(points), "strong", "end"))
        shapes.append(bar(MIDDLE - (width if points < 0 else 0), y + 3, width, ROW - 10, "yes" if points > 0 else "no"))
        y += ROW + LINE * (len(lines) - 1)
    shapes.append(line(MIDDLE, 2, MIDDLE, y - 2))
    enough = f"positive from {with_minus(card.enough)} point{'s' * (card.enough != 1)} on"
    shapes.append(label(0, y + 22, enough, "strong"))
    return Strip(y + 34, tuple(shapes))


def lines_of(test: str) -> list[str]:
    """The words of a test in up to three lines; what does not fit is cut off.

    >>> lines_of("age ≥ 40 and job is neither clerk nor nurse")
    ['age ≥ 40 and job is', 'neither clerk nor nurse']
    """
    lines = [""]
    for word in test.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer) <= LETTERS or not lines[-1] or len(lines) == MOST_LINES:
            lines[-1] = longer
        else:
            lines.append(word)
    return [short(each, LETTERS) for each in lines]
