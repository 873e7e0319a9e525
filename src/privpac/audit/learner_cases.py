"""What every learner claims of each of its releases, as cases small enough to try all neighbours and all outcomes.

Universes have both labels at each point and a void record, so that samples that no rule fits, of one class, of one
point and of nothing are among the neighbours. Each is one in which a release that costs a tenth more than it is charged
is refuted. Where three records are too few for that, a crowd stands beside them: copies of one record make all rules
but its own unlikely, so that one more record changes the odds by e^ε; pairs that contradict each other make all rules
err, so that the cap leaves new candidates δ and others nothing.

Throughout this file
    C    the cap of public-stable selection; where it is made of a noisy answer, the answer is the one that leads to C

Main declarations
    LEARNED    every claim: each learner in both regimes, at small and large ε and δ
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from privpac.audit.cases import Case, Records, labelled
from privpac.audit.learning import Learned, Stage, fit_of, stages
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
from privpac.learners.algorithm import Learner
from privpac.learners.boxes import RectangleLearner
from privpac.learners.buckets import BucketLearner
from privpac.learners.category_rules import NamedRuleLearner
from privpac.learners.central_half_planes import ArcLearner
from privpac.learners.certificates.deviation import REGIMES
from privpac.learners.classifier import Fit
from privpac.learners.finite import FiniteLearner
from privpac.learners.half_spaces import NetLearner
from privpac.learners.intervals import IntervalLearner
from privpac.learners.points import PointLearner, ProperPointLearner
from privpac.learners.rules import RuleLearner
from privpac.learners.stumps import StumpLearner
from privpac.learners.thresholds import PureThresholdLearner, ThresholdLearner
from privpac.learners.trees import NameLearner, OrderLearner, PathLearner, SpiderLearner, SubtreeLearner
from privpac.privacy.budget import Number

Tried = Sequence[tuple[Number, Number, int, int]]

CROWDED: Tried = ((1, 1e-6, 1, 14), (0.2, 0.3, 2, 70), (6, 0.3, 3, 0))  # ε, δ, n, how many records beside them
ALONE: Tried = ((1, 1e-6, 1, 0), (0.2, 0.3, 2, 0), (6, 0.3, 3, 0), (1, 1e-6, 1, 14))
BETA = 0.9  # it decides caps, and with small ones few records matter
EQUAL = ("a", 1, True)  # one value less than it seems, since 1 and True are one
DEEP = "abcdefghijkl"  # where levels are unbounded, twelve of them use up 12/13 of δ
TREE = {"b": "a", "c": "b", "d": "a"}
ORDER = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], points="abc")
RULES = ExplicitClass([[0, 0, 1], [0, 1, 1], [1, 0, 0]], points="abc")
STUMPS = Union(Thresholds(0, 2).on(0), Thresholds(0, 1, direction="either").on(1))
LATE = And(Thresholds(0, 2).on(0), Thresholds(0, 1).on(1))
LATE_AT = And(Thresholds(0, 1).on(0), Points().on(1))


def _each(
    kind: type[Learner],
    concept_class: ConceptClass,
    about: str,
    points: Iterable[Any],
    tried: Tried = CROWDED,
    *,
    after: Iterable[tuple[Any, ...]] = ((),),
    **parameters: Any,
) -> Iterator[Case]:
    """The learner in both regimes; the crowd is at the first point, with label 1."""
    universe = [*labelled(points), None]
    for regime, (ε, δ, n, others) in product(REGIMES, tried):
        made = fit_of(kind, concept_class, epsilon=ε, delta=δ, beta=BETA, regime=regime, **parameters)
        yield from stages(made, f"{about}, {regime}", universe, n, after=after, crowd=(universe[1],) * others)


def _cap(made: Fit, record: Any, *answers: int) -> int:
    """C after these answers."""
    learned = Learned(made, 1)
    request = Stage(learned, answers).request(learned.sample((record,)))
    cap: int = request.mechanism.cap  # type: ignore[union-attr]
    return cap


def _capped_at(C: int, made: Fit, record: Any) -> tuple[int]:
    """The noisy answer after which the cap is C."""
    return (C - _cap(made, record, 0),)


def _pairs(x: Any, times: int) -> Records:
    """Records that contradict each other: every rule errs on half of them."""
    return ((x, 0), (x, 1)) * times


def _cuts() -> Iterator[Case]:
    """Cuts by public-stable selection."""
    for direction, C in (("above", -530), ("either", -555)):
        H, lines = Thresholds(0, 15, direction=direction), [*labelled((3, 12)), None]
        for ε in (0.2, 1, 6):
            made = fit_of(ThresholdLearner, H, epsilon=ε, delta=0.3, beta=BETA)
            yield from stages(made, f"16 values, {direction}, agnostic", lines, 2, crowd=_pairs(3, 7))
        made = fit_of(ThresholdLearner, H, epsilon=1, delta=1e-6, beta=BETA)
        after = (_capped_at(20, made, lines[0]),)
        yield from stages(made, f"16 values, {direction}, agnostic", lines, 1, after=after, crowd=(lines[0],) * 14)
        made = fit_of(ThresholdLearner, H, epsilon=1, delta=1e-6, beta=BETA, regime="realizable")
        yield from stages(made, f"16 values, {direction}, realizable", lines, 1, crowd=(lines[0],) * 14)
        # with the eighth record of sixteen values, nodes on five levels propose finer cuts
        made = fit_of(ThresholdLearner, Thresholds(0, 255, direction=direction), epsilon=0.05, delta=1e-3, beta=BETA)
        crowd = [*labelled((0, 15)), None]
        after = (_capped_at(C, made, crowd[0]),)
        yield from stages(made, f"256 values, {direction}, agnostic", crowd, 1, after=after, crowd=(crowd[0],) * 7)
        # the middle of the line is a candidate already, those of twelve nodes below it are new
        made = fit_of(
            ThresholdLearner,
            Thresholds(0, 2**13 - 1, direction=direction),
            epsilon=1,
            delta=1e-6,
            beta=BETA,
            regime="realizable",
        )
        end = [(2**13 - 1, 0), (2**13 - 1, 1), None]
        yield from stages(made, f"2^13 values, {direction}, realizable", end, 1, crowd=_pairs(0, 52))


def _lines() -> Iterator[Case]:
    yield from _each(PureThresholdLearner, Thresholds(0, 3), "4 values", (0, 1, 3))
    yield from _each(PureThresholdLearner, Thresholds(0, 2, direction="either"), "3 values, both directions", (0, 2))
    yield from _each(IntervalLearner, Intervals(0, 3), "4 values", (0, 1, 3))


def _names() -> Iterator[Case]:
    yield from _each(PointLearner, Points(), "any values", EQUAL, ALONE)
    yield from _each(ProperPointLearner, Points(4), "4 values", (0, 1, 3))
    yield from _each(BucketLearner, Points(), "any values, one key", EQUAL, alpha=0.9, random_state=3)
    yield from _each(FiniteLearner, RULES, "3 rules", "abc", ALONE)


def _paths(
    kind: type[Learner], concept_class: ConceptClass, about: str, points: Sequence[Any], *, crowd: Any, off: Any
) -> Iterator[Case]:
    """Paths by public-stable selection: ``crowd`` is a point whose path is learned, ``off`` is not on it."""
    universe = [*labelled(points), None]
    for ε, δ in ((1, 1e-6), (0.2, 0.3), (6, 0.3)):
        made = fit_of(kind, concept_class, epsilon=ε, delta=δ, beta=BETA)
        after = ((), _capped_at(1, made, universe[0]))
        yield from stages(made, f"{about}, agnostic", universe, 2, after=after)
    made = fit_of(kind, concept_class, epsilon=1, delta=1e-6, beta=BETA)
    after = ((), _capped_at(26, made, universe[0]))
    yield from stages(made, f"{about}, agnostic", universe, 1, after=after, crowd=((crowd, 1),) * 24)
    made = fit_of(kind, concept_class, epsilon=1, delta=1e-6, beta=BETA, regime="realizable")
    yield from stages(made, f"{about}, realizable", universe, 1, crowd=((crowd, 1),) * (_cap(made, universe[0]) - 6))
    yield from stages(made, f"{about}, realizable", universe, 1, crowd=_pairs(off, 53))


def _trees() -> Iterator[Case]:
    yield from _paths(PathLearner, RootPaths("/", height=2), "2 steps", ("", "a", "a/b"), crowd="a", off="")
    yield from _paths(PathLearner, RootPaths("/"), "any number of steps", ("", "/".join(DEEP)), crowd="a", off="")
    yield from _paths(PathLearner, Taxonomy(TREE), "4 names", "abc", crowd="b", off="d")
    yield from _paths(PathLearner, TwoSided(0, 4, center=2), "5 values around 2", (2, 3), crowd=3, off=1)
    legs = [("a", 1), (1, 0), (True, 0)]
    yield from _paths(SpiderLearner, Spider(bits=1), "any groups, 2 values", legs, crowd=("a", 1), off=("k", 1))
    yield from _paths(OrderLearner, ORDER, "4 rules", "abc", crowd="a", off="c")
    yield from _each(SubtreeLearner, StartsWith(height=2), "2 letters", ("", "a", "ab"), ALONE)
    yield from _each(SubtreeLearner, StartsWith(), "any number of letters", (DEEP, "a", ""), ALONE)
    yield from _each(SubtreeLearner, Taxonomy(TREE, kind="subtree"), "4 names", "abc", ALONE)
    yield from _each(NameLearner, Taxonomy(TREE), "4 names", "abc", ALONE)


def _grids() -> Iterator[Case]:
    few: Tried = ((6, 0.3, 2, 3), (1, 0.3, 1, 14))  # there are many outcomes
    yield from _each(ArcLearner, CentralHalfPlanes(-1, 1), "9 points", ((1, 0), (0, 0)), few)
    yield from _each(NetLearner, HalfSpaces(1, 3), "3 points of a line", ((2,),), few)
    yield from _each(RectangleLearner, Rectangles(0, 2, dim=2), "9 points", ((0, 0), (1, 2)))


def _tables() -> Iterator[Case]:
    yield from _each(StumpLearner, STUMPS, "2 columns", ((0, 0), (2, 1)))
    yield from _each(RuleLearner, LATE, "2 columns", ((0, 0), (2, 1)), ALONE)
    # a record at the end of a long line is gained by almost all cuts
    long, few = And(Thresholds(0, 19).on(0), Points().on(1)), (*ALONE[:2], (6, 0.3, 1, 0), ALONE[3])
    yield from _each(NamedRuleLearner, long, "a column of names", [(19, v) for v in EQUAL], few)


def _more() -> Iterator[Case]:
    """What a learner releases besides its rule, and promises per unit."""
    told: dict[str, Any] = {"report_error": True}
    yield from _each(FiniteLearner, RULES, "3 rules, error reported", "ab", ALONE, after=((), (0,), (2,)), **told)
    yield from _each(PointLearner, Points(), "error reported", "ab", ALONE[:3], after=((), ("a",), (None,)), **told)
    a, b, no = ("a", 1), ("b", 1), ("a", 0)
    units = [(a,), (b,), (no,), (a, a), (a, b), (b, no), (a, b, b), (a, a, a), (no, no, no)]
    for slots in (2, 3):
        named = fit_of(PointLearner, Points(), epsilon=2, delta=1e-6, max_records=slots)
        yield from stages(named, f"units of up to 3 records, {slots} count", units, 1, crowd=((a, a, a),) * 9)
    ruled = fit_of(FiniteLearner, RULES, epsilon=2, max_records=2, report_error=True)
    yield from stages(ruled, "units of up to 3 records, 2 count", units, 2, after=((), (0,)))


LEARNED = (*_cuts(), *_lines(), *_names(), *_trees(), *_grids(), *_tables(), *_more())
