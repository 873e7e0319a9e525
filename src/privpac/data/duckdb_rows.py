"""A DuckDB of privpac's own, and rows that it reads as they arrive.

Main declarations
    connected        a connection to DuckDB
    staying_rows     rows that arrive one after another, and stay
    passing_rows     rows that are read once, while they arrive
    with_ibis        Ibis
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from privpac.data.answers import from_engine
from privpac.data.private_files import own_folder
from privpac.data.refusal import InOtherWords

EXTRA = "files and databases are read through Ibis and DuckDB; install them with: pip install 'privpac[sql]'"
MEMORY = "1GB"  # of DuckDB, whose own limit is most of the machine; beyond it, it uses temporary files


def connected(*file: str, **options: Any) -> Any:
    """A connection to DuckDB that prints no progress, and goes to temporary files rather than fill the memory.

    Its own place for these would be a folder beside the database or in the current folder, which others can enter.
    """
    connection = with_ibis().duckdb.connect(*file, **options)
    connection.raw_sql(f"SET memory_limit = '{MEMORY}'")
    connection.con.execute("SET temp_directory = ?", [own_folder()])
    connection.raw_sql("SET enable_progress_bar_print = false")  # it would print into the output
    connection.raw_sql("SET enable_progress_bar = true")
    return connection


def staying_rows(reader: Any) -> Any:
    """The rows of an Arrow stream as a table: read once, into memory of DuckDB's and then into temporary files.

    >>> import pyarrow
    >>> staying_rows(pyarrow.table({"delay": [37, 2]}).to_reader()).columns
    ('delay',)
    """
    passing = passing_rows(reader)
    connection = passing.get_backend()
    from_engine(connection, lambda: connection.raw_sql("CREATE TABLE records AS SELECT * FROM rows"))
    connection.con.unregister("rows")
    return connection.table("records")


def passing_rows(reader: Any) -> Any:
    """The rows of an Arrow stream as a table that DuckDB reads while they arrive, and does not keep.

    >>> import pyarrow
    >>> passing_rows(pyarrow.table({"delay": [37, 2]}).to_reader()).columns
    ('delay',)
    """
    connection = connected()
    connection.con.register("rows", reader)
    return connection.table("rows")


def with_ibis() -> Any:
    """Ibis, if it can read with DuckDB; an ImportError says how to install them.

    >>> with_ibis().__name__
    'ibis'
    """
    with InOtherWords(lambda _: ImportError(EXTRA), ImportError):
        import_module("duckdb")
        return import_module("ibis")
