"""Codes keep the order, cover the bounds, and give back what they encode."""

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privpac.data.domains.line import Line
from privpac.data.values.allowed_types import missing

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_floats_keep_their_order_and_come_back(values):
    line = Line(-1.7976931348623157e308, 1.7976931348623157e308)
    numbers = line.encode(values).tolist()
    assert [line.decode(number) for number in numbers] == values
    assert all((a < b) == (line.encode([a])[0] < line.encode([b])[0]) for a, b in pairwise(values))


def test_every_float_between_the_bounds_has_its_own_number():
    line = Line(1.0, 1.0 + 2**-50)
    assert line.size == 5
    assert [line.decode(i) for i in range(5)] == [1.0 + i * 2**-52 for i in range(5)]


def test_both_zeros_are_one_value():
    assert Line(-1.0, 1.0).encode([0.0, -0.0]).tolist() == [Line(-1.0, 1.0).encode([0.0])[0]] * 2


@given(st.integers(-(2**100), 2**100), st.integers(0, 2**80), st.data())
def test_integers_of_any_width_come_back(low, width, data):
    line = Line(low, low + width)
    values = data.draw(st.lists(st.integers(low, low + width), min_size=1, max_size=5))
    numbers = line.encode(values)
    assert numbers.tolist() == [value - low for value in values]
    assert [line.decode(number) for number in numbers] == values


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (Line(-(2**63), 2**63 - 1), np.array([-(2**63), -1, 0, 2**63 - 1])),
        (Line(0, 2**64 - 1), np.array([0, 2**63, 2**64 - 1], dtype=np.uint64)),
        (Line(-128, 127), np.array([-128, 0, 127], dtype=np.int8)),
        (Line(-5, 5), pd.Series([-5, 0, 5])),
        (Line(-1.5, 1.5), np.array([-1.5, 0.25], dtype=np.float32)),
        (Line(0, 2.5), [0, 1, 2]),
        (Line(date(1900, 1, 1), date(2100, 1, 1)), [date(1900, 1, 1), date(2000, 2, 29)]),
        (Line(datetime(2000, 1, 1), datetime(2001, 1, 1)), [datetime(2000, 1, 1, 0, 0, 0, 7)]),
        (Line(np.datetime64("2000-01-01T00"), np.datetime64("2001-01-01T00")), np.array(["2000-03-01T05"], "M8[h]")),
        (Line(datetime(2000, 1, 1), datetime(2030, 1, 1)), pd.Series(pd.to_datetime(["2026-01-02 03:04:05"]))),
    ],
)
def test_values_come_back_in_the_kind_of_the_bounds(line, values):
    decoded = [line.decode(number) for number in line.encode(values)]
    assert decoded == list(values)
    assert all(isinstance(value, type(line.low)) for value in decoded)


def test_encode_returns_a_new_array():
    values = np.array([3, 1, 2], dtype=np.uint64)
    numbers = Line(0, 5).encode(values)
    numbers.sort()
    assert values.tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (Line(0, 10), [5, 987654321]),
        (Line(0, 10), np.array([-987654321])),
        (Line(0.0, 10.0), [5.0, math.nan]),
        (Line(0.0, 10.0), [5.0, math.inf]),
        (Line(0.0, 10.0), [5.0, 987654321.0]),
        (Line(date(2000, 1, 1), date(2001, 1, 1)), np.array(["2000-02-02", "NaT"], dtype="M8[D]")),
        (Line(0, 10), [5, None]),
        (Line(0.0, 10.0), [5.0, None, pd.NA]),
        (Line(0.0, 10.0), [1.5, 10**400]),
        (Line(date(2000, 1, 1), date(2001, 1, 1)), [date(2000, 2, 2), None, pd.NaT]),
        (
            Line(np.datetime64("2000-01-01", "us"), np.datetime64("2030-01-01", "us")),
            np.array(["586564-01-19"], "M8[D]"),
        ),
    ],
)
def test_misfits_raise_without_quoting_a_value_or_are_clamped(line, values):
    with pytest.raises(ValueError, match="declare bounds") as caught:
        line.encode(values)
    assert "987654321" not in str(caught.value)
    clamped = Line(line.low, line.high, on_invalid="clamp").encode(values)
    assert all(0 <= number < line.size for number in clamped.tolist())


