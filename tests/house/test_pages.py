"""Every Python block on every page runs: with prompts as a doctest, without them as a program."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run_page(text: str, name: str) -> list[str]:
    """Run the blocks of a page in order, in one namespace; the reports of what did not come out as written."""
    names: dict[str, object] = {}
    reports: list[str] = []
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start()) + 1
        if ">>>" in block[1]:
            test = doctest.DocTestParser().get_doctest(block[1], names, name, name, line)
            runner.run(test, out=reports.append, clear_globs=False)
            names = test.globs
        else:
            exec(compile("\n" * line + block[1], name, "exec"), names)
    return reports


def pages() -> list[Path]:
    found = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
    return sorted(path for path in [*found, ROOT / "README.md"] if BLOCK.search(path.read_text("utf-8")))


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "".join(run_page(page.read_text("utf-8"), page.name)) == ""


def test_a_wrong_page_is_seen():
    wrong = "A page.\n\n```python\n>>> x = 1\n>>> x\n2\n```\n"
    (report,) = run_page(wrong, "wrong.md")
    assert "Expected:\n    2\nGot:\n    1" in report
    with pytest.raises(ZeroDivisionError):
        run_page("```python\nx = 1 / 0\n```\n", "wrong.md")


def test_blocks_share_names():
    right = "```python\nx = 1\n```\nand\n```python\n>>> x\n1\n```\n```text\n>>> not run\n```\n"
    assert run_page(right, "right.md") == []
