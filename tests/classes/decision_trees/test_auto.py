"""The class of trees and scorecards together: its members, its patterns, and how a shell names it."""

import copy
import pickle

import pytest

import privpac as pp
from privpac.classes.decision_trees.auto import Auto
from privpac.cli.class_options import ClassOptions

PARTS = pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("job", values=["a", "b"])


def test_a_value_like_other_classes():
    rules = Auto(*PARTS)
    assert rules == copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules)) and repr(rules).startswith("Auto(")
    cards = pp.Scorecards(*PARTS), pp.Scorecards(*PARTS, pairs=True)
    assert rules.members == (pp.Trees(*PARTS, depth=2), pp.Trees(*PARTS, depth=3), *cards)
    assert rules.size == sum(each.size for each in rules.members) and rules.domain == rules.members[0].domain


def test_its_size_is_infinite_where_that_of_a_member_is():
    """Cards of single tests have a finite size here, which is too large for a float, and cards of pairs do not."""
    ages = pp.Thresholds(0, 99).on("age")
    assert Auto(ages).size == float("inf") > pp.Scorecards(ages).size


def test_its_patterns_are_those_of_all_members():
    rules, points = Auto(*PARTS), {"age": [0, 3, 3], "job": ["b", "b", "a"]}

    def patterns(concept_class):
        return set(map(tuple, concept_class.patterns(points).tolist()))

    assert patterns(rules) == set().union(*map(patterns, rules.members))


def test_bad_parts_are_refused():
    with pytest.raises(ValueError, match="at least one part"):
        Auto()
    with pytest.raises(TypeError, match="a part must be a concept class"):
        Auto([[0, 1]])
    with pytest.raises(ValueError, match="column"):
        Auto(pp.Thresholds(0, 3, direction="above"), pp.Thresholds(0, 3, direction="above").on("age"))


def test_the_command_line_names_it():
    built = ClassOptions("auto", {"part": ["age thresholds 0 120", "job points clerk,nurse"]}).build()
    ages = pp.Thresholds(0, 120, direction="either").on("age")
    assert built == Auto(ages, pp.Points().on("job", values=("clerk", "nurse")))
    with pytest.raises(ValueError, match="name at least one part"):
        ClassOptions("auto", {}).build()
    with pytest.raises(ValueError, match="does not apply to the class auto"):
        ClassOptions("auto", {"part": ["age thresholds 0 120"], "depth": 2}).build()
