"""Pictures of trees as SVG: mistake trees and the tree orders of VC-1 classes.

Throughout this file
    place    (x, y) of a node: leaves are one unit apart, and a parent is centered above its children
    pill     a node drawn as a rounded box around its name
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder
from privpac.dimensions.witnesses import MistakeTree, whole_tree
from privpac.report.pictures.shapes import Picture, escaped, short, svg

DEEPEST, ON_A_CARD = 6, 4  # the most levels of a mistake tree: 64 leaves fit on a page, 16 on a card
MOST_NODES = 200  # the largest tree order that is drawn
LEVEL_HEIGHT, SIDE_MARGIN, WIDE_LETTER = 76, 24, 7.6  # in pixels; the last is the width of a letter
HALF = 14  # half of the height of a box, in pixels
HALF_LEAF = 12  # half of the height of a leaf, which has no box
BESIDE, ABOVE = 8, 6  # where a bit stands: pixels beside the middle of its edge, and above it
NAME_LETTERS = 24  # longer names are cut off


@dataclass
class _Node:
    name: str
    kind: str
    edge: str = ""  # the class of the line to the parent: "zero", "one", or plain
    note: str = ""  # a text to the right of the box
    children: list[_Node] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0


def draw_mistake_tree(tree: MistakeTree, name: Callable[[Any], str] = str, *, deepest: int = DEEPEST) -> Picture:
    """Draw a mistake tree: whatever a learner predicts, some concept takes the other branch.

    A tree of more than ``deepest`` levels is cut off there; its leaves then show how many levels are missing.

    >>> "x₁" in draw_mistake_tree(MistakeTree(("x₁",), ("never", "always"))).svg
    True
    """
    drawn = min(whole_tree(tree).value, deepest)

    def grow(node: int, level: int) -> _Node:
        if level == drawn:
            hidden = tree.value - drawn
            last = f"+{hidden}" if hidden else name(tree.concepts[node - len(tree.points)])
            return _Node(_short(last), "leaf")
        children = [grow(2 * node + 1, level + 1), grow(2 * node + 2, level + 1)]
        children[0].edge, children[1].edge = "zero", "one"
        return _Node(_short(name(tree.points[node])), "pill", children=children)

    cut = f"; +{tree.value - drawn}: levels below that are not drawn" if tree.value > drawn else ""
    return _draw(grow(0, 0), f"Mistake tree of depth {tree.value}{cut}")


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

    def grow(v: int) -> _Node:
        points = ", ".join(map(name, order.points(v))) if v else "∅"
        proper = order.is_proper(v)
        note = _short(name(order.concept(v))) if proper else ""
        children = [grow(child) for child in order.children(v)]
        return _Node(_short(points), "pill member" if proper else "pill", note=note, children=children)

    return _draw(grow(ROOT), "Tree order of a class of VC dimension 1")


def _short(name: str) -> str:
    return short(name, NAME_LETTERS)


def _draw(root: _Node, title: str) -> Picture:
    nodes = list(_walk(root))
    unit = max(WIDE_LETTER * max(len(node.name) + 2 * len(node.note) for node in nodes) + 30, 44)
    _place(root, 0.0, 0)
    for node in nodes:
        node.x, node.y = SIDE_MARGIN + unit * (node.x + 0.5), SIDE_MARGIN + LEVEL_HEIGHT * node.y + HALF
    width, height = max(n.x for n in nodes) + unit / 2 + SIDE_MARGIN, max(n.y for n in nodes) + SIDE_MARGIN + HALF
    parts = [_edge(node, child) for node in nodes for child in node.children] + [_box(node) for node in nodes]
    return svg("tree", width, height, title, parts)


def _walk(node: _Node) -> Iterable[_Node]:
    yield node
    for child in node.children:
        yield from _walk(child)


def _place(node: _Node, left: float, level: int) -> float:
    """Place the subtree to the right of ``left``, and return where the next one may begin."""
    node.y = level
    if not node.children:
        node.x = left
        return left + 1
    for child in node.children:
        left = _place(child, left, level + 1)
    node.x = (node.children[0].x + node.children[-1].x) / 2
    return left


def _edge(parent: _Node, child: _Node) -> str:
    top, bottom = parent.y + HALF, child.y - (HALF_LEAF if child.kind == "leaf" else HALF)  # outside of both
    ends = f'x1="{parent.x:.1f}" y1="{top:.1f}" x2="{child.x:.1f}" y2="{bottom:.1f}"'
    line = f'<line class="edge {child.edge}" {ends}/>'
    if not child.edge:
        return line
    x, y = (parent.x + child.x) / 2 + (BESIDE if child.edge == "one" else -BESIDE), (top + bottom) / 2 - ABOVE
    return f'{line}<text class="bit" x="{x:.1f}" y="{y:.1f}">{"01"[child.edge == "one"]}</text>'


def _box(node: _Node) -> str:
    if node.kind == "leaf":
        return f'<text class="leaf" x="{node.x:.1f}" y="{node.y:.1f}">{escaped(node.name)}</text>'
    width = max(WIDE_LETTER * len(node.name) + 16, 28)
    place = f'x="{node.x - width / 2:.1f}" y="{node.y - HALF}" width="{width:.1f}" height="{2 * HALF}" rx="{HALF}"'
    box = f'<rect class="{node.kind}" {place}/><text x="{node.x:.1f}" y="{node.y:.1f}">{escaped(node.name)}</text>'
    beside = f'x="{node.x + width / 2 + 5:.1f}" y="{node.y:.1f}"'
    return box + (f'<text class="leaf note" {beside}>{escaped(node.note)}</text>' if node.note else "")
