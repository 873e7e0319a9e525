"""WHAT PEOPLE READ: pictures and report pages."""

from privpac.report.pictures.log_curves import Panel, draw_panels
from privpac.report.pictures.shapes import Picture
from privpac.report.pictures.trees import draw_mistake_tree, draw_tree_order
from privpac.report.release_pictures import draw_release
from privpac.report.rule_pictures import draw_rule

__all__ = ["Panel", "Picture", "draw_mistake_tree", "draw_panels", "draw_release", "draw_rule", "draw_tree_order"]
