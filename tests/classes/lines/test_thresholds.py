"""Thresholds and intervals: patterns, dimensions, evaluation, sentences, JSON, hostile input."""

import math
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privpac.classes.hypothesis import Constant
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.lines.thresholds import Thresholds
from tests.classes.definitions import assert_comes_back, assert_known, assert_patterns, littlestone, rows_of
from tests.grid import over


def cuts(N, direction="above"):
    above = [lambda x, t=t: x >= t for t in range(N + 1)]
    below = [lambda x, t=t: x < t for t in range(N + 1)]
    return {"above": above, "below": below, "either": above + below}[direction]


def intervals(N):
    return [lambda x, l=l, r=r: l <= x <= r for l in range(N) for r in range(l, N)] + [lambda x: False]


@over("direction", ["above", "below", "either"])
@over("N", range(1, 8))
def test_thresholds_have_the_dimensions_and_the_size_of_their_definition(N, direction):
    cls = Thresholds(0, N - 1, direction=direction)
    assert_known(cls, cuts(N, direction), range(N))
    assert cls.size == len(rows_of(cuts(N, direction), range(N)))


@over("N", [15, 16, 17, 31, 32])
def test_littlestone_of_thresholds_at_powers_of_two(N):
    for direction in ("above", "either"):
        known = Thresholds(0, N - 1, direction=direction).known("Littlestone").value
        assert known == littlestone(rows_of(cuts(N, direction), range(N)))


@over("N", range(1, 7))
def test_intervals_have_the_dimensions_and_the_size_of_their_definition(N):
    assert_known(Intervals(0, N - 1), intervals(N), range(N))
    assert Intervals(0, N - 1).size == len(rows_of(intervals(N), range(N)))


def test_littlestone_of_intervals_is_first_reached_at_the_known_places():
    values = {N: Intervals(1, N).known("Littlestone").value for N in range(1, 112)}
    first = [min(N for N in values if values[N] == k) for k in range(1, 13)]
    assert first == [1, 2, 4, 6, 9, 13, 19, 27, 39, 55, 79, 111]
    assert all(values[N] == littlestone(rows_of(intervals(N), range(N))) for N in range(1, 14))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 7), max_size=6), st.sampled_from(["above", "below", "either"]))
def test_patterns_are_those_of_all_concepts(points, direction):
    if points:
        assert_patterns(Thresholds(0, 7, direction=direction), cuts(8, direction), points)
        assert_patterns(Intervals(0, 7), intervals(8), points)


def test_the_whole_domain_is_the_default_and_concepts_are_of_the_class():
    c = Thresholds(0, 3, direction="above").materialize()
    assert (c.size, c.all_points) == (5, (0, 1, 2, 3))
    assert [str(h) for h in c.concepts] == ["always", "x ≥ 1", "x ≥ 2", "x ≥ 3", "never"]
    with pytest.raises(ValueError, match="too large"):
        Thresholds(0, 2**64 - 1, direction="above").materialize()


LINES = [
    (Thresholds(0, 2**64 - 1, direction="above"), [0, 5, 2**63, 2**64 - 1]),
    (Thresholds(-(2**200), 2**200, direction="above"), [-(2**200), 2**53, 2**53 + 1, 2**199]),
    (Thresholds(kind="float64", direction="above"), [-1e308, -5e-324, -0.0, 0.0, 0.1, 1e308]),
    (Thresholds(0, 1, kind="float64", direction="above"), [0.0, 0.5, 1.0]),
    (Thresholds(kind="date", direction="above"), [date.min, date(1969, 12, 31), date(2026, 11, 15), date.max]),
    (
        Thresholds(kind="datetime", direction="above"),
        [datetime.min, datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.max],
    ),
    (
        Thresholds(np.datetime64("2000-01-01T00"), np.datetime64("2001-01-01T00"), direction="above"),
        [np.datetime64("2000-05-05T05")],
    ),
    (
        Thresholds(Decimal("-1.000"), Decimal("9.99"), direction="above"),
        [Decimal("-0.001"), Decimal("0.3"), Decimal("9.990")],
    ),
    (
        Thresholds(kind="string", direction="above"),
        ["", "a", "a\u0301", "á", "\ud800", "\U0010ffff" * 20, "\x00", "J10" * 9],
    ),
    (Thresholds("", "zzz", direction="above"), ["", "ab", "abcd", "abd", "zzz", "zzzzzz"]),
]


