"""The answer of an engine; Ctrl-C ends a query at once."""

import time

import ibis
import pyarrow as pa
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.engines.queries import answer
from privpac.refusals.refusal import Refused
from tests.ctrl_c import ctrl_c

ENDLESS = "SELECT i % 7 AS delay, i % 2 AS late FROM range(100000000000) t(i)"  # a minute or more


@pytest.fixture
def endless():
    connection = ibis.duckdb.connect()
    yield connection.sql(ENDLESS)
    connection.disconnect()


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.001, 0.5])
def test_ctrl_c_ends_a_query_and_leaves_nothing_running(endless, after):
    """Also if it comes before the engine has begun."""
    sent = []
    with pytest.raises(KeyboardInterrupt), ctrl_c(after, sent):
        group_counts(endless, ["delay"], "late")
    assert time.monotonic() - sent[-1] < 2
    assert endless.get_backend().con.execute("SELECT 1").fetchone() == (1,)


def test_the_rows_of_a_query():
    table = ibis.memtable(pa.table({"delay": [37, 2]}))
    assert answer(table.order_by("delay")).to_pylist() == [{"delay": 2}, {"delay": 37}]


def test_a_failure_never_quotes_a_record():
    connection = ibis.duckdb.connect()
    with pytest.raises(Refused) as refusal:
        answer(connection.sql("SELECT CAST(word AS INTEGER) AS x FROM (VALUES ('secret')) t(word)"))
    assert "secret" not in str(refusal.value)
