"""The rule that an entry is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privpac.classes.hypothesis import Column, Hypothesis, Labels, value_name
from privpac.data.values.allowed_types import gaps
from privpac.data.values.columns import cells


@dataclass(frozen=True)
class IsMissing(Hypothesis):
    """x is missing: None, NaN, NaT, pandas' NA, NULL, or one of the texts ``na``, which spell "missing" in some tables.

    ``nan`` matters in SQL only: it says that the column may hold NaN, which is not NULL there.

    >>> print(IsMissing(), IsMissing(("?",))([37, None, float("nan"), "?"]))
    x is missing [False  True  True  True]
    """

    na: tuple[str, ...] = ()
    nan: bool = False

    def __call__(self, column: Column, /) -> Labels:
        array = cells(column, "values")
        if array.dtype.kind in "mM":
            return np.asarray(np.isnat(array))
        entries = array.tolist()
        absent = np.array(gaps(entries), dtype=bool)
        if self.na:
            absent |= np.array([type(entry) is str and entry in self.na for entry in entries], dtype=bool)
        return absent

    def sentence(self, *names: str) -> str:
        return f"{value_name(names)} is missing"
