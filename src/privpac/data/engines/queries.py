"""Queries that an engine answers, and sentences for those that it does not.

While an engine works, Python handles no signals in the thread that waits for it. So DuckDB, which runs in this process,
answers in a thread of its own, and Ctrl-C can end the query. The clients of other engines wait for their server and
handle Ctrl-C themselves.

Each engine has its own errors, and they may quote records. So their messages are not shown: the class and the code of
an error select one of a few fixed sentences.
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
SENT_AS_TABLES = ("mysql", "postgres", "sqlite")  # in other engines, a table of this process becomes a view
CACHE_NUMBERS = count()  # one for each cached table
ROWS_READ = "privpac_rows"  # the attribute of a connection that holds the rows that DuckDB reads as they arrive
PAUSE = 0.05  # seconds between checks of a query, and between requests to stop it: DuckDB may miss an early request
FAILED = "the LazyFrame failed before its last row; collect it, X.collect(), to see why"
# Each sentence with the words, in the names and codes of errors, that select it. The first sentence that fits counts.
FAILURES = (
    (FAILED, ()),  # selected by the rows themselves; listed so that ``is_engine_failure`` knows it
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
        ("invalidinputexception", "duckdb without a class"),
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
    # DuckDB may return other types than Ibis declares.
    columns = [rows[field.name].cast(field.type) for field in schema]
    return arrow.table(columns, schema=schema)


def cached_table(query: ir.Table) -> ir.CachedTable:
    """The rows of an Ibis query, computed once: a table that the engine drops when Python forgets it.

    If another release that still runs has cached the same query, Ibis would return that release's table, which holds
    its records and disappears when it ends. So a condition that always holds makes each query different.
    """
    engine = query.get_backend()
    query = query.filter(import_module("ibis").literal(next(CACHE_NUMBERS)).notnull())
    if engine.name == "pyspark":
        answer(query.limit(0))  # Ibis sends tables of this process to Spark only with a query whose rows return
    return from_engine(engine, query.cache)


def forget(engine: SQLBackend, cached: Iterable[ir.CachedTable], sent: Iterable[ir.Table]) -> None:
    """Drop, if possible, cached tables of an engine, and tables of this process that Ibis sent to it with a query."""
    with suppress(Exception):  # an error now would lose a release that is already paid for
        for cached_query in cached:
            cached_query.release()
        drop = engine.drop_table if engine.name in SENT_AS_TABLES else engine.drop_view
        if engine.name != "clickhouse":  # which receives such tables with each query and keeps none
            for table in sent:
                from_engine(engine, partial(drop, table.get_name(), force=True))


def from_engine(engine: SQLBackend, work: Callable[[], Result]) -> Result:
    """The result of ``work()``, which waits for an engine; its errors become refusals in fixed sentences.

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
    """The result of ``work()``; a KeyboardInterrupt first stops the query, so that nothing runs any more afterwards."""
    result: Future[Result] = Future()
    try:
        Thread(target=_settle, args=(result, work), daemon=True).start()
        while wait([result], PAUSE).not_done:
            if (percent := connection.query_progress()) > 0:  # for files and tables, after two seconds
                say("{} % read", round(percent))
    except KeyboardInterrupt:
        while not result.cancel() and wait([result], PAUSE).not_done:  # ``cancel`` stops work that has not begun
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


FIRST_WORDS = (*(sentence.partition(":")[0] for sentence, _ in FAILURES), OTHER.partition(" (")[0])  # of all sentences


def failure_sentence(error: BaseException) -> str:
    """A sentence that says what happened and what to do about it, and never quotes ``error``.

    >>> failure_sentence(MemoryError("37 is late"))
    'the engine ran out of memory: give it more, or read columns with fewer distinct values'
    """
    classes = type(error).__mro__[:-3]  # without Exception, BaseException, and object
    words = " ".join([*(error_class.__name__ for error_class in classes), _code(error)]).casefold()
    fitting = (sentence for sentence, keywords in FAILURES if any(keyword in words for keyword in keywords))
    return next(fitting, OTHER.format(type(error).__name__))


def _code(error: BaseException) -> str:
    """The engine's own code for the error, if any. A message is read only where it cannot quote a record."""
    module = type(error).__module__.partition(".")[0]
    number = error.args[0] if error.args else None
    if module in ("MySQLdb", "pymysql") and isinstance(number, int):
        return f"mysql {number} "
    if module == "clickhouse_connect" and type(error).__name__ == "DatabaseError":
        code = re.search(r"code: (\d+)", str(error), re.IGNORECASE)  # the first one: later text may quote a record
        return f"clickhouse {code[1]} " if code else ""
    if module in ("duckdb", "_duckdb") and type(error).__name__ == "Error":  # such as an error in a compressed file
        return "duckdb without a class"
    if module == "sqlite3":
        lacks_function = str(error).startswith("no such function: ")  # raised before any record is read
        return "sqlite lacks a function" if lacks_function else getattr(error, "sqlite_errorname", "")
    with suppress(Exception):  # a method of Spark's errors asks its server, which may not answer
        condition = getattr(error, "getCondition", None) or getattr(error, "getErrorClass", None)
        return str(condition() or "") if condition else ""
    return ""


def is_engine_failure(error: BaseException) -> bool:
    """Whether a refusal says that an engine failed."""
    return str(error).startswith(FIRST_WORDS)
