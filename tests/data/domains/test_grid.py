"""Integer vectors are read exactly, and numbered in lexicographic order."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.domains.grid import Grid, integer_rows

VECTORS = [[1, 2], [3, -4]]


@pytest.mark.parametrize(
    "table",
    [
        VECTORS,
        [(1, 2), (3, -4)],
        np.array(VECTORS, dtype=np.int8),
        [np.array([1, 2]), np.array([3, -4])],
        pd.DataFrame({"a": [1, 3], "b": [2, -4]}),
        pd.DataFrame({"a": np.array([1, 3], dtype=np.uint64), "b": [2, -4]}),
        pd.DataFrame({"a": [1, 3], "b": [2, -4]}, dtype="Int64"),
        pl.DataFrame({"a": [1, 3], "b": [2, -4]}),
        pa.table({"a": [1, 3], "b": [2, -4]}),
        {"a": [1, 3], "b": np.array([2, -4])},
        np.fromiter([(1, 2), (3, -4)], dtype=object),
    ],
)
def test_every_table_is_read(table):
    assert integer_rows(table, 2).tolist() == VECTORS
    assert integer_rows(table, 2).dtype == np.int64


def test_wide_integers_stay_exact():
    assert integer_rows([(2**53 + 1, 2**64)], 2).tolist() == [[2**53 + 1, 2**64]]
    assert integer_rows(np.array([[2**64 - 1]], dtype=np.uint64), 1).tolist() == [[2**64 - 1]]
    columns = {"a": np.array([2**63], dtype=np.uint64), "b": np.array([2**62 + 1])}
    assert integer_rows(columns, 2).tolist() == [[2**63, 2**62 + 1]]


def test_booleans_are_bits_and_nothing_is_nothing():
    assert integer_rows(np.array([[True, False]]), 2).tolist() == [[1, 0]]
    assert integer_rows([(True, np.bool_(False))], 2).tolist() == [[1, 0]]
    assert integer_rows([], 3).shape == (0, 3)


@pytest.mark.parametrize("table", [np.array([[1.0, 2**53 - 1]]), [(1.0, float(2**53 - 1))]])
def test_whole_floats_are_integers(table):
    assert integer_rows(table, 2).tolist() == [[1, 2**53 - 1]]


@pytest.mark.parametrize(
    "table",
    [
        [(1.0, 987654321.5)],
        [(1, None)],
        [(1, float("nan"))],
        [("1", "2")],
        np.array([[1.0, 2.5]]),
        np.array([[1.0, np.nan]]),
        np.array([[1.0, np.inf]]),
        np.array([[1.0, 2.0**53]]),
        [(1, 2.0**53)],
        np.array([["a", "b"]]),
        np.array([["2026-01-01", "2026-01-02"]], dtype="datetime64[D]"),
        pd.DataFrame({"a": [1, None], "b": [1, 2]}),
        pd.DataFrame({"a": [1, None], "b": [1, 2]}, dtype="Int64"),
        pl.DataFrame({"a": [1, None], "b": [1, 2]}),
        pa.table({"a": [1, None], "b": [1, 2]}),
        [(1, 2, 3)],
        [(1, 2), (1, 2, 3)],
        [1, 2],
        np.array([1, 2]),
        "12",
        7,
        None,
        np.ma.masked_array([[1, 2]], mask=[[True, False]]),
        {"a": [1, 2], "b": [1]},
        {},
    ],
)
def test_what_is_no_table_of_integers_is_refused(table):
    with pytest.raises((TypeError, ValueError)) as caught:
        integer_rows(table, 2)
    assert "987654321" not in str(caught.value)


def test_a_signalling_nan_is_refused_like_any_other_nan():
    signalling = np.array([[0x7FF0000000000001]], dtype=np.uint64).view(np.float64)
    for missing in (signalling, np.array([[np.nan]]), np.array([[np.nan]], dtype=np.float16)):
        with pytest.raises(TypeError, match="coordinates must be integers, with none missing"):
            integer_rows(missing, 1)


@pytest.mark.parametrize(("low", "high", "dim"), [(0, 2, 2), (-3, -1, 3), (5, 5, 2), (0, 1, 4)])
def test_numbers_are_lexicographic(low, high, dim):
    grid = Grid(low, high, dim)
    vectors = list(product(range(low, high + 1), repeat=dim))
    assert grid.size == len(vectors)
    assert [grid.decode(i) for i in range(grid.size)] == vectors
    assert grid.encode(vectors).tolist() == list(range(grid.size))


def test_large_grids_have_large_numbers():
    grid = Grid(0, 2**40, 3)
    vector = (2**40, 0, 17)
    assert grid.decode(grid.encode([vector])[0]) == vector
    assert Grid(-(2**63) - 5, -(2**63), 1).encode([(-(2**63),), (-(2**63) - 5,)]).tolist() == [5, 0]
    assert Grid(-(2**63), -1, 1).encode([(-1,), (-(2**63),)]).tolist() == [2**63 - 1, 0]
    assert Grid(-(2**63) - 5, 2, 1).encode([(2,)]).tolist() == [2**63 + 7]
    assert Grid(-(2**70), 2**70, 1).encode([(-(2**70),), (2**70,)]).tolist() == [0, 2**71]


@pytest.mark.parametrize("table", [[(0, 3)], [(-1, 0)], [(2**80, 0)]])
def test_points_off_the_grid_are_refused(table):
    with pytest.raises(ValueError, match="off the grid"):
        Grid(0, 2, 2).encode(table)


@pytest.mark.parametrize("bounds", [(1, 0, 2), (0, 1, 0), (0.0, 1, 1), (0, 1, True), ("a", "b", 1)])
def test_what_is_no_grid_is_refused(bounds):
    with pytest.raises((TypeError, ValueError)):
        Grid(*bounds)


def test_empty_rows_are_rows():
    with pytest.raises(ValueError, match="give one column for each coordinate"):
        integer_rows([(), ()], 1)
    assert integer_rows([], 1).shape == (0, 1)


def test_grids_beyond_all_machine_integers():
    grid = Grid(2**64, 2**64 + 1, 1)
    assert grid.encode([]).tolist() == []
    assert grid.encode([(2**64 + 1,)]).tolist() == [1]


@pytest.mark.parametrize("number", [-1, 4])
def test_only_numbers_of_vectors_are_decoded(number):
    with pytest.raises(ValueError, match="no value has this number"):
        Grid(0, 1, 2).decode(number)
