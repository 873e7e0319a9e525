"""``--once KEY``: a command that runs again is charged once, and says the same."""

import json

import pytest

from privpac.mechanisms.lines.cuts import CutExponential
from privpac.privacy.budget import Budget

KEY = ("--once", "night of May 3")
NOTE = (
    "note: the key 'night of May 3' was charged before; this is the release that was made then, and nothing was "
    "charged now\n"
)
LEARN = ("--class", "thresholds", "--low", "0", "--high", "9999", "--x", "delay", "--delta", "0")
COMMANDS = {
    "learn": ("learn", "flights.csv", *LEARN, "--y", "origin", "--classes", "EWR,JFK", "--epsilon", "0.05"),
    "release": ("release", "flights.csv", "--class", "thresholds", "--low", "0", "--high", "120", "--x", "delay"),
    "count": ("count", "flights.csv", "--by", "carrier", "--delta", "1e-6"),
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_runs_again_is_charged_once_and_says_the_same(run, account, command):
    durable, paying = account
    first = run(*COMMANDS[command], *paying, *KEY, "--json")
    assert (first[0], first[2]) == (0, "")
    spent = durable.spent
    assert run(*COMMANDS[command], *paying, *KEY, "--json") == (0, first[1], NOTE)
    assert durable.spent == spent
    assert len(durable.history()) == 1
    assert run(*COMMANDS[command], *paying, "--once", "May 4", "--json")[0] == 0
    assert len(durable.history()) == 2


@pytest.mark.slow
def test_files_are_written_again(run, account, folder):
    _, paying = account
    texts = []
    for _ in range(2):
        assert run(*COMMANDS["learn"], *paying, *KEY, "--out", "model.json", "--report", "report.html")[0] == 0
        texts.append((folder / "model.json").read_text("utf-8"))
        (folder / "model.json").unlink()
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_another_question_is_refused(run, account):
    durable, paying = account
    run(*COMMANDS["learn"], *paying, *KEY)
    code, out, err = run(*COMMANDS["learn"], *paying, *KEY, "--beta", "0.01")
    assert (code, out) == (1, "")
    assert "error: the key 'night of May 3' was charged for another question, with another beta;" in err
    assert len(durable.history()) == 1


def test_a_key_needs_an_account(run):
    code, _, err = run(*COMMANDS["count"], *KEY)
    assert code == 2
    assert err == "error: --once names a charge, so it goes with --budget 'sqlite:///budget.db#clinic'\n"


def test_a_blank_key_is_refused(run, account):
    code, _, err = run(*COMMANDS["count"], *account[1], "--once", " ")
    assert (code, err) == (2, "error: a key must be printable, not blank, and at most 200 characters long\n")


@pytest.mark.slow
def test_each_rule_has_a_key_of_its_own(run, account):
    """The account is spent after the first run; the second still gets all three rules."""
    durable, paying = account
    three = (*COMMANDS["learn"][:2], *LEARN, "--y", "carrier", "--classes", "UA,EV,B6", "--on-invalid", "default")
    first = run(*three, "--epsilon", "3", *paying, *KEY, "--json")
    assert first[0] == 0
    assert durable.remaining.epsilon == 0
    code, again, err = run(*three, "--epsilon", "3", *paying, *KEY, "--json")
    assert (code, again) == (0, first[1])
    assert err.count("was charged before") == 3
    assert len(durable.history()) == 3


def test_a_failure_after_the_charge_says_what_was_charged(run, account, monkeypatch):
    durable, paying = account
    with monkeypatch.context() as patch:
        patch.setattr(CutExponential, "release", lambda *_: (_ for _ in ()).throw(OSError("the machine died")))
        pure = ("--method", "PureThresholdLearner")
        code, out, err = run(*COMMANDS["learn"], *pure, *paying)
    assert (code, out) == (2, "")
    assert err == "note: ε = 0.05 was charged to the account 'flights'\nerror: the machine died\n"
    assert durable.spent == Budget(0.05)


def test_a_failure_before_the_charge_says_nothing_about_it(run, account):
    code, _, err = run("count", "flights.csv", "--by", "nothing", *account[1])
    assert code == 2
    assert "note:" not in err


def test_history_shows_keys(run, account):
    run(*COMMANDS["count"], *account[1], *KEY)
    _, out, _ = run("budget", "history", "flights", "--store", "sqlite:///budget.db", "--json")
    assert [row["mechanism"] for row in json.loads(out)] == ["PointSanitizer, once: night of May 3"]
