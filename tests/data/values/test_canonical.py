"""Equal values have one form, and the form is an equal value."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.data.values.allowed_types import declared
from privpac.data.values.canonical import among, canonical


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
    read = among(["a", thing])
    assert read(thing) is thing and read(True) == 1
    with pytest.raises(TypeError):
        among(["a"])(thing)


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
