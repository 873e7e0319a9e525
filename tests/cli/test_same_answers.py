"""Every command that releases, on neighbors with the same answers: every byte that it prints or writes is the same.

So are the exit code, the warnings, the account, and the files. Ctrl-C at any moment tells what was charged, and nothing
else.
"""

import csv
import random
import re
import sqlite3
import sys
from contextlib import closing
from inspect import CO_GENERATOR

import pyarrow as pa
import pytest
from pyarrow import parquet

from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from tests.replays import SEEDS, Tape, said

SCHEMA = """
[columns.carrier]
kind = "category"
open = true
[columns.delay]
kind = "integer"
low = 0
high = 9
[label]
column = "late"
classes = [0, 1]
"""
COLUMNS = ("delay", "carrier", "plane", "late")
LINE = ("--class", "thresholds", "--low", "0", "--high", "9", "--x", "delay")
COMMANDS = {  # what is typed after the name of the table
    "rule": ("learn", *LINE, "--y", "late", "--report-error", "--out", "out.json", "--report", "page.html"),
    "rule as JSON": ("learn", "--class", "points", "--x", "carrier", "--y", "late", "--json"),
    "rule of units": ("learn", *LINE, "--y", "late", "--unit", "plane", "--max-records", "2", "--report-error"),
    "several rules": ("learn", *LINE, "--y", "late", "--classes", "0,1,2", "--out", "out.json"),
    "tree": ("learn", "--schema", "schema.toml", "--class", "trees", "--depth", "1", "--report-error"),
    "line": ("release", *LINE, "--out", "out.json", "--report", "page.html"),
    "codes": ("release", "--class", "starts-with", "--height", "3", "--x", "carrier", "--delta", "1e-6", "--json"),
    "table": ("release", "--schema", "schema.toml", "--delta", "1e-6", "--out", "out.json", "--report", "page.html"),
    "counts": ("count", "--by", "carrier,delay", "--delta", "1e-6", "--out", "out.csv"),
    "schema": ("schema suggest", "--y", "late", "--epsilon", "20", "--delta", "1e-6", "--out", "out.toml"),
    "schema of units": ("schema suggest", "--unit", "plane", "--epsilon", "40", "--delta", "1e-6", "--json"),
    "counts of units": ("count", "--by", "carrier", "--delta", "1e-6", "--unit", "plane", "--max-records", "1"),
}
TEXTS = (
    *("", "NULL", "NaN", "inf", "-1", "10", "9.5", "1e400", "9" * 400, "-0", "+3", " 3", "0x3", "1_0", "text", "TRUE"),
    *("é", "e\u0301", "\U0001f600", "३", '"', "a,b", "'", "a" * 3000, "\0", "2020-01-01", "\ufeff", "\\N", "\t"),
)
VALUES = (  # of SQLite, whose columns hold any type
    *(None, "text", "3", "", 3.5, float("inf"), 1e300, 2**63 - 1, -(2**63), b"\0\xff", "é", "a" * 3000, -1, 10, "NaN"),
)
N = 120


