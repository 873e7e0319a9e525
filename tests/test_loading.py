"""Models, releases, and schemas in files: each says itself what it holds."""

import json
import pickle
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal

import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Label, Schema, Unit
from privpac.loading import load
from privpac.refusals.refusal import Refused

AGES = {"age": [21, 34, 70, 85] * 100}


@pytest.fixture(scope="module")
def clf():
    return pp.PrivateClassifier(pp.Thresholds(0, 120, direction="above"), feature="age").fit(AGES, [0, 0, 1, 1] * 100)


def test_a_model_is_saved_and_loaded(clf, tmp_path):
    model = pp.model_of(clf, "late")
    model.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == model
    clf.save(str(tmp_path / "fitted.json"), label="late")
    assert (tmp_path / "fitted.json").read_bytes() == (tmp_path / "model.json").read_bytes()
    assert load(tmp_path / "fitted.json").predict({"age": [0, 120]}).tolist() == [0, 1]


def test_a_release_is_saved_and_loaded(tmp_path):
    release = pp.PrivateRelease(pp.Thresholds(0, 120, direction="above"), epsilon=1, feature="age").fit(AGES)
    for each, name in ((release, "fitted"), (release.released(), "release")):
        each.save(tmp_path / name)
        assert load(tmp_path / name) == release.released()


SCHEMA = Schema(
    (
        Column("age", "integer", low=0, high=2**70),
        Column("blood pressure", "decimal", low=Decimal("0.0"), high=Decimal("300.0"), step=Decimal("0.5")),
        Column("w", "float64", low=-1e-30, high=2.5),
        Column("day", "date", low=date(2020, 1, 1), high=date(2026, 12, 31), step="7d"),
        Column("at", "datetime", low=datetime(2020, 1, 1, 8, 30), high=datetime(2026, 12, 31)),
        Column("ward", "category", values=("A", 'B "north"', "C\x7f\\"), description="of the clinic"),
        Column("smoker", "category", values=(True, False)),
        Column("city", "category", open=True),
        Column("icd", "code", separator="/", height=3, values=("J", "K")),
        Column("note", "text"),
    ),
    Label("late", ("no", "yes")),
    Unit("patient", 3),
    title="Visits",
    owner="Ada",
)


def test_a_schema_is_saved_and_loaded(tmp_path):
    for schema in (SCHEMA, Schema(SCHEMA.columns[:1])):
        schema.save(tmp_path / "schema.toml")
        assert load(tmp_path / "schema.toml") == Schema.read(tmp_path / "schema.toml") == schema
    (tmp_path / "schema.toml").rename(tmp_path / "declared")  # by what it says, and not by its name
    assert load(tmp_path / "declared") == schema


def test_what_people_wrote_is_saved_as_they_wrote_it(tmp_path):
    text = "# from the handbook\n[columns.age]\nkind = 'integer'\nlow = 0\nhigh = 0x78\n"
    schema = Schema.parse(text)
    assert schema.to_toml() == text
    other = replace(schema, title="Ages")
    assert Schema.parse(other.to_toml()) == other and "handbook" not in other.to_toml()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"age,late\n1,0\n", "is neither JSON nor TOML; give a model, a release, or a schema"),
        (b"\xff\xfe", "is not UTF-8 text; give a model"),
        (b"", "is neither JSON nor TOML"),
        (b'{"a": 1}', "is something else; give a model"),
        (b'{"privpac model": 1, "privpac release": 1}', "is something else"),
        (b'{"privpac model": 1}', "is not a model that privpac wrote"),
        (b'{"privpac model": 99}', "in another format"),
        (b'{"privpac', "this is not JSON"),
        (b"[columns.age]\nkind = 'integre'\n", "line 2: in [columns.age], kind must be one of integer"),
        (pickle.dumps({"privpac model": 1}), "is not UTF-8 text"),
    ],
)
def test_other_files_are_refused(tmp_path, content, told):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError) as refusal:
        load(tmp_path / "file")
    assert told in str(refusal.value)


def test_a_changed_model_is_refused(clf, tmp_path):
    plain = json.loads(pp.model_of(clf).to_json())
    plain["certificate"]["privacy"]["epsilon"] = {"fraction": "1/10"}
    (tmp_path / "model.json").write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(ValueError):
        load(tmp_path / "model.json")


def test_it_is_public():
    assert pp.load is load


def test_a_missing_file_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.json")
    with pytest.raises(Refused):
        (tmp_path / "x.toml").write_text("a = ", encoding="utf-8")
        load(tmp_path / "x.toml")
