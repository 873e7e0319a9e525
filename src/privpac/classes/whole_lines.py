"""Lines declared by their bounds, by a kind, or by both.

Main declarations
    WHOLE            the least and the largest value of each kind
    declared_line    the line between the bounds; the kind supplies missing ones
"""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from privpac.data.choices import EndlessKind, one_of
from privpac.data.codes import BOTH
from privpac.data.line import Line
from privpac.data.refusal import Refused, RefusedType, Setting
from privpac.data.steps import FINEST, GivenStep, usual_step

WHOLE: dict[EndlessKind, tuple[Any, Any]] = {
    "float64": (-sys.float_info.max, sys.float_info.max),
    "date": (date.min, date.max),
    "datetime": (datetime.min, datetime.max),
    "string": ("", chr(sys.maxunicode) * 16),  # sixteen characters count
}


def declared_line(
    low: Any, high: Any, kind: EndlessKind | None, step: GivenStep | None = None, zone: str | None = None
) -> Line:
    """The line between the bounds; ``kind`` supplies missing ones. Without a ``step``, it has the usual one.

    >>> declared_line(0, None, "float64").high == sys.float_info.max
    True
    >>> declared_line(0.0, 150.0, None).size, declared_line(0, 9, None, step=2).size
    (1501, 5)
    """
    if kind is None:
        if low is None or high is None:
            raise Refused("low", "declare ", *BOTH, ", or a ", Setting("kind"), f": {', '.join(WHOLE)}")
    else:
        one_of("kind", kind, EndlessKind, "; declare other lines by low and high")
        low, high = (whole if bound is None else bound for bound, whole in zip((low, high), WHOLE[kind], strict=True))
    if isinstance(step, str) and step != FINEST:
        raise Refused.must("step", f"be a number, a duration, or {FINEST!r}")
    given = None if isinstance(step, str) else step
    line = Line(low, high, step=given, zone=zone)
    if kind == "float64" and line.kind == "integer":
        line = Line(float(low), float(high), step=given)
    if kind is not None and line.kind != Line(*WHOLE[kind]).kind:
        raise RefusedType("kind", *BOTH, f" are not of kind {kind}")
    return line if step is not None else replace(line, step=usual_step(line.low, line.high, line.kind))
