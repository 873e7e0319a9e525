"""How long it takes to read a table before anything is learned from it, and how much memory.

Predicted: columns of numbers cost what numpy costs, whoever holds them. A CSV file of distinct floats costs what DuckDB
needs to read and group them, plus splitting its lines here. On a line with a step, what arrives are its multiples.
The bars: polars and pyarrow within 2 times of numpy at 10⁷ integers; CSV within 3 times of DuckDB's own GROUP BY at 10⁷
distinct floats; And of a threshold and a name on 10⁶ integers and texts within 5 s and 1 GB.

Main declarations
    tables    the figures
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
from measure import Table

START = """
import json, resource, sys
import numpy as np
import privpac as pp
from privpac.data.engines import open_table
what, n, file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rng = np.random.default_rng(0)

def used():
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime

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
H, options = pp.Thresholds(0, 2**32 - 1), {"feature": "x", "on_invalid": "clamp" if "gaps" in what else "raise"}
fit(H, columns if what == "numpy" else columns.slice(0, 1000), **options)  # imports
start = used()
fit(H, columns, **options)
"""
CSV = """
if what == "duckdb":
    import duckdb
    start = used()
    types = "{'x': 'DOUBLE', 'y': 'TINYINT'}"
    query = f"SELECT x, y, count(*) FROM read_csv('{file}', header = true, columns = {types}) GROUP BY ALL"
    duckdb.connect().execute(query).to_arrow_table()
else:
    from privpac.data.engines import counted
    from privpac.data.line import Line
    step = {"in steps of 0.1": 0.1}.get(what)
    open_table(file)
    start = used()
    counted(open_table(file), ["x"], "y", domains=[Line(0.0, 1000.0, step=step)])
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
print(json.dumps([used() - start, peak]))
"""


def measured(program: str, what: str, n: int, file: str = "") -> tuple[float, float]:
    """Seconds of the processor, and the most megabytes."""
    command = [sys.executable, "-c", START + program + END, what, str(n), file]
    seconds, peak = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds, peak


def tables(quick: bool) -> list[Table]:
    """Columns in memory, a CSV file, and two columns of different types."""
    n = 10**6 if quick else 10**7
    held = [
        (what, *measured(MEMORY, what, n))
        for what in ("numpy", "polars", "pyarrow", "polars with gaps", "pyarrow with gaps")
    ]
    with TemporaryDirectory() as folder:
        file = str(Path(folder, "floats.csv"))
        rows = f"SELECT x, (x >= 370)::TINYINT AS y FROM (SELECT random() * 1000 AS x FROM range({n}))"
        duckdb.connect().execute(f"COPY ({rows}) TO '{file}' (HEADER)")
        counted = [(what, *measured(CSV, what, n, file)) for what in ("duckdb", "in steps of 0.1", "every float")]
    both = [("threshold and name", *measured(BOTH, "", 10**6))]
    header = ("", "processor seconds", "peak MB")
    return [
        Table(f"{n} integers in memory into a threshold", header, held),
        Table(f"{n} distinct floats of a CSV file, counted", header, counted),
        Table("10^6 integers and texts", header, both, "With all imports."),
    ]
