"""Tables in memory, as the bytes of a file: they are read where they are and never written."""

from __future__ import annotations

from importlib import import_module
from io import BytesIO
from pathlib import PurePath
from typing import Any

from privpac.data.counting.groups import BROKEN, records_of_text
from privpac.data.engines.duckdb_rows import connected
from privpac.data.files.headings import check_heading
from privpac.refusals.refusal import InOtherWords, Refused

SEPARATORS = {".csv": ",", ".tsv": "\t"}
MOST_UNPACKED = 10**9  # bytes: a small Parquet file may unpack to a large table
WIDEST = 16  # bytes of an entry that is not text
MOST_HERE = 1_000  # columns
MOST_ROWS = 5_000_000
MOST_GROUPS = 1_000  # of rows, in a Parquet file
LONGEST_FOOTER = 2 * 10**6  # bytes that describe a Parquet file: enough for what is allowed here
END = b"PAR1"
SMALLER = "open the file where it is instead: privpac explore FILE"


def table_of_bytes(content: bytes, name: str) -> Any:
    """The table in these bytes; ``name`` is that of the file, whose ending says what it is.

    >>> table_of_bytes(b"delay,late\\n37,yes\\n", "flights.csv").columns
    ('delay', 'late')
    """
    ending = PurePath(name).suffix.lower()
    if ending in SEPARATORS:
        with InOtherWords(lambda _: Refused("source", f"{name} cannot be read: {BROKEN['text']}"), UnicodeDecodeError):
            _check_rows(name, max(content.count(b"\n"), content.count(b"\r")))
            return _in_memory(records_of_text([content], SEPARATORS[ending], MOST_HERE))
    if ending not in (".parquet", ".pq"):
        raise Refused("source", f"{name} is not a CSV or Parquet file, judging by its name; rename or unpack it")
    _check_footer(name, content)
    with InOtherWords(lambda error: _unread(name, error)):
        opened = import_module("pyarrow.parquet").ParquetFile
        first = opened(BytesIO(content))
        texts = [first.schema.column(i).path for i in range(len(first.schema))]
        check_heading(texts, MOST_HERE)
        _check_rows(name, first.metadata.num_rows)
        _check_groups(name, first.metadata.num_row_groups)
        file = opened(BytesIO(content), read_dictionary=texts)  # each text once, however often it occurs
        table = _read(file) if _unpacked(file) <= MOST_UNPACKED else None
    if table is None:
        raise Refused("source", f"{name} unpacks to more than 1 GB; {SMALLER}")
    connection = connected()
    connection.con.register("records", table)
    return _in_memory(connection.table("records"))


def _unread(name: str, error: Exception) -> Exception:
    """What is said instead of an error of Arrow's, which may quote records; our own refusals stay."""
    if isinstance(error, Refused):
        return error
    return Refused("source", f"{name} cannot be read ({type(error).__name__}): {BROKEN['parquet']}")


def _check_footer(name: str, content: bytes) -> None:
    """Refused if a Parquet file describes too much: its last bytes say how long the description is."""
    length = int.from_bytes(content[-8:-4], "little")
    if content.endswith(END) and length > LONGEST_FOOTER:
        raise Refused(
            "source",
            f"the footer of {name}, which describes columns and row groups, has more than 2 MB; at most {MOST_HERE:,} "
            f"columns and {MOST_GROUPS:,} groups can be read here",
        )


def _check_rows(name: str, count: int) -> None:
    if count > MOST_ROWS:
        raise Refused("source", f"{name} has more than {MOST_ROWS:,} rows; {SMALLER}")


def _check_groups(name: str, count: int) -> None:
    if count > MOST_GROUPS:
        raise Refused("source", f"{name} has more than {MOST_GROUPS:,} row groups; write it again with larger ones")


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
