"""Millions of keys, such as names, with their counts: a key becomes a Python value only when a release names it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from privpac.data.samples.sample import Ints

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class ManyKeys:
    """Distinct keys, one value from each column, and how many records have each; at least one has.

    >>> import numpy as np, pyarrow
    >>> ManyKeys((pyarrow.array(["EV", "UA"]),), np.array([3, 7])).named(np.array([1]))
    [('UA',)]
    """

    columns: tuple[pa.Array, ...]
    counts: Ints

    def named(self, which: Ints) -> list[tuple[Hashable, ...]]:
        """The keys with the numbers ``which``."""
        numbers = import_module("pyarrow").array(which)
        return list(zip(*(column.take(numbers).to_pylist() for column in self.columns), strict=True))
