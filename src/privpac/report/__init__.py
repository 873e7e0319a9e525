"""What people read: pictures."""

from privpac.report.trees import Picture, mistake_tree, tree_order

__all__ = ["Picture", "mistake_tree", "tree_order"]
