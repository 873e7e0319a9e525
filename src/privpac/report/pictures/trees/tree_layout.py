"""Trees of named nodes as SVG: where each node stands, and the lines between them.

Throughout this file
    place    (x, y) of a node: leaves are one unit apart, and a parent is centered above its children
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from privpac.report.pictures.shapes import Picture, escaped, short, svg

# in pixels
LEVEL_HEIGHT, MARGIN, LETTER_WIDTH = 76, 24, 7.6
HALF_BOX, HALF_LEAF = 14, 12  # half the height of a box, and of the text of a leaf, which has no box
LEAST_BOX, LEAST_UNIT = 28, 44  # the least width of a box, and of the space for it
BESIDE, ABOVE = 8, 6  # how far a bit stands beside and above the middle of its edge

NAME_LETTERS = 24  # longer names are cut off


@dataclass
class TreeNode:
    """A node with its name and its children."""

    name: str
    kind: str  # "leaf", or the CSS classes of its box
    edge: str = ""  # the CSS class of the line to the parent: "zero", "one", or plain
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
    letters = max(len(node.name) + 2 * len(node.note) for node in nodes)  # twice, because names are centered
    unit = max(LETTER_WIDTH * letters + 30, LEAST_UNIT)
    _place(root, 0.0, 0)
    for node in nodes:
        node.x, node.y = MARGIN + unit * (node.x + 0.5), MARGIN + LEVEL_HEIGHT * node.y + HALF_BOX
    width, height = max(n.x for n in nodes) + unit / 2 + MARGIN, max(n.y for n in nodes) + MARGIN + HALF_BOX
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
    top, bottom = parent.y + HALF_BOX, child.y - (HALF_LEAF if child.kind == "leaf" else HALF_BOX)  # outside of both
    ends = f'x1="{parent.x:.1f}" y1="{top:.1f}" x2="{child.x:.1f}" y2="{bottom:.1f}"'
    line = f'<line class="edge {child.edge}" {ends}/>'
    if not child.edge:
        return line
    x, y = (parent.x + child.x) / 2 + (BESIDE if child.edge == "one" else -BESIDE), (top + bottom) / 2 - ABOVE
    return f'{line}<text class="bit" x="{x:.1f}" y="{y:.1f}">{"01"[child.edge == "one"]}</text>'


def _box(node: TreeNode) -> str:
    if node.kind == "leaf":
        return f'<text class="leaf" x="{node.x:.1f}" y="{node.y:.1f}">{escaped(node.name)}</text>'
    width = max(LETTER_WIDTH * len(node.name) + 16, LEAST_BOX)
    place = f'x="{node.x - width / 2:.1f}" y="{node.y - HALF_BOX}" width="{width:.1f}"'
    shape = f'<rect class="{node.kind}" {place} height="{2 * HALF_BOX}" rx="{HALF_BOX}"/>'
    box = f'{shape}<text x="{node.x:.1f}" y="{node.y:.1f}">{escaped(node.name)}</text>'
    beside = f'x="{node.x + width / 2 + 5:.1f}" y="{node.y:.1f}"'
    return box + (f'<text class="leaf note" {beside}>{escaped(node.note)}</text>' if node.note else "")
