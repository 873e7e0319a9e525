"""No lower bound exceeds what a learner is certified for, and none counts points that the class does not shatter."""

import random
from itertools import combinations, product

import pytest

from privpac.classes import (
    AffineSubspaces,
    And,
    Categories,
    CentralHalfPlanes,
    Compose,
    Conjunctions,
    EndsWith,
    ExplicitClass,
    HalfPlanes,
    HalfSpaces,
    HasAny,
    Intervals,
    Parities,
    Points,
    Rectangles,
    RootPaths,
    SparseSets,
    Spider,
    StartsWith,
    Taxonomy,
    Thresholds,
    Union,
)  # fmt: skip
from privpac.dimensions import littlestone_dimension, threshold_dimension, vc_dimension
from privpac.papers.bbkn14.without_privacy import vc_needs
from privpac.planning import bounds
from privpac.planning.bounds import BOUNDS, PURE_DP, Goal
from privpac.planning.dimension_bounds import at_least, at_most
from privpac.planning.learner_rows import certified_rows
from privpac.planning.planner import plan
from privpac.planning.release_plan import ALL_BOUNDS, release_rows
from privpac.planning.rows import Constants, Section

SEARCHES = {"VC": vc_dimension, "Littlestone": littlestone_dimension, "threshold": threshold_dimension}
GOALS = [Goal(0.1, 0.05, 1.0, 1e-6), Goal(0.3, 0.3, 20.0, 1e-6)]
STEPS = [each for k in range(3) for each in product("abcd", repeat=k)]  # four: a concept may be on no other point
WHOLE = [
    *(
        Thresholds(0, 6, direction="above"),
        Thresholds(0, 6, direction="either"),
        Intervals(0, 6),
        Points(6),
        SparseSets(2, 5),
    ),
    *(
        Thresholds(0, 9, direction="above").among((2, 5)),
        Categories(("a", "b", "c")),
        Conjunctions(3),
        Conjunctions(3, monotone=True),
    ),
    *(Rectangles(0, 2, 2), HalfPlanes(3), HalfSpaces(3, 2), CentralHalfPlanes(-1, 1), Parities(3)),
    *(AffineSubspaces(2, 3, 1), Taxonomy({"b": "a", "c": "a", "d": "b"})),
    *(Union(Thresholds(0, 5, direction="above"), Points(6)), Thresholds(0, 1, direction="above")),
]
ON_POINTS = [
    (RootPaths(height=2), ["/".join(each) for each in STEPS]),
    (StartsWith(height=2), ["".join(each) for each in STEPS]),
    (EndsWith(height=2), ["".join(each) for each in STEPS]),
    (Spider(2), [(leg, value) for leg in "ab" for value in range(4)]),
    (HasAny(1, s=2), [";".join(each) for k in range(3) for each in combinations("abcd", k)]),
    (HasAny(2, s=1), ["", *"abcd"]),
]


def some_composition(coins):
    """Any function of two or three small classes on a line, of which some may be the same, or on two columns."""
    k, columns = coins.choice((2, 2, 3)), coins.random() < 0.5
    last = 2 if columns else 5
    kinds = (
        Thresholds(0, last, direction="above"),
        Thresholds(0, last, direction="below"),
        Intervals(0, last),
        Points(last + 1),
    )
    parts = [coins.choice(kinds) for _ in range(k)]
    if columns:
        parts = [part.on(coins.choice("ab")) for part in parts]
    return Compose([coins.random() < 0.5 for _ in range(2**k)], *parts)


COINS = random.Random(5)
COMPOSED = [some_composition(COINS) for _ in range(80)]


def listed(H, points=None):
    """The class on all points of its domain, or on some of them."""
    return H if isinstance(H, ExplicitClass) else H.materialize(points)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [WHOLE, COMPOSED], ids=["families", "composed"])
