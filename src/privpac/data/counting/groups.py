"""How many records or units a table has, counted where it lives. Both are public.

Groups of records that an engine has counted.

Files and databases: one query counts the records of each point, or each point and label, where they live.

Rows stay in the engine (DuckDB for files; PostgreSQL, Spark, and others through Ibis). Only the distinct points arrive,
each with a label and a count. The public rule for records that do not fit is applied to these: it treats records with
the same entries alike, so applying it after counting gives the same result.

With units, the engine sorts the records of each unit by their keyed hashes and counts the first k.

Tables on a cluster whose distinct values may be as many as their records: a sentence before they are fetched.

A cluster sends one row for each distinct value, so the memory of this process grows with them and not with the records.
How many values occur is private. How many the domain allows is public, and so is the number of records.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.counting.numbers import EngineNumbers
from privpac.data.domains.base import Domain
from privpac.data.engines.duckdb_rows import connected, with_ibis
from privpac.data.engines.exact_forms import told_apart
from privpac.data.engines.queries import answer
from privpac.data.engines.sqlite import check_sqlite, is_sqlite, stored_table
from privpac.data.engines.views import check_columns, in_exact_forms, units_of
from privpac.data.files.csv_files import TEXT, Lines, Splitting, TextFile, head, heading, matching, text_query
from privpac.data.files.headings import MOST_COLUMNS
from privpac.data.files.object_stores import StoredFiles
from privpac.data.files.parquet_files import files_in, parquet_table
from privpac.data.files.progress import say
from privpac.data.samples.units import NAMELESS, Quota
from privpac.refusals.option_words import InvalidRule
from privpac.refusals.refusal import InOtherWords, InPython, Refused, Setting, Sketch


class Incomplete(NamedTuple):
    """Entry i stands for ``counts[i]`` records that lack a value; ``alike[i]`` is −1 if they lack a label."""

    alike: NDArray[np.integer[Any]]
    counts: NDArray[np.int64]
    units: NDArray[np.intp] | None = None


class Counted(NamedTuple):
    """Entry i stands for ``counts[i]`` records with these values and this label; n also counts void records.

    ``told`` are the labels that occur, and ``alike[i]`` is the number of the one that entry i has. Without a column of
    labels, all labels are True.

    >>> Counted([], np.array(["no", "yes"]), np.array([1, 0, 1]), np.array([5, 2, 3]), 10).labels.tolist()
    ['yes', 'no', 'yes']
    """

    columns: list[NDArray[Any]]
    told: NDArray[Any]
    alike: NDArray[np.integer[Any]]
    counts: NDArray[np.int64]
    n: int
    units: NDArray[np.intp] | None = None  # whose records they are, if units are told apart
    incomplete: Incomplete | None = None  # the records without some value, if there are any

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each entry."""
        return np.asarray(self.told[self.alike])


def told_labels(column: Any) -> tuple[Any, NDArray[np.integer[Any]]]:
    """The distinct entries of an Arrow column, and the number of each entry's; −1 if it is missing.

    >>> import pyarrow
    >>> told, alike = told_labels(pyarrow.chunked_array([["no", "yes"], ["yes", None]]))
    >>> told.to_pylist(), alike.tolist()
    (['no', 'yes'], [0, 1, 1, -1])
    """
    arrow = import_module("pyarrow")
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    told = arrow.chunked_array([chunks[0].dictionary] if chunks else [], column.type)
    return told, np.concatenate(
        [np.empty(0, dtype=np.int32), *(each.indices.fill_null(-1).to_numpy() for each in chunks)]
    )


