"""What commands print, in the three forms."""

import csv
import json
from datetime import UTC, datetime
from decimal import Decimal
from io import StringIO

import pytest

from privpac.cli.output import first_rows, print_rows, say, working
from privpac.data.files import progress
from privpac.data.files.csv_files import csv_text
from privpac.privacy.budget import Budget
from privpac.report.numbers import grouped

ROWS = [
    {"name": "[b]clinic[/b]", "cost": Budget(0.5, 1e-6), "private": True},
    {"name": "é", "cost": Budget(1), "private": False},
]

ODD = {"name": ['U"A', "a,b", "two\nlines", "", "é", "\ud800"], "records": [1, 2, 3, 4, 5, 6]}


def test_pipes_get_columns_that_never_wrap(capsys):
    print_rows([{"a": "x" * 300, "b": 1}], as_json=False)
    assert capsys.readouterr().out == f"a{' ' * 299}  b\n{'x' * 300}  1\n"


def test_only_a_long_text_in_the_last_column_wraps(capsys):
    print_rows([{"n": 1, "because": "so " * 60}, {"n": 22, "because": "short"}], as_json=False)
    head, *long, short = capsys.readouterr().out.splitlines()
    assert (head, short) == ("n   because", "22  short")
    assert max(map(len, long)) <= 100 and [line[:4] for line in long] == ["1   ", "    "]
    assert " ".join(line[4:] for line in long) == ("so " * 60).rstrip()


def test_a_named_sentence_continues_below_its_text(capsys):
    say("utility: " + "error ≤ 0.0437 " * 9)
    say("BucketLearner: " + "no value " * 20)
    first, second, *other = capsys.readouterr().out.splitlines()
    assert len(first) <= 100 and second.startswith(" " * 9 + "error") and first.endswith("≤ 0.0437")
    assert len(other) == 2 and other[1].startswith("value no")


def test_a_narrow_terminal_gets_narrow_lines(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    say("rule:    " + "word " * 30)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 40


def test_terminals_get_a_frame_without_markup(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_rows(ROWS, as_json=False)
    out = capsys.readouterr().out
    assert "[b]clinic[/b]" in out
    assert "NO" in out
    assert "┃" in out


def test_programs_get_json(capsys):
    print_rows([*ROWS, {"name": datetime(2026, 1, 2, tzinfo=UTC), "cost": Budget(1), "private": True}], as_json=True)
    rows = json.loads(capsys.readouterr().out)
    assert rows[0] == {"name": "[b]clinic[/b]", "cost": {"epsilon": 0.5, "delta": 1e-6}, "private": True}
    assert rows[2]["name"] == "2026-01-02"


@pytest.mark.parametrize(("as_json", "out"), [(False, "nothing here\n"), (True, "[]\n")])
def test_no_rows(capsys, as_json, out):
    print_rows([], as_json, empty="nothing here")
    assert capsys.readouterr().out == out


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(monkeypatch, capsys, terminal):
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with working("learning"):
        progress.say("{} rows read", 5000)
    out, err = capsys.readouterr()
    assert out == ""
    assert (f"learning: {grouped(5000)} rows read" in err, err == "") == (terminal, not terminal)


def test_numbers_in_a_table_have_the_minus_sign_of_sentences(capsys):
    print_rows([{"low": -3, "high": Decimal("-0.5"), "day": "2026-11-15", "code": "-7"}], as_json=False)
    assert capsys.readouterr().out.split("\n")[1].split() == ["−3", "−0.5", "2026-11-15", "-7"]


def test_csv_can_be_read_back():
    heading, *rows = csv.reader(StringIO(csv_text(ODD)))
    assert heading == ["name", "records"]
    assert [row[0] for row in rows] == [*ODD["name"][:5], "\\ud800"]
    assert csv_text(ODD).encode("utf-8")


def test_first_rows():
    assert first_rows(ODD, 2) == [{"name": 'U"A', "records": 1}, {"name": "a,b", "records": 2}]
    assert len(first_rows(ODD, 99)) == 6
    assert first_rows({"name": [], "records": []}, 5) == []
