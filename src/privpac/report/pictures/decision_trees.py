"""Pictures of decision trees and scorecards, as wide as a phone.

In a tree, each test and each leaf has a row of its own. A test stands in a box, and two branches start below it: "yes"
where the test holds, and "no" where it does not. Leaves are filled if their label is positive, and hollow otherwise;
with more than two labels, each leaf names its label. A scorecard is a table of tests and points.

Throughout this file
    row     what one line of the picture shows: the end of a branch, at some depth
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from privpac.classes.decision_trees.scorecards import signed, with_minus
from privpac.classes.picture_shapes import DrawnPoints, DrawnTree
from privpac.report.pictures.shapes import LETTER, WIDTH, Strip, bar, elbow, label, line, pill, short, text_width

ROW, STEP, WORD = 38, 46, 33  # the height of a row, the indent of a branch, the width of the word on it
BOX = 28  # the height of a box
LABELS = "negative", "positive"  # the names of labels that nobody named
TEST_ROW, LINE = 26, 17  # in a scorecard: the height of a test, and of each further line of its name
MIDDLE, LONGEST_BAR = 0.82 * WIDTH, 0.1 * WIDTH  # where bars start, and how long they are at most
ROOM = 0.58 * WIDTH  # the width of the names of tests
LETTERS, MOST_LINES = int(ROOM / LETTER), 3


class Branch(NamedTuple):
    """The row at the end of a branch: a test, or a leaf with its label."""

    above: int | None  # the row of the test that the branch starts from; None for the root
    word: str  # the word on the branch: yes or no
    depth: int
    content: str | bool  # a test, or the label of a leaf: its name, or whether it is positive
    leaf: bool = False


def decision_tree(tree: DrawnTree, labels: tuple[str, str] = LABELS) -> Strip:
    """The tests and their branches, from top to bottom; leaves have the names of the two ``labels``, negative first.

    >>> strip = decision_tree(DrawnTree("age ≥ 28", DrawnTree("job = clerk", True, False), False))
    >>> strip.height, "".join(strip.shapes).count("<rect")
    (198, 5)
    """
    rows = list(_rows(tree, None, "", 0, 0))
    shapes = [shape for i, row in enumerate(rows) for shape in _row_shapes(row, i, labels)]
    return Strip(ROW * len(rows) + 8, tuple(shapes))


def _rows(tree: DrawnTree | bool | str, above: int | None, word: str, depth: int, number: int) -> Iterator[Branch]:
    """The rows of a subtree: the first one is row ``number``, and the test above it is in row ``above``."""
    if not isinstance(tree, DrawnTree):
        yield Branch(above, word, depth, tree, leaf=True)
        return
    yield Branch(above, word, depth, tree.test)
    yes = list(_rows(tree.yes, number, "yes", depth + 1, number + 1))
    yield from yes
    yield from _rows(tree.no, number, "no", depth + 1, number + 1 + len(yes))


def _row_shapes(row: Branch, number: int, labels: tuple[str, str]) -> Iterator[str]:
    y, stem = 4.0 + ROW * number, STEP * (row.depth - 1) + 16.0  # ``stem`` is the x of the line to the test above
    x = 1.0 if row.above is None else stem + 12 + WORD
    if row.above is not None:
        top, middle = 4.0 + ROW * row.above + BOX, y + BOX / 2
        yield elbow(stem, top, middle, stem + 10)
        yield label(stem + 14, middle + 4.5, row.word, "faint")
    text = short(labels[row.content] if isinstance(row.content, bool) else row.content, int((WIDTH - x - 24) / LETTER))
    if row.leaf:
        yield pill(x, y, text, row.content is not False)[0]
        return
    width = LETTER * len(text) + 22
    yield bar(x, y, width, BOX, "test") + label(x + width / 2, y + 19, text, "strong", "middle")


def points_table(card: DrawnPoints, positive: str = LABELS[1]) -> Strip:
    """A row for each test: bars to the right are points for the ``positive`` label, bars to the left against it.

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
        start, kind = (MIDDLE, "yes") if points > 0 else (MIDDLE - width, "no")
        shapes.append(bar(start, y + 3, width, TEST_ROW - 10, kind))
        y += TEST_ROW + LINE * (len(lines) - 1)
    shapes.append(line(MIDDLE, 2, MIDDLE, y - 2))
    enough = f"{short(positive, LETTERS)} from {with_minus(card.enough)} point{'s' * (card.enough != 1)} on"
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
    return [short(text, LETTERS) for text in lines]
