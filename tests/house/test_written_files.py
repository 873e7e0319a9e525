"""One file of the package decides who may read what is written; all others write through it."""

import ast
from pathlib import Path

import pytest

WRITES = {"write_text", "write_bytes", "touch", "to_parquet", "to_csv", "mkstemp", "mkdtemp", "NamedTemporaryFile"}
MODES = set("wax+")
HERE = "src/privpac/data/files/private_files.py"
ALLOWED = {
    ("src/privpac/app/outcomes/outcome_store.py", "mkstemp"),  # makes files for their owner alone
    ("src/privpac/cli/commands/examples.py", "write_bytes"),  # public tables
    ("src/privpac/cli/commands/predict.py", "open"),  # a draft, which exists
}


def writes(source: str) -> set[str]:
    """The calls that make or open a file for writing, unless they say with which mode."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        opens = name == "open" and any(set(text) <= MODES | set("rbt") and MODES & set(text) for text in texts)
        if name in WRITES or (opens and not any(each.arg == "opener" for each in node.keywords)):
            found.add(name)
    return found


@pytest.mark.slow
def test_files_are_written_with_a_mode(root):
    found = {
        (path.relative_to(root).as_posix(), name)
        for path in Path(root, "src").rglob("*.py")
        for name in writes(path.read_text("utf-8"))
    }
    assert {each for each in found if each[0] != HERE} == ALLOWED


def test_offenders_are_caught():
    assert writes("Path(p).write_text('x')") == {"write_text"}
    assert writes("with open(p, 'w') as f: pass") == writes("with p.open('wb') as f: pass") == {"open"}
    assert writes("open(p, 'x', opener=opener(0o600))") == writes("open(p)") == writes("gzip.open(p, 'rb')") == set()
    assert writes("tempfile.mkstemp('.draft')") == {"mkstemp"}
