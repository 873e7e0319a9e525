"""Tables in memory, as the bytes of a file: they are read where they are and never written.

Main declarations
    table_of_bytes    the table in the bytes of a CSV or Parquet file, as an Ibis table
"""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import PurePath
from typing import Any

from privpac.data.engines import BROKEN, connected, records_of_text
from privpac.data.refusal import Refused

SEPARATORS = {".csv": ",", ".tsv": "\t"}
MOST_UNPACKED = 10**9  # bytes: a small Parquet file may unpack to a large table


def table_of_bytes(content: bytes, name: str) -> Any:
    """The table in these bytes; ``name`` is that of the file, whose ending says what it is.

    >>> table_of_bytes(b"delay,late\\n37,yes\\n", "flights.csv").columns
    ('delay', 'late')
    """
    ending = PurePath(name).suffix.lower()
    if ending in SEPARATORS:
        try:
            return _in_memory(records_of_text([content], SEPARATORS[ending]))
        except UnicodeDecodeError:
            raise Refused("source", f"{name} cannot be read: {BROKEN['text']}") from None
    if ending not in (".parquet", ".pq"):
        raise Refused("source", f"{name} is not a CSV or Parquet file, judging by its name; rename or unpack it")
    try:
        file = import_module("pyarrow.parquet").ParquetFile(BytesIO(content))
        groups = [file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups)]
        table = file.read() if sum(groups) <= MOST_UNPACKED else None
    except Exception as error:  # the engine's own, which may quote records
        raise Refused("source", f"{name} cannot be read ({type(error).__name__}): {BROKEN['parquet']}") from None
    if table is None:
        raise Refused("source", f"{name} unpacks to more than 1 GB; open the file instead: open_table(path)")
    connection = connected()
    connection.con.register("records", table)
    return _in_memory(connection.table("records"))


def _in_memory(table: Any) -> Any:
    """The table, whose engine may not write what does not fit into memory to a file."""
    table.get_backend().raw_sql("SET temp_directory = ''")
    return table
