"""Types of columns: they come from a declaration, and never from a record.

A type decides how every entry of its column is read. SQLite does not know the type of a column that was declared
without one, nor that of an expression in a view, and Ibis then takes the type of the first record. DuckDB, polars,
Spark, and ClickHouse guess the types of text files and of values in names of folders (``year=2026``), and DuckDB also
guesses the types of pandas' objects. So one record would decide how all others are read. Such columns are refused,
whatever their records hold.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from privpac.data.engines.clickhouse import check_functions
from privpac.data.engines.queries import answer, from_engine
from privpac.data.engines.spark import check_files
from privpac.data.engines.sqlite import check_declared
from privpac.data.values.value_text import sql_text
from privpac.refusals.refusal import InPython, Part, Refused

if TYPE_CHECKING:
    import ibis.expr.operations as ops
    import ibis.expr.types as ir
    from duckdb import DuckDBPyRelation
    from ibis.backends.sql import SQLBackend

NAME = "privpac_plan"  # the name of a relation while DuckDB plans it
PLAN = "SELECT json_serialize_plan({}, optimize := false)"  # before DuckDB leaves out what it need not read
TYPED = frozenset(  # functions of DuckDB that read tables with types, or make numbers
    {
        *("seq_scan", "arrow_scan", "arrow_scan_dumb", "parquet_scan", "read_parquet", "read_text", "read_blob"),
        *("range", "generate_series", "unnest"),
    }
)
FOLDERS = "names of folders"  # such as year=2026, in which DuckDB looks for numbers and dates
INSTEAD: dict[str, Part] = {
    FOLDERS: "open the folder itself: open_table(path)",
    **dict.fromkeys(("csv", "sqlite"), "open the file itself: open_table(path)"),
    "pandas": InPython("give the DataFrame itself"),
}
DECLARE = "create a table that declares them: CREATE TABLE typed (age INTEGER); COPY typed FROM 'records.json'"
FROM_RECORDS = ("__pivot_enum_", "ColumnDataCollection")  # in what DuckDB says of PIVOT without IN, and of CALL
PIVOT_OF_RECORDS = re.compile(r"\bpivot\b(?!.*\bin\s*\()", re.IGNORECASE | re.DOTALL)
NAMED_BY_RECORDS = (
    "records may decide the names of these columns; list what becomes a column: PIVOT … ON carrier IN ('EV', 'UA'); or "
    "SELECT from a table instead of CALL"
)
OBJECTS = (
    "column {0!r} of a DataFrame holds Python objects, and these would decide its type; say which type it has: "
    "frame.astype({{{0!r}: 'Int64'}}), or 'Float64', or 'string'; or give the DataFrame itself"
)


def check_types(table: ir.Table, names: Sequence[str], parameter: str) -> None:
    """Refused if some of the columns ``names`` of an Ibis table, or its choice of records, depend on such a type.

    >>> import ibis, pandas
    >>> ages = ibis.memtable(pandas.DataFrame({"age": [37, "old"]}, dtype=object))
    >>> check_types(ages, ["age"], "columns")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: column 'age' of a DataFrame holds Python objects, ...
    """
    engine, behind = table.get_backend(), list(columns_behind(table, names))
    for relation, name in behind:
        if _holds_objects(relation, name):
            raise Refused(parameter, OBJECTS.format(name))
    stored = [(relation, name) for relation, name in behind if not hasattr(relation, "data")]
    if engine.name == "sqlite":
        for relation, name in stored:
            check_declared(engine, relation, name, parameter)
    for relation in dict(stored):
        if engine.name == "pyspark":
            check_files(relation.to_expr(), engine, parameter)
        if engine.name == "clickhouse":
            check_functions(relation, engine, parameter)
        if engine.name == "duckdb":
            _check_plan(_plan_of(relation.to_expr(), engine), parameter)


def check_names(table: ir.Table, parameter: str) -> None:
    """Refused if a query of an Ibis table takes the names of its columns from records."""
    ops = import_module("ibis.expr.operations")
    queries = table.op().find((ops.SQLQueryResult, ops.SQLStringView))
    if any(PIVOT_OF_RECORDS.search(each.query) for each in queries):
        raise Refused(parameter, NAMED_BY_RECORDS)


def check_relation(relation: DuckDBPyRelation) -> None:
    """Refused if records decide the names of the columns of this query of DuckDB, or the types of a table it reads."""
    query = relation.sql_query()  # has a word of FROM_RECORDS if and only if records decide, whatever these are
    if any(word in query for word in FROM_RECORDS):
        raise Refused("X", NAMED_BY_RECORDS)
    try:
        plan = relation.query(NAME, PLAN.format(f"'FROM {NAME}'")).fetchall()[0][0]
    finally:
        relation.query(NAME, f"DROP VIEW {NAME}")
    _check_plan(plan, "X")


def columns_behind(table: ir.Table, names: Sequence[str]) -> Iterator[tuple[ops.Relation, str]]:
    """The columns of stored tables, or of queries in SQL, that these columns and the choice of records depend on.

    >>> import ibis
    >>> visits = ibis.memtable({"age": [37], "year": [2026], "ward": [3]})
    >>> older = visits.mutate(born=visits.year - visits.age).filter(ibis._.ward == 3)
    >>> sorted(name for _, name in columns_behind(older, ["born"]))
    ['age', 'ward', 'year']
    """
    ops = import_module("ibis.expr.operations")
    stored = (ops.DatabaseTable, ops.InMemoryTable, ops.SQLQueryResult, ops.SQLStringView)
    to_visit, visited = [ops.Field(table.op(), name) for name in names], set()
    while to_visit:
        node = to_visit.pop()
        if node in visited:
            continue
        visited.add(node)
        if isinstance(node, ops.Field) and isinstance(node.rel, stored):
            yield node.rel, node.name
        to_visit += _behind(node)


def _behind(node: ops.Node) -> list[ops.Node]:
    """What a node of a query depends on; a table stands for the choice of its records."""
    ops = import_module("ibis.expr.operations")
    inside = [child for child in node.__children__ if isinstance(child, ops.Relation)]
    if isinstance(node, ops.Field):
        expression = node.rel.values.get(node.name)
        parents = [child for child in node.rel.__children__ if isinstance(child, ops.Relation)]
        return [node.rel, *([expression] if expression is not None else [_column(each, node.name) for each in parents])]
    if isinstance(node, ops.Subquery | ops.SQLStringView):
        return [*node.__children__, *(field for each in inside for field in each.fields.values())]
    columns = {**getattr(node, "metrics", {})} if isinstance(node, ops.Aggregate) else getattr(node, "values", {})
    values = set(columns.values()) if isinstance(node, ops.Relation) else set()
    return [child for child in node.__children__ if child not in values]


def _column(relation: ops.Relation, name: str) -> ops.Node:
    """The column of this name, or the choice of records if the table does not have it."""
    return relation.fields.get(name, relation)


def _holds_objects(relation: ops.Relation, name: str) -> bool:
    """Whether this is a column of pandas whose type says only that it holds objects."""
    frame = getattr(getattr(relation, "data", None), "obj", None)
    if frame is None or type(frame).__module__.partition(".")[0] != "pandas":
        return False
    return str(frame.dtypes.iloc[relation.schema.names.index(name)]) == "object"


def _plan_of(table: ir.Table, engine: SQLBackend) -> str:
    if hasattr(table.op(), "parent"):
        answer(table.limit(0))  # Ibis sends tables of this process to an engine only with a query of its own
    query = PLAN.format(sql_text(str(engine.compile(table))))
    return str(from_engine(engine, lambda: engine.raw_sql(query).fetchone()[0]))


def _check_plan(plan: str, parameter: str) -> None:
    """Refused unless all functions that read a table are known; DuckDB returns no plan for readers that guess."""
    readers: list[str] = []

    def collect(node: dict[str, object]) -> dict[str, object]:
        readers.extend([str(node.get("name"))] if node.get("type") == "LOGICAL_GET" else [])
        readers.extend([FOLDERS] if node.get("hive_partitioning") and node.get("hive_types_autocast") else [])
        return node

    answer_of_duckdb = json.loads(plan, object_hook=collect)
    error = answer_of_duckdb["error"] and str(answer_of_duckdb.get("error_message"))
    unknown = [error] if error else sorted({*readers} - TYPED)
    if unknown:
        instead = next((advice for word, advice in INSTEAD.items() if word in unknown[0].casefold()), DECLARE)
        raise Refused(parameter, "DuckDB would take the types of these columns from their records; ", instead)
