"""Pictures of decision trees: one row for each test and each leaf, all inside the width of a phone."""

import re

import privpac as pp
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.rules import Split
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.picture_shapes import DrawnTree
from privpac.report.pictures.decision_trees import ROW, decision_tree
from privpac.report.pictures.shapes import WIDTH
from privpac.report.rule_pictures import draw_rule

LONG = "a very long name of a column that nobody can read on a phone ≥ 28"


def full(depth, test=LONG):
    return DrawnTree(test, full(depth - 1, test), full(depth - 1, test)) if depth else depth == 0


def test_every_test_and_leaf_has_a_row():
    strip = decision_tree(full(3))
    text = "".join(strip.shapes)
    assert text.count('class="test"') == 7 and text.count('class="yes"') == 8 and text.count('class="no"') == 0
    assert text.count(">yes<") == text.count(">no<") == 7
    assert strip.height == ROW * 15 + 8
    boxes = re.findall(r'<rect class="\w+" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', text)
    assert all(float(x) >= 0 and float(x) + float(width) <= WIDTH for x, _, width in boxes)
    assert len({y for _, y, _ in boxes}) == 15


def test_leaves_show_their_labels():
    text = "".join(decision_tree(DrawnTree("age ≥ 28", True, False)).shapes)
    assert text.index(">positive<") < text.index(">negative<")
    text = "".join(decision_tree(DrawnTree("age ≥ 28", True, False), ("home", "<back>")).shapes)
    assert text.index(">&lt;back&gt;<") < text.index(">home<") and "positive" not in text
    assert 'class="yes"' in text and 'class="no"' in text


def test_the_picture_of_a_rule():
    tree = Split(ColumnRule(Threshold(28), 'age <&> "x"'), Constant(True), Constant(False))
    svg = draw_rule(tree, pp.Thresholds(0, 99, direction="above").on("age").domain, ["age"]).svg
    assert "age &lt;&amp;&gt;" in svg and 'aria-label="The rule:' in svg
    constant = Split(ColumnRule(Threshold(28), "age"), Constant(True), Constant(True))
    assert "every record" in draw_rule(constant, None).svg
