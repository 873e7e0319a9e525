"""Every Python block on every page runs: with prompts as a doctest, without them as a program.

The commands of the README and of the guide run, too, in an empty folder: a reader may have installed the package, and
nothing else.
"""

import io
import re
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

import pytest
from outcomes import keep
from pages import BLOCK, run_page

from privpac.cli import app

ROOT = Path(__file__).resolve().parents[2]
FOLLOWED = [ROOT / "README.md", ROOT / "docs" / "index.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def pages() -> list[Path]:
    found = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
    runs = [path for path in found if any(block[2] == "python" for block in BLOCK.finditer(path.read_text("utf-8")))]
    return sorted({*runs, *FOLLOWED})


def typed(words: list[str]) -> tuple[int, str]:
    """A command in this process: exit code, and what it prints. Audits take long, so only their words are read."""
    if words[0] == "audit":
        words = [*words, "--help"]
    if words[0] == "explore":
        words = [*words, "--port", "0"]
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(out), pytest.raises(SystemExit) as end:
        app(words)
    return end.value.code, out.getvalue()


def stop(*_):
    raise KeyboardInterrupt


def page_cases():
    """The pages of the gallery are long, and the build of the documentation runs them, too."""
    for path in pages():
        marks = [pytest.mark.audit] if "gallery" in path.parts else []
        yield pytest.param(path, marks=marks, id=path.relative_to(ROOT).as_posix())


@pytest.mark.slow
@pytest.mark.parametrize("page", [*page_cases()])
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOGNAME", "grace")
    monkeypatch.setattr(
        import_module("privpac.app.server.routes"), "serve", stop
    )  # the explorer answers until it is stopped
    if page not in FOLLOWED:
        Path("examples").symlink_to(ROOT / "examples")  # as if read at the root of a clone
    text = page.read_text("utf-8")
    found = run_page(text, page.name, typed if page in FOLLOWED else None)
    assert "".join(found.reports) == ""
    keep(text, found.text, tmp_path)
    if page.parent.name == "papers":  # their pictures show numbers, not coins
        for drawn in tmp_path.glob("*.svg"):
            assert (page.parent / drawn.name).read_text("utf-8") == drawn.read_text("utf-8"), f"{drawn.name} is another"


def test_the_commands_that_readers_type_are_found():
    """What the README and the guide show is what runs: no command hides in a block of another kind."""
    for page in FOLLOWED:
        text = page.read_text("utf-8")
        consoles = "".join(block[0] for block in BLOCK.finditer(text) if block[2] == "console")
        typed = [line for line in text.splitlines() if line.startswith(("$ privpac ", "    privpac "))]
        hidden = [line for line in typed if line not in consoles]
        assert hidden == [], page


@pytest.mark.parametrize(
    "wrong",
    [
        "$ privpac learn missing.csv\n",
        "$ privpac --version\nerror: there is no version\n",
        "$ privpac --version\npriv 1.0\n",
        "$ privpac \\\n    --version\nprivpac … more\n",
    ],
)
def test_a_wrong_command_is_seen(wrong):
    assert len(run_page(f"```console\n{wrong}```\n", "wrong.md", typed).reports) == 1


def test_a_command_shows_what_it_prints_now(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "`rules.csv`:\n\n```text\na,b\n0,1\n```\n\n```console\n$ ls  # not ours\n{}```\n"
    shown = "$ privpac dimension rules.csv --what vc\n{}"
    page = run_page(text.format(shown.format("0 0 0\n")), "page.md", lambda words: (0, f"{len(words)} of 3 7\n"))
    assert page.text == text.format(shown.format("4 of 3 7\n"))
    assert Path("rules.csv").read_text("utf-8") == "a,b\n0,1\n"


def test_a_wrong_page_is_seen():
    wrong = "A page.\n\n```python\n>>> x = 1\n>>> x\n2\n```\n"
    (report,) = run_page(wrong, "wrong.md").reports
    assert "Expected:\n    2\nGot:\n    1" in report
    with pytest.raises(ZeroDivisionError):
        run_page("```python\nx = 1 / 0\n```\n", "wrong.md")


def test_blocks_share_names():
    right = "```python\nx = 1\n```\nand\n```python\n>>> x\n1\n```\n```text\n>>> not run\n```\n"
    assert run_page(right, "right.md") == (right, [])


def test_a_page_shows_what_came_out():
    page = run_page("```python\n>>> for i in range(2):\n...     print(i)\n0\n...\n\n>>> x = 3\n\n```\n", "coins.md")
    assert page == ("```python\n>>> for i in range(2):\n...     print(i)\n0\n1\n\n>>> x = 3\n\n```\n", [])


def test_an_error_is_shown_as_written():
    text = "```python\n>>> 1 / 0\nTraceback (most recent call last):\nZeroDivisionError: ...\n```\n"
    assert run_page(text, "error.md") == (text, [])


def test_pages_that_are_read_in_one_folder_do_not_collide():
    """An account is opened on one page only, and so is a schema begun: commands refuse to begin one again."""
    opened = Counter()
    for page in FOLLOWED:
        blocks = "".join(
            block[3] for block in BLOCK.finditer(page.read_text("utf-8")) if block[2] in ("python", "console")
        )
        typed = blocks.replace("\\\n", " ")
        names = [*re.findall(r"budget create (\w+)", typed), *re.findall(r"\.account\(\"(\w+)\"", typed)]
        names += re.findall(r"--budget sqlite:///budget\.db#(\w+)", typed)
        begun = re.findall(r"schema (?:init|suggest|mock)\b.*--out (\S+)", typed)
        opened.update({f"account {name}" for name in names} | {f"file {name}" for name in begun})
    assert len(opened) > 8
    assert [name for name, pages in opened.items() if pages > 1] == []
