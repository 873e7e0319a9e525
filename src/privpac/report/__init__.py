"""What people read: pictures."""

from privpac.report.panels import Panel, draw_panels
from privpac.report.trees import Picture, draw_mistake_tree, draw_tree_order

__all__ = ["Panel", "Picture", "draw_mistake_tree", "draw_panels", "draw_tree_order"]
