"""How many records do not fit the declared domain. The counts are exact, not private: for the curator alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privpac.data.counting.groups import group_counts
from privpac.data.domains.domain import Domain
from privpac.data.domains.with_missing import WithMissing
from privpac.data.values.allowed_types import missing

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
    allowed = groups.n - int(counts.sum()) if domain.optional else 0
    if isinstance(domain, WithMissing):
        gaps = domain.gaps_in(values)
        allowed += int(counts[gaps].sum())
        values, counts, domain = values[~gaps], counts[~gaps], domain.present
    spelled = domain.spell(values)
    present, readable = (np.array([not missing(each) for each in column], dtype=bool) for column in (values, spelled))
    _, fits = domain.fit(spelled, clamp=False)
    return Misfits(
        missing=groups.n - allowed - int(counts[present].sum()),
        unreadable=int(counts[present & ~readable].sum()),
        outside=int(counts[readable & ~fits].sum()),
    )


def unit_misfits(table: ir.Table, unit: str, k: int) -> tuple[int, int]:
    """How many records have no unit, and how many are left out because only k records of each unit count.

    >>> import ibis, pyarrow
    >>> unit_misfits(ibis.memtable(pyarrow.table({"patient": ["a", "a", "a", None]})), "patient", 2)
    (1, 1)
    """
    groups = group_counts(table, [unit], rule="default")
    (names,) = groups.columns
    sizes = groups.counts[np.array([not missing(each) for each in names], dtype=bool)]
    return groups.n - int(sizes.sum()), int(np.maximum(sizes - k, 0).sum())
