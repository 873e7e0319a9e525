"""Public records from the shell: a certificate, plans, and refusals that spend nothing."""

import json
from pathlib import Path

import pytest

CUT = ("--class", "thresholds", "--low", "0", "--high", "1000000")
READ = ("--x", "age", "--y", "back")


@pytest.fixture
def tables(tmp_path, monkeypatch):
    """Visits of people of 20 to 79, and public ages."""
    monkeypatch.chdir(tmp_path)
    ages = [20 + 7 * i % 60 for i in range(3000)]
    (tmp_path / "visits.csv").write_text("age,back\n" + "".join(f"{age},{int(age >= 50)}\n" for age in ages), "utf-8")
    (tmp_path / "public.csv").write_text("zip,age\n" + "".join(f"654321,{age}\n" for age in ages[:600]), "utf-8")
    (tmp_path / "far.csv").write_text("age\n5000000\n7\n8\n", "utf-8")
    (tmp_path / "other.csv").write_text("years\n5\n7\n8\n", "utf-8")


def test_public_records_certify_an_error_and_are_not_in_the_model(run, tables):
    code, out, _ = run("learn", "visits.csv", *CUT, *READ, "--public", "public.csv", "--out", "model.json")
    assert code == 0 and "provided that the public records are drawn" in " ".join(out.split())
    model = json.loads(Path("model.json").read_text("utf-8"))
    assert "patterns on public records" in model["learner"] and "654321" not in json.dumps(model)


def test_a_plan_takes_a_file_or_a_number(run, tables):
    assert run("plan", *CUT, "--public", "600")[0] == 0
    code, out, _ = run("plan", *CUT, "--public", "far.csv")
    assert code == 2 or "No learner has a certificate" in out


@pytest.mark.parametrize(
    ("file", "words"),
    [("far.csv", "public records"), ("other.csv", "no column"), ("no.csv", "no file"), ("visits.csv", "not public")],
)
def test_wrong_files_are_refused(run, tables, file, words):
    code, _, err = run("learn", "visits.csv", *CUT, *READ, "--public", file)
    assert code == 2 and words in err
