"""The answer of an engine to a query, which Ctrl-C can end.

While an engine works, Python handles no signals in the thread that waits for it. So DuckDB, which runs in this process,
answers in a thread of its own; the others wait for their server and handle Ctrl-C themselves.

Main declarations
    answer       the rows of a query, as an Arrow table
    staying      the rows of a query, as a table that stays in the engine for a while
    from_engine  what an engine does; its errors become sentences
    forget       drops tables of this process that were sent to an engine
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from functools import partial
from importlib import import_module
from itertools import count
from threading import Thread
from typing import Any

from privpac.data.failures import told
from privpac.data.progress import say
from privpac.data.refusal import InOtherWords, Refused

TABLES_SENT = ("mysql", "postgres", "sqlite")  # where a table of this process becomes a table; elsewhere it is a view
NUMBERS = count()  # of the tables that stay
PAUSE = 0.05  # seconds between two looks, and between two requests to stop: an early one is not heard


def answer(query: Any) -> Any:
    """The rows of an Ibis query; Refused if the engine does not answer.

    >>> import ibis, pyarrow
    >>> answer(ibis.memtable(pyarrow.table({"delay": [37, 2]}))).to_pylist()
    [{'delay': 37}, {'delay': 2}]
    """
    return from_engine(query.get_backend(), query.to_pyarrow)


def staying(query: Any) -> Any:
    """The rows of an Ibis query, computed once: a table that the engine drops when Python forgets it.

    For the same query, Ibis would return the table of another release that still runs: with its records, and gone when
    that release ends. So a condition that always holds makes each query another one.

    >>> import ibis, pyarrow
    >>> staying(ibis.memtable(pyarrow.table({"delay": [37, 2]}))).columns
    ('delay',)
    """
    engine = query.get_backend()
    query = query.filter(import_module("ibis").literal(next(NUMBERS)).notnull())
    if engine.name == "pyspark":
        answer(query.limit(0))  # Ibis sends tables of this process to Spark only with a query whose rows return
    return from_engine(engine, query.cache)


def forget(engine: Any, sent: Iterable[Any]) -> None:
    """Drop tables of this process, which Ibis sends to an engine with a query and leaves there.

    >>> import ibis, pyarrow
    >>> forget(ibis.duckdb.connect(), [ibis.memtable(pyarrow.table({"delay": [37, 2]}))])
    """
    if engine.name == "clickhouse":  # to which they go with each query
        return
    drop = engine.drop_table if engine.name in TABLES_SENT else engine.drop_view
    for table in sent:
        from_engine(engine, partial(drop, table.get_name(), force=True))


def from_engine(engine: Any, work: Callable[[], Any]) -> Any:
    """The result of ``work`` that an engine does; its errors become sentences.

    >>> import ibis
    >>> from_engine(ibis.duckdb.connect(), lambda: 1 / 0)
    Traceback (most recent call last):
    privpac.data.refusal.Refused: the engine did not answer the query (ZeroDivisionError): see its log for the reason
    """
    with InOtherWords(lambda error: Refused("table", told(error))):  # each engine has errors of its own
        return _interruptible(work, engine.con) if engine.name == "duckdb" else work()


def _interruptible(work: Callable[[], Any], connection: Any) -> Any:
    """The result; a KeyboardInterrupt stops the query first, so that nothing still runs when it is handled."""
    asked: Future[Any] = Future()
    try:
        Thread(target=_settle, args=(asked, work), daemon=True).start()
        while wait([asked], PAUSE).not_done:
            if (percent := connection.query_progress()) > 0:  # for files and tables, after two seconds
                say("{} % read", round(percent))
    except KeyboardInterrupt:
        while not asked.cancel() and wait([asked], PAUSE).not_done:  # a query that has not begun never begins
            connection.interrupt()
        raise
    return asked.result()


def _settle(asked: Future[Any], work: Callable[[], Any]) -> None:
    if not asked.set_running_or_notify_cancel():
        return
    try:
        asked.set_result(work())
    except BaseException as error:  # the thread that waits raises it
        asked.set_exception(error)
