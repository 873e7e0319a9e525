"""``--hold``: nothing is shown or written before a public moment, whether the command releases or refuses."""

import time

import pytest

from privpac.cli.fits import seconds_of
from privpac.learners.rule_request import RuleRequest
from privpac.privacy import hold as module
from privpac.privacy.hold import moment
from privpac.release.release_request import ReleaseRequest
from tests.grid import over

LINE = ("--low", "0", "--high", "120")
COMMANDS = {
    "learn": ("--class", "thresholds", *LINE, "--x", "age", "--y", "ill", "--out", "found.json"),
    "release": ("--class", "thresholds", *LINE, "--x", "age", "--out", "found.json"),
    "count": ("--by", "age", "--out", "found.json"),
}
REFUSED = {"learn": "1,0\n200,1\n", "release": "1,0\n200,1\n", "count": "1,0\n,1\n"}


@pytest.fixture
def ages(tmp_path, monkeypatch):
    """Where commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ages.csv").write_text("age,ill\n" + "".join(f"{i % 100},{int(i % 100 > 60)}\n" for i in range(300)))
    return tmp_path


@pytest.fixture
def waits(ages, monkeypatch, capsys):
    """How long commands hold, and what could be seen when they began to wait."""
    seen = []

    def wait(start, h):
        seen.append((h, capsys.readouterr(), (ages / "found.json").exists()))

    monkeypatch.setattr(module, "_wait", wait)
    return seen


@pytest.mark.slow
@over("command", COMMANDS)
def test_nothing_is_shown_or_written_before(typed, waits, ages, command):
    code, out, err = typed(command, "ages.csv", *COMMANDS[command], "--hold", "2m")
    assert (code, waits) == (0, [(120.0, ("", ""), False)])
    assert out and not err and (ages / "found.json").exists()
    waits.clear()
    (ages / "found.json").unlink()


def test_a_warning_is_held(typed, waits, ages):
    """It comes after the records are counted, so its moment would tell how long that took."""
    asked = "--class", "points", "--x", "age", "--y", "ill", "--delta", "1e-4", "--hold", "2m"
    code, out, err = typed("learn", "ages.csv", *asked)
    assert (code, waits) == (0, [(120.0, ("", ""), False)]) and out and err.startswith("warning: a delta of 0.0001 ")
    waits.clear()


@pytest.mark.slow
@over("command", COMMANDS)
def test_a_refusal_that_looked_at_records_is_held(typed, waits, ages, command):
    (ages / "bad.csv").write_text("age,ill\n" + REFUSED[command])
    code, out, err = typed(command, "bad.csv", *COMMANDS[command], "--hold", "10")
    assert (code, out, waits) == (2, "", [(10.0, ("", ""), False)]) and err.startswith("error: ")
    waits.clear()


@pytest.mark.slow
def test_each_of_several_rules_is_held(typed, waits, ages):
    (ages / "three.csv").write_text("age,ill\n" + "".join(f"{i % 100},{'abc'[i % 3]}\n" for i in range(300)))
    asked = ("--class", "thresholds", *LINE, "--x", "age", "--y", "ill", "--classes", "a,b,c", "--hold", "10s")
    assert typed("learn", "three.csv", *asked)[0] == 0
    assert [h for h, _, _ in waits] == [10.0] * 3


@over("kind", [RuleRequest, ReleaseRequest])
def test_the_answer_comes_at_a_multiple(typed, ages, monkeypatch, kind):
    """With the real clock; the fit begins after the hold does."""
    worked, fit = [], kind.fit

    def timed(self, *given, **named):
        start = time.monotonic()
        found = fit(self, *given, **named)
        worked.extend([start, time.monotonic() - start])
        return found

    monkeypatch.setattr(kind, "fit", timed)
    command = "learn" if kind is RuleRequest else "count"
    assert typed(command, "ages.csv", *COMMANDS[command], "--hold", "0.3")[0] == 0
    start, seconds = worked
    assert time.monotonic() - start >= moment(seconds, 0.3) - 0.05
    (ages / "found.json").unlink()


def test_ctrl_c_is_not_held(typed, waits, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ReleaseRequest, "fit", stopped)
    assert typed("count", "ages.csv", *COMMANDS["count"], "--hold", "2m")[0] == 130
    assert waits == []


def test_a_terminal_shows_no_progress_while_an_answer_is_held(typed, waits, monkeypatch):
    shown = []
    monkeypatch.setattr("privpac.cli.fits.working", lambda what: shown.append(what) or pytest.fail("shown"))
    assert typed("count", "ages.csv", *COMMANDS["count"], "--hold", "2m")[0] == 0
    assert shown == []


@over("said", ["soon", "0", "-3s", "2d", "nan", "inf", "1e9", ""])
def test_a_hold_is_a_time_of_at_most_a_day(typed, ages, said):
    code, out, err = typed("count", "ages.csv", *COMMANDS["count"], "--hold", said)
    assert (code, out) == (2, "") and "--hold takes a time of at most a day, such as 10s, 2m, or 0.5" in err


def test_times_are_read_as_they_are_written():
    assert [seconds_of(said) for said in ("10s", "2m", "1h", "300ms", "10", ".3", None)] == [
        *(10.0, 120.0, 3600.0, 0.3, 10.0, 0.3),
        None,
    ]