@over(("cls", "values"), LINES)
@over("above", [True, False])
def test_raw_columns_and_codes_get_the_same_labels(cls, values, above):
    codes = cls.encode(values).tolist()
    for t in {0, cls.domain.size, *codes, *(c + 1 for c in codes), *(c - 1 for c in codes if c)}:
        h = cls.at(t, above)
        assert h(values).tolist() == [(code >= t) == above for code in codes]
        assert_comes_back(h)


@pytest.mark.audit
@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=5), min_size=1, max_size=8), st.integers(0, 2**63 - 1))
def test_any_cut_of_text_agrees_with_the_codes(values, t):
    cls = Thresholds("", "\U0010ffff" * 3, direction="above")
    codes = cls.encode(values).tolist()
    assert [a < b for a in codes for b in codes] == [a[:3] < b[:3] for a in values for b in values]
    t %= cls.domain.size + 1
    assert cls.at(t)(values).tolist() == [code >= t for code in codes]


@pytest.mark.parametrize(
    ("cut", "column", "labels"),
    [
        (5, np.array([4, 5, 6], dtype=np.int8), [0, 1, 1]),
        (300, np.array([4, 5], dtype=np.int8), [0, 0]),
        (-1, np.array([0, 2**63], dtype=np.uint64), [1, 1]),
        (2**70, [2**70 - 1, 2**70], [0, 1]),
        (2**53 + 1, np.array([2.0**53, 2.0**53 + 2, math.nan, math.inf, -math.inf]), [0, 1, None, 1, 0]),
        (5, pd.Series([4, 5, None]), [0, 1, None]),
        (5, pd.Series([4, 5, None], dtype="Int64"), [0, 1, None]),
        (0.1, np.array([0.1, 0.0999], dtype=np.float32), [1, 0]),
        (0.1, np.array([0, 1]), [0, 1]),
        (0.5, [0.5, None, math.nan, 1, 10**400], [1, None, None, 1, 1]),
        (Decimal("0.30"), [Decimal("0.3"), Decimal("0.2999999"), 0.3, 1], [1, 0, 1, 1]),
        (Decimal("0.30"), [None, Decimal("NaN")], [None, None]),
        (Decimal("0.30"), np.array([0.29, 0.3]), [0, 1]),
        (Decimal("0.30"), [Decimal("1E+999999999"), Decimal("-1E-999999999"), Decimal("sNaN")], [1, 0, None]),
        (date(2026, 1, 2), pd.Series(pd.to_datetime(["2026-01-01 23:59", "2026-01-02 00:00", None])), [0, 1, None]),
        (datetime(2026, 1, 2), np.array(["2026-01-01", "2026-01-02", "NaT"], "M8[D]"), [0, 1, None]),
        (date(2026, 1, 2), [date(2026, 1, 2), datetime(2026, 1, 1, 5), None, pd.NaT], [1, 0, None, None]),
        (date(9999, 1, 1), np.array(["2026-01-01"], "M8[ns]"), [0]),
        ("b", np.array(["a", "b", "ba"]), [0, 1, 1]),
        ("b", pd.Series(["a", "b", None]), [0, 1, None]),
        (5, [], []),
        (5, np.array([], dtype=float), []),
    ],
)
def test_columns_of_every_type(cut, column, labels):
    """None stands for a missing value, which is on neither side."""
    assert Threshold(cut)(column).tolist() == [label == 1 for label in labels]
    assert Threshold(cut, above=False)(column).tolist() == [label == 0 for label in labels]


