"""Answers about a line: whole, monotone, exact gaps, quantiles, tables, queries outside the class."""

from datetime import date
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Interval, Threshold
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.values.points import OneOf
from privpac.data.domains.line import Line
from privpac.data.samples.sample import Sample
from privpac.exact.entropy import SYSTEM
from privpac.refusals.refusal import Refused
from privpac.release.lines.answers import LineCounts, MachineCells, line_of
from privpac.requests.json_values import restored, stored
from tests.grid import over

RNG = np.random.default_rng(2)


def some_counts(N, n, cells, intervals=False, short=0):
    starts = (0, *sorted(RNG.choice(np.arange(1, N), cells - 1, replace=False).tolist()))
    below = (0, *sorted(RNG.integers(0, n - short + 1, cells - 1).tolist()), n - short)
    return LineCounts(n, Line(0, N - 1), starts, below, intervals)


def sample_of(values, n=None, dtype=np.uint64):
    points = np.array(values, dtype=dtype)
    return Sample(points, np.ones(len(points), bool), None, len(points) if n is None else n)


def all_below(counts):
    """B(t) for all t, by asking."""
    N = counts.line.size
    return [0, *(counts.count(Threshold(t, above=False)) for t in range(1, N)), counts.below[-1]]


@over("short", [0, 3])
def test_the_gap_is_the_largest_error_of_all_queries(short):
    """Against asking every query, with atoms, with void records, and with blocks of more records than one."""
    for N, n, cells in ((12, 9, 3), (40, 30, 7), (60, 300, 5), (300, 2000, 40)):
        values = RNG.integers(0, RNG.integers(1, N + 1), n - short)
        counts, sample = some_counts(N, n, cells, short=int(RNG.integers(0, 4))), sample_of(values, n)
        answered = np.array(all_below(counts))
        e = answered - np.array([(values < t).sum() for t in range(N + 1)])
        assert counts.gap(sample) == max(np.abs(e).max(), np.abs(e[-1] - e).max())
        between = LineCounts(n, counts.domain, counts.starts, counts.below, intervals=True)
        assert between.gap(sample) == e.max() - e.min()
        for _ in range(20):
            l, r = sorted(RNG.integers(0, N, 2).tolist())
            asked = between.count(Intervals(0, N - 1).at(l, r))
            assert asked == answered[r + 1] - answered[l]
            assert abs(asked - ((values >= l) & (values <= r)).sum()) <= between.gap(sample)


def test_the_gap_of_intervals_counts_the_left_end():
    """All errors are 5 too many from the first value on: every interval from the left end is off by 5."""
    counts = LineCounts(10, Line(0, 9), (0, 1), (0, 5, 5), intervals=True)
    assert counts.gap(sample_of([])) == 5
    assert counts.gap(sample_of([0] * 10)) == 5


def test_one_record_more_or_less_changes_the_gap_by_one_at_most():
    for intervals in (False, True):
        counts = some_counts(30, 50, 6, intervals)
        values = RNG.integers(0, 30, 50)
        before = counts.gap(sample_of(values))
        for i in range(0, 50, 7):
            for new in range(0, 30, 3):
                moved = np.array(values)
                moved[i] = new
                assert abs(counts.gap(sample_of(moved)) - before) <= 1


def test_entries_that_stand_for_many_records():
    counts, points, times = some_counts(30, 50, 6), np.array([7, 3, 7], np.uint64), np.array([20, 5, 25])
    grouped = Sample(points, np.ones(3, bool), times, 50)
    assert counts.gap(grouped) == counts.gap(sample_of(np.repeat(points, times)))


