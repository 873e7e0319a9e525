"""Made-up rows: they fit the schema, whatever its kinds, spread over its values, and depend on the schema alone."""

from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from privpac.classes.schemas.mock_rows import mock_rows
from privpac.classes.schemas.schema import Column, Label, Schema
from privpac.refusals.refusal import Refused

EVERY_KIND = """
[label]
column = "late"
classes = ["no", "yes", "unknown"]
[unit]
column = "patient"
max_records = 3
[columns.age]
kind = "integer"
low = -5
high = 120
[columns.dose]
kind = "decimal"
low = 0.00
high = 0.25
missing = true
[columns.weight]
kind = "float64"
low = -1e-3
high = 1e9
[columns.day]
kind = "date"
low = 2024-02-28
high = 2024-03-01
[columns.time]
kind = "datetime"
low = 2026-01-01T00:00:00
high = 2026-01-01T00:00:09
[columns.ward]
kind = "category"
values = ["A", "B"]
[columns.city]
kind = "category"
open = true
[columns.note]
kind = "text"
[columns.icd]
kind = "code"
height = 7
[columns.path]
kind = "code"
separator = "/"
height = 2
[columns.carrier]
kind = "code"
values = ["EV", "UA"]
"""


def test_rows_of_every_kind_fit_and_are_the_same_each_time():
    schema = Schema.parse(EVERY_KIND)
    table = schema.mock(500)
    assert {*map(len, table.values())} == {500} and list(table)[:2] == ["late", "patient"]
    assert table == schema.mock(500)
    assert 20 < table["dose"].count(None) < 100  # one in ten, on average
    for column in schema.columns:
        domain = column.part.domain.columns[0]
        assert domain.points(table[column.name]) is not None, column.name
    assert {*table["late"]} == {*schema.label.classes}
    assert max(Counter(table["patient"]).values()) == 3
    assert {str(day) for day in table["day"]} == {"2024-02-28", "2024-02-29", "2024-03-01"}


def test_values_are_equally_likely_and_columns_independent():
    """Size: each count is within six standard deviations of 500 of 1000."""
    pair = tuple(Column(name, "integer", low=0, high=1) for name in "ab")
    rows = mock_rows(pair, 1000, {}, {})
    assert all(abs(sum(rows[name]) - 500) < 6 * 16 for name in "ab")
    assert abs(sum(a == b for a, b in zip(rows["a"], rows["b"], strict=True)) - 500) < 6 * 16


@pytest.mark.parametrize("rows", [-1, 2.5, True, "3"])
def test_a_number_of_rows_that_is_none_is_refused(rows):
    with pytest.raises(Refused, match="rows must be a whole number, at least 0"):
        Schema((Column("age", "integer", low=0, high=9),), Label("late", (0, 1))).mock(rows)


def test_the_rule_for_misfits_is_read_written_and_checked():
    schema = Schema.parse('on_invalid = "clamp"\n' + EVERY_KIND)
    assert schema.settings["on_invalid"] == schema.on_invalid == "clamp"
    again = Schema(schema.columns, schema.label, schema.unit, on_invalid="clamp")
    assert again == schema and Schema.parse(again.to_toml()) == schema
    with pytest.raises(Refused, match=r'line 1: on_invalid must be one of "raise", "clamp", "default"'):
        Schema.parse('on_invalid = "drop"\n' + EVERY_KIND, str(Path("schema.toml")))


@pytest.mark.parametrize("asked", [{"at_least": 5000}, {"at_least": date(2026, 1, 31)}, {"one_of": ("A", "B")}])
def test_entries_under_a_condition_have_both_labels(asked):
    label = Label("price", **asked)
    schema = Schema((Column("age", "integer", low=0, high=120),), label)
    prices = np.array(schema.mock(100)["price"], dtype=object)
    assert set(label.condition.labels_of(prices)) == {"no", "yes"}
