"""Releases that break their promise, and what each of them leaks.

Main declarations
    RELEASE_CONTROLS    all of them
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from privpac.audit.broken_releases import Fractional, Noiseless, off_by
from privpac.audit.controls import Control
from privpac.privacy.budget import Budget

PURE = Budget(1)
FEW = Fraction(1, 20)

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
)  # fmt: skip
