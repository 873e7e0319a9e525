"""Types come from declarations: what is refused, and that what the refusal says to type works."""

import json
import re
import sqlite3
from contextlib import closing

import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.engines.declared_types import check_relation, check_types, columns_behind
from privpac.data.open_table import open_table
from privpac.requests.input_checks import fetch_query

N = 1000


def released(table):
    """The values that a release of all points shows."""
    release = pp.PrivateRelease(pp.Points(), epsilon=2, delta=1e-6, feature="age", on_invalid="default")
    return next(iter(release.fit(table).release_.counts().values()))


def written(file, first, *statements):
    """A table ``records`` with a first record of this age, others of age 5, and what else the statements create."""
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE records (age, late INTEGER)")
        connection.executemany("INSERT INTO records VALUES (?, 1)", [(first,)] + [(5,)] * (N - 1))
        for statement in statements:
            connection.execute(statement)
    connection.close()
    return file


@pytest.mark.parametrize(
    ("statement", "pair"),
    [
        ("CREATE TABLE t AS SELECT age, late FROM records", (6, "six")),
        ("CREATE VIEW t AS SELECT age + 0 AS age, late FROM records", (31, None)),
    ],
)
@pytest.mark.parametrize("opened", [open_table, lambda file, name: ibis.sqlite.connect(file).table(name)])
def test_the_first_record_of_sqlite_decides_nothing(request, tmp_path, statement, pair, opened):
    """A release showed 5 or '5', or was refused, depending on the first record."""
    told = set()
    for first in pair:
        table = opened(written(tmp_path / "t.sqlite", first, statement), "t")
        request.addfinalizer(table.get_backend().disconnect)
        with pytest.raises(ValueError, match="column 'age' declares no type in SQLite") as refusal:
            released(table)
        told.add(str(refusal.value))
        (create, fill) = re.search("(CREATE TABLE .*?); (INSERT INTO .*?);", str(refusal.value)).groups()
        with closing(sqlite3.connect(tmp_path / "t.sqlite")) as connection, connection:
            connection.execute(create)
            connection.execute(fill)
        typed = open_table(tmp_path / "t.sqlite", "t_typed")
        request.addfinalizer(typed.get_backend().disconnect)
        assert released(typed) == [5]
    assert len(told) == 1


def test_an_empty_table_and_a_table_of_one_record_say_the_same(request, tmp_path):
    """Ibis finds no type in an empty table, and stops."""
    told = set()
    for i, rows in enumerate(([], [(5, 1)], [("six", 1)])):
        file = tmp_path / f"{i}.sqlite"
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE t (age, late INTEGER)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        connection.close()
        table = open_table(file)
        request.addfinalizer(table.get_backend().disconnect)
        with pytest.raises(ValueError, match="declares no type") as refusal:
            group_counts(table, ["age"], "late")
        told.add(str(refusal.value))
    assert len(told) == 1


def test_the_first_record_does_not_decide_which_names_are_shown(request, tmp_path):
    """The names of a file of texts may be a record; a table of SQLite seemed to be one if its first record was text."""
    told = set()
    for age in ("six", 6):
        with closing(sqlite3.connect(tmp_path / f"{age}.sqlite")) as connection, connection:
            connection.execute("CREATE TABLE t (age)")
            connection.execute("INSERT INTO t VALUES (?)", [age])
        connection.close()
        engine = ibis.sqlite.connect(tmp_path / f"{age}.sqlite")
        request.addfinalizer(engine.disconnect)
        with pytest.raises(ValueError, match="its columns are age") as refusal:
            group_counts(engine.table("t"), ["late"])
        told.add(str(refusal.value))
    assert len(told) == 1


@pytest.mark.slow
def test_a_column_without_a_type_stops_nobody_who_does_not_read_it(request, tmp_path):
    table = open_table(written(tmp_path / "t.sqlite", "six"))
    request.addfinalizer(table.get_backend().disconnect)
    for each in (table, table.mutate(twice=table.late * 2).filter(table.late == 1), table.drop("age")):
        assert group_counts(each, ["late"], rule="default").n == N
    by_ibis = table.get_backend().table("records")
    for each in (by_ibis.mutate(older=by_ibis.age.isnull()), by_ibis.join(by_ibis.view(), "late")):
        assert group_counts(each, ["late"]).n > 0
    with pytest.raises(ValueError, match="declares no type"):
        group_counts(by_ibis.mutate(older=by_ibis.age.isnull()), ["late"], "older")


