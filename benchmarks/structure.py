"""How the house is built, in counts that a rebuild should lower: ``python benchmarks/structure.py [SRC …]``.

Each SRC is the folder ``src`` of a checkout (``git worktree add ../before COMMIT`` makes another one), so that versions
are counted in one run by the same lines; without one, that of this checkout is counted.

What is counted
    files, modules, lines    all Python files of the package; those that are not ``__init__``; their lines
    largest folder           the files in the folder that has most of them, without ``__init__``
    under 60 lines           files without ``__init__`` that are that short
    in cycles                modules that import each other, in functions too, but not for type checkers alone
    Any per 1,000 lines      in all rooms, and in ``data``
    repeated names           functions and classes at the top level of two or more modules, without those whose name
                             begins with an underscore
    modules on a walk        modules whose functions run in a second call: of a median, a fit, a release in Python, of
                             ``privpac learn`` on a CSV file, and of the same with a schema
    CPU of learn             of ``privpac learn`` on 100 rows, divided by that of ``import sklearn`` (least of five)
"""

from __future__ import annotations

import ast
import os
import resource
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from measure import Table

HERE = Path(__file__).parents[1] / "src"
SHORT = 60
WALKS = """
import contextlib, io, sys
import numpy as np
import privpac as pp
from privpac.cli import app

ages = np.arange(1000) % 120
late = (ages > 60).astype(int)

def shell(*words):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        app(list(words))

walks = {
    "median": lambda: pp.private_median(ages.tolist(), low=0, high=120, epsilon=1),
    "fit": lambda: pp.PrivateClassifier(pp.Thresholds(0, 120), epsilon=1).fit(ages.reshape(-1, 1), late),
    "learn": lambda: shell(*"learn t.csv --class thresholds --low 0 --high 120 --x age --y late".split()),
    "tree by schema": lambda: shell(*"learn t.csv --schema s.toml".split()),
    "release": lambda: pp.PrivateRelease(pp.Thresholds(0, 120), epsilon=1).fit(ages.reshape(-1, 1)),
}
folder = pp.__file__.removesuffix("__init__.py")

def note(frame, event, _):
    if event == "call" and frame.f_code.co_name != "<module>":
        walked.add(frame.f_code.co_filename)

for name, walk in walks.items():
    walk()
    walked = set()
    sys.setprofile(note)
    walk()
    sys.setprofile(None)
    print(sum(each.startswith(folder) for each in walked))
"""
SCHEMA = """[label]
column = "late"
classes = [0, 1]
[columns.age]
kind = "integer"
low = 0
high = 120
[columns.sex]
kind = "category"
values = ["f", "m"]
"""


def trees(src: Path) -> dict[Path, ast.Module]:
    """Every module, parsed."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted((src / "privpac").rglob("*.py"))}


def made(tree: ast.Module) -> set[str]:
    """The functions and classes at a module's top level that are not its own business."""
    named = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    return {name for name in named if not name.startswith("_")}


def imported(tree: ast.Module, known: set[str]) -> set[str]:
    """The modules of the package that a module imports when it runs."""
    checked = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    hidden = {id(each) for node in checked for each in ast.walk(node)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and id(node) not in hidden:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                found.add(whole if whole in known else node.module)
        elif isinstance(node, ast.Import) and id(node) not in hidden:
            found |= {alias.name for alias in node.names}
    return found & known


def in_cycles(graph: dict[str, set[str]]) -> int:
    """How many modules can be reached from themselves."""

    def reached(start: str) -> set[str]:
        seen, waiting = set(), list(graph[start])
        while waiting:
            if (each := waiting.pop()) not in seen:
                seen.add(each)
                waiting += graph.get(each, ())
        return seen

    return sum(module in reached(module) for module in graph)


def anys(parsed: dict[Path, ast.Module], lengths: dict[Path, int], room: str = "") -> float:
    """How often ``Any`` stands in annotations and calls, per 1,000 lines."""
    there = [path for path in parsed if not room or room in path.parts]
    found = sum(isinstance(node, ast.Name) and node.id == "Any" for path in there for node in ast.walk(parsed[path]))
    return round(1000 * found / max(1, sum(lengths[path] for path in there)), 1)


def cpu(command: list[str], folder: str, src: Path) -> float:
    """The least CPU seconds of five runs, of which all but the first find the package compiled."""
    environment, taken = os.environ | {"PYTHONPATH": str(src), "PYTHONDONTWRITEBYTECODE": ""}, []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True, cwd=folder, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def walks(src: Path) -> tuple[str, float]:
    """How many modules each walk passes through, and what ``privpac learn`` costs beside ``import sklearn``."""
    with TemporaryDirectory() as folder:
        rows = [f"{i % 120},{'fm'[i % 2]},{int(i % 120 > 60)}\n" for i in range(1000)]
        for name, number in (("t.csv", 1000), ("small.csv", 100)):
            Path(folder, name).write_text("age,sex,late\n" + "".join(rows[:number]), "utf-8")
        Path(folder, "s.toml").write_text(SCHEMA, "utf-8")
        environment = os.environ | {"PYTHONPATH": str(src)}
        command = [sys.executable, "-c", WALKS]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=folder)
        options = ["--class", "thresholds", "--low", "0", "--high", "120", "--x", "age", "--y", "late"]
        learn = cpu([sys.executable, "-m", "privpac", "learn", "small.csv", *options], folder, src)
        return " / ".join(done.stdout.split()), learn / cpu([sys.executable, "-c", "import sklearn"], folder, src)


def counts(src: Path) -> dict[str, Any]:
    """The counts of the version in this folder."""
    parsed = trees(src)
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in parsed}
    modules = [path for path in parsed if path.name != "__init__.py"]
    names = {".".join(path.relative_to(src).with_suffix("").parts).removesuffix(".__init__"): path for path in parsed}
    graph = {name: imported(parsed[path], set(names)) for name, path in names.items()}
    folder, most = Counter(path.parent.relative_to(src) for path in modules).most_common(1)[0]
    passed, ratio = walks(src)
    repeated = Counter(name for path in modules for name in made(parsed[path]))
    return {
        "files / modules / lines": f"{len(parsed)} / {len(modules)} / {sum(lengths.values()):,}",
        "files in the largest folder": f"{most} ({folder})",
        "modules under 60 lines": sum(lengths[path] < SHORT for path in modules),
        "modules in import cycles": in_cycles(graph),
        "Any per 1,000 lines: data / all": f"{anys(parsed, lengths, 'data')} / {anys(parsed, lengths)}",
        "repeated names": sum(k > 1 for k in repeated.values()),
        "modules on a walk: median / fit / learn / tree by schema / release": passed,
        "CPU of learn on 100 rows, of import sklearn": f"{ratio:.2f}",
    }


def table(sources: dict[str, Path]) -> Table:
    """The counts of some versions, side by side."""
    found = {name: counts(src) for name, src in sources.items()}
    rows = [(what, *(each[what] for each in found.values())) for what in next(iter(found.values()))]
    return Table("How the house is built", ("count", *found), rows)


if __name__ == "__main__":
    given = [Path(each) for each in sys.argv[1:]] or [HERE]
    print(table({str(each): each for each in given}))
