"""Durable spending under contention: eight processes, one account.

Predicted: a spend is one durable commit and little else, and processes that spend from one account wait for each other.
The bar: 8 processes × 200 spends against one account on SQLite and on PostgreSQL never overspend and lose no entry.

Main declarations
    tables    the figures
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from measure import Table

import privpac as pp
from privpac.privacy.certificate import Entry

COST = pp.Budget("0.001")
PROCESSES, ALLOWED = 8, 0.75  # three of four spends are covered; the others must be refused


def tables(quick: bool) -> list[Table]:
    """Spends per second, alone and in a race, beside bare commits to the same disk."""
    spends = 50 if quick else 200
    rows = []
    with TemporaryDirectory() as folder, server(Path(folder)) as postgres:
        for name, url in (("SQLite", f"sqlite:///{folder}/budget.db"), ("PostgreSQL", postgres)):
            alone, _ = race(url, "alone", 1, spends)
            bare = bare_commits(Path(folder) / f"{name}.db", spends)
            racing, verdict = race(url, "race", PROCESSES, spends)
            rows.append((name, bare, alone, racing, f"{alone / bare:.2f}×", f"{racing / bare:.2f}×", verdict))
    return [
        Table(
            f"Spends per second, {spends} for each process",
            ("store", "bare", "1 process", f"{PROCESSES} processes", "1 / bare", f"{PROCESSES} / bare", "the race was"),
            rows,
            "Bare: commits of one row each, as durable, by one process through sqlite3 alone, measured in between.",
        )
    ]


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """The URL of a PostgreSQL server that lives as long as the block."""
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    import pgserver  # noqa: PLC0415 (it asks for the directory when it is imported)

    with pgserver.get_server(folder / "postgres", cleanup_mode="delete") as running:
        yield running.get_uri()


def bare_commits(path: Path, spends: int) -> float:
    """Commits per second of one row each."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("CREATE TABLE entry (number INTEGER PRIMARY KEY)")
    start = perf_counter()
    for _ in range(spends):
        connection.execute("INSERT INTO entry DEFAULT VALUES")
    return spends / (perf_counter() - start)


def race(url: str, name: str, processes: int, spends: int) -> tuple[float, str]:
    """Accepted spends per second, and whether the account tells what happened."""
    covered = int(ALLOWED * processes * spends)
    account = pp.BudgetStore(url).account(name, pp.Budget(covered * COST.epsilon))
    command = [sys.executable, __file__, url, name, str(spends)]
    start = partial(subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    racers = [start() for _ in range(processes)]
    for racer in racers:
        racer.stdout.readline()  # ready
    began = perf_counter()
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    accepted = sum(int(racer.communicate()[0]) for racer in racers)
    seconds = perf_counter() - began
    kept = len(account.history())
    sound = accepted == kept == covered and account.spent == account.total
    verdict = f"{'sound' if sound else 'UNSOUND'}: {accepted} accepted, {kept} kept, {covered} covered"
    return accepted / seconds, verdict


def spend(url: str, name: str, spends: str) -> None:
    """What a racer does: be ready, wait for the word, charge, and tell how often it was accepted."""
    account = pp.BudgetStore(url).account(name)
    print("ready", flush=True)
    sys.stdin.readline()
    accepted = 0
    for _ in range(int(spends)):
        try:
            account.charge(Entry("race", COST, "none"))
            accepted += 1
        except pp.BudgetExceeded:
            pass
    print(accepted)


if __name__ == "__main__":
    spend(*sys.argv[1:])
