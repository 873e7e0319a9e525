"""Learners whose laws benchmarks/behaviour.py compares, on small universes.

These are the cases that the audit tried when the record of the version before was made; the audit has better ones now.

Main declarations
    LEARNERS    all of them
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from privpac.audit.claims.case import (
    Case,
    labelled,
)
from privpac.audit.claims.fits import Learned, fit_of
from privpac.classes.compositions.compose import And
from privpac.classes.compositions.union import Union
from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.classes.values.points import Points
from privpac.classes.vectors.boxes import Rectangles
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.classes.vectors.half_spaces import HalfSpaces
from privpac.learners import algorithm, finite
from privpac.learners.half_spaces import central_half_planes
from privpac.learners.half_spaces import nets as half_spaces
from privpac.learners.lines import intervals, stumps, thresholds
from privpac.learners.rules import boxes
from privpac.learners.rules import grid_rules as rules
from privpac.learners.rules import named_rules as category_rules
from privpac.learners.tree_orders import learners as trees
from privpac.learners.values import buckets, points
from privpac.privacy.budget import Number
from privpac.refusals.option_words import Regime, words_of

Tried = Sequence[tuple[Number, Number, int]]

USUAL: Tried = ((1, 1e-6, 1), (0.2, 0.3, 2), (6, 0.3, 3))  # ε, δ, n
MANY: Tried = ((6, 0.3, 2),)  # where there are many outcomes
BETA = 0.9
TREE = {"b": "a", "c": "b", "d": "a"}
ORDER = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], points="abc")
RULES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc")
STUMPS = Union(Thresholds(0, 2).on(0), Thresholds(0, 1, direction="either").on(1))
LATE = And(Thresholds(0, 2).on(0), Thresholds(0, 1).on(1))
LATE_AT = And(Thresholds(0, 1).on(0), Points().on(1))


def _learner(made: Any, about: str, universe: Sequence[Any], n: int) -> Case:
    learned = Learned(made, n)
    return Case(learned, learned.sample, about, universe, n, learned.cost)


def _each(
    kind: type[algorithm.Learner],
    concept_class: ConceptClass,
    about: str,
    values: Iterable[Any],
    tried: Tried = USUAL,
    **parameters: Any,
) -> Iterator[Case]:
    """The learner in both regimes."""
    universe = [*labelled(values), None]
    for regime, (ε, δ, n) in product(words_of(Regime), tried):
        made = fit_of(kind, concept_class, epsilon=ε, delta=δ, beta=BETA, regime=regime, **parameters)
        yield _learner(made, f"{about}, {regime}", universe, n)


def _lines() -> Iterator[Case]:
    yield from _each(thresholds.ThresholdLearner, Thresholds(0, 3), "4 values", (1, 3))
    yield from _each(
        thresholds.ThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2)
    )
    wide = fit_of(thresholds.ThresholdLearner, Thresholds(0, 255), epsilon=8, delta=0.5, beta=0.99, regime="realizable")
    yield _learner(
        wide, "256 values, realizable", [*labelled((0, 200)), None], 3
    )  # no cut is likely by its prior alone
    yield from _each(thresholds.PureThresholdLearner, Thresholds(0, 3), "4 values", (0, 1, 3))
    yield from _each(
        thresholds.PureThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2)
    )
    yield from _each(intervals.IntervalLearner, Intervals(0, 3), "4 values", (0, 1, 3))


def _names() -> Iterator[Case]:
    yield from _each(points.PointLearner, Points(), "any values", ("a", "b", 7))
    yield from _each(points.ProperPointLearner, Points(4), "4 values", (0, 1, 3))
    yield from _each(buckets.BucketLearner, Points(), "any values, one key", ("a", "b", 7), alpha=0.9, random_state=3)
    yield from _each(finite.FiniteLearner, RULES, "3 rules", "abc")


def _trees() -> Iterator[Case]:
    yield from _each(trees.PathLearner, RootPaths("/", height=2), "2 steps", ("", "a", "a/b"))
    yield from _each(trees.PathLearner, RootPaths("/"), "any number of steps", ("", "a/b"))
    yield from _each(trees.PathLearner, Taxonomy(TREE), "4 names", "abc")
    yield from _each(trees.PathLearner, TwoSided(0, 4, center=2), "5 values around 2", (2, 3))
    yield from _each(trees.SpiderLearner, Spider(bits=1), "any groups, 2 values", (("g", 1), ("h", 0)))
    yield from _each(trees.OrderLearner, ORDER, "4 rules", "abc")
    yield from _each(trees.SubtreeLearner, StartsWith(height=2), "2 letters", ("", "a", "ab"))
    yield from _each(trees.SubtreeLearner, StartsWith(), "any number of letters", ("", "a", "ab"))
    yield from _each(trees.SubtreeLearner, Taxonomy(TREE, kind="subtree"), "4 names", "abc")
    yield from _each(trees.NameLearner, Taxonomy(TREE), "4 names", "abc")


def _grids() -> Iterator[Case]:
    yield from _each(central_half_planes.ArcLearner, CentralHalfPlanes(-1, 1), "9 points", ((1, 0), (0, 0)), MANY)
    yield from _each(half_spaces.NetLearner, HalfSpaces(1, 3), "3 points of a line", ((2,),), MANY)
    yield from _each(boxes.RectangleLearner, Rectangles(0, 2, dim=2), "9 points", ((0, 0), (1, 2)))


def _tables() -> Iterator[Case]:
    yield from _each(stumps.StumpLearner, STUMPS, "2 columns", ((0, 0), (2, 1)))
    yield from _each(rules.RuleLearner, LATE, "2 columns", ((0, 0), (2, 1)))
    yield from _each(category_rules.NamedRuleLearner, LATE_AT, "a column of names", ((0, "x"), (1, "x"), (1, "y")))


def _more() -> Iterator[Case]:
    """What a learner releases besides its rule, and promises per unit."""
    told: dict[str, Any] = {"report_error": True}
    yield from _each(finite.FiniteLearner, RULES, "3 rules, error reported", "ab", **told)
    yield from _each(points.PointLearner, Points(), "any values, error reported", "ab", **told)
    yield from _each(thresholds.ThresholdLearner, Thresholds(0, 1), "2 values, error reported", (0,), MANY, **told)
    a, b, no = ("a", 1), ("b", 1), ("a", 0)
    units = [(a,), (b,), (no,), (a, a), (a, b), (b, no), (a, b, b), (no, no, no)]
    for kind, H, k, given in (
        (points.PointLearner, Points(), 2, {"delta": 0.1}),
        (points.PointLearner, Points(), 3, {"delta": 0.1}),
        (finite.FiniteLearner, RULES, 2, told),
    ):
        made = fit_of(kind, H, epsilon=2, max_records=k, **given)
        for n in (1, 2):
            yield _learner(made, f"units of up to 3 records, {k} count", units, n)


LEARNERS = (*_lines(), *_names(), *_trees(), *_grids(), *_tables(), *_more())
