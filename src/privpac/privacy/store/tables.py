"""The tables of a budget store.

Every table only grows: no statement of this package changes or deletes a row, except that entries of earlier versions,
which were dated to the microsecond, are cut to the day, and that the version of these tables goes up.
"""

from __future__ import annotations

from privpac.privacy.store.database import sa


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


VERSION = 2
READ = (1, VERSION)  # the versions that can be read; version 1 has no units, and is brought up before a write
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('privpac_schema'))"  # on PostgreSQL, for whoever creates tables
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
# A time is a day, UTC: whoever reads the entries must not see how long the parts of a fit took.
MIDNIGHT = "T00:00:00+00:00"
TIMED = ENTRY.c.time.not_like(f"%{MIDNIGHT}")
BY_DAY = ENTRY.update().where(TIMED).values(time=sa.func.substr(ENTRY.c.time, 1, 10) + MIDNIGHT)
UNIT = sa.Table(
    "privpac_unit",
    TABLES,
    sa.Column("account", sa.ForeignKey(ACCOUNT.c.name), primary_key=True),
    *_texts("unit"),
)
# These two are created when the first key is used: the first stores had none.
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


def bring_up(connection: sa.Connection) -> None:
    """Tables of version 1 get units. Earlier versions of privpac, which do not know them, then refuse the store."""
    if connection.scalar(sa.select(SCHEMA.c.version)) == VERSION:
        return
    if connection.dialect.name == "postgresql":  # a SQLite file is already locked as a whole
        connection.exec_driver_sql(ONE_AT_A_TIME)
    TABLES.create_all(connection, tables=[UNIT])
    connection.execute(SCHEMA.update().values(version=VERSION))
