"""Files and databases, opened as Ibis tables.

A table may also come as the bytes of a file, such as an upload. These stay in memory and are never written to disk.
Since somebody else may have sent them, they are checked against limits before they are unpacked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from privpac.data.engines.duckdb_rows import duckdb_connection, with_ibis
from privpac.data.engines.sqlite import check_sqlite, is_sqlite, stored_table
from privpac.data.files.csv_files import (
    BYTE_ORDER_MARK,
    CSV_RULES,
    IF_DIFFERENT,
    UTF8,
    Lines,
    Splitting,
    TextFile,
    check_separator,
    head,
    heading,
    is_empty,
    matching,
    text_query,
)
from privpac.data.files.excel_files import ENDINGS, excel_table, unpacked_size
from privpac.data.files.file_format import FileFormat
from privpac.data.files.headings import MOST_COLUMNS, check_heading
from privpac.data.files.object_stores import StoredFiles
from privpac.data.files.parquet_files import files_in, parquet_table
from privpac.data.values.value_text import sql_name
from privpac.refusals.absent_names import no_file_ending, no_such_file
from privpac.refusals.refusal import InOtherWords, InPython, Refused, Setting, Sketch

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from ibis.backends.sql import SQLBackend
    from pyarrow.parquet import ParquetFile

SEPARATORS = {".csv": ",", ".tsv": "\t"}
# Limits for a file in memory, and the advice when it exceeds them.
MOST_COLUMNS_IN_MEMORY = 1_000
MOST_COLUMNS_OF_TEXT = 4_000  # an engine needs a gigabyte for the plan of a query of many more
MOST_ROWS = 5_000_000
MOST_GROUPS = 1_000  # row groups of a Parquet file
MOST_UNPACKED = 10**9  # bytes: a small Parquet file may unpack to a large table
LONGEST_FOOTER = 2 * 10**6  # bytes that describe a Parquet file: enough for the columns and groups allowed above
OPEN_IN_PLACE = "open the file where it is instead: privpac explore FILE"
PARQUET_END = b"PAR1"  # the last bytes of every Parquet file
ENTRY_BYTES = 16  # to allow for each entry, unless its column declares more
SCHEMES = ("postgresql", "postgres", "duckdb", "s3")
KINDS = {
    **dict.fromkeys((".csv", ".tsv"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys(ENDINGS, "excel"),
    **dict.fromkeys((".db", ".duckdb", ".sqlite", ".sqlite3"), "database"),
}
ADVICE = {  # what to do about a file of each kind that cannot be read
    "text": CSV_RULES,
    "parquet": "it is damaged or not a Parquet file; write it again",
    "excel": "it is damaged, protected by a password, or not an Excel file; save it again, or as CSV",
    "database": "check that the file is a complete DuckDB or SQLite file, or that the database can be reached",
}
TABLE = Setting.to("table", Sketch("…"))
OR_IBIS = InPython(" or give an Ibis table")
UTF16 = b"\xff\xfe", b"\xfe\xff"  # the first bytes of files in UTF-16


def open_table(
    source: str | Path,
    table: str | None = None,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool | Iterable[str] = False,
    formats: Mapping[str, str] | None = None,
    at_once: bool = False,
) -> ir.Table:
    """A CSV, Parquet, or Excel file (or several: ``flights-*.csv``, a folder), or a database, as an Ibis table.

    ``table`` names a table of a database, or a sheet of a workbook. A database is a DuckDB or SQLite file or an address
    such as ``postgres://user@host/flights``. Its tables are those of its default schema; others are named
    ``schema.table``. All columns of CSV and Excel files are text; the declared domain says what they spell. If a file
    has exactly this path, it is not a pattern. A folder stands for its ``.parquet`` files, also in folders such as
    ``year=2026`` below it. Files and folders may be in an object store, such as ``s3://bucket/flights``.

    Files may be spelled as people have them: with another ``separator`` or ``encoding``, with decimal commas (in some
    columns, or in all), and with dates in other ``formats``: ``{"day": "%d.%m.%Y"}``. A schema that declares all this
    opens a file by itself: ``schema.open(path)``.

    Files are read whenever a query needs them. With ``at_once``, however, a small CSV file is read immediately, which
    saves half a second if it is read only once.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "flights.csv")
    ...     _ = file.write_text("delay,late\\n37,yes\\n2,no\\n")
    ...     open_table(file).columns
    ('delay', 'late')
    """
    numbers = None if isinstance(decimal_comma, bool) else frozenset(decimal_comma)
    form = FileFormat(separator, encoding, bool(decimal_comma) or None, numbers, dict(formats or {}))
    return opened(source, table, form, at_once=at_once)


def opened(source: str | Path, table: str | None, form: FileFormat, *, at_once: bool = False) -> ir.Table:
    """The table that :func:`open_table` opens, from a file of the format ``form``."""
    ibis, address = with_ibis(), str(source)
    scheme = address.partition("://")[0] if "://" in address else None
    if scheme is not None and scheme not in SCHEMES:
        schemes = " or ".join(f"{known}://" for known in SCHEMES)
        unknown = f"addresses that start with {scheme}:// cannot be opened; start with {schemes}"
        raise Refused("source", unknown, OR_IBIS)
    # Missing files are refused here, because DuckDB would create them.
    path = address.removeprefix("duckdb://")
    folder = path if scheme is None and Path(path).is_dir() else None
    files = files_in(path) if folder else matching(path) if scheme in (None, "duckdb") else []
    if scheme in (None, "duckdb") and not files:
        raise no_file_ending(".parquet", path) if folder else no_such_file(path)
    kind, separator = _kind(files[0] if folder else address, scheme)
    if table is not None and kind not in ("database", "excel"):
        single = " is a file with a single table; leave out ", TABLE, ", which is for databases"
        raise Refused("table", _public_address(address), *single)
    with InOtherWords(partial(_opening_error, _public_address(address), ADVICE[kind])):
        stored = StoredFiles.at(address) if scheme == "s3" else None
        if kind == "text":
            return records_of_text(stored.files if stored else files, separator, form, at_once=at_once and not stored)
        if kind == "excel":
            return _registered(excel_table(files, table, form, MOST_COLUMNS), form)
        if kind == "parquet":
            connection = duckdb_connection()
            records = stored.records(connection) if stored else parquet_table(connection, files, folder)
            return _rewritten(records, form)
        if files and is_sqlite(files[0]):
            check_sqlite(files[0])
            return _as_stored(_named_table(ibis.sqlite.connect(files[0]), table), form)
        connection = duckdb_connection(path, read_only=True) if files else ibis.connect(address)
        return _as_stored(_named_table(connection, table), form)


def _kind(name: str, scheme: str | None) -> tuple[str, str]:
    """What a source is, judging by its name: "text", "parquet", "excel", or "database"; and the separator of a text."""
    path = name.partition("?")[0] if scheme == "s3" else name
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    ending = suffixes[-1] if suffixes else ""
    if scheme == "s3" and ending not in (".csv", ".tsv"):
        return "parquet", ""  # a file, or a folder of files
    kind = "database" if scheme not in (None, "s3") else KINDS.get(ending)
    if kind is None:
        unknown = f"{name} is not a CSV, Parquet, Excel, DuckDB, or SQLite file, judging by its name; rename it"
        raise Refused("source", unknown, OR_IBIS)
    return kind, SEPARATORS.get(ending, "")


def _public_address(address: str) -> str:
    """An address without its user, password, and options, so that an error may quote it."""
    scheme, separator, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if separator else address


def _opening_error(address: str, advice: str, error: Exception) -> BaseException:
    """The error to raise instead of an engine's own, which may quote records."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"there is nothing at {address}; check the address")
    if isinstance(error, UnicodeDecodeError):
        return Refused("source", f"{address} cannot be read: {advice}", *IF_DIFFERENT)
    if isinstance(error, ValueError | ImportError):
        return error
    if KeyboardInterrupt.__name__ in str(error):  # DuckDB wraps an interruption of the Python code that feeds it lines
        return KeyboardInterrupt()
    return Refused("source", f"{address} cannot be read ({type(error).__name__}): {advice}")


