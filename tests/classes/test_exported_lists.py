"""Rules on lists of codes and on paths, and NaN, as source code: DuckDB, SQLite, and Python give the rule's labels."""

import random
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pytest

from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.tree_orders.paths import HasPrefix, HasSuffix, OnPath
from privpac.classes.values.code_lists import Includes
from tests.classes.exports.test_sql_and_python import in_python
from tests.grid import over

LISTS = [
    "a",
    "a;b",
    " a ; b ",
    ";;a",
    "a;" + " " * 5000 + "b",
    "ab",
    "A",
    "a b",
    "a  b",
    "",
    ";",
    " ",
    None,
    "a\t;b",
    "\ta",
]
LISTS += [
    "it's",
    "x;it's;y",
    "é",
    "e\u0301",
    "%",
    "_;x",
    "\U0001f468",
    "a,b",
    ";" * 300 + "b",
    "b;;;;a",
    "NULL",
    "\\",
    "a;a;a",
]


def sides(values, expression):
    """The labels that DuckDB and SQLite give to a column x of text."""
    for made in (duckdb.connect(), sqlite3.connect(":memory:")):
        with closing(made) as connection:
            connection.execute("CREATE TABLE t (place INTEGER, x VARCHAR)")
            connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
            found = connection.execute(f"SELECT {expression} FROM t ORDER BY place").fetchall()
        yield [bool(label) for (label,) in found]


@pytest.mark.parametrize("codes", [["a"], ["b", "it's"], ["é"], ["%", "_"], ["a,b", "\U0001f468"], ["\\"], []])
def test_lists_of_codes_in_sql_and_python(codes):
    rule = Includes(frozenset(codes), ";")
    labels = rule(LISTS).tolist()
    assert any(labels) == bool(codes) and not all(labels)
    assert all(found == labels for found in sides(LISTS, rule.to_sql("x")))
    assert in_python(rule.to_python(), LISTS) == labels
    assert in_python(rule.to_python(), [float("nan")]) == [False]


@pytest.mark.slow
def test_random_lists_of_codes_in_sql_and_python():
    rng = random.Random(8)
    values = ["".join(rng.choice(" ab;,'") for _ in range(rng.randrange(9))) for _ in range(400)]
    for codes in (["a"], ["b", "'"], ["ab", "a,b"]):
        rule = Includes(frozenset(codes), ";")
        labels = rule(values).tolist()
        assert 0 < sum(labels) < 400
        assert all(found == labels for found in sides(values, rule.to_sql("x")))
        assert in_python(rule.to_python(), values) == labels
    with pytest.raises(ValueError, match="spaces inside"):
        Includes(frozenset(["a b"]), ";").to_sql("x")
    spaced = Includes(frozenset(["a b"]), ";")
    assert in_python(spaced.to_python(), LISTS) == spaced(LISTS).tolist()


@pytest.mark.slow
def test_paths_with_a_separator_in_sql_and_python():
    rng = random.Random(9)
    values = ["/usr//lib/x", "usr/lib", "/", "", None, "usr", "/var", "usr/libx", "/" * 300 + "usr" + "/" * 99 + "lib"]
    values += ["".join(rng.choice(["/", "usr", "lib", "x", " "]) for _ in range(rng.randrange(7))) for _ in range(200)]
    rules = [kind(node, "/") for kind in (HasPrefix, HasSuffix, OnPath) for node in (("usr", "lib"), ())]
    for rule in rules:
        assert in_python(rule.to_python(), values) == rule(values).tolist()
        assert in_python(rule.to_python(), [float("nan")]) == [False]
        assert all(found == rule(values).tolist() for found in sides(values, rule.to_sql("x")))
    with pytest.raises(ValueError, match="no SQL form"):
        HasPrefix(("usr",), "::").to_sql("path")


ENDS = [
    "",
    "B",
    "J",
    "JB",
    "N1JB",
    "jb",
    "JB ",
    "JBJB",
    None,
    "e\u0301",
    "é",
    "\u0301",
    "xé",
    "'",
    "it's",
    "\U0001f468",
]
ENDS += ["\U0001f468\u200d\U0001f469", "\u200d\U0001f469", "%JB", "_", "J_", "\ufeffJB", "ß", "SS", "JB\n", "10", "0"]


@pytest.mark.slow
@over("end", [*(each for each in ENDS if each is not None), "s", "a\u0301", "\u0301e"])
def test_ends_of_texts_in_sql_and_python(end):
    rule = HasSuffix(end, None)
    labels = [each is not None and each.endswith(end) for each in ENDS]
    assert rule(ENDS).tolist() == labels
    assert in_python(rule.to_python(), ENDS) == labels
    assert in_python(rule.to_python(), [float("nan")]) == [False]
    assert all(found == labels for found in sides(ENDS, rule.to_sql("x")))


@pytest.mark.parametrize("cut", [0.5, 0.0, -1.5, 5e-324])
def test_nan_in_sql_is_missing(cut):
    values = [float("nan"), None, 0.0, -0.0, 0.5, 7.0, -1.5, -2.0, float("inf"), float("-inf"), 5e-324]
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t (place INTEGER, x DOUBLE)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    for rule in (Threshold(cut), Threshold(cut, above=False), Interval(cut, 7.0)):
        found = connection.execute(f"SELECT {rule.to_sql('x')} FROM t ORDER BY place").fetchall()
        assert [bool(label) for (label,) in found] == rule(np.array(values, dtype=object)).tolist()
