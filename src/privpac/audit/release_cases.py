"""Claims of releases and of their certificates, on small universes.

Main declarations
    release_cases    the claims
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from privpac.audit.broken_releases import off_by
from privpac.audit.cases import Case
from privpac.mechanisms.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget


def release_cases() -> Iterator[Case]:
    """All claims.

    >>> all(not case.exact().refuted for case in release_cases())
    True
    """
    yield from _certificates()


def _certificates() -> Iterator[Case]:
    for cost, n in product((Budget("0.1"), Budget(1), Budget(6)), (1, 3)):
        gap = MeasuredGap(cost, Fraction(1, 20))
        yield Case(gap, partial(off_by, {"a": 2, "b": 1}), "the gap of 2 answers", "abc", n, cost)
