"""Labels declared as a condition: the same label for the same entry, wherever the table lives."""

from datetime import date
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privpac as pp
from privpac.classes.schemas.schema import Column, Label, Schema
from privpac.data.counting.misfits import misfits
from privpac.data.open_table import open_table
from privpac.data.samples.label_conditions import LabelCondition
from privpac.data.values.columns import objects
from privpac.learners.model import model_of

PRICES = ["4999.99", "5000", "5000.0", "1e4", " 7000", "", "free", "-1", "inf"]
LABELS = ["no", "yes", "yes", "yes", "yes", None, None, "no", "yes"]


def test_numbers_in_any_spelling_and_type():
    condition = LabelCondition("price", at_least=5000)
    assert condition.labels_of(objects([text or None for text in PRICES])).tolist() == LABELS
    assert condition.labels_of(np.array([4999.5, 5000.0, np.nan])).tolist() == ["no", "yes", None]
    assert condition.labels_of(objects([Decimal("5000.01"), None, 10**40, "?"])).tolist() == ["yes", None, "yes", None]
    tenths = LabelCondition("share", at_least=Decimal("0.1"))
    assert tenths.labels_of(np.array([0.1, 0.09])).tolist() == ["yes", "no"]
    days = LabelCondition("day", at_least=date(2026, 2, 1))
    assert days.labels_of(objects(["2026-02-01", "2026-01-31", "2026-02-30"])).tolist() == ["yes", "no", None]


def test_lists_of_values():
    condition = LabelCondition("ward", one_of=["A", "B"])
    assert condition.name == "ward is A or B"
    assert condition.labels_of(objects(["A", "C", None, "b"])).tolist() == ["yes", "no", None, "no"]
    grades = LabelCondition("grade", one_of=(1,))
    assert grades.labels_of(np.array([1, 2])).tolist() == ["yes", "no"]
    assert grades.labels_of(objects(["1.0", "2", ""])).tolist()[:2] == ["yes", "no"]


def test_an_entry_that_no_engine_reads_has_no_label(tmp_path):
    entries = ["A", "B", "9" * 20_000]
    pq.write_table(pa.table({"x": [1, 2, 3], "y": entries}), tmp_path / "a.parquet")
    assert LabelCondition("y", one_of=("A",)).labels_of(objects(entries)).tolist() == ["yes", "no", None]
    assert LabelCondition("y", one_of=("A",)).labels_of(objects(["A", object()])).tolist() == ["yes", None]
    assert LabelCondition("y", at_least=0.5).labels_of(objects(["1.5", entries[2]])).tolist() == ["yes", None]
    check = misfits(LabelCondition("y", one_of=("A",)).domain, open_table(tmp_path / "a.parquet"), "y")
    assert check.missing == 1  # in a file, such a text is missing


@pytest.mark.parametrize("entry", [None, "old", "1e999", b"\xff", ("a",), float("nan"), 10**4000])
def test_one_odd_entry_changes_no_other_label(entry):
    for condition in (LabelCondition("x", at_least=3), LabelCondition("x", one_of=(3, 4))):
        labels = condition.labels_of(objects([2, 3, 4, entry])).tolist()
        assert labels[:3] == condition.labels_of(objects([2, 3, 4])).tolist()


@pytest.mark.parametrize(
    "keys", [{}, {"at_least": True}, {"at_least": "5"}, {"one_of": []}, {"one_of": "A"}, {"at_least": 1, "one_of": [1]}]
)
def test_what_is_no_condition_is_refused(keys):
    with pytest.raises(ValueError, match=r"at_least|one_of|classes"):
        Label("price", **keys)


def test_a_condition_and_classes_are_refused_together():
    with pytest.raises(ValueError, match="remove classes"):
        Label("price", ("no", "yes"), at_least=3)
    text = (
        '[label]\ncolumn = "price"\nweights = [1, 9]\nat_least = 5000\n\n'
        '[columns.area]\nkind = "integer"\nlow = 0\nhigh = 300\n'
    )
    schema = Schema.parse(text)
    assert Schema(schema.columns, schema.label).to_toml() == text
    with pytest.raises(ValueError, match="remove classes"):
        Schema.parse(text.replace("weights = [1, 9]", 'classes = ["a", "b"]'))


def tables(area, price, folder):
    frame = pa.table({"area": area, "price": price})
    text = "area,price\n" + "".join(f"{a},{p}\n" for a, p in zip(area, price, strict=True))
    (folder / "houses.csv").write_text(text)
    pq.write_table(frame, folder / "houses.parquet")
    database = ibis.sqlite.connect(folder / "houses.db")
    database.raw_sql("CREATE TABLE houses (area INTEGER, price INTEGER)").close()
    rows = ", ".join(f"({a}, {p})" for a, p in zip(area, price, strict=True))
    database.raw_sql(f"INSERT INTO houses VALUES {rows}").close()
    database.con.commit()
    yield from (open_table(folder / f"houses.{ending}") for ending in ("csv", "parquet", "db"))
    yield pd.DataFrame({"area": area, "price": price})


@pytest.mark.slow
def test_rules_from_files_databases_and_frames_are_alike(tmp_path):
    area = [20 + i % 150 for i in range(400)]
    price = [100 * each + (7 * i) % 50 for i, each in enumerate(area)]
    schema = Schema((Column("area", "integer", low=0, high=300),), Label("price", at_least=10_000))
    rules = []
    for table in tables(area, price, tmp_path):
        clf = pp.PrivateClassifier(schema.trees(depth=1), epsilon=20, random_state=1, **schema.settings)
        model = model_of(clf.fit(table, "price"))
        rules.append(str(model))
        assert set(clf.predict(pd.DataFrame({"area": [20, 160]}))) == {"no", "yes"}
    assert len(set(rules)) == 1 and rules[0].startswith("price ≥ 10000 = yes if area ≥ ")


@pytest.mark.parametrize(
    "keys", [{"at_least": 5000}, {"at_least": date(2026, 2, 1)}, {"one_of": ["A"]}, {"one_of": [0, 1]}]
)
def test_made_up_rows_have_both_labels(keys):
    label = Label("price", **keys)
    entries = Schema((Column("age", "integer", low=0, high=9),), label).mock(50)["price"]
    assert set(label.classes.labels_of(objects(entries)).tolist()) == {"no", "yes"}
