"""Budget accounts that outlive the process: a transactional database under the ledger.

An account is a passbook. Entry k of an account holds its own cost and the sum of the costs up to k, both exact
rationals, and is never changed afterwards; so what was spent is read from the last entry, and there is no second
record of it that could disagree. The primary key (account, number) admits one entry k, whoever races for it.

Proof of what is promised here, and of the database: docs/proofs/budget_store.md

Main declarations
    BudgetStore         a SQLite file or a PostgreSQL database that holds accounts, by address
    DurableAccount      one allowance; ``charge`` returns after the entry is on disk, or raises and admits nothing
    StoreError          the database cannot be used
    AccountExistsError  the account exists with another total
"""

from __future__ import annotations

import getpass
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

try:
    import sqlalchemy as sa
except ModuleNotFoundError as missing:
    raise ImportError("a budget store needs SQLAlchemy: pip install 'privpac[store]'") from missing

from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Entry, require


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


VERSION = 1
METADATA = sa.MetaData()
SCHEMA = sa.Table("privpac_schema", METADATA, sa.Column("version", sa.Integer, primary_key=True))
ACCOUNT = sa.Table(
    "privpac_account", METADATA, sa.Column("name", sa.Text, primary_key=True), *_texts("epsilon", "delta")
)
ENTRY = sa.Table(
    "privpac_entry",
    METADATA,
    sa.Column("account", sa.ForeignKey(ACCOUNT.c.name), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("private", sa.Boolean, nullable=False),
    *_texts("time", "who", "mechanism", "theorem", "epsilon", "delta", "spent_epsilon", "spent_delta"),
)
DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}
ADVICE = {
    "lock": "another process has held it for too long; try again, or give BudgetStore a longer timeout",
    "unable to open": "check that its directory exists and may be written",
    "readonly": "check that the file and its directory may be written",
    "not a database": "that file is something else; choose another path",
    "No row was found": "the account was deleted from the database",
    "no such table": "the file was replaced since the account was opened",
}


class StoreError(OSError):
    """The database cannot be used. Nothing was released; a charge may have been recorded if its commit was cut off."""


class AccountExistsError(ValueError):
    """The account exists with another total."""


@dataclass(frozen=True, repr=False)
class BudgetStore:
    """The accounts at ``url``: ``sqlite:///file`` or ``postgresql://user@host/database``.

    A value: it may be copied, pickled and handed to other processes. Nothing is touched until an account is asked
    for. A database that stays locked or silent for ``timeout`` seconds is a StoreError.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> store = BudgetStore(f"sqlite:///{folder.name}/budget.db")
    >>> account = store.account("clinic", Budget(3.0, 1e-5))
    >>> account.charge(Entry("exponential", Budget(0.5), "selection, Theorem 2"))
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
            raise ValueError("timeout must be a positive number of seconds")
        object.__setattr__(self, "url", _address(self.url))

    def account(self, name: str, total: Budget | None = None) -> DurableAccount:
        """The account ``name``, created with ``total`` if it does not exist."""
        if not (isinstance(total, Budget) or total is None):
            raise TypeError("total must be a Budget, such as Budget(3.0, 1e-5)")
        if not name.strip() or not name.isprintable():
            raise ValueError("an account's name must be printable and not blank")
        if total is not None and name not in self._totals():
            self._create(name, total)
        totals = self._totals()
        if name not in totals:
            raise LookupError(
                f"no account {name!r} in {self}; it has {', '.join(totals) or 'none'}. Give a total to create it"
            )
        if total not in (None, totals[name]):
            raise AccountExistsError(
                f"account {name!r} has the total {totals[name]}, not {total}; "
                "open it without a total, or choose another name"
            )
        return DurableAccount(self, name, totals[name])

    def accounts(self) -> list[str]:
        """The names of all accounts, sorted; none if the store does not exist yet."""
        return sorted(self._totals())

    def __str__(self) -> str:
        return sa.make_url(self.url).render_as_string(hide_password=True)

    def __repr__(self) -> str:
        return f"BudgetStore({str(self)!r})"

    def _totals(self) -> dict[str, Budget]:
        url = sa.make_url(self.url)
        if url.database and url.get_backend_name() == "sqlite" and not Path(url.database).exists():
            return {}  # because connecting would leave an empty file behind
        with self._transaction() as connection:
            if not self._ready(connection):
                return {}
            return {row.name: Budget(row.epsilon, row.delta) for row in connection.execute(sa.select(ACCOUNT))}

    def _create(self, name: str, total: Budget) -> None:
        with self._transaction(writes=True) as connection:
            if connection.dialect.name == "postgresql":  # SQLite's BEGIN IMMEDIATE has locked the whole file
                connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('privpac_schema'))")
            if not self._ready(connection):
                METADATA.create_all(connection, checkfirst=False)
                connection.execute(SCHEMA.insert().values(version=VERSION))
            if connection.scalar(sa.select(ACCOUNT.c.name).where(ACCOUNT.c.name == name)) is None:
                connection.execute(
                    ACCOUNT.insert().values(name=name, epsilon=str(total.epsilon), delta=str(total.delta))
                )

    def _ready(self, connection: sa.Connection) -> bool:
        """Whether the tables are there, in this version; False for a database that may take them."""
        tables = sa.inspect(connection)
        if not tables.has_table(SCHEMA.name):
            if connection.dialect.name == "sqlite" and tables.get_table_names():
                raise StoreError(f"{self} holds the tables of another application; choose another file")
            return False
        version = connection.scalar(sa.select(SCHEMA.c.version))
        if version != VERSION:
            raise StoreError(f"{self} has schema version {version}, this privpac reads {VERSION}; upgrade privpac")
        return True

    @contextmanager
    def _transaction(self, writes: bool = False) -> Iterator[sa.Connection]:
        """One transaction, committed when the block ends; the database's own errors become StoreErrors."""
        try:
            with _engine(self.url, self.timeout, os.getpid()).begin() as connection:
                if writes:
                    connection.exec_driver_sql(_opening(connection.dialect.name, self.timeout))
                yield connection
        except sa.exc.SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).strip()
            advice = next((f" ({advice})" for sign, advice in ADVICE.items() if sign in cause), "")
            raise StoreError(f"the budget store {self} cannot be used: {cause}{advice}") from error


