"""Curves of plans."""

import xml.etree.ElementTree as ET

import pytest

from privpac.classes import (
    CentralHalfPlanes,
    ExplicitClass,
    HalfPlanes,
    HalfSpaces,
    Intervals,
    Points,
    Rectangles,
    RootPaths,
    Spider,
    StartsWith,
    Thresholds,
    Trees,
)  # fmt: skip
from privpac.planning.plan_pictures import ERRORS, panels
from privpac.planning.planner import plan

RULES = ExplicitClass([[0, 0], [0, 1], [1, 0], [1, 1]])


@pytest.mark.parametrize(
    ("H", "now"),
    [
        (Thresholds(0, 2**20 - 1, direction="either"), 20),
        (Thresholds(kind="float64", direction="above"), 63),
        (Intervals(0, 99), 6),
        (Points(2**64), 64),
        (Points(), None),
        (Spider(16), 16),
        (RootPaths("/", 32), 32),
        (StartsWith(), None),
        (HalfPlanes(100), 100),
        (HalfSpaces(3, 10), 10),
        (CentralHalfPlanes(-5, 5), 11),
        (Rectangles(1, 50, 2), 50),
    ],
    ids=str,
)
def test_a_class_in_other_sizes(H, now):
    _, here, others = H.family()
    assert here == now
    assert {type(other) for _, other in others} == {type(H)}
    assert [x for x, _ in others] == sorted(x for x, _ in others)
    if hasattr(H, "direction"):
        assert {other.direction for _, other in others} == {H.direction}


def test_a_class_of_one_size_has_two_panels():
    assert RULES.family() is None
    made = panels(plan(RULES))
    assert [panel.title for panel in made] == ["error α", "privacy ε"]
    line = made[0].lines["FiniteLearner"]
    assert [x for x, _ in line] == list(ERRORS)
    assert [y for _, y in line] == sorted((y for _, y in line), reverse=True)
    assert dict(line)[0.1] == plan(RULES).best.n


@pytest.mark.slow
def test_proved_lower_bounds_are_drawn_and_orders_are_not():
    made = panels(plan(Points(2**16)))
    names = {name for panel in made for name in panel.dotted}
    assert names == {f"lower bound [BBKN14, {place}]" for place in ("Thm 3.6", "Lemma 3.9", "Remark 6.2")}
    assert not any("Yan25" in name for panel in made for name in panel.lines)


def test_the_picture_is_a_picture():
    root = ET.fromstring(plan(RULES).draw().svg)
    assert root.tag.endswith("svg")
    assert "FiniteLearner" in [text.text for text in root.iter() if text.tag.endswith("text")]


@pytest.mark.audit
def test_a_learner_that_compares_with_some_rules_is_drawn_as_one_curve_and_says_so():
    trees = panels(plan(Trees(Thresholds(0, 2**16, direction="either").on("delay"))))
    assert trees[0].lines["DecisionTreeLearner, on a public grid"]
    planes = panels(plan(HalfPlanes(100)))
    assert len(planes[2].lines["NetLearner, with margin"]) > 3
