"""Single kinds of values on the unbounded line."""

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.values.line_codes import (
    as_float,
    bounds,
    float_codes,
    float_near,
    integer_codes,
    kind_of,
    number,
    time_codes,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE)
def test_float_codes_are_in_order_and_dense(a, b):
    x, y = float_codes(np.array([a, b])).tolist()
    assert (x < y) == (a < b)
    assert float_codes(np.array([math.nextafter(a, math.inf)])).tolist() == [x + 1] or a == np.finfo(float).max


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_whole_floats_of_any_width_are_integers(kind):
    codes, absent = integer_codes(np.array([37, -0.0, np.nan, -np.inf], dtype=kind))
    assert (codes.tolist(), absent.tolist()) == ([37, 0, 0, 0], [False, False, True, True])


@given(st.integers() | st.integers(2**52, 2**70), st.sampled_from([-math.inf, math.inf]))
def test_no_float_lies_between_an_integer_and_the_next_float(n, end):
    near = float_near(n, end)
    before = math.nextafter(near, -end)
    assert near >= n > before if end > 0 else near <= n < before


@given(st.decimals(-1000, 1000, places=3) | FINITE.map(lambda x: Decimal(repr(x))), st.sampled_from([-1, 1]))
def test_floats_are_the_decimals_they_print(d, sign):
    near = float_near(d, sign * math.inf)
    before = math.nextafter(near, -sign * math.inf)
    printed, beyond = Decimal(repr(near)), Decimal(repr(before))
    assert printed >= d > beyond if sign > 0 else printed <= d < beyond


def test_numbers_beyond_all_floats():
    largest = np.finfo(float).max
    for n in (10**400, Decimal("1E+400")):
        assert (float_near(n, math.inf), float_near(n, -math.inf)) == (math.inf, largest)
    assert (as_float(10**400), as_float(Fraction(1, 3))) == (math.inf, 1 / 3)


@pytest.mark.parametrize("value", [True, np.True_, "1", b"1", 1j, None, (1,), np.timedelta64(1, "ns")])
def test_what_is_no_number(value):
    with pytest.raises(TypeError, match="numbers"):
        number(value)
    if value is not None:
        with pytest.raises(TypeError, match="numbers"):
            as_float(value)


def test_times_round_down_to_the_unit_and_overflow_to_the_ends():
    assert time_codes(np.array(["1969-12-31T23:59"], "M8[m]"), "datetime64[D]").tolist() == [-1]
    far = np.array(["586564-01-19", "-586564-01-19"], "M8[D]")
    assert time_codes(far, "datetime64[us]").tolist() == [2**63 - 1, -(2**63)]
    assert time_codes(np.array([-1, 1], "M8[as]"), "datetime64[D]").tolist() == [-1, 0]
    first = np.array([-(2**63) + 1, 2**63 - 1]).view("M8[us]")  # DuckDB's −infinity and infinity
    assert [int(np.sign(each)) for each in time_codes(first, "datetime64[D]")] == [-1, 1]


def test_kinds():
    kinds = [kind_of(bound) for bound in (np.int8(1), np.float32(1), Decimal(1), "a", pd.Timestamp("2026"))]
    assert kinds == ["integer", "float", "decimal", "string", "datetime64[us]"]
    for bound in (True, None, b"a", 1j, Fraction(1, 2), datetime(2026, 1, 1, tzinfo=UTC)):
        with pytest.raises(TypeError):
            kind_of(bound)
    assert [kind_of(pd.Timestamp(3)), kind_of(np.datetime64(3, "25s"))] == ["datetime64[ns]", "datetime64[25s]"]


def test_bounds_are_in_one_type():
    assert bounds(np.float32(0.5), np.float64(1)) == (0.5, 1.0)
    assert bounds(Decimal("1E-1000"), Decimal("9E+1000"))[1] == Decimal("9E+1000")
    low, high = bounds(pd.Timestamp("2026-01-01"), datetime(2026, 1, 2))
    assert (type(low), low, high) == (datetime, datetime(2026, 1, 1), datetime(2026, 1, 2))
    assert [type(bound) for bound in bounds(np.int8(1), np.uint64(2))] == [int, int]


def test_numbers_are_exact():
    third = np.longdouble(1) / 3
    assert [number(Fraction(1, 3)), number(np.float32(0.5))] == [Fraction(1, 3), 0.5]
    assert number(third) == Fraction(*third.as_integer_ratio())
    assert number(np.longdouble("inf")) == as_float(Fraction(10**400)) == as_float(Decimal("1E+400")) == math.inf


@pytest.mark.parametrize(
    ("low", "high", "error"),
    [
        (1, 0, ValueError),
        (0.0, math.inf, ValueError),
        (math.nan, 1.0, ValueError),
        (0, date(2000, 1, 1), TypeError),
        (True, False, TypeError),
        ("b", "a", ValueError),
        ("a", 1, TypeError),
        (b"a", b"b", TypeError),
        (Decimal("1"), Decimal("0.5"), ValueError),
        (Decimal("0"), Decimal("Infinity"), ValueError),
        (Decimal("NaN"), Decimal("1"), ValueError),
        (Decimal("0.5"), 1.5, TypeError),
        (None, None, TypeError),
        (Fraction(1), Fraction(2), TypeError),
        (np.datetime64("NaT"), np.datetime64("NaT"), ValueError),
        (pd.NaT, pd.NaT, ValueError),
        (datetime(2000, 1, 1, tzinfo=UTC), datetime(2001, 1, 1), TypeError),
        (pd.Timestamp("2000", tz="UTC"), datetime(2001, 1, 1), TypeError),
        (np.timedelta64(1, "D"), np.timedelta64(2, "D"), TypeError),
        (0.0, 10**400, ValueError),
        (Decimal("1E+1000000"), Decimal("1E+1000000"), ValueError),
        (Decimal("1E-100000"), Decimal(1), ValueError),
        (Decimal("1." + "0" * 1001), Decimal(1), ValueError),
        (0, Decimal("1E+1001"), ValueError),
        ("a", "z" * 10_001, ValueError),
        (np.datetime64(1, "ps"), np.datetime64(2, "ps"), TypeError),
    ],
)
def test_bad_bounds(low, high, error):
    with pytest.raises(error):
        bounds(low, high)
