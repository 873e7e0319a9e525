"""Millions of keys with their counts: a key becomes a Python value only when it is named."""

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
        """Some of the keys, by their numbers."""
        some = import_module("pyarrow").array(which)
        return list(zip(*(each.take(some).to_pylist() for each in self.columns), strict=True))
