"""Budget accounts that outlive the process.

An account is a passbook. Entry k holds its own cost and the sum of the costs up to k, both exact rationals, and never
changes afterwards. The last entry is the only record of what was spent, so no other record can disagree. The primary
key (account, number) allows only one entry k, even if several processes race for it.

Guarantees, assumptions, and proofs: docs/proofs/budget_store.md

Main declarations
    BudgetStore           the accounts in a SQLite file or a PostgreSQL database
    DurableAccount        one allowance; ``charge`` returns after its entry is on disk
    AccountExistsError    the account exists with another total
    UnknownAccountError   no account has this name
"""

from __future__ import annotations

import getpass
import math
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from privpac.data.refusal import InPython, Refusal, Refused, RefusedType
from privpac.privacy.budget import Budget
from privpac.privacy.certificate import Entry
from privpac.privacy.database import StoreError, address, missing_file, sa, shown_url, transaction
from privpac.privacy.ledger import charged


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


VERSION = 1
TABLES = sa.MetaData()
SCHEMA = sa.Table("privpac_schema", TABLES, sa.Column("version", sa.Integer, primary_key=True))
ACCOUNT = sa.Table("privpac_account", TABLES, sa.Column("name", sa.Text, primary_key=True), *_texts("epsilon", "delta"))
ENTRY = sa.Table(
    "privpac_entry",
    TABLES,
    sa.Column("account", sa.ForeignKey(ACCOUNT.c.name), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("private", sa.Boolean, nullable=False),
    *_texts("time", "who", "mechanism", "theorem", "epsilon", "delta", "spent_epsilon", "spent_delta"),
)


class UnknownAccountError(Refusal, LookupError):
    """No account has this name, and no total was given to create it."""


class AccountExistsError(Refused):
    """The account exists with another total."""


@dataclass(frozen=True, repr=False)
class BudgetStore:
    """The accounts at ``url``: ``sqlite:///file`` or ``postgresql://user@host/database``.

    A store is a value: it may be copied, pickled, and passed to other processes. The database is not touched until an
    account is requested. A database that stays locked for ``timeout`` seconds raises a StoreError.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> store = BudgetStore(f"sqlite:///{folder.name}/budget.db")
    >>> account = store.account("clinic", Budget(3.0, 1e-5))
    >>> account.charge(Entry("exponential", Budget(0.5), "selection, Theorem 1"))
    >>> print(store.account("clinic").remaining)
    ε = 2.5, δ = 1e-05
    >>> store.account("clinic", Budget(4.0))
    Traceback (most recent call last):
    privpac.privacy.store.AccountExistsError: account 'clinic' has the total ε = 3, δ = 1e-05, not ε = 4; open it \
without a total, or choose another name
    >>> folder.cleanup()
    """

    url: str = "sqlite:///budget.db"
    timeout: float = 30.0

    def __post_init__(self) -> None:
        if not 0 < self.timeout < math.inf:
            raise Refused.must("timeout", "be a positive number of seconds")
        object.__setattr__(self, "url", address(self.url))

    def account(self, name: str, total: Budget | None = None) -> DurableAccount:
        """The account ``name``, created with ``total`` if it does not exist."""
        if not (total is None or isinstance(total, Budget)):
            raise RefusedType.must("total", "be a Budget, such as Budget(3.0, 1e-5)")
        if not isinstance(name, str):
            raise RefusedType("name", f"an account's name must be text, such as 'clinic', not {type(name).__name__}")
        if not (name.strip() and name.isprintable()):
            raise Refused("name", "an account's name must be printable and not blank")
        if total is not None and name not in self._totals():
            self._create(name, total)
        totals = self._totals()
        if name not in totals:
            there = ", ".join(sorted(totals)) or "none"
            raise UnknownAccountError(
                "name",
                f"no account {name!r} in {self}; it has {there}",
                InPython(". Give a total to create it"),
            )
        if total not in (None, totals[name]):
            raise AccountExistsError(
                "total",
                f"account {name!r} has the total {totals[name]}, not {total}; "
                "open it without a total, or choose another name",
            )
        return DurableAccount(self, name, totals[name])

    def accounts(self) -> list[str]:
        """The names of all accounts, sorted; none if the store does not exist yet."""
        return sorted(self._totals())

    def __str__(self) -> str:
        return shown_url(self.url)

    def __repr__(self) -> str:
        return f"BudgetStore({shown_url(self.url)!r})"

    def _transaction(self, *, writes: bool = False) -> AbstractContextManager[sa.Connection]:
        return transaction(self.url, self.timeout, writes=writes)

    def _totals(self) -> dict[str, Budget]:
        if missing_file(self.url):
            return {}
        with self._transaction() as connection:
            if not self._ready(connection):
                return {}
            return {row.name: Budget(row.epsilon, row.delta) for row in connection.execute(sa.select(ACCOUNT))}

    def _create(self, name: str, total: Budget) -> None:
        """Insert the account unless it exists: two processes may create it at the same time."""
        with self._transaction(writes=True) as connection:
            if connection.dialect.name == "postgresql":  # a SQLite file is already locked as a whole
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('privpac_schema'))")
            if not self._ready(connection):
                TABLES.create_all(connection, checkfirst=False)
                connection.execute(SCHEMA.insert().values(version=VERSION))
            if connection.scalar(sa.select(ACCOUNT.c.name).where(ACCOUNT.c.name == name)) is None:
                values = {"name": name, "epsilon": str(total.epsilon), "delta": str(total.delta)}
                connection.execute(ACCOUNT.insert().values(values))

    def _ready(self, connection: sa.Connection) -> bool:
        """Whether our tables exist; False for a database in which they may be created."""
        tables = sa.inspect(connection)
        if not tables.has_table(SCHEMA.name):
            if connection.dialect.name == "sqlite" and tables.get_table_names():
                raise StoreError(f"{self} contains tables of another application; choose another file")
            return False
        version = connection.scalar(sa.select(SCHEMA.c.version))
        if version != VERSION:
            raise StoreError(f"{self} has schema version {version}, but privpac reads {VERSION}; upgrade privpac")
        return True


