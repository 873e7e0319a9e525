"""Queries that an engine answers, and sentences for those that it does not.

While an engine works, Python handles no signals in the thread that waits for it. So DuckDB, which runs in this process,
answers in a thread of its own, and Ctrl-C can end the query. The others wait for their server and handle Ctrl-C
themselves.

Each engine has its own errors, and they may quote records. So their messages are neither shown nor searched: classes
and codes of errors select one of a few fixed sentences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import count
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from privpac.data.files.progress import say
from privpac.refusals.refusal import InOtherWords, Refused

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa
    from duckdb import DuckDBPyConnection
    from ibis.backends.sql import SQLBackend

Result = TypeVar("Result")
SENT_AS_TABLES = ("mysql", "postgres", "sqlite")  # elsewhere, a table of this process becomes a view
NUMBERS = count()  # one for each cached table
ROWS_READ = "privpac_rows"  # where privpac's own DuckDB keeps the rows that it reads as they arrive
PAUSE = 0.05  # seconds between two looks at a query, and between two requests to stop: DuckDB may miss an early one
FAILED = "the LazyFrame failed before its last row; collect it, X.collect(), to see why"
KINDS = (  # a sentence, and the parts of names and codes of errors that select it; the first that fits counts
    (FAILED, ()),
    (
        "the result is too large for the engine to return: read a column with fewer distinct values, or raise the "
        "engine's limit (spark.driver.maxResultSize)",
        ("capacityerror", "programlimitexceeded", "clickhouse 158 ", "clickhouse 396 "),
    ),
    (
        "the engine ran out of memory: give it more, or read columns with fewer distinct values",
        ("outofmemory", "memoryerror", "clickhouse 241 ", "sqlite_nomem", *(f"mysql {n} " for n in (1037, 1038, 1041))),
    ),
    (
        "the engine lacks a function needed to read the table, or a column of this type: convert the columns to text "
        "or numbers, or write the table to a Parquet file and open that",
        (
            *("undefinedfunction", "sqlite lacks a function", "unresolved_routine", "mysql 1305 ", "catalogexception"),
            *("clickhouse 46 ", "operationnotdefined", "unsupportedoperation", "binderexception", "datatype_mismatch"),
        ),
    ),
    (
        "some value is out of the range of its type when it leaves the engine: convert its column to text",
        (
            *("outofrange", "out_of_range", "overflow", "dataerror", "conversionexception", "arrowinvalid"),
            *("numericvalue", "datetimefield", "invalidtextrepresentation", "untranslatablecharacter"),
            *(f"mysql {n} " for n in (1264, 1292, 1366, 1690)),
        ),
    ),
    (
        "the file is damaged, or still being written: write it again; or a function of your query refused a value",
        ("invalidinputexception", "duckdb, of no kind"),
    ),
    (
        "the file is damaged, or still being written: write it again",
        ("ioexception", "serializationexception", "sqlite_corrupt", "sqlite_notadb"),
    ),
    (
        "the database cannot be reached, or closed the connection: check that it is running",
        ("operationalerror", "connection", "adminshutdown", "interfaceerror"),
    ),
)
OTHER = "the engine did not answer the query ({}): see its log for the reason"


def answer(query: ir.Table) -> pa.Table:
    """The rows of an Ibis query; Refused if the engine does not answer."""
    engine = query.get_backend()
    return from_engine(engine, partial(_rows, query) if engine.name == "duckdb" else query.to_pyarrow)


def _rows(query: ir.Table) -> pa.Table:
    """The rows of a query that DuckDB answers, fetched in batches: for a whole table, Ibis would import pandas."""
    arrow, stream = import_module("pyarrow"), query.to_pyarrow_batches()
    batches, schema = list(stream), stream.schema
    rows = arrow.Table.from_batches(batches) if batches else schema.empty_table()
    return arrow.table([rows[each.name].cast(each.type) for each in schema], schema=schema)  # DuckDB has its own types


def cached_table(query: ir.Table) -> ir.CachedTable:
    """The rows of an Ibis query, computed once: a table that the engine drops when Python forgets it.

    For the same query, Ibis would return the table of another release that still runs. It would hold that release's
    records and disappear when that release ends. So a condition that always holds makes each query different.
    """
    engine = query.get_backend()
    query = query.filter(import_module("ibis").literal(next(NUMBERS)).notnull())
    if engine.name == "pyspark":
        answer(query.limit(0))  # Ibis sends tables of this process to Spark only with a query whose rows return
    return from_engine(engine, query.cache)


def forget(engine: SQLBackend, cached: Iterable[ir.CachedTable], sent: Iterable[ir.Table]) -> None:
    """Drop, if possible, cached tables of an engine, and tables of this process that Ibis sent to it with a query."""
    with suppress(Exception):  # an error now would lose a release that is already paid for
        for each in cached:
            each.release()
        drop = engine.drop_table if engine.name in SENT_AS_TABLES else engine.drop_view
        for table in () if engine.name == "clickhouse" else sent:  # it receives them with each query and keeps none
            from_engine(engine, partial(drop, table.get_name(), force=True))


def from_engine(engine: SQLBackend, work: Callable[[], Result]) -> Result:
    """What ``work``, which waits for an engine, returns; the engine's errors become sentences.

    >>> import ibis
    >>> from_engine(ibis.duckdb.connect(), lambda: 1 / 0)
    Traceback (most recent call last):
    privpac.refusals.refusal.Refused: the engine did not answer the query (ZeroDivisionError): see its log ...
    """
    rows = getattr(engine, ROWS_READ, None)

    def sentence(error: Exception) -> Refused:
        return Refused("table", FAILED if getattr(rows, "failed", False) else failure_sentence(error))

    with InOtherWords(sentence):  # each engine has errors of its own
        return _interruptible(work, engine.con) if engine.name == "duckdb" else work()


def _interruptible(work: Callable[[], Result], connection: DuckDBPyConnection) -> Result:
    """The result; a KeyboardInterrupt stops the query first, so that nothing still runs when it is handled."""
    result: Future[Result] = Future()
    try:
        Thread(target=_settle, args=(result, work), daemon=True).start()
        while wait([result], PAUSE).not_done:
            if (percent := connection.query_progress()) > 0:  # for files and tables, after two seconds
                say("{} % read", round(percent))
    except KeyboardInterrupt:
        while not result.cancel() and wait([result], PAUSE).not_done:  # a query that has not begun never begins
            connection.interrupt()
        raise
    return result.result()


def _settle(result: Future[Result], work: Callable[[], Result]) -> None:
    """Do the ``work``, and store what it returns or raises, unless the ``result`` was canceled before."""
    if not result.set_running_or_notify_cancel():
        return
    try:
        result.set_result(work())
    except BaseException as error:  # the thread that waits raises it
        result.set_exception(error)


FIRST_WORDS = (*(sentence.partition(":")[0] for sentence, _ in KINDS), OTHER.partition(" (")[0])


def failure_sentence(error: BaseException) -> str:
    """What happened and what to do about it; never quotes ``error``.

    >>> failure_sentence(MemoryError("37 is late"))
    'the engine ran out of memory: give it more, or read columns with fewer distinct values'
    """
    words = " ".join([*(each.__name__ for each in type(error).__mro__[:-3]), _code(error)]).casefold()
    fitting = (sentence for sentence, keywords in KINDS if any(keyword in words for keyword in keywords))
    return next(fitting, OTHER.format(type(error).__name__))


def _code(error: BaseException) -> str:
    """What the engine calls the error, besides its class. A message is read only where no record can stand."""
    module, first = type(error).__module__.partition(".")[0], error.args[0] if error.args else None
    if module in ("MySQLdb", "pymysql") and isinstance(first, int):
        return f"mysql {first} "
    if module == "clickhouse_connect" and type(error).__name__ == "DatabaseError":
        code = re.search(r"code: (\d+)", str(error), re.IGNORECASE)  # the first one: later text may quote a record
        return f"clickhouse {code[1]} " if code else ""
    if module in ("duckdb", "_duckdb") and type(error).__name__ == "Error":  # such as an error in a compressed file
        return "duckdb, of no kind"
    if module == "sqlite3":
        lacks = str(error).startswith("no such function: ")  # said of a query before any record is read
        return "sqlite lacks a function" if lacks else getattr(error, "sqlite_errorname", "")
    with suppress(Exception):  # Spark asks its server, which may not answer
        condition = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
        return str(condition() or "") if condition else ""
    return ""


def is_engine_failure(error: BaseException) -> bool:
    """Whether a refusal says that an engine failed."""
    return str(error).startswith(FIRST_WORDS)
