"""A memo of the Littlestone dimensions of sub-classes in normal form, compiled.

Throughout this file
    A          a sub-class in normal form, as a matrix of bits with a column for each point; n is its number of concepts
    finding    (low, high, j): Ldim ≥ low, by a split at point j, and Ldim ≤ high; an entry packs them into one word
    s, h       the slot and the hash of a sub-class

An entry holds the whole matrix, and two sub-classes count as equal only if their matrices are equal; a hash only says
where to look. When the memo is full, nothing is added: answers stay exact but take longer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.dimensions.kernels.compiler import compiled
from privpac.dimensions.kernels.normal_form import MIX, Integers, Words

LARGEST_KEPT = 1 << 13  # the largest matrix that is kept, in words: larger ones hardly ever recur
LEVELS = 64  # more than the logarithm of any number of concepts
HEADER = 3  # the words of an entry before its matrix: 0 is its shape, 1 its hash, 2 its finding
COUNTS = np.dtype([("entries", np.int64), ("used", np.int64)])  # the numbers of entries, and of words in use


class Memo(NamedTuple):
    """A hash table: ``words`` holds the entries, and ``slots`` where each one begins; 0 is a free slot."""

    slots: Integers
    words: Words
    counts: NDArray[Any]


def empty(octets: int) -> Memo:
    """A memo that grows to about this many bytes; unused memory is not allocated."""
    slots = 1 << max(1, (octets >> 9).bit_length() - 1)  # a power of two, so that the low bits of a hash are a slot
    memo = Memo(np.zeros(slots, np.int64), np.empty(octets >> 3, np.uint64), np.zeros(1, COUNTS))
    memo.counts["used"] = 1  # no entry begins at 0, which marks a free slot
    return memo


@compiled
def recall(memo: Memo, A: Words, n: int) -> tuple[int, int, int]:
    """The finding about a sub-class of two or more concepts; (1, LEVELS − 1, 0) if nothing more is known."""
    if A.size <= LARGEST_KEPT:
        s, _ = _locate(memo, A, n)
        if memo.slots[s]:
            finding = int(np.int64(memo.words[memo.slots[s] + 2]))
            return finding & 63, finding >> 6 & 63, finding >> 12
    return 1, LEVELS - 1, 0


@compiled
def remember(memo: Memo, A: Words, n: int, finding: tuple[int, int, int]) -> None:
    """Enter the finding about a sub-class, if there is space."""
    if A.size > LARGEST_KEPT:
        return
    counts = memo.counts[0]
    s, h = _locate(memo, A, n)
    if memo.slots[s] == 0:
        if counts.used + HEADER + A.size > memo.words.size or 2 * counts.entries >= memo.slots.size:
            return
        memo.slots[s] = counts.used
        memo.words[counts.used] = _shape(A, n)
        memo.words[counts.used + 1] = h
        counts.used += HEADER
        for word in A.reshape(A.size):
            memo.words[counts.used] = word
            counts.used += 1
        counts.entries += 1
    low, high, j = finding
    memo.words[memo.slots[s] + 2] = np.uint64(low | high << 6 | j << 12)


@compiled
def _shape(A: Words, n: int) -> np.uint64:
    """The numbers of concepts and of points, in one word."""
    return np.uint64(n) | np.uint64(A.shape[1]) << np.uint64(32)


@compiled
def _locate(memo: Memo, A: Words, n: int) -> tuple[int, np.uint64]:
    """The slot of a sub-class, or a free one if it has none, and its hash."""
    h = _shape(A, n)
    for word in A.reshape(A.size):
        h = (h ^ word) * MIX
        h ^= h >> np.uint64(29)
    h ^= h >> np.uint64(32)
    s = int(np.int64(h)) & (memo.slots.size - 1)
    while memo.slots[s] and not _is_entry(memo.words, memo.slots[s], A, n, h):
        s = (s + 1) & (memo.slots.size - 1)
    return s, h


@compiled
def _is_entry(words: Words, start: int, A: Words, n: int, h: np.uint64) -> bool:
    """Whether the entry that begins at ``start`` belongs to exactly this matrix."""
    if words[start] != _shape(A, n) or words[start + 1] != h:
        return False
    position = start + HEADER
    for word in A.reshape(A.size):
        if words[position] != word:
            return False
        position += 1
    return True
