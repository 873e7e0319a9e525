"""How many rows, and how many distinct values, go through DuckDB with how much memory and time.

Predicted: an engine counts, so memory grows with the distinct values that arrive and not with the rows. Crosstabs keep
a byte or two for each record and column in the engine, which goes to temporary files beyond 1 GB. Predictions are read
and written a few rows at a time, and so are the rows of a LazyFrame. Time grows linearly with the rows. Distinct times
become as many counts as their line has steps.
The bars: 10⁸ rows of Parquet with at most 2 GB in the process, DuckDB's own memory included, for thresholds, points,
sets, trees of depth 2 over four columns, all quantiles, and a crosstab; predictions of 10⁷ rows with at most 500 MB.

Main declarations
    write     a Parquet file of flights
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

FLIGHTS = """
    SELECT delay, hour, weekday, band, carrier, (delay >= 37) <> (h % 53 = 0) AS late FROM (
        SELECT h, ((h % 1501)::INTEGER - 60)::SMALLINT AS delay, ((h >> 12) % 24)::TINYINT AS hour,
            ((h >> 20) % 7)::TINYINT AS weekday, ((h >> 30) % 30)::TINYINT AS band,
            'C' || ((h >> 40) % 16)::VARCHAR AS carrier
        FROM (SELECT hash(i) AS h FROM range({n}) AS rows(i)))
"""
VALUES = """
    SELECT (h % {distinct})::INTEGER AS number, ((h % {distinct}) * 0.37)::DOUBLE AS float,
        'value ' || (h % {distinct})::VARCHAR AS text, h % {distinct} >= {distinct} / 3 AS late,
        TIMESTAMP '2026-01-01' + to_microseconds((h % {distinct} * 8640)::BIGINT) AS time
    FROM (SELECT hash(i) AS h FROM range({n}) AS rows(i))
"""
PROGRAM = """
import json, resource, sys, time
from datetime import datetime, timedelta
import privpac as pp
from privpac.cli import app
from privpac.classes.lines.rules import Threshold
from privpac.data.open_table import open_table
from privpac.data.domains.line import Line
from privpac.learners.model import Model
from privpac.privacy.certificate import Certificate

task, file, folder = sys.argv[1:]
CARRIERS = tuple(f"C{i}" for i in range(16))
hour, weekday = pp.Thresholds(0, 23).on("hour"), pp.Thresholds(0, 6).on("weekday")
band, carrier = pp.Thresholds(0, 29).on("band"), pp.Points().on("carrier", values=CARRIERS)
days, hours = pp.Points().on("weekday", values=tuple(range(7))), pp.Points().on("hour", values=tuple(range(24)))

def learned(H, *feature):
    given = {"feature": feature[0]} if feature else {}
    pp.PrivateClassifier(H, epsilon=1, **given).fit(open_table(file), "late")

def streamed():
    import polars
    flights = polars.scan_parquet(file)
    pp.PrivateClassifier(pp.Thresholds(-60, 1440), epsilon=1, feature="delay").fit(flights, "late")

def released(H, **given):
    pp.PrivateRelease(H, epsilon=1, **given).fit(open_table(file))

CUT = Model(Threshold(37), Line(-60, 1440), "delay", ("no", "yes"), 10, "exponential", Certificate(pp.Budget(1)))
DAYS = {"low": datetime(2026, 1, 1), "high": datetime(2026, 1, 2), "step": timedelta(seconds=1)}

def predicted():
    with open(f"{folder}/model.json", "w") as model:
        model.write(CUT.to_json())
    try:
        app(["predict", f"{folder}/model.json", file, "--out", f"{folder}/labels.{task.split()[-1]}"])
    except SystemExit as end:
        assert end.code == 0

TASKS = {
    "thresholds": lambda: learned(pp.Thresholds(-60, 1440), "delay"),
    "points": lambda: learned(pp.Points(), "carrier"),
    "sets": lambda: learned(pp.SparseSets(3), "carrier"),
    "trees": lambda: learned(pp.Trees(hour, weekday, band, carrier, depth=2)),
    "quantiles": lambda: released(pp.Thresholds(-60, 1440), feature="delay"),
    "crosstab": lambda: released(pp.Marginals(carrier, days, hours, order=2), delta=1e-9),
    "thresholds, LazyFrame": streamed,
    "labels in the engine": lambda: CUT.in_engine(open_table(file)).predicted.value_counts().execute(),
    "predict to csv": predicted,
    "predict to parquet": predicted,
    "thresholds, numbers": lambda: learned(pp.Thresholds(0, 2**31 - 1), "number"),
    "thresholds, floats": lambda: learned(pp.Thresholds(0.0, 1e7, step="finest"), "float"),
    "thresholds, times": lambda: learned(pp.Thresholds(**DAYS), "time"),
    "points, text": lambda: learned(pp.Points(), "text"),
    "counts of text": lambda: released(pp.Points(), feature="text", delta=1e-9),
    "prefixes of text": lambda: released(pp.StartsWith(height=13), feature="text", delta=1e-9),
}
start = time.process_time()
TASKS[task]()
used = time.process_time() - start
print(json.dumps([used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
RULES = ("thresholds", "thresholds, LazyFrame", "points", "sets", "trees", "quantiles", "crosstab")
LABELS = ("labels in the engine", "predict to parquet")
VALUED = (
    *("thresholds, numbers", "thresholds, floats", "thresholds, times"),
    *("points, text", "counts of text", "prefixes of text"),
)


def write(file: Path, query: str) -> None:
    """The rows of a query, with little memory."""
    with duckdb.connect(config={"memory_limit": "1GB", "temp_directory": str(file.parent)}) as connection:
        connection.execute("SET enable_progress_bar = false; SET preserve_insertion_order = false")
        connection.execute(f"COPY ({query}) TO '{file}' (FORMAT parquet, ROW_GROUP_SIZE 1000000)")


def tables(quick: bool) -> list[Table]:
    """Growth with the rows, and with the distinct values."""
    by_rows, by_values = [], []
    for digits in (6, 7) if quick else (6, 7, 8):
        with TemporaryDirectory() as folder:
            write(file := Path(folder, "flights.parquet"), FLIGHTS.format(n=10**digits))
            tasks = (*RULES, *LABELS, *(("predict to csv",) if digits < 8 else ()))
            by_rows += [(task, f"10^{digits}", *_measured(task, file)) for task in tasks]
    for digits in (4, 5, 6) if quick else (4, 5, 6, 7):
        with TemporaryDirectory() as folder:
            write(file := Path(folder, "values.parquet"), VALUES.format(n=2 * 10**7, distinct=10**digits))
            by_values += [(task, f"10^{digits}", *_measured(task, file)) for task in VALUED]
    cost = ("CPU seconds", "peak MB")
    start = "A process that has imported privpac and DuckDB holds about 170 MB; it is included."
    return [
        Table("Parquet through DuckDB, by rows", ("what", "rows", *cost), sorted(by_rows, key=_first), start),
        Table("2·10^7 rows, by distinct values", ("what", "distinct", *cost), sorted(by_values, key=_first)),
    ]


def _first(row: tuple[object, ...]) -> str:
    return str(row[0])


def _measured(task: str, file: Path) -> tuple[float, float]:
    command = [sys.executable, "-c", PROGRAM, task, str(file), str(file.parent)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    used, peak = json.loads(answer.stdout.splitlines()[-1])
    return used, peak
