"""What every learner claims, as cases small enough to try all neighbours, and every outcome of every stage.

Universes have both labels at each point and a void record, so that samples that no rule fits, of one class, of one
point and of nothing are among the neighbours. β is large, since it decides caps: with small ones the bounds are tight.

Main declarations
    LEARNED    every claim: each learner in both regimes, at small and large ε and δ, on 1, 2 and 3 records or units
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from privpac.audit.cases import Case, labelled
from privpac.audit.learning import learner
from privpac.classes.base import ConceptClass
from privpac.classes.boxes import Rectangles
from privpac.classes.central_half_planes import CentralHalfPlanes
from privpac.classes.compose import And
from privpac.classes.explicit import ExplicitClass
from privpac.classes.line import Intervals, Thresholds
from privpac.classes.paths import RootPaths, StartsWith
from privpac.classes.plane import HalfSpaces
from privpac.classes.points import Points
from privpac.classes.spider import Spider
from privpac.classes.taxonomy import Taxonomy
from privpac.classes.tree import TwoSided
from privpac.classes.union import Union
from privpac.learners.base import PrivateLearner
from privpac.learners.boxes import RectangleLearner
from privpac.learners.buckets import BucketLearner
from privpac.learners.category_rules import NamedRuleLearner
from privpac.learners.central_half_planes import ArcLearner
from privpac.learners.certificates.deviation import REGIMES
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces import NetLearner
from privpac.learners.intervals import IntervalLearner
from privpac.learners.points import PointLearner, ProperPointLearner
from privpac.learners.rules import RuleLearner
from privpac.learners.stumps import StumpLearner
from privpac.learners.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.trees import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner
from privpac.privacy.budget import Number

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


def _each(
    kind: type[PrivateLearner],
    concept_class: ConceptClass,
    about: str,
    points: Iterable[Any],
    tried: Tried = USUAL,
    **parameters: Any,
) -> Iterator[Case]:
    """The learner in both regimes."""
    universe = [*labelled(points), None]
    for regime, (ε, δ, n) in product(REGIMES, tried):
        made = kind(concept_class, epsilon=ε, delta=δ, beta=BETA, regime=regime, **parameters)
        yield learner(made, f"{about}, {regime}", universe, n)


def _lines() -> Iterator[Case]:
    yield from _each(ThresholdLearner, Thresholds(0, 3), "4 values", (1, 3))
    yield from _each(ThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2))
    wide = ThresholdLearner(Thresholds(0, 255), epsilon=8, delta=0.5, beta=0.99, regime="realizable")
    yield learner(wide, "256 values, realizable", [*labelled((0, 200)), None], 3)  # no cut is likely by its prior alone
    yield from _each(PureThresholdLearner, Thresholds(0, 3), "4 values", (0, 1, 3))
    yield from _each(PureThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2))
    yield from _each(IntervalLearner, Intervals(0, 3), "4 values", (0, 1, 3))


def _names() -> Iterator[Case]:
    yield from _each(PointLearner, Points(), "any values", ("a", "b", 7))
    yield from _each(ProperPointLearner, Points(4), "4 values", (0, 1, 3))
    yield from _each(BucketLearner, Points(), "any values, one key", ("a", "b", 7), alpha=0.9, random_state=3)
    yield from _each(FiniteLearner, RULES, "3 rules", "abc")


def _trees() -> Iterator[Case]:
    yield from _each(PathLearner, RootPaths("/", height=2), "2 steps", ("", "a", "a/b"))
    yield from _each(PathLearner, RootPaths("/"), "any number of steps", ("", "a/b"))
    yield from _each(PathLearner, Taxonomy(TREE), "4 names", "abc")
    yield from _each(PathLearner, TwoSided(0, 4, center=2), "5 values around 2", (2, 3))
    yield from _each(SpiderLearner, Spider(bits=1), "any groups, 2 values", (("g", 1), ("h", 0)))
    yield from _each(OrderLearner, ORDER, "4 rules", "abc")
    yield from _each(SubtreeLearner, StartsWith(height=2), "2 letters", ("", "a", "ab"))
    yield from _each(SubtreeLearner, StartsWith(), "any number of letters", ("", "a", "ab"))
    yield from _each(SubtreeLearner, Taxonomy(TREE, kind="subtree"), "4 names", "abc")
    yield from _each(NameLearner, Taxonomy(TREE), "4 names", "abc")


def _grids() -> Iterator[Case]:
    yield from _each(ArcLearner, CentralHalfPlanes(-1, 1), "9 points", ((1, 0), (0, 0)), MANY)
    yield from _each(NetLearner, HalfSpaces(1, 3), "3 points of a line", ((2,),), MANY)
    yield from _each(RectangleLearner, Rectangles(0, 2, dim=2), "9 points", ((0, 0), (1, 2)))


def _tables() -> Iterator[Case]:
    yield from _each(StumpLearner, STUMPS, "2 columns", ((0, 0), (2, 1)))
    yield from _each(RuleLearner, LATE, "2 columns", ((0, 0), (2, 1)))
    yield from _each(NamedRuleLearner, LATE_AT, "a column of names", ((0, "x"), (1, "x"), (1, "y")))


def _more() -> Iterator[Case]:
    """What a learner releases besides its rule, and promises per unit."""
    told: dict[str, Any] = {"report_error": True}
    yield from _each(FiniteLearner, RULES, "3 rules, error reported", "ab", **told)
    yield from _each(PointLearner, Points(), "any values, error reported", "ab", **told)
    yield from _each(ThresholdLearner, Thresholds(0, 1), "2 values, error reported", (0,), MANY, **told)
    a, b, no = ("a", 1), ("b", 1), ("a", 0)
    units = [(a,), (b,), (no,), (a, a), (a, b), (b, no), (a, b, b), (no, no, no)]
    for made in (
        PointLearner(Points(), epsilon=2, delta=0.1, max_records=2),
        PointLearner(Points(), epsilon=2, delta=0.1, max_records=3),
        FiniteLearner(RULES, epsilon=2, max_records=2, report_error=True),
    ):
        for n in (1, 2):
            yield learner(made, f"units of up to 3 records, {made.max_records} count", units, n)


LEARNED = (*_lines(), *_names(), *_trees(), *_grids(), *_tables(), *_more())