def test_clamping_moves_to_the_nearest_bound_and_missing_values_to_low():
    line = Line(-1.0, 1.0, on_invalid="clamp")
    values = [-math.inf, -2.0, 0.5, 2.0, math.inf, math.nan, math.copysign(math.nan, -1)]
    assert [line.decode(n) for n in line.encode(values)] == [-1.0, -1.0, 0.5, 1.0, 1.0, -1.0, -1.0]
    assert Line(0, 9, on_invalid="clamp").encode([-5, 3, 2**70]).tolist() == [0, 3, 9]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (Line(0, 9), ["a"]),
        (Line(0, 9), np.array([1.5])),
        (Line(0, 9), [1.5]),
        (Line(0, 9), [True]),
        (Line(0, 9), [Decimal(3)]),
        (Line(0, 2**62), np.array(["2020-01-01"], "M8[ns]")),
        (Line(0.0, 2.0**62), np.array(["2020-01-01"], "M8[ns]")),
        (Line(Decimal(0), Decimal(2**62)), np.array(["2020-01-01"], "M8[ns]")),
        (Line(0, 9), np.array([1, 2], "m8[ns]")),
        (Line(0, 9), [np.timedelta64(1, "ns")]),
        (Line(0.0, 9.0), [np.timedelta64(1, "ns")]),
        (Line(np.datetime64(0, "ns"), np.datetime64(9, "ns")), np.array([1, 2], "m8[ns]")),
        (Line(0.0, 9.0), ["1.5"]),
        (Line(date(2000, 1, 1), date(2001, 1, 1)), [1, 2]),
        (Line(0, 9), np.ma.array([1, 2], mask=[0, 1])),
        (Line(0.0, 9.0), [True]),
        (Line(date(2000, 1, 1), date(2001, 1, 1)), [timedelta(1)]),
    ],
)
def test_values_of_another_kind(line, values):
    with pytest.raises(TypeError):
        line.encode(values)


@pytest.mark.parametrize("line", [Line(0, 9), Line(0.0, 9.0), Line(Decimal(0), Decimal(9)), Line("a", "b")])
def test_an_empty_column_has_no_values_of_another_kind(line):
    for empty in ([], np.array([]), pd.Series([], dtype=float)):
        assert line.encode(empty).tolist() == line.sides(empty).tolist() == []


def test_other_shapes_and_rules():
    with pytest.raises(ValueError, match="one-dimensional"):
        Line(0, 9).encode(np.zeros((2, 2), dtype=int))
    with pytest.raises(ValueError, match="one-dimensional"):
        Line(0.0, 9.0).encode(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="on_invalid"):
        Line(0, 9, on_invalid="drop")


def test_clamping_also_reads_integers_that_a_missing_value_made_floats():
    line = Line(0, 9, on_invalid="clamp")
    assert line.encode(pd.Series([3, None])).tolist() == [3, 0]
    assert line.encode(pd.Series([3, None], dtype="Int64")).tolist() == [3, 0]
    assert line.encode([3.7, math.inf, -math.inf, math.nan]).tolist() == [3, 9, 0, 0]


MIXED = [
    (Line(date(1, 1, 1), date(9999, 12, 31)), [np.datetime64("3000-06-01"), np.datetime64("2001-01-01T00", "ns")]),
    (Line(-(2**80), 2**80), [np.int8(100), 2**69, np.uint64(2**64 - 1), -(2**69)]),
    (Line(-100, 1000, on_invalid="clamp"), [np.int8(100), 2**69, np.int64(5), 7.9, None]),
    (Line(-9.0, 9.0, on_invalid="clamp"), [1, 2.5, np.float32(0.1), 2**70, 10**400, None]),
]


@pytest.mark.parametrize(("line", "values"), MIXED)
def test_a_number_depends_on_its_own_value_alone(line, values):
    together = line.encode(values).tolist()
    assert together == [line.encode([value]).tolist()[0] for value in values]
    assert all(0 <= number < line.size for number in together)


