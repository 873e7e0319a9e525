"""The answer of an engine to a query, which Ctrl-C can end.

While an engine works, Python handles no signals in the thread that waits for it. So DuckDB, which runs in this process,
answers in a thread of its own; the others wait for their server and handle Ctrl-C themselves.

Main declarations
    answer    the rows of a query, as an Arrow table
"""

from __future__ import annotations

from concurrent.futures import Future, wait
from threading import Thread
from typing import Any

from privpac.data.failures import told
from privpac.data.progress import say
from privpac.data.refusal import Refused

PAUSE = 0.05  # seconds between two looks, and between two requests to stop: an early one is not heard


def answer(query: Any) -> Any:
    """The rows of an Ibis query; Refused if the engine does not answer.

    >>> import ibis, pyarrow
    >>> answer(ibis.memtable(pyarrow.table({"delay": [37, 2]}))).to_pylist()
    [{'delay': 37}, {'delay': 2}]
    """
    engine = query.get_backend()
    try:
        return _interruptible(query, engine.con) if engine.name == "duckdb" else query.to_pyarrow()
    except Exception as error:  # each engine has errors of its own, which may quote records
        raise Refused("table", told(error)) from None


def _interruptible(query: Any, connection: Any) -> Any:
    """The rows; a KeyboardInterrupt stops the query first, so that nothing still runs when it is handled."""
    asked: Future[Any] = Future()
    try:
        Thread(target=_settle, args=(asked, query), daemon=True).start()
        while wait([asked], PAUSE).not_done:
            if (percent := connection.query_progress()) > 0:  # for files and tables, after two seconds
                say("{} % read", round(percent))
    except KeyboardInterrupt:
        while not asked.cancel() and wait([asked], PAUSE).not_done:  # a query that has not begun never begins
            connection.interrupt()
        raise
    return asked.result()


def _settle(asked: Future[Any], query: Any) -> None:
    if not asked.set_running_or_notify_cancel():
        return
    try:
        asked.set_result(query.to_pyarrow())
    except BaseException as error:  # the thread that waits raises it
        asked.set_exception(error)
