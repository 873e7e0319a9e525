"""Bounds and whole numbers, as people write them in a shell."""

from datetime import date, datetime

import pytest

from privpac.classes.shell_options import bound, whole


def test_bounds_as_they_are_written():
    assert [bound(text) for text in ("1_000", "2**10", "-2^3", "2^64+1", "1e3")] == [1000, 1024, -8, 2**64 + 1, 1000.0]
    assert bound("2026-01-31T12:30") == datetime(2026, 1, 31, 12, 30)
    assert bound("20260131", "date") == date(2026, 1, 31)
    assert bound("7", "float64") == 7.0
    assert isinstance(bound("7", "float64"), float)
    assert bound("1.10", "decimal").as_tuple().exponent == -2


def test_a_power_beyond_reason_is_refused_at_once():
    with pytest.raises(ValueError, match="whole number"):
        whole("2^99999999", "side")
