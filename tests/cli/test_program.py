"""The program ``privpac`` itself; each group of its commands has a file of its own beside this one."""

import subprocess
import sys

import pytest

from privpac import __version__
from privpac.cli import app


@pytest.fixture
def run(capsys):
    """The command: exit code, stdout, stderr."""

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            app(list(arguments))
        return end.value.code, *capsys.readouterr()

    return run


def test_version(run):
    assert run("--version") == (0, f"privpac {__version__}\n", "")


def test_help_names_the_commands(run):
    assert "budget" in run("--help")[1]
    assert all(command in run("budget", "--help")[1] for command in ("create", "show", "history"))


def test_help_loads_nothing_heavy():
    script = """
import sys
from privpac.cli import app
try:
    app(["--help"])
except SystemExit:
    print({"sqlalchemy", "numpy", "scipy", "flint"} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    command = f"cd {tmp_path}; {sys.executable} -c 'from privpac.cli import app; app()' budget show | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""
