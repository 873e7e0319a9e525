"""Every bad call of every test here ends with a refusal that names an option of its command."""

import pytest

from privpac.cli import program
from privpac.cli.spelling import option
from privpac.data.refusal import Refusal
from privpac.privacy.ledger import BudgetExceeded

ALLOWED = (BudgetExceeded, ImportError, OSError)  # which are about no parameter: a budget, an installation, a file


def accepted(context):
    """The parameters of the command that was named, or of all commands of its group."""
    _, command, _ = context.command.resolve_command(context, [context.invoked_subcommand])
    commands = getattr(command, "commands", {"": command}).values()
    return {parameter.name for each in commands for parameter in each.params}


@pytest.fixture(autouse=True)
def refusals(monkeypatch):
    """The reasons with which commands end, checked one by one."""
    contexts, seen, end, invoke = [], [], program.end, program.Explained.invoke

    def invoked(self, context):
        contexts.append(context)
        return invoke(self, context)

    def checked(reason, code):
        seen.append(reason)
        if not isinstance(reason, ALLOWED):
            assert isinstance(reason, Refusal), f"{type(reason).__name__}: {reason}"
            assert option(reason.parameter) in accepted(contexts[-1]), reason.parameter
        end(reason, code)

    monkeypatch.setattr(program.Explained, "invoke", invoked)
    monkeypatch.setattr(program, "end", checked)
    return seen
