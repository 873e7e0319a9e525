"""Pictures of tree orders as SVG: a class of VC dimension 1, with its points at the nodes of a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privpac.dimensions.tree_orders.laminar import ROOT, TreeOrder
from privpac.report.pictures.shapes import Picture
from privpac.report.pictures.trees.tree_layout import TreeNode, draw_nodes, tree_name

MOST_NODES = 200  # the largest tree order that is drawn


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
