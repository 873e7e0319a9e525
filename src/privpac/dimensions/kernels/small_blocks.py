"""Sixteen small blocks side by side: a quick proof that some points cannot be completed to a shattered set.

Points that shatter a class shatter each of its blocks, and each part of a block that earlier points leave. If no points
shatter sixteen small blocks at once, the others do not matter. Of each block, only the smaller part is followed.

Throughout this file
    k, t       the number of points sought, and of points chosen, as in :mod:`privpac.dimensions.kernels.vc`
    candidate  a point that fits and comes after those chosen; numbered anew for every t
    rows       rows[t, i, w, b], for w < 3, are the concepts of block b that say 1 on candidate i, as bits;
               rows[t, i, 3, b] is their number
    sizes      sizes[t, b] is the number of concepts of block b
    due        due[t, i] is the number of points of a set that come before candidate i, at least, if i is one of them
    fits       fits[t, i] are the candidates that can follow if i is chosen, as bits; todo[t] are those still to choose
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privpac.dimensions.kernels.compiler import compiled
from privpac.dimensions.kernels.normal_form import Integers, Words, ones

BLOCKS = 16  # two registers of eight words
CONCEPTS = 3 * 64  # at most, in a block
CANDIDATES = 64  # at most


class SmallBlocks(NamedTuple):
    """The state of a proof."""

    rows: Words
    sizes: Integers
    due: Integers
    fits: Words
    todo: Words

    @classmethod
    def empty(cls, k: int) -> SmallBlocks:
        """For sets of ``k`` points. The rows begin where a line of memory begins, so that no register straddles two."""
        due, fits = np.zeros((k, CANDIDATES), np.int64), np.zeros((k, CANDIDATES), np.uint64)
        words = due.size * 4 * BLOCKS
        memory = np.zeros(words + 8, np.uint64)
        rows = memory[-memory.ctypes.data % 64 // 8 :][:words].reshape(k, CANDIDATES, 4, BLOCKS)
        return cls(rows, np.zeros((k, BLOCKS), np.int64), due, fits, np.zeros(k, np.uint64))


@compiled
def refuted(B: SmallBlocks, n: int, k: int, t: int, work: int) -> int:
    """The work left after a proof that no k − t ≥ 2 of n candidates shatter every block; 0 without one.

    A pair of candidates is a unit of work.
    """
    todo = B.todo
    start = t
    work -= compare(B, n, k, t)
    while work > 0:
        if todo[t] == 0:
            t -= 1
            if t < start:
                return work
        elif t == k - 2:
            return 0
        else:
            i = lowest(todo[t])
            todo[t] &= todo[t] - np.uint64(1)
            t += 1
            n = halve(B, t, i, B.fits[t - 1, i])
            work -= compare(B, n, k, t)
    return 0


@compiled
def compare(B: SmallBlocks, n: int, k: int, t: int) -> int:
    """Set ``fits`` and ``todo`` for n candidates; return the number of pairs.

    Candidate i can be the next point of a set, and j the one after it. Often no j fits; then the others do not matter.
    """
    due, fits, todo = B.due, B.fits, B.todo
    i_end, j_end, pairs = 0, 0, 0
    while j_end < n and due[t, j_end] <= t + 1:
        i_end += due[t, j_end] <= t
        j_end += 1
    quota = 1 << (k - t - 2)
    todo[t] = 0
    for i in range(i_end):
        fits[t, i] = quartered(B, t, i, i + 1, j_end, quota)
        pairs += j_end - i
    for i in range(i_end):
        if fits[t, i]:
            fits[t, i] |= quartered(B, t, i, max(i + 1, j_end), n, quota)
            pairs += n - j_end
            todo[t] |= np.uint64(ones(fits[t, i]) >= k - t - 1) << np.uint64(i)
    return pairs


@compiled
def quartered(B: SmallBlocks, t: int, i: int, first: int, end: int, quota: int) -> np.uint64:  # noqa: PLR0917
    """The candidates from ``first`` to before ``end`` that, with i, leave all four parts of every block the quota."""
    rows, sizes, mask = B.rows, B.sizes, np.uint64(0)
    for j in range(first, end):
        short = 0
        for b in range(BLOCKS):
            one, other = np.int64(rows[t, i, 3, b]), np.int64(rows[t, j, 3, b])
            both = ones(rows[t, i, 0, b] & rows[t, j, 0, b])
            both += ones(rows[t, i, 1, b] & rows[t, j, 1, b]) + ones(rows[t, i, 2, b] & rows[t, j, 2, b])
            other -= both
            short = 1 if min(both, other, one - both, sizes[t, b] - one - other) < quota else short
        mask |= np.uint64(1 - short) << np.uint64(j)
    return mask


@compiled
def halve(B: SmallBlocks, t: int, i: int, others: np.uint64) -> int:
    """The smaller part by candidate i of every block of t − 1, for some other candidates; return their number."""
    rows, sizes, due = B.rows, B.sizes, B.due
    for b in range(BLOCKS):
        one = np.int64(rows[t - 1, i, 3, b])
        sizes[t, b] = min(one, sizes[t - 1, b] - one)
    n = 0
    while others:
        j = lowest(others)
        others &= others - np.uint64(1)
        due[t, n] = due[t - 1, j]
        for b in range(BLOCKS):
            one = np.int64(rows[t - 1, i, 3, b])
            flip = np.uint64((sizes[t - 1, b] - 2 * one) >> 63)  # all ones if fewer concepts say 0
            u = rows[t - 1, j, 0, b] & (rows[t - 1, i, 0, b] ^ flip)
            v = rows[t - 1, j, 1, b] & (rows[t - 1, i, 1, b] ^ flip)
            w = rows[t - 1, j, 2, b] & (rows[t - 1, i, 2, b] ^ flip)
            rows[t, n, 0, b] = u
            rows[t, n, 1, b] = v
            rows[t, n, 2, b] = w
            rows[t, n, 3, b] = np.uint64(ones(u) + ones(v) + ones(w))
        n += 1
    return n


@compiled
def lowest(bits: np.uint64) -> int:
    """The place of the lowest one of a word."""
    return ones(~bits & (bits - np.uint64(1)))