def test_dimensions_lie_between_their_bounds(classes):
    for H in classes:
        for kind, search in SEARCHES.items():
            low, high = at_least(H, kind), at_most(H, kind)
            value = None if (low, high) == (None, None) else search(listed(H)).value
            assert low is None or low <= value, (H, kind)
            assert high is None or value <= high, (H, kind)


def test_dimensions_of_paths():
    for H, points in ON_POINTS:
        for kind, search in SEARCHES.items():
            assert at_least(H, kind) == at_most(H, kind) == search(listed(H, points)).value, (H, kind)


def certified(*classes, goal):
    """What all learners of these classes need, whose concepts are the same, for either kind of labels."""
    return [row for H in classes for regime in ("realizable", "agnostic") for row in certified_rows(H, goal, regime)]


def too_large(H, goal, rows, needs=BOUNDS):
    """Lower bounds with all constants that a learner stays below, of those that are about its rules and its privacy."""
    comparable = [row for row in rows if row.kind.certified and not row.kind.within]
    return [
        (bound.source, least, row.learner, row.n)
        for bound in needs
        if bound.kind == "lower" and bound.constants is Constants.PRINTED and (least := bound.n(H, goal))
        for row in comparable
        if (row.proper or not bound.proper) and (row.delta == 0 or bound.privacy != PURE_DP) and row.n < least
    ]


@pytest.mark.audit
@pytest.mark.parametrize("classes", [WHOLE, COMPOSED], ids=["families", "composed"])
def test_no_certificate_is_below_a_lower_bound(classes):
    found = [(H, each) for H in classes for g in GOALS for each in too_large(H, g, certified(H, listed(H), goal=g))]
    assert not found


def test_no_release_is_below_a_lower_bound():
    lines = [Points(9), Thresholds(0, 99, direction="above"), Intervals(0, 30), Categories(tuple("abc"))]
    found = [(H, each) for H in lines for g in GOALS for each in too_large(H, g, release_rows(H, g), ALL_BOUNDS)]
    assert not found


@pytest.mark.slow
def test_every_learner_needs_no_more_than_shattered_points_ask_for():
    (row,) = [each for each in BOUNDS if each.source == "[BBKN14, §1.2]"]
    for H in (*WHOLE, *COMPOSED):
        V = vc_dimension(listed(H)).value
        assert all((row.n(H, g) or 0) <= max(vc_needs(V, g.alpha, g.beta), 0) + 1 for g in GOALS), H


COPIES = And(
    *[Thresholds(0, 9, direction="above").on("a")] * 16
)  # (n + 1)^16 allows 108 shattered points, and there is one


def test_copies_of_a_column_are_one_column():
    assert (at_least(COPIES, "VC"), at_most(COPIES, "VC")) == (None, 108)
    assert not [row for row in plan(COPIES).rows if row.source in {"[BBKN14, §1.2]", "[Yan25, §1]"}]
    pure = [row.source for row in plan(COPIES, task="release").rows if row.kind.section is Section.LOWER]
    assert not pure


def test_an_upper_bound_in_place_of_a_lower_one_is_found_out(monkeypatch):
    """77 records at least, for a class that is learned from 34."""
    monkeypatch.setattr(bounds, "at_least", at_most)
    goal = Goal(0.1, 0.05, 20.0, 1e-6)
    assert "[BBKN14, §1.2]" in {
        source for source, *_ in too_large(COPIES, goal, certified(Thresholds(0, 9, direction="above"), goal=goal))
    }


def test_rounding_never_raises_a_lower_bound():
    """V·(1 − 2(α + β − αβ)) is 28, 33, and 35 for V = 100; in floats it is a little more."""
    (row,) = [each for each in BOUNDS if each.source == "[BBKN14, §1.2]"]
    cube = SparseSets(100)
    assert at_least(cube, "VC") == 100
    assert [row.n(cube, Goal(α, β, 1.0, 0.0)) for α, β in ((0.2, 0.2), (0.3, 0.05), (0.25, 0.1))] == [28, 33, 35]
