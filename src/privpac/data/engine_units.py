"""Which records of a unit count, chosen where they live.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws

Main declarations
    slots        the k records of each unit with the smallest keyed hashes
    all_slots    how many slots all units have
    units_of     how many units there are
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from hashlib import md5
from importlib import import_module
from operator import add
from typing import Any

from privpac.data.answers import answer
from privpac.data.forms import engine_function
from privpac.data.long_texts import told_apart
from privpac.data.refusal import Refused
from privpac.data.units import NAMELESS, Quota

MD5 = {"clickhouse": "MD5"}  # the engine's own function has the same name in all others


def slots(view: Any, point: Sequence[str], quota: Quota) -> Any:
    """The k records of each unit whose keyed hashes are smallest: see :func:`privpac.data.units.digest`.

    Units and records are distinguished, and records with the same hash are sorted, by values that the engine compares
    byte by byte.
    """
    ibis, engine = import_module("ibis"), view.get_backend()
    if local := engine.name == "sqlite":  # it has no such function of its own
        engine.con.create_function("md5", 1, _digest, deterministic=True)
    named = view.filter(view.unit.notnull())
    named = named.mutate(entries=reduce(add, (_spelled(named[f"{place} told"]) for place in point)))
    named, keys = told_apart(named, point, engine.name)
    named = named.mutate(alike=ibis.row_number().over(group_by=["unit", *keys], order_by="unit"))
    parts = (_spelled(named[name]) for name in ("unit told", "entries", "alike"))
    whole = reduce(add, parts, ibis.literal(quota.key))
    hashed = engine_function(MD5.get(engine.name, "md5"), ("binary" if local else "string",), "string")
    named = named.mutate(hashed=hashed(whole.cast("binary") if local else whole))
    ranked = named.mutate(place=ibis.row_number().over(group_by="unit", order_by=["hashed", *keys, "alike"]))
    return ranked.filter(ranked.place < quota.k)


def all_slots(view: Any, quota: Quota, rule: str) -> int:
    """n, which is k for each unit; records without a unit are refused under the rule "raise"."""
    found = answer(units_of(view)).to_pylist()[0]
    if rule == "raise" and found["nameless"]:
        raise Refused("quota", *NAMELESS)
    return int(quota.k * found["units"])


def units_of(view: Any) -> Any:
    """One row: how many units there are, and how many records without one, if any. ClickHouse's ``nunique`` guesses."""
    view, keys = told_apart(view, ["unit"], view.get_backend().name)
    named = view.group_by(keys).aggregate(its=view.count())
    return named.aggregate(units=named.unit.count(), nameless=named.its.sum(where=named.unit.isnull()))


def _spelled(column: Any) -> Any:
    """Each entry with its length, as :func:`privpac.data.units.digest` spells it."""
    text = column.cast("string")
    length = text.length() if text.get_backend().name != "clickhouse" else _code_points(text)
    return (length.cast("string") + ":" + text).fill_null("-")


def _code_points(text: Any) -> Any:
    """The length of a text in ClickHouse, whose own ``length`` is in bytes."""
    return engine_function("lengthUTF8", ("string",), "int64")(text)


def _digest(octets: bytes) -> str:
    """Of bytes, because a text in SQLite need not be UTF-8."""
    return md5(octets, usedforsecurity=False).hexdigest()
