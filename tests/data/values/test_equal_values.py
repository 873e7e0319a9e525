"""Equal values have one form, which is an equal value; columns are compared entry by entry."""

import math
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data.domains.listing import Listing
from privpac.data.values.allowed_types import declared, missing
from privpac.data.values.equal_values import canonical, form_among, hashables, member, outcomes


class Carrier(StrEnum):
    EV = "EV"


class Gate(IntEnum):
    ONE = 1


ROME = timezone(timedelta(hours=1))
ALIKE = [
    [
        1,
        1.0,
        True,
        Decimal("1.00"),
        Fraction(1),
        np.int8(1),
        np.float32(1),
        np.longdouble(1),
        complex(1, -0.0),
        Gate.ONE,
    ],
    [0, -0.0, False, Decimal("-0.00"), Decimal("0E+9")],
    [0.5, Decimal("0.50"), Fraction(1, 2), np.float16(0.5)],
    [datetime(1, 1, 1, 0, 30, tzinfo=ROME), datetime(1, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=2)))],
    [
        datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-1))),
        datetime(9999, 12, 31, 22, tzinfo=timezone(timedelta(hours=-2))),
    ],
    [time(3), time(3, fold=1)],
    [time(12, tzinfo=UTC), time(13, tzinfo=ROME)],
    [time(0, 5, tzinfo=ROME), time(0, 35, tzinfo=timezone(timedelta(minutes=90)))],
    [Decimal("0.1"), Fraction(1, 10), Decimal("0.100")],
    [0.1, Decimal.from_float(0.1), np.float64(0.1), Fraction(0.1)],
    [10**5, Decimal("1E+5"), 1e5],
    [10**1999, Decimal("1E+1999"), Fraction(10**1999)],
    [10**400, Decimal("1E+400")],
    [float("inf"), Decimal("Infinity"), np.longdouble("inf")],
    ["EV", Carrier.EV, np.str_("EV")],
    [date(2026, 11, 15), datetime(2026, 11, 15), pd.Timestamp("2026-11-15"), np.datetime64("2026-11-15T00", "ns")],
    [datetime(2026, 1, 1, 12), datetime(2026, 1, 1, 12, fold=1), pd.Timestamp("2026-01-01T12")],
    [datetime(2026, 1, 1, 1, tzinfo=ROME), datetime(2026, 1, 1, tzinfo=UTC), pd.Timestamp("2026-01-01T01", tz=ROME)],
    [(1, "EV"), (True, Carrier.EV), (1.0, np.str_("EV"))],
    [frozenset({1, "a"}), frozenset({True, "a"})],
]


def shape(value):
    """All that can be seen of a value."""
    return type(value), repr(value)


@pytest.mark.parametrize("values", ALIKE, ids=range(len(ALIKE)))
def test_equal_values_have_one_form(values):
    assert len({shape(canonical(value)) for value in values}) == 1


NUMBERS = st.one_of(
    st.integers(),
    st.booleans(),
    st.floats(allow_nan=False),
    st.fractions(),
    st.decimals(allow_nan=False),
    st.integers(-40, 40).map(lambda k: Decimal(k) / 8),
    st.integers(-40, 40).map(lambda k: Fraction(k, 8)),
    st.integers(-40, 40).map(lambda k: k / 8),
)


@settings(max_examples=300, deadline=None)
@given(NUMBERS, NUMBERS)
def test_forms_agree_exactly_where_numbers_do(a, b):
    assert canonical(a) == a and shape(canonical(canonical(a))) == shape(canonical(a))
    assert (shape(canonical(a)) == shape(canonical(b))) == (a == b)


LONG = [Decimal("1E+999999"), Decimal("-1E-999999"), Fraction(1, 3), Fraction(2 * 10**400 + 1, 2), 10**1999 + 1]


@pytest.mark.parametrize("value", LONG, ids=range(len(LONG)))
def test_numbers_of_any_size_have_a_form_at_once(value):
    assert canonical(value) == value


