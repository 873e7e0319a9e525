"""Schemas: what a file declares becomes classes; what is wrong with it is one sentence with its line."""

import re
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import ibis
import pytest

from privpac.classes.schemas.classes_by_name import over_schema
from privpac.classes.schemas.columns import KEYS
from privpac.classes.schemas.schema import Column, Label, Schema, Unit
from privpac.classes.schemas.template import template
from privpac.classes.tree_orders.paths import StartsWith
from privpac.classes.values.points import Points
from privpac.data.domains.with_missing import WithMissing
from privpac.refusals.refusal import Refused

TEXT = """\
[label]
column = "late"
classes = ["no", "yes"]
[unit]
column = "patient"
max_records = 3
[columns.age]
kind = "integer"
low = 0
high = 120
step = 1
description = "in years"
[columns.carrier]
kind = "category"
values = ["EV", "UA", "B6"]
[columns.icd]
kind = "code"
separator = ""
height = 7
[columns.dose]
kind = "decimal"
low = 0
high = 99.50
[columns.pressure]
kind = "float64"
low = 0.5
high = 300
[columns.day]
kind = "date"
low = 2020-01-01
high = 2026-12-31
[columns.at]
kind = "datetime"
low = 2020-01-01T00:00:00
high = "2026-12-31T00:00"
step = "15m"
[columns.note]
kind = "text"
[columns.plane]
kind = "category"
open = true
[columns.road]
kind = "code"
separator = "/"
values = ["A/1", "B"]
"""


def test_what_a_file_declares():
    schema = Schema.parse(TEXT)
    assert schema.label == Label("late", ("no", "yes")) and schema.unit == Unit("patient", 3)
    assert schema.settings == {"classes": ("no", "yes"), "max_records": 3}
    column = {each.name: each for each in schema.columns}
    assert (column["age"].step, column["age"].description, column["at"].step) == (1, "in years", "15m")
    lines = {name: each.concept_class.domain for name, each in column.items() if each.ordered}
    assert {name: (line.kind, line.low, line.high) for name, line in lines.items()} == {
        "age": ("integer", 0, 120),
        "dose": ("decimal", 0, Decimal("99.50")),
        "pressure": ("float", 0.5, 300.0),
        "day": ("datetime64[D]", date(2020, 1, 1), date(2026, 12, 31)),
        "at": ("datetime64[us]", datetime(2020, 1, 1), datetime(2026, 12, 31)),
    }
    assert lines["dose"].precision == 2
    assert {name: each.concept_class for name, each in column.items() if name not in lines} == {
        "carrier": Points().among(("EV", "UA", "B6")),
        "icd": StartsWith(None, 7),
        "note": Points(),
        "plane": Points(),
        "road": StartsWith("/").among(("A/1", "B")),
    }


def test_entries_that_may_be_missing():
    text = TEXT.replace("step = 1\n", 'step = 1\nmissing = true\nna = ["", "NA"]\n').replace(
        '"B6"]', '"B6"]\nmissing = true'
    )
    schema = Schema.parse(text)
    age, carrier = schema.column("age"), schema.column("carrier")
    assert age.part.domain.columns[0] == WithMissing(age.concept_class.domain, ("", "NA"))
    assert carrier.part.domain.columns[0].decode(3) is None
    assert Schema.parse(replace(schema, title="other").to_toml()).columns == schema.columns
    assert not schema.column("dose").part.domain.optional and schema.trees().domain.optional
    cuts = over_schema(schema, "thresholds", {}, ["age"])
    assert (cuts.depth, cuts.parts) == (1, (age.part,))
    for name, column in (("intervals", "age"), ("points", "carrier")):
        with pytest.raises(Refused, match=f"entries of '{column}' may be missing, and {name} have no rule for that"):
            over_schema(schema, name, {}, [column])


def test_trees_read_the_columns_whose_tests_can_be_listed():
    trees = Schema.parse(TEXT).trees(depth=1)
    assert trees.depth == 1
    assert trees.domain.column_names == ("age", "carrier", "dose", "pressure", "day", "at", "road")
    assert Schema.parse(TEXT).trees().depth == 2
    assert Schema.parse(TEXT).scorecards().domain.column_names == trees.domain.column_names
    assert Schema.parse(TEXT).scorecards(pairs=True).pairs and not Schema.parse(TEXT).scorecards().pairs
    rows = {"age": [30, 40], "carrier": ["EV", "UA"], "dose": [Decimal(1)] * 2, "pressure": [9.0] * 2}
    rows |= {"day": [date(2021, 1, 1)] * 2, "at": [datetime(2021, 1, 1)] * 2, "road": ["A/1/2", "A/2"]}
    assert [str(rule) for rule in trees.representatives(rows)] == ["never", "always", "age < 40", "age ≥ 40"]


def test_a_step_may_be_longer_than_any_float():
    assert Schema.parse(TEXT.replace("step = 1", f"step = {10**400}")).column("age").concept_class.domain.size == 1


