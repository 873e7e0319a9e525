"""Broken learners as false claims. An audit of learners that passes one of them is itself broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from privpac.audit.claims.case import Records, labelled
from privpac.audit.claims.fits import Learned, fit_of, stages
from privpac.audit.claims.learners import LEARNED
from privpac.audit.controls import broken_capped as capped
from privpac.audit.controls import broken_flats as flats
from privpac.audit.controls import broken_half_planes as planes
from privpac.audit.controls import broken_learners as broken
from privpac.audit.controls import broken_seen as seen
from privpac.audit.controls import broken_trees
from privpac.audit.controls.broken_learners import twin
from privpac.audit.controls.mechanisms import Control
from privpac.classes.compositions.compose import And
from privpac.classes.compositions.equalities import Equalities
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.values.code_lists import HasAny
from privpac.classes.values.points import Points
from privpac.classes.vectors.boxes import Rectangles
from privpac.classes.vectors.central_half_planes import CentralHalfPlanes
from privpac.classes.vectors.half_spaces import HalfPlanes, HalfSpaces
from privpac.learners.algorithm import Learner
from privpac.learners.choice import LEARNERS
from privpac.learners.decision_trees.private_cut_trees import PrivateCutTrees
from privpac.learners.decision_trees.trees import DecisionTreeLearner
from privpac.learners.finite import FiniteLearner
from privpac.learners.fit import Fit
from privpac.learners.half_spaces.central_half_planes import ArcLearner
from privpac.learners.half_spaces.nets import NetLearner
from privpac.learners.lines.stumps import StumpLearner
from privpac.learners.lines.thresholds import ThresholdLearner
from privpac.learners.rules.grid_rules import RuleLearner
from privpac.learners.subspaces.flats import FlatLearner
from privpac.learners.tree_orders.learners import PathLearner, SpiderLearner, SubtreeLearner

ONE: dict[str, Any] = {"epsilon": 1, "delta": 0.1}
STEEP: dict[str, Any] = {"epsilon": 6, "delta": 0.3, "beta": 0.9, "regime": "realizable"}  # where bounds are tight
RARE: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "beta": 0.9}  # where δ hides nothing that ε should
FLAT: dict[str, Any] = {"epsilon": 0.05, "delta": 1e-3, "beta": 0.9}  # where caps can be set finely
EIGHTH = [*labelled((0, 15)), None]
RULES, STUMPS, LATE, TREES, LONG = (
    kind.audited[0].concept_class
    for kind in (FiniteLearner, StumpLearner, RuleLearner, DecisionTreeLearner, PrivateCutTrees)
)
FAR_APART = labelled(PrivateCutTrees.audited[0].points)
CORNERS = labelled(((0, 0), (1, 1)))
CENTRAL = (0, 0), (1, 0)
LATE_AT = And(Thresholds(0, 1).on(0), Points().on(1))
FORGETS = "a selection that forgets what noise has cost"
CODES = HasAny(2, 2)
FLATS, VOTES = FlatLearner.audited[0].concept_class, {"epsilon": 1, "delta": 0.01, "alpha": 0.6}
SQUARE: Records = tuple(
    (x, 1) for x, times in (((0, 0), 1), ((0, 1), 2), ((1, 0), 2), ((1, 1), 2)) for _ in range(times)
)
PAIRED = Equalities(0, 1, at_most=2)
UNITS = [(("a", 1),) * 4, (("a", 1),), (("a", 0),) * 2]


def _control(
    made: Fit | Learned,
    about: str,
    universe: Sequence[Any],
    n: int,
    why: str,
    *,
    after: tuple[Any, ...] = (),
    crowd: Records = (),
) -> Control:
    """The release that the learner asks for after these answers."""
    (case,) = stages(made, about, universe, n, after=(after,), crowd=crowd)
    return Control(case.mechanism, case.view, about, universe, n, case.claimed, why, crowd=crowd)


def _twice(kind: type[Learner]) -> Control:
    """The learner in the first universe that it is audited in, with every record counted twice."""
    case = next(case for case in LEARNED if type(case.mechanism.learned.learner) is kind)
    fit, after = case.mechanism.learned.fit, case.mechanism.answers
    learner = broken.counted_twice(kind)(fit.learner.concept_class, fit.learner.terms)
    why = "one record changes by 2 what is hidden for a change by 1"
    made = replace(fit, learner=learner)
    return _control(made, "every record counted twice", case.universe, case.n, why, after=after, crowd=case.crowd)


LEARNER_CONTROLS = (
    _control(
        fit_of(capped.ExactErrors, Thresholds(0, 3), **ONE), "the best cut's errors without noise", labelled((0, 1)), 2,
        "two records that contradict each other are told from two that do not",
    ),
    _control(
        fit_of(twin(capped.OneLevel, PathLearner), RootPaths("/", height=3), **STEEP),
        "levels not counted", labelled(("", "a/b/c")), 3,
        "one record brings a candidate on each of three levels, and δ was divided by one",
    ),
    _control(
        fit_of(twin(capped.OneLevel, SubtreeLearner), StartsWith(height=2), **ONE), "levels not counted",
        labelled(("ab", "c")), 1,
        "one record brings the root, a letter and a pair of letters, and δ was divided by one",
    ),
    _control(
        fit_of(twin(capped.OneLevel, SpiderLearner), Spider(bits=2), **STEEP), "levels not counted",
        labelled((("g", 1), ("h", 1))), 3, "one record brings two splits and a whole leg, and δ was divided by one",
    ),
    _control(
        fit_of(twin(capped.Doubled, ThresholdLearner), Thresholds(0, 3), **ONE), "the best cut's errors twice",
        labelled((0, 1)), 2, "one record changes by 2 what noise hides for a change by 1",
    ),
    _control(
        fit_of(twin(capped.PaidTwice, ThresholdLearner), Thresholds(0, 15), **RARE), FORGETS,
        labelled((3, 12)), 1, "selection uses up ε, and the noise came before", after=(0,), crowd=((3, 0),) * 14,
    ),
    _control(
        fit_of(capped.TwiceSelected, Thresholds(0, 15), **RARE), "records counted twice", labelled((3, 12)), 1,
        "one record changes errors by 2 where 1 is charged", after=(0,), crowd=((3, 0),) * 14,
    ),
    _control(
        fit_of(capped.FinerUncounted, Thresholds(0, 255), **FLAT), "finer cuts not counted", EIGHTH, 1,
        "the eighth record brings 75 cuts, and δ was divided by 8", after=(-845,), crowd=((0, 0),) * 7,
    ),
    _control(
        fit_of(capped.OneDirection, Thresholds(0, 255, direction="either"), **FLAT), "directions not counted",
        EIGHTH, 1, "the eighth record brings cuts of both directions, and δ was divided for one",
        after=(-970,), crowd=((0, 0),) * 7,
    ),
    _control(
        fit_of(capped.FallbackTwice, RootPaths("/", height=2), **RARE, regime="realizable"),
        "the fallback's errors twice", labelled(("", "a")), 1, "one record changes errors by 2 where 1 is charged",
        crowd=(("a", 1),) * 13,
    ),
    _control(
        fit_of(capped.VoidErrors, RootPaths("/", height=2), **RARE, regime="realizable"), "void records as errors",
        [*labelled("a"), None], 1, "a void record changes errors by 2 where 1 is charged",
        crowd=(("a", 1),) * 28 + (("a", 0),) * 37,
    ),
    _control(
        fit_of(capped.GroupAsWritten, Spider(bits=1), **STEEP),
        "a group as it was written", [((1, 1), 1), ((True, 1), 1)], 3,
        "the first record of a group reveals whether it held 1 or True",
    ),
    _control(
        fit_of(broken.DoublePositives, Points(), **ONE), "positives counted twice", labelled("ab"), 2,
        "one record brings a candidate with twice the support that its discount is made for",
    ),
    _control(
        fit_of(broken.UnseenByRecords, Points(4), epsilon=1), "N − records values unseen", labelled((0, 3)), 2,
        "records that share a value hide values that nobody has",
    ),
    _control(
        fit_of(broken.KeyFromValues, Points(), epsilon=1, alpha=0.9, beta=0.9, random_state=3),
        "hash keys from the records",
        labelled("ab"), 3, "one record with a new value moves all others to other buckets",
    ),
    _control(
        fit_of(broken.BalancedRules, RULES, epsilon=1), "labels weighed by their rarity", labelled("ab"), 3,
        "the only record of a label weighs as much as all others",
    ),
    _control(
        fit_of(twin(broken.OriginFromRecords, ArcLearner), CentralHalfPlanes(-1, 1), epsilon=1),
        "the centre from the records", labelled(((1, 0), (0, 1))), 4, "one record moves all others",
    ),
    _control(
        fit_of(planes.EvenCells, HalfPlanes(2), epsilon=1), "cells instead of candidates", labelled(CENTRAL), 2,
        "one record divides a cell, and both parts weigh as much as the whole",
    ),
    _control(
        fit_of(planes.BetweenRecords, HalfPlanes(2), epsilon=1), "only candidates between the records",
        labelled(CENTRAL), 2, "a half-plane that only one sample offers reveals that sample",
    ),
    _control(
        fit_of(twin(broken.OriginFromRecords, NetLearner), HalfSpaces(1, 3), epsilon=1),
        "the origin from the records", [((0,), 0), ((2,), 1)], 3,
        "one record moves all others",
    ),
    _control(
        fit_of(broken.LineFromRecords, Intervals(0, 3), epsilon=1),
        "bounds inferred from the records", labelled((0, 3)), 2,
        "the interval never leaves the range of the records and so reveals it",
    ),
    _control(
        fit_of(broken.CellsFromRecords, Rectangles(0, 2, dim=2), epsilon=1), "cells inferred from the records",
        labelled(((0, 0), (2, 2))), 3, "one record moves all others to other cells",
    ),
    _control(
        fit_of(broken.CutsAtRecords, STUMPS, epsilon=1),
        "cuts at the records' values only", labelled(((0, 0), (2, 1))), 1,
        "a cut that only one sample offers reveals that sample",
    ),
    _control(
        fit_of(broken.OncePerColumn, LATE, epsilon=1), "records counted once per column", labelled(((0, 0), (2, 1))), 3,
        "one record changes errors by 2 where 1 is charged",
    ),
    _control(
        fit_of(broken.UndiscountedNames, LATE_AT, **ONE), "a gain of one record not discounted",
        labelled(((1, "x"), (0, "y"))), 1, "a new name that gains one record weighs r times too much",
    ),
    _control(
        fit_of(broken_trees.OnlyDividing, TREES, epsilon=1), "only tests that divide the records", CORNERS, 2,
        "a test that only one sample allows reveals that sample",
    ),
    _control(
        fit_of(broken_trees.StopsIfPure, TREES, epsilon=1), "nothing asked where labels agree", CORNERS, 2,
        "a test that only one sample allows reveals that sample",
    ),
    _control(
        fit_of(broken_trees.Vanishing, TREES, epsilon=100), "weights in floats", CORNERS, 1,
        "a weight is 0 for one sample and not for its neighbour", crowd=(((0, 0), 1), ((1, 1), 0)) * 15,
    ),
    _control(
        fit_of(broken_trees.CutsForFree, LONG, epsilon=6), "a tree that forgets what cuts have cost", FAR_APART, 1,
        "the tree uses up ε, and the cuts came before", after=((0, 32), (3,) * 7), crowd=(((0,), 1),) * 150,
    ),
    _control(
        fit_of(seen.OneLevelEqualities, PAIRED, **ONE), "levels not counted", labelled((("a", "b"), ("c", "d"))), 1,
        "one record brings two equalities and their conjunction, and δ was divided by one",
        crowd=((("a", "b"), 0),) * 9,
    ),
    _control(
        fit_of(seen.UndiscountedEqualities, PAIRED, **ONE), "a gain of one record not discounted",
        labelled((("a", "b"), ("c", "d"))), 1, "a conjunction that gains one record weighs r times too much",
        crowd=((("a", "b"), 0),) * 9,
    ),
    _control(
        fit_of(seen.NoGain, CODES, **ONE), "a gain of one record not discounted", labelled(("a;b", "c")), 1,
        "a set of codes that gains one record weighs r times too much",
    ),
    _control(
        fit_of(seen.OneCode, CODES, **ONE), "codes of a record not counted", labelled(("a;b", "c")), 1,
        "one record brings two codes and their pair, and δ allowed for one code",
    ),
    _control(
        fit_of(seen.OncePerSet, CODES, **ONE), "a discount per set", labelled(("a;b", "c")), 2,
        "a new code brings pairs with all others, each of which weighs as much as the code",
    ),
    _control(
        fit_of(flats.LevelsUncounted, FLATS, **VOTES), "levels not counted", CORNERS, 2,
        "one record brings a flat on two levels, and δ was divided by one",
    ),
    _control(
        fit_of(flats.DealtSorted, FLATS, **VOTES), "records dealt after sorting", [((0, 0), 1), None], 1,
        "one record moves others to the next subset", crowd=SQUARE,
    ),
    _control(
        fit_of(flats.FloorlessVotes, FLATS, **VOTES | {"epsilon": 6, "delta": 0.1}), "no floor", CORNERS, 1,
        "a new flat outweighs never, which weighs next to nothing", crowd=(((0, 0), 1), ((0, 0), 0)) * 2,
    ),
    _control(
        fit_of(flats.CapFromRecords, FLATS, **VOTES | {"epsilon": 6}), "a cap from the records", CORNERS, 3,
        "one label changes the weight of never by r³",
    ),
    _control(
        broken.FirstRows(fit_of(FiniteLearner, RULES, epsilon=6, max_records=2), 2), "a unit's slots by row", UNITS, 2,
        "a unit with many records takes the slots of others",
    ),
    *map(_twice, LEARNERS),
)  # fmt: skip