def _named_table(connection: SQLBackend, table: str | None) -> ir.Table:
    """The table with this name; the only one, if no name is given. ``schema.table`` names a table of another schema."""
    tables: dict[str, tuple[str, str | None]] = {name: (name, None) for name in connection.list_tables()}
    schema = "" if table is None else table.partition(".")[0]
    if table not in tables and schema in connection.list_databases():
        tables |= {f"{schema}.{name}": (name, schema) for name in connection.list_tables(database=schema)}
    if table is None and len(tables) == 1:
        (table,) = tables
    if table not in tables:
        connection.disconnect()
        if not tables:
            raise Refused(
                "table",
                "the default schema of the database has no tables that you may see; set ",
                Setting.to("table", "schema.table"),
                " if they are in another schema, or check that this is the right database",
            )
        why = "the database has several tables" if table is None else f"the database has no table {table!r}"
        raise Refused("table", f"{why}; choose one with ", TABLE, f": {', '.join(sorted(tables))}")
    name, database = tables[table]
    if connection.name == "sqlite":
        return stored_table(connection, name, database)
    return connection.table(name, database=database)


def records_of_text(
    files: Sequence[TextFile],
    separator: str,
    form: FileFormat | None = None,
    most: int = MOST_COLUMNS_OF_TEXT,
    *,
    at_once: bool = False,
) -> ir.Table:
    """The records of text files, each a path or the bytes of a file, as a table of at most ``most`` columns.

    They are read again for each query; with ``at_once``, a few records are read immediately, and only once.
    """
    form = form or FileFormat()
    encoding = form.encoding or UTF8
    heads = [head(file, encoding) for file in files]
    if empty := [file for file, line in zip(files, heads, strict=True) if not line and is_empty(file)]:
        name = empty[0] if isinstance(empty[0], str) else "the file"
        raise Refused("source", f"{name} is empty; give a file whose first line names the columns")
    if encoding == UTF8 and any(line.startswith(UTF16) for line in heads):
        copy = "write a copy in UTF-8: iconv -f UTF-16 -t UTF-8 FILE > copy.csv, or save it as CSV UTF-8"
        raise Refused("source", f"the file is UTF-16, which is not read; {copy}")
    if encoding != UTF8 and any(head(file).startswith(BYTE_ORDER_MARK) for file in files):
        raise Refused("encoding", "the file begins with the mark of UTF-8; say ", Setting.to("encoding", UTF8))
    if form.separator is None:
        check_separator(heads[0], separator)
    separator = form.separator or separator
    names = heading(heads, separator, most)
    splitting = Splitting(len(names), separator)
    lines, connection = Lines(tuple(files), splitting, encoding), duckdb_connection()
    if at_once and (query := lines.as_query()):
        connection.raw_sql(f"CREATE TEMP TABLE lines AS {query}")
    else:
        connection.con.register("lines", lines)
    connection.raw_sql(f"CREATE TEMP VIEW records AS {text_query(names, splitting, 'lines')}")
    return _rewritten(connection.table("records"), form)


