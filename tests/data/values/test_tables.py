"""Columns are picked from any table, without a conversion that could change a value."""

import math
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.domains.anything import Anything
from privpac.data.domains.grid import Grid, integer_rows
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.domains.named_columns import Columns, RowView, common
from privpac.data.values.tables import entries, pick, records, width

COLUMNS = {"delay": [2**53 + 1, 2], "day": [date(2026, 1, 1), date(2026, 1, 2)], "carrier": ["EV", None]}
FRAMES = [COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS), pa.table(COLUMNS)]


@pytest.mark.parametrize("table", FRAMES, ids=lambda table: type(table).__module__)
def test_frames_by_name_and_by_position(table):
    for name, position in (("delay", 0), ("day", 1)):
        assert pick(table, name).tolist() == pick(table, position).tolist() == COLUMNS[name]
    carrier, missing = pick(table, "carrier").tolist()
    assert carrier == "EV" and (missing is None or math.isnan(missing))


@pytest.mark.parametrize(
    "table",
    [
        pl.DataFrame({"x": [2**53 + 1, None]}),
        pa.table({"x": [2**53 + 1, None]}),
        pd.DataFrame({"x": pd.array([2**53 + 1, None], dtype="Int64")}),
    ],
)
def test_a_missing_value_makes_no_floats_of_its_neighbors(table):
    assert pick(table, "x").tolist()[0] == 2**53 + 1


def test_rows_by_position_and_by_name():
    assert pick([(1, "a"), [2, "b"], np.array([3, 4])], 0).tolist() == [1, 2, 3]
    assert pick([{"x": 1}, RowView(("x", "y"), (2, 3))], "x").tolist() == [1, 2]
    assert pick(np.array([[1, 2], [3, 4]]), 1).tolist() == [2, 4]
    assert pick([((1, 2),), ((3, 4),)], 0).tolist() == [(1, 2), (3, 4)]
    assert pick([], "x").tolist() == []


def test_a_column_of_a_frame_is_picked_without_splitting_the_others():
    class Wide(pd.DataFrame):
        def items(self):
            raise AssertionError("all columns are split")

    frame = Wide({f"c{i}": [i] for i in range(9)})
    assert (pick(frame, "c7").tolist(), pick(frame, 7).tolist(), width(frame)) == ([7], [7], 9)


@pytest.mark.parametrize("frame", [pd.DataFrame([[1, 2]], columns=["x", "x"]), pa.table([[1], [2]], names=["x", "x"])])
def test_columns_called_alike_are_told_apart_by_position(frame):
    assert pick(frame, 1).tolist() == [2]
    with pytest.raises(ValueError, match="by its position"):
        pick(frame, "x")


@pytest.mark.parametrize(
    ("table", "key"),
    [
        (COLUMNS, "x"),
        (pd.DataFrame(COLUMNS), 3),
        (pa.table(COLUMNS), "x"),
        (np.zeros((2, 2)), 2),
        (np.zeros((2, 2)), "x"),
        (np.zeros((2, 2)), -1),
        ([(1, 2)], 2),
        ([(1, 2)], "x"),
        ([(1, 2)], -1),
        ([{"x": 1}], "y"),
        ([(1, 2), (3,)], 1),
    ],
)
def test_columns_that_are_not_there_are_refused(table, key):
    with pytest.raises(ValueError, match="column"):
        pick(table, key)


@pytest.mark.parametrize("table", ["text", 7, None, [1, 2], ["ab"], np.zeros(2), np.zeros((1, 2, 3)), {1, 2}])
def test_what_is_no_table_is_refused(table):
    for ask in (lambda: pick(table, 0), lambda: entries(table)):
        with pytest.raises((TypeError, ValueError)):
            ask()


def test_entries():
    assert entries([(1, 2), [3, (4, 5)]]).tolist() == [[1, 2], [3, (4, 5)]]
    assert entries(pd.DataFrame({"a": [1], "b": [2]})).dtype == np.int64
    assert entries([]).shape == (0, 0)
    with pytest.raises(ValueError, match="differ in length"):
        entries([(1, 2), (1,)])
    with pytest.raises(ValueError, match="the same length"):
        entries({"a": [1, 2], "b": [1]})
    for rows in ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], [(1, 2), {"a": 3, "b": 4}]):
        with pytest.raises(TypeError, match="no order of columns"):
            entries(rows)


