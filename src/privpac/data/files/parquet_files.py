"""Several Parquet files as one table.

A folder stands for its Parquet files and for those in folders such as ``year=2026/month=11`` below it. The names of
these folders are the values of all their records in the columns ``year`` and ``month``. The values are text; the
declared domain says what they spell.

An engine gives all files the types of the first one and converts the records of the others. A value that does not
convert would stop the reading of all records, and others would be rounded. So the files must store the same columns in
the same types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from glob import escape
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from privpac.data.files.headings import check_heading
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from duckdb import DuckDBPyConnection
    from ibis.backends.duckdb import Backend as DuckDB

ESCAPED = "=?\\\n"  # in values that folders name; an engine would read another value, or none
STORED_COLUMNS = (
    "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false))"
)


def files_in(folder: str) -> list[str]:
    """The Parquet files of a folder, and of folders below it that are named ``column=value``, sorted."""
    return in_partitions((str(path) for path in Path(folder).rglob("*.parquet") if path.is_file()), folder)


def in_partitions(files: Iterable[str], folder: str) -> list[str]:
    """The files, sorted, for which all folders between them and ``folder`` are named ``column=value``."""
    return sorted(file for file in files if all("=" in each for each in _folders(file, folder)))


def _folders(file: str, folder: str) -> tuple[str, ...]:
    """The names of the folders between ``folder`` and a file."""
    return PurePath(file).relative_to(folder).parts[:-1]


def partitions(files: Sequence[str], folder: str | None) -> list[str]:
    """The columns that are named by the folders between ``folder``, if there is one, and the files.

    >>> partitions(["a/year=2025/month=12/1.parquet", "a/year=2026/month=11/2.parquet"], "a")
    ['year', 'month']
    """
    if folder is None:
        return []
    folders = [tuple(each.partition("=") for each in _folders(file, folder)) for file in files]
    if any(letter in value for place in folders for _, _, value in place for letter in ESCAPED):
        unescaped = "the name of a folder has one of the characters = ? \\ or a line feed in its value"
        raise Refused("source", f"{unescaped}; write = as %3D, ? as %3F, and so on, as Spark, Arrow, and DuckDB do")
    named = {tuple(name for name, _, _ in place) for place in folders}
    if len(named) > 1:
        differ = "the files lie in folders that name different columns; all need the same, in the same order"
        raise Refused("source", differ)
    columns = list(named.pop()) if named else []
    if "" in columns or len({name.casefold() for name in columns}) < len(columns):
        raise Refused("source", "folders must name each column once, such as year=2026/month=11")
    return columns


def check_not_in_both(stored: Iterable[str], named: Sequence[str]) -> None:
    """Refused if a column is both ``stored`` in the files and ``named`` by their folders."""
    folded = {name.casefold() for name in stored}  # to an engine, year and Year are the same name
    if both := [name for name in named if name.casefold() in folded]:
        twice = f"column {both[0]!r} is in the files and in the names of their folders"
        raise Refused("source", f"{twice}; rename one of them")


def parquet_table(connection: DuckDB, files: Sequence[str], folder: str | None) -> ir.Table:
    """The records of ``files``, all in ``folder`` or below it if there is one, as an Ibis table of DuckDB."""
    named = partitions(files, folder)
    check_alike(connection.con, files)
    stored = [name for name, _ in connection.con.execute(STORED_COLUMNS, [escape(files[0])]).fetchall()]
    check_heading(stored)
    check_not_in_both(stored, named)
    hive = {"hive_partitioning": bool(named)} | ({"hive_types_autocast": False} if named else {})
    table = connection.read_parquet([escape(file) for file in files], **hive)
    return table.select(*stored, *named)  # folders above may have such names too


def check_alike(connection: DuckDBPyConnection, files: Sequence[str]) -> None:
    """Refused unless all ``files`` store the same columns in the same types; no record is read."""
    first, *others = (dict(connection.execute(STORED_COLUMNS, [escape(file)]).fetchall()) for file in files)
    for file, stored in zip(files[1:], others, strict=True):
        differing = [name for name in first | stored if first.get(name) != stored.get(name)]
        if differing:
            how = [
                f"{Path(each).name} {_how(types, differing[0])}" for each, types in ((files[0], first), (file, stored))
            ]
            difference = f"the files differ in column {differing[0]!r}: {' and '.join(how)}"
            raise Refused("source", f"{difference}; write them again with the same columns in the same types")


def _how(stored: dict[str, str], name: str) -> str:
    return f"stores it as {stored[name]}" if name in stored else "lacks it"
