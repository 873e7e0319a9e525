"""How many records do not fit what is declared: exact counts, which are not private, for a curator's eyes only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privpac.data.counting.groups import counted
from privpac.data.domains.base import Domain
from privpac.data.values.allowed_types import missing

if TYPE_CHECKING:
    import ibis.expr.types as ir


class Misfits(NamedTuple):
    """Records without a value, with a value that cannot be read, and with one outside the domain."""

    missing: int
    unreadable: int
    outside: int


def misfits(domain: Domain, table: ir.Table, name: str) -> Misfits:
    """The records of an Ibis table whose entry in the column ``name`` does not fit ``domain``.

    >>> import ibis, pyarrow
    >>> from privpac.data.domains.line import Line
    >>> visits = ibis.memtable(pyarrow.table({"age": ["37", None, "old", "200", "200"]}))
    >>> misfits(Line(0, 120), visits, "age")
    Misfits(missing=1, unreadable=1, outside=2)
    """
    answer = counted(table, [name], rule="default")
    (values,), counts, n = answer.columns, answer.counts, answer.n
    spelled = domain.spell(values)
    there, read = (np.array([not missing(each) for each in column], dtype=bool) for column in (values, spelled))
    _, fits = domain.fit(spelled, clamp=False)
    return Misfits(n - int(counts[there].sum()), int(counts[there & ~read].sum()), int(counts[read & ~fits].sum()))


def crowded(table: ir.Table, unit: str, k: int) -> tuple[int, int]:
    """How many records have no unit, and how many are beyond the k records that count for their unit.

    >>> import ibis, pyarrow
    >>> crowded(ibis.memtable(pyarrow.table({"patient": ["a", "a", "a", None]})), "patient", 2)
    (1, 1)
    """
    answer = counted(table, [unit], rule="default")
    (names,), counts, n = answer.columns, answer.counts, answer.n
    there = np.array([not missing(each) for each in names], dtype=bool)
    return n - int(counts[there].sum()), int(np.maximum(counts[there] - k, 0).sum())
