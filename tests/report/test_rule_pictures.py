"""Pictures of every kind of rule."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import date

import numpy as np
import pytest

from privpac.classes.compositions.compose import And, Not, Or, Xor
from privpac.classes.compositions.rules import Composed
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.picture_shapes import Pills, titled
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.tree_orders.spider import GroupFrom
from privpac.classes.tree_orders.taxonomy import AtOrAbove, Taxonomy
from privpac.classes.values.points import OneOf, Points
from privpac.classes.vectors.boxes import Box, Conjunction
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.classes.vectors.parities import Parities
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.data.domains.pairs import Pairs
from privpac.report.pictures.shapes import WIDTH
from privpac.report.rule_pictures import draw_rule

SVG = "{http://www.w3.org/2000/svg}"
LATE = And(Thresholds(0, 999, direction="above").on("delay"), Points().on("carrier"))
TREE = Taxonomy({"J10": "J", "J11": "J", "J": "ICD"}, kind="subtree")
CASES = [
    (Threshold(37), Line(0, 120), ["age"], {"age", "37", "0", "120"}),
    (Threshold(37, above=False), None, ["age"], {"age", "37"}),
    (Threshold(date(2026, 3, 1)), Line(date(2026, 1, 1), date(2026, 12, 31)), ["day"], {"2026-03-01", "2026-12-31"}),
    (Interval(37, 100), Line(0, 120), [3], {"column 3", "37", "100"}),
    (OneOf(frozenset(["EV", "UA"])), None, ["carrier"], {"carrier", "EV", "UA", "everything else"}),
    (OneOf(frozenset(range(40))), None, [], {"and 28 more"}),
    (LATE.hypothesis(37, "EV"), LATE.domain, [], {"delay", "37", "and", "carrier", "EV", "999"}),
    (Or(*LATE.parts).hypothesis(37, "EV"), LATE.domain, [], {"or"}),
    (Not(LATE.parts[1]).hypothesis("EV"), LATE.parts[1].domain, [], {"not", "EV"}),
    (GroupFrom("Boeing", 1998), Pairs(16), ["maker", "year"], {"maker", "Boeing", "and", "year", "1998"}),
    (GroupFrom(None, 0), Pairs(16), ["maker", "year"], {"every record"}),
    (HalfSpace((3, -2), 5), Grid(0, 9, 2), ["w", "h"], {"w", "h", "0", "9"}),
    (HalfSpace((3, -2, 0), 5), Grid(0, 9, 3), [], {"x₁ 3", "x₂ −2", "x₃ 0"}),
    (Box((2, None), (5, 3)), Grid(0, 9, 2), ["w", "h"], {"w", "h"}),
    (Box((2, None, None), (5, 3, None)), Grid(0, 9, 3), ["a", "b", "c"], {"a", "b", "2", "5", "3", "and"}),
    (Conjunction(3, (0,), (2,)), None, ["wet", "cold", "dark"], {"all of", "wet = 1", "dark = 0"}),
    (OnPath(("usr", "lib"), "/"), None, ["path"], {"the root", "usr", "lib", "everything below"}),
    (OnPath(tuple("abcdefghijklmnopqrst"), "/"), None, ["path"], {"the root", "a", "…", "t"}),
    (HasPrefix("J10", None), None, ["code"], {"J", "J1", "J10", "everything elsewhere"}),
    (HasSuffix("1JB", None), None, ["tail"], {"B", "JB", "1JB", "everything elsewhere"}),
    (HasSuffix(("example", "org"), "."), None, ["host"], {"the root", "org", "example", "everything below"}),
    (AtOrAbove(("ICD", "J")), None, ["code"], {"ICD", "J"}),
    (TREE.hypothesis("J"), TREE.domain, ["code"], {"ICD", "J", "everything below"}),
    (Constant(True), None, [], {"every record"}),
]


def texts(picture):
    return {" ".join(text.text.split()) for text in ET.fromstring(picture.svg).iter(f"{SVG}text")}


@pytest.mark.parametrize(("rule", "domain", "columns", "told"), CASES, ids=map(str, range(len(CASES))))
def test_a_rule_has_a_picture(rule, domain, columns, told):
    picture = draw_rule(rule, domain, columns)
    assert told <= texts(picture)
    root = ET.fromstring(picture.svg)
    assert "\n" not in (root.get("aria-label") or "\n")
    height = float(root.get("height"))
    for group in root.iter(f"{SVG}g"):
        for box in group.findall(f"{SVG}rect"):
            assert 0 <= float(box.get("x")) <= WIDTH + 0.2 - float(box.get("width"))
            assert float(box.get("y")) + float(box.get("height")) <= height


def filled(rule, domain=None, columns=()):
    """The names in filled pills."""
    shapes = ET.fromstring(draw_rule(rule, domain, columns).svg).iter()
    return {shape.text for shape in shapes if "on" in (shape.get("class") or "").split()}


def test_what_is_filled_is_positive():
    assert filled(OnPath(("usr", "lib"), "/")) == {"the root", "usr", "lib"}
    assert filled(HasPrefix("J10", None)) == {"J10", "everything below"}
    assert filled(HasSuffix("JB", None)) == {"JB", "everything below"}
    assert filled(TREE.hypothesis("J"), TREE.domain) == {"J", "everything below"}
    assert filled(OneOf(frozenset(["EV"]))) == {"EV"}
    assert filled(Constant(False)) == set()


def test_rules_without_a_picture_have_none():
    parity = next(iter(Parities(2).representatives([(1, 1), (0, 1)])))
    both = Xor(*LATE.parts).hypothesis(37, "EV")
    assert draw_rule(parity, None) is None or parity.constant is not None
    assert draw_rule(both, LATE.domain) is None


def test_a_rule_of_another_package_draws_itself(monkeypatch):
    monkeypatch.setattr(Hypothesis, "_by_name", dict(Hypothesis._by_name))

    @dataclass(frozen=True)
    class Odd(Hypothesis):
        def __call__(self, column, /):
            return np.array(column) % 2 == 1

        def sentence(self, x="x"):
            return f"{x} is odd"

        def drawing(self, domain, columns):
            return (*titled(columns), Pills((("odd", True), ("even", False))))

    assert texts(draw_rule(Odd(), None, ["number"])) == {"number", "odd", "even"}
    assert {"number", "not", "odd"} <= texts(draw_rule(Composed("not", (True, False), (Odd(),)), None, ["number"]))


def test_names_are_escaped():
    picture = draw_rule(OneOf(frozenset(["<script>alert(1)</script>", "\x00&"])), None, ['"><img>'])
    assert "<script>" not in picture.svg
    assert "<img>" not in picture.svg
    ET.fromstring(picture.svg)
