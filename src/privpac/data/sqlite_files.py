"""SQLite files, told from DuckDB's by their first bytes: both may be called ``flights.db``.

Main declarations
    is_sqlite       whether a file is one
    check_sqlite    lets SQLite read it
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

MAGIC = b"SQLite format 3\0"


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