def test_nothing_to_test_is_refused():
    with pytest.raises(Refused, match="line 3: no column of the schema can be a test"):
        Schema.parse('\n\n[columns.note]\nkind = "text"\n').trees()


def test_the_file_is_read_as_text(tmp_path):
    file = tmp_path / "schema.toml"
    file.write_bytes(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
    assert Schema.read(file) == Schema.read(str(file)) == Schema.parse(TEXT)
    file.write_bytes(b"\xff")
    with pytest.raises(Refused, match="is not UTF-8"):
        Schema.read(file)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        (
            "[label]",
            "[lable]",
            1,
            "a schema has no key 'lable'; its keys are title, purpose, owner, separator, encoding, "
            "decimal_comma, on_invalid, label, unit, columns",
        ),
        ("low = 0", "lwo = 0", 9, "[columns.age] has no key 'lwo'; its keys are kind, low, high"),
        ("max_records", "most", 6, "[unit] has no key 'most'; its keys are column, max_records"),
        ("low = 0", "low = 200", 9, "in [columns.age], low must not exceed high"),
        ("low = 0", "low = 0.5", 9, "low must be a whole number like 120"),
        ("low = 0", "low = true", 9, "low must be a whole number like 120"),
        ("low = 0\n", "", 7, "a column of kind integer needs low; declare it from what you know"),
        ("low = 0.5", "low = nan", 26, "finite"),
        ("high = 300", "high = inf", 27, "finite"),
        ("high = 99.50", 'high = "much"', 23, "'much' is not a valid decimal"),
        ("low = 2020-01-01", "low = 2020-01-01T00:00:00", 30, "low must be a date like 2026-01-31"),
        ("2020-01-01T00:00:00", "2020-01-01T00:00:00Z", 34, "must not have a time zone"),
        ("2020-01-01T00:00:00", "2020-01-01", 34, "low must be a time like"),
        ("step = 1", "step = 0", 11, 'step must be a positive whole number such as 5, or "finest"'),
        ("step = 1", "step = 0.5", 11, "whole number"),
        ('"15m"', "15", 36, "step must be a duration"),
        ('"UA"', '"EV"', 15, "in [columns.carrier], 'EV' is among the values twice; name each value once"),
        ('["EV", "UA", "B6"]', "[]", 15, "at least one value"),
        ('["EV", "UA", "B6"]', '"any"', 15, "values must be a list"),
        ('["EV", "UA", "B6"]', '[["EV"]]', 15, "values must be a list"),
        ("open = true", "open = false", 39, "values = [...], all that may occur, or open = true"),
        ("open = true", 'open = "yes"', 41, "open must be true or false"),
        ("open = true", 'open = true\nvalues = ["A"]', 42, "one of the two"),
        ('kind = "text"', 'kind = "string"', 38, "kind must be one of integer, decimal"),
        ('kind = "text"', 'kind = ["text"]', 38, "kind must be one of integer, decimal"),
        ('kind = "text"', "", 37, "[columns.note] has no kind; add kind = one of integer"),
        ('kind = "text"', 'kind = "text"\nlow = 0', 39, "a column of kind text has no low; remove it"),
        ('kind = "text"', 'kind = "text"\ndescription = 3', 39, "description must be text"),
        ("step = 1", "step = 1\nmissing = 1", 12, "in [columns.age], missing must be true or false"),
        ("step = 1", 'step = 1\nna = ["NA"]', 12, "declare missing = true as well"),
        ("step = 1", 'step = 1\nmissing = true\nna = "NA"', 13, "na must be a list of texts"),
        ('"B6"]', '"B6"]\nmissing = true\nna = ["UA"]', 17, "a text in na is also a declared value"),
        ("height = 7", "height = 0", 19, "height must be a whole number"),
        ('separator = ""', "separator = 7", 18, "separator must be text"),
        ('["A/1", "B"]', '["A/1", "/A//1"]', 45, "name the same node"),
        ('["A/1", "B"]', '["A/1", 7]', 45, "the values of a code must be texts"),
        ('["A/1", "B"]', "[1e999999999]", 45, "values may have at most 2,000 digits"),
        ('["EV", "UA", "B6"]', "[-0.5, -0.50]", 15, "in [columns.carrier], −0.5 is among the values twice"),
        ("low = 0", f"low = 0x{'f' * 4000}", 9, "low is too long"),
        ("high = 99.50", f"high = 0x{'f' * 4000}", 23, "high is too long"),
        ("high = 300", f"high = 0x{'f' * 300}", 27, "finite"),
        ("step = 1", f"step = 0x{'f' * 4000}", 11, "step is too long"),
        ("step = 1", "step = nan", 11, "step must be a positive whole number"),
        ("[columns.note]", "[columns.late]", 37, "the column 'late' is the label, so rules must not read it"),
        ("[columns.note]", "[columns.patient]", 37, "the column 'patient' is the unit"),
        ('column = "patient"', 'column = "late"', 5, "the unit is also the label"),
        ('column = "late"', "column = 3", 2, "column must be the name of a column"),
        ('["no", "yes"]', '["no"]', 3, "classes must be two different labels"),
        ('["no", "yes"]', '["no", "no"]', 3, "classes must be two different labels"),
        ('["no", "yes"]', "[0.5, 1.5]", 3, "labels must be texts, whole numbers"),
        ('classes = ["no", "yes"]\n', "", 1, "[label] needs classes; name the two labels"),
        ("max_records = 3", "max_records = 0", 6, "max_records must be a whole number, at least 1"),
        ("[columns.note]", "[columns.age]", 37, "this table is declared twice"),
        ("low = 0\n", "low = 0\nlow = 1\n", 10, "this key is set twice"),
        ('[columns.note]\nkind = "text"', '[columns]\nnote = "text"', 38, "columns.note must be a table"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line(old, new, line, words):
    assert TEXT.count(old) >= 1
    with pytest.raises(Refused) as refused:
        Schema.parse(TEXT.replace(old, new, 1), "schema.toml")
    assert re.fullmatch(rf"schema\.toml, line {line}: [^\n]*{re.escape(words)}[^\n]*", str(refused.value))
    assert refused.value.parameter == "schema"


@pytest.mark.parametrize("text", ["", "[columns]", '[label]\ncolumn = "late"\nclasses = [0, 1]'])
def test_a_schema_has_columns(text):
    with pytest.raises(Refused, match="line 1: the schema declares no columns"):
        Schema.parse(text)


def test_a_schema_of_another_table_is_refused_with_the_line():
    schema = Schema.parse(TEXT, "schema.toml")
    names = ["late", "patient", *(column.name for column in schema.columns)]
    schema.check_names([*names, "more"])
    for missing, line in (("late", 2), ("patient", 5), ("age", 7), ("plane", 39)):
        there = [name for name in names if name != missing]
        with pytest.raises(Refused, match=rf"^schema\.toml, line {line}: the table has no column '{missing}'; correct"):
            schema.check_names(there)
    schema.check_names(["age"], read=["age"])
    with pytest.raises(Refused, match="line 7: the table has no column 'age'"):
        schema.check_names(["late"], read=["age"])
    with pytest.raises(Refused, match="the schema declares no column 'ages'; its columns are age, carrier"):
        schema.check_names(["ages"], read=["ages"])


def test_a_schema_made_in_python_is_checked_too():
    age = Column("age", "integer", low=0, high=120)
    assert Schema((age,)).settings == {}
    with pytest.raises(Refused, match="'age' is declared twice"):
        Schema((age, age))
    with pytest.raises(Refused, match="'age' is the label"):
        Schema((age,), Label("age", (0, 1)))


TYPES = {
    "age": "int64",
    "weight": "float64",
    "dose": "decimal(9, 2)",
    "born": "date",
    "seen at": "timestamp",
    "smoker": "!boolean",
    "ward": "string",
    "codes": "array<string>",
}


def test_a_template_says_what_the_types_say_and_nothing_else():
    text = template({name: ibis.dtype(kind) for name, kind in TYPES.items()}, "visits.parquet")
    sections = dict(re.findall(r'^\[columns\."?(.*?)"?\] *# stored as .*\n(.*)\n', text, re.MULTILINE))
    kinds = {name: re.findall(r'^kind = "(.*)"', line) for name, line in sections.items()}
    assert kinds == {
        "age": ["integer"],
        "weight": ["float64"],
        "dose": ["decimal"],
        "born": ["date"],
        "seen at": ["datetime"],
        "smoker": ["category"],
        "ward": [],
        "codes": [],
    }
    assert not re.search(r"^(low|high|column|classes)", text, re.MULTILINE)
    assert all(kind in text for kind in KEYS) and "public" in text


def test_the_name_of_a_file_stays_in_its_comment():
    text = template({"age": ibis.dtype("int64")}, "visits\n[columns.evil]\n.csv")
    assert [name for name, _ in re.findall(r"^(\[.*?\])( |$)", text, re.MULTILINE)] == ["[label]", "[columns.age]"]


def test_a_template_can_be_completed():
    text = template({"age": ibis.dtype("int64"), "ward": ibis.dtype("string"), "late": ibis.dtype("string")}, "v.csv")
    with pytest.raises(Refused, match=r"\[label\] needs column; .*, or remove the section"):
        Schema.parse(text)
    filled = text.partition("\n[columns.late]")[0]
    for blank, value in (
        ('# column = ""', 'column = "late"'),
        ("# classes", "classes"),
        ("# low = ", "low = 0"),
        ("# high = ", "high = 120"),
        ('# kind = ""', 'kind = "category"\nvalues = ["A", "B"]'),
    ):
        filled = filled.replace(blank, value, 1)
    schema = Schema.parse(filled)
    assert schema.trees().domain.column_names == ("age", "ward") and schema.label.classes == ("no", "yes")
