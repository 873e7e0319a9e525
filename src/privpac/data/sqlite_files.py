"""SQLite files, told from DuckDB's by their first bytes: both may be called ``flights.db``.

Main declarations
    is_sqlite    whether a file is one
"""

from __future__ import annotations

from pathlib import Path

MAGIC = b"SQLite format 3\0"


def is_sqlite(file: str) -> bool:
    """Whether the file starts as all SQLite files do.

    >>> is_sqlite(__file__)
    False
    """
    with Path(file).open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC
