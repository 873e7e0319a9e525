"""Files in queries of ClickHouse: functions such as ``file('records.csv')`` guess types from records.

The catalog declares the types of tables and views. A query in SQL may read a file directly, and then the records of
that file decide them. ClickHouse's tree of a query names the functions that it reads tables from.

proof: docs/proofs/engines.md

Main declarations
    check_functions    refuses a query that reads from such a function
"""

from __future__ import annotations

import re
from typing import Any

from privpac.data.answers import from_engine
from privpac.data.clickhouse_settings import check_settings
from privpac.data.refusal import Refused

TYPED = frozenset(["numbers", "numbers_mt", "zeros", "zeros_mt", "generate_series", "generateSeries", "merge"])
FUNCTION = re.compile(r"TABLE_FUNCTION .*table_function_name: (\w+)")
GUESSED = (
    "ClickHouse would take the types of these columns from their records; create a table that declares them: "
    "CREATE TABLE typed (age Nullable(Int64)) ENGINE = MergeTree ORDER BY tuple(); "
    "INSERT INTO typed SELECT age FROM file('records.csv')"
)


def check_functions(relation: Any, engine: Any, parameter: str) -> None:
    """Refused if a query in SQL reads from a function other than those whose types are known; tables declare theirs."""
    if not hasattr(relation, "query"):
        return
    check_settings(engine)  # or a part of the tree might be missing
    asked = f"EXPLAIN QUERY TREE {engine.compile(relation.to_expr())}"
    tree = "\n".join(str(line) for (line,) in from_engine(engine, lambda: engine.raw_sql(asked).result_rows))
    if not {*FUNCTION.findall(tree)} <= TYPED:
        raise Refused(parameter, GUESSED)
