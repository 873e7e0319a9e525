"""The tree: short files, no drawer for odds and ends, and tests that mirror the package one to one."""

from pathlib import PurePosixPath

LONGEST = 300
DRAWERS = {"utils.py", "util.py", "helpers.py", "misc.py", "common.py"}


def too_long(lengths: dict[str, int]) -> list[str]:
    """Files with more than LONGEST lines."""
    return [path for path, lines in lengths.items() if lines > LONGEST]


def drawers(paths: list[str]) -> list[str]:
    """Files whose name does not say what is in them."""
    return [path for path in paths if PurePosixPath(path).name in DRAWERS]


def mirror(module: str) -> str:
    """Where the tests of a module live: privacy/ledger.py → privacy/test_ledger.py."""
    path = PurePosixPath(module)
    return str(path.with_name(f"test_{path.name}"))


def without_tests(modules: list[str], tests: set[str]) -> list[str]:
    """Modules without a test file in the mirrored place; a package's front door has none."""
    return [m for m in modules if PurePosixPath(m).name != "__init__.py" and mirror(m) not in tests]


def python_files(folder):
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}


def test_files_are_short(root):
    files = python_files(root / "src" / "privpac")
    assert too_long({name: len(path.read_text("utf-8").splitlines()) for name, path in files.items()}) == []


def test_there_are_no_drawers(root):
    assert drawers(list(python_files(root / "src" / "privpac"))) == []


def test_tests_mirror_the_package(root):
    assert without_tests(sorted(python_files(root / "src" / "privpac")), set(python_files(root / "tests"))) == []


def test_offenders_are_seen():
    assert too_long({"a.py": 300, "b.py": 301}) == ["b.py"]
    assert drawers(["exact/utils.py", "exact/entropy.py"]) == ["exact/utils.py"]
    modules = ["__init__.py", "cli.py", "exact/__init__.py", "exact/entropy.py", "privacy/store.py"]
    assert without_tests(modules, {"exact/test_entropy.py", "test_store.py"}) == ["cli.py", "privacy/store.py"]
