"""Regions of rules: every record lies in one, the rule gives one label there, and regions give other rules."""

import numpy as np
import pytest

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.decision_trees.rules import Split
from privpac.classes.decision_trees.scorecards import Scorecard
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.regions import Bands, Leaves, Sides, finest
from privpac.classes.values.points import OneOf

YES, NO = Constant(True), Constant(False)
TREE = Split(Threshold(48), Split(Threshold(66), YES, NO), Split(Threshold(20), NO, YES))
CARD = Scorecard((Threshold(10), Threshold(30), Threshold(60), Threshold(80)), (2, -1, 3, 4), 3)
TWO = Split(ColumnRule(Threshold(28), "age"), Split(ColumnRule(OneOf(frozenset(["clerk"])), "job"), YES, NO), NO)
X = np.arange(100)


@pytest.mark.parametrize("rule", [TREE, CARD, Threshold(37), Interval(3, 9), YES, OneOf(frozenset([3]))], ids=str)
@pytest.mark.parametrize("most", [2, 3, 4, 9])
def test_the_label_of_a_region_is_that_of_the_rule(rule, most):
    regions = finest(rule, most)
    places = regions.places(X)
    assert regions.number == len(regions.labels) == len(regions.sentences("x")) <= max(most, 2)
    assert places.min() >= 0 and places.max() < regions.number
    assert (np.array(regions.labels)[places] == rule(X)).all()


def test_public_numbers_decide_how_many_regions_there_are():
    assert [type(finest(TREE, most)) for most in (3, 4, 9)] == [Sides, Leaves, Leaves]
    assert [finest(CARD, most).number for most in (2, 3, 4, 9)] == [2, 3, 4, 6]
    assert type(finest(Split(Threshold(5), YES, NO), 9)) is Sides
    assert type(finest(Split(Threshold(5), YES, YES), 9)) is Sides
    one_test = Scorecard((Threshold(5),), (1,), 1)
    assert finest(one_test, 9).sentences() == ["at least 1 point", "at most 0 points"]


def test_both_sides_are_told_without_not():
    assert Sides(TWO).sentences() == ["age ≥ 28 and job = clerk", "age < 28 or job ≠ clerk"]
    assert finest(CARD, 2).sentences() == ["at least 3 points", "at most 2 points"]
    assert Sides(Split(Threshold(5), NO, YES)).sentences("x") == ["x < 5", "x ≥ 5"]


def test_a_missing_value_lies_in_a_region_too():
    leaves = Leaves(TWO)
    records = {"age": [30, 30, None, 27], "job": ["clerk", None, "clerk", "nurse"]}
    assert leaves.places(records).tolist() == [0, 1, 2, 2]
    assert leaves.sentences() == ["age ≥ 28 and job = clerk", "age ≥ 28 and job ≠ clerk", "age < 28"]


@pytest.mark.parametrize("regions", [Leaves(TREE), Bands(CARD, (6, 3, 1)), Sides(Threshold(37))], ids=repr)
def test_other_labels_give_another_rule(regions):
    prefixes = [[1] * k + [0] * (regions.number - k) for k in range(regions.number + 1)]
    every = prefixes if isinstance(regions, Bands) else [*prefixes, [int(g % 2) for g in range(regions.number)]]
    for labels in every:
        assert (regions.relabeled(labels)(X) == np.array(labels)[regions.places(X)].astype(bool)).all()


def test_bands_are_flagged_from_the_highest_on():
    with pytest.raises(ValueError, match="above a number of points"):
        Bands(CARD, (6, 3, 1)).relabeled([0, 1, 0, 0])
    for cuts in ((3, 6), (6, 6, 3), (6, 1)):
        with pytest.raises(ValueError, match="the cuts must decrease"):
            Bands(CARD, cuts)


def test_points_are_counted_in_words():
    assert Bands(CARD, (6, 3, 2, -1)).sentences() == [
        "at least 6 points", "3 to 5 points", "2 points", "−1 to 1 points", "at most −2 points",
    ]  # fmt: skip
