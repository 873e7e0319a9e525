"""How the house is built, in counts that a rebuild should lower: ``python benchmarks/structure.py [SRC …]``.

Each SRC is the folder ``src`` of a checkout (``git worktree add ../before COMMIT`` makes another one), so that versions
are counted in one run by the same lines; without one, that of this checkout is counted.

What is counted
    lines, files, longest       of all Python files of the package
    domains told apart          calls of isinstance whose first argument has ``domain`` in it
    … outside data/             of these, those in other rooms
    repeated names              functions and classes at the top level of two or more modules, without those whose name
                                begins with an underscore
    repeated constants          the same for what is assigned there
    widest                      the names at the top level of the most modules, with their numbers
    modules loaded              modules of the package that a ``privpac learn`` of thresholds, on a CSV file, has loaded
    modules walked through      of these, those whose functions run in a second such call

Main declarations
    counts    the counts of one version
    table     of several, side by side
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import Table

HERE = Path(__file__).parents[1] / "src"
LEARN = """
import sys
from privpac.cli import app

def learn():
    try:
        app(["learn", sys.argv[1], *"--x delay --y late --class thresholds --low 0 --high 99".split()])
    except SystemExit:
        pass

def note(frame, event, _):
    if event == "call":
        walked.add(frame.f_code.co_filename)

learn()
files = {each.__file__ for name, each in list(sys.modules.items()) if name.split(".")[0] == "privpac"}
walked = set()
sys.setprofile(note)
learn()
sys.setprofile(None)
print(len(files), len(files & walked))
"""


def trees(src: Path) -> dict[Path, ast.Module]:
    """Every module, parsed."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted((src / "privpac").rglob("*.py"))}


def _asked(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls of isinstance about a domain."""
    for node in ast.walk(tree):
        named = isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
        if named and "domain" in ast.unparse(node.args[0]):
            yield node


def _made(tree: ast.Module) -> set[str]:
    """The functions and classes at a module's top level."""
    return {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def _assigned(tree: ast.Module) -> set[str]:
    """What is assigned at a module's top level."""
    assigned = [node for node in tree.body if isinstance(node, (ast.Assign, ast.AnnAssign))]
    targets = [
        target for node in assigned for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def _modules(parsed: dict[Path, ast.Module], names: Callable[[ast.Module], set[str]]) -> Counter[str]:
    """In how many modules each public name stands; a package's front door only names what others define."""
    own = (names(tree) for path, tree in parsed.items() if path.name != "__init__.py")
    return Counter(name for each in own for name in each if not name.startswith("_"))


def _repeated(met: Counter[str]) -> int:
    return sum(k > 1 for k in met.values())


def _loaded(src: Path) -> tuple[int, int]:
    """How many modules a ``privpac learn`` has loaded when it ends, and how many a second one runs through."""
    with TemporaryDirectory() as folder:
        data = Path(folder, "late.csv")
        data.write_text("delay,late\n" + "".join(f"{i % 100},{int(i % 100 >= 37)}\n" for i in range(1000)), "utf-8")
        environment = os.environ | {"PYTHONPATH": str(src)}
        command = [sys.executable, "-c", LEARN, str(data)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=folder)
    loaded, walked = done.stdout.split()[-2:]
    return int(loaded), int(walked)


def counts(src: Path) -> dict[str, Any]:
    """The counts of the version in this folder."""
    parsed = trees(src)
    lengths = [len(path.read_text("utf-8").splitlines()) for path in parsed]
    asked = {path: len(list(_asked(tree))) for path, tree in parsed.items()}
    inside = sum(k for path, k in asked.items() if path.relative_to(src / "privpac").parts[0] == "data")
    made, assigned = _modules(parsed, _made), _modules(parsed, _assigned)
    widest = sorted((made + assigned).items(), key=lambda each: (-each[1], each[0]))[:5]
    loaded, walked = _loaded(src)
    return {
        "lines": sum(lengths),
        "files": len(lengths),
        "longest": max(lengths),
        "domains told apart": sum(asked.values()),
        "… outside data/": sum(asked.values()) - inside,
        "repeated names": _repeated(made),
        "repeated constants": _repeated(assigned),
        "widest": ", ".join(f"{name} {k}" for name, k in widest),
        "modules loaded": loaded,
        "modules walked through": walked,
    }


def table(sources: dict[str, Path]) -> Table:
    """The counts of some versions, side by side."""
    found = {name: counts(src) for name, src in sources.items()}
    rows = [(what, *(each[what] for each in found.values())) for what in next(iter(found.values()))]
    return Table("How the house is built", ("count", *found), rows)


if __name__ == "__main__":
    given = [Path(each) for each in sys.argv[1:]] or [HERE]
    print(table({str(each): each for each in given}))
