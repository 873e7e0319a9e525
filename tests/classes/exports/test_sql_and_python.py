"""Rules as source code: SQL run by DuckDB and Python run by exec give every record the label that the rule gives it."""

import ast
import random
import sqlite3
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID

import duckdb
import numpy as np
import psycopg
import pytest

from privpac.classes.compositions.rules import ColumnRule, Composed
from privpac.classes.decision_trees.rules import Split
from privpac.classes.exports.language import exact_cut, literal_kind
from privpac.classes.exports.python import as_python, to_python
from privpac.classes.exports.sql import literal, quoted, to_sql
from privpac.classes.finite.boolean_functions import gate
from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Constant
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.tree_orders.spider import GroupFrom
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow
from privpac.classes.values.points import OneOf

HOSTILE = ["", "'", "''", '"', "a'); DROP TABLE t; --", "%", "_", "J%", "\\", "\\'", "\n", "\r\n", "\t", "é", "e\u0301"]
HOSTILE += [
    "\U0001f468\u200d\U0001f469",
    "J1",
    "J10",
    "J101",
    "j10",
    "{x}",
    "{{",
    "\x00",
    "J\x00",
    "ß",
    "Å",
    "Å",
    " ",
    " J",
]
HOSTILE += [
    " AND ",
    " or ",
    "NULL",
    "\u202e",
    "\ufeff",
    "\uffff",
    "\U0010ffff",
    "$1",
    "?",
    ":x",
    "/*",
    "--",
    "rec['a']",
]
COLUMNS = {
    'a "quoted" age': ("INTEGER", [*range(-3, 9)]),
    "rate": (
        "DOUBLE",
        [0.0, 0.1, 0.5, -0.0, 1e-300, 1e300, float("inf"), float("-inf"), 0.1 + 0.2, 5e-324, 0.21137149425052826],
    ),
    "price": ("DECIMAL(18, 2)", [Decimal("0.10"), Decimal("0.30"), Decimal("-5.25"), Decimal("99.99"), Decimal(7)]),
    "day": ("DATE", [date(2026, 1, 31), date(2026, 2, 1), date(1, 1, 1), date(9999, 12, 31), date(1999, 12, 31)]),
    "time": ("TIMESTAMP", [datetime(2026, 1, 31, 8, 30), datetime(2026, 1, 31), datetime(2026, 2, 1, 0, 0, 0, 1)]),
    "it's; text\n": ("VARCHAR", HOSTILE),
    "huge": ("HUGEINT", [2**63, 2**64 - 1, -(2**100), 2**53 + 1, 2**53]),
}
NAMES = list(COLUMNS)


def quote(name):
    return '"' + name.replace('"', '""') + '"'


@pytest.fixture(scope="module")
def table():
    """Random rows with NULLs, in DuckDB and as records."""
    rng = random.Random(1)
    pick = lambda values: None if rng.random() < 0.15 else rng.choice(values)  # noqa: E731
    records = [{name: pick(values) for name, (_, values) in COLUMNS.items()} for _ in range(250)]
    connection = duckdb.connect()
    kinds = ", ".join(f"{quote(name)} {kind}" for name, (kind, _) in COLUMNS.items())
    connection.execute(f"CREATE TABLE t (place INTEGER, {kinds})")
    marks = ", ".join("?" * (len(COLUMNS) + 1))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", [[i, *r.values()] for i, r in enumerate(records)])
    return connection, records


@pytest.fixture(scope="module")
def sqlite(table):
    """The same rows in SQLite, which has no days, decimals, or collation "C", without what it cannot hold."""
    records = [{**r, "huge": None} for r in table[1] if "\0" not in (r["it's; text\n"] or "")]
    kept = {Decimal: float, date: str, datetime: str}
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_collation("C", lambda a, b: (a > b) - (a < b))
        kinds = ", ".join(f"{quote(name)} {kind}" for name, (kind, _) in COLUMNS.items())
        connection.execute(f"CREATE TABLE t (place INTEGER, {kinds})")
        rows = [[i, *(kept.get(type(each), lambda x: x)(each) for each in r.values())] for i, r in enumerate(records)]
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * (len(COLUMNS) + 1))})", rows)
        yield connection, records


