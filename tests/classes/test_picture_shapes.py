"""What rules show of themselves: shapes as values."""

from privpac.classes.compositions.compose import And, Not, Xor
from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.picture_shapes import (
    MOST_DRAWN,
    CutLine,
    DrawnPath,
    DrawnWeights,
    Pills,
    Plane,
    Title,
    Word,
    drawn_together,
    titled,
)
from privpac.classes.tree_orders.paths import OnPath
from privpac.classes.tree_orders.spider import GroupFrom
from privpac.classes.tree_orders.taxonomy import AtOrBelow, Taxonomy
from privpac.classes.values.points import OneOf, Points
from privpac.classes.vectors.boxes import Box
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.data.domains.pairs import Pairs
from tests.grid import over

LATE = Thresholds(0, 999, direction="above").on("delay"), Points().on("carrier")
DELAY = CutLine(Line(0, 999), "delay", (37,), (False, True))
CARRIER = (Title("carrier"), Pills((("EV", True), ("everything else", False))))


@over(
    ("rule", "domain", "columns", "shapes"),
    [
        (Constant(False), None, [], [Pills((("every record", False),))]),
        (Threshold(37, above=False), None, [], [CutLine(None, None, (37,), (True, False))]),
        (ColumnRule(Threshold(37), 4), None, ["x"], [CutLine(None, "column 4", (37,), (False, True))]),
        (And(*LATE).hypothesis(37, "EV"), And(*LATE).domain, [], [DELAY, Word("and"), *CARRIER]),
        (Not(LATE[1]).hypothesis("EV"), LATE[1].domain, [], [Word("not"), *CARRIER]),
        (Xor(*LATE).hypothesis(37, "EV"), Xor(*LATE).domain, [], []),
        (GroupFrom(None, 3), Pairs(4), ["a", "b"], [Pills((("every record", False),))]),
        (HalfSpace((1, 0), 3), Grid(0, 9, 2), [], [Plane(((3, 0), (9, 0), (9, 9), (3, 9)), 0, 9, ("x₁", "x₂"))]),
        (HalfSpace((1, 0), 3), None, ["a", "b"], [DrawnWeights((1, 0), ("a", "b"))]),
        (Box((2,), (None,)), Grid(0, 9, 1), ["a"], [CutLine(Line(0, 9), "a", (2,), (False, True))]),
        (Box((2, 3), (None, 5)), None, ["a", "b"], []),
        (OnPath((), "/"), None, [], [DrawnPath(("the root",), above=True)]),
        (AtOrBelow("J", frozenset()), Taxonomy({"J": "ICD"}).domain, [], [DrawnPath(("ICD", "J"), above=False)]),
    ],
)
def test_a_rule_names_its_shapes(rule, domain, columns, shapes):
    assert rule.drawing(domain, columns) == tuple(shapes)


def test_only_some_of_many_values_are_named():
    (pills,) = OneOf(frozenset(range(100, 140))).drawing(None, [])
    assert len(pills.entries) == MOST_DRAWN + 2
    assert pills.entries[-2:] == (("and 28 more", True), ("everything else", False))


def test_shapes_are_joined_and_titled():
    assert drawn_together("and", []) == ()
    assert drawn_together("and", [CARRIER]) == CARRIER
    assert drawn_together("or", [[DELAY], CARRIER, [DELAY]]) == (DELAY, Word("or"), *CARRIER, Word("or"), DELAY)
    assert titled(["a", "b"]) == (Title("a"),)