def test_what_a_column_depends_on():
    one = ibis.memtable(pa.table({"a": [1], "b": [2], "c": [3]}))
    other = ibis.memtable(pa.table({"a": [1], "d": [2], "e": [3]}))
    for query, names, behind in [
        (one, ["a"], "a"),
        (one.mutate(a=one.b + 1), ["a"], "b"),
        (one.filter(one.c > 1), ["a"], "ac"),
        (one.join(other, "a").select("b", "d"), ["b"], "aab"),
        (one.group_by("a").agg(n=one.b.sum()), ["n"], "ab"),
        (one.group_by("a").agg(n=one.b.sum()), ["a"], "a"),
        (one.filter(one.a.isin(other.d)), ["b"], "abd"),
        (one.select("a").union(other.select("a")), ["a"], "aa"),
        (one.view(), ["b"], "b"),
        (one.limit(1).order_by("c").distinct(), ["b"], "bc"),
    ]:
        assert "".join(sorted(name for _, name in columns_behind(query, names))) == behind, query


def test_python_objects_are_given_a_type_or_given_themselves():
    frame = pd.DataFrame({"age": pd.Series([37, 5, None], dtype=object), "late": [1, 0, 1]})
    with pytest.raises(ValueError, match=r"frame.astype..'age': 'Int64'") as refusal:
        group_counts(ibis.memtable(frame), ["age"], "late", rule="default")
    assert "37" not in str(refusal.value)
    typed = ibis.memtable(frame.astype({"age": "Int64"}))
    assert sorted(group_counts(typed, ["age"], "late", rule="default").columns[0].tolist()) == [5, 37]
    assert fetch_query(frame) is frame
    check_types(ibis.memtable(frame), ["late"], "columns")


def test_files_that_duckdb_guesses_are_opened_or_copied(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "records.json").write_text("\n".join(json.dumps({"age": age}) for age in (5, 6)), encoding="utf-8")
    (tmp_path / "records.csv").write_text("age\n5\n6\n", encoding="utf-8")
    engine = ibis.duckdb.connect()
    with pytest.raises(ValueError, match="types of these columns from their records") as refusal:
        group_counts(engine.read_json("records.json"), ["age"])
    create, copy = re.search("(CREATE TABLE .*?); (COPY .*)", str(refusal.value)).groups()
    engine.raw_sql(create)
    engine.raw_sql(copy)
    assert group_counts(engine.table("typed"), ["age"]).n == 2
    with pytest.raises(ValueError, match="open_table"):
        group_counts(engine.read_csv("records.csv"), ["age"])
    assert group_counts(open_table("records.csv"), ["age"]).n == 2


def test_a_relation_leaves_its_connection_as_it_was(tmp_path):
    (tmp_path / "records.csv").write_text("age\n5\n6\n", encoding="utf-8")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 5 AS age")
    assert fetch_query(connection.sql("FROM t")).columns == ("age",)
    with pytest.raises(ValueError, match="from their records; open the file itself: open_table"):
        fetch_query(connection.sql(f"FROM '{tmp_path / 'records.csv'}'"))
    assert connection.sql("SELECT count(*) FROM duckdb_views() WHERE NOT internal").fetchone() == (0,)


def test_files_that_polars_guesses_are_opened_or_written(tmp_path):
    (tmp_path / "records.ndjson").write_text('{"age": 5}\n{"age": 6}\n', encoding="utf-8")
    query = pl.scan_ndjson(tmp_path / "records.ndjson")
    with pytest.raises(ValueError, match=r"sink_parquet.*cast"):
        fetch_query(query)
    query.cast({"age": pl.String}).sink_parquet(tmp_path / "records.parquet")
    assert group_counts(open_table(tmp_path / "records.parquet"), ["age"]).n == 2
    assert fetch_query(pl.scan_parquet(tmp_path / "records.parquet")).columns == ("age",)


