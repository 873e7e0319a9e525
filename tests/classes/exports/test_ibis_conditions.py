"""Conditions that an engine evaluates; tests/learners/test_model_tables.py compares them with Python's labels."""

import ibis
import pytest

from privpac.classes.exports.ibis_conditions import EngineTerms
from privpac.classes.exports.rule_conditions import condition
from privpac.classes.exports.sql import to_sql
from privpac.classes.tree_orders.paths import HasSuffix
from privpac.classes.vectors.boxes import Conjunction
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.classes.vectors.parities import Parity
from privpac.refusals.refusal import Refused

BITS = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]


def table():
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TABLE t (a TINYINT, b TINYINT, c TINYINT)")
    connection.con.executemany("INSERT INTO t VALUES (?, ?, ?)", BITS)
    return connection.table("t")


@pytest.mark.parametrize(
    "rule",
    [
        *(Parity(3, (0, 2)), Parity(3, (0, 1, 2), 0), Parity(3, ())),
        *(Conjunction(3, (0,), (2,)), Conjunction(3, (), ())),
        *(HalfSpace((3, -2, 1), 2), HalfSpace((0, 0, 0), 1), HalfSpace((0, 0, 0), 0)),
    ],
)
def test_rules_about_vectors(rule):
    held = table()
    terms = EngineTerms([held.a, held.b, held.c], (), "duckdb")
    found = held.select(*"abc", y=condition(rule, terms, ())).to_pyarrow().to_pylist()
    expected = dict(zip(BITS, rule(BITS).tolist(), strict=True))
    assert {(row["a"], row["b"], row["c"]): row["y"] for row in found} == expected
    sql = held.get_backend().con.execute(f"SELECT a, b, c, {to_sql(rule, ['a', 'b', 'c'])} FROM t").fetchall()
    assert {row[:3]: bool(row[3]) for row in sql} == expected


def test_what_an_integer_may_not_hold_is_refused():
    held = ibis.table({"a": "int64", "s": "string"})
    for rule in (HalfSpace((1,), 0), HalfSpace((1,), 2**70)):
        with pytest.raises(Refused, match="use predict"):
            condition(rule, EngineTerms([held.a], (), "duckdb"), ())
    with pytest.raises(Refused, match="use predict"):
        condition(HasSuffix("JB", None), EngineTerms([held.s], (), "duckdb"), ())
