"""One account of a budget store.

An account is a passbook. Entry k holds its own cost and the sum of the costs up to k, both exact rationals, and never
changes afterwards. The last entry is the only record of what was spent, so no other record can disagree. The primary
key (account, number) allows only one entry k, even if several processes race for it. What the account protects is
written with its first entry, unless it was declared before.

proofs: docs/proofs/budget_store.md, and docs/proofs/once.md for keys
"""

from __future__ import annotations

import getpass
import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import RECORDS, Entry
from privpac.privacy.ledger import account_unit, charged
from privpac.privacy.store.database import Database, StoreError, sa
from privpac.privacy.store.keys import LOOK_AGAIN, AlreadyCharged, Claim, Once
from privpac.privacy.store.tables import ACCOUNT, ENTRY, KEY, ONE_AT_A_TIME, RESULT, TABLES, UNIT, bring_up

Answer = TypeVar("Answer")
Line = dict[str, str | int | bool]  # the values of a row that is written
Row = sa.Row[Any]
Query = sa.Select[Any]


@dataclass(frozen=True)
class DurableAccount:
    """An allowance in a store: an ``Account`` for a ledger or for the ``budget=`` of any mechanism."""

    store: Database
    name: str
    total: Budget

    @property
    def unit(self) -> str | None:
        """The column that names what all charges protect, or "records"; None before the first charge decides it."""
        with self.store.transaction() as connection:
            return unit_of(connection, self.name)

    @property
    def spent(self) -> Budget:
        """The sum of all entries, whoever charged them."""
        with self.store.transaction() as connection:
            return self._last(connection)[1]

    @property
    def remaining(self) -> Budget:
        """What may still be spent."""
        return self.total - self.spent

    def charge(self, entry: Entry) -> None:
        """Commit ``entry`` to disk, or raise BudgetExceeded or OtherUnit and record nothing.

        An entry without a ``who`` is signed with the name of the operating system's user. If the connection is lost,
        the StoreError says whether the entry was recorded.
        """
        self._commit(entry)

    def once(self, key: str) -> Once:
        """The budget of a fit or a release that may run again: it is charged once, and released once."""
        return Once(self, key)

    def claim(self, entry: Entry, claim: Claim) -> None:
        """Commit ``entry`` and the claim of a key, both or neither; AlreadyCharged if the key was claimed before."""
        try:
            self._commit(entry, claim)
        except StoreError:
            with suppress(StoreError):
                if self._answer(lambda: self.claimed(claim.key, locked=True)) == claim:
                    return  # the answer was lost, the commit was not
            raise

    def claimed(self, key: str, *, locked: bool = False) -> Claim | None:
        """Who claimed the key, and for what; None if it is free. A lock waits for charges that are being made."""
        with self.store.transaction(writes=locked) as connection:
            if locked:
                connection.execute(self._account().with_for_update())
            row = _row(connection, KEY, self.name, key)
            return None if row is None else Claim(key, tuple(map(tuple, json.loads(row.question))), row.run)

    def result(self, key: str) -> str | None:
        """What was released under the key, as text; None if nothing was kept."""
        with self.store.transaction() as connection:
            row = _row(connection, RESULT, self.name, key)
            return None if row is None else str(row.released)

    def keep(self, key: str, released: str) -> None:
        """Keep what was released under the key, for runs to come."""
        with self.store.transaction(writes=True) as connection:
            connection.execute(RESULT.insert().values(account=self.name, key=key, released=released))

    @property
    def patience(self) -> float:
        """How many seconds to wait for another run that has claimed the same key."""
        return self.store.timeout

    def _commit(self, entry: Entry, claim: Claim | None = None) -> None:
        line: Line = {}  # the row that is about to be committed
        try:
            with self.store.transaction(writes=True) as connection:
                total = connection.execute(self._account().with_for_update()).one()
                if claim is not None:
                    _check_free(connection, self.name, claim.key)
                number, spent = self._last(connection)  # separate, to see commits made while waiting for the lock
                after = charged(entry, Budget(total.epsilon, total.delta), spent)
                self._protect(connection, entry)
                line = self._line(number + 1, entry, after)
                connection.execute(ENTRY.insert().values(line))
                if claim is not None:
                    connection.execute(KEY.insert().values(_claim_line(self.name, number + 1, claim)))
        except StoreError as error:
            raise StoreError(f"{error}; {self._truth(entry.cost, line)}") from error

    def _protect(self, connection: sa.Connection, entry: Entry) -> None:
        """Write what the first entry protects; OtherUnit if a later one protects something else."""
        bring_up(connection)
        before = connection.scalar(_unit_of(self.name))
        unit = account_unit(before, entry.unit, entry.mechanism, f"account {self.name!r}")
        if before is None:
            connection.execute(UNIT.insert().values(account=self.name, unit=unit))

    def _truth(self, cost: Budget, line: Line) -> str:
        """Whether a charge that failed was recorded after all. The lock waits until its transaction has ended."""
        if not line:
            return "nothing was charged"
        try:
            row = self._answer(lambda: self._entry_row(int(line["number"])))
        except StoreError:
            return f"perhaps {cost} was charged: see privpac budget history {self.name}. Nothing was released for it"
        if row is None or any(getattr(row, name) != value for name, value in line.items()):
            return "nothing was charged"
        return f"{cost} was charged all the same, and nothing was released for it"

    def _entry_row(self, number: int) -> Row | None:
        with self.store.transaction(writes=True) as connection:
            connection.execute(self._account().with_for_update())
            mine = sa.select(ENTRY).where(ENTRY.c.account == self.name, ENTRY.c.number == number)
            return connection.execute(mine).one_or_none()

    def _answer(self, look: Callable[[], Answer]) -> Answer:
        """What a look at the store finds; a server that restarts gets time to come back."""
        deadline = time.monotonic() + self.store.timeout
        while True:
            try:
                return look()
            except StoreError:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(LOOK_AGAIN)

    def _account(self) -> Query:
        return sa.select(ACCOUNT).where(ACCOUNT.c.name == self.name)

    @property
    def length(self) -> int:
        """How many entries there are: the number of the last one."""
        with self.store.transaction() as connection:
            return self._last(connection)[0]

    def history(self, *, after: int = 0, locked: bool = False) -> list[Entry]:
        """The entries in the order of their numbers, all or those after a number; each with its day, UTC.

        A lock waits for charges that are being made.
        """
        mine = sa.select(ENTRY).where(ENTRY.c.account == self.name, ENTRY.c.number > after).order_by(ENTRY.c.number)
        with self.store.transaction(writes=locked) as connection:
            if locked:
                connection.execute(self._account().with_for_update())
            unit = unit_of(connection, self.name) or RECORDS
            return [_entry(row, unit) for row in connection.execute(mine)]

    def _last(self, connection: sa.Connection) -> tuple[int, Budget]:
        """The number of the last entry and the sum up to it."""
        mine = sa.select(ENTRY).where(ENTRY.c.account == self.name)
        row = connection.execute(mine.order_by(ENTRY.c.number.desc()).limit(1)).one_or_none()
        return (0, Budget(0)) if row is None else (row.number, Budget(row.spent_epsilon, row.spent_delta))

    def _line(self, number: int, entry: Entry, spent: Budget) -> Line:
        return {
            "account": self.name,
            "number": number,
            "time": entry.time.isoformat(),  # a day, as the tables say
            "who": entry.who or _user(),
            "mechanism": entry.mechanism,
            "theorem": entry.theorem,
            "private": entry.private,
            "epsilon": str(entry.cost.epsilon),
            "delta": str(entry.cost.delta),
            "spent_epsilon": str(spent.epsilon),
            "spent_delta": str(spent.delta),
        }


