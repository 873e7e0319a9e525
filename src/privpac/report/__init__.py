"""WHAT PEOPLE READ: pictures and report pages."""

from privpac.report.panels import Panel, draw_panels
from privpac.report.pictures import draw_rule
from privpac.report.release_pictures import draw_release
from privpac.report.shapes import Picture
from privpac.report.trees import draw_mistake_tree, draw_tree_order

__all__ = ["Panel", "Picture", "draw_mistake_tree", "draw_panels", "draw_release", "draw_rule", "draw_tree_order"]
