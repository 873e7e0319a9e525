"""No paths of one machine and no deferred work in any text of the repository."""

import ast
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


def messages(source: str) -> str:
    """The texts of a module other than its docstrings, without the values that f-strings fill in."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return "\n".join(node.value for node in constants if id(node) not in docstrings)


@pytest.mark.slow
def test_messages_name_pages_by_titles_since_an_installation_has_no_docs(root):
    told = "\n".join(messages(path.read_text("utf-8")) for path in (root / "src").rglob("*.py"))
    assert re.findall(r"docs/(?:guide|papers)/\S*\.md", told) == []  # citations of proofs name their files
    titles = {path.read_text("utf-8").partition("\n")[0] for path in (root / "docs").rglob("*.md")}
    named = re.findall(r'\bpage "([^"]+)"', told)
    assert len(named) > 3 and {f"# {title}" for title in named} <= titles


def test_docstrings_are_no_messages():
    assert messages('"""See docs/a.md."""\nraise ValueError(f"see {name} in docs/b.md")\n') == "see \n in docs/b.md"


@pytest.mark.parametrize(
    "text",
    ["open('/home/ann/x.csv')", "see /tmp/x", r"C:\data", "file:///x", "# TODO later", "FIXME", "at /Users/ann"],
)
def test_an_offence_is_seen(text):
    assert len(offences(text)) == 1


@pytest.mark.parametrize("text", ["/usr/lib/python3", "a/home/b", "https://host/tmp/x", "sqlite:///budget.db", "do to"])
def test_plain_text_passes(text):
    assert offences(text) == []
