"""Every engine × every kind of equal values: whatever an engine takes for equal, neighbors stay neighbors.

The records of each table are counted as Python counts them, so one record moves one count. The controls say which of
these texts and numbers the engine itself takes for equal: there, grouping by the values as they are fails.

Then every way to hold a table × every odd entry: no record decides how others are read.
"""

import json
import math
import re
import sqlite3
import uuid
from collections import Counter
from contextlib import closing
from decimal import Decimal
from functools import partial

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pytest
from ibis import _ as each

import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.engines.views import is_table
from privpac.data.open_table import open_table
from privpac.data.samples.units import Quota, slots_of
from privpac.data.values.allowed_types import missing
from privpac.data.values.equal_values import canonical
from privpac.requests.input_checks import fetch_query
from tests.data.tables_in import SLOW, table_in
from tests.learners.readers import gathered

pytestmark = pytest.mark.slow

K = 2  # records of a unit that count
LONG = "a" * 700  # in digits, more than MariaDB looks at when it sorts
PAIRS = {
    "case": ("ab", "AB"),
    "blank": ("ab", "ab "),
    "accent": ("resume", "résumé"),
    "normal form": ("\u00e9", "e\u0301"),
    "invisible": ("ab", "a\u200bb"),
    "sharp s": ("strasse", "straße"),
    "long": (f"{LONG}1", f"{LONG}2"),
    "code": ("A", "\\x41"),
}
EVERYTHING = {"case", "accent", "normal form", "invisible", "sharp s"}
TEXTS = {  # types of text, and the pairs that are equal there
    ("duckdb", "VARCHAR COLLATE NOCASE"): {"case"},
    ("duckdb", "VARCHAR COLLATE NOCASE.NOACCENT"): {"case", "accent", "normal form"},
    ("sqlite", "TEXT COLLATE NOCASE"): {"case"},
    ("sqlite", "TEXT COLLATE RTRIM"): {"blank"},
    ("postgres", "TEXT"): set(),
    ("postgres", "CHAR(800)"): {"blank"},
    ("debian", "CITEXT"): {"case"},
    ("debian", "TEXT COLLATE folded"): {"case", "normal form", "invisible"},
    ("debian", "TEXT COLLATE bare"): EVERYTHING,
    ("mariadb", "VARCHAR(800) CHARACTER SET utf8mb4"): {"case", "blank", "accent"},
    ("mariadb", "VARCHAR(800) COLLATE utf8mb4_unicode_ci"): EVERYTHING | {"blank"},
    ("mariadb", "VARCHAR(800) COLLATE utf8mb4_bin"): {"blank"},
    ("mariadb", "LONGTEXT CHARACTER SET utf8mb4"): {"case", "blank", "accent"},
    ("mariadb", "CHAR(200) CHARACTER SET utf8mb4"): {"case", "blank", "accent"},
    ("mariadb", "VARCHAR(800) CHARACTER SET latin1"): {"case", "blank", "accent"},
    ("spark", "STRING COLLATE UTF8_LCASE"): {"case"},
    ("spark", "STRING COLLATE UNICODE_CI_AI_RTRIM"): EVERYTHING | {"blank"},
    ("clickhouse", "String"): set(),
    ("clickhouse", "String NOT NULL"): set(),
    ("clickhouse", "LowCardinality(String) NOT NULL"): set(),
    ("clickhouse", "LowCardinality(Nullable(String)) NOT NULL"): set(),
    ("clickhouse", "FixedString(200)"): set(),
}
SERVERS = ("debian", "mariadb", "spark", "clickhouse")
FLOATS = {"postgres": "DOUBLE PRECISION", "debian": "DOUBLE PRECISION"}
WITHOUT_NAN = ("sqlite", "mariadb")  # engines that cannot store it
NUMBERS = {
    "large": [2**60 + 1, 2**60 + 2, None, 2**60 + 2],
    "floats": [0.0, -0.0, 2.5, None, 0.1, 0.1 + 2**-56, math.nan],
    "decimals": [Decimal("1.0"), Decimal("1.00"), Decimal("1.5"), None],
}


def marked(engine, *others):
    """A point of the table; servers run where they are asked for."""
    return pytest.param(engine, *others, marks=SLOW if engine in SERVERS else ())


def held(kind):
    """The texts that a column of this type can hold."""
    without = {"latin1": {"normal form", "invisible"}, "CHAR(200)": {"long"}, "FixedString": {"long"}}
    lacks = next((names for word, names in without.items() if word in kind), set())
    return {name: pair for name, pair in PAIRS.items() if name not in lacks}


