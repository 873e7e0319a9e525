"""What commands print, in the three forms."""

import json
from datetime import UTC, datetime

import pytest

from privpac.cli.output import print_rows, working
from privpac.data.progress import say
from privpac.privacy.budget import Budget
from privpac.report.numbers import grouped

ROWS = [
    {"name": "[b]clinic[/b]", "cost": Budget(0.5, 1e-6), "private": True},
    {"name": "é", "cost": Budget(1), "private": False},
]


def test_pipes_get_columns_that_never_wrap(capsys):
    print_rows([{"a": "x" * 300, "b": 1}], as_json=False)
    assert capsys.readouterr().out == f"a{' ' * 299}  b\n{'x' * 300}  1\n"


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
        say("{} rows read", 5000)
    out, err = capsys.readouterr()
    assert out == ""
    assert (f"learning: {grouped(5000)} rows read" in err, err == "") == (terminal, not terminal)
