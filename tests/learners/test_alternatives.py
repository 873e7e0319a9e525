"""A class that no learner supports is refused with what to type instead, and that is learned."""

import pytest

import privpac as pp
from privpac.learners.alternatives import OTHERWISE, advice
from privpac.learners.choice import learner_for
from privpac.requests.conditions import Conditions
from tests.grid import over

ASKED = Conditions.of(delta=1e-6)
NAME, OTHER, CODE, AGE = (
    *(pp.Points().on("name"), pp.Points().on("other")),
    *(pp.StartsWith(height=3).on("code"), pp.Thresholds(0, 9, direction="above").on("age")),
)
MANY = pp.Points().on("name", values=list(range(300)))
PREFIX = "PrivateClassifier(StartsWith(separator=None, height=3), feature='code')"


@over(
    ("asked_for", "says"),
    [
        (NAME, "PrivateClassifier(Points(domain_size=None), feature='name')"),
        (CODE, PREFIX),
        (pp.And(NAME, OTHER), "Equalities('name', 'other', at_most=2)"),
        (pp.And(pp.And(NAME, OTHER), pp.Points().on(2)), "Equalities('name', 'other', 2, at_most=3)"),
        (pp.Or(NAME, OTHER), "but one: Points().on('name', values=[…]) and Points().on('other', values=[…])"),
        (pp.And(NAME, AGE, OTHER), "but one: Points().on('name', values=[…])"),
        (pp.And(NAME, NAME), "but one: Points().on('name', values=[…])"),
        (pp.And(CODE, AGE), PREFIX),
        (pp.Or(CODE, NAME), "Trees(StartsWith().on('code', values=[…]), …)"),
        (pp.Or(pp.EndsWith(height=3).on("code"), NAME), "Trees(EndsWith().on('code', values=[…]), …)"),
        (
            pp.And(pp.RootPaths(height=3).on("code"), AGE),
            "PrivateClassifier(RootPaths(separator='/', height=3), feature='code')",
        ),
        (pp.Union(NAME, AGE), "declare the values that rules may name: Points().on('name', values=[…])"),
        (pp.Trees(NAME, AGE), "Points().on('name', values=[…])"),
        (
            pp.Trees(MANY, AGE, depth=3),
            "trees of depth 3 choose from at most 256 tests: declare fewer values, or say depth=2",
        ),
        (
            pp.Auto(pp.Points().on("name", values=list(range(1100)))),
            "of depth 2 choose from at most 1024 tests: declare",
        ),
        (pp.Scorecards(NAME, AGE), "Points().on('name', values=[…])"),
        (
            pp.Scorecards(pp.Points().on("name", values=list(range(4100)))),
            "choose from at most 4096 tests: declare fewer",
        ),
        (
            pp.Scorecards(MANY, AGE, pairs=True),
            "scorecards of pairs choose from at most 256 tests: declare fewer values",
        ),
        (pp.HalfSpaces(6, 1000), "declare a margin, as in HalfSpaces(dim=6, side=1000, margin=0.1)"),
        (pp.HalfSpaces(6, 1000, 0.01), "declare a larger margin, as in HalfSpaces(dim=6, side=1000, margin=0.1)"),
        (pp.HalfSpaces(6, 2**25, 0.3), "a smaller grid, as in HalfSpaces(dim=6, side=16777216, margin=0.3)"),
        (pp.HalfSpaces(6, 2**25), "grid and declare a margin, as in HalfSpaces(dim=6, side=16777216, margin=0.1)"),
        (pp.Parities(40), OTHERWISE),
    ],
)
def test_the_refusal_says_what_to_type(asked_for, says):
    with pytest.raises(ValueError, match="no learner supports this class; ") as refused:
        learner_for(asked_for, ASKED)
    assert says in str(refused.value) and str(refused.value).endswith(advice(asked_for))


@over(
    "typed",
    [
        *(pp.Points(), pp.StartsWith(height=3), pp.Equalities("name", "other", at_most=2)),
        pp.Or(pp.Points().on("name", values=["a", "b"]), OTHER),
        pp.Union(pp.Points().on("name", values=["a", "b"]), AGE),
        pp.Trees(pp.StartsWith().on("code", values=["J1", "K"]), AGE),
        pp.Trees(MANY, AGE, depth=2),
        *(pp.HalfSpaces(6, 1000, 0.1), pp.HalfSpaces(6, 2**24, 0.3)),
    ],
)
def test_what_it_says_is_learned(typed):
    assert learner_for(typed, ASKED)
