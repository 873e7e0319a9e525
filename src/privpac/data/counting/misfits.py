"""How many records do not fit the declared domain. The counts are exact, not private: only the curator may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privpac.data.counting.groups import group_counts
from privpac.data.domains.domain import Domain
from privpac.data.domains.with_missing import WithMissing
from privpac.data.values.allowed_types import gaps

if TYPE_CHECKING:
    import ibis.expr.types as ir


class Misfits(NamedTuple):
    """The numbers of records without a value, with a value that cannot be read, and with a value outside the domain."""

    missing: int
    unreadable: int
    outside: int


def misfits(domain: Domain, table: ir.Table, name: str) -> Misfits:
    """The numbers of records of an Ibis table whose entry in the column ``name`` does not fit ``domain``.

    A missing entry fits if the domain declares that entries may be missing.

    >>> import ibis, pyarrow
    >>> from privpac.data.domains.line import Line
    >>> visits = ibis.memtable(pyarrow.table({"age": ["37", None, "old", "200", "200"]}))
    >>> misfits(Line(0, 120), visits, "age")
    Misfits(missing=1, unreadable=1, outside=2)
    """
    groups = group_counts(table, [name], rule="default")
    (values,), counts = groups.columns, groups.counts
    allowed_missing = groups.n - int(counts.sum()) if domain.optional else 0  # records without a value that fit
    if isinstance(domain, WithMissing):
        absent = domain.gaps_in(values)
        allowed_missing += int(counts[absent].sum())
        values, counts, domain = values[~absent], counts[~absent], domain.present
    spelled = domain.spell(values)
    present, readable = ~np.array(gaps(values), dtype=bool), ~np.array(gaps(spelled), dtype=bool)
    _, fits = domain.fit(spelled, clamp=False)
    return Misfits(
        missing=groups.n - allowed_missing - int(counts[present].sum()),
        unreadable=int(counts[present & ~readable].sum()),
        outside=int(counts[readable & ~fits].sum()),
    )


def unit_misfits(table: ir.Table, unit: str, k: int) -> tuple[int, int]:
    """How many records have no unit, and how many do not count because their unit has more than k records.

    >>> import ibis, pyarrow
    >>> unit_misfits(ibis.memtable(pyarrow.table({"patient": ["a", "a", "a", None]})), "patient", 2)
    (1, 1)
    """
    groups = group_counts(table, [unit], rule="default")
    (names,) = groups.columns
    unit_sizes = groups.counts[~np.array(gaps(names), dtype=bool)]
    return groups.n - int(unit_sizes.sum()), int(np.maximum(unit_sizes - k, 0).sum())
