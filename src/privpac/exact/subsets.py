"""Exactly uniform sets and orders: all sets of m of n records are equally likely, and so are all orders of n records.

proof: docs/proofs/holding_out.md, and docs/proofs/flat_learner.md, Lemma 1, for orders

One byte per record makes a first choice of about m records. Then records are removed or added one by one until exactly
m are chosen. Records are only counted, so a billion of them need hardly any memory.

Throughout this file
    n      the number of records           m      how many of them are chosen
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privpac.exact.entropy import Entropy

Ints = NDArray[np.int64]
BLOCK = 2**20  # records whose bytes are read at a time


def chosen_of(counts: Ints, m: int, coins: Entropy) -> Ints:
    """For every entry i, how many of its ``counts[i]`` records are among m records, chosen uniformly from all.

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
    chosen, bound = np.zeros(len(counts), dtype=np.int64), 256 * m // n  # a byte below the bound chooses its record
    for start in range(0, n, BLOCK):
        octets = np.frombuffer(coins.octets(min(BLOCK, n - start)), dtype=np.uint8)
        _add(chosen, ends, start + np.flatnonzero(octets < bound))
    excess = int(chosen.sum()) - m
    pool = chosen if excess > 0 else counts - chosen  # the records that may be removed, or added
    changes = np.zeros(len(counts), dtype=np.int64)
    _add(changes, np.cumsum(pool), np.array(distinct_numbers(abs(excess), int(pool.sum()), coins), dtype=np.int64))
    return chosen - changes if excess > 0 else chosen + changes


def distinct_numbers(k: int, bound: int, coins: Entropy) -> list[int]:
    """k different numbers below ``bound``, sorted; each set of k numbers has the same probability [BF87]."""
    numbers: set[int] = set()
    for last in range(bound - k, bound):
        number = coins.below(last + 1)
        numbers.add(last if number in numbers else number)
    return sorted(numbers)


def _add(totals: Ints, ends: Ints, numbers: Ints) -> None:
    """Add to the total of each entry i how many of the sorted ``numbers`` lie in ends[i − 1] … ends[i] − 1."""
    if len(numbers):
        entries = np.searchsorted(ends, numbers, side="right")
        first = int(entries[0])
        counts = np.bincount(entries - first)
        totals[first : first + len(counts)] += counts


def shuffled(n: int, coins: Entropy) -> NDArray[np.intp]:
    """The numbers 0 … n − 1 in the order of n random keys, which are drawn again if two of them are equal."""
    while True:
        keys = np.frombuffer(coins.octets(8 * n), dtype=np.uint64)
        order = np.argsort(keys)
        if np.all(np.diff(keys[order]) > 0):
            return order
