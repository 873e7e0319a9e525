"""``privpac predict``: labels for new records."""

import csv
import io
import json
from dataclasses import replace
from fractions import Fraction
from functools import partial

import pandas as pd
import pytest

from privpac.classes.decision_trees.rules import Answer, LabelSplit
from privpac.classes.lines.rules import Threshold
from privpac.classes.vectors.half_spaces import HalfSpace
from privpac.data.domains.grid import Grid
from privpac.data.domains.line import Line
from privpac.learners.errors.error_estimate import read_counts
from privpac.learners.errors.label_errors import read_label_counts
from privpac.learners.errors.region_counts import LabelCounts, RegionCounts
from privpac.learners.model import Model
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Certificate

LATE = Model(Threshold(37), Line(0, 999), "delay", ("no", "yes"), 10, "t", Certificate(Budget(1)), label="late")
PLANE = Model(HalfSpace((1, -1), 1), Grid(0, 99, 2), ("w", "h"), (0, 1), 10, "t", Certificate(Budget(1)))
TABLE = pd.DataFrame({"delay": [36, 37, 80], "carrier": ["EV", "UA", "DL, inc."], "w": [1, 5, 3], "h": [1, 2, 3]})


@pytest.fixture
def run(tmp_path, monkeypatch, typed):
    """The command in a folder with models and tables: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "late.json").write_text(LATE.to_json(), encoding="utf-8")
    (tmp_path / "plane.json").write_text(PLANE.to_json(), encoding="utf-8")
    TABLE.to_csv("flights.csv", index=False)
    TABLE.to_parquet("flights.parquet")
    return partial(typed, "predict")


@pytest.mark.parametrize("file", ["flights.csv", "flights.parquet"])
def test_predictions_are_one_more_column(run, file):
    code, out, err = run("late.json", file)
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["predicted late"] for row in rows] == ["no", "yes", "yes"]
    assert [row["carrier"] for row in rows] == ["EV", "UA", "DL, inc."]


def test_rules_about_vectors(run):
    assert [line.split(",")[-1] for line in run("plane.json", "flights.csv")[1].splitlines()] == [
        "predicted",
        "0",
        "1",
        "0",
    ]


@pytest.mark.slow
def test_risks_are_another_column(run, tmp_path):
    cells = RegionCounts(Threshold(37), (160, 40, 60, 740), 1000, Fraction(1, 2), Fraction(1, 20))
    (tmp_path / "late.json").write_text(replace(LATE, error=read_counts(cells)).to_json(), encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(run("late.json", "flights.csv", "--risk")[1])))
    assert [row["predicted late"] for row in rows] == ["no", "yes", "yes"]
    low, *high = (float(row["risk of yes"]) for row in rows)
    assert 0.05 < low < 0.1 and 0.75 < high[0] == high[1] < 0.85
    assert json.loads(run("late.json", "flights.csv", "--risk", "--json")[1])["risks"] == [low, *high]
    assert run("late.json", "flights.csv", "--risk", "--out", "p.parquet")[0] == 0
    assert pd.read_parquet("p.parquet")["risk of yes"].tolist() == [low, *high]
    assert "leave out --risk" in run("late.json", "--sql", "--risk")[2]


@pytest.mark.slow
def test_each_of_several_labels_has_a_column_of_risks(run, tmp_path):
    tree, numbers = (LabelSplit(Threshold(37), LabelSplit(Threshold(60), a, b), c) for a, b, c in
                     (map(Answer, ("late", "slow", "on time")), map(Answer, (2, 1, 0))))  # fmt: skip
    cells = LabelCounts(numbers, (160, 30, 20, 60, 300, 80, 10, 20, 900), 1580, Fraction(1, 2), Fraction(1, 20))
    several = replace(LATE, hypothesis=tree, classes=("on time", "slow", "late"), error=read_label_counts(cells))
    (tmp_path / "late.json").write_text(several.to_json(), encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(run("late.json", "flights.csv", "--risk")[1])))
    assert [row["predicted late"] for row in rows] == ["on time", "slow", "late"]
    found = [[float(row[f"risk of {label}"]) for label in several.classes] for row in rows]
    assert [max(range(3), key=each.__getitem__) for each in found] == [0, 1, 2]
    assert all(sum(each) == pytest.approx(1, abs=1e-3) for each in found)
    assert json.loads(run("late.json", "flights.csv", "--risk", "--json")[1])["risks"] == found
    assert run("late.json", "flights.csv", "--risk", "--out", "p.parquet")[0] == 0
    assert pd.read_parquet("p.parquet")["risk of slow"].tolist() == [each[1] for each in found]
    folded = replace(several, error=read_label_counts(replace(cells, noisy=(160, 300, 900, 70, 50, 100))))
    (tmp_path / "late.json").write_text(folded.to_json(), encoding="utf-8")
    code, _, err = run("late.json", "flights.csv", "--risk")
    assert code != 0 and "too few records were held out" in err


def test_risks_that_were_not_measured_are_refused(run):
    code, _, err = run("late.json", "flights.csv", "--risk")
    assert code != 0 and "no measured risks" in err and "--report-error" in err


@pytest.mark.slow
def test_to_a_file(run, tmp_path):
    assert run("late.json", "flights.csv", "--out", "p.csv") == (0, "3 predictions in p.csv\n", "")
    assert run("late.json", "flights.csv", "--out", "p.json", "--json") == (0, "", "")
    assert json.loads((tmp_path / "p.json").read_text("utf-8"))["predictions"] == ["no", "yes", "yes"]
    assert pd.read_csv(tmp_path / "p.csv")["predicted late"].tolist() == ["no", "yes", "yes"]


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["raise", "default"])
def test_records_that_do_not_fit_are_counted(run, tmp_path, rule):
    (tmp_path / "late.json").write_text(replace(LATE, on_invalid=rule).to_json(), encoding="utf-8")
    TABLE.assign(delay=[36, 1000, None]).to_csv("others.csv", index=False)
    told = run("late.json", "others.csv", "--out", "p.csv")[1]
    hint = "; if a schema says how the file is spelled, add --schema"  # most records do not fit
    assert told == f"3 predictions in p.csv; 2 records did not fit the declared domain{hint}\n"
    assert run("late.json", "others.csv")[2].strip() == f"2 records did not fit the declared domain{hint}"
    TABLE.assign(delay=[36, 37, None]).to_csv("others.csv", index=False)
    assert run("late.json", "others.csv")[2].strip() == "1 record did not fit the declared domain"


@pytest.mark.parametrize("out", ["flights.csv", "./flights.csv", "late.json", "link.csv", "hard.csv"])
def test_what_is_read_is_not_overwritten(run, tmp_path, out):
    (tmp_path / "link.csv").symlink_to("flights.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "flights.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, told, err = run("late.json", "flights.csv", "--out", out)
    assert (code, told) == (2, "")
    assert err == "error: --out is also an input file; choose another name\n"
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_json(run):
    out = json.loads(run("late.json", "flights.csv", "--json")[1])
    assert out == {"rule": "late = yes if delay ≥ 37, otherwise no", "predictions": ["no", "yes", "yes"]}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not json", "m.json is not a model"),
        (LATE.to_json()[:300], "m.json: this is not JSON, or it is incomplete"),
        ("{}", "not a model that privpac wrote"),
        (LATE.hypothesis.to_json(), "not a model that privpac wrote"),
        (LATE.to_json().replace('"privpac model": 1', '"privpac model": 99'), "another format"),
        (LATE.to_json().replace('"delay"', '"dealy"'), "no column 'dealy'"),
    ],
)
def test_bad_models_are_refused(run, tmp_path, text, told):
    (tmp_path / "m.json").write_text(text, encoding="utf-8")
    code, out, err = run("m.json", "flights.csv")
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_values_of_another_kind_are_refused(run, tmp_path):
    TABLE.assign(w=0.5).to_parquet("halves.parquet")
    code, out, err = run("plane.json", "halves.parquet")
    assert (code, out) == (2, "")
    assert "must be integers" in err


def test_to_parquet_with_the_types_of_the_table(run, tmp_path):
    assert run("late.json", "flights.parquet", "--out", "p.parquet") == (0, "3 predictions in p.parquet\n", "")
    expected = TABLE.assign(**{"predicted late": ["no", "yes", "yes"]})
    pd.testing.assert_frame_equal(pd.read_parquet("p.parquet"), expected)


@pytest.mark.slow
def test_many_rows_come_in_their_order(run, tmp_path, monkeypatch):
    monkeypatch.setattr("privpac.data.engines.batches.ROWS", 7)
    delays = [(37 * i) % 101 for i in range(100)]
    pd.DataFrame({"delay": delays}).to_csv("many.csv", index=False)
    pd.DataFrame({"delay": delays}).to_parquet("many.parquet")
    labels = ["yes" if delay >= 37 else "no" for delay in delays]
    for file in ("many.csv", "many.parquet"):
        rows = list(csv.reader(io.StringIO(run("late.json", file)[1])))
        assert rows[1:] == [[str(delay), label] for delay, label in zip(delays, labels, strict=True)]
        assert json.loads(run("late.json", file, "--json")[1])["predictions"] == labels


@pytest.mark.slow
def test_a_table_without_rows(run, tmp_path):
    (tmp_path / "empty.csv").write_text("delay\n", encoding="utf-8")
    assert run("late.json", "empty.csv") == (0, "delay,predicted late\n", "")
    assert json.loads(run("late.json", "empty.csv", "--json")[1])["predictions"] == []
    assert run("late.json", "empty.csv", "--out", "p.parquet")[0] == 0


def test_the_rule_as_sql(run):
    expected = """CASE WHEN "delay" IS NULL THEN 'no' WHEN "delay" >= 37 THEN 'yes' ELSE 'no' END"""
    assert run("late.json", "--sql") == (0, f"{expected}\n", "")
    assert json.loads(run("late.json", "--sql", "--json")[1]) == {"sql": expected}
    for arguments in (["late.json"], ["late.json", "flights.csv", "--sql"]):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert "give a table to label, or say --sql" in err


def test_a_file_that_breaks_off_leaves_no_predictions(run, tmp_path, monkeypatch):
    monkeypatch.setattr("privpac.data.engines.batches.ROWS", 2)
    TABLE.assign(w=[1, 2, 0.5]).to_parquet("halves.parquet")
    assert run("plane.json", "halves.parquet", "--out", "p.csv")[0] == 2
    assert not list(tmp_path.glob("*.part")) and not (tmp_path / "p.csv").exists()


def test_bad_files_are_refused(run, tmp_path):
    (tmp_path / "m.json").write_bytes(b"\xff\xfe\x00")
    assert run("m.json", "flights.csv")[0] == 2
    assert "there is no file nothing.json; give the file that" in run("nothing.json", "flights.csv")[2]
    for swapped in (("flights.csv", "late.json"), ("m.json", "flights.csv")):
        assert "not a model; the model comes first, and the table second" in run(*swapped)[2]
    assert ". cannot be read" in run(".", "flights.csv")[2]
    assert "no file nothing.csv" in run("late.json", "nothing.csv")[2]
    assert "cannot be written" in run("late.json", "flights.csv", "--out", "nowhere/p.csv")[2]
