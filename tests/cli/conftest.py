"""Every bad call of every test here ends with a refusal that names an option of its command; what releases need."""

import pytest

from privpac.cli import app, program
from privpac.cli.spelling import option
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import BudgetExceeded
from privpac.privacy.store.accounts import BudgetStore
from privpac.refusals.refusal import Refusal
from tests.cli.release_runs import FLIGHTS

ALLOWED = (BudgetExceeded, ImportError, OSError)  # which are about no parameter: a budget, an installation, a file


def accepted(context):
    """The parameters of the command that was named, or of all commands of its group."""
    _, command, _ = context.command.resolve_command(context, [context.invoked_subcommand])
    commands = getattr(command, "commands", {"": command}).values()
    return {parameter.name for each in commands for parameter in each.params}


@pytest.fixture(autouse=True)
def refusals(monkeypatch):
    """The reasons with which commands end, checked one by one."""
    contexts, seen, end, invoke = [], [], program.end, program.Program.invoke

    def invoked(self, context):
        contexts.append(context)
        return invoke(self, context)

    def checked(reason, code):
        seen.append(reason)
        if not isinstance(reason, ALLOWED):
            assert isinstance(reason, Refusal), f"{type(reason).__name__}: {reason}"
            assert option(reason.parameter) in accepted(contexts[-1]), reason.parameter
        end(reason, code)

    monkeypatch.setattr(program.Program, "invoke", invoked)
    monkeypatch.setattr(program, "end", checked)
    return seen


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("flights")
    FLIGHTS.to_csv(path / "flights.csv", index=False)
    FLIGHTS.to_parquet(path / "flights.parquet")
    return path


@pytest.fixture
def typed(capsys):
    """A command as it is typed: exit code, stdout, stderr."""

    def typed(*words):
        with pytest.raises(SystemExit) as end:
            app(list(words))
        return end.value.code, *capsys.readouterr()

    return typed


@pytest.fixture
def run(folder, monkeypatch, typed):
    """A command in that folder: exit code, stdout, stderr."""
    monkeypatch.chdir(folder)
    return typed


@pytest.fixture
def account(folder):
    """A fresh account, and what to write for it on the command line."""
    (folder / "budget.db").unlink(missing_ok=True)
    durable = BudgetStore(f"sqlite:///{folder}/budget.db").account("flights", Budget(3, 1e-5))
    return durable, ("--budget", "sqlite:///budget.db#flights")
