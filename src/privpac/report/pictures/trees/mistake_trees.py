"""Pictures of mistake trees as SVG: whatever a learner predicts, some concept takes the other branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privpac.dimensions.witnesses import MistakeTree, whole_tree
from privpac.report.pictures.shapes import Picture
from privpac.report.pictures.trees.tree_layout import TreeNode, draw_nodes, tree_name

DEEPEST, ON_A_CARD = 6, 4  # the most levels of a mistake tree: 64 leaves fit on a page, 16 on a card


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
            last = f"+{hidden}" if hidden else name(tree.concepts[node - len(tree.points)])
            return TreeNode(tree_name(last), "leaf")
        children = [grow(2 * node + 1, level + 1), grow(2 * node + 2, level + 1)]
        children[0].edge, children[1].edge = "zero", "one"
        return TreeNode(tree_name(name(tree.points[node])), "pill", children=children)

    cut = f"; +{tree.value - drawn}: levels below that are not drawn" if tree.value > drawn else ""
    return draw_nodes(grow(0, 0), f"Mistake tree of depth {tree.value}{cut}")
