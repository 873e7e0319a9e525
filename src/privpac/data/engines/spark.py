"""A check against files whose types Spark guesses from records or from names of folders.

A table of Spark's catalog declares its types, and so do Parquet files. For other files, Spark guesses types if they are
JSON, if ``inferSchema`` is set, or if they lie in folders such as ``year=2026``. Spark's plan of a query names its
files.

proof: docs/proofs/engines.md
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from privpac.data.engines.queries import from_engine
from privpac.refusals.refusal import Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    from ibis.backends.sql import SQLBackend
    from py4j.java_gateway import JavaObject
    from pyspark.sql import DataFrame

TYPED = ("Parquet", "ORC", "Text")  # formats whose files declare types, or hold nothing but text


def check_files(table: ir.Table, engine: SQLBackend, parameter: str) -> None:
    """Refused if Spark guesses the types of a file that this Ibis table reads, whether or not its rows are needed."""

    def guesses() -> bool:
        return any(map(_has_guessed_types, _relations(engine.raw_sql(str(engine.compile(table))))))

    if from_engine(engine, guesses):
        raise Refused(
            parameter,
            "Spark would take the types of these columns from their records; create a table that declares them: "
            "CREATE TABLE typed (age INT) USING json OPTIONS (path 'records.json'), and, if folders such as year=2026 "
            "name values, PARTITIONED BY (year) at its end, and then ALTER TABLE typed RECOVER PARTITIONS",
        )


def _relations(frame: DataFrame) -> Iterator[JavaObject]:
    """The stored tables and files that a query reads; none in Spark Connect, where plans stay at the server."""
    query = getattr(frame, "_jdf", None)
    if query is None:
        return
    plan = query.queryExecution().analyzed()
    for subplan in (plan, *_elements(plan.subqueriesAll())):
        yield from (leaf for leaf in _elements(subplan.collectLeaves()) if _class(leaf) == "LogicalRelation")


def _has_guessed_types(leaf: JavaObject) -> bool:
    """Whether a leaf of a plan reads files outside the catalog whose types are guessed."""
    files = leaf.relation()
    if _class(files) != "HadoopFsRelation" or leaf.catalogTable().isDefined():
        return False
    inference = files.options().get("inferschema")
    is_inferred = inference.isDefined() and inference.get().casefold() != "false"
    file_format = files.fileFormat().toString()
    is_typed = file_format in TYPED or (file_format == "CSV" and not is_inferred)
    return not is_typed or not files.partitionSchema().isEmpty()


def _class(node: JavaObject) -> str:
    return str(node.getClass().getSimpleName())


def _elements(sequence: JavaObject) -> list[JavaObject]:
    """The elements of a Scala sequence."""
    return [sequence.apply(i) for i in range(sequence.size())]
