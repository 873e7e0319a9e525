"""SQLite files, told from DuckDB's by their first bytes: both may be called ``flights.db``.

Main declarations
    is_sqlite       whether a file is one
    check_sqlite    lets SQLite read it
    check_utf8      refuses a database whose texts are not UTF-8
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from privpac.data.refusal import Refused

MAGIC = b"SQLite format 3\0"
WIDE = "the texts of this SQLite database are UTF-16; make a copy in UTF-8: sqlite3 old.db .dump | sqlite3 new.db"


def is_sqlite(file: str) -> bool:
    """Whether the file starts as all SQLite files do.

    >>> is_sqlite(__file__)
    False
    """
    with Path(file).open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def check_sqlite(file: str) -> None:
    """Let SQLite read the file, and close it; sqlite3.DatabaseError if it cannot. Ibis would leave it open.

    >>> check_sqlite(__file__)
    Traceback (most recent call last):
    sqlite3.DatabaseError: file is not a database
    """
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA schema_version").fetchone()


def check_utf8(connection: sqlite3.Connection) -> None:
    """Refused if texts are UTF-16: SQLite tells the bytes of a text as they are in the file.

    >>> with closing(sqlite3.connect(":memory:")) as connection:
    ...     check_utf8(connection)
    """
    if connection.execute("PRAGMA encoding").fetchone()[0] != "UTF-8":
        raise Refused("table", WIDE)