@dataclass(frozen=True)
class DurableAccount:
    """An allowance in a store; an ``Account`` for ledgers and for ``budget=`` of every mechanism."""

    store: BudgetStore
    name: str
    total: Budget

    @property
    def spent(self) -> Budget:
        """The sum of all entries, of every process."""
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
        with self.store._transaction(writes=True) as connection:
            mine = connection.execute(sa.select(ACCOUNT).where(ACCOUNT.c.name == self.name).with_for_update()).one()
            number, spent = self._last(connection)  # a second statement: it sees what the lock waited for
            require(entry, Budget(mine.epsilon, mine.delta), spent)
            after = spent + entry.cost
            connection.execute(
                ENTRY.insert().values(
                    account=self.name,
                    number=number + 1,
                    time=entry.time.astimezone(UTC).isoformat(),
                    who=entry.who or _user(),
                    mechanism=entry.mechanism,
                    theorem=entry.theorem,
                    private=entry.private,
                    epsilon=str(entry.cost.epsilon),
                    delta=str(entry.cost.delta),
                    spent_epsilon=str(after.epsilon),
                    spent_delta=str(after.delta),
                )
            )

    def history(self) -> list[Entry]:
        """Every entry, in the order of charging."""
        with self.store._transaction() as connection:
            rows = connection.execute(sa.select(ENTRY).where(ENTRY.c.account == self.name).order_by(ENTRY.c.number))
            return [_entry(row) for row in rows]

    def _last(self, connection: sa.Connection) -> tuple[int, Budget]:
        """Number of the last entry and the sum up to it."""
        passbook = sa.select(ENTRY).where(ENTRY.c.account == self.name).order_by(ENTRY.c.number.desc()).limit(1)
        row = connection.execute(passbook).one_or_none()
        return (0, Budget(0)) if row is None else (row.number, Budget(row.spent_epsilon, row.spent_delta))


def _entry(row: sa.Row[Any]) -> Entry:
    cost = Budget(row.epsilon, row.delta)
    return Entry(row.mechanism, cost, row.theorem, row.private, row.who, datetime.fromisoformat(row.time))


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may run under a number that has no name
        return f"uid {os.getuid()}"


def _address(text: str) -> str:
    """The URL with a SQLite path made absolute, so that a change of directory does not change the store."""
    try:
        url = sa.make_url(text)
    except sa.exc.ArgumentError:
        raise ValueError("a store's url reads sqlite:///budget.db or postgresql://user@host/database") from None
    if url.drivername not in (*DRIVERS, *DRIVERS.values()):
        raise ValueError(f"a store is sqlite:///… or postgresql://…, not {url.drivername}://…")
    if not url.drivername.startswith("sqlite"):
        return url.set(drivername="postgresql").render_as_string(hide_password=False)
    if url.database in (None, "", ":memory:") or str(url.database).startswith("file:"):
        raise ValueError("a store needs a file, as in sqlite:///budget.db; in memory use Ledger(Budget(…))")
    return url.set(drivername="sqlite", database=str(Path(str(url.database)).absolute())).render_as_string()


@cache
def _engine(address: str, timeout: float, process: int) -> sa.Engine:
    """Connections to ``address`` for this ``process`` alone: a fork gets its own."""
    url = sa.make_url(address)
    url = url.set(drivername=DRIVERS[url.drivername])
    if url.get_backend_name() == "sqlite":
        # No pool: a pooled connection would go on writing to a file that was deleted. No implicit BEGIN: see _opening.
        connect = {"timeout": timeout, "isolation_level": None}
        engine = sa.create_engine(url, poolclass=sa.NullPool, connect_args=connect)
        sa.event.listen(engine, "connect", _flush_every_commit)
        return engine
    try:
        return sa.create_engine(
            url,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            connect_args={"connect_timeout": math.ceil(timeout)},
        )
    except ModuleNotFoundError as missing:
        raise ImportError("a budget store in PostgreSQL needs psycopg: pip install 'privpac[store]'") from missing


def _flush_every_commit(connection: Any, _: object) -> None:
    """EXTRA, not FULL: else a power cut may bring back the deleted journal and with it undo the commit."""
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA fullfsync = ON")


def _opening(dialect: str, timeout: float) -> str:
    """The first statement of a writing transaction: lock the file, or ask the server for patience and durability."""
    if dialect == "sqlite":
        return "BEGIN IMMEDIATE"
    return (
        f"SELECT set_config('lock_timeout', '{math.ceil(1000 * timeout)}', true), "
        "set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)"
    )
