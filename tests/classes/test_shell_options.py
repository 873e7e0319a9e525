"""Bounds and whole numbers, as people write them in a shell."""

from datetime import date, datetime

import pytest

from privpac.classes.shell_options import bound, column_part, whole
from privpac.refusals.refusal import Refused


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


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("01/01/2026", "a date as 2026-01-31"),
        ("31.12.26 08:30", "a date as 2026-01-31"),
        ("2026/12/31", "a date as 2026-01-31"),
        ("31-Dec-2026", "a date as 2026-01-31"),
        ("0,0", "a number as 0.5"),
        ("-1.234,5", "a number as 0.5"),
        ("1,234.5", "a number as 0.5"),
    ],
)
def test_dates_and_numbers_in_another_spelling_are_not_read_as_text(text, instead):
    with pytest.raises(Refused, match=instead) as refusal:
        bound(text, parameter="high")
    assert refusal.value.parameter == "high"
    assert bound(text, "string") == text


@pytest.mark.parametrize("text", ["A00", "I21.0", "5-820.00", "10.0.0.1", "a,b", "1-a-2", "Süd 2", "J10 2026"])
def test_other_texts_remain_texts(text):
    assert bound(text) == text


def test_a_part_says_how_to_declare_text():
    with pytest.raises(Refused, match=r"HIGH 31/12/2026 would be read as text; .*, or say kind=string$"):
        column_part("day thresholds 2026-01-01 31/12/2026")
    assert column_part("day thresholds 01/01/2026 31/12/2026 kind=string").column == "day"


@pytest.mark.parametrize("part", ["delay thresholds 0 150 step=1 step=2", "job points size=2 size=2"])
def test_an_option_that_a_part_sets_twice_is_refused(part):
    with pytest.raises(Refused, match=r"sets an option twice; set each option once$"):
        column_part(part)
