"""How many records do not fit what is declared: exact counts, which are not private, for a curator's eyes only."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privpac.data.counting.groups import group_counts
from privpac.data.domains.domain import Domain
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
    groups = group_counts(table, [name], rule="default")
    (values,), counts = groups.columns, groups.counts
    spelled = domain.spell(values)
    present, readable = (np.array([not missing(each) for each in column], dtype=bool) for column in (values, spelled))
    _, fits = domain.fit(spelled, clamp=False)
    return Misfits(
        missing=groups.n - int(counts[present].sum()),
        unreadable=int(counts[present & ~readable].sum()),
        outside=int(counts[readable & ~fits].sum()),
    )


def unit_misfits(table: ir.Table, unit: str, k: int) -> tuple[int, int]:
    """How many records have no unit, and how many are beyond the k records that count for their unit.

    >>> import ibis, pyarrow
    >>> unit_misfits(ibis.memtable(pyarrow.table({"patient": ["a", "a", "a", None]})), "patient", 2)
    (1, 1)
    """
    groups = group_counts(table, [unit], rule="default")
    (names,) = groups.columns
    sizes = groups.counts[np.array([not missing(each) for each in names], dtype=bool)]
    return groups.n - int(sizes.sum()), int(np.maximum(sizes - k, 0).sum())