TOO_LONG = [Decimal("1E+999999999"), Decimal("-1E-999999999"), Fraction(1, 3**9000), Fraction(1, 2 ** (10**7))]


@pytest.mark.parametrize("value", TOO_LONG, ids=range(len(TOO_LONG)))
def test_numbers_that_no_model_could_be_read_with_are_refused_at_once(value):
    with pytest.raises(TypeError, match="at most"):
        canonical(value)


SCALARS = st.one_of(
    *(st.text(), st.binary(), st.uuids(), st.dates(), st.datetimes(), st.times(), st.timedeltas(), NUMBERS),
    st.datetimes(timezones=st.timezones()),
    st.complex_numbers(allow_nan=False),
)
ANY = st.recursive(SCALARS, lambda each: st.lists(each).map(tuple) | st.frozensets(each), max_leaves=8)


@pytest.mark.audit
@settings(max_examples=300, deadline=None)
@given(ANY)
def test_forms_are_forms_of_themselves(value):
    form = canonical(value)
    assert shape(canonical(form)) == shape(form) and hash(form) is not None


def test_equal_sets_print_alike():
    assert frozenset([0, 8]) == frozenset([8, 0]) and repr(frozenset([0, 8])) != repr(frozenset([8, 0]))
    assert shape(canonical(frozenset([0, 8]))) == shape(canonical(frozenset([8, 0])))
    assert shape(canonical(frozenset([0, 8.0]))) == shape(canonical(frozenset([8, False])))


def test_public_names_may_be_of_any_type():
    thing = object()
    assert declared(thing) is thing and declared(np.int8(3)) == 3
    read = form_among(["a", thing])
    assert read(thing) is thing and read(True) == 1
    with pytest.raises(TypeError):
        form_among(["a"])(thing)


def test_times_beyond_the_years_of_utc_have_a_form():
    latest = datetime.max.replace(tzinfo=timezone(timedelta(hours=-1)))
    assert canonical(latest) == latest


class Moment(datetime):
    """A time of another type, equal to Python's."""


def test_equal_times_have_one_form():
    offset = lambda seconds: timezone(timedelta(seconds=seconds))  # noqa: E731
    groups = [
        [time(9, 30, 30, tzinfo=offset(16980)), time(15, 42, 31, tzinfo=offset(39301))],
        [time(3), time(3, fold=1)],
        [datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC, fold=1), Moment(2026, 1, 1, tzinfo=UTC)],
        [datetime(2026, 1, 1, 7), datetime(2026, 1, 1, 7, fold=1), Moment(2026, 1, 1, 7)],
    ]
    for first, *others in groups:
        for other in others:
            assert first == other
            forms = canonical(first), canonical(other)
            assert repr(forms[0]) == repr(forms[1]) and forms[0] == first


def test_times_by_chance_have_one_form_if_they_are_equal():
    """Times of any zone, to the second: equal ones, of which there are many, print alike."""
    rng = np.random.default_rng(3)
    seen = {}
    for _ in range(4000):
        offset = timedelta(seconds=int(rng.integers(-100, 100)))
        value = time(12, 0, int(rng.integers(0, 60)), tzinfo=timezone(offset))
        key = canonical(value)
        assert key == value
        assert seen.setdefault(value, repr(key)) == repr(key)


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
    assert outcomes(["a", "b", None, "a", math.nan], lambda v: seen.append(v) or v == "a").tolist() == [1, 0, 0, 1, 0]
    assert sorted(seen) == ["a", "b"]


def test_members_of_arrays_and_of_lists_are_the_same():
    columns = [np.array([1, 2, 3]), np.array([1.0, 2.5, math.nan, math.inf]), np.array([1, 255], dtype=np.uint8)]
    allowed = [1, 2.5, -1, 2**70, Decimal(3), "1", None, math.nan, math.inf, (1,), True]
    for column in columns:
        assert member(column, allowed).tolist() == member(column.tolist(), allowed).tolist()
