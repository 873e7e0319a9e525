"""Every Python block on every page runs: with prompts as a doctest, without them as a program."""

from pathlib import Path

import pytest
from outcomes import keep
from pages import BLOCK, run_page

ROOT = Path(__file__).resolve().parents[2]


def pages() -> list[Path]:
    found = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
    return sorted(path for path in [*found, ROOT / "README.md"] if BLOCK.search(path.read_text("utf-8")))


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")  # pages speak as if read at the root of a clone
    text = page.read_text("utf-8")
    found = run_page(text, page.name)
    assert "".join(found.reports) == ""
    keep(text, found.text, tmp_path)


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
