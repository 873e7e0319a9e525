"""privpac's own connections to DuckDB, and rows that DuckDB reads as they arrive, such as those of a polars LazyFrame.

Polars runs the query of a LazyFrame once. DuckDB counts the rows as they arrive, or keeps them if they are needed more
than once. DuckDB receives them only if all columns have types whose values arrive unchanged; types are public.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, TypeGuard

from privpac.data.engines.batches import ROWS
from privpac.data.engines.queries import FAILED, ROWS_READ, from_engine
from privpac.data.files.private_files import own_folder
from privpac.refusals.refusal import InOtherWords, Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import polars as pl
    import pyarrow as pa
    from ibis.backends.duckdb import Backend as DuckDB

UNCHANGED = frozenset(  # polars types whose values arrive in DuckDB unchanged
    [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)]
    + ["Float32", "Float64", "Boolean", "String", "Date", "Datetime", "Decimal", "Binary"]
)
FIRST_POLARS = 2  # the first version whose batches end with an error if the query fails; before, they just end
GUESSING = re.compile(  # in the plan of a query that reads a text file, or files in folders such as year=2026
    r"(csv|json) scan|scan \[.*[/\\][^/\\\n]*=[^/\\\n]*[/\\]"
)
AS_TEXT = frozenset(["Categorical", "Enum"])  # sent as texts, because each batch may number their values anew
MEMORY = "1GB"  # beyond it, DuckDB uses temporary files; by default, it would use most of the machine's memory


class ArrowStream(Protocol):
    """Rows that arrive through Arrow's PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


def with_ibis() -> ModuleType:
    """Ibis, if it can read with DuckDB; an ImportError says how to install them."""
    extra = "files and databases are read through Ibis and DuckDB; install them with: pip install 'privpac[sql]'"
    with InOtherWords(lambda _: ImportError(extra), ImportError):
        import_module("duckdb")
        return import_module("ibis")


def duckdb_connection(*file: str, read_only: bool = False) -> DuckDB:
    """A connection to DuckDB that prints no progress and has a limit on memory, beyond which it uses temporary files.

    By default, DuckDB would put these beside the database or in the current folder, which other users may enter.
    """
    connection = with_ibis().duckdb.connect(*file, read_only=read_only)
    connection.raw_sql(f"SET memory_limit = '{MEMORY}'")
    folder = own_folder().replace("'", "''")  # written into the query: for a parameter, DuckDB would import pandas
    connection.raw_sql(f"SET temp_directory = '{folder}'")
    connection.raw_sql("SET enable_progress_bar_print = false")  # it would print into the output
    connection.raw_sql("SET enable_progress_bar = true")
    return connection


def streaming_table(reader: ArrowStream) -> ir.Table:
    """The rows of an Arrow stream as a table that DuckDB reads while they arrive, and does not keep."""
    connection = duckdb_connection()
    connection.con.register("rows", reader)
    setattr(connection, ROWS_READ, reader)
    return connection.table("rows")


def copied_table(reader: ArrowStream) -> ir.Table:
    """The rows of an Arrow stream as a table, read once and kept in DuckDB's memory or temporary files."""
    connection = streaming_table(reader).get_backend()
    from_engine(connection, lambda: connection.raw_sql("CREATE TABLE records AS SELECT * FROM rows"))
    connection.con.unregister("rows")
    return connection.table("records")


def is_lazy(X: object) -> TypeGuard[pl.LazyFrame]:
    """Whether X is a LazyFrame; does not import polars to find out."""
    return (type(X).__module__.partition(".")[0], type(X).__name__) == ("polars", "LazyFrame")


def check_scans(query: pl.LazyFrame) -> None:
    """Refused if polars guesses types of this LazyFrame, from lines of a text file or from names of folders."""
    if GUESSING.search(query.explain(optimized=False).casefold()):
        raise Refused(
            "X",
            "polars would take the types of these columns from their records; open a CSV file, or a folder that has "
            "folders such as year=2026, with open_table(path), and write another file as Parquet first: "
            "X.sink_parquet('records.parquet'), with the types that it is to have: X.cast({…})",
        )


def lazy_rows(query: pl.LazyFrame) -> LazyRows | None:
    """The rows of a LazyFrame for a DuckDB that reads them once; None if they must be collected."""
    schema = query.collect_schema()
    kinds = {name: kind.base_type().__name__ for name, kind in schema.items()}
    are_distinct = len({name.lower() for name in kinds}) == len(kinds)  # DuckDB does not distinguish case
    if not kinds or "" in kinds or not are_distinct or not {*kinds.values()} <= UNCHANGED | AS_TEXT:
        return None
    polars = import_module("polars")
    too_old = int(polars.__version__.partition(".")[0]) < FIRST_POLARS
    if too_old or any(find_spec(module) is None for module in ("duckdb", "ibis", "pyarrow")):
        return None
    as_text = [name for name, kind in kinds.items() if kind in AS_TEXT]
    return LazyRows(query.with_columns(polars.col(as_text).cast(polars.String)) if as_text else query)


@dataclass(frozen=True, eq=False)
class LazyRows:
    """The rows of a LazyFrame as a stream of Arrow batches, which can be read only once."""

    query: pl.LazyFrame
    # Lists, because a frozen value can only change what is inside its fields.
    _starts: list[bool] = field(default_factory=list, repr=False)  # empty until the query starts
    _failures: list[bool] = field(default_factory=list, repr=False)  # empty until it fails

    @property
    def failed(self) -> bool:
        """Whether the query failed. The error that DuckDB raises then does not say so."""
        return bool(self._failures)

    def _failure(self) -> RuntimeError:
        self._failures.append(True)
        return RuntimeError(FAILED)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows through Arrow's PyCapsule interface; the query starts when the first row is requested."""
        arrow, polars = import_module("pyarrow"), import_module("polars")
        schema = polars.DataFrame(schema=self.query.collect_schema()).to_arrow().schema
        return arrow.RecordBatchReader.from_batches(schema, self._batches(schema)).__arrow_c_stream__(requested_schema)

    def _batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        if self._starts:  # a second run of the query could return other records
            raise self._failure()
        self._starts.append(True)
        with InOtherWords(lambda _: self._failure()):
            for rows in self.query.collect_batches(chunk_size=ROWS, lazy=True):
                yield from rows.to_arrow().cast(schema).to_batches()
