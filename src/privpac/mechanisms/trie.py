"""The dyadic nodes that hold data, as a compressed trie.

proof: docs/proofs/interior_point.md

Throughout this file
    b       bits of the domain 0 … 2^b − 1; the node at depth d with prefix π holds the values that begin with π
    z       the bit at which an inner node splits: b − 1 at the root, 0 above the leaves
    p(v)    the split of node v: the last value of its left half, π01…1; of a leaf, the leaf itself
    w(v)    records in v            u(v)    min(#{x ≤ p}, #{x > p}) for inner nodes, min(#{x ≤ p}, #{x ≥ p}) for leaves
    gap g   where the values before number g end and those from number g on begin

A chain is a run of inner nodes that hold the same records. The splits of those whose records all lie in the right half
are in the gap before these records, the splits of the others in the gap after them: two entries stand for the whole
chain, however long.

Main declarations
    Nodes           inner nodes that hold the same values and split the sample alike, one entry each
    inner_nodes     all of them for sorted distinct values: at most 5 entries per value
    Entry           nodes of equal w and u, and their splits
    trie_entries    inner nodes and leaves as such entries
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


class Nodes(NamedTuple):
    """Entry j: the ``length`` nodes that hold values number ``first`` … ``last`` and split in ``gap``.

    They split at the bits strictly between ``low`` and ``high`` at which ``value``, the first they hold, is ``bit``.
    """

    value: NDArray[Any]
    low: Ints
    high: Ints
    bit: Ints
    first: Ints
    last: Ints
    gap: Ints
    length: Ints

    def splits(self, entry: int) -> Splits:
        """p(v) of the nodes of this entry."""
        return Splits(int(self.value[entry]), int(self.low[entry]), int(self.high[entry]), int(self.bit[entry]))


@dataclass(frozen=True)
class Splits(Sequence[int]):
    """p(v) for the nodes that hold ``value`` and split at the bits between ``low`` and ``high`` where it is ``bit``.

    >>> [bin(p) for p in Splits(0b1011, -1, 4, 1)]
    ['0b1010', '0b1001', '0b111']
    """

    value: int
    low: int
    high: int
    bit: int

    def __len__(self) -> int:
        length = self.high - self.low - 1
        ones = (self.value >> (self.low + 1) & ((1 << length) - 1)).bit_count()
        return ones if self.bit else length - ones

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        return split(self.value, [z for z in range(self.low + 1, self.high) if self.value >> z & 1 == self.bit][index])


class Entry(NamedTuple):
    """``len(splits)`` nodes with ``weight`` records each and ``balance`` on the lighter side of each split."""

    splits: Sequence[int]
    weight: int
    balance: int


def split(value: int, bit: int) -> int:
    """p(v) of the inner node that holds ``value`` and splits at ``bit``.

    >>> bin(split(0b1011, 1))
    '0b1001'
    """
    return (value >> bit | 1) - 1 << bit | (1 << bit) - 1


def inner_nodes(values: NDArray[Any], bits: int) -> Nodes:
    """The inner nodes that hold some of the distinct, sorted ``values``: unsigned integers, or Python's beyond 64 bits.

    >>> nodes = inner_nodes(np.array([0, 3], dtype=np.uint64), 2)
    >>> [(list(nodes.splits(j)), int(nodes.gap[j])) for j in range(len(nodes.gap))]
    [([0], 1), ([2], 1), ([1], 1)]
    """
    m = len(values)
    level = np.full(m + 1, bits)  # of gaps: the highest bit in which the two values beside it differ
    level[1:m] = _bit_lengths(values[:-1] ^ values[1:]) - 1
    leaves, inner = np.arange(m), np.arange(1, m)
    first, last = _held(level)
    f, l = np.append(leaves, first), np.append(leaves, last)
    low, high = np.append(np.full(m, -1), level[1:m]), np.minimum(level[f], level[l + 1])  # a chain's, up to its parent
    ones = _ones(values[f], low + 1, high)
    zeros, same = high - low - 1 - ones, np.ones(len(inner), dtype=np.int64)
    chains = Nodes(
        np.concatenate([values[f], values[f], values[first]]),
        np.concatenate([low, low, level[1:m] - 1]),
        np.concatenate([high, high, level[1:m] + 1]),
        np.concatenate([0 * f, 0 * f + 1, 0 * first]),
        np.concatenate([f, f, first]),
        np.concatenate([l, l, last]),
        np.concatenate([l + 1, f, inner]),
        np.concatenate([zeros, ones, same]),
    )
    return Nodes(*(column[chains.length > 0] for column in chains))


def trie_entries(values: Sequence[int], counts: Sequence[int], bits: int) -> Iterator[Entry]:
    """The entries of the sample with these distinct, sorted values and their multiplicities.

    >>> [(list(e.splits), e.weight, e.balance) for e in trie_entries([0, 3], [2, 2], 2)]
    [([0], 2, 2), ([3], 2, 2), ([0], 2, 2), ([2], 2, 2), ([1], 4, 2)]
    """
    below = [0, *np.cumsum(counts).tolist()]
    n = below[-1]
    for i, value in enumerate(values):
        yield Entry((value,), counts[i], min(below[i + 1], n - below[i]))
    nodes = inner_nodes(np.array(values, dtype=np.uint64 if bits <= 64 else object), bits)
    for j, gap in enumerate(nodes.gap):
        weight = below[nodes.last[j] + 1] - below[nodes.first[j]]
        yield Entry(nodes.splits(j), weight, min(below[gap], n - below[gap]))


def _held(level: Ints) -> tuple[Ints, Ints]:
    """The first and the last value that the node splitting in gap 1, 2, … holds: up to gaps of higher levels."""
    first, last = np.zeros(len(level), dtype=np.int64), np.zeros(len(level), dtype=np.int64)
    for z in np.unique(level[1:-1]):
        at, higher = np.flatnonzero(level == z), np.flatnonzero(level > z)
        place = np.searchsorted(higher, at)
        first[at], last[at] = higher[place - 1], higher[place] - 1
    return first[1:-1], last[1:-1]


def _bit_lengths(numbers: NDArray[Any]) -> Ints:
    if numbers.dtype.kind == "O":
        return np.array([int(x).bit_length() for x in numbers], dtype=np.int64)
    for shift in (1, 2, 4, 8, 16, 32):
        numbers = numbers | numbers >> np.uint64(shift)
    lengths: Ints = np.bitwise_count(numbers).astype(np.int64)
    return lengths


def _ones(numbers: NDArray[Any], low: Ints, high: Ints) -> Ints:
    """How many of the bits low … high − 1 are 1."""
    if numbers.dtype.kind == "O":
        parts = zip(numbers, low.tolist(), high.tolist(), strict=True)
        return np.array([(int(x) >> a & (1 << b - a) - 1).bit_count() for x, a, b in parts], dtype=np.int64)
    width = (high - low).astype(np.uint64)
    mask = (np.uint64(1) << width) - np.uint64(1)  # a shift by 64 leaves nothing, and nothing less one is all
    ones: Ints = np.bitwise_count(numbers >> low.astype(np.uint64) & mask).astype(np.int64)
    return ones
