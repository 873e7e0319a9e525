"""Claims of releases of tables on small universes, and releases that break them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from privpac.audit.claims.case import Case
from privpac.audit.controls.broken_releases import AddRemoveNoise, RangeOfCells, SeenValues, tabled
from privpac.audit.controls.mechanisms import Control
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns
from privpac.privacy.budget import Budget
from privpac.release.tables.measuring import TableCounts

LOOSE, TIGHT, PURE = Budget("0.1", "0.02"), Budget(6, "1e-6"), Budget(2)
WORDS, BITS, KINDS = (Columns(("x",), (each,)) for each in (Anything(), Line(0, 1), Listing(("a", "b"))))


def table_cases() -> Iterator[Case]:
    """All claims.

    >>> [case.exact().refuted for case in table_cases() if not case.claimed.delta]
    [False, False]
    """
    both = Columns(("x", "y"), (Listing(("a", "b")), Listing(("c",))))
    for cost, n in ((LOOSE, 1), (PURE, 1), (PURE, 2)):  # Gaussian noise, then Laplace noise
        rows = (("a", "c"), ("b", "c"))
        yield Case(TableCounts(cost, both), partial(tabled, both), "2 cells of a pair", rows, n, cost)


TABLE_CONTROLS = (
    Control(
        SeenValues(TIGHT, WORDS), partial(tabled, WORDS), "a table: categories inferred from the data",
        (("a",), ("b",)), 1, TIGHT, "it shows a value that one record has",
    ),
    Control(
        RangeOfCells(TIGHT, BITS), partial(tabled, BITS), "a table: cells inferred from the data",
        ((0,), (1,)), 1, TIGHT, "it shows the least value",
    ),
    Control(
        AddRemoveNoise(TIGHT, KINDS), partial(tabled, KINDS), "a table: exact n with noise for adding a record",
        (("a",), ("b",)), 1, TIGHT, "a substitution changes two counts of each pair",
    ),
)  # fmt: skip
