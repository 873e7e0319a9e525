"""Columns are read without a conversion that could change a value."""

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.values.columns import cells, column, number_below, parts, totals


def test_arrays_stay_as_they_are():
    values = np.array([1, 2], dtype=np.uint8)
    assert column(values, "values") is values


def test_one_missing_value_makes_no_floats_of_its_neighbors():
    assert column([2**53 + 1, None], "values").tolist() == [2**53 + 1, None]
    assert column(pd.Series([2**53 + 1, None], dtype="Int64"), "values").tolist()[0] == 2**53 + 1


@pytest.mark.parametrize("library", ["pyarrow", "polars", "pandas"])
def test_a_time_that_python_cannot_hold_is_missing_and_stops_no_other(library):
    days = pa.array([18_300, 10_000_000, 18_301], pa.int32()).view(pa.date32())
    named = {
        "pyarrow": days,
        "polars": pl.Series([18_300, 10_000_000, 18_301], dtype=pl.Int32).cast(pl.Date),
        "pandas": pd.Series(pd.arrays.ArrowExtensionArray(days), index=[2, 0, 1]),
    }
    assert cells(named[library], "values").tolist() == [date(2020, 2, 8), None, date(2020, 2, 9)]


def test_a_date_of_polars_that_nobody_can_hold_stops_no_other():
    days = pl.Series([18_300, 2**31 - 1, None, -(2**31)], dtype=pl.Int32).cast(pl.Date)
    assert cells(days, "values").tolist() == [date(2020, 2, 8), None, None, None]


def test_text_that_is_none_is_missing_and_stops_no_other():
    texts = pa.array([b"a", b"\xff", b"b"]).view(pa.string())
    assert cells(texts, "values").tolist() == ["a", None, "b"]


@pytest.mark.parametrize(
    "values",
    ["text", b"text", {1: 2}, {1, 2}, 3, np.ma.masked_array([1], mask=[True]), pd.DataFrame({"a": [1], "b": [2]})],
)
def test_what_is_no_column_is_refused(values):
    with pytest.raises(TypeError, match="values must be a list"):
        column(values, "values")


def test_one_value_alone_is_no_column():
    for read in (column, cells):
        with pytest.raises(ValueError, match="values must be one-dimensional"):
            read(np.array(5), "values")


def test_cells_may_be_tuples():
    assert column([(1, 2), (3, 4)], "values").tolist() == [(1, 2), (3, 4)]


def test_pyarrow_and_nanoseconds_of_polars():
    assert column(pa.chunked_array([[1], [None]]), "values").tolist() == [1, None]
    times = column(pl.Series([3, None]).cast(pl.Datetime("ns")), "values")
    assert times.tolist() == [3, None] and times.dtype == "M8[ns]"


@pytest.mark.parametrize(
    "table", [pd.DataFrame([[1, 2]], columns=["x", "x"]), pa.table([[1], [2]], names=["x", "x"]), {"x": [1]}]
)
def test_parts(table):
    assert [(name, list(column(values, "x"))) for name, values in parts(table)] == [("x", [1]), ("x", [2])][
        : len(parts(table))
    ]


def test_numbers_of_values():
    assert number_below(np.uint64(2), 3) == 2
    for number in (-1, 3):
        with pytest.raises(ValueError, match="no value has this number"):
            number_below(number, 3)


def test_tables_are_refused():
    with pytest.raises(ValueError, match="one-dimensional"):
        column(np.zeros((2, 2)), "values")
    with pytest.raises(ValueError, match="one-dimensional"):
        column([[1, 2], [3, 4]], "values")


def test_totals_are_exact_beyond_what_floats_hold():
    assert totals(np.array([1, 0, 1]), np.array([2**60, 5, 1]), 3).tolist() == [5, 2**60 + 1, 0]
    assert totals(np.array([], dtype=np.int64), np.array([], dtype=np.int64), 0).tolist() == []
