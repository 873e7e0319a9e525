"""Times with a zone, converted to the time that a clock shows in the declared zone of a line.

A line of times holds what clocks show in one declared zone, which is UTC by default. A time with a zone or an offset is
an instant, and is read as the clock of the line shows it. A time without one is read as it is.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np

from privpac.data.values.allowed_types import exact
from privpac.refusals.refusal import InOtherWords, Refused, Setting


@cache
def known_zone(zone: str | None, kind: str) -> tzinfo:
    """The zone with this name; Refused if there is none, or if lines of this kind have no times."""
    if zone is None:
        return UTC
    if not kind.startswith("datetime64"):
        raise Refused("zone", Setting("zone"), " applies to dates and times only; leave it out")
    example = Setting.to("zone", "Europe/Berlin")
    unknown = Refused("zone", "there is no time zone of this name; write one like ", example)
    with InOtherWords(lambda _: unknown):  # zoneinfo raises several kinds of errors
        return ZoneInfo(zone)


def local_time(value: object, zone: str | None) -> date | np.datetime64:
    """``value`` as clocks in the zone show it; TypeError if it is neither a date nor a time.

    >>> from datetime import timedelta, timezone
    >>> noon = datetime(2026, 7, 1, 12, tzinfo=timezone(timedelta(hours=-4)))
    >>> local_time(noon, None), local_time(noon, "Europe/Berlin").hour
    (datetime.datetime(2026, 7, 1, 16, 0), 18)
    """
    value = exact(value)
    if not isinstance(value, (date, np.datetime64)):
        raise TypeError(
            "values must be dates or times, like low and high; parse text first, or let schema.open(file) read it"
        )
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    try:
        return value.astimezone(known_zone(zone, "datetime64")).replace(tzinfo=None)
    except OverflowError:  # a few hours beyond the first or the last year that Python knows
        return datetime.min if value.year == 1 else datetime.max