def in_sql(table, expression):
    return [label for (label,) in table[0].execute(f"SELECT {expression} FROM t ORDER BY place").fetchall()]


def in_python(source, values):
    """The function, run with no names but Python's own."""
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(source)))
    assert source.isascii()
    found = {}
    exec(source, found)
    return [found["rule"](value) for value in values]


def any_test(rng, name):
    kind, values = COLUMNS[name]
    cut = lambda: rng.choice([value for value in values if value not in (float("inf"), float("-inf"))])  # noqa: E731
    makers = [lambda: Threshold(cut()), lambda: Threshold(cut(), above=False)]
    makers += [lambda: OneOf(frozenset(cut() for _ in range(rng.choice((1, 2, 3)))))] if kind[:3] != "DEC" else []
    if kind == "VARCHAR":
        makers += [lambda: HasPrefix(cut(), None), lambda: OnPath(cut(), None), lambda: AtOrAbove((cut(), "J1"))]
        makers += [lambda: HasSuffix(cut()[-rng.choice((1, 2, 9)) :], None)]
        makers += [lambda: AtOrBelow(cut(), frozenset(["J1", "'"]))]
    else:
        makers += [lambda: Interval(*sorted((cut(), cut())))]
    return rng.choice(makers)()


def any_rule(rng, depth):
    if depth == 0:
        name = rng.choice(NAMES)
        return ColumnRule(any_test(rng, name), name)
    if rng.random() < 0.5:
        return any_tree(rng, 3)
    arity = rng.choice((1, 2, 3))
    names = ["not"] if arity == 1 else ["and", "or", "xor", "majority", None]
    G = rng.choice(names)
    made = gate(G if G else tuple(rng.random() < 0.5 for _ in range(2**arity)), arity)
    return Composed(made.name, made.table, tuple(any_rule(rng, depth - 1) for _ in range(arity)))


def any_tree(rng, depth):
    if depth == 0 or rng.random() < 0.15:
        return Constant(rng.random() < 0.5)
    return Split(any_rule(rng, 0), any_tree(rng, depth - 1), any_tree(rng, depth - 1))


@pytest.mark.slow
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_sql_and_python_agree_with_the_rule(table, depth):
    rng, both = random.Random(depth), 0
    for _ in range(80):
        rule = any_rule(rng, depth)
        labels = rule(table[1]).tolist()
        assert in_sql(table, to_sql(rule)) == labels, str(rule)
        assert in_python(rule.to_python(), table[1]) == labels, str(rule)
        both += 0 < sum(labels) < len(labels)
    assert both > 40


@pytest.mark.slow
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_sqlite_agrees_with_the_rule(sqlite, depth):
    rng, both = random.Random(depth), 0
    for _ in range(120):
        rule = any_rule(rng, depth)
        if "huge" in (sql := to_sql(rule)) or "CHR(0)" in sql:
            continue
        labels = rule(sqlite[1]).tolist()
        assert in_sql(sqlite, sql) == labels, str(rule)
        both += 0 < sum(labels) < len(labels)
    assert both > 20


@pytest.mark.slow
def test_postgresql_agrees_with_the_rule(postgres, table):
    rng, records = random.Random(5), [r for r in table[1] if "\0" not in (r["it's; text\n"] or "")]
    there = {"DOUBLE": "DOUBLE PRECISION", "HUGEINT": "NUMERIC"}
    kinds = ", ".join(f"{quote(name)} {there.get(kind, kind)}" for name, (kind, _) in COLUMNS.items())
    with psycopg.connect(postgres(), autocommit=True) as connection:
        connection.execute(f"CREATE TABLE t (place INTEGER, {kinds})")
        marks = ", ".join(["%s"] * (len(COLUMNS) + 1))
        rows = [[i, *r.values()] for i, r in enumerate(records)]
        connection.cursor().executemany(f"INSERT INTO t VALUES ({marks})", rows)
        for _ in range(120):
            rule = any_rule(rng, 1)
            if "CHR(0)" not in (sql := to_sql(rule)):
                assert in_sql((connection,), sql) == rule(records).tolist(), str(rule)