SCHEMES = ("postgresql", "postgres", "duckdb", "s3")
KINDS = {
    **dict.fromkeys((".csv", ".tsv"), "text"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    **dict.fromkeys((".db", ".duckdb", ".sqlite", ".sqlite3"), "database"),
}
BROKEN = {
    "text": TEXT,
    "parquet": "it is damaged or not a Parquet file; write it again",
    "database": "check that the file is a complete DuckDB or SQLite file, or that the database can be reached",
}
EMPTY = (
    "the default schema of the database has no tables that you may see; set ",
    Setting.to("table", "schema.table"),
    " if they are in another schema, or check that this is the right database",
)
MISSING = (
    " (perhaps because they have more than 10,000 bytes or, in a CSV file, because their lines are not UTF-8, "
    "are too long, or have more or fewer cells than the first line); fill in the values, drop these records, or set ",
    Setting.to("on_invalid", "default"),
    ", which counts them in n and nothing else",
)
TABLE = Setting.to("table", Sketch("…"))
OTHERWISE = InPython(" or give an Ibis table")


def is_table(table: Any) -> bool:
    """Whether ``table`` is an Ibis table; does not import Ibis to find out.

    >>> is_table({"age": [37]})
    False
    """
    return type(table).__module__.partition(".")[0] == "ibis"


def open_table(source: str | Path, table: str | None = None) -> Any:
    """A CSV or Parquet file (or several: ``flights-*.csv``, a folder), or a ``table`` of a database, as an Ibis table.

    A database is a DuckDB or SQLite file or an address such as ``postgres://user@host/flights``. Its tables are those
    of its default schema; others are named ``schema.table``. All columns of a CSV file are text; the declared domain
    says what they spell. If a file has exactly this path, it is not a pattern. A folder stands for its ``.parquet``
    files, also in folders such as ``year=2026`` below it. Files and folders may be in an object store, such as
    ``s3://bucket/flights``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "flights.csv")
    ...     _ = file.write_text("delay,late\\n37,yes\\n2,no\\n")
    ...     open_table(file).columns
    ('delay', 'late')
    """
    ibis, address = with_ibis(), str(source)
    scheme = address.partition("://")[0] if "://" in address else None
    if scheme is not None and scheme not in SCHEMES:
        known = " or ".join(f"{each}://" for each in SCHEMES)
        other = f"addresses that start with {scheme}:// cannot be opened; start with {known}"
        raise Refused("source", other, OTHERWISE)
    place = address.removeprefix("duckdb://")  # a file; the engine would create it if it were missing
    folder = place if scheme is None and Path(place).is_dir() else None
    files = files_in(place) if folder else matching(place) if scheme in (None, "duckdb") else []
    if scheme in (None, "duckdb") and not files:
        there = f"no file ends with .parquet in {place}" if folder else f"there is no file {place}"
        raise FileNotFoundError(f"{there}; give the path of a CSV, Parquet, DuckDB, or SQLite file")
    kind, separator = _kind(files[0] if folder else address, scheme)
    if table is not None and kind != "database":
        leave = " is a file with a single table; leave out ", TABLE, ", which is for databases"
        raise Refused("table", _public(address), *leave)
    with InOtherWords(partial(_unopened, _public(address), BROKEN[kind])):
        if scheme == "s3":
            stored = StoredFiles.at(address)
            return stored.records(connected()) if kind == "parquet" else records_of_text(stored.files, separator)
        if kind == "parquet":
            return parquet_table(connected(), files, folder)
        if kind == "text":
            return records_of_text(files, separator)
        if files and is_sqlite(files[0]):
            check_sqlite(files[0])
            return _named_table(ibis.sqlite.connect(files[0]), table)
        return _named_table(connected(place, read_only=True) if files else ibis.connect(address), table)


def _unopened(address: str, broken: str, error: Exception) -> BaseException:
    """What is said instead of an error; each engine has errors of its own, which may quote records."""
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(f"there is nothing at {address}; check the address")
    if isinstance(error, UnicodeDecodeError):
        return Refused("source", f"{address} cannot be read: {broken}")
    if isinstance(error, ValueError | ImportError):
        return error
    if KeyboardInterrupt.__name__ in str(error):  # DuckDB wraps what is raised in the lines that it asks for
        return KeyboardInterrupt()
    return Refused("source", f"{address} cannot be read ({type(error).__name__}): {broken}")


def counted(
    table: Any,
    columns: Sequence[str],
    label: str | None = None,
    quota: Quota | None = None,
    rule: InvalidRule = "raise",
    *,
    apart: bool = False,
    domains: Sequence[Domain] = (),
) -> Counted:
    """How many records have each combination of values and label; with units, k records of each unit count.

    Without ``label``, records are counted by their values alone. Records without a value are refused under the rule
    "raise" and void otherwise: only their labels are told. Records without a unit are refused under "raise" and
    otherwise do not count at all. With ``apart``, the records of each unit are counted separately. ``domains`` are
    those of the columns, if they are to be read in the engine where it can: several values that the domain reads as one
    may then arrive as one.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 37], "late": [1, 0, 1]}))
    >>> answer = counted(flights, ["delay"], "late")
    >>> sorted(zip(answer.columns[0].tolist(), answer.labels.tolist(), answer.counts.tolist())), answer.n
    ([(2, 0, 1), (37, 1, 2)], 3)
    """
    names = {f"x{i}": name for i, name in enumerate(columns)} | ({} if label is None else {"y": label})
    check_columns(table, columns, "columns")
    check_columns(table, [] if label is None else [label], "label")
    read = _readings(table, names, domains)
    counting = [place for place, each in read.items() if each.counts]
    view, chosen = in_exact_forms(table, names, quota, told=True, stored=counting)
    for place, each in read.items():
        chosen = each.read(chosen, place)
    point = [part for place, each in read.items() for part in each.places(place)]
    if apart:
        chosen, point = chosen.mutate(number=with_ibis().dense_rank().over(order_by="unit")), [*point, "number"]
    chosen, keys = told_apart(chosen, point, table.get_backend().name)
    query = chosen.group_by(keys).aggregate(records=chosen.count())
    if quota is not None:
        query = query.cross_join(units_of(view))
    found = answer(query)
    counts = found["records"].to_numpy().astype(np.int64, copy=False)
    n = int(counts.sum())
    if quota is not None and len(found):
        n = quota.k * found["units"][0].as_py()
        if rule == "raise" and found["nameless"][0].as_py():
            raise Refused("quota", *NAMELESS)
    say("{} records counted" if quota is None else "{} records of {} units counted", n, n // (quota.k if quota else 1))
    whole = np.ones(len(found), dtype=bool)
    for place, name in names.items():
        there = read[place].there(found, place)
        if rule == "raise" and not there.all():
            raise Refused(
                "label" if place == "y" else "columns", f"some records have no value in column {name!r}", *MISSING
            )
        whole &= there
    units = found["number"].to_numpy().astype(np.intp) if apart else None
    told, alike = (None, np.zeros(len(found), dtype=np.int32)) if label is None else told_labels(found["y"])
    incomplete = None
    if rule != "raise":
        incomplete = Incomplete(alike[~whole], counts[~whole], None if units is None else units[~whole])
        found, counts, alike = found.filter(whole), counts[whole], alike[whole]
        units = None if units is None else units[whole]
    values = [each.arrived(found, place) for place, each in read.items() if place != "y"]
    # labels are few, and are read once each
    labels = np.ones(1, dtype=bool) if label is None else read["y"].arrived({"y": told}, "y")
    return Counted(values, labels, alike, counts, n, units, incomplete)


def _readings(table: Any, names: dict[str, str], domains: Sequence[Domain]) -> dict[str, EngineNumbers]:
    """How the column at each place is read; a label has no domain."""
    of_place = dict(zip(names, domains, strict=False)) if domains else {}
    engine = table.get_backend().name
    return {place: EngineNumbers(of_place.get(place), table[name].type(), engine) for place, name in names.items()}


def records_of_text(files: Sequence[TextFile], separator: str, most: int = MOST_COLUMNS) -> Any:
    """The records of text files, or of their bytes, as a table of at most ``most`` columns."""
    names = heading([head(file) for file in files], separator, most)
    splitting = Splitting(len(names), separator)
    query, connection = text_query(names, splitting, "lines"), connected()
    connection.con.register("lines", Lines(tuple(files), splitting))
    connection.raw_sql(f"CREATE TEMP VIEW records AS {query}")
    return connection.table("records")


def _kind(name: str, scheme: str | None) -> tuple[str, str]:
    """What a source is, judging by its name: text, with its separator, parquet, or a database."""
    path = name.partition("?")[0] if scheme == "s3" else name
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    ending = suffixes[-1] if suffixes else ""
    if scheme == "s3" and ending not in (".csv", ".tsv"):
        return "parquet", ""  # a file, or a folder of files
    kind = "database" if scheme not in (None, "s3") else KINDS.get(ending)
    if kind is None:
        unknown = f"{name} is not a CSV, Parquet, DuckDB, or SQLite file, judging by its name; rename it"
        raise Refused("source", unknown, OTHERWISE)
    return kind, "\t" if ending == ".tsv" else ","


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
    return (
        stored_table(connection, name, database)
        if connection.name == "sqlite"
        else connection.table(name, database=database)
    )


def _public(address: str) -> str:
    """An address without its password, and without its options."""
    scheme, found, rest = address.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}" if found else address


CLUSTERS = ("pyspark",)  # engines for tables that are larger than the memory here
MANY = 10**6  # rows that arrive; they take about a gigabyte
FEWER = (
    "declare fewer: a step, as in Thresholds(0, 1000, step=0.1), bounds for whole numbers, or the values of a category"
)


class ManyGroups(UserWarning):
    """All records of a cluster's table may arrive in this process."""


def warn_of_many(table: Any, domain: Domain, *, units: bool) -> None:
    """Warn if more than a million distinct values may arrive. With units, the number of records is not public."""
    if table.get_backend().name not in CLUSTERS or 2 * domain.size <= MANY:  # each value with two labels
        return
    if units:
        arrives = "as many rows as there are records may arrive in this process"
    elif (n := answer(table.aggregate(n=table.count()))["n"][0].as_py()) > MANY:
        arrives = f"up to {n} rows may arrive in this process"
    else:
        return
    sent = "the engine sends one row for each distinct value, and the declared domain allows more than a million"
    warnings.warn(f"{sent}: {arrives}; {FEWER}", ManyGroups, stacklevel=5)


def size_of(table: Any, quota: Quota | None = None) -> int:
    """The n of an Ibis table, as a fit counts it.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 5], "plane": ["N1", "N2", "N1"]}))
    >>> size_of(flights), size_of(flights, Quota("plane", 3, "any key"))
    (3, 6)
    """
    if quota is None:
        return int(answer(table.aggregate(n=table.count()))["n"][0].as_py())
    check_columns(table, [quota.unit], "unit")
    records = in_exact_forms(table, {"x": quota.unit}, quota).records
    return quota.k * int(answer(records.aggregate(n=records.unit.nunique()))["n"][0].as_py())
