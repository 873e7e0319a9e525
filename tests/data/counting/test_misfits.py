"""Counts of records that do not fit: they are those that a fit would refuse or make void."""

import ibis
import numpy as np
import pyarrow as pa
import pytest

from privpac.data.counting.misfits import Misfits, misfits, unit_misfits
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.on_invalid import spelled_columns, valid
from privpac.data.domains.paths import Paths
from privpac.data.domains.with_missing import WithMissing

TEXTS = ["37", "37.0", "37.5", None, "old", "", "121", "121", "-1", "1e2", "2024-02-30", "A", "a", "ABCD"]


def table(values):
    return ibis.memtable(pa.table({"x": values}))


@pytest.mark.parametrize(
    "domain", [Line(0, 120), Line(0.0, 120.0), Line("A", "Z"), Listing(("A", 37)), Paths(None, 3), Anything()]
)
def test_the_counts_are_those_of_void_records(domain):
    found = misfits(domain, table(TEXTS), "x")
    _, fits = valid(domain, spelled_columns(domain, [np.array(TEXTS, dtype=object)]), "default")
    assert sum(found) == (0 if fits is None else int((~fits).sum()))
    assert found.missing == 1


@pytest.mark.parametrize("inner", [Line(0, 120), Line(0.0, 120.0), Listing(("A", 37)), Paths(None, 3)])
def test_missing_entries_fit_where_they_are_declared(inner):
    domain = WithMissing(inner, ("old",) if inner.numbered else ())
    found = misfits(domain, table(TEXTS), "x")
    _, fits = valid(domain, spelled_columns(domain, [np.array(TEXTS, dtype=object)]), "default")
    assert sum(found) == int((~fits).sum()) and found.missing == 0
    assert misfits(WithMissing(Line(0.0, 9.0)), table([1.0, None, float("nan"), 10.0]), "x") == Misfits(0, 0, 1)


def test_each_reason_is_counted_by_itself():
    assert misfits(Line(0, 120), table(TEXTS), "x") == Misfits(missing=1, unreadable=6, outside=4)
    assert misfits(Line(0.0, 9.0), table([1.0, None, float("nan"), 10.0]), "x") == Misfits(2, 0, 1)
    assert misfits(Listing((False, True)), table(["true", "True", "false", "yes"]), "x") == Misfits(0, 0, 1)
    assert misfits(Listing((False, True)), table([True, None, False]), "x") == Misfits(1, 0, 0)


def test_records_beyond_the_number_that_counts():
    assert unit_misfits(table(["a"] * 5 + ["b"] * 2 + ["c"] + [None] * 3), "x", 2) == (3, 3)
    assert unit_misfits(table([]).cast({"x": "string"}), "x", 2) == (0, 0)
