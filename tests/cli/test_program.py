"""The program ``privpac`` itself; each group of its commands has a file of its own beside this one."""

import subprocess
import sys

import pytest

from privpac import __version__
from privpac.cli import app
from privpac.cli.commands import (
    audit,
    budget,
    count,
    demo,
    dimension,
    examples,
    explore,
    learn,
    papers,
    plan,
    predict,
    release,
    schema,
    summarize,
)
from privpac.cli.program import COMMANDS


@pytest.fixture
def run(typed):
    """The command: exit code, stdout, stderr."""
    return typed


def test_version(run):
    assert run("--version") == (0, f"privpac {__version__}\n", "")


@pytest.mark.slow
def test_python_m_privpac_is_the_program():
    done = subprocess.run([sys.executable, "-m", "privpac", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"privpac {__version__}\n"


def test_help_names_the_commands(run):
    assert "budget" in run("--help")[1]
    assert all(command in run("budget", "--help")[1] for command in ("create", "show", "history"))


def test_every_command_has_a_file_and_a_sentence(run):
    data = (learn, predict, release, count, summarize, schema)
    modules = (*data, plan, dimension, audit, papers, demo, examples, explore, budget)
    files = [each.__name__.rpartition(".")[2] for each in modules]
    assert files == list(COMMANDS)
    lines = [line.strip(" │").split() for line in run("--help")[1].splitlines()]
    assert {name for name in files if any(line[:1] == [name] and len(line) > 2 for line in lines)} == set(files)


def test_a_name_close_to_a_command_is_answered_with_it(run):
    assert "'learn'" in run("lear")[2]


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


HEAVY = {"sklearn", "scipy", "pandas", "pyarrow", "ibis", "duckdb", "numba", "sqlalchemy", "matplotlib"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        *(("learn",), ("release",), ("count", "--by", "carrier"), ("schema", "check"), ("schema", "init")),
        ("schema", "suggest"),
        ("predict", "model.json"),
    ],
)
def test_a_missing_file_is_told_before_anything_large_is_imported(tmp_path, words):
    """Counted in modules, because seconds depend on the machine."""
    script = f"""
import sys
from privpac.cli import app
try:
    app({[*words, "missing.csv"]})
except SystemExit as end:
    print(end.code, {HEAVY} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "2 set()\n"
    assert done.stderr.startswith("error: there is no file missing.csv; ")


AGES = "--class thresholds --low 0 --high 120 --x age --y late"


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        f"learn ages.csv {AGES} --report-error --report page.html",
        f"learn ages.csv {AGES} --classes 0,1,2 --delta 0",
        "release ages.csv --class thresholds --low 0 --high 120 --x age",
    ],
)
def test_a_command_does_not_pay_for_what_it_does_not_use(tmp_path, words):
    """Scikit-learn and pandas would take longer than everything else that a small table needs."""
    (tmp_path / "ages.csv").write_text("age,late\n" + "12,0\n70,1\n" * 50)
    script = f"""
import sys
from privpac.cli import app
try:
    app({words.split()})
except SystemExit as end:
    print(end.code, {{"sklearn", "scipy.stats", "pandas", "pyarrow.dataset"}} & sys.modules.keys())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.endswith("\n0 set()\n"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["true", "head -n 1"])
def test_a_reader_that_has_seen_enough_is_no_error(tmp_path, reader):
    """Whether the text is long, or so short that Python would write it at its very end."""
    program = f"{sys.executable} -c 'from privpac.cli import app; app()'"
    for command in ("budget show", "plan --class points"):
        script = f"cd {tmp_path}; {program} {command} | {reader}; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", [(), ("learn",), ("predict",), ("budget",), ("budget", "show")])
def test_help_shows_no_type_after_a_flag(run, command):
    told = run(*command, "--help")[1]
    assert "--help " in told
    assert "bool" not in told.lower()


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("le", "learn"),
        ("learn --eps", "--epsilon"),
        ("budget c", "create"),
        ("learn --regime r", "realizable"),
        ("learn --direction b", "below"),
        ("learn --method SetL", "SetLearner"),
        ("learn --class thr", "thresholds"),
        ("plan --class central", "central-half-planes"),
        ("audit Thr", "ThresholdLearner"),
        ("audit sparse", "sparse-exponential"),
        ("release --method Line", "LineSanitizer"),
    ],
)
def test_shells_complete_commands_options_and_words(run, monkeypatch, capsys, words, completed):
    assert "--install-completion" in run("--help")[1]
    monkeypatch.setenv("_PRIVPAC_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"privpac {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    with pytest.raises(SystemExit):
        app(prog_name="privpac")
    assert capsys.readouterr().out == completed + "\n"


def test_an_option_close_to_another_is_answered_with_it(run):
    code, _, err = run("learn", "flights.csv", "--epsilom", "1")
    assert (code, "--epsilon" in err) == (2, True)
