"""One value at a time: missing ones, and equal ones."""

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privpac.data.domains.listing import Listing
from privpac.data.values.allowed_types import missing
from privpac.data.values.canonical import canonical
from privpac.data.values.compare import each, hashables, member


@pytest.mark.parametrize(
    "value",
    [None, math.nan, np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), Decimal("NaN"), Decimal("sNaN")],
)
def test_missing_values(value):
    assert missing(value)


@pytest.mark.parametrize(
    "value", [0, "", False, math.inf, (), (math.nan,), (1, (2,)), "nan", Decimal(0), date(2026, 1, 1)]
)
def test_present_values(value):
    assert not missing(value)


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (np.array([1, 2]), [1, 2]),
        (np.array(["a"]), ["a"]),
        (np.array([[1, 2]]), [(1, 2)]),
        (np.array(["2026-01-01"], "M8[ns]"), [date(2026, 1, 1)]),
        (np.array([[3]], "M8[ns]"), [(np.datetime64(3, "ns"),)]),
        (np.array([2000], "m8[ns]"), [timedelta(microseconds=2)]),
        (pd.Series([1, None], dtype="Int64"), [1, None]),
        *[(frame({"a": [1], "b": ["x"]}), [(1, "x")]) for frame in (pd.DataFrame, pl.DataFrame, pa.table)],
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


NOON = datetime(2026, 1, 1, 12)
FORMS = [
    [date(2026, 1, 1), datetime(2026, 1, 1), pd.Timestamp("2026"), np.datetime64("2026"), np.datetime64("2026", "ns")],
    [NOON, pd.Timestamp(NOON), np.datetime64(NOON), np.datetime64("2026-01-01T12"), np.datetime64(NOON, "ns")],
    [pd.Timestamp(3), np.datetime64(3, "ns"), np.datetime64(3000, "ps")],
    [np.datetime64("20000", "Y"), np.datetime64("20000-01-01"), np.datetime64("20000-01-01", "ms")],
    [timedelta(1), pd.Timedelta(days=1), np.timedelta64(1, "D"), np.timedelta64(24, "h")],
    [timedelta(microseconds=3), pd.Timedelta(3000), np.timedelta64(3, "us"), np.timedelta64(3 * 10**6, "ps")],
    [np.datetime64(3, "as"), np.datetime64(3, "as")],
    [datetime(2026, 1, 1, tzinfo=UTC), pd.Timestamp("2026", tz="UTC")],
    [3, np.int8(3), np.float32(3), Decimal(3)],
    [("a", (np.int8(1),)), ["a", [1]], np.array(["a", (1,)], dtype=object)],
]


@pytest.mark.parametrize("forms", FORMS, ids=str)
def test_equal_values_have_one_form_and_others_do_not(forms):
    assert len({canonical(form) for form in forms}) == 1
    others = {canonical(other[0]) for other in FORMS if other is not forms}
    assert canonical(forms[0]) not in others


@pytest.mark.parametrize("forms", FORMS[:8], ids=str)
def test_members_are_found_in_every_form(forms):
    for value, column in product(forms, [forms, *(np.array([form]) for form in forms if isinstance(form, np.generic))]):
        assert member(column, [value]).all() and Listing((value,)).encode(column).tolist() == [0] * len(column)


@pytest.mark.parametrize("value", [np.timedelta64(3, "ns"), pd.Timedelta(3), np.timedelta64(1, "Y"), np.timedelta64(1)])
def test_durations_that_numpy_takes_for_numbers_are_refused(value):
    with pytest.raises(TypeError, match="durations"):
        member([value], [3])


def test_signalling_nans_and_long_floats():
    assert member(np.array([0x7FA00000], dtype=np.uint32).view(np.float32), [1.0]).tolist() == [False]
    assert member([Decimal("sNaN"), 1], [1, Decimal("sNaN")]).tolist() == [False, True]
    assert member(1 + np.finfo(np.longdouble).eps * np.arange(2, dtype=np.longdouble), [1.0]).tolist() == [True, False]


def test_a_test_runs_once_for_each_distinct_value_and_never_on_missing_ones():
    seen = []
    assert each(["a", "b", None, "a", math.nan], lambda v: seen.append(v) or v == "a").tolist() == [1, 0, 0, 1, 0]
    assert sorted(seen) == ["a", "b"]


def test_members_of_arrays_and_of_lists_are_the_same():
    columns = [np.array([1, 2, 3]), np.array([1.0, 2.5, math.nan, math.inf]), np.array([1, 255], dtype=np.uint8)]
    allowed = [1, 2.5, -1, 2**70, Decimal(3), "1", None, math.nan, math.inf, (1,), True]
    for column in columns:
        assert member(column, allowed).tolist() == member(column.tolist(), allowed).tolist()
