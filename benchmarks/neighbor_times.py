"""Whether the time of a whole fit tells two neighboring tables apart.

Two tables of 2,000 records differ in the first one: an ordinary record, or one that is as much work as its owner can
make it. Fits on both take turns (A B B A). AUC is the share of pairs of runs in which the second table took longer: .5
says that time tells nothing, 1 that one look at the clock tells all. Its standard error is .02 in memory and .04 in
engines (.04 and .07 in a quick run).
Predicted: what is too long is not read, so it takes as long as a missing value; what is just short enough takes a
public amount of work more.
The bar: AUC at most .55 beyond its error, or the public cap that explains the rest.

Seconds of the processor are those of this process alone; those of PostgreSQL pass in its server.

Main declarations
    tables    the figures
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

import ibis
import numpy as np
import psycopg
from measure import Table
from store import server

import privpac as pp
from privpac.data.open_table import open_table

N = 2000
RNG = np.random.default_rng(5)
Values = list[Any]
Fit = Callable[[], Any]


class Attack(NamedTuple):
    """A class, the records but the first, and the first one in both tables; ``odd`` is made anew for every fit."""

    name: str
    rule: pp.ConceptClass
    others: Values
    usual: Any
    odd: Callable[[], Any]
    column: str = "TEXT"
    explained: str = ""


def attacks() -> list[Attack]:
    """What an owner can write into a record."""
    ages = RNG.integers(0, 1000, N - 1).tolist()
    names = RNG.choice(["EV", "UA", "B6", "DL"], N - 1).tolist()
    cells = [";".join(f"C{code}" for code in row) for row in RNG.integers(0, 50, (N - 1, 3)).tolist()]
    long, codes, large = "x" * 10**6, ";".join(f"C{i}" for i in range(50_000)), 10**3000
    few, deep = ";".join(f"C{i % 5}" for i in range(250)), "E" * 1024
    line, any_code = pp.Thresholds(0, 1000, direction="above"), pp.HasAny(2, 5)
    return [
        Attack("an ordinary value", line, ages, 5, lambda: 6, "NUMERIC"),
        Attack("NULL", line, ages, 5, lambda: None, "NUMERIC"),
        Attack("an integer of 3,001 digits", line, ages, 5, lambda: large + 1, "NUMERIC"),
        Attack("an integer of 71 bits", line, ages, 5, lambda: 2**70, "NUMERIC"),
        Attack("3.5 among integers", line, ages, 5, lambda: 3.5, "NUMERIC", "one value by itself"),
        Attack("a text of 10^6 bytes", pp.Points(), names, "EV", lambda: long[1:]),
        Attack("a text of 10^4 bytes", pp.Points(), names, "EV", lambda: long[: 10**4], explained="10^4 bytes"),
        Attack("50,000 codes", any_code, cells, "C1;C2", lambda: codes[1:]),
        Attack("250 codes", any_code, cells, "C1;C2", lambda: few[:-1], explained="s = 5 codes, 250 listed"),
        Attack("a code of 1,024 steps", pp.StartsWith(), names, "EV", lambda: deep[:-1] + "E", explained="1,024 steps"),
    ]


def label(value: Any) -> int:
    """The first record is positive, so that its owner is heard."""
    return int(str(value).startswith(("C1", "E", "5"))) if isinstance(value, str) else int(value > 500)


def in_memory(attack: Attack, odd: bool) -> Iterator[Fit]:
    """Fits on lists; both first records are made before each fit, so both leave the same in the caches."""
    y = [1, *map(label, attack.others)]
    while True:
        made = attack.usual, attack.odd()
        yield partial(fit, attack.rule, [made[odd], *attack.others], y, feature=None)


def in_csv(folder: Path, attack: Attack, odd: bool) -> Iterator[Fit]:
    """Fits on a file, which is opened each time."""
    file = folder / f"{attack.name.replace('/', ' ')} {odd}.csv"
    x = [attack.odd() if odd else attack.usual, *attack.others]
    lines = (f"{'' if value is None else value},{1 if i == 0 else label(value)}" for i, value in enumerate(x))
    file.write_text("\n".join(["x,y", *lines]) + "\n", "utf-8")
    while True:
        yield lambda: fit(attack.rule, open_table(file), "y", feature="x")


def in_postgres(url: str, attack: Attack, odd: bool) -> Iterator[Fit]:
    """Fits on a table of a server."""
    name = f"{'odd' if odd else 'usual'}_{abs(hash(attack.name))}"
    x = [attack.odd() if odd else attack.usual, *attack.others]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {name} (x {attack.column}, y INTEGER)")
        with connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
            for i, value in enumerate(x):
                copy.write_row((None if value is None else str(value), 1 if i == 0 else label(value)))
        connection.execute(f"VACUUM ANALYZE {name}")
    engine = ibis.connect(url)
    table = engine.table(name)
    try:
        while True:
            yield lambda: fit(attack.rule, table, "y", feature="x")
    finally:
        engine.disconnect()


def fit(rule: pp.ConceptClass, X: Any, y: Any, feature: str | None) -> None:
    """A whole fit, in which no record can be refused."""
    pp.PrivateClassifier(rule, epsilon=1, classes=(0, 1), on_invalid="clamp", feature=feature).fit(X, y)


@contextmanager
def undisturbed() -> Iterator[None]:
    """A block in which Python does not collect garbage."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def timed(run: Fit) -> tuple[float, float]:
    """Milliseconds that pass, and of the processor."""
    with undisturbed():
        start = perf_counter(), process_time()
        run()
        return 1e3 * (perf_counter() - start[0]), 1e3 * (process_time() - start[1])


def compared(usual: Iterator[Fit], odd: Iterator[Fit], turns: int) -> list[float]:
    """The median times on both tables, and how well times tell them apart: as they pass, then of the processor."""
    sides, times = (usual, odd), ([], [])
    for side in sides * 2:
        next(side)()
    for i in range(turns // 2):
        for which in (0, 1, 1, 0) if i % 2 else (1, 0, 0, 1):
            times[which].append(timed(next(sides[which])))
    for side in sides:
        side.close()
    a, b = (np.array(each).T for each in times)
    return [figure for i in (0, 1) for figure in (median(a[i].tolist()), median(b[i].tolist()), auc(a[i], b[i]))]


def auc(a: np.ndarray, b: np.ndarray) -> float:
    """How often a time of b exceeds one of a; ties count half."""
    return float(np.mean(b[:, None] > a) + np.mean(b[:, None] == a) / 2)


def tables(quick: bool) -> list[Table]:
    """Fits in memory, on CSV files, and in PostgreSQL."""
    header = ("one record is", "ms", "ms, odd", "AUC", "processor", "odd", "AUC", "explained by")
    with TemporaryDirectory() as folder, server(Path(folder)) as url:
        places = {
            "Lists in memory": (in_memory, 150 if quick else 400),
            "A CSV file": (partial(in_csv, Path(folder)), 30 if quick else 100),
            "PostgreSQL": (partial(in_postgres, url), 30 if quick else 100),
        }
        return [
            Table(
                f"{title}, {turns} fits each",
                header,
                [
                    (each.name, *compared(made(each, False), made(each, True), turns), each.explained)
                    for each in attacks()
                ],
            )
            for title, (made, turns) in places.items()
        ]
