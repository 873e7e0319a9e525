"""Which records of a unit count, chosen where they live.

Throughout this file
    k      slots of a unit                    key    a text that the caller draws

Main declarations
    slots        the k records of each unit with the smallest keyed hashes
    all_slots    how many slots all units have
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from hashlib import md5
from importlib import import_module
from operator import add
from typing import Any

from privpac.data.answers import answer
from privpac.data.long_texts import told_apart
from privpac.data.refusal import Refused
from privpac.data.units import NAMELESS, Quota


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
    named = named.mutate(hashed=_md5("binary")(whole.cast("binary")) if local else _md5("string")(whole))
    ranked = named.mutate(place=ibis.row_number().over(group_by="unit", order_by=["hashed", *keys, "alike"]))
    return ranked.filter(ranked.place < quota.k)


def all_slots(view: Any, quota: Quota, rule: str) -> int:
    """n, which is k for each unit; records without a unit are refused under the rule "raise"."""
    found = answer(view.aggregate(units=view.unit.nunique(), nameless=view.unit.isnull().sum())).to_pylist()[0]
    if rule == "raise" and found["nameless"]:
        raise Refused("quota", *NAMELESS)
    return int(quota.k * found["units"])


def _spelled(column: Any) -> Any:
    """Each entry with its length, as :func:`privpac.data.units.digest` spells it."""
    text = column.cast("string")
    return (text.length().cast("string") + ":" + text).fill_null("-")


def _digest(octets: bytes) -> str:
    """Of bytes, because a text in SQLite need not be UTF-8."""
    return md5(octets, usedforsecurity=False).hexdigest()


@cache
def _md5(takes: str) -> Any:
    """The engine's own function, which has the same name in all engines."""

    def hashed(_: Any) -> Any: ...

    return import_module("ibis").udf.scalar.builtin(hashed, name="md5", signature=((takes,), "string"))
