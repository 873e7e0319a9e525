"""The blocks of a page, run in order and in one folder: Python blocks in one namespace, commands in a shell.

Python blocks with prompts are doctests, and those without are programs. What stands below a prompt must match what
comes out, where ``...`` matches anything; so a page may hold the outcome of coins that nobody has fixed. The tests run
all pages, and the documentation shows those of the gallery with the outcomes of the run that made it.

A block ``console`` holds commands, each after ``$``, and perhaps what they print. Those of privpac run if the caller
has a shell. A command must succeed, or fail if an error stands below it. What stands below it must have the words of
what it prints; numbers and the rule may differ, and ``…`` matches any word. A block after a line with the name of a
file is that file.

As a program, this file runs pages in an empty folder and writes into them what their commands print now:
``python docs/pages.py README.md docs/guide/*.md``; with ``--check``, it only says what does not come out as written.

Main declarations
    run_page    the page with its outcomes, and a report of each that did not come out as written
    commands    the commands of a block, and what stands below each
"""

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen

BLOCK = re.compile(r"^(?:`([\w.-]+)`:\n\n)?```(python|console|text|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
RULE = re.compile(r"^rule: .*\n(?: .*\n)*", re.MULTILINE)
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/\?key=\w+")
NUMBER = re.compile(r"-?\d(?:[\d.,:·⁰¹²³⁴⁵⁶⁷⁸⁹-]|e-)*")
Shell = Callable[[list[str]], tuple[int, str]]  # words after privpac, to an exit code and what is printed


class Page(NamedTuple):
    """A page with what came out below its prompts, and the reports of what should not have."""

    text: str
    reports: list[str]


class Command(NamedTuple):
    """A command as it is written, perhaps on several lines, and what stands below it."""

    written: str
    shown: str

    @property
    def words(self) -> list[str]:
        return shlex.split(re.sub(r"\s+# .*", "", self.written.removeprefix("$ ")).replace("\\\n", " "))


class _Outcomes(doctest.DocTestRunner):
    """Keeps what comes out; of an error only what was written."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=FLAGS)
        self.got: dict[doctest.Example, str] = {}

    def report_success(self, out, test, example, got):
        self.got[example] = got if example.exc_msg is None else example.want


def run_page(text: str, name: str, shell: Shell | None = None) -> Page:
    """Run the blocks of a page; its commands, if there is a shell."""
    names: dict[str, object] = {}
    reports: list[str] = []

    def run_python(source: str, line: int) -> str:
        if ">>>" not in source:
            exec(compile("\n" * line + source, name, "exec"), names)
            return source
        runner, parser = _Outcomes(), doctest.DocTestParser()
        test = parser.get_doctest(source, {}, name, name, line)
        test.globs = names
        runner.run(test, out=reports.append, clear_globs=False)
        return "".join(part if isinstance(part, str) else _shown(part, runner.got) for part in parser.parse(source))

    def run(block: re.Match[str]) -> str:
        file, kind, inside = block.groups()
        made = inside
        if kind == "python":
            made = run_python(inside, text.count("\n", 0, block.start()) + 1)
        elif kind == "console" and shell is not None:
            made = "".join(_run_command(each, shell, reports) for each in commands(inside))
        elif file:
            Path(file).write_text(inside, "utf-8")
        return block[0].removesuffix(f"{inside}```") + f"{made}```"

    return Page(BLOCK.sub(run, text), reports)


def commands(inside: str) -> list[Command]:
    r"""The commands of a block.

    >>> [(each.words, each.shown) for each in commands("$ a b \\\n    c\nout\n$ d\n")]
    [(['a', 'b', 'c'], 'out\n'), (['d'], '')]
    """
    found = re.findall(r"^(\$ (?:.*\\\n)*.*\n)((?:(?!\$ ).*\n)*)", inside, re.MULTILINE)
    return [Command(*each) for each in found]


def _run_command(command: Command, shell: Shell, reports: list[str]) -> str:
    """The command with what it printed now, if something stood below it."""
    if command.words[0] != "privpac":
        return command.written + command.shown
    code, printed = shell(command.words[1:])
    if (code != 0) != command.shown.startswith("error:"):
        reports.append(f"{command.written}ended with {code}:\n{printed}")
    elif command.shown and not _alike(command.shown, printed):
        reports.append(f"{command.written}is said to print\n{command.shown}but prints\n{printed}")
    return command.written + (printed if command.shown and "…" not in command.shown else command.shown)


def _alike(shown: str, printed: str) -> bool:
    """Whether both have the same words, beside the rule, which coins decide."""
    words = r"\s+".join(r"\S+".join(map(re.escape, word.split("…"))) for word in _plain(shown).split())
    return re.fullmatch(words, _plain(printed).strip()) is not None


def _plain(text: str) -> str:
    return NUMBER.sub("#", RULE.sub("rule:\n", text))


def _shown(example: doctest.Example, got: dict[doctest.Example, str]) -> str:
    """An example with its prompts and what came out."""
    first, *rest = example.source.splitlines(keepends=True)
    return "".join([f">>> {first}", *(f"... {line}" for line in rest), got.get(example, example.want)])


def _in_a_shell(words: list[str]) -> tuple[int, str]:
    """Run privpac as it is installed beside this Python; the explorer is stopped as soon as it answers."""
    program = [sys.executable, "-m", "privpac", *words, *(["--port", "0"] if words[0] == "explore" else [])]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "encoding": "utf-8"}
    with subprocess.Popen(program, env=os.environ | {"PYTHONUNBUFFERED": "1"}, **piped) as run:
        told = ""
        if words[0] == "explore":
            while (address := ADDRESS.search(told)) is None and (line := run.stdout.readline()):
                told += line
            if address:
                with suppress(HTTPError):  # without a cookie it refuses, which is an answer
                    urlopen(address[0], timeout=60).close()
                run.send_signal(signal.SIGINT)
        told += run.communicate(timeout=600)[0]
        return run.returncode, told


def _run_file(path: Path, write: bool) -> list[str]:
    """Run a page in an empty folder."""
    text, here = path.read_text("utf-8"), Path.cwd()
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            page = run_page(text, path.name, _in_a_shell)
        finally:
            os.chdir(here)
    if write:
        path.write_text(_with_commands(text, page.text), "utf-8")
    return page.reports


def _with_commands(text: str, run: str) -> str:
    """The text with what its commands printed; what stands below prompts stays as it is written."""
    for old, new in zip(BLOCK.finditer(text), BLOCK.finditer(run), strict=True):
        if old[2] == "console":
            text = text.replace(old[0], new[0], 1)
    return text


if __name__ == "__main__":
    os.environ["LOGNAME"] = "grace"  # who charges accounts on a page
    checks = "--check" in sys.argv
    failed = [report for each in sys.argv[1:] if each != "--check" for report in _run_file(Path(each), not checks)]
    print(*failed, sep="\n")
    sys.exit(checks and bool(failed))
