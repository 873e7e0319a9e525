"""Transactions on a SQLite file or a PostgreSQL database. When a transaction ends, it is on disk."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from privpac.data.files.private_files import make
from privpac.refusals.refusal import InPython, Refused

try:
    import sqlalchemy as sa
except ModuleNotFoundError as missing:
    raise ImportError("a budget store needs SQLAlchemy; install it with: pip install 'privpac[store]'") from missing

# Other modules import sa from here, so that one place explains its absence.
__all__ = ["Database", "StoreError", "address", "sa"]

DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}
BUSY = "another process has locked it for too long; try again later"
ADVICE = {  # by words that occur in the database's own message
    "locked": BUSY,
    "lock timeout": BUSY,
    "unable to open": "check that its directory exists and is writable",
    "readonly": "check that the file and its directory are writable",
    "permission denied": "its owner creates the account again, and grants what the guide about budgets lists",
    "not a database": "that file is not a database; choose another path",
    "no such table": "the file was replaced after the account was opened; open the account again",
    "No row was found": "the account was deleted from the database; create it again",
}


class StoreError(OSError):
    """The database cannot be used. Nothing was released; an interrupted charge may still have been recorded."""


@dataclass(frozen=True, repr=False)
class Database:
    """The database at ``url``. If it stays locked for ``timeout`` seconds, a transaction raises a StoreError.

    >>> print(Database("postgresql://me:secret@host/budget", timeout=30.0))
    postgresql://me:***@host/budget
    """

    url: str
    timeout: float

    def __post_init__(self) -> None:
        if not 0 < self.timeout < math.inf:
            raise Refused.must("timeout", "be a positive number of seconds")
        object.__setattr__(self, "url", address(self.url))

    def __str__(self) -> str:
        """The URL without its password."""
        return sa.make_url(self.url).render_as_string(hide_password=True)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def missing(self) -> bool:
        """Whether this is a file that does not exist; connecting would create an empty one."""
        url = sa.make_url(self.url)
        return url.drivername == "sqlite" and not Path(str(url.database)).exists()

    @contextmanager
    def transaction(self, *, writes: bool = False) -> Iterator[sa.Connection]:
        """A block that is committed to disk when it ends and rolled back when it raises.

        The database's own errors become StoreErrors; so does a lock that lasts for ``timeout`` seconds.
        """
        if self.missing:  # SQLite would let everyone read a file that it creates; only the owner may read this one
            with suppress(OSError):  # if the file cannot be created, SQLite's own error below says why
                make(str(sa.make_url(self.url).database))
        try:
            with _engine(self.url, self.timeout, os.getpid()).begin() as connection:
                connection.exec_driver_sql(_first_statement(connection.dialect.name, self.timeout, writes))
                yield connection
        except sa.exc.SQLAlchemyError as error:
            cause = str(getattr(error, "orig", None) or error).strip()
            advice = next((f" ({advice})" for words, advice in ADVICE.items() if words in cause), "")
            raise StoreError(f"the budget store {self} cannot be used: {cause}{advice}") from error


def address(text: str) -> str:
    """The URL with an absolute path for a file, so that changing the directory does not change the store.

    >>> address("sqlite:////var/lib/budget.db")
    'sqlite:////var/lib/budget.db'
    >>> address("mysql://host/budget")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: a store cannot be mysql://…; use sqlite:///… or postgresql://…
    """
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        raise Refused("url", "a store's url reads sqlite:///budget.db or postgresql://user@host/database") from None
    if url.drivername not in (*DRIVERS, *DRIVERS.values()):
        raise Refused("url", f"a store cannot be {url.drivername}://…; use sqlite:///… or postgresql://…")
    url = url.set(drivername=url.get_backend_name())
    if url.drivername == "sqlite":
        path = url.database or ":memory:"
        if path == ":memory:" or path.startswith("file:"):
            raise Refused(
                "url",
                "a store needs a file, as in sqlite:///budget.db",
                InPython("; in memory, use Ledger(Budget(…))"),
            )
        url = url.set(database=str(Path(path).absolute()))
    return url.render_as_string(hide_password=False)


@cache
def _engine(url: str, timeout: float, process: int) -> sa.Engine:
    """The connections of one ``process``: after a fork, the child opens its own."""
    parsed_url = sa.make_url(url)
    driver_url = parsed_url.set(drivername=DRIVERS[parsed_url.drivername])
    if driver_url.get_backend_name() == "sqlite":
        # No pool, because a pooled connection would keep writing to a file that was deleted or replaced. The isolation
        # level is None, so that the driver begins no transaction itself: see _first_statement.
        engine = sa.create_engine(
            driver_url, poolclass=sa.NullPool, connect_args={"timeout": timeout, "isolation_level": None}
        )
        sa.event.listen(engine, "connect", _flush_every_commit)
        return engine
    try:
        return sa.create_engine(
            driver_url,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            connect_args={"connect_timeout": math.ceil(timeout)},
        )
    except ModuleNotFoundError as missing:
        raise ImportError(
            "a budget store in PostgreSQL needs psycopg; install it with: pip install 'privpac[store]'"
        ) from missing


def _flush_every_commit(connection: Any, _: object) -> None:
    """Settings of a new connection to SQLite, so that each commit reaches the disk."""
    # With FULL instead of EXTRA, a power failure could restore the deleted journal, which would undo the commit.
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("PRAGMA secure_delete = ON")  # otherwise the hour of an old entry could stay in the file


def _first_statement(dialect: str, timeout: float, writes: bool) -> str:
    """The first statement of a transaction.

    In SQLite, it begins the transaction, and locks the file if the transaction ``writes``. In PostgreSQL, where the
    driver has begun the transaction, it sets how long to wait for a lock, and has the commit flushed to disk.
    """
    if dialect == "sqlite":
        return "BEGIN IMMEDIATE" if writes else "BEGIN"
    return (
        f"SELECT set_config('lock_timeout', '{math.ceil(1000 * timeout)}', true), "
        "set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)"
    )
