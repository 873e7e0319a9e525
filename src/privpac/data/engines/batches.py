"""Rows of a table in an engine, a few at a time: memory does not grow with the table.

From SQLite, MySQL, and Spark, Ibis would read a whole table at once, so rows are fetched with the engine's own cursor.
Values leave these engines as texts and floats (see ``exact_forms``), which every cursor returns unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING

from privpac.data.engines.exact_forms import imported_values
from privpac.data.engines.queries import answer, from_engine
from privpac.data.engines.views import check_columns, engine_view
from privpac.data.files.progress import say
from privpac.data.values.columns import Array

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from ibis.backends.sql import SQLBackend

ROWS = 2**16  # the most rows of a batch
Row = Sequence[object]


def batches(table: ir.Table, columns: Sequence[str]) -> Iterator[list[Array]]:
    """These columns of a table, in batches of rows, at least one. All come from one query, so their rows match.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2]}))
    >>> [[column.tolist() for column in batch] for batch in batches(flights, ["delay"])]
    [[[37, 2]]]
    """
    check_columns(table, columns, "columns")
    engine, kinds = table.get_backend().name, [table[name].type() for name in columns]
    view, rows_read = engine_view(table, {f"x{i}": name for i, name in enumerate(columns)}).records, 0
    for batch in arrow_tables(view):
        yield [imported_values(batch[f"x{i}"], kind, engine) for i, kind in enumerate(kinds)]
        rows_read += batch.num_rows
        say("{} records read", rows_read)


def arrow_tables(query: ir.Table) -> Iterator[pa.Table]:
    """The rows of an Ibis query in tables of at most 2¹⁶ rows; a query without rows is one empty table."""
    engine, schema = query.get_backend(), query.schema().to_pyarrow()
    tables = from_engine(engine, lambda: _tables(query, engine, schema))
    table = from_engine(engine, lambda: next(tables, None))
    yield schema.empty_table() if table is None else table
    while table is not None:
        table = from_engine(engine, lambda: next(tables, None))
        if table is not None:
            yield table


def _tables(query: ir.Table, engine: SQLBackend, schema: pa.Schema) -> Iterator[pa.Table]:
    arrow = import_module("pyarrow")
    if engine.name in ("postgres", "clickhouse"):  # these servers send a few rows at a time
        stream = engine.to_pyarrow_batches(query, chunk_size=ROWS)
        return (part for batch in stream for part in _parts(arrow.Table.from_batches([batch])))
    answer(query.limit(0))  # Ibis sends tables of this process to an engine only with a query of its own
    sql = str(engine.compile(query))
    if engine.name == "duckdb":
        batches = engine.raw_sql(sql).to_arrow_reader(ROWS)
        return (arrow.Table.from_batches([batch]).cast(schema) for batch in batches)
    rows = _rows(engine, sql)
    chunks = iter(lambda: list(islice(rows, ROWS)), [])  # until a chunk is empty
    return (_table(chunk, schema) for chunk in chunks)


def _parts(table: pa.Table) -> Iterator[pa.Table]:
    """The table in parts of at most ROWS rows: a block of ClickHouse may have more rows than requested."""
    return (table.slice(first, ROWS) for first in range(0, table.num_rows, ROWS))


def _rows(engine: SQLBackend, sql: str) -> Iterator[Row]:
    """The rows of a query, as the engine's own cursor returns them."""
    if engine.name == "sqlite":
        return iter(engine.con.execute(sql))
    if engine.name == "mysql":
        cursor = engine.con.cursor(import_module("MySQLdb.cursors").SSCursor)
        cursor.execute(sql)
        return iter(cursor)
    return iter(engine.raw_sql(sql).toLocalIterator())


def _table(rows: list[Row], schema: pa.Schema) -> pa.Table:
    arrow = import_module("pyarrow")
    columns = zip(zip(*rows, strict=True), schema.types, strict=True)
    return arrow.table([arrow.array(entries, kind) for entries, kind in columns], schema=schema)
