"""SQLite files and the types that their columns declare.

SQLite stores any value in any column, so only a declared type is public. A SQLite file is recognized by its first
bytes, because DuckDB's files may also be called ``flights.db``.

Throughout this file
    kind    a declared type, as SQLite spells it; empty if there is none
    full    whether the column is declared NOT NULL
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from privpac.data.engines.queries import from_engine
from privpac.data.values.value_text import sql_name
from privpac.refusals.refusal import Refused, Setting

if TYPE_CHECKING:
    import ibis.expr.operations as ops
    import ibis.expr.types as ir
    from ibis.backends.sqlite import Backend as SQLiteBackend
    from ibis.expr.datatypes import DataType

VIEW = "privpac_types"  # the name of a temporary view from which SQLite tells the types of a query
MAGIC = b"SQLite format 3\0"  # the first bytes of every SQLite file


def is_sqlite(file: str) -> bool:
    """Whether the file starts as all SQLite files do."""
    with Path(file).open("rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def check_sqlite(file: str) -> None:
    """Raise sqlite3.DatabaseError if SQLite cannot read the file. Ibis would also raise it, but leave the file open."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA schema_version").fetchone()


def check_utf8(connection: sqlite3.Connection) -> None:
    """Refused if texts are UTF-16: SQLite would pass their bytes on unchanged, to be read as UTF-8."""
    if connection.execute("PRAGMA encoding").fetchone()[0] != "UTF-8":
        copy = "make a copy in UTF-8: sqlite3 old.db .dump | sqlite3 new.db"
        raise Refused("table", f"the texts of this SQLite database are UTF-16; {copy}")


def stored_table(engine: SQLiteBackend, name: str, database: str | None = None) -> ir.Table:
    """The table of this name. The type of a column that declares none is unknown; Ibis would guess from a record.

    >>> import ibis
    >>> engine = ibis.sqlite.connect()
    >>> _ = engine.raw_sql("CREATE TABLE visits (age INTEGER, ward)")
    >>> [str(kind) for kind in stored_table(engine, "visits").schema().values()]
    ['int64', 'unknown']
    >>> engine.disconnect()
    """
    ops, columns = import_module("ibis.expr.operations"), _columns(engine.con, name, database or "main")
    kinds = {column: _type(kind, full) for column, (kind, full) in columns.items()}
    return ops.DatabaseTable(name, schema=kinds, source=engine, namespace=ops.Namespace(database=database)).to_expr()


def _type(kind: str, full: bool = False) -> DataType:
    """The Ibis type of a declared type; unknown if none is declared, or one that Ibis cannot read, such as INTERVAL."""
    unknown, types = import_module("ibis.expr.datatypes").unknown, import_module("ibis.backends.sql.datatypes")
    try:
        return types.SQLiteType.from_string(kind, not full) if kind else unknown
    except import_module("ibis").common.exceptions.IbisTypeError:
        return unknown


def check_declared(engine: SQLiteBackend, relation: ops.Relation, name: str, parameter: str) -> None:
    """Refused if the column ``name`` of a table or of a query in SQL declares no type, or one that privpac cannot read.

    SQLite knows the types of stored columns, also in a view. It does not know the type of an expression; versions from
    3.41 on know that of a CAST. The error is about ``parameter``.
    """
    kinds, kinds_in_ibis = from_engine(engine, lambda: _types_of(engine, relation))
    unreadable = {column for column, kind in kinds.items() if kind and _type(kind).is_unknown()}
    if kinds[name] and kinds_in_ibis.get(name) and name not in unreadable:
        return
    if name in unreadable:
        why = f"the type {kinds[name]} in SQLite, which is not read"
    else:
        why = "no type in SQLite, so a record would decide how all are read"
    copy_name = f"{relation.name if hasattr(relation, 'namespace') else 'records'}_typed"
    copy = _typed_copy(sql_name(copy_name), _source(engine, relation), kinds, unreadable)
    declare = f"column {name!r} declares {why}; declare a type (INTEGER, REAL, or TEXT), {copy}; and read that table: "
    raise Refused(parameter, declare, Setting.to("table", copy_name))


def _source(engine: SQLiteBackend, relation: ops.Relation) -> str:
    """A stored table, or a query, as SQL spells it after FROM."""
    if not hasattr(relation, "namespace"):
        return f"({engine.compile(relation.to_expr())})"
    return ".".join(sql_name(part) for part in (relation.namespace.database, relation.name) if part)


def _typed_copy(copy: str, source: str, kinds: dict[str, str], unreadable: set[str]) -> str:
    """The SQL for a copy whose columns all declare a type: TEXT in place of an unreadable type, INTEGER for none."""
    readable = kinds | dict.fromkeys(unreadable, "TEXT")
    columns = ", ".join(f"{sql_name(name)} {kind or 'INTEGER'}" for name, kind in readable.items())
    values = ", ".join(f"CAST({sql_name(name)} AS TEXT)" if name in unreadable else sql_name(name) for name in kinds)
    return f"CREATE TABLE {copy} ({columns}); INSERT INTO {copy} SELECT {values} FROM {source}"


class _Kinds(NamedTuple):
    """The declared type of each column of a table, and the one that Ibis takes it for; empty if there is none.

    Ibis looks a table up by its name alone, and may read the types of a table of that name in another database.
    """

    declared: dict[str, str]
    in_ibis: dict[str, str]


def _types_of(engine: SQLiteBackend, relation: ops.Relation) -> _Kinds:
    """The declared types of the columns of a table or of a query; no record is read."""
    if hasattr(relation, "namespace"):
        scoped = _columns(engine.con, relation.name, relation.namespace.database or None)
        return _Kinds(_kinds(scoped), _kinds(_columns(engine.con, relation.name)))
    engine.con.execute(f"CREATE TEMP VIEW {VIEW} AS {engine.compile(relation.to_expr())}")
    try:
        kinds = _kinds(_columns(engine.con, VIEW))
        return _Kinds(kinds, kinds)
    finally:
        engine.con.execute(f"DROP VIEW {VIEW}")


def _kinds(columns: dict[str, tuple[str, bool]]) -> dict[str, str]:
    """The declared types alone, without NOT NULL."""
    return {name: kind for name, (kind, _) in columns.items()}


def _columns(connection: sqlite3.Connection, name: str, database: str | None = None) -> dict[str, tuple[str, bool]]:
    """The declared type of each column, and whether it is never NULL."""
    rows = connection.execute('SELECT name, type, "notnull" FROM pragma_table_info(?, ?)', [name, database])
    return {column: (kind, bool(full)) for column, kind, full in rows}
