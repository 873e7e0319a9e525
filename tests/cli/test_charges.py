"""Ctrl-C: exit code 130 and one true sentence about the budget."""

import time

import duckdb
import pytest

from privpac.cli import app, run_typed
from privpac.cli.charges import NO_CHARGE, charge_note, charge_sentence
from privpac.mechanisms.lines.cuts import CutExponential
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.durable_account import DurableAccount
from privpac.privacy.store.tried_charges import WatchedAccount
from tests.ctrl_c import ctrl_c

CHARGED = "interrupted; ε = 1 was charged to the account 'flights'\n"
CUT = ("--class", "thresholds", "--low", "0", "--high", "9", "--x", "delay")
ENDLESS = "CREATE VIEW flights AS SELECT i % 7 AS delay, i % 2 AS late FROM range(100000000000) t(i)"


def stopped(*_, **__):
    raise KeyboardInterrupt


@pytest.fixture
def account(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return BudgetStore("sqlite:///budget.db").account("flights", Budget(3))


@pytest.fixture
def run(account, typed):
    """``privpac learn`` with an account: exit code, stdout, stderr."""

    def run(file, *more):
        line = ("--low", "0", "--high", "9", "--direction", "above")
        cut = ("--class", "thresholds", *line, "--x", "delay", "--y", "late")
        return typed("learn", file, *cut, "--budget", "sqlite:///budget.db#flights", *more)

    return run


@pytest.fixture
def flights(tmp_path):
    (tmp_path / "flights.csv").write_text("delay,late\n1,0\n8,1\n")
    return "flights.csv"


@pytest.mark.slow
def test_ctrl_c_ends_a_command_within_two_seconds(run, account, tmp_path):
    with duckdb.connect(tmp_path / "few.db") as connection:
        connection.execute(ENDLESS.replace("100000000000", "50"))
    account.store.account("other", Budget(1))
    assert run("few.db", "--budget", "sqlite:///budget.db#other")[0] == 0  # loads all modules
    with duckdb.connect(tmp_path / "flights.db") as connection:
        connection.execute(ENDLESS)
    with ctrl_c(1) as sent:
        assert run("flights.db", "--out", "model.json") == (130, "", NO_CHARGE + "\n")
        assert time.monotonic() - sent[-1] < 2
    assert account.spent == Budget(0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["budget.db", "few.db", "flights.db"]  # no draft is left


def test_after_the_charge_the_sentence_names_it(run, account, flights, monkeypatch):
    monkeypatch.setattr(CutExponential, "release", stopped)
    assert run(flights) == (130, "", CHARGED)
    assert account.spent == Budget(1)


@pytest.mark.parametrize(("charges", "told"), [(True, CHARGED), (False, NO_CHARGE + "\n")])
def test_during_a_charge_the_account_decides(run, account, flights, monkeypatch, charges, told):
    """An interruption may come before or after the entry is on disk."""
    charge = DurableAccount.charge

    def interrupted(self, entry):
        if charges:
            charge(self, entry)
        raise KeyboardInterrupt

    monkeypatch.setattr(DurableAccount, "charge", interrupted)
    assert run(flights) == (130, "", told)
    assert account.spent == Budget(int(charges))


def test_charges_of_others_are_not_ours(account):
    ours, theirs = WatchedAccount.of(account), WatchedAccount.of(account)
    theirs.charge(Entry("exponential", Budget(1), "selection, Theorem 1"))
    ours._note(Entry("exponential", Budget(1), "selection, Theorem 1"))  # interrupted before the disk
    assert charge_sentence(ours) is None
    assert f"interrupted; {charge_sentence(theirs)}\n" == CHARGED


def test_an_account_that_cannot_be_asked_is_named(account, tmp_path):
    watched = WatchedAccount.of(account, [Entry("exponential", Budget(1), "selection, Theorem 1")])
    (tmp_path / "budget.db").write_text("lost")
    with pytest.raises(KeyboardInterrupt, match="see privpac budget history flights"), charge_note(watched):
        stopped()


def test_pressing_ctrl_c_again_does_not_hide_a_charge(run, account, flights, monkeypatch):
    monkeypatch.setattr(CutExponential, "release", stopped)
    monkeypatch.setattr(DurableAccount, "history", stopped)
    assert run(flights) == (130, "", "interrupted; perhaps after a charge: see privpac budget history flights\n")
    assert account.spent == Budget(1)


def test_commands_that_charge_nothing_say_so(capsys, monkeypatch):
    monkeypatch.setattr("privpac.planning.plan", stopped)
    with pytest.raises(SystemExit) as end:
        app(["plan", "--class", "points"])
    assert (end.value.code, *capsys.readouterr()) == (130, "", NO_CHARGE + "\n")


def test_the_program_waits_for_no_thread(monkeypatch):
    """Threads that read ahead for an engine may need Python, which ends first; the process would never end."""
    left = []
    monkeypatch.setattr("os._exit", left.append)
    monkeypatch.setattr("sys.argv", ["privpac", "plan", "--class", "points"])
    monkeypatch.setattr("privpac.planning.plan", stopped)
    run_typed()
    assert left == [130]


def test_an_engine_that_fails_in_the_middle_is_told_with_the_truth_about_the_charge(run, account, tmp_path):
    with duckdb.connect(tmp_path / "broken.db") as connection:
        connection.execute("CREATE VIEW flights AS SELECT error('a record') AS delay, 1 AS late FROM range(9)")
    code, out, err = run("broken.db")
    assert (code, out) == (2, "") and "a record" not in err
    assert err.startswith("note: nothing was charged to the account 'flights'\nerror: ")
    assert account.spent == Budget(0)


@pytest.mark.parametrize(
    "command",
    [
        ("learn", "flights.csv", *CUT, "--y", "late"),
        ("release", "flights.csv", *CUT),
        ("count", "flights.csv", "--by", "late", "--delta", "1e-9"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_ends_well_says_what_was_charged_and_what_is_left(typed, account, flights, command):
    account.store.account("clinic", Budget(3, "1e-6"))
    code, out, err = typed(*command, "--budget", "sqlite:///budget.db#clinic", "--epsilon", "1")
    assert (code, err) == (0, "")
    last = " ".join(out[out.index("budget:") :].split())
    assert last.startswith("budget: ε = 1") and "was charged to the account 'clinic'; ε = 2, δ = " in last
    assert last.endswith("of ε = 3, δ = 1e-06 is left")
    assert "budget:" not in typed(*command)[1]
    assert "budget:" not in typed(*command, "--budget", "sqlite:///budget.db#clinic", "--json")[1]


def test_a_release_that_an_account_cannot_pay_is_called_a_release(typed, account, flights):
    account.store.account("clinic", Budget("0.5"))
    for command in (("release", "flights.csv", *CUT), ("count", "flights.csv", "--by", "late")):
        code, _, err = typed(*command, "--budget", "sqlite:///budget.db#clinic")
        assert code == 1 and err.startswith("error: this release costs ε = 1")