def text_of(kind, text):
    """The value that a column of this type holds: to a CHAR, blanks at the end are none of it."""
    return text.rstrip(" ") if kind.startswith("CHAR") else text


def at_each_place(values):
    """Rows (x, y, unit) that differ at one place, and which it is: in this order and in the other."""
    for place in range(3):
        rows = [
            tuple(each if i == place else other for i, other in enumerate(("v", "no", "ann")))
            for j, each in enumerate(values)
            for _ in range(1 + j % 3)
        ]
        yield place, rows
        yield place, rows[::-1]


def as_python_counts(rows, k):
    """The records that count, and n."""
    there = [row for row in rows if not missing(row[2])]
    x, y, unit = (np.array([None, *column], dtype=object)[1:] for column in zip(*there, strict=True))
    chosen, n = slots_of(Quota(unit, k, "4f"), [x, y], "raise")
    return Counter(there[i][:2] for i in chosen if not any(map(missing, there[i]))), n


def as_the_engine_counts(table, k):
    answer = group_counts(table, ["x"], "y", Quota("unit", k, "4f"), "default")
    found = Counter()
    for x, y, count in zip(*answer.columns, answer.labels, answer.counts.tolist(), strict=True):
        found[x, y] += 0 if missing(x) or missing(y) else count
    return +found, answer.n


def check(request, engine, kinds, values, told, *, spelled_alike):
    """The counts are Python's, without units and with them, wherever the values stand."""
    others = {}
    for place, rows in at_each_place(values):
        types = {name: kinds[0] if i == place else kinds[1] for i, name in enumerate(("x", "y", "unit"))}
        table = table_in(request, engine, types, rows)
        read = [tuple(map(told, row)) for row in rows]
        if place < 2:
            answer = group_counts(table, ["x"], "y", rule="default")
            points = zip(answer.columns[0].tolist(), answer.labels.tolist(), answer.counts.tolist(), strict=True)
            points = [((x, y), count) for x, y, count in points if not missing(x) and not missing(y)]
            assert len({point for point, _ in points}) == len(points)
            assert dict(points) == Counter(row[:2] for row in read if not any(map(missing, row)))
            assert all(math.copysign(1, x) == 1 for point, _ in points for x in point if isinstance(x, float))
            assert answer.n == len(rows)
        found, n = as_the_engine_counts(table, K)
        expected, units = as_python_counts(read, K)
        assert n == units and found.total() <= n
        if spelled_alike or place == 2:  # an engine spells numbers in its own way, and chooses by what it spells
            assert found == expected
        else:
            assert found == others.setdefault(place, found)  # in either order of the rows


@pytest.mark.parametrize(("engine", "kind"), [marked(*each) for each in TEXTS])
def test_texts_are_counted_as_python_counts_them(request, engine, kind):
    texts = list(dict.fromkeys(each for pair in held(kind).values() for each in pair))
    check(request, engine, (kind, kind), texts, lambda text: text_of(kind, text), spelled_alike=True)


@pytest.mark.parametrize(("engine", "kind"), [marked(*each) for each in TEXTS])
def test_the_engine_itself_takes_these_for_equal(request, engine, kind):
    pairs = held(kind)
    rows = [(text, name) for name, pair in pairs.items() for text in pair]
    table = table_in(request, engine, {"x": kind, "name": kind}, rows)
    equal = {name for name in pairs if len(table.filter(table.name == name).group_by("x").agg().to_pyarrow()) == 1}
    assert equal == TEXTS[engine, kind] & set(pairs)


@pytest.mark.audit
@pytest.mark.parametrize("numbers", NUMBERS)
@pytest.mark.parametrize("engine", [marked(each) for each in dict.fromkeys(engine for engine, _ in TEXTS)])
def test_numbers_are_counted_as_python_counts_them(request, engine, numbers):
    kinds = {"large": "BIGINT", "floats": FLOATS.get(engine, "DOUBLE"), "decimals": "DECIMAL(30, 3)"}
    values = [each for each in NUMBERS[numbers] if engine not in WITHOUT_NAN or not missing(each) or each is None]
    if engine == "sqlite" and numbers == "decimals":
        values = [each and float(each) for each in values]  # it has no decimals
    text = {"mariadb": "VARCHAR(20)", "spark": "STRING"}.get(engine, "TEXT")
    check(request, engine, (kinds[numbers], text), values, lambda each: 0.0 if each == 0 else each, spelled_alike=False)


