"""The page that adds a class is followed: its files go into a copy of the repository, and its commands run there."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = "docs/contributing/a-new-class.md"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COPIED = ("src", "tests", "docs", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "pyproject.toml")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def files(page: str) -> list[tuple[str, str, str]]:
    """(language, path, text) of every block that is a file, or a change of one."""
    return [(language, path, text) for language, path, text in BLOCK.findall(page) if path]


def commands(page: str) -> list[tuple[str, str]]:
    """(command, what it prints) of every block that is a session."""
    sessions = "".join(text for language, path, text in BLOCK.findall(page) if language == "console")
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", sessions, re.MULTILINE)


def changed(text: str, diff: str) -> str:
    """The text with all parts of a diff, each where its unmarked lines first stand."""
    for part in diff.split("@@\n"):
        lines = part.splitlines(keepends=True)
        before = "".join(line[1:] or "\n" for line in lines if not line.startswith("+"))
        after = "".join(line[1:] or "\n" for line in lines)
        assert before in text, f"nowhere:\n{before}"
        text = text.replace(before, after, 1)
    return text


def written(page: str, root: Path) -> None:
    """All files of the page below ``root``; those that are new must be."""
    for language, name, text in files(page):
        path = root / name
        assert path.exists() == (language == "diff"), name
        path.write_text(changed(path.read_text("utf-8"), text) if language == "diff" else text, "utf-8")


def printed(command: str, root: Path) -> str:
    """What a command prints; it must succeed."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    path = os.pathsep.join([str(Path(sys.executable).parent), clean.get("PATH", "")])
    env = clean | {"PATH": path, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(["bash", "-c", command], cwd=root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"
    return done.stdout


def matches(expected: str, found: str) -> bool:
    return doctest.OutputChecker().check_output(expected, found, FLAGS)


@pytest.mark.audit
def test_the_page_works_as_it_stands(root, tmp_path):
    page = (root / PAGE).read_text("utf-8")
    for name in COPIED:
        source, ignored = root / name, shutil.ignore_patterns("__pycache__", "_build")
        shutil.copytree(source, tmp_path / name, ignore=ignored) if source.is_dir() else shutil.copy(source, tmp_path)
    written(page, tmp_path)
    for command, expected in commands(page):
        found = printed(command, tmp_path)
        assert matches(expected, found), f"$ {command}\n{found}"


def test_a_class_takes_at_most_eight_files(root):
    page = (root / PAGE).read_text("utf-8")
    assert len({path for _, path, _ in files(page)}) == len(files(page)) <= 8
    assert len(commands(page)) >= 6


def test_pages_that_do_not_work_are_seen(tmp_path):
    page = "```python a.py\nx = 1\n```\n```console\n$ echo 1\n1\n$ echo 2\n```\n"
    assert files(page) == [("python", "a.py", "x = 1\n")]
    assert commands(page) == [("echo 1", "1\n"), ("echo 2", "")]
    assert changed("a\n\nb\n", " a\n\n+c\n@@\n+d\n b\n") == "a\n\nc\nd\nb\n"
    with pytest.raises(AssertionError, match="nowhere"):
        changed("a\n", " b\n+c\n")
    written(page, tmp_path)
    with pytest.raises(AssertionError, match=r"a\.py"):
        written(page, tmp_path)
    assert printed("cat a.py", tmp_path) == "x = 1\n"
    with pytest.raises(AssertionError):
        printed("false", tmp_path)
    assert matches("1\n...\n3\n", "1\n2\n3\n") and not matches("1\n", "2\n") and not matches("", "2\n")