def test_an_interval_contains_its_ends_and_nothing_between_the_values_beyond():
    assert Interval(3, 5)([2, 3, 5, 5.5, 6, None]).tolist() == [False, True, True, False, False, False]
    assert Interval(3, 5)(np.array([2.9, 3.0, 5.0, 5.5])).tolist() == [False, True, True, False]
    day = Interval(date(2026, 1, 1), date(2026, 1, 2))
    assert day(pd.Series(pd.to_datetime(["2026-01-02 23:00", "2026-01-03 00:00"]))).tolist() == [True, False]
    assert Interval(Decimal("0.1"), Decimal("0.25"))([Decimal("0.250"), Decimal("0.251")]).tolist() == [True, False]


@pytest.mark.parametrize(
    "h",
    [
        Interval(-(2**100), 2**100),
        Interval(0.1, 1e300),
        Interval(date(2026, 1, 1), date(2026, 1, 2)),
        Interval(datetime(2026, 1, 1, 2, 3, 4, 5), datetime.max),
        Interval(Decimal("0.10"), Decimal("1E+3")),
        Threshold("J\ud800\u202e"),
        Threshold("", above=False),
        Threshold(np.datetime64("2026-01-01T00:00:00.000000001")),
        Constant(True),
    ],
)
def test_json(h):
    assert_comes_back(h)


def test_sentences():
    assert str(Threshold(37)) == "x ≥ 37"
    assert Threshold(Decimal("0.10"), above=False).sentence("price") == "price < 0.10"
    assert Interval(date(2026, 1, 1), date(2026, 2, 1)).sentence("day") == "2026-01-01 ≤ day ≤ 2026-02-01"
    assert str(Threshold(" ")) == "x ≥ ' '"


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({}, ValueError, "declare low and high"),
        ({"low": 0}, ValueError, "declare low and high"),
        ({"low": 1, "high": 0}, ValueError, "must not exceed"),
        ({"low": True, "high": False}, TypeError, "must be integers"),
        ({"low": 0, "high": 9, "direction": "up"}, ValueError, "direction"),
        ({"kind": "int"}, ValueError, "kind must be"),
        ({"low": 0, "high": 9, "kind": "date"}, TypeError, "not of kind"),
        ({"low": datetime(2000, 1, 1), "high": datetime(2001, 1, 1), "kind": "date"}, TypeError, "not of kind"),
        ({"low": 0.0, "high": math.inf}, ValueError, "finite"),
        ({"low": "a", "high": 3}, TypeError, "the same type"),
    ],
)
def test_bad_declarations(arguments, error, match):
    with pytest.raises(error, match=match):
        Thresholds(**arguments)


def test_a_cut_of_text_is_readable_and_whole_in_json():
    h = Threshold("WN\x00\U000e4e0f" + "\U0008b0c1" * 12)
    assert str(h) == "x > WN"
    assert_comes_back(h)


def test_text_has_no_intervals():
    with pytest.raises(TypeError, match="StartsWith"):
        Intervals("a", "b")


@pytest.mark.parametrize(
    ("h", "column"),
    [
        (Threshold(5), ["987654321"]),
        (Threshold(5), [True]),
        (Threshold(5), np.array([True])),
        (Threshold("a"), [987654321]),
        (Threshold(date(2000, 1, 1)), [987654321]),
        (Threshold(date(2000, 1, 1)), [timedelta(987654321)]),
        (Threshold(5), "987654321"),
        (Threshold(5), {987654321: 1}),
        (Threshold(Decimal(5)), [b"987654321"]),
        (Interval(1, 2), [object()]),
    ],
)
def test_columns_of_another_kind_are_refused_without_a_quote(h, column):
    with pytest.raises(TypeError) as caught:
        h(column)
    assert "987654321" not in str(caught.value)


