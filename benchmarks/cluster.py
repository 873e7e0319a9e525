"""Learning from a table in Spark: what arrives in the Python driver.

Predicted: Spark counts, and one row for each distinct value arrives. So the memory of the driver does not grow with the
number of rows.
The bar: 10⁷ rows in local mode with at most 300 MB in the Python process, for every class with few groups, and 10⁸ for
trees and scorecards.

Main declarations
    tables    the figures; needs pyspark and Java
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

from measure import Table

TITLE = "Spark in local mode: the Python driver"
PROGRAM = """
import json, sys, time
from threading import Thread

import ibis
import psutil
from pyspark.sql import SparkSession

import privpac as pp

rows, asked, memory = int(sys.argv[1]), sys.argv[2:], psutil.Process().memory_info
options = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.host": "127.0.0.1"}
session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
session.range(rows).selectExpr(
    "cast(id % 1000 as int) as x", "cast((id * 7919) % 100 as int) as z", "concat('c', id % 20) as c",
    "cast((id % 1000 >= 370) as int) as y",
    "concat(char(65 + id % 5), char(65 + (id / 7) % 5), char(65 + (id / 11) % 5)) as code",
).createOrReplaceTempView("t")
table, peak = ibis.pyspark.connect(session).table("t"), [0]


def watch():
    while True:
        peak[0] = max(peak[0], memory().rss)
        time.sleep(0.02)


def learn(of, *columns, **asked):
    return lambda: pp.PrivateClassifier(of, **asked).fit(table.select(*columns, "y"), "y")


def release(of, *columns):
    return lambda: pp.PrivateRelease(of, epsilon=1, delta=1e-9).fit(table.select(*columns))


line = pp.Thresholds(0, 999)
listed = ", ".join(f'"c{i}"' for i in range(20))
schema = pp.Schema.parse(
    f'[columns.x]\\nkind = "integer"\\nlow = 0\\nhigh = 999\\n[columns.c]\\nkind = "category"\\nvalues = [{listed}]'
)
tasks = {
    "thresholds": learn(line, "x"),
    "thresholds, report_error": learn(line, "x", report_error=True),
    "intervals": learn(pp.Intervals(0, 999), "x"),
    "points": learn(pp.Points(), "c"),
    "sets": learn(pp.SparseSets(3), "c"),
    "trees": learn(pp.Trees(line.on("x"), pp.Thresholds(0, 99).on("z"), depth=2), "x", "z"),
    "scorecards": learn(pp.Scorecards(line.on("x"), pp.Thresholds(0, 99).on("z")), "x", "z"),
    "prefixes": learn(pp.StartsWith(height=3), "code"),
    "release: distribution": release(line, "x"),
    "release: counts": release(pp.Points(), "c"),
    "release: table": release(schema, "x", "c"),
}
Thread(target=watch, daemon=True).start()
found = {}
for name in asked or tasks:
    peak[0], start = memory().rss, time.perf_counter()
    tasks[name]()
    found[name] = (time.perf_counter() - start, peak[0] / 2**20)
print(json.dumps(found), flush=True)
"""


def tables(quick: bool) -> list[Table]:
    """Seconds and peak memory for each class, at growing numbers of rows."""
    if find_spec("pyspark") is None:
        return [Table(TITLE, ("class",), [], "Not measured: pyspark is not installed.")]
    sizes: dict[int, tuple[str, ...]] = {10**5: (), 10**6: ()}  # and the tasks; all, if none is named
    if not quick:
        sizes |= {10**7: (), 10**8: ("trees", "scorecards")}
    found = {}
    for size, asked in sizes.items():
        answer = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PROGRAM, str(size), *asked],
            check=True,
            capture_output=True,
            text=True,
        )
        found[size] = json.loads(answer.stdout.splitlines()[-1])
    rows = [
        (name, *(figure for size in sizes for figure in found[size].get(name, ("–", "–")))) for name in found[10**5]
    ]
    header = ("class", *(f"{what}, n = {size:.0e}" for size in sizes for what in ("seconds", "MB")))
    return [Table(TITLE, header, rows)]
