"""How long it takes to read a table, alone and as a part of a whole fit, and how much memory.

Predicted: columns of numbers cost what numpy costs, whoever holds them; with gaps, a mask and two copies more. A CSV
file of distinct floats costs what DuckDB needs to read and group them: Arrow splits lines as fast as DuckDB does, and a
fit then sorts the floats once. On a line with a step, what arrives are its multiples.
The bars: polars and pyarrow within 2 times of numpy at 10⁷ integers; a whole fit on a CSV file of 10⁷ distinct floats
within 3 times of DuckDB's own GROUP BY, in seconds of the processor and in seconds that pass; And of a threshold and a
name on 10⁶ integers and texts within 5 s and 1 GB.

Each program runs in a process of its own, a few times in turns with the others, after a small fit that imports what is
needed. The figures are medians. Columns in memory are fitted once before, since a process that asks for fresh memory
waits for the system, whoever holds the columns.

Main declarations
    tables    the figures
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import duckdb
from measure import Table

START = """
import json, resource, sys, time
import numpy as np
import privpac as pp
from privpac.data.counting.groups import group_counts
from privpac.data.open_table import open_table
what, n, file, small = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
rng = np.random.default_rng(0)

def used():
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return np.array([spent.ru_utime + spent.ru_stime, time.perf_counter()])

def fit(H, X, **options):
    clf = pp.PrivateClassifier(H, epsilon=1, **options)
    return clf.fit(X, "y")
"""
MEMORY = """
x = rng.integers(0, 10**6, n)
columns = {"x": x, "y": x >= 370_000}
if what != "numpy":
    import pyarrow, polars
    gaps = pyarrow.array(x, mask=x == 5) if "gaps" in what else x
    columns = pyarrow.table(columns | {"x": gaps})
    columns = polars.from_arrow(columns) if "polars" in what else columns
    if "chunks" in what:
        columns = pyarrow.concat_tables([columns.slice(i, 10**4) for i in range(0, n, 10**4)])
H, options = pp.Thresholds(0, 2**32 - 1), {"feature": "x", "on_invalid": "clamp" if "gaps" in what else "raise"}
fit(H, columns, **options)
start = used()
fit(H, columns, **options)
"""
CSV = """
step = 0.1 if "steps" in what else "finest"

def grouped(file):
    import duckdb
    types = "{'x': 'DOUBLE', 'y': 'TINYINT'}"
    query = f"SELECT x, y, count(*) FROM read_csv('{file}', header = true, columns = {types}) GROUP BY ALL"
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")  # it would print into the answer
    connection.execute(query).to_arrow_table()

def run(file):
    H = pp.Thresholds(0.0, 1000.0, step=step)
    if what == "duckdb":
        grouped(file)
    elif "fit" in what:
        fit(H, open_table(file), feature="x")
    else:
        group_counts(open_table(file), ["x"], "y", domains=[H.domain])

run(small)  # imports
start = used()
run(file)
"""
BOTH = """
names = np.array(["EV", "UA", "B6", "AA", "DL"])
x, c = rng.integers(0, 10**6, n), names[rng.integers(0, 5, n)]
H = pp.And(pp.Thresholds(0, 10**6).on("x"), pp.Points().on("c"))
start = used()
fit(H, {"x": x, "c": c, "y": (x >= 370_000) & (c == "EV")})
"""
END = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([*(used() - start), peak]))
"""
HELD = (
    *("numpy", "polars", "pyarrow", "pyarrow in chunks of 10^4"),
    *("polars with gaps", "pyarrow with gaps"),
)
READ = ("duckdb", "counted in steps of 0.1", "counted, every float", "fit in steps of 0.1", "fit, every float")
TURNS = 3
SECONDS = "processor seconds", "seconds that pass"


def measured(program: str, what: str, n: int, *files: str) -> tuple[float, ...]:
    """Seconds of the processor, seconds that pass, and the most megabytes."""
    command = [sys.executable, "-c", START + program + END, what, str(n), *(files or ("", ""))]
    return tuple(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def compared(program: str, each: Sequence[str], n: int, *files: str) -> list[tuple[str | float, ...]]:
    """The medians of several turns, each with its ratios to the first."""
    turns = [[measured(program, what, n, *files) for what in each] for _ in range(TURNS)]
    middle = [tuple(map(median, zip(*one, strict=True))) for one in zip(*turns, strict=True)]
    cpu, wall, _ = middle[0]
    return [(what, *found, found[0] / cpu, found[1] / wall) for what, found in zip(each, middle, strict=True)]


def tables(quick: bool) -> list[Table]:
    """Columns in memory, a CSV file, and two columns of different types."""
    n = 10**6 if quick else 10**7
    held = compared(MEMORY, HELD, n)
    with TemporaryDirectory() as folder:
        files = [str(Path(folder, f"{name}.csv")) for name in ("floats", "small")]
        for file, size in zip(files, (n, 1000), strict=True):
            rows = f"SELECT x, (x >= 370)::TINYINT AS y FROM (SELECT random() * 1000 AS x FROM range({size}))"
            duckdb.connect().execute(f"COPY ({rows}) TO '{file}' (HEADER)")
        read = compared(CSV, READ, n, *files)
    both = [("threshold and name", *measured(BOTH, "", 10**6))]
    header = ("", *SECONDS, "peak MB")
    return [
        Table(f"{n} integers in memory into a threshold", (*header, "× numpy", "× numpy, passing"), held),
        Table(f"{n} distinct floats of a CSV file", (*header, "× DuckDB", "× DuckDB, passing"), read),
        Table("10^6 integers and texts", header, both, "With all imports."),
    ]
