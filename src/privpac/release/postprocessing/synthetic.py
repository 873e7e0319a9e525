"""Synthetic records from released counts. No record is read here."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privpac.exact.entropy import Entropy
from privpac.exact.subsets import shuffled
from privpac.refusals.refusal import Refused


def spread(counts: ArrayLike, size: int, coins: Entropy) -> NDArray[np.intp]:
    """The cells of ``size`` records, in random order. A cell gets its share of the records, rounded up or down.

    >>> from privpac.exact.entropy import SYSTEM
    >>> np.bincount(spread([300, 0, 100], 4, SYSTEM)).tolist()
    [3, 0, 1]
    """
    ends = np.cumsum(np.maximum(np.asarray(counts, np.float64), 0))
    if not len(ends) or ends[-1] <= 0:
        raise Refused("size", "the release shows no records at all, so no synthetic ones can be drawn from it")
    # Cells lie side by side, as wide as their counts; the records are equally spaced over all of them.
    places = (np.arange(size) + 0.5) * (ends[-1] / size) if size else np.zeros(0)
    return np.searchsorted(ends, places, side="right")[shuffled(size, coins)]