def labels_of_truth(connection, sql):
    connection.execute("CREATE TABLE truth (smokes BOOLEAN, sex INTEGER)")
    connection.execute("INSERT INTO truth VALUES (TRUE, 1), (FALSE, 0), (NULL, NULL)")
    return [label for (label,) in connection.execute(f"SELECT {sql} FROM truth ORDER BY smokes").fetchall()]


def test_truth_values_are_numbers_to_a_rule(postgres):
    parts = tuple(ColumnRule(OneOf(frozenset([True])), name) for name in ("smokes", "sex"))
    rule = Composed("and", gate("and", 2).table, parts)
    with closing(sqlite3.connect(":memory:")) as light, psycopg.connect(postgres(), autocommit=True) as server:
        for connection in (light, server, duckdb.connect()):
            assert sorted(labels_of_truth(connection, to_sql(rule))) == [0, 0, 1]


def test_times_with_zeros_after_the_second():
    """Some programs write them to SQLite."""
    spelled = ["2026-01-31 08:29:59.999999", "2026-01-31 08:30:00", "2026-01-31 08:30:00.000000", "2026-01-31 08:30:01"]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (place INTEGER, time TIMESTAMP)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(spelled)))
        cut = datetime(2026, 1, 31, 8, 30)
        for rule in (Interval(cut, cut), Threshold(cut), Threshold(cut, above=False), OneOf(frozenset([cut]))):
            labels = rule([datetime.fromisoformat(each) for each in spelled]).tolist()
            assert in_sql((connection,), rule.to_sql("time")) == labels, str(rule)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_bare_rules_take_the_name_of_their_column(table, name):
    rng = random.Random(name)
    for _ in range(30):
        rule = any_test(rng, name)
        values = [record[name] for record in table[1]]
        labels = rule(values).tolist()
        assert in_sql(table, rule.to_sql(name)) == labels, str(rule)
        assert in_python(rule.to_python(), values) == labels, str(rule)


def test_days_of_times(table):
    for rule in (
        Interval(date(2026, 1, 30), date(2026, 1, 31)),
        Threshold(date(2026, 2, 1)),
        Interval(date.min, date.max),
    ):
        values = [record["time"] for record in table[1]]
        assert in_sql(table, rule.to_sql("time")) == rule(values).tolist()
        assert in_python(rule.to_python(), values) == rule(values).tolist()


def test_missing_numbers_in_python():
    values = [float("nan"), None, 3.5, Decimal("0.1"), 0.1, float("inf"), -float("inf"), 2**70]
    for rule in (
        Threshold(Decimal("0.1")),
        Threshold(Decimal("0.1"), above=False),
        Interval(Decimal("0.1"), Decimal("9.0")),
    ):
        assert in_python(rule.to_python(), values) == rule(np.array(values, dtype=object)).tolist()


def test_columns_by_position():
    rule = Split(
        ColumnRule(Threshold(3), 0),
        Split(ColumnRule(OneOf(frozenset("a")), 1), Constant(True), Constant(False)),
        Constant(False),
    )
    assert rule.to_sql("age", 'j"ob') == """CASE WHEN "age" >= 3 AND "j""ob" = 'a' THEN 1 ELSE 0 END"""
    assert in_python(rule.to_python(), [(3, "a"), (2, "a"), (None, "a")]) == [True, False, False]
    with pytest.raises(ValueError, match="name the columns"):
        rule.to_sql("age")
    with pytest.raises(ValueError, match="name the column that"):
        Threshold(3).to_sql()


