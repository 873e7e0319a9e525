"""Settings of ClickHouse under which an answer is not what was asked for: connections that have them are refused.

With an overflow mode other than "throw", or with a limit, the engine stops in the middle and returns what it has so
far. What that is depends on all records.

Main declarations
    check_settings    refuses a connection whose answers may be parts
    KEPT              the settings that must keep a value
"""

from __future__ import annotations

from typing import Any

from privpac.data.answers import from_engine
from privpac.data.refusal import Refused

KEPT = {
    "enable_analyzer": "1",  # otherwise a column and its new form, which has the same name, are one
    "precise_float_parsing": "1",  # otherwise a bound of a line may be read as the float beside it
}
ROWS = ("limit", "offset")  # ClickHouse tells that they are set, but not to what
ASKED = (  # one row, which an offset would cut
    f"SELECT groupArray(name), groupArray(if(name IN {ROWS}, if(changed, 'set', ''), value)) "
    f"FROM system.settings WHERE name IN {(*KEPT, *ROWS)} OR name LIKE '%_overflow_mode%'"
)
OTHERWISE = "under the setting {} = {!r} of this connection, ClickHouse may answer otherwise than asked; set it to {!r}"
CUT = (
    "this connection returns a part of the rows of each answer; connect without the settings limit and offset, "
    "and with query_limit=0"
)


def check_settings(engine: Any) -> None:
    """Refused if a query of this connection may return a part of its answer.

    >>> from types import SimpleNamespace
    >>> client = SimpleNamespace(query_limit=0)
    >>> found = SimpleNamespace(result_rows=[(["timeout_overflow_mode"], ["break"])])
    >>> check_settings(SimpleNamespace(name="clickhouse", con=client, raw_sql=lambda _: found))
    Traceback (most recent call last):
    privpac.data.refusal.Refused: under the setting timeout_overflow_mode = 'break' of this connection, ClickHouse ...
    """
    found = from_engine(engine, lambda: engine.raw_sql(ASKED).result_rows)
    settings = dict(zip(*found[0], strict=True)) if found else {}
    if engine.con.query_limit or not found or any(settings.pop(name, "") for name in ROWS):
        raise Refused("table", CUT)
    for name, value in settings.items():
        needed = KEPT.get(name, "throw")
        if value not in ("", needed):
            raise Refused("table", OTHERWISE.format(name, value, needed))
