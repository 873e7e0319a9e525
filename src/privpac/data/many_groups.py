"""Tables on a cluster whose distinct values may be as many as their records: a sentence before they are fetched.

A cluster sends one row for each distinct value, so the memory of this process grows with them and not with the records.
How many values occur is private. How many the domain allows is public, and so is the number of records.

Main declarations
    warn_of_many    warns if the domain and the number of records allow many distinct values
    ManyGroups      the warning
"""

from __future__ import annotations

import warnings
from typing import Any

from privpac.data.answers import answer
from privpac.data.domain import Domain

CLUSTERS = ("pyspark",)  # engines for tables that are larger than the memory here
MANY = 10**6  # rows that arrive; they take about a gigabyte
FEWER = (
    "declare fewer: a step, as in Thresholds(0, 1000, step=0.1), bounds for whole numbers, or the values of a category"
)


class ManyGroups(UserWarning):
    """All records of a cluster's table may arrive in this process."""


def warn_of_many(table: Any, domain: Domain, *, units: bool) -> None:
    """Warn if more than a million distinct values may arrive. With units, the number of records is not public."""
    if table.get_backend().name not in CLUSTERS or 2 * domain.size <= MANY:  # each value with two labels
        return
    if units:
        arrives = "as many rows as there are records may arrive in this process"
    elif (n := answer(table.aggregate(n=table.count()))["n"][0].as_py()) > MANY:
        arrives = f"up to {n} rows may arrive in this process"
    else:
        return
    sent = "the engine sends one row for each distinct value, and the declared domain allows more than a million"
    warnings.warn(f"{sent}: {arrives}; {FEWER}", ManyGroups, stacklevel=5)
