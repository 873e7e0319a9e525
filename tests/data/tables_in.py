"""The same records in each engine, in columns of types that the engine has."""

import sqlite3
import uuid
from contextlib import closing
from datetime import date

import ibis
import numpy as np
import psycopg
import pytest

from privpac.data.engines.batches import batches
from privpac.data.open_table import open_table

SLOW = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]
FOLDING = {  # a type of text in which 'AB' and 'ab' are one
    "duckdb": "VARCHAR COLLATE NOCASE",
    "sqlite": "TEXT COLLATE NOCASE",
    "citext": "CITEXT",
    "icu": "TEXT COLLATE folded",
    "mariadb": "VARCHAR(20)",
    "spark": "STRING COLLATE UTF8_LCASE",
}
ENGINES = [
    *("duckdb", "sqlite", "postgres"),
    *(pytest.param(each, marks=SLOW) for each in ("debian", "mariadb", "spark", "clickhouse")),
]
FOLDERS = ["duckdb", "sqlite", *(pytest.param(each, marks=SLOW) for each in ("citext", "icu", "mariadb", "spark"))]


def table_in(request, engine: str, types: dict[str, str], rows: list[tuple]):
    """A table of these columns in an engine; ``request`` knows the servers."""
    if engine == "spark":
        session, name = request.getfixturevalue("spark"), f"t{uuid.uuid4().hex}"
        session.createDataFrame(rows, ", ".join(f"{column} {kind}" for column, kind in types.items())).createTempView(
            name
        )
        return ibis.pyspark.connect(session).table(name)
    schema = ", ".join(f"{column} {kind}" for column, kind in types.items())
    if engine == "duckdb":
        connection = ibis.duckdb.connect()
        connection.raw_sql(f"CREATE TABLE t ({schema})")
        connection.con.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(types))})", rows)
        return connection.table("t")
    if engine == "sqlite":
        file = request.getfixturevalue("tmp_path") / f"{uuid.uuid4().hex}.sqlite"
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(f"CREATE TABLE t ({schema})")
            stored = [[str(each) if isinstance(each, date) else each for each in row] for row in rows]
            connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(types))})", stored)
        connection.close()
        backend = ibis.sqlite.connect(file)
        request.addfinalizer(backend.disconnect)
        return backend.table("t")
    if engine == "clickhouse":
        backend, name = ibis.clickhouse.connect(**request.getfixturevalue("clickhouse")), f"t{uuid.uuid4().hex}"
        made = f"CREATE TABLE {name} ({schema}) ENGINE = MergeTree ORDER BY tuple()"
        backend.raw_sql(made, settings={"data_type_default_nullable": 1})  # as in other engines
        values = ", ".join(f"({', '.join(map(in_clickhouse, row))})" for row in rows)
        if rows:
            backend.con.command(f"INSERT INTO {name} VALUES {values}")
        request.addfinalizer(backend.disconnect)
        return backend.table(name)
    if engine == "mariadb":
        backend = ibis.mysql.connect(**request.getfixturevalue("mariadb"))
        name = f"t{uuid.uuid4().hex}"
        with backend.con.cursor() as cursor:
            cursor.execute(f"CREATE TABLE {name} ({schema})")
            cursor.executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(types))})", rows)
        backend.con.commit()
        request.addfinalizer(backend.disconnect)
        return backend.table(name)
    url = request.getfixturevalue("postgres")() if engine == "postgres" else request.getfixturevalue("debian_postgres")
    name = f"t{uuid.uuid4().hex}"
    with psycopg.connect(url, autocommit=True) as connection:
        if engine != "postgres":
            connection.execute("CREATE EXTENSION IF NOT EXISTS citext")
            for collation, level in (("folded", 2), ("bare", 1)):
                icu = f"provider = icu, locale = 'und-u-ks-level{level}', deterministic = false"
                connection.execute(f"CREATE COLLATION IF NOT EXISTS {collation} ({icu})")
        connection.execute(f"CREATE TABLE {name} ({schema})")
        connection.cursor().executemany(f"INSERT INTO {name} VALUES ({', '.join(['%s'] * len(types))})", rows)
    table = open_table(url, name)
    request.addfinalizer(table.get_backend().disconnect)
    return table


def in_clickhouse(value) -> str:
    """A value as ClickHouse writes it: a text by its bytes, which need not be UTF-8."""
    octets = value.encode() if isinstance(value, str) else value
    if isinstance(octets, bytes):
        return f"unhex('{octets.hex()}')"
    return "NULL" if value is None else repr(value) if isinstance(value, int | float) else f"'{value}'"


def duckdb_table(sql: str):
    """What a query of DuckDB finds."""
    connection = ibis.duckdb.connect()
    connection.raw_sql(f"CREATE TABLE t AS {sql}")
    return connection.table("t")


def fetched(table, columns):
    """These columns of a whole table."""
    found = zip(*batches(table, columns), strict=True)
    return [parts[0] if len(parts) == 1 else np.concatenate(parts) for parts in found]
