"""Broken learners as false claims. An audit of learners that passes one of them is itself broken.

Main declarations
    LEARNER_CONTROLS    all of them: what is broken, and what that lets out
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from privpac.audit import broken_learners as broken
from privpac.audit.cases import labelled
from privpac.audit.controls import Control
from privpac.audit.learner_cases import LATE, LATE_AT, RULES, STUMPS
from privpac.audit.learning import Learned
from privpac.classes.boxes import Rectangles
from privpac.classes.central_half_planes import CentralHalfPlanes
from privpac.classes.line import Intervals, Thresholds
from privpac.classes.paths import RootPaths, StartsWith
from privpac.classes.plane import HalfSpaces
from privpac.classes.points import Points
from privpac.classes.spider import Spider
from privpac.learners.base import PrivateLearner
from privpac.learners.finite import FiniteLearner

ONE: dict[str, Any] = {"epsilon": 1, "delta": 0.1}
STEEP: dict[str, Any] = {"epsilon": 6, "delta": 0.3, "beta": 0.9, "regime": "realizable"}  # where bounds are tight
UNITS = [(("a", 1),) * 4, (("a", 1),), (("a", 0),) * 2]


def _control(made: PrivateLearner | Learned, about: str, universe: Sequence[Any], n: int, why: str) -> Control:
    learned = made if isinstance(made, Learned) else Learned(made, n)
    return Control(learned, learned.sample, about, universe, n, learned.cost, why)


LEARNER_CONTROLS = (
    _control(
        broken.ExactErrors(Thresholds(0, 3), **ONE), "the best cut's errors without noise", labelled((0, 1)), 2,
        "two records that contradict each other are told from two that do not",
    ),
    _control(
        broken.OneLevelPaths(RootPaths("/", height=3), **STEEP), "levels not counted", labelled(("", "a/b/c")), 3,
        "one record brings a candidate on each of three levels, and δ was divided by one",
    ),
    _control(
        broken.OneLevelSubtrees(StartsWith(height=2), **ONE), "levels not counted", labelled(("ab", "c")), 1,
        "one record brings the root, a letter and a pair of letters, and δ was divided by one",
    ),
    _control(
        broken.OneLevelSpider(Spider(bits=2), **STEEP), "levels not counted", labelled((("g", 1), ("h", 1))), 3,
        "one record brings two splits and a whole leg, and δ was divided by one",
    ),
    _control(
        broken.DoublePositives(Points(), **ONE), "positives counted twice", labelled("ab"), 2,
        "one record brings a candidate with twice the support that its discount is made for",
    ),
    _control(
        broken.UnseenByRecords(Points(4), epsilon=1), "N − records values unseen", labelled((0, 3)), 2,
        "records that share a value hide values that nobody has",
    ),
    _control(
        broken.KeyFromValues(Points(), epsilon=1, alpha=0.9, beta=0.9, random_state=3), "hash keys from the records",
        labelled("ab"), 3, "one record with a new value moves all others to other buckets",
    ),
    _control(
        broken.BalancedRules(RULES, epsilon=1), "labels weighed by their rarity", labelled("ab"), 3,
        "the only record of a label weighs as much as all others",
    ),
    _control(
        broken.CentreFromRecords(CentralHalfPlanes(-1, 1), epsilon=1), "the centre from the records",
        labelled(((1, 0), (0, 1))), 4, "one record moves all others",
    ),
    _control(
        broken.OriginFromRecords(HalfSpaces(1, 3), epsilon=1), "the origin from the records", [((0,), 0), ((2,), 1)], 3,
        "one record moves all others",
    ),
    _control(
        broken.LineFromRecords(Intervals(0, 3), epsilon=1), "bounds inferred from the records", labelled((0, 3)), 2,
        "the interval never leaves the range of the records and so betrays it",
    ),
    _control(
        broken.CellsFromRecords(Rectangles(0, 2, dim=2), epsilon=1), "cells inferred from the records",
        labelled(((0, 0), (2, 2))), 3, "one record moves all others to other cells",
    ),
    _control(
        broken.CutsAtRecords(STUMPS, epsilon=1), "cuts at the records' values only", labelled(((0, 0), (2, 1))), 1,
        "a cut that only one sample offers betrays it",
    ),
    _control(
        broken.OncePerColumn(LATE, epsilon=1), "records counted once per column", labelled(((0, 0), (2, 1))), 3,
        "one record changes errors by 2 where 1 is charged",
    ),
    _control(
        broken.UndiscountedNames(LATE_AT, **ONE), "a gain of one record not discounted",
        labelled(((1, "x"), (0, "y"))), 1, "a new name that gains a record weighs r times what it may",
    ),
    _control(
        broken.SpentTwice(RULES, epsilon=6, report_error=True), "an estimate paid with what is spent",
        labelled("ab"), 3, "learning uses up ε, and the error comes on top",
    ),
    _control(
        broken.ShareOfValid(RULES, epsilon=1, report_error=True), "void records dropped from n",
        [("a", 0), ("a", 1), None], 3, "the denominator tells how many records are void",
    ),
    _control(
        broken.FirstRows(FiniteLearner(RULES, epsilon=6, max_records=2), 2), "a unit's slots by row", UNITS, 2,
        "a unit with many records takes the slots of others",
    ),
)  # fmt: skip
