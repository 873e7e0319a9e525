"""Pictures of scorecards: a line for each test, all inside the width of a phone."""

import re

from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.lines.rules import Threshold
from privpac.classes.picture_shapes import DrawnPoints
from privpac.report.pictures.decision_trees import LINE, TEST_ROW, lines_of, points_table
from privpac.report.pictures.shapes import WIDTH
from privpac.report.rule_pictures import draw_rule

LONG = "a very long name of a column that nobody can read on a phone ≥ 28"


def test_every_test_has_a_line():
    strip = points_table(DrawnPoints(((LONG, 12), ("age ≥ 40", 3), ("job = clerk", -12)), 1))
    text = "".join(strip.shapes)
    assert text.count('class="yes"') == 2 and text.count('class="no"') == 1
    assert ">+12<" in text and ">−12<" in text and "positive from 1 point on" in text
    assert strip.height == 3 * TEST_ROW + 2 * LINE + 38
    boxes = re.findall(r'<rect class="\w+" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', text)
    assert len(boxes) == 3 and all(float(x) > 0.7 * WIDTH and float(x) + float(w) <= WIDTH for x, _, w in boxes)
    assert LONG not in text and " ".join(lines_of(LONG)) == LONG and all(f">{each}<" in text for each in lines_of(LONG))


def test_what_does_not_fit_is_cut_off():
    for name in (LONG * 3, "x" * 200, f"{'x' * 200} ≥ 28 and {LONG}"):
        lines = lines_of(name)
        assert len(lines) <= 3 and any(each.endswith("…") for each in lines)
        assert name.startswith(lines[0].rstrip("…"))


def test_the_picture_of_a_rule():
    svg = draw_rule(Scorecard((Threshold(3), Threshold(7)), (2, -1), 2), None, ["<age>"], ("no", "ja")).svg
    assert "ja from 2 points on" in svg
    svg = draw_rule(Scorecard((Threshold(3), Threshold(7)), (2, -1), 2), None, ["<age>"]).svg
    assert "&lt;age&gt; ≥ 3" in svg and "positive from 2 points on" in svg
