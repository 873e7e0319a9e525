"""``privpac budget``: what is printed where, and the exit codes."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store.accounts import BudgetStore

NOON = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.fixture
def run(tmp_path, monkeypatch, typed):
    """The command, run in an empty directory: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRIVPAC_STORE", raising=False)
    return typed


@pytest.fixture
def clinic(run):
    """An account with two entries, in the default store of the directory that ``run`` runs in."""
    account = BudgetStore().account("clinic", Budget(3.0, 1e-5))
    account.charge(Entry("exponential", Budget(0.5), "selection, Theorem 2", who="Ada", time=NOON))
    account.charge(Entry("sparse selection", Budget(1, 1e-6), "selection, Theorem 3", False, "Grace", NOON))
    return account


# --- done ------------------------------------------------------------------------------------------------------------


def test_create_makes_an_account_for_python(run):
    code, out, err = run("budget", "create", "clinic", "--epsilon", "3", "--delta", "1e-5")
    assert (code, err) == (0, "")
    assert out == (
        "account  total             spent  remaining         unit\n"
        "clinic   ε = 3, δ = 1e-05  ε = 0  ε = 3, δ = 1e-05  –\n"
    )  # fmt: skip
    assert BudgetStore("sqlite:///budget.db").account("clinic").total == Budget(3, 1e-5)


def test_a_url_with_a_name_is_the_account_that_other_commands_use(run):
    """Before, the whole text was the name of an account in the default store."""
    assert run("budget", "create", "sqlite:///other.db#clinic", "--epsilon", "3")[0] == 0
    assert BudgetStore("sqlite:///other.db").account("clinic").total == Budget(3)
    assert not Path("budget.db").exists()
    assert run("budget", "show", "sqlite:///other.db#clinic")[1].count("clinic") == 1
    assert run("budget", "history", "sqlite:///other.db#clinic")[1] == "nothing has been charged to clinic\n"
    for bare in ("sqlite:///other.db", "sqlite:///other.db#"):
        code, out, err = run("budget", "create", bare, "--epsilon", "3")
        assert (code, out) == (2, "") and "add it after a #" in err
    assert BudgetStore("sqlite:///other.db").accounts() == ["clinic"]


@pytest.mark.parametrize("epsilon", ["1e999", "1" + "0" * 400, "nan", "inf", "", "1/0", "-1"])
def test_a_total_that_is_no_number_makes_no_account(run, epsilon):
    assert run("budget", "create", "clinic", "--epsilon", "3")[0] == 0
    code, out, err = run("budget", "create", "bad", f"--epsilon={epsilon}")
    assert (code, out) == (2, "")
    assert err.startswith("error: --epsilon must ")
    code, out, err = run("budget", "show")
    assert (code, err, len(out.splitlines())) == (0, "", 2)


def test_numbers_are_read_exactly(run):
    assert run("budget", "create", "third", "--epsilon", "1/3", "--delta", "0.1")[0] == 0
    assert BudgetStore().account("third").total == Budget("1/3", "1/10")


def test_creating_the_same_account_again_shows_it(run, clinic):
    code, out, _ = run("budget", "create", "clinic", "--epsilon", "3.0", "--delta", "0.00001")
    assert code == 0
    assert "ε = 1.5, δ = 9e-06" in out


def test_show_one_and_show_all(run, clinic):
    BudgetStore().account("archive", Budget(1))
    code, out, err = run("budget", "show")
    assert (code, err) == (0, "")
    assert out == (
        "account  total             spent               remaining           unit\n"
        "archive  ε = 1             ε = 0               ε = 1               –\n"
        "clinic   ε = 3, δ = 1e-05  ε = 1.5, δ = 1e-06  ε = 1.5, δ = 9e-06  records\n"
    )
    assert [line.split()[0] for line in run("budget", "show", "clinic")[1].splitlines()] == ["account", "clinic"]


def test_history_shows_who_did_what(run, clinic):
    code, out, err = run("budget", "history", "clinic")
    assert (code, err) == (0, "")
    assert out == (
        "time        who    mechanism         cost              private\n"
        "2025-03-01  Ada    exponential       ε = 0.5           yes\n"
        "2025-03-01  Grace  sparse selection  ε = 1, δ = 1e-06  NO\n"
    )
    proofs = run("budget", "history", "clinic", "--proofs")[1].splitlines()
    assert "theorem" in proofs[0] and "selection, Theorem 3  NO" in proofs[2]


