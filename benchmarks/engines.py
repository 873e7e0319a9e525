"""Learning from a file that does not fit into memory.

Predicted: the engine reads the file once and counts; what arrives in Python are the distinct values. So memory does not
grow with the number of rows, and time does, linearly.
The bar: 10⁸ rows of Parquet through DuckDB into a threshold with less than 2 GB in the process that learns, DuckDB's
own memory included.

Main declarations
    write     a Parquet file of flights: a value out of 10⁶, a label, a unit
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

LIMIT = "1GB"  # of DuckDB, beyond which it goes to disk
QUERY = """
    SELECT (hash(i) % 1000000)::INTEGER AS x, ((x >= 370000) != (hash(i + 7) % 20 = 0))::TINYINT AS y, i // 4 AS unit
    FROM range({first}, {last}) AS rows(i)
"""
PROGRAM = """
import json, resource, sys, time
import privpac as pp
from privpac.data.open_table import open_table

file, limit, folder, slots = sys.argv[1:]
start = time.perf_counter()
table = open_table(file)
table.get_backend().raw_sql(f"SET memory_limit = '{limit}'; SET temp_directory = '{folder}'")
clf = pp.PrivateClassifier(pp.Thresholds(0, 2**32 - 1), epsilon=1, feature="x", max_records=int(slots) or None)
clf.fit(table, "y", "unit" if int(slots) else None)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([clf.n_records_, str(clf.hypothesis_), seconds, peak]))
"""


def write(folder: str, n: int) -> None:
    """n rows, in files of 10⁷."""
    with duckdb.connect(config={"memory_limit": LIMIT, "temp_directory": folder}) as connection:
        connection.execute("SET enable_progress_bar = false")
        for first in range(0, n, 10**7):
            rows = QUERY.format(first=first, last=min(n, first + 10**7))
            connection.execute(f"COPY ({rows}) TO '{folder}/{first // 10**7}.parquet' (FORMAT parquet)")


def tables(quick: bool) -> list[Table]:
    """Rows, with and without units."""
    rows = []
    for digits, slots in ((6, 0), (7, 0), *([] if quick else [(8, 0)]), (6, 2), *([] if quick else [(7, 2)])):
        with TemporaryDirectory() as folder:
            write(folder, 10**digits)
            size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
            command = [sys.executable, "-c", PROGRAM, f"{folder}/*.parquet", LIMIT, folder, str(slots)]
            answer = subprocess.run(command, check=True, capture_output=True, text=True)
            n, rule, seconds, peak = json.loads(answer.stdout)
        rows.append((f"10^{digits}", slots or "–", size, n, rule, seconds, peak))
    header = ("rows", "slots of a unit", "file, MB", "n", "rule", "seconds", "peak MB")
    note = f"Values out of 10^6 on a line of 2^32, ε = 1, 5 % label noise at x ≥ 370000; DuckDB may use {LIMIT}."
    return [Table("Parquet through DuckDB into a threshold", header, rows, note)]
