"""Broken twins of releases of many counts.

Main declarations
    SeenCategories    counts of the categories that occur
    SeenPoints        noise for the points that occur
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from flint import arb

from privpac.exact.entropy import Entropy
from privpac.mechanisms.many_laplaces import DiscreteLaplaces
from privpac.privacy.budget import Budget


@dataclass(frozen=True)
class SeenCategories(DiscreteLaplaces):
    """Lists the categories of the records, and adds noise to their counts only."""

    def check(self, data: Any) -> Any:
        return dict(sorted(data.items()))

    def release(self, data: Any, coins: Entropy) -> Any:
        noisy = super().release(np.array(list(data.values()), dtype=np.int64), coins)
        return tuple(zip(data, noisy.tolist(), strict=True))

    def law(self, data: Any, reach: int = 3) -> dict[Any, arb]:
        keys = list(self.check(data))
        counts = DiscreteLaplaces(self.cost, self.sensitivity)
        found = counts.law([data[key] for key in keys], reach)
        return {tuple(zip(keys, outcome, strict=True)): p for outcome, p in found.items()}


class CountedPoints(NamedTuple):
    """Counts of queries, and how many of them tell two records of the sample apart."""

    counts: list[int]
    changes: int


@dataclass(frozen=True)
class SeenPoints(DiscreteLaplaces):
    """Takes the sensitivity from the points of the records."""

    def check(self, data: Any) -> Any:
        return data

    def _with(self, data: CountedPoints) -> DiscreteLaplaces:
        return DiscreteLaplaces(Budget(self.cost.epsilon), max(data.changes, 1))

    def release(self, data: Any, coins: Entropy) -> Any:
        return self._with(data).release(np.array(data.counts, dtype=np.int64), coins)

    def law(self, data: Any, reach: int = 3) -> dict[Any, arb]:
        return self._with(data).law(data.counts, reach)
