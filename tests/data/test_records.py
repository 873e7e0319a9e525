"""One value at a time: missing ones, shown ones, equal ones."""

import math
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from privpac.data.records import each, hashables, member, missing, objects, shown


@pytest.mark.parametrize(
    "value",
    [None, math.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN"), Decimal("sNaN")],
)
def test_missing_values(value):
    assert missing(value)


@pytest.mark.parametrize("value", [0, "", False, math.inf, (), (math.nan,), "nan", Decimal(0), date(2026, 1, 1)])
def test_present_values(value):
    assert not missing(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (37, "37"),
        ("J10", "J10"),
        ("", "''"),
        (" a", "' a'"),
        ("\u202e", r"'\u202e'"),
        ("\ud800", r"'\ud800'"),
        (("a", 1), "('a', 1)"),
    ],
)
def test_values_in_a_sentence(value, text):
    assert shown(value) == text
    assert shown(value).isprintable()


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (np.array([1, 2]), [1, 2]),
        (np.array(["a"]), ["a"]),
        (np.array([[1, 2]]), [(1, 2)]),
        (np.array(["2026-01-01"], "M8[ns]"), [np.datetime64("2026-01-01", "ns")]),
        (pd.Series([1, None], dtype="Int64"), [1, pd.NA]),
        (pd.DataFrame({"a": [1], "b": ["x"]}), [(1, "x")]),
        ([np.int64(3), [1, np.str_("a")]], [3, (1, "a")]),
        ((v for v in "ab"), ["a", "b"]),
        ([], []),
    ],
)
def test_hashables(values, listed):
    found = hashables(values, "values")
    assert found == listed
    assert [type(value) for value in found] == [type(value) for value in listed]


@pytest.mark.parametrize("values", ["ab", b"ab", {1: 2}, {1}, 3, np.ma.masked_array([1], mask=[True])])
def test_what_is_no_column_is_refused(values):
    with pytest.raises(TypeError, match="values must be a list"):
        hashables(values, "values")
    with pytest.raises(TypeError, match="values must be a list"):
        member(values, [1])


def test_objects_keep_tuples():
    assert objects([(1, 2), (3, 4)]).tolist() == [(1, 2), (3, 4)]
    assert objects([]).shape == (0,)


def test_a_test_runs_once_for_each_distinct_value_and_never_on_missing_ones():
    seen = []
    assert each(["a", "b", None, "a", math.nan], lambda v: seen.append(v) or v == "a").tolist() == [1, 0, 0, 1, 0]
    assert sorted(seen) == ["a", "b"]


def test_members_of_arrays_and_of_lists_are_the_same():
    columns = [np.array([1, 2, 3]), np.array([1.0, 2.5, math.nan, math.inf]), np.array([1, 255], dtype=np.uint8)]
    allowed = [1, 2.5, -1, 2**70, Decimal(3), "1", None, math.nan, math.inf, (1,), True]
    for column in columns:
        assert member(column, allowed).tolist() == member(column.tolist(), allowed).tolist()
