"""No paths of one machine and no deferred work in any text of the repository."""

import re

import pytest

MACHINE = re.compile(r"(?<![\w.~<])/(?:home|root|Users|tmp|work|opt|mnt|private)/\w|\b[A-Z]:\\\w|\bfile://")
DEFERRED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
FOLDERS = ("src", "tests", "docs", "examples", "benchmarks", ".ci")
SUFFIXES = {".py", ".md", ".bib", ".toml", ".txt", ".rst", ""}


def offences(text: str) -> list[str]:
    """Each machine path and each mark of deferred work in a text."""
    return MACHINE.findall(text) + DEFERRED.findall(text)


def texts(root):
    inside = [path for folder in FOLDERS for path in (root / folder).rglob("*")]
    for path in [*inside, *root.iterdir()]:
        generated = {"_build", "__pycache__", "api"} & set(path.relative_to(root).parts)
        if path.is_file() and path.suffix in SUFFIXES and not generated and path.name != ".git":  # of a worktree
            yield path.relative_to(root).as_posix(), path.read_text("utf-8")


@pytest.mark.slow
def test_texts_are_clean(root):
    found = {name: offences(text) for name, text in texts(root) if not name.endswith("house/test_text.py")}
    assert len(found) > 20
    assert {name: marks for name, marks in found.items() if marks} == {}


@pytest.mark.parametrize(
    "text",
    ["open('/home/ann/x.csv')", "see /tmp/x", r"C:\data", "file:///x", "# TODO later", "FIXME", "at /Users/ann"],
)
def test_an_offence_is_seen(text):
    assert len(offences(text)) == 1


@pytest.mark.parametrize("text", ["/usr/lib/python3", "a/home/b", "https://host/tmp/x", "sqlite:///budget.db", "do to"])
def test_plain_text_passes(text):
    assert offences(text) == []
