"""constraints.txt pins what pyproject.toml asks for, by name and version alone."""

import re
import tomllib

PIN = re.compile(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.+-]*")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def malformed(constraints: str) -> list[str]:
    """Lines that are not name==version: an address, a path, an option."""
    return [line for line in constraints.splitlines() if not PIN.fullmatch(line)]


def unpinned(project: dict, constraints: str) -> set[str]:
    """Requirements of the project and its extras that no line pins."""
    wanted = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    names = {normal(re.match(r"[A-Za-z0-9_.-]+", requirement)[0]) for requirement in wanted}
    pinned = {normal(line.partition("==")[0]) for line in constraints.splitlines()}
    return names - pinned - {normal(project["name"])}


def test_constraints_pin_the_project(root):
    constraints = (root / "constraints.txt").read_text("utf-8")
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert malformed(constraints) == []
    assert unpinned(project, constraints) == set()


def test_offenders_are_seen():
    assert malformed("numpy==2.4.6\nscipy>=1\n--index-url x\nflint @ https://host/flint.whl") == [
        "scipy>=1",
        "--index-url x",
        "flint @ https://host/flint.whl",
    ]
    project = {
        "name": "privpac",
        "dependencies": ["numpy>=2", "Typer[all]>=1"],
        "optional-dependencies": {"dev": ["privpac[store]", "pytest"]},
    }
    assert unpinned(project, "typer==1.0\npytest==9.2.0") == {"numpy"}
