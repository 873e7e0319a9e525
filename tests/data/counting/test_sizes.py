"""n, as a fit counts it."""

import ibis
import pyarrow
import pytest
from ibis.expr.operations import CountDistinct

from privpac.data.counting import groups
from privpac.data.counting.groups import size_of
from privpac.data.samples.units import Quota


def test_missing_values_count_and_missing_units_do_not():
    table = ibis.memtable(pyarrow.table({"x": [1, None, 3], "who": ["a", None, "b"]}))
    assert size_of(table) == 3
    assert size_of(table, Quota("who", 4, "key")) == 8


def test_a_missing_column_is_refused():
    with pytest.raises(ValueError, match="no column 'whom'"):
        size_of(ibis.memtable(pyarrow.table({"x": [1]})), Quota("whom", 1, "key"))


def test_no_engine_estimates_how_many_units_there_are(monkeypatch):
    queries, answer = [], groups.answer
    monkeypatch.setattr(groups, "answer", lambda query: queries.append(query) or answer(query))
    assert size_of(ibis.memtable(pyarrow.table({"who": ["a", "b", "a"]})), Quota("who", 4, "key")) == 8
    assert queries and not any(each.op().find(CountDistinct) for each in queries)  # ClickHouse estimates it
