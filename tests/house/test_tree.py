"""The tree: no drawer for odds and ends, and tests in the rooms of what they test."""

import ast
from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest

ROOMLESS = ("house", "errata", "models")  # tests of the repository, of what papers say, and models to read
DRAWERS = {"utils.py", "util.py", "helpers.py", "misc.py", "common.py"}


def drawers(paths: list[str]) -> list[str]:
    """Files whose name does not say what is in them."""
    return [path for path in paths if PurePosixPath(path).name in DRAWERS]


def rooms(names: Iterable[str]) -> set[str]:
    """The packages of dotted names: privpac.learners.views.blocks → privpac.learners.views."""
    return {name.rpartition(".")[0] for name in names} - {"", "privpac"}


def imports(tree: ast.Module) -> set[str]:
    """The dotted names that a file imports; of ``from a import b`` both a and a.b, as b may be a module."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def audited_only(tree: ast.Module) -> bool:
    """Whether `make test` runs no test of a file: the file or each of its tests is marked ``audit``."""
    tests = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    whole = [node.value for node in tree.body if isinstance(node, ast.Assign) and names(node) == {"pytestmark"}]
    marked = ["pytest.mark.audit" in map(ast.unparse, test.decorator_list) for test in tests]
    return any("pytest.mark.audit" in ast.unparse(mark) for mark in whole) or (bool(tests) and all(marked))


def names(node: ast.Assign) -> set[str]:
    return set(map(ast.unparse, node.targets))


def unreached(modules: dict[str, ast.Module], tests: dict[str, ast.Module]) -> list[str]:
    """Modules that no test of their folder, or of one above it, imports, not even through modules of their folder.

    Tests that only `make audit` runs do not count.
    """
    missing, found = [], {name: imports(tree) for name, tree in modules.items()}
    tested = {name: imports(tree) for name, tree in tests.items() if not audited_only(tree)}
    for room in sorted(rooms(modules)):
        inside = {name for name in modules if room in {name, name.rpartition(".")[0]}}
        folder = room.replace("privpac", "tests", 1)
        above = {folder, folder.rpartition(".")[0]} - {"tests"}
        new = {each for name, those in tested.items() if name.rpartition(".")[0] in above for each in those}
        reached: set[str] = set()
        while new := (new & inside) - reached:
            reached |= new
            new = {each for name in new for each in found[name]}
        missing += sorted(inside - reached - rooms(modules))
    return missing


def python_files(folder):
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}


def test_there_are_no_drawers(root):
    assert drawers(list(python_files(root / "src" / "privpac"))) == []


def test_tests_have_the_rooms_of_the_package(root, modules):
    folders = {"privpac." + ".".join(path.parent.parts) for path in map(PurePosixPath, python_files(root / "tests"))}
    assert folders - {f"privpac.{name}" for name in ("", *ROOMLESS)} == rooms(modules)


@pytest.mark.audit
def test_every_module_is_reached_by_a_test_of_its_room(root, modules):
    files = python_files(root / "tests")
    tests = {f"tests.{name[:-3].replace('/', '.')}": ast.parse(path.read_text("utf-8")) for name, path in files.items()}
    assert unreached(modules, tests) == []


def test_offenders_are_seen():
    assert drawers(["exact/utils.py", "exact/entropy.py"]) == ["exact/utils.py"]
    sources = {
        "privpac": "from privpac import exact",
        "privpac.exact": "from privpac.exact.entropy import SYSTEM",
        "privpac.exact.entropy": "def f():\n    from privpac.exact import words",
        "privpac.exact.words": "",
        "privpac.exact.biased_coins": "import privpac.exact.words",
        "privpac.privacy": "",
        "privpac.privacy.ledger": "import privpac.exact.biased_coins",
    }
    tests = {
        "tests.exact.test_entropy": "from privpac.exact import entropy",
        "tests.test_ledger": "import privpac.privacy.ledger",
    }
    modules, parsed = ({name: ast.parse(text) for name, text in each.items()} for each in (sources, tests))
    assert rooms(modules) == {"privpac.exact", "privpac.privacy"}
    assert unreached(modules, parsed) == ["privpac.exact.biased_coins", "privpac.privacy.ledger"]
    parsed["tests.privacy.test_ledger"] = parsed.pop("tests.test_ledger")
    assert unreached(modules, parsed) == ["privpac.exact.biased_coins"]
    for marked in ("pytestmark = [pytest.mark.audit]\n", "@pytest.mark.audit\ndef test_it(): ...\n"):
        parsed["tests.privacy.test_ledger"] = ast.parse("import privpac.privacy.ledger\n" + marked)
        assert unreached(modules, parsed) == ["privpac.exact.biased_coins", "privpac.privacy.ledger"]
    assert not audited_only(ast.parse("@pytest.mark.audit\ndef test_it(): ...\ndef test_that(): ...\n"))
