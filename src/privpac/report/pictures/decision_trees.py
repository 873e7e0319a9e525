"""Pictures of decision trees, as wide as a phone: each branch is a line of its own below its test.

A test stands in a box. Below it, one branch says what follows where the test holds, the other one what follows where it
does not. Leaves are filled if the label is positive, hollow otherwise; with more than two labels, a leaf names its own.

Throughout this file
    row     what one line of the picture shows: the end of a branch, at some depth
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from privpac.classes.picture_shapes import DrawnTree
from privpac.report.pictures.shapes import LETTER, WIDTH, Strip, bar, elbow, label, pill, short

ROW, STEP, WORD = 38, 46, 33  # the height of a row, the indent of a branch, the room for the word on it
BOX = 28  # the height of a box
LEAVES = {True: "positive", False: "negative"}


class Branch(NamedTuple):
    """The row at the end of a branch: a test, or a leaf with its label."""

    above: int | None  # the row of the test that the branch starts from; None for the root
    word: str  # the word on the branch: yes or no
    depth: int
    shown: str | bool  # a test or a label in words; or whether the label is positive
    leaf: bool = False


def decision_tree(tree: DrawnTree) -> Strip:
    """The tests and their branches, from top to bottom.

    >>> strip = decision_tree(DrawnTree("age ≥ 28", DrawnTree("job = clerk", True, False), False))
    >>> strip.height, "".join(strip.shapes).count("<rect")
    (198, 5)
    """
    rows = list(_rows(tree, None, "", 0, 0))
    shapes = [shape for i, row in enumerate(rows) for shape in _row_shapes(row, i)]
    return Strip(ROW * len(rows) + 8, tuple(shapes))


def _rows(tree: DrawnTree | bool | str, above: int | None, word: str, depth: int, number: int) -> Iterator[Branch]:
    """The rows of a subtree; its first row has the ``number``, and that of the test above it is ``above``."""
    if not isinstance(tree, DrawnTree):
        yield Branch(above, word, depth, tree, leaf=True)
        return
    yield Branch(above, word, depth, tree.test)
    yes = list(_rows(tree.yes, number, "yes", depth + 1, number + 1))
    yield from yes
    yield from _rows(tree.no, number, "no", depth + 1, number + 1 + len(yes))


def _row_shapes(row: Branch, number: int) -> Iterator[str]:
    y, stem = 4.0 + ROW * number, STEP * row.depth - STEP + 16.0
    x = 1.0 if row.above is None else stem + 12 + WORD
    if row.above is not None:
        top, middle = 4.0 + ROW * row.above + BOX, y + BOX / 2
        yield elbow(stem, top, middle, stem + 10)
        yield label(stem + 14, middle + 4.5, row.word, "faint")
    if isinstance(row.shown, bool):
        yield pill(x, y, LEAVES[row.shown], row.shown)[0]
        return
    text = short(row.shown, int((WIDTH - x - 24) / LETTER))
    if row.leaf:
        yield pill(x, y, text, True)[0]
        return
    width = LETTER * len(text) + 22
    yield bar(x, y, width, BOX, "test") + label(x + width / 2, y + 19, text, "strong", "middle")
