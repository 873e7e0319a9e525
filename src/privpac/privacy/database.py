"""One transaction at a time on a SQLite file or a PostgreSQL database, on disk when it ends.

Main declarations
    address        a URL as the store keeps it: one of the two databases, a file's path made absolute
    transaction    a block of statements that is committed when it ends and undone when it raises
    StoreError     the database cannot be used
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from privpac.data.refusal import InPython, Refused

try:
    import sqlalchemy as sa
except ModuleNotFoundError as missing:
    raise ImportError("a budget store needs SQLAlchemy; install privpac with its extra 'store'") from missing

# sa goes on from here, so that its absence is explained in one place
__all__ = ["StoreError", "address", "missing_file", "sa", "shown_url", "transaction"]

DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}
BUSY = "another process has held it for too long; try again, or give BudgetStore a longer timeout"
ADVICE = {
    "locked": BUSY,
    "lock timeout": BUSY,
    "unable to open": "check that its directory exists and may be written",
    "readonly": "check that the file and its directory may be written",
    "not a database": "that file is something else; choose another path",
    "no such table": "the file was replaced since the account was opened",
    "No row was found": "the account was deleted from the database",
}


class StoreError(OSError):
    """The database cannot be used. Nothing was released; a charge whose commit was cut off may have been recorded."""


def address(text: str) -> str:
    """The URL with a file's path made absolute, so that a change of directory does not change the store.

    >>> address("sqlite:////var/lib/budget.db")
    'sqlite:////var/lib/budget.db'
    >>> address("mysql://host/budget")
    Traceback (most recent call last):
    privpac.data.refusal.Refused: a store is sqlite:///… or postgresql://…, not mysql://…
    """
    try:
        url = sa.make_url(text)
    except (sa.exc.ArgumentError, ValueError):
        raise Refused("url", "a store's url reads sqlite:///budget.db or postgresql://user@host/database") from None
    if url.drivername not in (*DRIVERS, *DRIVERS.values()):
        raise Refused("url", f"a store is sqlite:///… or postgresql://…, not {url.drivername}://…")
    url = url.set(drivername=url.get_backend_name())
    if url.drivername == "sqlite":
        path = url.database or ":memory:"
        if path == ":memory:" or path.startswith("file:"):
            raise Refused(
                "url", "a store needs a file, as in sqlite:///budget.db", InPython("; in memory use Ledger(Budget(…))")
            )
        url = url.set(database=str(Path(path).absolute()))
    return url.render_as_string(hide_password=False)


def shown_url(url: str) -> str:
    """The URL as it may be shown.

    >>> shown_url("postgresql://me:secret@host/budget")
    'postgresql://me:***@host/budget'
    """
    return sa.make_url(url).render_as_string(hide_password=True)


def missing_file(url: str) -> bool:
    """Whether ``url`` is a file that does not exist; connecting would leave an empty one behind."""
    place = sa.make_url(url)
    return place.drivername == "sqlite" and not Path(str(place.database)).exists()


@contextmanager
def transaction(url: str, timeout: float, *, writes: bool = False) -> Iterator[sa.Connection]:
    """A block that is committed, and on disk, when it ends; undone when it raises.

    The database's own errors become StoreErrors, those of a lock after ``timeout`` seconds of waiting.
    """
    try:
        with _engine(url, timeout, os.getpid()).begin() as connection:
            connection.exec_driver_sql(_opening(connection.dialect.name, timeout, writes))
            yield connection
    except sa.exc.SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or error).strip()
        advice = next((f" ({advice})" for sign, advice in ADVICE.items() if sign in cause), "")
        raise StoreError(f"the budget store {shown_url(url)} cannot be used: {cause}{advice}") from error


@cache
def _engine(url: str, timeout: float, process: int) -> sa.Engine:
    """The connections of one ``process``: after a fork the child makes its own."""
    place = sa.make_url(url)
    place = place.set(drivername=DRIVERS[place.drivername])
    if place.get_backend_name() == "sqlite":
        # no pool: a kept connection would go on writing to a file that was deleted or replaced
        # isolation_level None: the driver begins nothing by itself, see _opening
        engine = sa.create_engine(
            place, poolclass=sa.NullPool, connect_args={"timeout": timeout, "isolation_level": None}
        )
        sa.event.listen(engine, "connect", _flush_every_commit)
        return engine
    try:
        return sa.create_engine(
            place,
            isolation_level="READ COMMITTED",
            pool_pre_ping=True,
            connect_args={"connect_timeout": math.ceil(timeout)},
        )
    except ModuleNotFoundError as missing:
        raise ImportError(
            "a budget store in PostgreSQL needs psycopg; install privpac with its extra 'store'"
        ) from missing


def _flush_every_commit(connection: Any, _: object) -> None:
    """EXTRA, not FULL: else a power cut may bring the deleted journal back, and the journal undo the commit."""
    connection.execute("PRAGMA synchronous = EXTRA")
    connection.execute("PRAGMA fullfsync = ON")


def _opening(dialect: str, timeout: float, writes: bool) -> str:
    """The first statement of a transaction: begin, with the file locked if it ``writes``; or tell a server, which has
    begun already, how long to wait for a lock and to flush the commit."""
    if dialect == "sqlite":
        return "BEGIN IMMEDIATE" if writes else "BEGIN"
    return (
        f"SELECT set_config('lock_timeout', '{math.ceil(1000 * timeout)}', true), "
        "set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)"
    )
