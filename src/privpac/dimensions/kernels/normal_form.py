"""Sub-classes up to names, compiled: two that differ only in the names of concepts and points often become equal.

Throughout this file
    A      a class without its names: A[w, j] holds the labels of 64 concepts on point j, one bit each
    n      the number of its concepts; bits beyond them are 0
    mask   some of its concepts, one bit each
    part   the concepts that say b on point j, written 2j + b

In normal form the concepts are numbered from 0, each point is flipped so that concept 0 says 0, only the first of
points with equal cuts is kept, points with fewer than two concepts on a side are dropped, and the most balanced points
come first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privpac.dimensions.kernels.compiler import compiled

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]

ALL = np.uint64(2**64 - 1)
MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio


def pack(columns: Sequence[int], concepts: int) -> Words:
    """Bitsets of concepts, one for each point, as words."""
    words = (concepts + 63) // 64
    octets = b"".join(column.to_bytes(8 * words, "little") for column in columns)
    return np.array(np.frombuffer(octets, "<u8").reshape(len(columns), words).T, np.uint64, order="C")


@compiled
def ones(word: np.uint64) -> int:
    """The number of ones in a word, in a form that compilers recognize as one machine instruction."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int(np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56)))


@compiled
def everyone(n: int, w: int) -> np.uint64:
    """Word w of the mask of all n concepts."""
    return ALL >> np.uint64(max(0, 64 * (w + 1) - n))


@compiled
def balance(A: Words, mask: Words, n: int, minority: Integers) -> int:
    """Set ``minority`` to the size of each point's smaller part of the n concepts in ``mask``. Return the largest."""
    minority[:] = 0
    for w in range(A.shape[0]):
        if mask[w]:
            for j in range(A.shape[1]):
                minority[j] += ones(A[w, j] & mask[w])
    top = 0
    for j in range(A.shape[1]):
        minority[j] = min(minority[j], n - minority[j])
        top = max(top, minority[j])
    return top


@compiled
def restrict(A: Words, mask: Words, n: int) -> Words:
    """The labels of the n concepts in ``mask``, numbered anew.

    In each word, the bits to keep move next to each other in six steps, by 1, 2, 4, … 32 places. Which bits move in
    which step depends on the mask alone.
    """
    out = np.zeros(((n + 63) >> 6, A.shape[1]), np.uint64)
    moves = np.zeros(6, np.uint64)
    done = 0  # how many concepts have a new number
    for w in range(A.shape[0]):
        m = mask[w]
        if m == 0:
            continue
        gaps = ~m << np.uint64(1)
        for i in range(6):
            odd = gaps  # in six steps it becomes the bits with an odd number of gaps below them
            for step in range(6):
                odd ^= odd << np.uint64(1 << step)
            moves[i] = odd & m
            m = (m ^ moves[i]) | (moves[i] >> np.uint64(1 << i))
            gaps &= ~odd
        m = mask[w]
        m0, m1, m2, m3, m4, m5 = moves
        v, shift = done >> 6, np.uint64(done & 63)
        done += ones(m)
        spill = done > 64 * (v + 1)
        for j in range(A.shape[1]):
            x = A[w, j] & m
            x = (x & ~m0) | ((x & m0) >> np.uint64(1))
            x = (x & ~m1) | ((x & m1) >> np.uint64(2))
            x = (x & ~m2) | ((x & m2) >> np.uint64(4))
            x = (x & ~m3) | ((x & m3) >> np.uint64(8))
            x = (x & ~m4) | ((x & m4) >> np.uint64(16))
            x = (x & ~m5) | ((x & m5) >> np.uint64(32))
            out[v, j] |= x << shift
            if spill:
                out[v + 1, j] |= x >> (np.uint64(64) - shift)
    return out


@compiled
def normalize(A: Words, n: int, minority: Integers) -> tuple[Integers, Integers]:
    """Flip points of A, in place. Return the points to keep, in order, and an array with 1 for each flipped point."""
    flipped = np.empty(A.shape[1], np.int64)
    for j in range(A.shape[1]):
        flipped[j] = np.int64(A[0, j] & np.uint64(1))
    for w in range(A.shape[0]):
        for j in range(A.shape[1]):
            A[w, j] ^= everyone(n, w) & (np.uint64(0) - np.uint64(flipped[j]))
    return _by_balance(_distinct(A, minority), minority), flipped


@compiled
def inside(A: Words, n: int, part: int, whole: int) -> bool:
    """Whether ``part`` is contained in the part ``whole``."""
    # With these flips, the bits of a point say which concepts are in ``part``, and which are not in ``whole``.
    flip_part, flip_whole = ALL * np.uint64(1 - (part & 1)), ALL * np.uint64(whole & 1)
    for w in range(A.shape[0]):
        if (A[w, part >> 1] ^ flip_part) & (A[w, whole >> 1] ^ flip_whole) & everyone(n, w):
            return False
    return True


@compiled
def _distinct(A: Words, minority: Integers) -> Integers:
    """The points with two or more concepts on each side whose cuts differ from those of all earlier points.

    A hash table finds them. For a hash, a multiplication mixes low bits into high ones only, so a shift then mixes high
    bits into low ones.
    """
    words, points = A.shape
    hashes = np.zeros(points, np.uint64)
    for w in range(words):
        for j in range(points):
            mixed = (hashes[j] ^ A[w, j]) * MIX
            hashes[j] = mixed ^ (mixed >> np.uint64(29))
    size = 16
    while size < 2 * points:
        size *= 2
    slots = np.zeros(size, np.int64)  # j + 1; 0 if the slot is free
    kept = np.empty(points, np.int64)
    count = 0
    for j in range(points):
        if minority[j] < 2:
            continue
        s = np.int64(hashes[j] >> np.uint64(20)) & (size - 1)
        while slots[s] and not _equal(A, slots[s] - 1, j):
            s = (s + 1) & (size - 1)
        if slots[s] == 0:
            slots[s] = j + 1
            kept[count] = j
            count += 1
    return kept[:count]


@compiled
def _equal(A: Words, i: int, j: int) -> bool:
    for w in range(A.shape[0]):  # noqa: SIM110  the compiler does not know generators
        if A[w, i] != A[w, j]:
            return False
    return True


@compiled
def _by_balance(points: Integers, minority: Integers) -> Integers:
    """The points in the order of ``minority``, the largest first; ties stay in order. This is a counting sort."""
    top = 0
    for j in points:
        top = max(top, minority[j])
    before = np.zeros(top + 2, np.int64)
    for j in points:
        before[top - minority[j] + 1] += 1
    for size in range(top + 1):
        before[size + 1] += before[size]
    ordered = np.empty_like(points)
    for j in points:
        ordered[before[top - minority[j]]] = j
        before[top - minority[j]] += 1
    return ordered
