"""One account of a budget store: what it allows, what was spent, its entries, and its keys."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import RECORDS, Entry
from privpac.privacy.store.charging import ask_again, write_charge
from privpac.privacy.store.database import Database, StoreError, sa
from privpac.privacy.store.once import Claim, Once
from privpac.privacy.store.tables import ENTRY, KEY, RESULT, Row, key_row, last_entry, lock_account, unit_of


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
            return last_entry(connection, self.name).spent

    @property
    def remaining(self) -> Budget:
        """What may still be spent."""
        return self.total - self.spent

    def charge(self, entry: Entry) -> None:
        """Commit ``entry`` to disk, or raise BudgetExceeded or OtherUnit and record nothing.

        An entry without a ``who`` is signed with the name of the operating system's user. If the connection is lost,
        the StoreError says whether the entry was recorded.
        """
        write_charge(self.store, self.name, entry)

    def once(self, key: str) -> Once:
        """A budget for a fit or release that may be rerun: it is charged once, and later runs get the same result."""
        return Once(self, key)

    def charge_once(self, entry: Entry, claim: Claim) -> None:
        """Commit ``entry`` and the claim of a key, both or neither; AlreadyCharged if the key was claimed before."""
        try:
            write_charge(self.store, self.name, entry, claim)
        except StoreError:
            with suppress(StoreError):
                if ask_again(self.store, lambda: self.claim_on(claim.key, locked=True)) == claim:
                    return  # the charge was committed; only the database's answer was lost
            raise

    def claim_on(self, key: str, *, locked: bool = False) -> Claim | None:
        """The claim on this key; None if the key is free.

        With ``locked``, this first waits for charges in progress.
        """
        with self.store.transaction(writes=locked) as connection:
            if locked:
                lock_account(connection, self.name)
            row = key_row(connection, KEY, self.name, key)
            return None if row is None else Claim(key, tuple(map(tuple, json.loads(row.question))), row.run)

    def result(self, key: str) -> str | None:
        """What was released under the key, as text; None if nothing was kept."""
        with self.store.transaction() as connection:
            row = key_row(connection, RESULT, self.name, key)
            return None if row is None else str(row.released)

    def keep(self, key: str, released: str) -> None:
        """Keep what was released under the key, for later runs."""
        with self.store.transaction(writes=True) as connection:
            connection.execute(RESULT.insert().values(account=self.name, key=key, released=released))

    @property
    def patience(self) -> float:
        """How many seconds to wait for another run that has claimed the same key."""
        return self.store.timeout

    @property
    def entry_count(self) -> int:
        """How many entries there are: the number of the last one."""
        with self.store.transaction() as connection:
            return last_entry(connection, self.name).number

    def history(self, *, after: int = 0, locked: bool = False) -> list[Entry]:
        """The entries in the order of their numbers: all of them, or those after a given number.

        Each has its date, in UTC. With ``locked``, this first waits for charges in progress.
        """
        query = sa.select(ENTRY).where(ENTRY.c.account == self.name, ENTRY.c.number > after).order_by(ENTRY.c.number)
        with self.store.transaction(writes=locked) as connection:
            if locked:
                lock_account(connection, self.name)
            unit = unit_of(connection, self.name) or RECORDS
            return [_entry(row, unit) for row in connection.execute(query)]


def _entry(row: Row, unit: str) -> Entry:
    cost = Budget(row.epsilon, row.delta)
    return Entry(row.mechanism, cost, row.theorem, row.private, row.who, datetime.fromisoformat(row.time), unit)
