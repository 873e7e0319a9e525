"""Checks against two habits of ClickHouse: partial answers under some settings, and types guessed from records.

With an overflow mode other than "throw", or with a limit, the engine stops early and returns a partial answer. Which
part it returns depends on all records, so such connections are refused.

The catalog declares the types of tables and views. But a query in SQL may read a file directly, with a function such as
``file('records.csv')``, and then the records of that file decide its types. ``EXPLAIN QUERY TREE`` shows which table
functions a query reads.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from privpac.data.engines.queries import from_engine
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.operations as ops
    from ibis.backends.sql import SQLBackend

SAFE_SETTINGS = {
    "enable_analyzer": "1",  # otherwise a column and its converted form, which has the same name, are confused
    "precise_float_parsing": "1",  # otherwise a bound of a line may be read as a neighboring float
    "join_default_strictness": "ALL",  # otherwise all records in one cell of a crosstab may count as one
    "distributed_group_by_no_merge": "0",  # otherwise each server returns its own groups and units
    "skip_unavailable_shards": "0",  # otherwise the records of a server may be missing from some answers
    "partial_result_on_first_cancel": "0",  # otherwise a canceled query returns a partial answer
}
# These change the rows of every answer. For some of them, ClickHouse reports only that they are set.
ROW_SETTINGS = ("limit", "offset", "page", "filter", "select", "additional_result_filter")
SETTINGS_SQL = (  # the answer is a single row: if an offset is set, it removes the row, which shows that it is set
    f"SELECT groupArray(name), groupArray(if(name IN {ROW_SETTINGS}, if(changed, 'set', ''), value)) "
    f"FROM system.settings WHERE name IN {(*SAFE_SETTINGS, *ROW_SETTINGS)} OR name LIKE '%_overflow_mode%'"
)
TYPED_FUNCTIONS = frozenset(  # their types do not depend on records
    ["numbers", "numbers_mt", "zeros", "zeros_mt", "generate_series", "generateSeries", "merge"]
)
FUNCTION = re.compile(r"TABLE_FUNCTION .*table_function_name: (\w+)")


def check_settings(engine: SQLBackend) -> None:
    """Refuse a connection whose queries may return only part of their answers, or different ones."""
    rows = from_engine(engine, lambda: engine.raw_sql(SETTINGS_SQL).result_rows)
    is_complete = bool(rows) and len(rows[0]) == 2  # the setting "select" changes the columns, too
    settings = dict(zip(*rows[0], strict=True)) if is_complete else {}
    changes_rows = any(settings.get(name) for name in ROW_SETTINGS)
    if engine.con.query_limit or not is_complete or changes_rows:
        raise Refused(
            "table",
            "this connection returns only part of the rows of each answer; connect without the settings "
            f"{', '.join(ROW_SETTINGS[:-1])}, and {ROW_SETTINGS[-1]}, and with query_limit=0",
        )
    for name, value in settings.items():
        needed = SAFE_SETTINGS.get(name, "throw")  # a setting in neither list is an overflow mode
        if name not in ROW_SETTINGS and value != needed:
            setting = f"under the setting {name} = {value!r} of this connection"
            raise Refused("table", f"{setting}, ClickHouse may return a different answer; set it to {needed!r}")


def check_functions(relation: ops.Relation, engine: SQLBackend, parameter: str) -> None:
    """Refuse a query in SQL that reads from a table function, unless the function's types do not depend on records."""
    if not hasattr(relation, "query"):  # a table or a view, whose types are declared
        return
    check_settings(engine)  # otherwise part of the tree might be missing
    sql = f"EXPLAIN QUERY TREE {engine.compile(relation.to_expr())}"
    tree = "\n".join(str(line) for (line,) in from_engine(engine, lambda: engine.raw_sql(sql).result_rows))
    if not {*FUNCTION.findall(tree)} <= TYPED_FUNCTIONS:
        raise Refused(
            parameter,
            "ClickHouse would take the types of these columns from their records; create a table that declares them: "
            "CREATE TABLE typed (age Nullable(Int64)) ENGINE = MergeTree ORDER BY tuple(); "
            "INSERT INTO typed SELECT age FROM file('records.csv')",
        )