NAMES = ("x", "y", "unit")
ROWS = [(5, 1, 7), (5, 0, 7), (6, 1, 8), (6, 1, 8), (3, 0, 9), (3, 1, 9)]
ENDLESS = "z" * 10_001  # more bytes than are read
ODD = ("six", "", None, 1.5, math.inf, True, 2**62 + 1, b"\xff\x00", ENDLESS, "é" * 5_001)
DECLARED = (*("INTEGER", "REAL", "NUMERIC", "BOOL", "TEXT", "BLOB", "DATE", "DATETIME", "NUM", ""),)
IN_SQLITE = {  # how the records of t become the table v; the types of t are the empty text or INTEGER
    "view of expressions": ("INTEGER", "CREATE VIEW v AS SELECT x + 0 AS x, y + 0 AS y, unit + 0 AS unit FROM t"),
    "view of casts": ("INTEGER", "CREATE VIEW v AS SELECT CAST(x AS INTEGER) AS x, y, unit FROM t"),
    "view of a view": ("", "CREATE VIEW w AS SELECT * FROM t; CREATE VIEW v AS SELECT x, y, unit FROM w"),
    "table of a query": ("", "CREATE TABLE v AS SELECT x, y, unit FROM t"),
    "table of casts": (
        "",
        "CREATE TABLE v AS SELECT CAST(x AS INTEGER) AS x, CAST(y AS TEXT) AS y, CAST(unit AS REAL) AS unit FROM t",
    ),
    "strict": ("", "CREATE TABLE v (x ANY, y ANY, unit ANY) STRICT; INSERT INTO v SELECT * FROM t"),
    "without row numbers": (
        "",
        "CREATE TABLE v (i INTEGER PRIMARY KEY, x, y, unit) WITHOUT ROWID;"
        "INSERT INTO v (x, y, unit, i) SELECT *, row_number() OVER () FROM t",
    ),
    "union with floats": (
        "",
        "CREATE TABLE r (x REAL, y REAL, unit REAL); CREATE VIEW v AS SELECT * FROM r UNION ALL SELECT * FROM t",
    ),
    "union with texts": (
        "",
        "CREATE TABLE r (x TEXT, y TEXT, unit TEXT); CREATE VIEW v AS SELECT * FROM r UNION ALL SELECT * FROM t",
    ),
}
THROUGH_IBIS = {  # queries over a table without types; Ibis leaves out a cast to the type of the first record
    "itself": lambda engine: engine.table("t"),
    "cast": lambda engine: engine.table("t").mutate(x=each.x.cast("int64")),
    "filter": lambda engine: (
        engine.table("t").mutate(keep=each.x.cast("int64")).filter(each.keep.notnull()).drop("keep")
    ),
    "renamed": lambda engine: engine.table("t").rename(a="x").rename(x="a"),
    "join": lambda engine: engine.table("t").semi_join(engine.table("t").view(), "y"),
    "union": lambda engine: engine.table("t").union(engine.table("t").view()),
    "subquery": lambda engine: engine.table("t").filter(each.y.isin(engine.table("t").y)),
    "sql": lambda engine: engine.sql("SELECT x + 0 AS x, y, unit FROM t"),
    "sql of a table": lambda engine: engine.table("t").sql("SELECT x, y, unit FROM t"),
    "search": lambda engine: (
        engine.raw_sql("CREATE VIRTUAL TABLE temp.s USING fts5(x, y, unit)"),
        engine.raw_sql("INSERT INTO s SELECT * FROM t"),
        engine.table("s", database="temp"),
    )[-1],
    "temporary view": lambda engine: (
        engine.raw_sql("CREATE TEMP VIEW s AS SELECT * FROM t"),
        engine.table("s", database="temp"),
    )[-1],
}


def in_sqlite(request, rows, kind="", then="", name="t"):
    """The file in which the table t has these rows, in columns of this type."""
    file = request.getfixturevalue("tmp_path") / f"{uuid.uuid4().hex}.sqlite"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(f"CREATE TABLE t (x {kind}, y {kind}, unit {kind})")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.executescript(then)
    connection.close()
    table = open_table(file, name)
    request.addfinalizer(table.get_backend().disconnect)
    return table


def through_ibis(request, rows, query):
    return query(in_sqlite(request, rows).get_backend())


