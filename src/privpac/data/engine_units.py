"""Which records of a unit count, chosen where they live.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws

Main declarations
    slots    the k records of each unit with the smallest keyed hashes
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from importlib import import_module
from operator import add
from typing import Any

from privpac.data.units import Quota


def slots(view: Any, point: Sequence[str], quota: Quota) -> Any:
    """The k records of each unit whose keyed hashes are smallest: see :func:`privpac.data.units.digest`.

    Units and records are distinguished, and records with the same hash are sorted, by values that the engine compares
    byte by byte.
    """
    ibis = import_module("ibis")
    named = view.filter(view.unit.notnull())
    named = named.mutate(entries=reduce(add, (_spelled(named[f"{place} told"]) for place in point)))
    named = named.mutate(alike=ibis.row_number().over(group_by=["unit", *point], order_by="unit"))
    parts = (_spelled(named[name]) for name in ("unit told", "entries", "alike"))
    named = named.mutate(hashed=_md5()(reduce(add, parts, ibis.literal(quota.key))))
    ranked = named.mutate(place=ibis.row_number().over(group_by="unit", order_by=["hashed", *point, "alike"]))
    return ranked.filter(ranked.place < quota.k)


def _spelled(column: Any) -> Any:
    """Each entry with its length, as :func:`privpac.data.units.digest` spells it."""
    text = column.cast("string")
    return (text.length().cast("string") + ":" + text).fill_null("-")


@cache
def _md5() -> Any:
    """The engine's own function; DuckDB, PostgreSQL, and Spark use the same name."""

    def md5(text: str) -> str:  # type: ignore[empty-body]
        ...

    return import_module("ibis").udf.scalar.builtin(md5)
