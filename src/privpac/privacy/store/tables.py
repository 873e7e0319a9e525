"""The tables of a budget store, and the rows of an account in them.

Every table only grows: no statement of this package changes or deletes a row, with two exceptions. The times in entries
of earlier versions, which were exact to the microsecond, are reduced to the day, and the version of these tables goes
up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from privpac.privacy.budget import NOTHING, Budget
from privpac.privacy.store.database import sa

Row = sa.Row[Any]


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


VERSION = 2
READABLE = (1, VERSION)  # the versions that can be read; version 1 has no units and is upgraded before a write
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
# The time of an entry is only its day, UTC: whoever reads the entries must not see how long the parts of a fit took.
MIDNIGHT = "T00:00:00+00:00"
HAS_HOUR = ENTRY.c.time.not_like(f"%{MIDNIGHT}")
CUT_TO_DAY = ENTRY.update().where(HAS_HOUR).values(time=sa.func.substr(ENTRY.c.time, 1, 10) + MIDNIGHT)
UNIT = sa.Table(
    "privpac_unit",
    TABLES,
    sa.Column("account", sa.ForeignKey(ACCOUNT.c.name), primary_key=True),
    *_texts("unit"),
)
# These two tables are created when the first key is used, because the first stores had none.
KEY = sa.Table(
    "privpac_key",
    TABLES,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),  # the entry that charged for the key
    *_texts("question", "run"),
    sa.ForeignKeyConstraint(["account", "number"], [ENTRY.c.account, ENTRY.c.number]),
)
RESULT = sa.Table(
    "privpac_result",
    TABLES,
    sa.Column("account", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    *_texts("released"),
    sa.ForeignKeyConstraint(["account", "key"], [KEY.c.account, KEY.c.key]),
)


def one_at_a_time(connection: sa.Connection) -> None:
    """Wait until no other connection creates tables, and let none do so until this transaction ends."""
    if connection.dialect.name == "postgresql":  # a SQLite file is already locked as a whole
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('privpac_schema'))")


def upgrade(connection: sa.Connection) -> None:
    """Add units to tables of version 1. Earlier versions of privpac, which do not know units, then refuse the store."""
    if connection.scalar(sa.select(SCHEMA.c.version)) != VERSION:
        one_at_a_time(connection)
        TABLES.create_all(connection, tables=[UNIT])
        connection.execute(SCHEMA.update().values(version=VERSION))


def lock_account(connection: sa.Connection, account: str) -> sa.Result[Any]:
    """Lock the row of an account, which waits for charges that are being made; the result holds the row."""
    return connection.execute(sa.select(ACCOUNT).where(ACCOUNT.c.name == account).with_for_update())


class LastEntry(NamedTuple):
    """The number of an account's last entry, and the sum of all costs up to it."""

    number: int
    spent: Budget


def last_entry(connection: sa.Connection, account: str) -> LastEntry:
    """The last entry of an account; number 0 and no costs if there is none."""
    entries = sa.select(ENTRY).where(ENTRY.c.account == account)
    row = connection.execute(entries.order_by(ENTRY.c.number.desc()).limit(1)).one_or_none()
    return LastEntry(0, NOTHING) if row is None else LastEntry(row.number, Budget(row.spent_epsilon, row.spent_delta))


def unit_of(connection: sa.Connection, account: str) -> str | None:
    """The unit that an account protects; None if that is not known yet."""
    if not sa.inspect(connection).has_table(UNIT.name):  # tables of version 1
        return None
    unit: str | None = connection.scalar(sa.select(UNIT.c.unit).where(UNIT.c.account == account))
    return unit


def key_row(connection: sa.Connection, table: sa.Table, account: str, key: str) -> Row | None:
    """The row of a key; None if there is none, or if no key was ever used in this store."""
    if not sa.inspect(connection).has_table(table.name):
        return None
    return connection.execute(sa.select(table).where(table.c.account == account, table.c.key == key)).one_or_none()
