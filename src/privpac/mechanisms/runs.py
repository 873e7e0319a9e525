"""The values of a line, grouped by how they split a sorted sample.

Throughout this file
    N       the size of the line 0 … N − 1, up to 2^64 in unsigned integers and beyond it in Python's
    L, R    records strictly below and strictly above a value

Main declarations
    Runs    groups of values that split the records in the same way
    runs    all runs of the line, at most 2n + 1, or those near some ranks
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Runs(NamedTuple):
    """Values of the line with equal splits of records: ``lengths[j]`` values from ``starts[j]`` on, with L and R."""

    starts: NDArray[Any]
    lengths: NDArray[Any]
    below: NDArray[np.int64]
    above: NDArray[np.int64]


def runs(ordered: NDArray[Any], size: int, first: int = 0, last: int | None = None) -> Runs:
    """The runs between records first … last − 1 of the sorted sample: its values, then the gaps they bound.

    >>> r = runs(np.array([2, 2, 5], dtype=np.uint64), 8)
    >>> list(zip(r.starts.tolist(), r.lengths.tolist(), r.below.tolist(), r.above.tolist()))
    [(2, 1, 0, 1), (5, 1, 2, 0), (0, 2, 0, 3), (3, 2, 2, 1), (6, 2, 3, 0)]
    """
    n = len(ordered)
    last = n if last is None else last
    inner = ordered[first:last]
    values = inner[np.concatenate([[True], inner[1:] != inner[:-1]])]
    below, upto = np.searchsorted(ordered, values, side="left"), np.searchsorted(ordered, values, side="right")
    end = np.array([size], dtype=object) if values.dtype.kind == "O" else np.array([size % 2**64], dtype=np.uint64)
    starts, ends = np.concatenate([end * 0, values + 1]), np.concatenate([values, end])  # modulo 2^64: exact
    gaps = slice(0 if first == 0 else 1, None if last == n else -1)
    every = Runs(
        np.concatenate([values, starts[gaps]]),
        np.concatenate([values * 0 + 1, (ends - starts)[gaps]]),
        np.concatenate([below, np.append(0, upto)[gaps]]),
        np.concatenate([n - upto, np.append(n - below, 0)[gaps]]),
    )
    return chosen_runs(every, np.asarray(every.lengths != 0))


def chosen_runs(every: Runs, chosen: NDArray[Any]) -> Runs:
    """The chosen runs, by a mask or by indices."""
    return Runs(*(column[chosen] for column in every))