def attached(request, rows, kind, here):
    """A table of another file, whose types Ibis looks up in the table of the same name of this one."""
    other = in_sqlite(request, rows, kind).get_backend()
    engine = in_sqlite(request, [], here).get_backend()
    (file,) = other.raw_sql("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()
    engine.attach("aux", file)
    return engine.table("t", database="aux")


def as_text(value):
    return "" if value is None else value.decode("latin1") if isinstance(value, bytes) else str(value)


def in_texts(request, rows, engine, kind):
    """A table of texts in a server."""
    texts = [tuple(entry if entry is None else as_text(entry).replace("\0", "") for entry in row) for row in rows]
    return table_in(request, engine, dict.fromkeys(NAMES, kind), texts)


def in_documents(request, rows):
    """Entries of documents in PostgreSQL, each of which has a type of its own."""
    told = [tuple(json.dumps(as_text(v).replace("\0", "") if v in ODD else v) for v in row) for row in rows]
    return table_in(request, "debian", dict.fromkeys(NAMES, "jsonb"), told).mutate(unit=each.unit.cast("string"))


def in_file(request, rows, read):
    """A text file, as something reads it."""
    file = request.getfixturevalue("tmp_path") / f"{uuid.uuid4().hex}.csv"
    lines = [",".join(map(as_text, row)) for row in [NAMES, *rows]]
    file.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return read(str(file))


def in_json(request, rows, read):
    file = request.getfixturevalue("tmp_path") / f"{uuid.uuid4().hex}.ndjson"
    plain = [{name: as_text(v) if isinstance(v, bytes) else v for name, v in zip(NAMES, r, strict=True)} for r in rows]
    file.write_text("\n".join(map(json.dumps, plain)), encoding="utf-8")
    return read(str(file))


def in_folders(request, rows, read):
    """A folder of Parquet files, in which the names of folders tell the entries of a record."""
    folder = request.getfixturevalue("tmp_path") / uuid.uuid4().hex
    for i, row in enumerate(rows):
        told = ["__HIVE_DEFAULT_PARTITION__" if entry is None else entry for entry in row]
        place = folder.joinpath(*(f"{name}={entry}" for name, entry in zip(NAMES, told, strict=True)))
        place.mkdir(parents=True, exist_ok=True)
        pl.DataFrame({"i": [i]}).write_parquet(place / f"{i}.parquet")
    return read(str(folder))


def in_frame(request, rows, read):
    return read(pd.DataFrame(rows, columns=NAMES, dtype=object))


def view_of(read):
    """A view of DuckDB that takes no record from ``read``, but its types."""

    def view(file):
        engine = ibis.duckdb.connect()
        engine.raw_sql(
            f"CREATE VIEW v AS SELECT 5 AS x, 1 AS y, 7 AS unit UNION ALL SELECT * FROM {read(file)} WHERE false"
        )
        return engine.table("v")

    return view


def relation_of(frame):
    return duckdb.sql("SELECT * FROM frame")


HELD = {
    **{f"sqlite, {kind or 'no type'}": partial(in_sqlite, kind=kind) for kind in DECLARED},
    **{f"sqlite, {how}": partial(in_sqlite, kind=k, then=sql, name="v") for how, (k, sql) in IN_SQLITE.items()},
    **{f"ibis, {how}": partial(through_ibis, query=query) for how, query in THROUGH_IBIS.items()},
    "sqlite, attached": partial(attached, kind="INTEGER", here=""),
    "sqlite, attached without types": partial(attached, kind="", here="INTEGER"),
    "text": partial(in_file, read=open_table),
    "text, duckdb": partial(in_file, read=lambda file: duckdb.sql(f"SELECT * FROM '{file}'")),
    "text, duckdb reader": partial(in_file, read=duckdb.read_csv),
    "text, ibis": partial(in_file, read=lambda file: ibis.duckdb.connect().read_csv(file)),
    "text, view": partial(in_file, read=view_of(lambda file: f"read_csv('{file}', header = true)")),
    "text, polars": partial(in_file, read=pl.scan_csv),
    "json, duckdb": partial(in_json, read=lambda file: duckdb.sql(f"SELECT * FROM '{file}'")),
    "json, ibis": partial(in_json, read=lambda file: ibis.duckdb.connect().read_json(file)),
    "json, polars": partial(in_json, read=pl.scan_ndjson),
    "folders, duckdb": partial(in_folders, read=lambda path: duckdb.sql(f"SELECT * FROM '{path}/**/*.parquet'")),
    "folders, ibis": partial(in_folders, read=lambda path: ibis.duckdb.connect().read_parquet(f"{path}/**/*.parquet")),
    "folders, polars": partial(in_folders, read=pl.scan_parquet),
    "debian, text": partial(in_texts, engine="debian", kind="TEXT"),
    "debian, documents": in_documents,
    "mariadb, text": partial(in_texts, engine="mariadb", kind="TEXT CHARACTER SET utf8mb4"),
    "spark, text": partial(in_texts, engine="spark", kind="STRING"),
    "clickhouse, text": partial(in_texts, engine="clickhouse", kind="String"),
    "pandas": partial(in_frame, read=lambda frame: frame),
    "pandas, duckdb": partial(in_frame, read=relation_of),
    "pandas, ibis": partial(in_frame, read=ibis.memtable),
    "pandas, ibis query": partial(in_frame, read=lambda frame: ibis.memtable(frame).mutate(x=each.x.cast("string"))),
    "dict": partial(in_frame, read=lambda frame: {name: frame[name].tolist() for name in NAMES}),
    "array": partial(in_frame, read=lambda frame: {name: frame[name].to_numpy() for name in NAMES}),
    "polars objects": partial(
        in_frame,
        read=lambda frame: pl.DataFrame({n: pl.Series(n, frame[n].tolist(), dtype=pl.Object) for n in NAMES}),
    ),
}


TYPED_VIEWS = {"sqlite, view of casts", "sqlite, view of a view", "ibis, temporary view"}  # from SQLite 3.41 on
REFUSED = {  # ways in which a record would decide types: they are refused, whatever the records are
    *(f"sqlite, {how}" for how in ("no type", "view of expressions", "view of casts", "view of a view")),
    *(
        f"sqlite, {how}"
        for how in ("table of a query", "strict", "without row numbers", "attached", "attached without types", "NUM")
    ),
    *(f"ibis, {how}" for how in THROUGH_IBIS),
    *(f"text, {how}" for how in ("duckdb", "duckdb reader", "ibis", "view", "polars")),
    *("folders, duckdb", "folders, ibis", "folders, polars"),
    *("json, duckdb", "json, ibis", "json, polars", "pandas, duckdb", "pandas, ibis", "pandas, ibis query"),
} - (TYPED_VIEWS if sqlite3.sqlite_version_info >= (3, 41) else set())


UNREAD = {"sqlite, DATE", "sqlite, DATETIME"}  # whole numbers are missing there


def outcome(held, request, rows, unit=False):
    """The sample, as counts; or the refusal."""
    try:
        table = fetch_query(held(request, rows), NAMES, "y", "unit")
        if is_table(table):
            found = group_counts(table, ["x"], "y", Quota("unit", 9, "4f") if unit else None, "default")
            entries = Counter()
            for x, y, many in zip(*found.columns, found.labels, found.counts.tolist(), strict=True):
                entries[repr(canonical(x)), repr(canonical(y))] += many
            return entries
        clf = pp.PrivateClassifier(pp.Points(), feature="x", on_invalid="default", classes=(0, 1))
        sample = gathered(clf, table, "y", *(["unit", 9] if unit else []))
        return Counter(zip(map(repr, sample.points.tolist()), sample.labels.tolist(), strict=True))
    except (ValueError, TypeError) as error:
        return str(error)


def with_odd(odd, place, row):
    """The rows with one odd entry."""
    rows = list(ROWS)
    rows[row] = tuple(odd if j == place else entry for j, entry in enumerate(rows[row]))
    return rows


def in_server(held):
    """The way to hold a table, marked if it needs a server."""
    return pytest.param(held, marks=SLOW if held.partition(",")[0] in SERVERS else ())


@pytest.mark.parametrize("held", [in_server(each) for each in HELD if each not in REFUSED])
def test_neighbors_are_read_alike_but_for_one_record(request, held):
    """Whatever stands at one place, first or last, the samples differ in one record."""
    usual = outcome(HELD[held], request, ROWS)
    assert usual.total() >= len(ROWS) - 1 or held in UNREAD
    for i, odd in enumerate(ODD):
        found = outcome(HELD[held], request, with_odd(odd, i % 3 == 2, -(i % 2)))
        assert max((usual - found).total(), (found - usual).total()) <= 1, odd
    usual = outcome(HELD[held], request, ROWS, unit=True)
    for odd in ("six", ENDLESS):
        found = outcome(HELD[held], request, with_odd(odd, 2, 0), unit=True)
        assert max((usual - found).total(), (found - usual).total()) <= 1


@pytest.mark.parametrize("held", sorted(REFUSED))
def test_types_that_neighbors_would_decide_are_refused_whatever_they_are(request, held):
    tables = [ROWS, with_odd("six", 0, 0), with_odd(None, 0, 0), with_odd(1.5, 0, -1), with_odd("six", 1, 0), ROWS[:1]]
    told = {outcome(HELD[held], request, rows, unit=True).split(";")[0].partition("(")[0] for rows in tables}
    (refusal,) = told
    assert re.search("declares (no|the) type|from their records|holds Python objects|type that cannot be read", refusal)
