"""Columns as domains read them, inside an engine; tests/learners/test_model_tables.py compares their labels."""

import pytest

from privpac.data.counting.engine_values import engine_values, is_among
from privpac.data.domains.anything import Anything, Numbers
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.refusals.refusal import Refused
from tests.data.tables_in import duckdb_table

WHOLE = duckdb_table("SELECT UNNEST([-1, 0, 9, 10, NULL]) AS x")


def read(domain, rule):
    values, fits = engine_values(domain, WHOLE.x, "duckdb", rule)
    found = WHOLE.select(value=values, fits=fits).to_pyarrow().to_pylist()
    return [(row["value"], row["fits"]) for row in found]


def test_the_public_rule_decides():
    assert [value for value, _ in read(Line(0, 9), "raise")] == [-1, 0, 9, 10, None]
    assert [fits for _, fits in read(Line(0, 9), "default")] == [False, True, True, False, False]
    assert read(Line(0, 9), "clamp") == [(0, True), (0, True), (9, True), (9, True), (None, False)]
    assert [fits for _, fits in read(Listing((0, 9)), "clamp")] == [False, True, True, False, False]
    assert [fits for _, fits in read(Anything(), "default")] == [True, True, True, True, False]


def test_values_that_the_type_cannot_hold_equal_nothing():
    found = WHOLE.select(y=is_among(WHOLE.x, [9, "9", 2**70, None], "duckdb")).to_pyarrow()["y"].to_pylist()
    assert found == [False, False, True, False, False]


@pytest.mark.parametrize(
    ("domain", "sql"),
    [
        (Line(0, 9), "SELECT '7' AS x"),
        (Line(0, 9), "SELECT 7.0::DOUBLE AS x"),
        (Line(0, 2**70), "SELECT 7 AS x"),
        (Line(0, 9), "SELECT 7::UBIGINT AS x"),
        (Line("A", "Z"), "SELECT 'A' AS x"),
        (Line(0.0, 1.0), "SELECT 7::BIGINT AS x"),
        (Listing((1, 2)), "SELECT '1' AS x"),
        (Listing(("1", "2")), "SELECT '1' AS x"),
        (Numbers(9), "SELECT '1' AS x"),
        (Anything(), "SELECT 1.5::DOUBLE AS x"),
    ],
)
def test_columns_that_python_reads_otherwise_are_refused(domain, sql):
    table = duckdb_table(sql)
    with pytest.raises(Refused, match="use predict"):
        engine_values(domain, table.x, "duckdb", "clamp")


def test_texts_that_no_literal_holds_are_refused():
    table = duckdb_table("SELECT 'a' AS x")
    for text in ("a\0", "\ud800"):
        with pytest.raises(Refused, match="use predict"):
            is_among(table.x, [text], "duckdb")