BEYOND = [Decimal("1E+999999999999999999"), Decimal("-1E-1999999999999999997"), Decimal("sNaN"), Fraction(-(10**400))]
NUMBERS = st.integers(-(2**70), 2**70) | st.floats() | st.decimals() | st.fractions() | st.sampled_from(BEYOND)


@given(st.lists(st.none() | NUMBERS, min_size=1, max_size=6))
@pytest.mark.parametrize("bounds", [(-1000, 2**66), (-1e3, 1e3), (Decimal("-1.50"), Decimal(10**30))])
def test_clamping_is_total_and_record_by_record(bounds, values):
    line = Line(*bounds, on_invalid="clamp")
    together = line.encode(values).tolist()
    assert together == [line.encode([value]).tolist()[0] for value in values]
    assert all(0 <= number < line.size for number in together)
    known = [(value, number) for value, number in zip(values, together, strict=True) if not missing(value)]
    assert all(n <= m for (x, n), (y, m) in permutations(known, 2) if x < y)


@pytest.mark.parametrize("dtype", ["Int64", "UInt64"])
def test_a_missing_value_does_not_round_its_neighbors(dtype):
    line = Line(0, 2**60, on_invalid="clamp")
    big = 2**53 + 1
    assert line.encode(pd.Series([big, pd.NA], dtype=dtype)).tolist() == [big, 0]
    assert line.encode(pd.array([big, pd.NA], dtype=dtype)).tolist() == [big, 0]
    assert line.encode(pd.Index([big, pd.NA], dtype=dtype)).tolist() == [big, 0]
    assert line.encode(pd.Categorical([big, None])).tolist() == [big, 0]
    with pytest.raises(ValueError, match="declare bounds"):
        Line(0, 2**60).encode(pd.Series([big, pd.NA], dtype=dtype))


@pytest.mark.parametrize("values", [{1: 2}, {3, 4}, "123", b"12", 7, (v for v in ())])
def test_only_columns_are_columns(values):
    line = Line(0, 9)
    if hasattr(values, "__next__"):
        assert line.encode(values).size == 0
        return
    with pytest.raises(TypeError, match="one value per record"):
        line.encode(values)


DECIMALS = st.decimals(min_value=-100, max_value=100, places=3)


@given(st.lists(DECIMALS, min_size=1, max_size=8))
def test_decimals_keep_their_order_and_come_back(values):
    line = Line(Decimal("-100"), Decimal("100.000"))
    numbers = line.encode(values).tolist()
    assert numbers == [int((value + 100) * 1000) for value in values]
    assert [line.decode(number) for number in numbers] == values
    assert str(line.decode(0)) == "-100.000"


@pytest.mark.parametrize(
    ("line", "size"),
    [
        (Line(Decimal("0.00"), Decimal("9.99")), 1000),
        (Line(0, Decimal("9.9")), 100),
        (Line(Decimal("1E+3"), Decimal("2E+3")), 1001),
        (Line(Decimal("1E+40"), Decimal("1" + "0" * 40 + ".5")), 6),
        (Line("", ""), 1),
        (Line("", "\U0010ffff"), 0x110001),
        (Line("a", "c"), 3),
        (Line("a", "bb"), 0x110000 + 1 + 1 + ord("b") + 1),
    ],
)
def test_sizes_of_decimals_and_text(line, size):
    assert line.size == size
    assert line.encode([line.low, line.high]).tolist() == [0, size - 1]
    assert (line.decode(0), line.decode(size - 1)) == (line.low, line.high)


def test_numbers_off_the_grid_are_rounded_down():
    line = Line(Decimal("0.00"), Decimal("9.99"))
    for values in ([Decimal("0.015")], [0.015], np.array([0.015]), [Fraction(1, 60)]):
        assert line.encode(values).tolist() == [1]
    with pytest.raises(ValueError, match="outside low"):
        line.encode([Decimal("9.991")])  # as a number, it lies above high
    clamp = Line(Decimal("0.00"), Decimal("9.99"), on_invalid="clamp")
    values = [Decimal("0.019"), 0.29, 3, Decimal("1E-999999999"), Decimal("1E+999999999"), Decimal("-Infinity"), None]
    assert clamp.encode(values).tolist() == [1, 29, 300, 0, 999, 0, 0]
    assert line.encode([0.29, 3, Decimal("0.1")]).tolist() == [29, 300, 10]