def row(i, hostile, rng):
    """A flight, some of whose cells may be anything."""
    cells = [rng.randrange(10), rng.choice(("UA", "EV", "B6")), i // 2, rng.randrange(2)]
    for at in rng.sample((0, 1, 3), rng.randrange(1, 4) if len(hostile) > 1 else 3) if hostile else ():
        cells[at] = rng.choice(hostile)
    return cells


def sample(hostile, rng):
    """Flights: all fit, or some do not."""
    some = rng.choice((0, 0.02))
    return [row(i, hostile if rng.random() < some else (), rng) for i in range(N)]


def neighbors(one, hostile, whole_units, rng):
    """Another flight in one place, or other flights of one plane: of which nothing is known, or with any cells."""
    at = rng.choice((0, N - 1, rng.randrange(N)))
    places = {at, at ^ 1} if whole_units else {at}
    for cells in (hostile[:1], hostile):
        yield [row(i, cells, rng) if i in places else each for i, each in enumerate(one)]


def as_csv(path, rows):
    with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([COLUMNS, *rows])
    return path.with_suffix(".csv").name


def as_sqlite(path, rows):
    path.with_suffix(".db").unlink(missing_ok=True)
    with closing(sqlite3.connect(path.with_suffix(".db"))) as connection, connection:
        connection.execute("CREATE TABLE flights (delay INTEGER, carrier TEXT, plane INTEGER, late INTEGER)")
        connection.executemany("INSERT INTO flights VALUES (?, ?, ?, ?)", rows)
    return path.with_suffix(".db").name


def as_parquet(path, rows):
    """Columns of one type each: what is no number is missing."""
    numbers = {name: [row[i] if type(row[i]) is int else None for row in rows] for i, name in enumerate(COLUMNS)}
    texts = [None if row[1] is None else str(row[1]) for row in rows]
    kinds = pa.schema([(name, pa.string() if name == "carrier" else pa.int64()) for name in COLUMNS])
    parquet.write_table(pa.table(numbers | {"carrier": texts}, kinds), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet").name


FILES = (as_csv, TEXTS), (as_sqlite, VALUES), (as_parquet, VALUES)


@pytest.fixture
def everything(tmp_path, monkeypatch, typed):
    """What a command on some rows shows to anybody."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schema.toml").write_text(SCHEMA)

    def run(write, rows, command, *more):
        for file in [*tmp_path.glob("out*"), *tmp_path.glob("page*"), *tmp_path.glob("budget.db*")]:
            file.unlink()
        account = BudgetStore("sqlite:///budget.db").account("flights", Budget(100, "0.1"))
        name, (first, *rest) = write(tmp_path / "flights", rows), command
        shown, warned = said(
            lambda: typed(*first.split(), name, *rest, *more, "--budget", "sqlite:///budget.db#flights")
        )
        files = {file.name: file.read_bytes() for file in [*tmp_path.glob("out*"), *tmp_path.glob("page*")]}
        paid = [(entry.mechanism, entry.cost, entry.theorem, entry.private) for entry in account.history()]
        return {"shown": shown, "warned": warned, "files": files, "paid": paid, "spent": account.spent}

    return run


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_neighbors_with_the_same_answers_show_the_same_bytes(everything, name):
    for seed in range(SEEDS):
        rng = random.Random(f"{name} {seed}")
        write, hostile = FILES[(seed + list(COMMANDS).index(name)) % len(FILES)]
        one = sample(hostile, rng)
        rule, tape = ("--on-invalid", rng.choice(("clamp", "default"))), Tape()
        if name.startswith("schema"):  # which declares no domain that records might not fit
            rule = ()
        with tape.recorded():
            here = everything(write, one, COMMANDS[name], *rule)
        assert here["shown"][0] == 0, here["shown"]
        for other in neighbors(one, hostile, "unit" in name, rng):
            with tape.replayed():
                there = everything(write, other, COMMANDS[name], *rule)
            assert here == there, [(a, b) for a, b in zip(one, other, strict=True) if a != b]


TOLD = re.compile("interrupted; (nothing|ε = [0-9.]+(?:, δ = [0-9.e-]+)?) was charged(?: to the account 'flights')?\n")


class Pressed:
    """Ctrl-C at the k-th call of a function of the library, not in a generator, where Python may drop it."""

    def __init__(self, k):
        self.left = k

    def __call__(self, frame, event, _):
        code = frame.f_code
        if event == "call" and "/privpac/" in code.co_filename and not code.co_flags & CO_GENERATOR:
            self.left -= 1
            if not self.left:
                sys.setprofile(None)
                raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rule", "rule of units", "line", "counts"])
def test_ctrl_c_at_any_moment_tells_what_was_charged_and_nothing_else(everything, monkeypatch, name):
    rng, app = random.Random(name), sys.modules["tests.cli.conftest"].app
    rows, rule = sample(TEXTS, rng), ("--on-invalid", "default")
    for _ in range(4 * SEEDS):
        moment = Pressed(int(10 ** rng.uniform(1, 3.3)))

        def interrupted(words, moment=moment):
            sys.setprofile(moment)
            try:
                app(words)
            finally:
                sys.setprofile(None)

        monkeypatch.setattr("tests.cli.conftest.app", interrupted)
        found = everything(as_csv, rows, COMMANDS[name], *rule)
        code, out, err = found["shown"]
        if code == 0:
            assert moment.left > 0
            continue
        told = TOLD.fullmatch(err)
        assert code == 130 and told, err
        assert told[1] == (str(found["spent"]) if found["paid"] else "nothing")
        assert out == "" or found["paid"]
