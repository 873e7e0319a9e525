"""The class of trees and scorecards together: its members, its patterns, and how a shell names it."""

import copy
import pickle

import pytest

import privpac as pp
from privpac.classes.decision_trees.auto import Auto
from privpac.cli.class_options import Described

PARTS = pp.Thresholds(0, 3, direction="above").on("age"), pp.Points().on("job", values=["a", "b"])


def test_a_value_like_other_classes():
    rules = Auto(*PARTS)
    assert rules == copy.deepcopy(rules) == pickle.loads(pickle.dumps(rules)) and repr(rules).startswith("Auto(")
    assert rules.members == (pp.Trees(*PARTS, depth=2), pp.Trees(*PARTS, depth=3), pp.Scorecards(*PARTS))
    assert rules.size == sum(each.size for each in rules.members) and rules.domain == rules.members[0].domain


def test_its_patterns_are_those_of_all_members():
    rules, points = Auto(*PARTS), {"age": [0, 1, 3, 3], "job": ["a", "b", "b", "a"]}

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
    built = Described("auto", {"part": ["age thresholds 0 120", "job points clerk,nurse"]}).build()
    ages = pp.Thresholds(0, 120, direction="either").on("age")
    assert built == Auto(ages, pp.Points().on("job", values=("clerk", "nurse")))
    with pytest.raises(ValueError, match="name at least one part"):
        Described("auto", {}).build()
    with pytest.raises(ValueError, match="does not apply to the class auto"):
        Described("auto", {"part": ["age thresholds 0 120"], "depth": 2}).build()