@pytest.mark.parametrize(
    ("tree", "sql"),
    [
        (Constant(True), "1"),
        (Listed(("a", "b"), (True, False)), "CASE WHEN \"x\" = 'a' THEN 1 ELSE 0 END"),
        (OneOf(frozenset([2, 1])), 'CASE WHEN "x" IN (1, 2) THEN 1 ELSE 0 END'),
        (OneOf(frozenset()), "CASE WHEN FALSE THEN 1 ELSE 0 END"),
        (Threshold("J"), 'CASE WHEN "x" COLLATE "C" >= \'J\' THEN 1 ELSE 0 END'),
        (
            Split(Threshold(5), Constant(False), Split(OneOf(frozenset([3])), Constant(True), Constant(False))),
            'CASE WHEN "x" >= 5 THEN 0 WHEN "x" = 3 THEN 1 ELSE 0 END',
        ),
        (
            Split(OneOf(frozenset([9])), Constant(True), Split(OneOf(frozenset([3])), Constant(True), Constant(False))),
            'CASE WHEN "x" = 9 OR "x" = 3 THEN 1 ELSE 0 END',
        ),
    ],
)
def test_short_sql(tree, sql):
    assert tree.to_sql("x") == sql


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        (GroupFrom("EV", 3), "GroupFrom has no form"),
        (OneOf(frozenset([UUID(int=3)])), "UUID"),
        (OneOf(frozenset([("a", 1)])), "tuple"),
        (Threshold(np.datetime64("2026-01-31T08", "ns")), "unit"),
        (Composed("G", (True,) * 127 + (False,), (Threshold(3),) * 7), "more than 6 parts"),
    ],
)
def test_rules_without_a_form_are_refused(rule, why):
    for export in (lambda: rule.to_sql("x"), rule.to_python):
        with pytest.raises(ValueError, match=why):
            export()


def test_values_without_a_form_are_refused():
    with pytest.raises(ValueError, match="different types"):
        OneOf(frozenset(["a", 1])).to_sql("x")
    assert in_python(
        OneOf(frozenset(["a", 1, date(2026, 1, 1)])).to_python(), ["a", True, datetime(2026, 1, 1), 2]
    ) == [True, True, True, False]
    with pytest.raises(ValueError, match="not valid Unicode"):
        Threshold("J\ud800").to_sql("x")
    for name in ("a\0", "\udfff"):
        with pytest.raises(ValueError, match="cannot exist in SQL"):
            Threshold(3).to_sql(name)
    with pytest.raises(ValueError, match="needs an import"):
        OneOf(frozenset([Decimal("0.1")])).to_python()
    with pytest.raises(ValueError, match="no SQL literal"):
        OneOf(frozenset([float("inf")])).to_sql("x")


def test_literals():
    assert literal(True) == "TRUE" and literal(1e22) == "1e+22" and literal(Decimal("1E+3")) == "1000"
    assert quoted("'") == "''''" and as_python(float("inf")) == 'float("inf")'
    assert exact_cut(np.datetime64("2026-01-31T08:30", "us")) == datetime(2026, 1, 31, 8, 30)
    assert literal_kind(date(2026, 1, 31)) == "time"


def test_labels_and_needed_columns():
    rule = ColumnRule(Threshold(3), "age")
    assert to_sql(Constant(True), (), ("'no'", "'yes'"), ["age"]) == (
        """CASE WHEN "age" IS NULL THEN 'no' ELSE 'yes' END"""
    )
    source = to_python(rule, ("'no'", "'yes'"), ["age"])
    assert in_python(source, [{"age": 3}, {"age": None}, {"age": float("nan")}]) == ["yes", "no", "no"]
    assert in_python(to_python(Constant(True), needed=[None]), [3, None]) == [True, False]