def test_points_outside_the_domain_have_no_patterns():
    with pytest.raises(ValueError, match="declare bounds"):
        Thresholds(0, 9, direction="above").patterns([3, 12])


def test_classes_are_equal_if_their_lines_are():
    assert Thresholds(kind="date", direction="above") == Thresholds(date.min, date.max, direction="above")
    assert (
        len(
            {
                Thresholds(0, 9, direction="above"),
                Thresholds(0.0, 9.0, direction="above"),
                Thresholds(Decimal(0), Decimal(9), direction="above"),
                Thresholds(np.int8(0), 9, direction="above"),
            }
        )
        == 3
    )
    tenths, hundredths = (Intervals(Decimal(zero), Decimal(1)) for zero in ("0.0", "0.00"))
    assert tenths != hundredths and tenths == Intervals(Decimal("0"), Decimal("1.0"))
    assert Thresholds(0, 9, direction="above") != Thresholds(0, 9, direction="below") != Intervals(0, 9)


def test_nanoseconds_count():
    times = [pd.Timestamp(2), pd.Timestamp(3)]
    assert Threshold(times[1])(times).tolist() == Threshold(times[1])(pd.Series(times)).tolist() == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cls", [Intervals(0, 10**5), Thresholds(0, 10**5, direction="above"), Thresholds(0, 10**5, direction="either")]
)
def test_too_many_patterns_are_refused_before_they_are_built(cls):
    with pytest.raises(ValueError, match="too many to list"):
        cls.materialize()


@pytest.mark.audit
def test_large_classes_are_listed_without_evaluating_each_concept(monkeypatch):
    monkeypatch.delattr(Interval, "__call__")
    monkeypatch.delattr(Threshold, "__call__")
    c = Intervals(1, 362).materialize()
    assert (c.size, c.matrix.sum()) == (65704, 362 * 363 * 364 // 6)
    assert Thresholds(1, 3000, direction="above").materialize().size == 3001
    assert Thresholds(1, 3000, direction="either").materialize().size == 6000


@pytest.mark.parametrize(
    "cls", [*(Thresholds(0, 9, direction=each) for each in ("above", "below", "either")), Intervals(0, 9)]
)
def test_labels_are_those_of_the_hypotheses(cls):
    points = [7, 3, 3, 0, 9]
    assert cls.patterns(points).tolist() == [h(points).tolist() for h in cls.representatives(points)]


@pytest.mark.parametrize("cut", [None, True, math.nan, np.datetime64("NaT"), Decimal("NaN"), (1,), [1]])
def test_what_is_no_cut_is_refused(cut):
    with pytest.raises((ValueError, TypeError)):
        Threshold(cut)
    with pytest.raises((ValueError, TypeError)):
        Interval(cut, cut)


def test_an_interval_goes_upwards():
    with pytest.raises(ValueError, match="must not exceed"):
        Interval(5, 3)


def test_a_rule_is_named_by_its_cut():
    dates = Thresholds(date(2020, 1, 1), date(2024, 12, 31), direction="above")
    assert dates.hypothesis(date(2022, 3, 1)) == Threshold(date(2022, 3, 1))
    assert Thresholds(18, 90, direction="below").hypothesis(37) == Threshold(37, above=False)
    assert Thresholds(18, 90, direction="either").hypothesis(37, above=False) == Threshold(37, above=False)
    assert Intervals(0, 9).hypothesis(2, 5) == Interval(2, 5)
    for wrong in (
        lambda: Thresholds(18, 90, direction="above").hypothesis(5),
        lambda: Intervals(0, 9).hypothesis(2, 50),
    ):
        with pytest.raises(ValueError, match="outside"):
            wrong()
    with pytest.raises(ValueError, match="direction"):
        Thresholds(18, 90, direction="above").hypothesis(37, above=False)
