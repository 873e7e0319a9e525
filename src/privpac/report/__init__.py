"""What people read: pictures."""

from privpac.report.trees import Picture, draw_mistake_tree, draw_tree_order

__all__ = ["Picture", "draw_mistake_tree", "draw_tree_order"]
