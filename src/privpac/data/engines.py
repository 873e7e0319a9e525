"""Files and databases: one query counts the records of each point, or each point and label, where they live.

Rows stay in the engine (DuckDB for files; PostgreSQL, Spark, and others through Ibis). Only the distinct points arrive,
each with a label and a count. The public rule for records that do not fit is applied to these: it treats records with
the same entries alike, so applying it after counting gives the same result.

With units, the engine sorts the records of each unit by their keyed hashes and counts the first k.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws

Main declarations
    open_table       a file or a table of a database, as an Ibis table
    is_table         whether something is an Ibis table
    counted          how many records have each point and label
    Counted          the result
    fetched          some columns of a table, in the order of its rows
    connected        a connection to DuckDB
    records_of_text  the records of text files
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.answers import answer
from privpac.data.csv_lines import Lines, head
from privpac.data.csv_sql import TEXT, heading, matching, text_query, unglobbed
from privpac.data.engine_views import check_columns, in_exact_forms
from privpac.data.forms import arrived
from privpac.data.parquet_files import check_alike
from privpac.data.progress import say
from privpac.data.refusal import InPython, Refused, Setting, Sketch
from privpac.data.units import NAMELESS, Quota

EXTRA = "files and databases are read through Ibis and DuckDB; install them with: pip install 'privpac[sql]'"
SCHEMES = ("postgresql", "postgres", "duckdb")
KINDS = {
    **dict.fromkeys((".csv", ".tsv"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".db", ".duckdb"), "database"),
}
BROKEN = {
    "text": TEXT,
    "parquet": "it is damaged or not a Parquet file; write it again",
    "database": "check that the file is a complete DuckDB file, or that the database can be reached",
}
EMPTY = (
    "the default schema of the database has no tables that you may see; set ",
    Setting.to("table", "schema.table"),
    " if they are in another schema, or check that this is the right database",
)
MISSING = (
    " (in a CSV file, perhaps because their lines are not UTF-8, or have more or fewer cells than the first line); "
    "fill in the values, drop these records, or set ",
    Setting.to("on_invalid", "default"),
    ", which counts them in n and nothing else",
)
TABLE = Setting.to("table", Sketch("…"))
OTHERWISE = InPython(" or give an Ibis table")


class Counted(NamedTuple):
    """Entry i stands for ``counts[i]`` records with these values and this label; n also counts void records.

    Without a column of labels, all labels are True.
    """

    columns: list[NDArray[Any]]
    labels: NDArray[Any]
    counts: NDArray[np.int64]
    n: int
    units: NDArray[np.intp] | None = None  # whose records they are, if units are told apart


def is_table(table: Any) -> bool:
    """Whether ``table`` is an Ibis table; does not import Ibis to find out.

    >>> is_table({"age": [37]})
    False
    """
    return type(table).__module__.partition(".")[0] == "ibis"


def open_table(source: str | Path, table: str | None = None) -> Any:
    """A CSV or Parquet file (or several: ``flights-*.csv``, a folder), or a ``table`` of a database, as an Ibis table.

    A database is a DuckDB file or an address such as ``postgres://user@host/flights``. Its tables are those of its
    default schema; others are named ``schema.table``. All columns of a CSV file are text; the declared domain says what
    they spell. If a file has exactly this path, it is not a pattern. A folder stands for its ``.parquet`` files.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "flights.csv")
    ...     _ = file.write_text("delay,late\\n37,yes\\n2,no\\n")
    ...     open_table(file).columns
    ('delay', 'late')
    """
    ibis, address = _ibis(), str(source)
    scheme = address.partition("://")[0] if "://" in address else None
    if scheme is not None and scheme not in SCHEMES:
        known = " or ".join(f"{each}://" for each in SCHEMES)
        other = f"addresses that start with {scheme}:// cannot be opened; start with {known}"
        raise Refused("source", other, OTHERWISE)
    place = address.removeprefix("duckdb://")  # a file; the engine would create it if it were missing
    files = matching(place) if scheme in (None, "duckdb") else []
    if scheme in (None, "duckdb") and not files:
        there = f"no file ends with .parquet in {place}" if Path(place).is_dir() else f"there is no file {place}"
        raise FileNotFoundError(f"{there}; give the path of a CSV, Parquet, or DuckDB file")
    named = Path(files[0] if scheme is None and Path(place).is_dir() else address)
    suffixes = [suffix.lower() for suffix in named.suffixes if suffix.lower() != ".gz"]
    kind = "database" if scheme else KINDS.get(suffixes[-1] if suffixes else "")
    if kind is None:
        unknown = f"{address} is not a CSV, Parquet, or DuckDB file, judging by its name; rename it"
        raise Refused("source", unknown, OTHERWISE)
    if table is not None and kind != "database":
        leave = " is a file with a single table; leave out ", TABLE, ", which is for databases"
        raise Refused("table", address, *leave)
    try:
        if kind == "parquet":
            connection = connected()
            check_alike(connection.con, files)
            return connection.read_parquet([unglobbed(file) for file in files])
        if kind == "text":
            return records_of_text(files, "\t" if suffixes[-1] == ".tsv" else ",")
        return _named_table(connected(place, read_only=True) if files else ibis.connect(address), table)
    except UnicodeDecodeError:
        raise Refused("source", f"{address} cannot be read: {BROKEN[kind]}") from None
    except (ValueError, ImportError):
        raise
    except Exception as error:  # each engine has errors of its own, which may quote records
        failed = f"{_public(address)} cannot be read ({type(error).__name__}): {BROKEN[kind]}"
        raise Refused("source", failed) from None


def counted(
    table: Any,
    columns: Sequence[str],
    label: str | None = None,
    quota: Quota | None = None,
    rule: str = "raise",
    *,
    apart: bool = False,
) -> Counted:
    """How many records have each combination of values and label; with units, k records of each unit count.

    Without ``label``, records are counted by their values alone. Records without a value are refused under the rule
    "raise" and void otherwise. Records without a unit are refused under "raise" and otherwise do not count at all. With
    ``apart``, the records of each unit are counted separately.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 37], "late": [1, 0, 1]}))
    >>> answer = counted(flights, ["delay"], "late")
    >>> sorted(zip(answer.columns[0].tolist(), answer.labels.tolist(), answer.counts.tolist())), answer.n
    ([(2, 0, 1), (37, 1, 2)], 3)
    """
    names = {f"x{i}": name for i, name in enumerate(columns)} | ({} if label is None else {"y": label})
    check_columns(table, columns, "columns")
    check_columns(table, [] if label is None else [label], "label")
    point, engine, (view, chosen) = list(names), table.get_backend().name, in_exact_forms(table, names, quota)
    if apart:
        chosen = chosen.mutate(number=_ibis().dense_rank().over(order_by="unit"))
    query = chosen.group_by([*point, "number"] if apart else point).aggregate(records=chosen.count())
    if quota is not None:
        query = query.mutate(units=view.unit.nunique().as_scalar(), nameless=view.unit.isnull().sum().as_scalar())
    found = answer(query)
    counts = found["records"].to_numpy().astype(np.int64)
    n = int(counts.sum())
    if quota is not None and len(found):
        n = quota.k * found["units"][0].as_py()
        if rule == "raise" and found["nameless"][0].as_py():
            raise Refused("quota", *NAMELESS)
    say("{} records counted" if quota is None else "{} records of {} units counted", n, n // (quota.k if quota else 1))
    whole = np.ones(len(found), dtype=bool)
    for place, name in names.items():
        if found[place].null_count and rule == "raise":
            raise Refused(
                "label" if place == "y" else "columns", f"some records have no value in column {name!r}", *MISSING
            )
        whole &= found[place].is_valid().to_numpy()
    there = found.filter(whole)
    values = [arrived(there[place], table[name].type(), engine) for place, name in names.items()]
    labels = np.ones(len(there), dtype=bool) if label is None else values.pop()
    units = there["number"].to_numpy().astype(np.intp) if apart else None
    return Counted(values, labels, counts[whole], n, units)


def fetched(table: Any, columns: Sequence[str]) -> list[NDArray[Any]]:
    """These columns of a table, in the order of its rows.

    >>> import ibis, pyarrow
    >>> fetched(ibis.memtable(pyarrow.table({"delay": [37, 2]})), ["delay"])[0].tolist()
    [37, 2]
    """
    check_columns(table, columns, "columns")
    view = in_exact_forms(table, {f"x{i}": name for i, name in enumerate(columns)}).records
    found, engine = answer(view), table.get_backend().name
    return [arrived(found[i], table[name].type(), engine) for i, name in enumerate(columns)]


def connected(*file: str, **options: Any) -> Any:
    """A connection to DuckDB that prints no progress."""
    connection = _ibis().duckdb.connect(*file, **options)
    connection.raw_sql("SET enable_progress_bar_print = false")  # it would print into the output
    connection.raw_sql("SET enable_progress_bar = true")
    return connection


def records_of_text(files: Sequence[str | bytes], separator: str) -> Any:
    """The records of text files, or of their bytes, as a table."""
    names = heading([head(file) for file in files], separator)
    query, connection = text_query(names, separator, "lines"), connected()
    connection.con.register("lines", Lines(tuple(files)))
    connection.raw_sql(f"CREATE TEMP VIEW records AS {query}")
    return connection.table("records")


def _named_table(connection: Any, table: str | None) -> Any:
    """The table with this name, or the only one; ``schema.table`` names a table of another schema."""
    tables: dict[str, tuple[str, str | None]] = {name: (name, None) for name in connection.list_tables()}
    schema = "" if table is None else table.partition(".")[0]
    if table not in tables and schema in connection.list_databases():
        tables |= {f"{schema}.{name}": (name, schema) for name in connection.list_tables(database=schema)}
    if table is None and len(tables) == 1:
        (table,) = tables
    if table not in tables:
        connection.disconnect()
        why = "the database has several tables" if table is None else f"the database has no table {table!r}"
        choose = f"{why}; choose one with ", TABLE, f": {', '.join(sorted(tables))}"
        raise Refused("table", *(choose if tables else EMPTY))
    name, database = tables[table]
    return connection.table(name, database=database)


def _public(address: str) -> str:
    """An address without its password."""
    scheme, found, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}" if found else address


def _ibis() -> Any:
    try:
        import_module("duckdb")
        return import_module("ibis")
    except ImportError:
        raise ImportError(EXTRA) from None
