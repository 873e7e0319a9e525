"""Rows of tables in engines, a few at a time: all of them, in one order, however few come at once."""

from datetime import date
from decimal import Decimal

import ibis
import numpy as np
import polars as pl
import psycopg
import pyarrow as pa
import pytest

from privpac.classes.values.points import OneOf, Points
from privpac.data.domains.anything import Anything
from privpac.data.engines.batches import ROWS, arrow_tables, batches
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate
from privpac.privacy.store.accounts import BudgetStore
from privpac.refusals.refusal import Refused
from tests.data.tables_in import ENGINES, FOLDERS, FOLDING, duckdb_table, fetched, table_in

TYPES = {"i": "bigint", "f": "double precision", "t": "varchar(20)"}
RECORDS = [(2**60 + i, i / 7, f"it's {i}") for i in range(20)] + [(None, None, None), (-1, 0.1, "é\\")]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rows", [5, ROWS])
def test_every_row_arrives_once_and_whole(request, monkeypatch, engine, rows):
    monkeypatch.setattr("privpac.data.engines.batches.ROWS", rows)
    table = table_in(request, engine, TYPES | ({"f": "double", "t": "string"} if engine == "spark" else {}), RECORDS)
    found = list(batches(table, ["t", "i", "f"]))
    assert max(len(batch[0]) for batch in found) <= rows
    arrived = [tuple(map(plain, row)) for batch in found for row in zip(*batch, strict=True)]
    assert sorted(arrived, key=str) == sorted(((t, i, f) for i, f, t in RECORDS), key=str)


def plain(entry):
    entry = entry.item() if hasattr(entry, "item") else entry
    return None if entry != entry else entry


def test_tables_of_duckdb_keep_their_order(monkeypatch):
    monkeypatch.setattr("privpac.data.engines.batches.ROWS", 300)
    assert fetched(duckdb_table("SELECT i FROM range(5000) t(i)"), ["i"])[0].tolist() == list(range(5000))


def test_a_table_without_rows_is_one_batch(request):
    for engine in ("duckdb", "sqlite", "postgres"):
        table = table_in(request, engine, {"x": "integer"}, [(37,)])
        table = table.filter(table.x > 37)
        assert [len(column) for batch in batches(table, ["x"]) for column in batch] == [0]


def test_types_arrive_as_they_are_counted():
    sql = "SELECT DATE '2026-01-31' AS d, 1.50::DECIMAL(5, 2) AS p, TRUE AS b, '\\x41'::BLOB AS r, [1, 2] AS l"
    found = [column.tolist() for column in fetched(duckdb_table(sql), ["d", "p", "b", "r", "l"])]
    assert found == [[date(2026, 1, 31)], [Decimal("1.50")], [True], [b"A"], [(1, 2)]]


def test_tables_of_this_process_are_read():
    table = ibis.memtable(pa.table({"x": [3, 1, 2]}))
    assert [each["x"].to_pylist() for each in arrow_tables(table.order_by("x"))] == [[1, 2, 3]]


def test_a_server_that_dies_in_the_middle_is_a_sentence(request, monkeypatch):
    monkeypatch.setattr("privpac.data.engines.batches.ROWS", 2)
    table = table_in(request, "postgres", {"x": "integer", "y": "integer"}, [(i, i % 2) for i in range(100)])
    rows = batches(table, ["x"])
    next(rows)
    _kill(table)
    with pytest.raises(Refused, match="cannot be reached, or closed the connection"):
        list(rows)


def test_nothing_is_charged_if_the_server_dies_before_the_records_are_counted(request, tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3))
    table = table_in(request, "postgres", {"x": "text", "y": "integer"}, [("a", 1), ("b", 0)] * 50)
    _kill(table)
    learner = PrivateClassifier(Points(), feature="x", budget=account, allow_large_delta=True, delta="1/1000")
    with pytest.raises(Refused, match="cannot be reached, or closed the connection"):
        learner.fit(table, "y")
    assert account.spent.epsilon == 0


@pytest.mark.slow
def test_a_result_that_does_not_fit_is_a_sentence():
    backend = ibis.duckdb.connect()
    backend.raw_sql("SET temp_directory = ''; SET memory_limit = '30MB'")
    table = backend.sql("SELECT i FROM range(3000000) t(i)")
    with pytest.raises(Refused, match="ran out of memory: give it more"):
        list(arrow_tables(table.group_by("i").aggregate(n=table.count()).order_by("n")))


def _kill(table):
    """End the server's side of the connection, as an administrator or a crash would."""
    connection = table.get_backend().con
    with psycopg.connect(connection.info.dsn, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s)", [connection.info.backend_pid])


@pytest.mark.parametrize("engine", FOLDERS)
def test_labels_do_not_depend_on_how_an_engine_compares_text(request, engine):
    texts = ["EV", "ev", "eV", "EV ", "é", None]
    table = table_in(request, engine, {"x": FOLDING[engine]}, [(text,) for text in texts])
    rule = Model(OneOf(frozenset(["EV"])), Anything(), "x", (0, 1), 10, "t", Certificate(Budget(1)))
    for rows in rule.labeled(table):
        assert rows.labels.tolist() == [int(text == "EV") for text in rows.columns[0]]
    assert sorted(rule.predict(table)) == [0, 0, 0, 0, 0, 1]


def test_other_engines_are_refused_before_anything_is_charged(tmp_path):
    account = BudgetStore(f"sqlite:///{tmp_path}/budget.db").account("clinic", Budget(3))
    table = ibis.polars.connect({"t": pl.DataFrame({"x": ["a"], "y": [1]})}).table("t")
    learner = PrivateClassifier(Points(), feature="x", budget=account, allow_large_delta=True, delta="1/1000")
    rule = Model(OneOf(frozenset(["a"])), Anything(), "x", (0, 1), 10, "t", Certificate(Budget(1)))
    for ask in (lambda: learner.fit(table, "y"), lambda: rule.predict(table), lambda: next(rule.labeled(table))):
        with pytest.raises(ValueError, match=r"how polars compares values; .*table.to_parquet\('records.parquet'\)"):
            ask()
    assert account.spent.epsilon == 0


@pytest.mark.parametrize("beside", [0, None])
def test_a_time_beyond_the_years_of_python_is_read_alike_next_to_a_missing_one(beside):
    connection = ibis.duckdb.connect()
    connection.con.register("t", pa.table({"x": pa.array([2**62, beside], pa.timestamp("us"))}))
    ((times,),) = batches(connection.table("t"), ["x"])
    assert str(times[0]) == "148108-07-06T14:00:27.387904"
    assert np.isnat(times[1]) == (beside is None)