def _registered(table: pa.Table, form: FileFormat) -> ir.Table:
    """A table in memory that DuckDB reads."""
    connection = duckdb_connection()
    connection.con.register("records", table)
    return _rewritten(connection.table("records"), form)


def _as_stored(table: ir.Table, form: FileFormat) -> ir.Table:
    """A table of a database; Refused if texts in it would have to be rewritten."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    if columns := form.expressions(texts):
        raise Refused(
            "table",
            f"column {next(iter(columns))!r} is text in the database, and only files are read with decimal commas or "
            "date formats; convert the column in a view, and open that",
        )
    return table


def _rewritten(table: ir.Table, form: FileFormat) -> ir.Table:
    """The table with its texts of numbers and dates rewritten in the usual spelling."""
    texts = [name for name, kind in table.schema().items() if kind.is_string()]
    if not (columns := form.expressions(texts)):
        return table
    connection = table.get_backend()
    changed = ", ".join(f"{expression} AS {sql_name(name)}" for name, expression in columns.items())
    query = f"SELECT * REPLACE ({changed}) FROM ({connection.compile(table)})"
    connection.raw_sql(f"CREATE TEMP VIEW plainly_spelled AS {query}")
    return connection.table("plainly_spelled")


def table_of_bytes(content: bytes, name: str, form: FileFormat | None = None) -> ir.Table:
    """The table in the bytes of a CSV, Parquet, or Excel file. The ending of the file's ``name`` says which it is.

    >>> table_of_bytes(b"delay,late\\n37,yes\\n", "flights.csv").columns
    ('delay', 'late')
    """
    ending, form = PurePath(name).suffix.lower(), form or FileFormat()
    if ending in SEPARATORS:
        with InOtherWords(lambda _: Refused("source", f"{name} cannot be read: {ADVICE['text']}"), UnicodeDecodeError):
            _check_rows(name, max(content.count(b"\n"), content.count(b"\r")))
            return _in_memory(records_of_text([content], SEPARATORS[ending], form, MOST_COLUMNS_IN_MEMORY))
    if ending in ENDINGS:
        if unpacked_size(content) > MOST_UNPACKED:
            raise Refused("source", f"{name} unpacks to more than 1 GB; {OPEN_IN_PLACE}")
        with InOtherWords(partial(_opening_error, name, ADVICE["excel"])):
            return _in_memory(_registered(excel_table([content], None, form, MOST_COLUMNS_IN_MEMORY), form))
    if ending not in (".parquet", ".pq"):
        unknown = f"{name} is not a CSV, Parquet, or Excel file, judging by its name"
        raise Refused("source", f"{unknown}; rename or unpack it")
    _check_footer(name, content)
    with InOtherWords(lambda error: _parquet_error(name, error)):
        ParquetFile = import_module("pyarrow.parquet").ParquetFile
        file = ParquetFile(BytesIO(content))
        columns = [file.schema.column(i).path for i in range(len(file.schema))]
        check_heading(columns, MOST_COLUMNS_IN_MEMORY)
        _check_rows(name, file.metadata.num_rows)
        if file.metadata.num_row_groups > MOST_GROUPS:
            raise Refused("source", f"{name} has more than {MOST_GROUPS:,} row groups; write it again with larger ones")
        # The file is opened again so that Arrow keeps each distinct text only once in memory.
        file = ParquetFile(BytesIO(content), read_dictionary=columns)
        if _largest_size(file) > MOST_UNPACKED:
            raise Refused("source", f"{name} unpacks to more than 1 GB; {OPEN_IN_PLACE}")
        table = _arrow_table(file)
    return _in_memory(_registered(table, form))


def _parquet_error(name: str, error: Exception) -> Exception:
    """The refusal that replaces an error of Arrow, which may quote records. A refusal stays as it is."""
    if isinstance(error, Refused):
        return error
    return Refused("source", f"{name} cannot be read ({type(error).__name__}): {ADVICE['parquet']}")


def _check_footer(name: str, content: bytes) -> None:
    """Refused if the footer of a Parquet file is too long. Its length stands right before the last four bytes."""
    length = int.from_bytes(content[-8:-4], "little")
    if content.endswith(PARQUET_END) and length > LONGEST_FOOTER:
        raise Refused(
            "source",
            f"the footer of {name}, which describes columns and row groups, has more than 2 MB; "
            f"at most {MOST_COLUMNS_IN_MEMORY:,} columns and {MOST_GROUPS:,} groups can be read here",
        )


def _check_rows(name: str, count: int) -> None:
    if count > MOST_ROWS:
        raise Refused("source", f"{name} has more than {MOST_ROWS:,} rows; {OPEN_IN_PLACE}")


def _arrow_table(file: ParquetFile) -> pa.Table:
    """The table of a Parquet file, read group by group: across groups, Arrow cannot share texts that are in lists."""
    groups = [file.read_row_group(i) for i in range(file.metadata.num_row_groups)]
    return import_module("pyarrow").concat_tables(groups) if groups else file.schema_arrow.empty_table()


def _largest_size(file: ParquetFile) -> int:
    """An upper bound on the bytes of a Parquet file in memory.

    The file may store a run of equal values once, so each entry counts in full, on top of what the file stores.
    """
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    widths = [max(ENTRY_BYTES, file.schema.column(i).length or 0) for i in range(len(file.schema))]
    entries = sum(group.column(i).num_values * width for group in groups for i, width in enumerate(widths))
    return int(sum(group.total_byte_size for group in groups) + entries)


def _in_memory(table: ir.Table) -> ir.Table:
    """The table, after its engine was forbidden to write temporary files."""
    table.get_backend().raw_sql("SET temp_directory = ''")
    return table
