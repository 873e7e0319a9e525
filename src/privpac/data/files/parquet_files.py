"""Several Parquet files as one table.

A folder stands for its Parquet files and for those in folders such as ``year=2026/month=11`` below it. The names of
these folders are the values of all their records in the columns ``year`` and ``month``. The values are text; the
declared domain says what they spell.

An engine gives all files the types of the first one and converts the records of the others. One value that cannot be
converted would stop the reading of all records, and other values would be rounded. So the files must store the same
columns in the same types.
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

TO_ESCAPE = "=?\\\n"  # in a value that a folder names, an engine would misread these characters unless escaped
STORED_COLUMNS = (
    "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false))"
)


def files_in(folder: str) -> list[str]:
    """The Parquet files of a folder, and of folders below it that are named ``column=value``, sorted."""
    return in_partitions((str(path) for path in Path(folder).rglob("*.parquet") if path.is_file()), folder)


def in_partitions(files: Iterable[str], folder: str) -> list[str]:
    """The files, sorted, for which all folders between them and ``folder`` are named ``column=value``."""
    return sorted(file for file in files if all("=" in name for name in _folders(file, folder)))


def _folders(file: str, folder: str) -> tuple[str, ...]:
    """The names of the folders between ``folder`` and a file."""
    return PurePath(file).relative_to(folder).parts[:-1]


def partitions(files: Sequence[str], folder: str | None) -> list[str]:
    """The columns that the folders between ``folder`` and the files name; none if ``folder`` is None.

    >>> partitions(["a/year=2025/month=12/1.parquet", "a/year=2026/month=11/2.parquet"], "a")
    ['year', 'month']
    """
    if folder is None:
        return []
    folders_of_files = [[name.partition("=") for name in _folders(file, folder)] for file in files]
    if any(letter in value for folders in folders_of_files for _, _, value in folders for letter in TO_ESCAPE):
        unescaped = "the name of a folder has one of the characters = ? \\ or a line feed in its value"
        raise Refused("source", f"{unescaped}; write = as %3D, ? as %3F, and so on, as Spark, Arrow, and DuckDB do")
    lists_of_columns = {tuple(column for column, _, _ in folders) for folders in folders_of_files}
    if len(lists_of_columns) > 1:
        differ = "the files lie in folders that name different columns; all need the same, in the same order"
        raise Refused("source", differ)
    columns = list(lists_of_columns.pop()) if lists_of_columns else []
    if "" in columns or len({name.casefold() for name in columns}) < len(columns):
        raise Refused("source", "folders must name each column once, such as year=2026/month=11")
    return columns


def check_not_in_both(stored: Iterable[str], named: Sequence[str]) -> None:
    """Refused if a column is both ``stored`` in the files and ``named`` by their folders."""
    stored_names = {name.casefold() for name in stored}  # to an engine, year and Year are the same name
    if both := [name for name in named if name.casefold() in stored_names]:
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
    return table.select(*stored, *named)  # without columns that DuckDB takes from the names of folders above ``folder``


def check_alike(connection: DuckDBPyConnection, files: Sequence[str]) -> None:
    """Refused unless all ``files`` store the same columns in the same types; no record is read."""
    first_types, *other_types = (dict(connection.execute(STORED_COLUMNS, [escape(file)]).fetchall()) for file in files)
    for file, types in zip(files[1:], other_types, strict=True):
        differing = [name for name in first_types | types if first_types.get(name) != types.get(name)]
        if differing:
            name = differing[0]
            first_way = f"{Path(files[0]).name} {_storage(first_types, name)}"
            other_way = f"{Path(file).name} {_storage(types, name)}"
            difference = f"the files differ in column {name!r}: {first_way} and {other_way}"
            raise Refused("source", f"{difference}; write them again with the same columns in the same types")


def _storage(types: dict[str, str], name: str) -> str:
    """How a file with columns of these types stores the column ``name``, in words."""
    return f"stores it as {types[name]}" if name in types else "lacks it"
