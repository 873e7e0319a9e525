"""How many records or units a table has, counted where it lives. Both are public.

Main declarations
    size_of    the number of records; with units, k slots for each of them
"""

from __future__ import annotations

from typing import Any

from privpac.data.answers import answer
from privpac.data.engine_views import check_columns, in_exact_forms
from privpac.data.units import Quota


def size_of(table: Any, quota: Quota | None = None) -> int:
    """The n of an Ibis table, as a fit counts it.

    >>> import ibis, pyarrow
    >>> flights = ibis.memtable(pyarrow.table({"delay": [37, 2, 5], "plane": ["N1", "N2", "N1"]}))
    >>> size_of(flights), size_of(flights, Quota("plane", 3, "any key"))
    (3, 6)
    """
    if quota is None:
        return int(answer(table.aggregate(n=table.count()))["n"][0].as_py())
    check_columns(table, [quota.unit], "unit")
    records = in_exact_forms(table, {"x": quota.unit}, quota).records
    return quota.k * int(answer(records.aggregate(n=records.unit.nunique()))["n"][0].as_py())
