"""Releases that break their promise, and what each of them leaks."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from privpac.audit.claims.marginals import MARGINAL_CONTROLS
from privpac.audit.claims.measured_tries import CROWD as UNPAID_CROWD
from privpac.audit.claims.measured_tries import UNPAID, measured_trie, read_codes
from privpac.audit.claims.split_trees import (
    EIGHT,
    PLACES,
    FirstLevel,
    NoLeast,
    OnePath,
    SameThreshold,
    in_order,
    two_paths,
)
from privpac.audit.claims.tables import TABLE_CONTROLS
from privpac.audit.controls.broken_releases import Fractional, Noiseless, off_by
from privpac.audit.controls.mechanisms import Control
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.privacy.budget import Budget

PURE = Budget(1)
FEW = Fraction(1, 20)
CROWD = two_paths(SplitTree(PURE, EIGHT, 3, 4, 2))

RELEASE_CONTROLS = (
    Control(
        Noiseless(PURE, FEW), partial(off_by, {"a": 2}), "a certificate without noise", "ab", 1, PURE,
        "it says how many records have one value",
    ),
    Control(
        Fractional(PURE, FEW), partial(off_by, {"a": Fraction(5, 4), "b": Fraction(1, 2)}),
        "a certificate of fractions", "abc", 1, PURE,
        "its fractional part names the query that errs most",
    ),
    Control(
        measured_trie(UNPAID, 1, paid=False), read_codes, "a certificate of counts that use up the cost",
        "ab", 1, UNPAID, "the gap tells more about a record than the counts do", crowd=UNPAID_CROWD,
    ),
    Control(
        SameThreshold(PURE, EIGHT, 3, 4, 2), in_order, "a split tree: thresholds that do not grow", PLACES, 1, PURE,
        "every cut on a path can be as close as the first", crowd=(4,) * 5 + (0,) * 19,
    ),
    Control(
        NoLeast(PURE, EIGHT, 3, 4, 2), in_order, "a split tree: no floor", PLACES, 1, PURE,
        "cuts of nodes with few records add up on a path", crowd=CROWD,
    ),
    Control(
        OnePath(PURE, EIGHT, 3, 4, 2), in_order, "a split tree: priced for records added or removed", PLACES, 1, PURE,
        "a record that moves is on two paths", crowd=CROWD,
    ),
    Control(
        FirstLevel(PURE, EIGHT, 3, 1, 2), in_order, "a split tree: priced for one level", PLACES, 1, PURE,
        "deeper levels cost as well", crowd=two_paths(SplitTree(PURE, EIGHT, 3, 1, 2)),
    ),
    *MARGINAL_CONTROLS,
    *TABLE_CONTROLS,
)  # fmt: skip