def test_text_is_cut_to_the_width_and_clamped_to_the_bounds():
    line = Line("b", "mmm", on_invalid="clamp")
    numbers = line.encode(["a", "b", "b\x00", "mmmz", "z", None])
    assert [line.decode(number) for number in numbers] == ["b", "b", "b\x00", "mmm", "mmm", "b"]
    with pytest.raises(ValueError, match="declare bounds"):
        Line("b", "mmm").encode(["a"])
    with pytest.raises(TypeError, match="text"):
        Line("b", "mmm").encode([1])


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (Line(2**60, 2**60 + 5, on_invalid="clamp"), np.array([2.0**60, 2.0**60 + 256, 2.0**60 - 128, math.nan])),
        (Line(0, 2**60 - 1, on_invalid="clamp"), np.array([2.0**60, -1.5])),
        (Line(0, 2**60 - 1, on_invalid="clamp"), np.array([2.0**60])),
    ],
)
def test_wide_integers_are_not_rounded_to_compare_them_with_floats(line, values):
    assert line.encode(values).tolist() == [line.encode([value]).tolist()[0] for value in values.tolist()]
    assert all(0 <= number < line.size for number in line.encode(values).tolist())


def test_lines_are_equal_if_they_number_the_same_values_alike():
    days = Line(date(2020, 1, 1), date(2021, 1, 1))
    assert days == Line(np.datetime64("2020-01-01"), np.datetime64("2021-01-01"))
    assert Line(0, Decimal("9.9")) == Line(Decimal("0.0"), Decimal("9.90").normalize())
    same = [Line(0, 9), Line(np.int8(0), 9)]
    assert len({*same, Line(0.0, 9.0), Line(Decimal(0), Decimal(9)), Line(Decimal("0.0"), Decimal(9))}) == 4
    assert Line(0, 9) != Line(0, 9, on_invalid="clamp") != days != Line(datetime(2020, 1, 1), datetime(2021, 1, 1))
    assert Line(np.datetime64("2020", "Y"), np.datetime64("2021", "Y")) != days


@pytest.mark.parametrize("number", [-1, 10])
@pytest.mark.parametrize("line", [Line(0, 9), Line(Decimal("0.0"), Decimal("0.9")), Line("a", "j")])
def test_only_numbers_of_values_are_decoded(line, number):
    with pytest.raises(ValueError, match="no value has this number"):
        line.decode(number)
    with pytest.raises(TypeError):
        line.decode(0.5)


def test_decimals_off_an_integer_line_are_not_called_floats():
    with pytest.raises(TypeError, match="values must be integers"):
        Line(0, 9).encode([Decimal("0.5")])
    assert Line(0.0, 9.0).encode([Decimal("0.5")]) == Line(0.0, 9.0).encode([0.5])


@pytest.mark.parametrize("cast", [np.array, list])
def test_floats_that_are_whole_numbers_are_integers(cast):
    assert Line(-5, 5).encode(cast([-5.0, -0.0, 5.0])).tolist() == [0, 5, 10]
    with pytest.raises(TypeError, match="values must be integers"):
        Line(-5, 5).encode(cast([1.0, 2.5]))
    for odd in (math.nan, 6.0, math.inf, 2.0**53):
        with pytest.raises((TypeError, ValueError), match=r"outside low … high|must be integers"):
            Line(-5, 5 if odd != 2.0**53 else 2**60).encode(cast([1.0, odd]))


def test_an_empty_array_that_cannot_be_written_is_read():
    """Arrays without entries share no memory, so it looked like one of the line's own."""
    ages = np.empty(0, dtype=np.int64)
    ages.setflags(write=False)
    assert Line(3, 120).encode(ages).tolist() == []
