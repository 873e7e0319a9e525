"""What ClickHouse could do to an answer: stop in the middle under some settings, or guess types from records.

With an overflow mode other than "throw", or with a limit, the engine stops early and returns what it has so far. What
that is depends on all records, so such connections are refused.

The catalog declares the types of tables and views. A query in SQL may read a file directly, with a function such as
``file('records.csv')``, and then the records of that file decide its types. ClickHouse's tree of a query names the
functions that it reads tables from.

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
    "enable_analyzer": "1",  # otherwise a column and its new form, which has the same name, are one
    "precise_float_parsing": "1",  # otherwise a bound of a line may be read as the float beside it
    "join_default_strictness": "ALL",  # otherwise records of a crosstab that lie in one cell may count once
    "distributed_group_by_no_merge": "0",  # otherwise each server returns groups, and units, of its own
    "skip_unavailable_shards": "0",  # otherwise the records of a server may be missing from some answers
    "partial_result_on_first_cancel": "0",
}
ROW_SETTINGS = (  # they change the rows of every answer; for some, ClickHouse reports only that they are set
    *("limit", "offset", "page", "filter", "select"),
    "additional_result_filter",
)
SETTINGS_SQL = (  # one row, which an offset would cut
    f"SELECT groupArray(name), groupArray(if(name IN {ROW_SETTINGS}, if(changed, 'set', ''), value)) "
    f"FROM system.settings WHERE name IN {(*SAFE_SETTINGS, *ROW_SETTINGS)} OR name LIKE '%_overflow_mode%'"
)
TYPED_FUNCTIONS = frozenset(
    ["numbers", "numbers_mt", "zeros", "zeros_mt", "generate_series", "generateSeries", "merge"]
)
FUNCTION = re.compile(r"TABLE_FUNCTION .*table_function_name: (\w+)")


def check_settings(engine: SQLBackend) -> None:
    """Refused if a query of this connection may return a part of its answer.

    >>> from types import SimpleNamespace
    >>> client = SimpleNamespace(query_limit=0)
    >>> answer = SimpleNamespace(result_rows=[(["timeout_overflow_mode"], ["break"])])
    >>> check_settings(SimpleNamespace(name="clickhouse", con=client, raw_sql=lambda _: answer))
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: under the setting timeout_overflow_mode = 'break' of this connection, ...
    """
    rows = from_engine(engine, lambda: engine.raw_sql(SETTINGS_SQL).result_rows)
    complete = bool(rows) and len(rows[0]) == 2  # the setting "select" changes the columns, too
    settings = dict(zip(*rows[0], strict=True)) if complete else {}
    if engine.con.query_limit or not complete or any(settings.pop(name, "") for name in ROW_SETTINGS):
        raise Refused(
            "table",
            "this connection returns a part of the rows of each answer; connect without the settings "
            f"{', '.join(ROW_SETTINGS[:-1])}, and {ROW_SETTINGS[-1]}, and with query_limit=0",
        )
    for name, value in settings.items():
        needed = SAFE_SETTINGS.get(name, "throw")
        if value != needed:
            setting = f"under the setting {name} = {value!r} of this connection"
            raise Refused("table", f"{setting}, ClickHouse may return a different answer; set it to {needed!r}")


def check_functions(relation: ops.Relation, engine: SQLBackend, parameter: str) -> None:
    """Refused if a query in SQL reads from a function other than those whose types are known; tables declare theirs."""
    if not hasattr(relation, "query"):
        return
    check_settings(engine)  # otherwise a part of the tree might be missing
    sql = f"EXPLAIN QUERY TREE {engine.compile(relation.to_expr())}"
    tree = "\n".join(str(line) for (line,) in from_engine(engine, lambda: engine.raw_sql(sql).result_rows))
    if not {*FUNCTION.findall(tree)} <= TYPED_FUNCTIONS:
        raise Refused(
            parameter,
            "ClickHouse would take the types of these columns from their records; create a table that declares them: "
            "CREATE TABLE typed (age Nullable(Int64)) ENGINE = MergeTree ORDER BY tuple(); "
            "INSERT INTO typed SELECT age FROM file('records.csv')",
        )
