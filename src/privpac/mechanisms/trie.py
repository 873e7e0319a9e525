"""The dyadic nodes that hold data, as a compressed trie.

proof: docs/proofs/interior_point.md

Throughout this file
    b       bits of the domain 0 … 2^b − 1; the node at depth d with prefix π holds the values that begin with π
    p(v)    the split of node v: the last value of its left half, π01…1; of a leaf, the leaf itself
    w(v)    records in v            u(v)    min(#{x ≤ p}, #{x > p}) for inner nodes, min(#{x ≤ p}, #{x ≥ p}) for leaves

A chain is a run of inner nodes that hold the same records. On it w is constant, and u takes one value at the nodes
whose records all lie right of the split and another at those whose records all lie left of it: two entries stand for
the whole chain, however long.

Main declarations
    Entry           nodes of equal w and u, and their splits
    trie_entries    all entries for a sorted sample: at most 6 per distinct value
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


@dataclass(frozen=True)
class ChainSplits(Sequence[int]):
    """p(v) for the inner nodes at depths top … bottom − 1 above ``value`` whose next bit is ``bit``."""

    value: int
    bits: int
    top: int
    bottom: int
    bit: int

    def __len__(self) -> int:
        length = self.bottom - self.top
        ones = (self.value >> (self.bits - self.bottom) & ((1 << length) - 1)).bit_count()
        return ones if self.bit else length - ones

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        digits = f"{self.value >> (self.bits - self.bottom):b}".zfill(self.bottom)
        depths = [d for d in range(self.top, self.bottom) if digits[d] == str(self.bit)]
        return split(self.value, self.bits, depths[index])


class Entry(NamedTuple):
    """``len(splits)`` nodes with ``weight`` records each and ``balance`` on the lighter side of each split."""

    splits: Sequence[int]
    weight: int
    balance: int


def split(value: int, bits: int, depth: int) -> int:
    """p(v) of the inner node at ``depth`` that holds ``value``.

    >>> bin(split(0b1011, 4, 2))
    '0b1001'
    """
    rest = bits - depth
    return (value >> rest << rest) + (1 << (rest - 1)) - 1


def trie_entries(values: Sequence[int], counts: Sequence[int], bits: int) -> Iterator[Entry]:
    """The entries of the sample with these distinct, sorted values and their multiplicities.

    >>> [(list(e.splits), e.weight, e.balance) for e in trie_entries([0, 3], [2, 2], 2)]
    [([0], 2, 2), ([0], 2, 2), ([3], 2, 2), ([2], 2, 2), ([1], 4, 2)]
    """
    below = [0]
    for count in counts:
        below.append(below[-1] + count)
    n = below[-1]

    def chain(parent: int, depth: int, i: int, j: int) -> Iterator[Entry]:
        for bit, at_most in ((1, below[i]), (0, below[j])):
            splits = ChainSplits(values[i], bits, parent + 1, depth, bit)
            if len(splits):
                yield Entry(splits, below[j] - below[i], min(at_most, n - at_most))

    common = [-1, *(bits - (x ^ y).bit_length() for x, y in pairwise(values)), -1]  # shared leading bits
    open_nodes: list[tuple[int, int, int]] = []  # (depth, first value, first value of the right half)
    for i, value in enumerate(values):
        first, shared = i, common[i + 1]
        yield Entry((value,), counts[i], min(below[i + 1], n - below[i]))
        yield from chain(max(common[i], shared), bits, i, i + 1)
        while open_nodes and open_nodes[-1][0] > shared:
            depth, first, right = open_nodes.pop()
            parent = max(shared, open_nodes[-1][0] if open_nodes else -1)
            yield Entry((split(value, bits, depth),), below[i + 1] - below[first], min(below[right], n - below[right]))
            yield from chain(parent, depth, first, i + 1)
        if shared >= 0:
            open_nodes.append((shared, first, i + 1))
