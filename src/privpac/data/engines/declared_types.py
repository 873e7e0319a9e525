"""Checks that the types of columns come from declarations, never from records.

A type decides how every entry of its column is read. SQLite does not know the type of a column that was declared
without one, nor that of an expression in a view, and Ibis then takes the type of the first record. DuckDB, polars,
Spark, and ClickHouse guess the types of text files and of values in names of folders (``year=2026``), and DuckDB also
guesses the types of Python objects in pandas. So one record would decide how all others are read. Such columns are
refused, whatever their records hold.

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

PLANNED_NAME = "privpac_plan"  # the name of a relation while DuckDB plans it
PLAN = "SELECT json_serialize_plan({}, optimize := false)"  # unoptimized, so that it also shows what is not needed
TYPED = frozenset(  # functions of DuckDB that read tables with declared types, or make numbers
    {
        *("seq_scan", "arrow_scan", "arrow_scan_dumb", "parquet_scan", "read_parquet", "read_text", "read_blob"),
        *("range", "generate_series", "unnest"),
    }
)
FOLDERS = "names of folders"  # stands for DuckDB's search for numbers and dates in names such as year=2026
ADVICE: dict[str, Part] = {  # by a word in the name of the function that guesses, or in DuckDB's error
    FOLDERS: "open the folder itself: open_table(path)",
    **dict.fromkeys(("csv", "sqlite"), "open the file itself: open_table(path)"),
    "pandas": InPython("give the DataFrame itself"),
}
DECLARE = "create a table that declares them: CREATE TABLE typed (age INTEGER); COPY typed FROM 'records.json'"
FROM_RECORDS = ("__pivot_enum_", "ColumnDataCollection")  # in DuckDB's SQL for PIVOT without IN, and for CALL
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
    """Refused if a type that records decide affects the columns ``names`` of an Ibis table, or which records it has.

    >>> import ibis, pandas
    >>> ages = ibis.memtable(pandas.DataFrame({"age": [37, "old"]}, dtype=object))
    >>> check_types(ages, ["age"], "columns")
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: column 'age' of a DataFrame holds Python objects, ...
    """
    engine, source_columns = table.get_backend(), list(columns_behind(table, names))
    for relation, name in source_columns:
        if _holds_objects(relation, name):
            raise Refused(parameter, OBJECTS.format(name))
    stored = [(relation, name) for relation, name in source_columns if not hasattr(relation, "data")]
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
    if any(PIVOT_OF_RECORDS.search(node.query) for node in queries):
        raise Refused(parameter, NAMED_BY_RECORDS)


def check_relation(relation: DuckDBPyRelation) -> None:
    """Refused if records decide the names of the columns of this query of DuckDB, or the types of a table it reads."""
    query = relation.sql_query()  # contains a word of FROM_RECORDS if and only if records decide the names
    if any(word in query for word in FROM_RECORDS):
        raise Refused("X", NAMED_BY_RECORDS)
    try:
        plan = relation.query(PLANNED_NAME, PLAN.format(f"'FROM {PLANNED_NAME}'")).fetchall()[0][0]
    finally:
        relation.query(PLANNED_NAME, f"DROP VIEW {PLANNED_NAME}")
    _check_plan(plan, "X")


def columns_behind(table: ir.Table, names: Sequence[str]) -> Iterator[tuple[ops.Relation, str]]:
    """The columns of stored tables, or of queries in SQL, on which these columns depend, or which records there are.

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
    """The nodes on which a node of a query depends; a relation (a table, say) stands for the choice of its records."""
    ops = import_module("ibis.expr.operations")
    if isinstance(node, ops.Field):
        expression = node.rel.values.get(node.name)
        if expression is not None:
            return [node.rel, expression]
        parents = [child for child in node.rel.__children__ if isinstance(child, ops.Relation)]
        return [node.rel, *(parent.fields.get(node.name, parent) for parent in parents)]
    if isinstance(node, ops.Subquery | ops.SQLStringView):
        relations = [child for child in node.__children__ if isinstance(child, ops.Relation)]
        return [*node.__children__, *(field for relation in relations for field in relation.fields.values())]
    columns = {**getattr(node, "metrics", {})} if isinstance(node, ops.Aggregate) else getattr(node, "values", {})
    expressions = set(columns.values()) if isinstance(node, ops.Relation) else set()  # do not choose records
    return [child for child in node.__children__ if child not in expressions]


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
    """Refused unless all functions that read a table are in TYPED; DuckDB returns an error for those that guess."""
    readers: list[str] = []

    def collect(node: dict[str, object]) -> dict[str, object]:
        if node.get("type") == "LOGICAL_GET":
            readers.append(str(node.get("name")))
        if node.get("hive_partitioning") and node.get("hive_types_autocast"):
            readers.append(FOLDERS)
        return node

    parsed_plan = json.loads(plan, object_hook=collect)
    error = parsed_plan["error"] and str(parsed_plan.get("error_message"))
    guessing = [error] if error else sorted({*readers} - TYPED)
    if guessing:
        instead = next((advice for word, advice in ADVICE.items() if word in guessing[0].casefold()), DECLARE)
        raise Refused(parameter, "DuckDB would take the types of these columns from their records; ", instead)