def test_entries_make_no_numbers_of_times():
    for times in ("M8[ns]", "m8[ns]"):
        with pytest.raises(TypeError, match="coordinates must be integers"):
            integer_rows({"a": np.array([1, 2], times), "b": [1, 2]}, 2)


@pytest.mark.parametrize(
    "table", [*FRAMES, [1, 2], [(1, 2, 3)] * 2, np.zeros((2, 3)), (v for v in "ab"), pa.array([1, 2])]
)
def test_records(table):
    assert records(table) == 2


def test_what_has_no_records():
    for table in ("ab", b"ab", {1, 2}, 7, np.ma.masked_array([1], mask=[True])):
        with pytest.raises(TypeError, match="values must be a list"):
            records(table)
    for table in ({}, {"a": [1], "b": []}):
        with pytest.raises(ValueError, match="the same length"):
            records(table)


def test_rows_are_values():
    row = RowView(("x", "y"), (1, "a"))
    assert row == RowView(("x", "y"), (1, "a")) != RowView(("x", "y"), (2, "a"))
    assert len({row, RowView(("x", "y"), (1, "a"))}) == 1
    assert dict(row) == {"x": 1, "y": "a"} and len(row) == 2 and str(row) == "x: 1, y: a"
    assert str(RowView(("\ud800",), ("\u202e",))) == r"'\ud800': '\u202e'"


def test_columns_list_all_their_rows():
    columns = Columns(("x", "y"), (Line(1, 3), Listing(("a", "b"))))
    rows = [columns.decode(i) for i in range(columns.size)]
    assert [row.cells for row in rows] == [(1, "a"), (1, "b"), (2, "a"), (2, "b"), (3, "a"), (3, "b")]
    assert columns.encode(rows).tolist() == rows
    assert [columns.decode(row) for row in columns.encode({"x": [2], "y": ["b"], "z": [0]})] == [rows[3]]
    assert Columns(("x",), (Anything(),)).size == math.inf


@pytest.mark.parametrize(
    "table", [{"x": [4], "y": ["a"]}, {"x": [1], "y": ["c"]}, {"x": [1]}, {"x": [1, 2], "y": ["a"]}]
)
def test_rows_outside_are_refused(table):
    with pytest.raises(ValueError, match="column"):
        Columns(("x", "y"), (Line(1, 3), Listing(("a", "b")))).rows(table)


def test_misfits_are_told_with_their_column():
    with pytest.raises(TypeError, match="column 'x': values must be"):
        Columns(("x",), (Line(1, 3),)).rows({"x": ["a"]})
    with pytest.raises(TypeError, match="column 'x': values must be integers, like low and high"):
        Columns(("x",), (Line(1, 3),)).rows({"x": [1.5]})
    with pytest.raises(ValueError, match="no value has this number"):
        Columns(("x",), (Line(1, 3),)).decode(3)


def test_common_domains():
    line, grid = Line(0, 9), Grid(0, 9, 2)
    assert common([line, Line(0, 9)]) == line
    assert common([Anything(), line]) == common([line, Anything()]) == line
    assert common([Listing(("a", "b")), Listing(("b", "a"))]) == Listing(("a", "b"))
    columns = common([Columns(("x",), (line,)), Columns(("y", "x"), (grid, Anything()))])
    assert columns == Columns(("x", "y"), (line, grid))
    assert common([Anything(3), Anything()]) == common([Anything(), Anything(3)]) == Anything(3)
    assert common([Anything(10), line]) == common([line, Anything(10)]) == line
    for different in (
        [Anything(3), Anything(5)],
        [Anything(3), line],
        [line, Anything(3)],
        [line, Line(0.0, 9.0)],
        [line, grid],
        [line, Columns(("x",), (line,))],
        [Columns(("x",), (line,)), Columns(("x",), (grid,))],
    ):
        with pytest.raises(ValueError):
            common(different)


@pytest.mark.parametrize("table", [{}, pd.DataFrame()], ids=["dict", "pandas"])
def test_a_table_without_columns_says_so(table):
    with pytest.raises(ValueError, match=r"no column 'age'; it has no columns$"):
        pick(table, "age")
