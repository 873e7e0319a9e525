"""What the classes on a line share: the line that bounds or a kind declare, their repr, and ranks of values."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import date, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Value
from privpac.data.domains.line import Line
from privpac.data.domains.line_steps import FINEST, StepArgument, usual_step
from privpac.data.values.line_codes import BOTH
from privpac.refusals.option_words import UnboundedKind, one_of
from privpac.refusals.refusal import Refused, RefusedType, Setting

ENDS: dict[UnboundedKind, tuple[Value, Value]] = {  # the least and the greatest value of each kind
    "float64": (-sys.float_info.max, sys.float_info.max),
    "date": (date.min, date.max),
    "datetime": (datetime.min, datetime.max),
    "string": ("", chr(sys.maxunicode) * 16),  # only the first sixteen characters of a text count
}


def declared_line(
    low: Value, high: Value, kind: UnboundedKind | None, step: StepArgument | None = None, zone: str | None = None
) -> Line:
    """The line between the bounds; ``kind`` supplies missing ones. Without a ``step``, it has the usual one.

    >>> declared_line(0, None, "float64").high == sys.float_info.max
    True
    >>> declared_line(0.0, 150.0, None).size, declared_line(0, 9, None, step=2).size
    (1501, 5)
    """
    if kind is None:
        if low is None or high is None:
            raise Refused("low", "declare ", *BOTH, ", or a ", Setting("kind"), f": {', '.join(ENDS)}")
    else:
        one_of("kind", kind, UnboundedKind, "; declare other lines by low and high")
        low, high = (end if bound is None else bound for bound, end in zip((low, high), ENDS[kind], strict=True))
    if isinstance(step, str) and step != FINEST:
        raise Refused.must("step", f"be a number, a duration, or {FINEST!r}")
    distance = None if isinstance(step, str) else step
    line = Line(low, high, step=distance, zone=zone)
    if kind == "float64" and line.kind == "integer":
        line = Line(float(low), float(high), step=distance)
    if kind is not None and line.kind != Line(*ENDS[kind]).kind:
        raise RefusedType("kind", *BOTH, f" are not of kind {kind}")
    if step is not None or line.kind == "integer":  # whole numbers have no usual step
        return line
    return replace(line, step=usual_step(line.low, line.high, line.kind))


def call_text(concept_class: Any) -> str:
    """The repr of a class: the call that makes it, with every argument that is not None."""
    arguments = {field.name: getattr(concept_class, field.name) for field in fields(concept_class) if field.repr}
    texts = ", ".join(f"{name}={value!r}" for name, value in arguments.items() if value is not None)
    return f"{type(concept_class).__name__}({texts})"


def ranks(codes: Sequence[int], order: Sequence[int]) -> NDArray[np.intp]:
    """The position of each code when ``order`` is sorted: a small integer, however large the codes are.

    >>> ranks([2**90, 5], [5, 7, 2**90])
    array([2, 0])
    """
    rank = {code: i for i, code in enumerate(sorted(order))}
    return np.array([rank[code] for code in codes])
