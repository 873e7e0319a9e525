"""A uniform choice of m records, exact: each set of m records has the same probability.

proof: docs/proofs/holding_out.md

One byte per record makes a first choice of about m records. Too many or too few are then corrected one by one, so a
billion counted records need no memory of their own.

Throughout this file
    n      how many records there are           m      how many of them are chosen
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.exact.entropy import Entropy

Ints = NDArray[np.int64]
BLOCK = 2**20  # records whose bytes are read at a time


def chosen_of(counts: Ints, m: int, coins: Entropy) -> Ints:
    """How many of the ``counts[i]`` records of entry i are among m of all records, chosen uniformly.

    >>> from privpac.exact.entropy import SYSTEM
    >>> chosen_of(np.array([3, 0, 2]), 5, SYSTEM).tolist(), int(chosen_of(np.array([3, 0, 2]), 2, SYSTEM).sum())
    ([3, 0, 2], 2)
    """
    ends = np.cumsum(counts, dtype=np.int64)
    n = int(ends[-1]) if len(ends) else 0
    if not 0 <= m <= n:
        raise ValueError("m must be at least 0 and at most the number of records")
    if m == n:
        return counts.astype(np.int64)
    found, below = np.zeros(len(counts), dtype=np.int64), 256 * m // n
    for start in range(0, n, BLOCK):
        drawn = np.frombuffer(coins.octets(min(BLOCK, n - start)), dtype=np.uint8)
        _add(found, ends, start + np.flatnonzero(drawn < below))
    excess = int(found.sum()) - m
    among = found if excess > 0 else counts - found
    wrong = np.zeros(len(counts), dtype=np.int64)
    _add(wrong, np.cumsum(among), some_numbers(abs(excess), int(among.sum()), coins))
    return found - wrong if excess > 0 else found + wrong


def some_numbers(k: int, bound: int, coins: Entropy) -> Ints:
    """k different numbers below ``bound``, sorted; each set of k numbers has the same probability [BF87].

    >>> from privpac.exact.entropy import SYSTEM
    >>> some_numbers(3, 3, SYSTEM).tolist()
    [0, 1, 2]
    """
    found: set[int] = set()
    for last in range(bound - k, bound):
        number = coins.below(last + 1)
        found.add(last if number in found else number)
    return np.array(sorted(found), dtype=np.int64)


def _add(found: Ints, ends: Ints, numbers: Ints) -> None:
    """Add to each entry how many of the sorted ``numbers`` belong to it."""
    if len(numbers):
        entries = np.searchsorted(ends, numbers, side="right")
        first = int(entries[0])
        seen = np.bincount(entries - first)
        found[first : first + len(seen)] += seen
