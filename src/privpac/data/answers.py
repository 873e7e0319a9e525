"""The answer of an engine to a query, which Ctrl-C can end.

While an engine works, Python handles no signals in the thread that waits for it. So DuckDB, which runs in this process,
answers in a thread of its own; the others wait for their server and handle Ctrl-C themselves.

Main declarations
    answer    the rows of a query, as an Arrow table
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from privpac.data.failures import told
from privpac.data.refusal import Refused

PAUSE = 0.05  # seconds between two requests to stop: one that comes before the query begins is not heard


def answer(query: Any) -> Any:
    """The rows of an Ibis query; Refused if the engine does not answer.

    >>> import ibis, pyarrow
    >>> answer(ibis.memtable(pyarrow.table({"delay": [37, 2]})).count().as_table()).to_pylist()
    [{'CountStar()': 2}]
    """
    engine = query.get_backend()
    try:
        return _interruptible(query, engine.con) if engine.name == "duckdb" else query.to_pyarrow()
    except Exception as error:  # each engine has errors of its own, which may quote records
        raise Refused("table", told(error)) from None


def _interruptible(query: Any, connection: Any) -> Any:
    """The rows; a KeyboardInterrupt stops the query first, so that nothing still runs when it is handled."""
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(query.to_pyarrow)
        try:
            return asked.result()
        except KeyboardInterrupt:
            while wait([asked], PAUSE).not_done:
                connection.interrupt()
            raise