def unit_of(connection: sa.Connection, account: str) -> str | None:
    """The unit that an account protects; None if that is not known yet."""
    if not sa.inspect(connection).has_table(UNIT.name):  # tables of version 1
        return None
    unit: str | None = connection.scalar(_unit_of(account))
    return unit


def _unit_of(account: str) -> Query:
    return sa.select(UNIT.c.unit).where(UNIT.c.account == account)


def _row(connection: sa.Connection, table: sa.Table, account: str, key: str) -> Row | None:
    """The row of a key; None if there is none, or if no key was ever used in this store."""
    if not sa.inspect(connection).has_table(table.name):
        return None
    return connection.execute(sa.select(table).where(table.c.account == account, table.c.key == key)).one_or_none()


def _check_free(connection: sa.Connection, account: str, key: str) -> None:
    """AlreadyCharged if the key was claimed; makes the tables of keys if they are missing."""
    if _row(connection, KEY, account, key) is not None:
        raise AlreadyCharged("once", f"the key {key!r} was charged before; nothing was charged now")
    if not sa.inspect(connection).has_table(RESULT.name):  # the store is older than keys
        if connection.dialect.name == "postgresql":  # a SQLite file is already locked as a whole
            connection.exec_driver_sql(ONE_AT_A_TIME)
        TABLES.create_all(connection, tables=[KEY, RESULT])


def _claim_line(account: str, number: int, claim: Claim) -> Line:
    question = json.dumps(claim.question)
    return {"account": account, "key": claim.key, "number": number, "question": question, "run": claim.run}


def _entry(row: Row, unit: str) -> Entry:
    cost = Budget(row.epsilon, row.delta)
    return Entry(row.mechanism, cost, row.theorem, row.private, row.who, datetime.fromisoformat(row.time), unit)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a user ID without a name
        return f"uid {os.getuid()}"
