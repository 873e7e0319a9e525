"""Long texts where an engine sorts by their beginnings.

To sort, and sometimes to group, MariaDB and MySQL look at the first 1024 bytes of a text (``max_sort_length``): all
texts that begin alike are then equal, and one record's text stands for them. So every text has a short form too, and
these engines compare both.

proof: docs/proofs/engines.md

Main declarations
    shortened     the short form of a text
    told_apart    the columns by which an engine tells records apart
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

BEGINNINGS = ("mysql",)  # engines that look at the beginnings of texts
LONGEST = 128  # digits that a sort surely compares: a digit takes up to eight bytes there


def shortened(form: Any, engine: str) -> Any:
    """``form`` itself; where the engine compares beginnings, a long text of digits becomes its SHA-256.

    >>> import ibis
    >>> form = ibis.table({"plane": "string"}).plane
    >>> shortened(form, "sqlite") is form, shortened(form, "mysql") is form
    (True, False)
    """
    if not _cut_short(form, engine):
        return form
    return (form.length() <= LONGEST).ifelse(form, import_module("ibis").literal("long ") + _sha2()(form, 256))


def told_apart(view: Any, places: Sequence[str], engine: str) -> tuple[Any, list[str]]:
    """The view with short forms, where they are needed, and the columns by which to group or sort its records.

    >>> import ibis
    >>> view = ibis.table({"x0": "string", "x1": "float64"})
    >>> [told_apart(view, view.columns, engine)[1] for engine in ("duckdb", "mysql")]
    [['x0', 'x1'], ['x0', 'x1', 'x0 short']]
    """
    added = {f"{place} short": shortened(view[place], engine) for place in places if _cut_short(view[place], engine)}
    return (view.mutate(**added) if added else view), [*places, *added]


def _cut_short(form: Any, engine: str) -> bool:
    return engine in BEGINNINGS and form.type().is_string()


@cache
def _sha2() -> Any:
    """The engine's own function."""

    def hashed(_: Any, bits: Any) -> Any: ...

    return import_module("ibis").udf.scalar.builtin(hashed, name="sha2", signature=(("string", "int64"), "string"))
