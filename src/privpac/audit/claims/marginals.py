"""Claims of releases of many counts, and twins that break them, on small universes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

import numpy as np

from privpac.audit.claims.case import Case, Records
from privpac.audit.controls.broken_releases import CountedPoints, SeenCategories, SeenPoints
from privpac.audit.controls.mechanisms import Control
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tables.marginals import Marginals
from privpac.classes.values.points import Points
from privpac.data.samples.sample import Sample
from privpac.mechanisms.noise.laplace import DiscreteLaplaces
from privpac.privacy.budget import Budget
from privpac.release.explicit import point_counts, queries_of
from privpac.release.tables.marginals import table_counts

MARGINALS = Marginals(Points().on("a", values=("x", "y")), Thresholds(0, 9).on("b", values=(5,)), order=1)
ROWS = tuple({"a": a, "b": b} for a, b in product("xy", (0, 7)))
EXPLICIT = ExplicitClass([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]], points="abcd")
VOID = None


def marginal_cases() -> Iterator[Case]:
    """All claims. Two records that differ in all columns use up all of ε, and so do the first and the last point.

    >>> [float(case.exact().share) for case in [*marginal_cases()][:2]]
    [1.0, 1.0]
    """
    for cost, n in ((Budget("0.1"), 1), (Budget(1), 1), (Budget(1), 2), (Budget(6), 1)):
        tables = DiscreteLaplaces(cost, 2 * len(MARGINALS.tables))
        yield Case(tables, _tables, "2 tables of 2 cells, and void records", (*range(len(ROWS)), VOID), n, cost)
        queries = DiscreteLaplaces(cost, queries_of(EXPLICIT).changes or 1)
        yield Case(queries, _queries, "3 queries on 4 points", "abcd", n, cost)


def _tables(records: Records) -> list[int]:
    """The counts of the two tables; records are numbers of rows."""
    rows = [ROWS[i] for i in records if i is not VOID]
    points = MARGINALS.domain.points(rows) if rows else np.zeros((0, 2), dtype=np.int64)
    sample = Sample(points, np.ones(len(rows), dtype=bool), None, len(records))
    found: list[int] = table_counts(sample, MARGINALS.cells, MARGINALS.tables).tolist()
    return found


def _queries(records: Records) -> list[int]:
    """The counts of the three queries."""
    points = EXPLICIT.domain.points(list(records))
    sample = Sample(points, np.ones(len(records), dtype=bool), None, len(records))
    found: list[int] = (queries_of(EXPLICIT).M @ point_counts(sample, EXPLICIT.domain)).tolist()
    return found


def _with_changes(records: Records) -> CountedPoints:
    alone = [_queries((each,)) for each in records]
    apart = (sum(a != b for a, b in zip(x, y, strict=True)) for x, y in combinations(alone, 2))
    return CountedPoints(_queries(records), max(apart, default=0))


MARGINAL_CONTROLS = (
    Control(
        DiscreteLaplaces(Budget(1), len(MARGINALS.tables)), _tables, "every record counted in one cell",
        range(len(ROWS)), 1, Budget(1),
        "a substitution changes two cells of each table, so it costs 2ε",
    ),
    Control(
        SeenCategories(Budget(1), 2), Counter, "categories inferred from the data", "abc", 1, Budget(1),
        "the list of categories shows who is there",
    ),
    Control(
        SeenPoints(Budget(1), 1), _with_changes, "sensitivity over the points seen", "abcd", 2, Budget(1),
        "noise that fits the records seen is too small for a neighbor",
    ),
)  # fmt: skip
