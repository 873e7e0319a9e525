"""One charge, written to disk: checked and recorded in one transaction, or refused with nothing recorded.

An account is like a passbook. Entry k holds its own cost and the sum of the costs up to k, both exact rationals, and
never changes afterwards. The last entry is the only record of what was spent, so no other record can disagree. The
primary key (account, number) allows only one entry k, even if several processes race for it. The unit that the account
protects is written with its first entry, unless it was declared before.

proofs: docs/proofs/budget_store.md, and docs/proofs/once.md for keys
"""

from __future__ import annotations

import getpass
import json
import os
import time
from collections.abc import Callable
from typing import TypeVar

from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.ledger import account_unit, spent_after
from privpac.privacy.store.database import Database, StoreError, sa
from privpac.privacy.store.once import PAUSE, AlreadyCharged, Claim
from privpac.privacy.store.tables import (
    ENTRY,
    KEY,
    RESULT,
    TABLES,
    UNIT,
    Row,
    key_row,
    last_entry,
    lock_account,
    one_at_a_time,
    unit_of,
    upgrade,
)

Answer = TypeVar("Answer")
Line = dict[str, str | int | bool]  # the values of a row that is written


def write_charge(store: Database, account: str, entry: Entry, claim: Claim | None = None) -> None:
    """Commit ``entry``, and the claim of a key if there is one, or raise and record nothing.

    If the connection is lost, the StoreError says whether the entry was recorded.
    """
    line: Line = {}  # the row that is about to be committed
    try:
        with store.transaction(writes=True) as connection:
            total = lock_account(connection, account).one()
            if claim is not None:
                _check_free(connection, account, claim.key)
            # A query of its own, to see commits that were made while this transaction waited for the lock.
            last = last_entry(connection, account)
            spent = spent_after(entry, Budget(total.epsilon, total.delta), last.spent)
            _record_unit(connection, account, entry)
            number = last.number + 1
            line = entry_line(account, number, entry, spent)
            connection.execute(ENTRY.insert().values(line))
            if claim is not None:
                claimed = {"key": claim.key, "question": json.dumps(claim.question), "run": claim.run}
                connection.execute(KEY.insert().values(account=account, number=number, **claimed))
    except StoreError as error:
        raise StoreError(f"{error}; {_outcome(store, account, entry.cost, line)}") from error


def ask_again(store: Database, ask: Callable[[], Answer]) -> Answer:
    """``ask()``; after a StoreError, it is called again until the timeout, because a server may restart."""
    deadline = time.monotonic() + store.timeout
    while True:
        try:
            return ask()
        except StoreError:
            if time.monotonic() >= deadline:
                raise
            time.sleep(PAUSE)


def entry_line(account: str, number: int, entry: Entry, spent: Budget) -> Line:
    """An entry as a row of its table; ``spent`` is the sum of the costs up to it."""
    return {
        "account": account,
        "number": number,
        "time": entry.time.isoformat(),  # the beginning of a day
        "who": entry.who or _user(),
        "mechanism": entry.mechanism,
        "theorem": entry.theorem,
        "private": entry.private,
        "epsilon": str(entry.cost.epsilon),
        "delta": str(entry.cost.delta),
        "spent_epsilon": str(spent.epsilon),
        "spent_delta": str(spent.delta),
    }


def _check_free(connection: sa.Connection, account: str, key: str) -> None:
    """AlreadyCharged if the key was claimed before. Creates the tables of keys if they are missing."""
    if key_row(connection, KEY, account, key) is not None:
        raise AlreadyCharged("once", f"the key {key!r} was charged before; nothing was charged now")
    if not sa.inspect(connection).has_table(RESULT.name):  # the store is older than keys
        one_at_a_time(connection)
        TABLES.create_all(connection, tables=[KEY, RESULT])


def _record_unit(connection: sa.Connection, account: str, entry: Entry) -> None:
    """Record the unit that the first entry protects; OtherUnit if a later entry protects another one."""
    upgrade(connection)
    recorded = unit_of(connection, account)
    unit = account_unit(recorded, entry.unit, entry.mechanism, f"account {account!r}")
    if recorded is None:
        connection.execute(UNIT.insert().values(account=account, unit=unit))


def _outcome(store: Database, account: str, cost: Budget, line: Line) -> str:
    """Whether a charge that failed was recorded after all, in words. ``line`` is its row, empty if none was written."""
    if not line:
        return "nothing was charged"
    try:
        row = ask_again(store, lambda: _entry_row(store, account, int(line["number"])))
    except StoreError:
        return f"perhaps {cost} was charged: see privpac budget history {account}. Nothing was released for it"
    if row is None or any(getattr(row, name) != value for name, value in line.items()):
        return "nothing was charged"
    return f"{cost} was charged all the same, and nothing was released for it"


def _entry_row(store: Database, account: str, number: int) -> Row | None:
    with store.transaction(writes=True) as connection:
        lock_account(connection, account)  # waits until the transaction of the failed charge has ended
        query = sa.select(ENTRY).where(ENTRY.c.account == account, ENTRY.c.number == number)
        return connection.execute(query).one_or_none()


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a user ID without a name
        return f"uid {os.getuid()}"