@dataclass(frozen=True)
class DurableAccount:
    """An allowance in a store: an ``Account`` for a ledger or for the ``budget=`` of any mechanism."""

    store: BudgetStore
    name: str
    total: Budget

    @property
    def spent(self) -> Budget:
        """The sum of all entries, whoever charged them."""
        with self.store._transaction() as connection:
            return self._last(connection)[1]

    @property
    def remaining(self) -> Budget:
        """What may still be spent."""
        return self.total - self.spent

    def charge(self, entry: Entry) -> None:
        """Commit ``entry`` to disk, or raise BudgetExceeded and record nothing.

        An entry without a ``who`` is signed with the name of the operating system's user.
        """
        account = sa.select(ACCOUNT).where(ACCOUNT.c.name == self.name)
        with self.store._transaction(writes=True) as connection:
            total = connection.execute(account.with_for_update()).one()
            number, spent = self._last(connection)  # separate, to see commits made while waiting for the lock
            after = charged(entry, Budget(total.epsilon, total.delta), spent)
            connection.execute(ENTRY.insert().values(self._line(number + 1, entry, after)))

    def history(self) -> list[Entry]:
        """Every entry, oldest first."""
        mine = sa.select(ENTRY).where(ENTRY.c.account == self.name).order_by(ENTRY.c.number)
        with self.store._transaction() as connection:
            return [_entry(row) for row in connection.execute(mine)]

    def _last(self, connection: sa.Connection) -> tuple[int, Budget]:
        """The number of the last entry and the sum up to it."""
        mine = sa.select(ENTRY).where(ENTRY.c.account == self.name)
        row = connection.execute(mine.order_by(ENTRY.c.number.desc()).limit(1)).one_or_none()
        return (0, Budget(0)) if row is None else (row.number, Budget(row.spent_epsilon, row.spent_delta))

    def _line(self, number: int, entry: Entry, spent: Budget) -> dict[str, Any]:
        return {
            "account": self.name,
            "number": number,
            "time": entry.time.astimezone(UTC).isoformat(),
            "who": entry.who or _user(),
            "mechanism": entry.mechanism,
            "theorem": entry.theorem,
            "private": entry.private,
            "epsilon": str(entry.cost.epsilon),
            "delta": str(entry.cost.delta),
            "spent_epsilon": str(spent.epsilon),
            "spent_delta": str(spent.delta),
        }


def _entry(row: sa.Row[Any]) -> Entry:
    cost = Budget(row.epsilon, row.delta)
    return Entry(row.mechanism, cost, row.theorem, row.private, row.who, datetime.fromisoformat(row.time))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a user ID without a name
        return f"uid {os.getuid()}"
