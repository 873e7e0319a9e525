"""What a fit costs around its draw: reading, choosing a learner, certifying, accounting, writing.

A fit of 1000 records; the time and the calls outside of the mechanisms' ``release``, which is the draw itself. Calls
are those of Python functions, which no other work on the machine changes; times are medians of the processor's time, in
milliseconds, which other work changes less than the clock's. Predicted: thresholds, 40 000 calls and 13 ms on a quiet
machine before the house was rebuilt. The bar after it: at most about 4 ms on a quiet machine. "First" is the first of
its kind in a fresh interpreter, the kinds one after another; that of the command holds its imports.

PRIVPAC_BENCH_BEFORE may name the folder ``src`` of another version (``git worktree add ../before COMMIT``), which is
then measured in turns with this one. The counts are those of benchmarks/structure.py.

Main declarations
    fits      what is fitted
    figures   the figures of the version on the path: ``python benchmarks/fit_overhead.py REPEATS`` prints them
    tables    the figures
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from measure import Table
from structure import HERE as SRC
from structure import table as structure_table

import privpac as pp

n = 1000
DELAYS = [i * 377 % n for i in range(n)]
LATE = [int(delay >= 370) for delay in DELAYS]
CARRIERS = [("EV", "UA", "B6", "DL")[i % 4] for i in range(n)]
ROUNDS = 3  # turns that versions take
LEARN = "--x delay --y late --class thresholds --low 0 --high 999 --epsilon 1 --delta 1e-6"


def _classifier(concept_class: Any, column: list[Any], labels: list[int], method: str = "auto") -> Callable[[], Any]:
    return lambda: pp.PrivateClassifier(concept_class, feature="x", method=method).fit({"x": column}, labels)


def _command(folder: str) -> Callable[[], Any]:
    """``privpac learn`` in this process."""
    data = Path(folder, "late.csv")
    data.write_text("delay,late\n" + "".join(f"{x},{y}\n" for x, y in zip(DELAYS, LATE, strict=True)), "utf-8")

    def learn() -> None:
        from privpac.cli import app  # noqa: PLC0415  (which loads much)

        with redirect_stdout(StringIO()):
            app(["learn", str(data), *LEARN.split()], standalone_mode=False)

    return learn


def fits(folder: str) -> dict[str, Callable[[], Any]]:
    """What is fitted, by name."""
    return {
        "thresholds 0 … 999, PrivateClassifier": _classifier(pp.Thresholds(0, n - 1, direction="above"), DELAYS, LATE),
        "thresholds 0 … 999, PureThresholdLearner": _classifier(
            pp.Thresholds(0, n - 1, direction="above"), DELAYS, LATE, "PureThresholdLearner"
        ),
        "points, PrivateClassifier": _classifier(pp.Points(), CARRIERS, [int(each == "EV") for each in CARRIERS]),
        "thresholds 0 … 999, privpac learn on a CSV file": _command(folder),
    }


class Draw:
    """Time and calls inside of ``release``; one within another counts once."""

    def __init__(self) -> None:
        self.inside, self.seconds = 0, 0.0

    def watch(self) -> None:
        """Let every class of the package that has its own ``release`` tell."""
        modules = [each for name, each in list(sys.modules.items()) if name.startswith("privpac.")]
        classes = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
        for each in classes:
            if "release" in vars(each) and not hasattr(each.release, "watched"):
                setattr(each, "release", self._watched(each.release))  # noqa: B010

    def _watched(self, release: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*given: Any) -> Any:
            self.inside += 1
            start = process_time()
            try:
                return release(*given)
            finally:
                self.inside -= 1
                if not self.inside:
                    self.seconds += process_time() - start

        watched.watched = True  # type: ignore[attr-defined]
        return watched


@contextmanager
def counting(draw: Draw) -> Iterator[dict[str, int]]:
    """The calls of Python functions, and how many of them are part of the draw."""
    calls = {"around": 0, "draw": 0}

    def note(_: Any, event: str, __: Any) -> None:
        if event == "call":
            calls["draw" if draw.inside else "around"] += 1

    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def figures(repeats: int) -> dict[str, dict[str, float]]:
    """Milliseconds and calls around the draw, and of the draw, for each fit."""
    found: dict[str, dict[str, float]] = {}
    draw = Draw()
    with TemporaryDirectory() as folder:
        for name, fit in fits(folder).items():
            _import(name)
            draw.watch()
            first = _around(fit, draw)
            draw.watch()  # what the first fit has loaded
            with counting(draw) as calls:
                fit()
            taken = [_around(fit, draw) for _ in range(repeats)]
            found[name] = {
                "first": first[0],
                "around": median(each[0] for each in taken),
                "least": min(each[0] for each in taken),
                "draw": median(each[1] for each in taken),
                "calls": calls["around"],
                "draw calls": calls["draw"],
            }
    return found


def _import(name: str) -> None:
    """What a fit imports, so that its first time holds no imports; a command imports as it goes."""
    pp.PrivateClassifier  # noqa: B018
    if "CSV" in name:
        import ibis  # noqa: F401, PLC0415


def _around(fit: Callable[[], Any], draw: Draw) -> tuple[float, float]:
    """Milliseconds of a fit without its draw, and of the draw."""
    draw.seconds = 0.0
    start = process_time()
    fit()
    whole = process_time() - start
    return 1e3 * (whole - draw.seconds), 1e3 * draw.seconds


def _asked(src: Path, repeats: int) -> dict[str, dict[str, float]]:
    """The figures of the version in this folder, from a fresh interpreter."""
    command = [sys.executable, __file__, str(repeats)]
    environment = os.environ | {"PYTHONPATH": str(src)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    answer: dict[str, dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return answer


def tables(quick: bool) -> list[Table]:
    """Versions that take turns, each in fresh interpreters."""
    before = os.environ.get("PRIVPAC_BENCH_BEFORE")
    sources = ({"before": Path(before)} if before else {}) | {"this version": SRC}
    turns = 1 if quick else ROUNDS
    taken = [(version, _asked(src, 30 // ROUNDS)) for _ in range(turns) for version, src in sources.items()]
    names = dict.fromkeys(name for _, each in taken for name in each)
    rows = []
    for name in names:
        for version in sources:
            told = [each[name] for which, each in taken if which == version and name in each]
            if told:
                column = {what: median(each[what] for each in told) for what in told[0]}
                ms = column["around"], min(each["least"] for each in told), column["first"], column["draw"]
                rows.append((name, version, *ms, int(column["calls"]), int(column["draw calls"])))
    header = ("fit", "version", "ms around", "least", "first", "ms of the draw", "calls around", "calls of the draw")
    return [Table(f"A fit of {n} records around its draw", header, rows), structure_table(sources)]


if __name__ == "__main__":
    print(json.dumps(figures(int(sys.argv[1]))))
