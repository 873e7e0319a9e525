"""Declarations from noisy counts: kinds, round bounds, values, labels, records per unit, and reasons for none."""

from datetime import date
from decimal import Decimal

import pytest

from privpac.mechanisms.histograms.column_histograms import ShownKeys
from privpac.release.suggestions.declarations import Source, rounded, suggestion_for
from privpac.release.suggestions.entry_cells import BEYOND, MISSING, cells, key_of
from tests.grid import over

LIMIT = 50


def found(form, entries=(), keys=(), n=10_000, role="column", counts=()):
    """What is suggested where 1000 records have each of these entries, and nothing else is seen."""
    listed = {key_of(form, entry): 1000 for entry in entries} | dict(counts)
    shown = ShownKeys(tuple(listed.get(cell, 0) for cell in cells(form)), tuple(keys))
    return suggestion_for(Source("c", form, role), shown, n, LIMIT)


@over(
    ("entries", "kind", "low", "high"),
    [
        *((("17", "90"), "integer", 0, 200), (("1000", "1023"), "integer", 500, 2000)),
        *((("1500", "2500"), "integer", 1000, 5000), (("-15", "100"), "integer", -20, 200)),
        *((("-100", "-70", "-40"), "integer", -200, -20), (("-100", "-1"), "integer", -200, 0)),
        *((("0.2", "0.9"), "float64", 0.0, 1.0), (("0", "0.3"), "float64", 0.0, 0.5)),
        *((("1", "0.1", "900.5"), "float64", 0.0, 2000.0), (("90.5", "150.5"), "float64", 0.0, 500.0)),
        *((("2019-05-05", "2021-01-01"), "date", date(2019, 1, 1), date(2021, 12, 31)),),
    ],
)
def test_bounds_are_round_and_hold_what_was_seen(entries, kind, low, high):
    column = found("text", entries).declared
    assert (column.kind, column.low, column.high) == (kind, low, high)


def test_times_have_bounds_in_years():
    column = found("text", ("2020-01-01 08:30", "2021-05-05")).declared
    assert (column.kind, column.low.isoformat(), column.high.isoformat()) == (
        "datetime",
        "2020-01-01T00:00:00",
        "2021-12-31T23:59:59",
    )


@over(
    ("entries", "kind", "form"),
    [
        (("31/01/2021", "03/04/2027"), "date", "%d/%m/%Y"),
        (("01/31/2021", "03/04/2027", "2021-05-05"), "date", "%m/%d/%Y"),
        (("2021.1.31", "2027.4.3"), "date", "%Y.%m.%d"),
        (("31.01.2021 8:30", "3.4.2027 23:59", "31.01.2021"), "datetime", "%d.%m.%Y %H:%M"),
    ],
)
def test_dates_are_declared_as_they_are_written(entries, kind, form):
    column = found("text", entries).declared
    assert (column.kind, column.format) == (kind, form)
    assert (column.low.year, column.high.year) == (2020, 2029)


def test_without_a_day_beyond_12_the_format_is_a_question():
    dates = found("text", ("01/02/2021", "03/04/2026"))
    assert dates.declared is None and 'format = "%d/%m/%Y" or "%m/%d/%Y"' in dates.about


def test_values_are_a_category_if_they_are_nearly_all_and_a_code_otherwise():
    most = found("text", keys=[("b", 6000), ("a", 3900)])
    assert (most.declared.kind, most.declared.values) == ("category", ("a", "b"))
    some = found("text", keys=[("b", 6000), ("a", 1000)])
    assert (some.declared.kind, some.declared.values) == (
        "code",
        ("a", "b"),
    ) and "; other values, perhaps in about 30 %" in some.about
    blank = found("text", ("?",), keys=[("b", 6000), ("a", 3000)])
    assert blank.declared.values == ("?", "a", "b") and not blank.missing


def test_what_is_missing_is_told():
    ages = found("text", ("17", "90", "NA"), counts={MISSING: 500})
    assert (ages.declared.kind, ages.missing) == ("integer", 1500)
    assert (ages.declared.missing, ages.declared.na) == (True, ("NA",))
    wards = found("text", ("?",), keys=[("b", 6000)], counts={MISSING: 3000}).declared
    assert (wards.values, wards.missing, wards.na) == (("?", "b"), True, ())


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        ({}, "no range and no value is frequent enough to be seen"),
        ({"counts": {MISSING: 9000}}, "most entries are missing"),
        ({"counts": {BEYOND: 9000}}, "too long, too large, or of a kind"),
        ({"keys": [("a", 9900)]}, "one value is all that was seen"),
        ({"entries": ("0",)}, "every entry that was seen is 0"),
    ],
)
def test_a_column_without_a_suggestion_has_a_reason(seen, reason):
    suggestion = found("text", **seen)
    assert suggestion.declared is None and reason in suggestion.about


def test_the_rarer_of_two_labels_is_the_positive_one():
    for keys in ([("nein", 900), ("ja", 70)], [("ja", 70), ("nein", 900)]):
        suggestion = found("label", keys=keys, role="label")
        assert suggestion.declared.classes == ("nein", "ja")
        assert suggestion.about.endswith(
            "the second one is the positive one, which rules look for: swap them if that is wrong"
        )
    assert found("label", keys=[(1, 900), (2, 950)], role="label").declared.classes == (2, 1)
    assert found("label", keys=[("ja", 80), ("nein", 80)], role="label").declared.classes == ("ja", "nein")


def test_labels_are_sorted_and_too_many_or_too_few_are_none():
    labels = found("label", keys=[(1, 900), (0, 700)], role="label").declared
    assert labels.classes == (0, 1)
    assert found("label", keys=[("yes", 900), ("no", 700), (3, 100)], role="label").declared.classes == (3, "no", "yes")
    assert found("label", keys=[("yes", 900), ("no", 700)], role="label").declared.classes == ("no", "yes")
    assert "one label" in found("label", keys=[("yes", 900)], role="label").about
    assert "too many" in found("label", keys=[(i, 900) for i in range(20)], role="label").about
    assert found("true label", role="label").declared.classes == (False, True)


def test_nine_of_ten_units_have_all_records_counted():
    sizes = {("size", 0): 6000, ("size", 1): 3500, ("size", 2): 500}
    unit = found("size", counts=sizes, role="unit")
    assert unit.declared.max_records == 3 and "reach up to 7" in unit.about
    assert found("size", role="unit").declared is None


@over(("number", "down", "up"), [("127", "100", "200"), ("0.3", "0.2", "0.5"), ("5", "5", "5"), ("-16", "-20", "-10")])
def test_round_numbers(number, down, up):
    both = [rounded(Decimal(number), up=each) for each in (False, True)]
    assert both == [Decimal(down), Decimal(up)]
