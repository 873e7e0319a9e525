"""A process that spends, started by test_charging.py: with others in a race, or to be killed.

    race KIND URL SPENDS FOLDER RACERS   say ready; on a line from stdin, charge SPENDS times; print the counts as JSON
    release KIND URL FILE CRASH          charge, then write a line to FILE, 100 times; die by SIGKILL between charge
                                         number CRASH and its line (0: do not)
    fork URL SPENDS                      charge SPENDS times in each of four forks and in their parent

KIND is durable (the store's own account) or a deliberately broken account that the tests must catch.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import sqlalchemy as sa

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import BudgetExceeded, spent_after
from privpac.privacy.store import charging, database
from privpac.privacy.store import tables as store_tables
from privpac.privacy.store.accounts import BudgetStore
from privpac.privacy.store.database import StoreError
from privpac.privacy.store.durable_account import DurableAccount

COST = Budget("0.001")


class Rendezvous:
    """Makes each racer wait, the first time, until all of them have arrived."""

    def __init__(self, folder: str, racers: str) -> None:
        self.folder, self.racers = Path(folder), int(racers)

    def wait(self) -> None:
        (self.folder / str(os.getpid())).touch()
        deadline = time.monotonic() + 300
        while len(list(self.folder.iterdir())) < self.racers:
            assert time.monotonic() < deadline, "the other racers did not arrive"
            time.sleep(0.001)


class Careless:
    """Broken: checks in one transaction and inserts in another, under a number that no other racer uses."""

    def __init__(self, account: DurableAccount, rendezvous: Rendezvous) -> None:
        self.account, self.rendezvous, self.number = account, rendezvous, 100 * os.getpid()

    def charge(self, entry: Entry) -> None:
        spent = sum((each.cost for each in self.account.history()), Budget(0))
        after = spent_after(entry, self.account.total, spent)
        self.rendezvous.wait()
        self.number += 1
        with self.account.store.transaction(writes=True) as connection:
            line = charging.entry_line(self.account.name, self.number, entry, after)
            connection.execute(store_tables.ENTRY.insert().values(line))


class Tardy:
    """Broken: commits ten charges at a time."""

    def __init__(self, account: DurableAccount) -> None:
        self.account, self.pending = account, []

    def charge(self, entry: Entry) -> None:
        self.pending.append(entry)
        if len(self.pending) == 10:
            for each in self.pending:
                self.account.charge(each)
            self.pending.clear()


def shared(url):
    return BudgetStore(url, timeout=300).account("shared")


def unlocked(url, rendezvous):
    """Broken: takes no lock, so that only the primary key stands between two racers."""

    def last_entry(connection: sa.Connection, account: str) -> tuple[int, Budget]:
        last = store_tables.last_entry(connection, account)
        rendezvous.wait()
        return last

    database._first_statement = lambda dialect, timeout, writes: "BEGIN" if dialect == "sqlite" else "SELECT 1"
    sa.Select.with_for_update = lambda select: select
    charging.last_entry = last_entry
    return shared(url)


def race(kind, url, spends, folder, racers):
    rendezvous = Rendezvous(folder, racers)
    account = {
        "durable": lambda: shared(url),
        "careless": lambda: Careless(shared(url), rendezvous),
        "unlocked": lambda: unlocked(url, rendezvous),
    }[kind]()
    print("ready", flush=True)
    sys.stdin.readline()
    counts = {"accepted": 0, "refused": 0, "failed": 0}
    for _ in range(int(spends)):
        try:
            account.charge(Entry("race", COST, "none"))
            counts["accepted"] += 1
        except BudgetExceeded:
            counts["refused"] += 1
        except StoreError:
            counts["failed"] += 1
    print(json.dumps(counts))


def release(kind, url, path, crash):
    account = {"durable": lambda: shared(url), "tardy": lambda: Tardy(shared(url))}[kind]()
    with Path(path).open("ab") as file:
        for number in range(1, 101):
            account.charge(Entry("release", COST, "none"))
            if number == int(crash):
                os.kill(os.getpid(), signal.SIGKILL)
            file.write(b"released\n")
            file.flush()
            os.fsync(file.fileno())


def fork(url, spends):
    account = shared(url)
    account.charge(Entry("before the fork", COST, "none"))
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            for _ in range(int(spends)):
                account.charge(Entry("child", COST, "none"))
            os._exit(0)
        children.append(child)
    for _ in range(int(spends)):
        account.charge(Entry("parent", COST, "none"))
    sys.exit(max(abs(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])) for child in children))


if __name__ == "__main__":
    {"race": race, "release": release, "fork": fork}[sys.argv[1]](*sys.argv[2:])
