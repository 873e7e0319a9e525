"""Mistake trees and tree orders as SVG: trees of named nodes, placed level by level.

Throughout this file
    unit     the width of a leaf: leaves are one unit apart, and a parent is centered above its children
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder
from privpac.dimensions.witnesses import MistakeTree, whole_tree
from privpac.report.pictures.shapes import Picture, escaped, short, svg

# in pixels
LEVEL_HEIGHT, MARGIN, LETTER_WIDTH = 76, 24, 7.6
HALF_BOX, HALF_LEAF = 14, 12  # half the height of a box, and of the text of a leaf, which has no box
LEAST_BOX, LEAST_UNIT = 28, 44  # the least width of a box, and of the space for it
BESIDE, ABOVE = 8, 6  # how far a bit stands beside and above the middle of its edge

NAME_LETTERS = 24  # longer names are cut off
DEEPEST, ON_A_CARD = 6, 4  # the most levels of a mistake tree: 64 leaves fit on a page, 16 on a card
MOST_NODES = 200  # the largest tree order that is drawn


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
    # A note counts twice: it is on the right of a name that is centered.
    letters = max(len(node.name) + 2 * len(node.note) for node in nodes)
    unit = max(LETTER_WIDTH * letters + 30, LEAST_UNIT)
    _place(root, 0.0, 0)
    for node in nodes:
        node.x, node.y = MARGIN + unit * (node.x + 0.5), MARGIN + LEVEL_HEIGHT * node.y + HALF_BOX
    width = max(node.x for node in nodes) + unit / 2 + MARGIN
    height = max(node.y for node in nodes) + MARGIN + HALF_BOX
    parts = [_edge(node, child) for node in nodes for child in node.children] + [_box(node) for node in nodes]
    return svg("tree", width, height, title, parts)


def _walk(node: TreeNode) -> Iterable[TreeNode]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _place(node: TreeNode, left: float, level: int) -> float:
    """Place the subtree to the right of ``left``, in units and levels; return where the next subtree may begin."""
    node.y = level
    if not node.children:
        node.x = left
        return left + 1
    for child in node.children:
        left = _place(child, left, level + 1)
    node.x = (node.children[0].x + node.children[-1].x) / 2
    return left


def _edge(parent: TreeNode, child: TreeNode) -> str:
    top, bottom = parent.y + HALF_BOX, child.y - (HALF_LEAF if child.kind == "leaf" else HALF_BOX)  # between the boxes
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


def draw_mistake_tree(tree: MistakeTree, name: Callable[[Any], str] = str, *, deepest: int = DEEPEST) -> Picture:
    """Draw a mistake tree: whatever a learner predicts, some concept takes the other branch.

    A tree of more than ``deepest`` levels is cut off there; its leaves then show how many levels are missing.

    >>> "x₁" in draw_mistake_tree(MistakeTree(("x₁",), ("never", "always"))).svg
    True
    """
    drawn = min(whole_tree(tree).value, deepest)

    def grow(node: int, level: int) -> TreeNode:
        if level == drawn:
            hidden = tree.value - drawn
            text = f"+{hidden}" if hidden else name(tree.concepts[node - len(tree.points)])
            return TreeNode(tree_name(text), "leaf")
        children = [grow(2 * node + 1, level + 1), grow(2 * node + 2, level + 1)]
        children[0].edge, children[1].edge = "zero", "one"
        return TreeNode(tree_name(name(tree.points[node])), "pill", children=children)

    cut = f"; +{tree.value - drawn}: levels below that are not drawn" if tree.value > drawn else ""
    return draw_nodes(grow(0, 0), f"Mistake tree of depth {tree.value}{cut}")


def draw_tree_order(order: TreeOrder, name: Callable[[Any], str] = str) -> Picture:
    """Draw the tree order of a class of VC dimension 1, with the points at its nodes.

    A concept is a path from the root. The node where it ends is filled, and the concept's name stands beside it.

    >>> from privpac.dimensions.tree_orders.laminar import tree_order
    >>> picture = draw_tree_order(tree_order([[0, 0], [1, 0], [1, 1]]))
    >>> "VC dimension" in picture.svg
    True
    """
    if len(order.parents) > MOST_NODES:
        raise ValueError(
            f"the tree has {len(order.parents)} nodes, but a picture shows at most {MOST_NODES}; restrict() the class"
        )

    def grow(v: int) -> TreeNode:
        points = ", ".join(map(name, order.points(v))) if v else "∅"
        proper = order.is_proper(v)
        note = tree_name(name(order.concept(v))) if proper else ""
        children = [grow(child) for child in order.children(v)]
        return TreeNode(tree_name(points), "pill member" if proper else "pill", note=note, children=children)

    return draw_nodes(grow(ROOT), "Tree order of a class of VC dimension 1")
