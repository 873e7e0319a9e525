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
from privpac.audit.broken_tables import tabled
from privpac.audit.cases import Case
from privpac.data.listing import Listing
from privpac.data.named_columns import Columns
from privpac.mechanisms.measured_gap import MeasuredGap
from privpac.privacy.budget import Budget
from privpac.release.table_counts import TableCounts


def release_cases() -> Iterator[Case]:
    """All claims.

    >>> all(not case.exact().refuted for case in release_cases())
    True
    """
    yield from _certificates()
    yield from _tables()


def _certificates() -> Iterator[Case]:
    for cost, n in product((Budget("0.1"), Budget(1), Budget(6)), (1, 3)):
        gap = MeasuredGap(cost, Fraction(1, 20))
        yield Case(gap, partial(off_by, {"a": 2, "b": 1}), "the gap of 2 answers", "abc", n, cost)


def _tables() -> Iterator[Case]:
    kinds = Columns(("x", "y"), (Listing(("a", "b")), Listing(("c",))))
    for cost, n in ((Budget(6, "0.9"), 1), (Budget(6, "0.9"), 2), (Budget(6, "1e-6"), 1)):
        rows = (("a", "c"), ("b", "c"))
        yield Case(TableCounts(cost, kinds), partial(tabled, kinds), "2 cells of a pair", rows, n, cost)
