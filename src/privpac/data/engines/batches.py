"""Rows of a table in an engine, a few at a time: memory does not grow with the table.

Ibis reads a whole table at once from SQLite, MySQL, and Spark, so their rows come through the engine's own cursor. The
forms in which values leave these engines are texts and floats, which every cursor returns as they are.
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

ROWS = 2**16  # in memory at once
Row = Sequence[object]


def batches(table: ir.Table, columns: Sequence[str]) -> Iterator[list[Array]]:
    """These columns of a table: at least one batch; one query gives the order of all rows.

    >>> import ibis, pyarrow
    >>> [[each.tolist() for each in batch] for batch in batches(ibis.memtable(pyarrow.table({"x": [37, 2]})), ["x"])]
    [[[37, 2]]]
    """
    check_columns(table, columns, "columns")
    engine, kinds = table.get_backend().name, [table[name].type() for name in columns]
    view, rows = engine_view(table, {f"x{i}": name for i, name in enumerate(columns)}).records, 0
    for batch in arrow_tables(view):
        yield [imported_values(batch[f"x{i}"], kind, engine) for i, kind in enumerate(kinds)]
        say("{} records read", rows := rows + batch.num_rows)


def arrow_tables(query: ir.Table) -> Iterator[pa.Table]:
    """The rows of an Ibis query in tables of at most 2¹⁶ rows; a query without rows is one empty table."""
    engine, schema = query.get_backend(), query.schema().to_pyarrow()
    tables = from_engine(engine, lambda: _tables(query, engine, schema))
    table = from_engine(engine, lambda: next(tables, None))
    yield schema.empty_table() if table is None else table
    while table is not None and (table := from_engine(engine, lambda: next(tables, None))) is not None:
        yield table


def _tables(query: ir.Table, engine: SQLBackend, schema: pa.Schema) -> Iterator[pa.Table]:
    arrow = import_module("pyarrow")
    if engine.name in ("postgres", "clickhouse"):  # these servers send a few rows at a time
        stream = engine.to_pyarrow_batches(query, chunk_size=ROWS)
        return (part for batch in stream for part in _parts(arrow.Table.from_batches([batch])))
    answer(query.limit(0))  # Ibis sends tables of this process to an engine only with a query of its own
    sql = str(engine.compile(query))
    if engine.name == "duckdb":
        return (arrow.Table.from_batches([each]).cast(schema) for each in engine.raw_sql(sql).to_arrow_reader(ROWS))
    rows = _rows(engine, sql)
    return (_table(each, schema) for each in iter(lambda: list(islice(rows, ROWS)), []))


def _parts(table: pa.Table) -> Iterator[pa.Table]:
    """The table in parts of few rows: a block of ClickHouse may have more rows than requested."""
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
