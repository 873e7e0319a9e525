"""How the time of a decision tree grows: with records, columns, tests, labels, and depth.

Predicted: records are counted in n steps; then a draw looks at all T^depth regions, for T tests, however many records
there are. So the exponent is 1 in n where n is large, at most the depth in T as long as a column has few cuts, and 1 in
the number of labels, if there are more than two: two labels need one number in each region. In a Parquet file, DuckDB
counts the cells between cuts, so fewer groups arrive than there are distinct records.
The bars: half a second for depth 3, two labels, a thousand records, and 200 tests; over four columns of 10⁷ rows of
Parquet, at most twice the time and the memory of DuckDB's own GROUP BY of these columns.

Main declarations
    tables     the figures
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import duckdb
import numpy as np
import pandas as pd
from capacity import FLIGHTS, write
from measure import Table, growth

from privpac.classes.decision_trees.trees import Trees
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.classifier import PrivateClassifier
from privpac.learners.decision_trees.trees import public_tests_of

IN_FILE = r"""
import json, re, sys, time
from pathlib import Path

import duckdb, ibis
import numpy as np

what, file = sys.argv[1:]
if what == "tree":
    import privpac as pp
    from privpac.data.open_table import open_table
    lines = {"hour": (0, 23), "weekday": (0, 6), "band": (0, 29), "delay": (-60, 1440)}
    trees = pp.Trees(*(pp.Thresholds(*ends).on(name) for name, ends in lines.items()), depth=2)
    table = open_table(file)
start = time.process_time()
if what == "tree":
    pp.PrivateClassifier(trees, epsilon=1).fit(table, "late")
elif what == "GROUP BY":
    duckdb.sql(f"SELECT hour, weekday, band, delay, late, count(*) FROM '{file}' GROUP BY ALL").fetchnumpy()
else:
    np.sort(duckdb.sql(f"SELECT delay FROM '{file}'").fetchnumpy()["delay"])
used = time.process_time() - start  # a process that was forked from a large one has a large ru_maxrss
peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]
print(json.dumps([used, int(peak) / 1024]))
"""
NUMBERS = ("n", "columns", "cuts each", "labels", "depth")


def tables(quick: bool) -> list[Table]:
    """Growth in each number while the others stay, and the same work beside a sort and a GROUP BY."""
    fitted(1000, 2, 4, 2, 1)  # modules are loaded
    growths: dict[str, Iterable[tuple[int, int, int, int, int]]] = {
        "records, depth 2": [(n, 10, 15, 2, 2) for n in (10**3, 10**4, 10**5, 10**6)],
        "records, depth 3": [(n, 10, 15, 2, 3) for n in (10**3, 10**4, 10**5, 10**6)],
        "columns, depth 3": [(1000, columns, 7, 2, 3) for columns in (4, 8, 16, 32)],
        "tests, depth 2": [(1000, 16, cuts, 2, 2) for cuts in (7, 15, 31, 63)],
        "tests, depth 3": [(1000, 4, cuts, 2, 3) for cuts in (7, 15, 31, 63)],
        "labels, depth 3": [(1000, 10, 15, labels, 3) for labels in (2, 3, 6, 12)],
        "depth": [(1000, 10, 15, 2, depth) for depth in (1, 2, 3)],
    }
    few = 3 if quick else None
    grown = [growth(f"Trees by {about}", NUMBERS, list(cases)[:few], fitted) for about, cases in growths.items()]
    return [*grown, beside(quick), in_file(quick)]


def records(n: int, columns: int, cuts: int, labels: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(n)
    X = {f"c{j}": rng.integers(0, cuts + 1, n) for j in range(columns)}
    noise = rng.random(n) < 0.1
    return X, np.where(noise, rng.integers(0, labels, n), (X["c0"] + X["c1"]) * labels // (2 * cuts + 1))


def fitted(n: int, columns: int, cuts: int, labels: int, depth: int) -> float:
    """The time of a fit; every cut of a column is a test."""
    X, y = records(n, columns, cuts, labels)
    trees = Trees(*(Thresholds(0, cuts).on(name) for name in X), depth=depth)
    assert public_tests_of(trees).public.number == columns * cuts
    start = process_time()
    PrivateClassifier(trees, method="DecisionTreeLearner", classes=tuple(range(labels)), epsilon=1).fit(X, y)
    return process_time() - start


def beside(quick: bool) -> Table:
    """A fit, a sort of as many numbers, and DuckDB's groups of equal records."""
    rows = []
    for n in (10**5,) if quick else (10**5, 10**6):
        X, y = records(n, 4, 15, 2)
        table, numbers = pd.DataFrame(X | {"y": y}), np.concatenate(list(X.values()))
        times = []
        for work in (
            lambda n=n: fitted(n, 4, 15, 2, 2),
            lambda numbers=numbers: np.sort(numbers, kind="quicksort"),
            lambda records=table: duckdb.sql(
                "SELECT c0, c1, c2, c3, y, count(*) FROM records GROUP BY ALL"
            ).fetchnumpy(),
        ):
            start = process_time()
            work()
            times.append(process_time() - start)
        rows.append((n, *times, f"{times[0] / times[1]:.1f}", f"{times[0] / times[2]:.1f}"))
    header = ("n", "tree, s", "np.sort, s", "DuckDB, s", "tree : sort", "tree : DuckDB")
    return Table("A tree of depth 2 over four columns", header, rows)


def in_file(quick: bool) -> Table:
    """A fit, DuckDB's groups of equal records, and one sorted column, each in a process of its own."""
    rows = []
    for digits in (6,) if quick else (6, 7):
        with TemporaryDirectory() as folder:
            write(file := Path(folder, "flights.parquet"), FLIGHTS.format(n=10**digits))
            (s, mb), (groups_s, groups_mb), (sort_s, _) = (
                json.loads(
                    subprocess.run(
                        [sys.executable, "-W", "ignore", "-c", IN_FILE, what, str(file)],
                        check=True,
                        capture_output=True,
                        text=True,
                    ).stdout.splitlines()[-1]
                )
                for what in ("tree", "GROUP BY", "np.sort")
            )
        ratios = (f"{s / groups_s:.1f}", f"{mb / groups_mb:.1f}", f"{s / sort_s:.1f}")
        rows.append((f"10^{digits}", s, groups_s, sort_s, round(mb), round(groups_mb), *ratios))
    header = ("rows", "tree, s", "GROUP BY, s", "np.sort, s", "tree, MB", "GROUP BY, MB", "tree : GROUP BY, s", "MB")
    note = (
        "CPU seconds of all threads, and the peak of the process; np.sort reads and sorts one column. "
        "A first fit also loads Ibis: one to two seconds, and some 150 MB."
    )
    return Table("A tree of depth 2 over four columns of a Parquet file", (*header, "tree : sort"), rows, note)
