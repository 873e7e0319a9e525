"""The section about risks: a table, how well they rank, and where the rule disagrees with them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from privpac.classes.decision_trees.rules import Split
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Threshold
from privpac.data.domains.line import Line
from privpac.learners.errors.error_estimate import read_counts
from privpac.learners.errors.region_counts import RegionCounts
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from privpac.report.pages.risks import risk_section
from privpac.report.pages.rule import page

pytestmark = pytest.mark.slow
YES, NO = Constant(True), Constant(False)
TREE = Split(Threshold(48), Split(Threshold(66), YES, NO), NO)
CUT = Threshold(37)


def model(rule, *noisy, weights=(1, 1), **given):
    cells = RegionCounts(rule, noisy, sum(noisy), Fraction(1, 2), Fraction(1, 20))
    found, certificate = read_counts(cells, (), weights), Certificate(Budget(1))
    kept = {"certificate": certificate, "label": "back", "error": found} | given
    return Model(rule, Line(0, 120), "age", ("no", "yes"), 5 * sum(noisy), "tree draw", **kept)


def test_a_page_shows_all_regions():
    text = page(model(TREE, 300, 100, 60, 540, 50, 950))
    for said in ("<h2>Risks</h2>", "How likely back = yes is", "48 ≤ age &lt; 66", "calibrated"):
        assert said in text
    assert "comes before a random negative one with a probability between" in text


def test_two_sides_have_an_order_of_their_own():
    text = risk_section(model(CUT, 160, 40, 60, 740))
    assert "with probability about 0." in text and "age ≥ 37" in text
    backward = risk_section(model(CUT, 60, 740, 160, 40))
    assert "In the order in which the rule lists these regions" in backward and "with probability about 0.1" in backward


def test_where_rule_and_risks_disagree_is_said():
    text = risk_section(model(CUT, 160, 240, 60, 740))
    assert "The rule and the risks disagree where age ≥ 37: answering by risk costs less there, clearly." in text
    weighed = model(CUT, 160, 240, 60, 740, weights=(1, 3))
    assert "disagree" not in risk_section(weighed)
    assert "Cost of 100 new records" in page(weighed) and "The rule costs about" in page(weighed)


def test_without_several_regions_there_is_no_section():
    assert risk_section(model(NO, 0, 0, 100, 900)) == ""
    assert risk_section(replace(model(CUT, 160, 40, 60, 740), error=None)) == ""


def test_with_units_a_record_is_one_of_a_unit():
    units = model(CUT, 160, 40, 60, 740, certificate=Certificate(Budget(1), unit_records=2))
    assert "A new record is a random record of a random unit." in risk_section(units)
