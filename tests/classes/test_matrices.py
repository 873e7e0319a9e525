"""Matrices are read strictly, and refusals say what is wrong."""

import numpy as np
import pandas as pd
import pytest

from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.matrices import (
    as_label,
    boolean,
    check_matrix_size,
    distinct_rows,
    names_of,
    packed_columns,
    read_frame,
    without_clashes,
)
from tests.grid import over


@pytest.mark.parametrize(
    ("matrix", "error", "match"),
    [
        ([], ValueError, "at least one point"),
        ([[]], ValueError, "at least one point"),
        (np.zeros((3, 0)), ValueError, "at least one point"),
        (np.zeros(3), ValueError, "at least one point"),
        (np.zeros((2, 2, 2)), ValueError, "two dimensions"),
        ([[0, 1], [1]], ValueError, "differ in length"),
        ([[0, 2]], ValueError, "0 and 1"),
        ([[0, None]], ValueError, "0 and 1"),
        ([[0, float("nan")]], ValueError, "0 and 1"),
        ([["0", "1"]], ValueError, "0 and 1"),
        (np.array([["0", "1"]]), ValueError, "0 and 1"),
        (np.array([[0.5, 1]]), ValueError, "0 and 1"),
        (pd.DataFrame({"a": [True, None]}, dtype="boolean"), ValueError, "0 and 1"),
        ([[0, [1]]], ValueError, "0 and 1"),
        (["01", "11"], TypeError, "row of labels"),
        ([0, 1], TypeError, "row of labels"),
        ("01", TypeError, "matrix"),
        (None, TypeError, "matrix"),
        (7, TypeError, "matrix"),
        ({"a": [0, 1]}, TypeError, "matrix"),
    ],
)
def test_what_is_no_matrix_is_refused(matrix, error, match):
    with pytest.raises(error, match=match):
        ExplicitClass(matrix)


def test_what_is_read_is_a_copy():
    original = np.zeros((2, 2), dtype=bool)
    boolean(original)[0, 0] = True
    assert not original.any()


@pytest.mark.parametrize("y", [2, -1, 0.5, 1.0, "1", None, [1]])
def test_what_is_no_label_is_refused(y):
    with pytest.raises(ValueError, match="0 and 1"):
        as_label(y)


def test_labels():
    assert [as_label(y) for y in (0, 1, True, np.False_, np.int8(1))] == [False, True, True, False, True]


def test_frames_with_a_named_index():
    matrix, points, concepts = read_frame(pd.DataFrame([[0, 1]], columns=["a", "b"], index=["c"]))
    assert (matrix.tolist(), points, concepts) == ([[0, 1]], ["a", "b"], ["c"])


def test_names_are_counted():
    with pytest.raises(ValueError, match="3 points need 3 names"):
        names_of("ab", 3, "points")


def test_rows_beyond_one_byte_are_told_apart():
    rows = np.zeros((20, 17), dtype=bool)
    rows[np.arange(17), np.arange(17)] = True
    kept, twins = distinct_rows(np.packbits(rows, axis=1), tuple(range(20)))
    assert kept == list(range(18))
    assert twins == {18: 17, 19: 17}


@over("rows", [1, 7, 8, 9, 16, 100])
def test_columns_are_packed_like_rows(rows):
    matrix = np.random.default_rng(rows).random((rows, 13)) < 0.5
    assert (packed_columns(matrix) == np.packbits(matrix.T, axis=1)).all()


def test_room():
    check_matrix_size(10**6, 100)
    with pytest.raises(ValueError, match="choose fewer points"):
        check_matrix_size(10**9, 100)


def test_fresh_names_are_taken_by_nobody():
    assert without_clashes(["a", ("other", "a"), "b"], ["a", "c"]) == [("other", ("other", "a")), ("other", "a"), "b"]
    assert without_clashes(["b"], ["a"]) == ["b"]
