"""Help that shows first what people need first."""

from itertools import takewhile
from pathlib import Path
from typing import Annotated, get_origin

import pytest

from privpac.cli import commands, options
from privpac.cli.program import COMMANDS, _with_options

NEEDED = (
    *("--class", "--low", "--high", "--schema", "--x", "--y", "--classes", "--weights"),
    *("--epsilon", "--unit", "--max-records"),
    *("--report-error", "--out", "--report", "--budget", "--proofs", "--json", "--help"),
)
LATER = (
    "--delta",
    "--prevalence",
    "--table",
    "--on-invalid",
    "--step",
    "--bits",
    "--seed",
    "--method",
    "--title",
    "--once",
)


def explained(text):
    """The options that a help explains: those at the beginning of a line."""
    lines = [line.strip("│* ").replace(",", " ").split() for line in text.splitlines()]
    return {name for line in lines for name in takewhile(lambda word: word.startswith("-"), line)}


@pytest.fixture
def run(typed, monkeypatch):
    monkeypatch.setattr("sys.argv", ["privpac"])  # a help names the program
    return typed


def test_the_help_of_learn_shows_what_people_need_first(run):
    brief = run("learn", "--help")[1]
    assert explained(brief) == set(NEEDED)
    assert "learn --help-all shows" in brief and len(brief.splitlines()) <= 55


def test_all_options_are_found_in_the_whole_help(run):
    code, whole, _ = run("learn", "--help-all")
    assert code == 0 and explained(whole) >= {*NEEDED, *LATER}
    for panel in ("Classes", "Tables", "Privacy and accuracy", "Reports"):
        assert f" {panel} " in whole
    assert explained(run("learn", "--help")[1]) == set(NEEDED)  # as before


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"budget", "schema"}))
def test_no_option_is_lost(run, command):
    given = {name for each in _with_options(command).params for name in each.opts if name.startswith("-")}
    brief, whole = (explained(run(command, word)[1]) for word in ("--help", "--help-all"))
    if command in ("learn", "release", "plan", "count", "summarize"):
        assert brief < given | {"--help"} <= whole
    else:
        assert given | {"--help"} <= brief
        assert not whole  # there is no such option


def test_words_with_options_in_them_are_not_swallowed(run):
    assert run("learn", "--help-all", "--nonsense")[0] == 0
    assert "--help-al" in run("learn", "--help-al")[2]


@pytest.mark.parametrize("words", [("schema",), ("schema", "suggest"), ("schema", "check"), ("budget", "create")])
def test_groups_show_what_people_need_first_and_no_type_after_flags(run, words):
    brief = run(*words, "--help")[1]
    assert "<bool>" not in brief and "Privacy and accuracy" not in brief
    assert ("schema suggest --help-all shows" in brief) is (words[1:] == ("suggest",))


def test_each_shared_option_is_shared():
    texts = [path.read_text("utf-8") for path in Path(commands.__file__).parent.glob("*.py")]
    shared = [name for name, value in vars(options).items() if get_origin(value) is Annotated]
    assert shared and not [name for name in shared if sum(f": options.{name} =" in text for text in texts) < 2]