def test_folders_whose_names_tell_values_are_opened(tmp_path):
    """One more folder, year=six, made all numbers of the others texts."""
    for year in (2026, 2027):
        (place := tmp_path / f"year={year}").mkdir()
        pl.DataFrame({"age": [5]}).write_parquet(place / "records.parquet")
    files = f"{tmp_path}/*/*.parquet"
    engine = ibis.duckdb.connect()
    for each in (engine.read_parquet(files), duckdb.sql(f"FROM '{files}'"), pl.scan_parquet(tmp_path)):
        with pytest.raises(ValueError, match=r"from their records; open .*folder.*open_table\(path\)"):
            group_counts(fetch_query(each), ["year"])
    assert sorted(group_counts(open_table(tmp_path), ["year"]).columns[0].tolist()) == ["2026", "2027"]
    for declared in ({"hive_partitioning": False}, {"hive_types_autocast": False}):
        assert group_counts(engine.read_parquet(files, **declared), ["age"]).n == 2
    one = pl.scan_parquet(tmp_path / "year=2026" / "records.parquet", hive_partitioning=False)
    one.collect().write_parquet(tmp_path / "year=2028.parquet")
    assert fetch_query(pl.scan_parquet(tmp_path / "year=2028.parquet")).columns == ("age",)


QUERIES = """
SELECT 1 AS age
VALUES (1), (2)
FROM t WHERE age = 1
SELECT unnest(list) AS age FROM t
FROM unnest([1, 2]) u(age)
FROM range(3) r(age)
WITH a AS MATERIALIZED (FROM t) SELECT a1.age FROM a a1, a a2
FROM t LIMIT 0
FROM t TABLESAMPLE 10%
WITH RECURSIVE r AS (SELECT 1 AS age UNION ALL SELECT age + 1 FROM r WHERE age < 5) FROM r
FROM arrow
FROM 'records.parquet'
SELECT age, (SELECT count(*) FROM t u WHERE u.age < t.age) AS less FROM t
FROM t UNION FROM t
FROM t ASOF JOIN t u ON t.age >= u.age
FROM t WHERE EXISTS (FROM arrow WHERE arrow.age = t.age)
SELECT age AS "CT_SCAN", 'READ_CSV' AS "READ_ME" FROM t ORDER BY ALL
SELECT max(age) OVER (PARTITION BY age) AS age FROM t QUALIFY row_number() OVER () = 1
FROM t WHERE age IN (1, 2, 3, 4, 5, 6, 7)
"""


def test_queries_of_tables_with_types_pass(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 5 AS age, [1, 2] AS list")
    connection.execute("COPY t TO 'records.parquet'")
    connection.register("arrow", pa.table({"age": [5]}))
    for query in QUERIES.strip().splitlines():
        check_relation(connection.sql(query))
        with pytest.raises(ValueError, match="give the DataFrame itself"):
            frame = pd.DataFrame({"z": [1]})
            check_relation(connection.sql(f"SELECT * FROM ({query}), frame WHERE {len(frame) > 1}"))


def test_readers_are_found_in_wide_plans(tmp_path):
    """DuckDB prints only a part of a wide plan."""
    file = tmp_path / "records.csv"
    file.write_text("age\n5\n", encoding="utf-8")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 5 AS age")
    parts = ["SELECT age FROM t"] * 60
    check_relation(connection.sql(" UNION ALL ".join(parts)))
    for place in (0, 30, 60):
        query = [*parts[:place], f"SELECT age FROM '{file}'", *parts[place:]]
        with pytest.raises(ValueError, match="open_table"):
            check_relation(connection.sql(" UNION ALL ".join(query)))


PIVOTS = ("PIVOT visits ON ward USING sum(age)", "FROM (PIVOT visits ON ward USING sum(age)) WHERE id = 1")


@pytest.mark.parametrize("query", PIVOTS)
def test_names_of_columns_that_records_decide_are_not_told(query):
    """Neighbors get the same refusal, in DuckDB itself and through Ibis, for a column that is there and for another."""
    told = set()
    for ward in ("west", "patient 37"):
        engine = ibis.duckdb.connect()
        engine.raw_sql(f"CREATE TABLE visits AS SELECT 1 AS id, '{ward}' AS ward, 37 AS age")
        for feature in ("id", "age"):
            for X in (engine.con.sql(query), engine.sql(query)):
                with pytest.raises(ValueError, match="list what becomes a column") as refusal:
                    pp.PrivateRelease(pp.Thresholds(0, 9, direction="above"), feature=feature).fit(X)
                told.add(str(refusal.value))
    assert len(told) == 1
    listed = engine.con.sql("PIVOT visits ON ward IN ('west', 'east') USING sum(age)")
    assert pp.PrivateRelease(pp.Thresholds(0, 9, direction="above"), feature="id").fit(listed).release_.n == 1
