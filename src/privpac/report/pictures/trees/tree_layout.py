"""Trees of named nodes as SVG: where each node stands, and the lines between them.

Throughout this file
    place    (x, y) of a node: leaves are one unit apart, and a parent is centered above its children
    pill     a node drawn as a rounded box around its name
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from privpac.report.pictures.shapes import Picture, escaped, short, svg

LEVEL_HEIGHT, SIDE_MARGIN, WIDE_LETTER = 76, 24, 7.6  # in pixels; the last is the width of a letter
HALF = 14  # half of the height of a box, in pixels
HALF_LEAF = 12  # half of the height of a leaf, which has no box
BESIDE, ABOVE = 8, 6  # where a bit stands: pixels beside the middle of its edge, and above it
NAME_LETTERS = 24  # longer names are cut off


@dataclass
class TreeNode:
    """A node with its name and its children."""

    name: str
    kind: str
    edge: str = ""  # the class of the line to the parent: "zero", "one", or plain
    note: str = ""  # a text to the right of the box
    children: list[TreeNode] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0


def tree_name(name: str) -> str:
    """A name, cut off if it is long."""
    return short(name, NAME_LETTERS)


def draw_nodes(root: TreeNode, title: str) -> Picture:
    """The picture of a tree, placed level by level."""
    nodes = list(_walk(root))
    unit = max(WIDE_LETTER * max(len(node.name) + 2 * len(node.note) for node in nodes) + 30, 44)
    _place(root, 0.0, 0)
    for node in nodes:
        node.x, node.y = SIDE_MARGIN + unit * (node.x + 0.5), SIDE_MARGIN + LEVEL_HEIGHT * node.y + HALF
    width, height = max(n.x for n in nodes) + unit / 2 + SIDE_MARGIN, max(n.y for n in nodes) + SIDE_MARGIN + HALF
    parts = [_edge(node, child) for node in nodes for child in node.children] + [_box(node) for node in nodes]
    return svg("tree", width, height, title, parts)


def _walk(node: TreeNode) -> Iterable[TreeNode]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _place(node: TreeNode, left: float, level: int) -> float:
    """Place the subtree to the right of ``left``, and return where the next one may begin."""
    node.y = level
    if not node.children:
        node.x = left
        return left + 1
    for child in node.children:
        left = _place(child, left, level + 1)
    node.x = (node.children[0].x + node.children[-1].x) / 2
    return left


def _edge(parent: TreeNode, child: TreeNode) -> str:
    top, bottom = parent.y + HALF, child.y - (HALF_LEAF if child.kind == "leaf" else HALF)  # outside of both
    ends = f'x1="{parent.x:.1f}" y1="{top:.1f}" x2="{child.x:.1f}" y2="{bottom:.1f}"'
    line = f'<line class="edge {child.edge}" {ends}/>'
    if not child.edge:
        return line
    x, y = (parent.x + child.x) / 2 + (BESIDE if child.edge == "one" else -BESIDE), (top + bottom) / 2 - ABOVE
    return f'{line}<text class="bit" x="{x:.1f}" y="{y:.1f}">{"01"[child.edge == "one"]}</text>'


def _box(node: TreeNode) -> str:
    if node.kind == "leaf":
        return f'<text class="leaf" x="{node.x:.1f}" y="{node.y:.1f}">{escaped(node.name)}</text>'
    width = max(WIDE_LETTER * len(node.name) + 16, 28)
    place = f'x="{node.x - width / 2:.1f}" y="{node.y - HALF}" width="{width:.1f}" height="{2 * HALF}" rx="{HALF}"'
    box = f'<rect class="{node.kind}" {place}/><text x="{node.x:.1f}" y="{node.y:.1f}">{escaped(node.name)}</text>'
    beside = f'x="{node.x + width / 2 + 5:.1f}" y="{node.y:.1f}"'
    return box + (f'<text class="leaf note" {beside}>{escaped(node.note)}</text>' if node.note else "")