@pytest.mark.parametrize("N", [2**64, 2**64 + 1, 2**200])
def test_answers_on_long_lines_are_whole_monotone_and_the_same_for_arrays(N):
    """Halves and quarters of cells get halves and quarters of their records, and nothing overflows."""
    line, n = Line(0, N - 1), 10**9
    counts = LineCounts(n, line, (0, N // 4, N // 2), (0, 10, n - 10, n))
    kind = np.uint64 if N <= 2**64 else object
    at = sorted({0, 1, N // 8, N // 4, N // 4 + 1, 3 * N // 8, N // 2, 3 * N // 4, N - 1})
    answers = [counts.below_number(t) for t in at]
    assert answers == sorted(answers) and counts._cells.at(np.array(at, kind)).tolist() == answers
    assert abs(counts.below_number(3 * N // 8) - n // 2) <= 1 and counts.below_number(N) == n
    last = np.array([N - 1] * 3, kind)
    assert counts.gap(Sample(last, np.ones(3, bool), None, 3)) >= n - 13


def test_products_stay_within_machine_integers():
    cells = MachineCells.of((0, 5), (0, 2**50, 2**51), 2**64)
    assert max(cells.steps) <= 2**cells.bits
    assert max(W * int(slope) for W, slope in zip(cells.steps, cells.slopes, strict=True)) < 2**63


def test_quantiles_are_the_smallest_values_with_enough_records():
    for _ in range(30):
        counts = some_counts(40, 60, 6)
        answered = all_below(counts)
        for q in (Fraction(0), Fraction(1, 100), Fraction(1, 3), Fraction(1, 2), Fraction(9, 10), Fraction(1)):
            value = counts.quantile(q)
            assert answered[value + 1] >= q * 60
            assert value == 0 or answered[value] < q * 60
    assert LineCounts(5, Line(0, 9), (0,), (0, 0)).quantile(Fraction(1, 2)) == 0


def test_tables_and_synthetic_rows():
    days = LineCounts(100, Line(date(2026, 1, 1), date(2026, 1, 31)), (0, 10), (0, 75, 100))
    assert days.counts() == {
        "value from": [date(2026, 1, 1), date(2026, 1, 11)],
        "value to": [date(2026, 1, 10), date(2026, 1, 31)],
        "records": [75, 25],
    }
    rows = days.rows(40, SYSTEM)["value"]
    assert sum(day <= date(2026, 1, 10) for day in rows) == 30
    assert set(rows) <= {date(2026, 1, day) for day in range(1, 32)}
    assert days.quantile(Fraction(3, 4)) == date(2026, 1, 10)


def test_a_column_of_a_table():
    on_age = Thresholds(0, 9, direction="above").on("age")
    counts = LineCounts(10, on_age.domain, (0, 5), (0, 4, 10))
    assert counts.count(on_age.hypothesis(5)) == 6
    assert line_of(on_age.domain) == Line(0, 9)
    assert list(counts.counts()) == ["age from", "age to", "records"]
    with pytest.raises(Refused):
        counts.count(Thresholds(0, 9, direction="above").on("height").hypothesis(5))


@over(
    "query",
    [
        *(Threshold(2.5), Threshold(10), Threshold(-1), Threshold("a"), Threshold(date(2026, 1, 1))),
        *(Interval(2, 3), OneOf(frozenset([3]))),
    ],
)
def test_queries_outside_the_class(query):
    with pytest.raises(Refused, match="hypothesis"):
        LineCounts(10, Line(0, 9), (0, 5), (0, 4, 10)).count(query)


def test_steps_and_their_last_one():
    """The high end of a line with a step may lie between two of its values."""
    H = Intervals(0, 10.3, step=0.5)
    counts = LineCounts(21, H.domain, tuple(range(21)), tuple(range(22)), intervals=True)
    assert [counts.count(H.hypothesis(*ends)) for ends in ((0, 10.3), (0, 0), (1, 2), (10, 10.3))] == [21, 1, 3, 1]
    T = Thresholds(0, 10.3, step=0.5, direction="above")
    assert counts.count(T.hypothesis(9)) == 3 and counts.count(T.hypothesis(0)) == 21


@over(("starts", "below"), [((0, 0), (0, 1, 2)), ((1,), (0, 1)), ((0,), (1, 1)), ((0, 3), (0, 2, 1)), ((0,), (0, 11))])
def test_cells_and_counts_must_fit_together(starts, below):
    with pytest.raises(ValueError, match="cells must start"):
        LineCounts(10, Line(0, 9), starts, below)


def test_they_can_be_stored():
    counts = some_counts(1000, 50, 6, intervals=True)
    assert restored(stored(counts)) == counts
    assert all(a < b for a, b in pairwise(counts.starts))
