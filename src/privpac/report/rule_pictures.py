"""The picture of a rule as SVG: a line with its cut, a tree with its path, a plane with its border, and others.

A rule describes its picture as shapes (``Hypothesis.drawing``), and this file draws each kind of shape. The picture
shows the rule and what the caller declared, never a record or a count of records.

Throughout this file
    strip     one drawing as wide as the page; a picture stacks strips
    yes, no   the CSS classes of what is labeled positive (filled) and negative (hollow)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.picture_shapes import (
    MOST_DRAWN,
    Corner,
    CutLine,
    DrawnPath,
    DrawnPoints,
    DrawnTree,
    DrawnWeights,
    Pills,
    Plane,
    Shape,
    Title,
    Word,
)
from privpac.data.domains.domain import Domain
from privpac.data.values.value_text import value_text
from privpac.report.pictures.decision_trees import LABELS, decision_tree, points_table
from privpac.report.pictures.lines import cut_line
from privpac.report.pictures.shapes import WIDTH, Picture, Strip, bar, elbow, label, line, pill, pills, short, stacked

SIDE, X, Y = 260, 70, 12  # the square that shows a plane: its side, and its top left corner


def draw_rule(
    rule: Hypothesis, domain: Domain | None, columns: Sequence[Any] = (), classes: Sequence[Any] = ()
) -> Picture | None:
    """The picture of ``rule``, with the names of the columns it reads and of its two labels, negative first.

    Without ``classes``, the labels are called negative and positive; if they are more than two, leaves name them.

    >>> from privpac.classes.lines.thresholds import Thresholds
    >>> delays = Thresholds(0, 999)
    >>> picture = draw_rule(delays.hypothesis(37), delays.domain, ["delay"])
    >>> "delay" in picture.svg and "37" in picture.svg
    True
    """
    labels = (value_text(classes[0]), value_text(classes[1])) if len(classes) == 2 else LABELS
    names = [name if isinstance(name, str) else f"column {name}" for name in columns]
    strips = [_strip(shape, labels) for shape in rule.drawing(domain, names)]
    return stacked(strips, f"The rule: {rule.sentence(*names)}") if strips else None


def _strip(shape: Shape, labels: tuple[str, str]) -> Strip:  # noqa: PLR0911  (one for each shape)
    match shape:
        case CutLine():
            return cut_line(shape)
        case Plane():
            return plane(shape)
        case DrawnPath():
            return _chain(shape)
        case Pills():
            return pills(shape.entries)
        case DrawnTree():
            return decision_tree(shape, labels)
        case DrawnWeights():
            return _weights(shape)
        case DrawnPoints():
            return points_table(shape, labels[1])
        case Title():
            return Strip(22, (label(0, 14, short(shape.name, 40), "strong"),))
        case Word():
            return Strip(30, (label(WIDTH / 2, 20, shape.word, "strong", "middle"),))


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


def _chain(chain: DrawnPath) -> Strip:
    """The path from the root, one step below another; then everything below the path and everything elsewhere."""
    steps, above = chain.steps, chain.above
    drawn = steps
    if len(steps) > MOST_DRAWN:  # leave out steps in the middle
        drawn = (*steps[: MOST_DRAWN // 2], "…", *steps[-MOST_DRAWN // 2 + 1 :])
    shapes: list[str] = []
    for i, step in enumerate(drawn):
        x, y = 12.0 + 14 * i, 4.0 + 38 * i
        if i:
            shapes.append(elbow(x - 6, y - 10, y + 14, x))
        shapes.append(pill(x, y, step, above or i == len(drawn) - 1)[0])
    x, y = 12.0 + 14 * len(drawn), 4.0 + 38 * len(drawn)
    shapes.append(elbow(x - 6, y - 10, y + 14, x, "thin dashed"))
    shapes.append(pill(x, y, "everything below", not above)[0])
    shapes.append(pill(12, y + 44, "everything elsewhere", False)[0])
    return Strip(y + 80, tuple(shapes))


def _weights(weights: DrawnWeights) -> Strip:
    """A bar for each weight: to the right if it counts toward the positive label, to the left if against it."""
    normal = weights.normal
    largest = max(map(abs, normal)) or 1
    shapes = [line(WIDTH * 0.7, 0, WIDTH * 0.7, 30 * len(normal) + 6)]
    for i, (weight, name) in enumerate(zip(normal, weights.names, strict=True)):
        width = 0.25 * WIDTH * abs(weight) / largest
        y = 6 + 30 * i
        shapes.append(bar(WIDTH * 0.7 - (width if weight < 0 else 0), y, width, 18, "yes" if weight > 0 else "no"))
        shapes.append(label(0, y + 14, f"{short(name, 20)}  {value_text(weight)}"))
    return Strip(30 * len(normal) + 10, tuple(shapes))
