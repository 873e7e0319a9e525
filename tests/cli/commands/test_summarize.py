"""``privpac summarize``: a table with intervals; files, accounts, and refusals that spend nothing."""

import csv
import json

import pytest

from privpac.cli.commands.summarize import MOST_ROWS
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore

SCHEMA = """
title = "Distances by airport"
owner = "the airports"
[columns.origin]
kind = "category"
values = ["EWR", "JFK", "LGA"]
[columns.distance]
kind = "integer"
low = 0
high = 6000
"""


@pytest.fixture
def schema(folder):
    (folder / "schema.toml").write_text(SCHEMA, "utf-8")
    return "schema.toml"


@pytest.mark.slow
def test_a_table_and_a_file(run, folder, schema):
    asked = ("summarize", "example:flights", "--schema", schema, "--of", "distance", "--by", "origin")
    code, out, err = run(*asked, "--out", "table.csv", "--report", "page.html")
    assert (code, err) == (0, "")
    assert out.endswith("table: table.csv\nreport: page.html\n")
    page = (folder / "page.html").read_text("utf-8")
    assert "<title>Distances by airport</title>" in page and "the airports" in page
    assert out.startswith("origin  records")
    assert "intervals: all of them hold with probability ≥ 0.95, for these records\nprivacy: ε = 1 for" in out
    with (folder / "table.csv").open(encoding="utf-8") as lines:
        heading, *rows = csv.reader(lines)
    assert heading[:4] == ["origin", "records", "records low", "records high"]
    assert [row[0] for row in rows] == ["EWR", "JFK", "LGA"]
    assert len(rows) < MOST_ROWS


def test_missing_entries_and_unknown_quartiles_have_words(run, folder):
    (folder / "gaps.toml").write_text(SCHEMA.replace('"LGA"]', '"LGA"]\nmissing = true'), "utf-8")
    asked = ("summarize", "example:flights", "--schema", "gaps.toml", "--of", "distance", "--by", "origin")
    out = run(*asked, "--epsilon", "0.01", "--out", "table.csv")[1]
    *_, missing = (line for line in out.splitlines() if "(" in line)
    assert missing.startswith("missing ") and missing.endswith("– (0 … 6000)")
    assert (folder / "table.csv").read_text("utf-8").splitlines()[-1].startswith(",")  # a file has no word for it


@pytest.mark.slow
def test_json_once_and_an_account(run, folder, schema):
    store = BudgetStore("sqlite:///b.db")
    store.account("clinic", Budget(1))
    asked = ("summarize", "example:flights", "--schema", schema, "--of", "distance", "--no-quartiles", "--json")
    paid = ("--budget", "sqlite:///b.db#clinic", "--once", "distances")
    first, second = (json.loads(run(*asked, *paid)[1]) for _ in range(2))
    assert first == second
    assert first["epsilon"] == 1
    names = {f"{name}{end}" for name in ("records", "sum", "mean") for end in ("", " low", " high")}
    assert set(first["groups"][0]) == names
    assert store.account("clinic").spent == Budget(1)
    code, _, err = run(*asked, "--budget", "sqlite:///b.db#clinic")
    assert code == 1
    assert "ε = 0 remains" in err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--of", "origin"), "'origin' must be a column of numbers"),
        (("--of", "distance", "--by", "nosuch"), "no column 'nosuch'"),
        (("--of", "distance", "--beta", "7"), "strictly between 0 and 1"),
    ],
)
def test_refusals(run, schema, options, sentence):
    code, out, err = run("summarize", "example:flights", "--schema", schema, *options)
    assert (code, out) == (2, "")
    assert sentence in err


def test_a_schema_is_needed(run):
    code, _, err = run("summarize", "example:flights", "--of", "distance")
    assert code == 2
    assert "--schema schema.toml" in err


def test_without_a_file_every_group_is_printed(run, folder):
    """They are paid for: a group that is neither printed nor written is lost."""
    names = [f"g{i}" for i in range(MOST_ROWS + 2)]
    declared = SCHEMA.replace('["EWR", "JFK", "LGA"]', json.dumps(names))
    (folder / "many.toml").write_text(declared, "utf-8")
    (folder / "many.csv").write_text("origin,distance\n" + "".join(f"{name},9\n" for name in names), "utf-8")
    asked = ("summarize", "many.csv", "--schema", "many.toml", "--of", "distance", "--by", "origin", "--no-quartiles")
    code, out, _ = run(*asked)
    assert code == 0
    assert f"\n{names[-1]} " in out
    _, out, _ = run(*asked, "--out", "table.csv")
    assert "\n2 more groups are in the file" in out
    assert names[-1] not in out


GERMAN = """on_invalid = "clamp"
separator = ";"
encoding = "latin-1"
decimal_comma = true
[columns.Pflege]
kind = "category"
values = ["täglich", "nie"]
[columns.Kosten]
kind = "float64"
low = 0
high = 10
step = 0.5
"""


@pytest.mark.slow
def test_a_file_is_read_as_its_schema_declares(run, folder):
    lines = ["Pflege;Kosten", *(f"{('täglich', 'nie')[i % 2]};{i % 2 * 4 + 2},5" for i in range(2000)), "nie;99"]
    (folder / "t.csv").write_bytes("\n".join(lines).encode("latin-1"))
    (folder / "s.toml").write_text(GERMAN, "utf-8")
    asked = ("summarize", "t.csv", "--schema", "s.toml", "--of", "Kosten", "--by", "Pflege", "--no-quartiles", "--json")
    code, out, err = run(*asked)
    assert (code, err) == (0, "")
    means = {row["Pflege"]: row["mean"] for row in json.loads(out)["groups"]}
    assert means == {"täglich": pytest.approx(2.5, abs=0.2), "nie": pytest.approx(6.5, abs=0.2)}
