"""WHAT PEOPLE READ: pictures, report pages, and cards in notebooks.

Rules and releases describe their pictures as plain shapes and charts. This room draws them as SVG that needs no
library, font, or network. Pages and cards put the pictures next to what a release costs and what it promises.

Everything here shows released results and public declarations, nothing else about the records.

Parts, each importing only from those below it:
    notebook            cards in notebooks about rules, releases, dimensions, and audits
    pages               self-contained HTML pages about rules and releases
    rule_pictures       the picture of a rule
    release_pictures    the picture of a release
    pictures            one drawing for each kind of shape and chart
    numbers             numbers, formatted for people
"""

from privpac.report.pictures.log_curves import Panel, draw_panels
from privpac.report.pictures.shapes import Picture
from privpac.report.pictures.trees import draw_mistake_tree, draw_tree_order
from privpac.report.release_pictures import draw_release
from privpac.report.rule_pictures import draw_rule

__all__ = ["Panel", "Picture", "draw_mistake_tree", "draw_panels", "draw_release", "draw_rule", "draw_tree_order"]
