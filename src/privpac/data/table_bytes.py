"""Tables in memory, as the bytes of a file: they are read where they are and never written.

Main declarations
    table_of_bytes    the table in the bytes of a CSV or Parquet file, as an Ibis table
"""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import PurePath
from typing import Any

from privpac.data.duckdb_rows import connected
from privpac.data.engines import BROKEN, records_of_text
from privpac.data.refusal import InOtherWords, Refused

SEPARATORS = {".csv": ",", ".tsv": "\t"}
MOST_UNPACKED = 10**9  # bytes: a small Parquet file may unpack to a large table
WIDEST = 16  # bytes of an entry that is not text


def table_of_bytes(content: bytes, name: str) -> Any:
    """The table in these bytes; ``name`` is that of the file, whose ending says what it is.

    >>> table_of_bytes(b"delay,late\\n37,yes\\n", "flights.csv").columns
    ('delay', 'late')
    """
    ending = PurePath(name).suffix.lower()
    if ending in SEPARATORS:
        with InOtherWords(lambda _: Refused("source", f"{name} cannot be read: {BROKEN['text']}"), UnicodeDecodeError):
            return _in_memory(records_of_text([content], SEPARATORS[ending]))
    if ending not in (".parquet", ".pq"):
        raise Refused("source", f"{name} is not a CSV or Parquet file, judging by its name; rename or unpack it")
    with InOtherWords(lambda error: _unread(name, error)):
        opened = import_module("pyarrow.parquet").ParquetFile
        schema = opened(BytesIO(content)).schema
        texts = [schema.column(i).path for i in range(len(schema))]  # each text once, however often it occurs
        file = opened(BytesIO(content), read_dictionary=texts)
        table = _read(file) if _unpacked(file) <= MOST_UNPACKED else None
    if table is None:
        raise Refused("source", f"{name} unpacks to more than 1 GB; open the file instead: open_table(path)")
    connection = connected()
    connection.con.register("records", table)
    return _in_memory(connection.table("records"))


def _unread(name: str, error: Exception) -> Refused:
    """What is said instead of an error of Arrow's, which may quote records."""
    return Refused("source", f"{name} cannot be read ({type(error).__name__}): {BROKEN['parquet']}")


def _read(file: Any) -> Any:
    """The table, group by group: Arrow cannot read texts in lists once each across groups."""
    groups = [file.read_row_group(i) for i in range(file.metadata.num_row_groups)]
    return import_module("pyarrow").concat_tables(groups) if groups else file.schema_arrow.empty_table()


def _unpacked(file: Any) -> int:
    """At most how many bytes a Parquet file has in memory; it may store a run of equal values once."""
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    widths = [max(WIDEST, file.schema.column(i).length or 0) for i in range(len(file.schema))]
    entries = sum(group.column(i).num_values * width for group in groups for i, width in enumerate(widths))
    return int(sum(group.total_byte_size for group in groups) + entries)


def _in_memory(table: Any) -> Any:
    """The table, whose engine may not write what does not fit into memory to a file."""
    table.get_backend().raw_sql("SET temp_directory = ''")
    return table