def test_nothing_to_show(run, tmp_path):
    assert run("budget", "show") == (0, f"no accounts in sqlite:///{tmp_path}/budget.db\n", "")
    assert list(tmp_path.iterdir()) == []
    run("budget", "create", "clinic", "--epsilon", "1")
    assert run("budget", "history", "clinic") == (0, "nothing has been charged to clinic\n", "")


def test_json(run, clinic):
    state = {
        "account": "clinic",
        "total": {"epsilon": 3.0, "delta": 1e-05},
        "spent": {"epsilon": 1.5, "delta": 1e-06},
        "remaining": {"epsilon": 1.5, "delta": 9e-06},
        "unit": "records",
    }
    assert json.loads(run("budget", "show", "--json")[1]) == [state]
    assert json.loads(run("budget", "show", "clinic", "--json")[1]) == [state]
    again = run("budget", "create", "clinic", "--epsilon", "3", "--delta", "1e-5", "--json")
    assert json.loads(again[1]) == [state]
    assert json.loads(run("budget", "history", "clinic", "--json")[1])[1] == {
        "time": "2025-03-01",
        "who": "Grace",
        "mechanism": "sparse selection",
        "cost": {"epsilon": 1.0, "delta": 1e-06},
        "theorem": "selection, Theorem 3",
        "private": False,
    }


def test_json_of_nothing(run):
    assert run("budget", "show", "--json") == (0, "[]\n", "")


def test_a_terminal_gets_a_frame_and_no_markup(run, clinic, monkeypatch):
    BudgetStore().account("[red]x", Budget(1))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    out = run("budget", "show")[1]
    assert "│ clinic " in out
    assert "│ [red]x " in out


def test_the_store_is_an_option_or_a_variable(run, tmp_path, monkeypatch):
    run("budget", "create", "clinic", "--epsilon", "1", "--store", "sqlite:///a.db")
    monkeypatch.setenv("PRIVPAC_STORE", "sqlite:///b.db")
    run("budget", "create", "lab", "--epsilon", "1")
    assert BudgetStore("sqlite:///a.db").accounts() == ["clinic"]
    assert BudgetStore("sqlite:///b.db").accounts() == ["lab"]
    assert "clinic" in run("budget", "show", "--store", "sqlite:///a.db")[1]


# --- refused, and wrong ----------------------------------------------------------------------------------------------


def test_the_unit_is_declared_once(run):
    declared = ("budget", "create", "ward", "--epsilon", "3", "--unit")
    assert run(*declared, "patient")[1].endswith("patient\n")
    code, _, error = run(*declared, "doctor")
    assert code == 1 and "has the unit 'patient', not 'doctor'" in error


def test_another_total_is_refused(run, clinic):
    code, out, err = run("budget", "create", "clinic", "--epsilon", "4")
    assert (code, out) == (1, "")
    assert err.startswith("error: account 'clinic' has the total ε = 3, δ = 1e-05, not ε = 4;")
    assert clinic.total == BudgetStore().account("clinic").total


def test_a_budget_that_does_not_cover_the_cost_is_refused(run, monkeypatch):
    def exceed(self):
        raise BudgetExceeded("costs too much")

    monkeypatch.setattr(BudgetStore, "accounts", exceed)
    assert run("budget", "show") == (1, "", "error: costs too much\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["create", "x", "--epsilon", "much"], "epsilon must be a finite number"),
        (["create", "x", "--epsilon", "-1"], "epsilon must not be negative"),
        (["create", "x", "--epsilon", "1", "--delta", "2"], "delta must lie in [0, 1]"),
        (["create", " ", "--epsilon", "1"], "printable"),
        (["create", "x", "--epsilon", "1", "--store", "sqlite:///nowhere/x.db"], "check that its directory exists"),
        (["show", "x"], "no account 'x'"),
        (["history", "x"], "no account 'x'"),
        (["show", "--store", "mysql://me:secret@host/x"], "cannot be mysql://"),
        (["show", "--store", "postgresql://me:secret@localhost:1/x"], "cannot be used"),
    ],
)
def test_bad_input_is_explained_in_a_sentence(run, tmp_path, arguments, reason):
    code, out, err = run("budget", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert reason in err
    assert "Traceback" not in err
    assert "secret" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["create"], ["create", "x"], ["history"], ["spend"], ["show", "--nosuch"]])
def test_bad_usage(run, arguments):
    assert run("budget", *arguments)[:2] == (2, "")
