"""``privpac count``: counts with their bounds, largest first; files, accounts, and refusals that spend nothing."""

import csv
import json
import re
from collections import Counter

import pytest

from privpac.classes.schemas.classes_by_name import combinations, grouping_columns
from privpac.privacy.budget import Budget
from privpac.release.histograms import PointSanitizer
from tests.cli.release_runs import CARRIERS, FLIGHTS, N

TRUE = Counter(CARRIERS.tolist())


@pytest.mark.parametrize("file", ["flights.csv", "flights.parquet"])
def test_counts_have_bounds_that_always_hold(run, file):
    code, out, err = run("count", file, "--by", "carrier", "--delta", "1e-6")
    assert (code, err) == (0, "")
    shown = re.findall(r"^(\w\w) +(\d+) ± 27$", out, re.MULTILINE)
    assert [name for name, _ in shown][:3] == ["UA", "EV", "B6"]
    assert all(abs(int(count) - TRUE[name]) <= 27 for name, count in shown)
    assert "\nany other: at most 54\nprivacy: ε = 1, δ = 1e-06 for every pair" in out


def test_columns_are_counted_together(run, folder):
    code, out, _ = run("count", "flights.parquet", "--by", "carrier, origin", "--out", "counts.csv", "--top", "2")
    assert code == 0
    with (folder / "counts.csv").open(encoding="utf-8") as lines:
        heading, *rows = csv.reader(lines)
    assert heading == ["carrier", "origin", "records"]
    true = Counter(zip(FLIGHTS.carrier, FLIGHTS.origin, strict=True))
    assert {(a, b) for a, b, _ in rows} >= {(a, b) for (a, b), count in true.items() if count > 54}
    assert all(abs(int(count) - true[a, b]) <= 27 for a, b, count in rows)
    assert [int(count) for *_, count in rows] == sorted((int(count) for *_, count in rows), reverse=True)
    assert out.count(" ± 27\n") == 2
    assert f"{len(rows) - 2} more are shown with --top {len(rows)}\n" in out
    assert out.endswith("counts: counts.csv\n")


def test_json(run):
    code, out, _ = run("count", "flights.csv", "--by", "carrier", "--json")
    told = json.loads(out)
    assert (code, told["n"], told["off_by_at_most"], told["any_other_at_most"]) == (0, N, 27, 54)
    assert (told["epsilon"], told["delta"], told["written"]) == (1, 1e-6, {})
    assert all(abs(row["records"] - TRUE[row["carrier"]]) <= 27 for row in told["counts"])


def test_nothing_to_show(run):
    code, out, _ = run("count", "flights.csv", "--by", "plane", "--delta", "1e-12")  # 1500 planes: once in 10⁸ runs
    assert code == 0
    assert re.match(r"no value occurs often enough to be shown\nany other: at most \d+\n", out)


def test_units_are_protected_together(run):
    code, out, _ = run("count", "flights.csv", "--by", "carrier", "--unit", "plane", "--max-records", "2", "--json")
    told = json.loads(out)
    assert (code, told["n"]) == (0, N)
    assert told["off_by_at_most"] > 27
    assert all(abs(row["records"] - TRUE[row["carrier"]]) <= told["off_by_at_most"] for row in told["counts"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--by", "carier"), "no column 'carier'"),
        (("--by", "carrier,carrier"), "--by takes names of different columns"),
        (("--by", "carrier,"), "--by takes names of different columns"),
        (("--by", "carrier,records"), "rename the column"),
        (("--by", "carrier", "--delta", "0"), "only with --delta 1e-06"),
        (("--by", "carrier", "--epsilon", "0"), "--epsilon must be"),
        (("--by", "carrier", "--unit", "plane"), "--unit COLUMN"),
        (("--by", "carrier", "--on-invalid", "x"), "--on-invalid must be"),
        (("--by", "carrier", "--unit", "carrier", "--max-records", "1"), "'carrier' holds the labels or the units"),
        (("--by", "carrier", "--out", "flights.csv"), "--out is also an input file"),
        (("--by", "carrier", "--out", "nowhere/c.csv"), "nowhere/c.csv cannot be written"),
    ],
)
def test_refusals_spend_nothing(run, account, words, told):
    durable, option = account
    code, out, err = run("count", "flights.csv", *words, *option)
    assert (code, out) == (2, "")
    assert told in err
    assert durable.spent == Budget(0)


def test_empty_cells_are_named_first_and_no_schema_is_advised(run, tmp_path):
    file = str(tmp_path / "gaps.csv")
    (tmp_path / "gaps.csv").write_text("ward,late\nA,no\n,yes\n" * 50)
    code, _, err = run("count", file, "--by", "ward")
    assert code == 2 and "some records have no value in column 'ward' (an empty cell, or" in err
    assert err.endswith("say --on-invalid default, which counts such records in n and nothing else\n")
    assert run("count", file, "--by", "ward", "--on-invalid", "default")[0] == 0
    learned = ("--class", "points", "--x", "ward", "--y", "late", "--classes", "no,yes")
    assert "a schema may declare missing = true" in run("learn", file, *learned)[2]


def test_a_name_close_to_a_column_is_answered_with_it(run):
    assert "did you mean 'carrier'?" in run("count", "flights.parquet", "--by", "carier")[2]


@pytest.mark.slow
def test_accounts_are_charged_and_refuse(run, account):
    durable, option = account
    assert run("count", "flights.csv", "--by", "carrier", "--epsilon", "2", *option)[0] == 0
    assert durable.spent == Budget(2, 1e-6)
    code, out, err = run("count", "flights.csv", "--by", "carrier", "--epsilon", "2", *option)
    assert (code, out) == (1, "")
    assert "ε = 1" in err


def test_large_deltas_are_refused(run, account):
    durable, option = account
    code, _, err = run("count", "flights.csv", "--by", "carrier", "--delta", "1e-3", *option)
    assert (code, durable.spent) == (1, Budget(0))
    assert err.endswith("or --allow-large-delta\n")


def test_counts_that_cannot_be_written_are_printed(run):
    """All of them, because they are paid for."""
    code, out, err = run("count", "flights.csv", "--by", "carrier,origin", "--top", "1", "--out", "/dev/full")
    assert code == 2
    assert err == "error: /dev/full could not be written; the budget is spent, so save the counts printed above\n"
    assert out.count(" ± 27\n") >= 6


def test_an_interruption_says_what_was_charged(run, account, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    durable, option = account
    monkeypatch.setattr("privpac.data.open_table.opened", stopped)
    assert run("count", "flights.csv", "--by", "carrier", *option) == (130, "", "interrupted; nothing was charged\n")
    monkeypatch.undo()
    assert durable.spent == Budget(0)


def test_the_columns_of_a_crosstab():
    assert grouping_columns("a,b") == ["a", "b"]
    for names in (["a"], ["a", "b"], ["a", "b", "c"]):
        assert combinations(names).domain.column_names == tuple(names)
        assert PointSanitizer.supports(combinations(names))


def test_what_is_counted_of_each_unit_is_said(run):
    for k, counted in (("2", "at most 2 records"), ("1", "1 record")):
        per = ("--unit", "plane", "--max-records", k)
        line = f"records: of the {counted} counted per plane\n"
        assert line in run("count", "flights.csv", "--by", "carrier", *per)[1]
        of_delays = ("--class", "thresholds", "--low", "0", "--high", "120", "--x", "delay", "--on-invalid", "clamp")
        out = run("release", "flights.csv", *of_delays, *per)[1]
        assert line in out and " places" * (k == "2") in out and " records\nprivacy:" not in out
