"""The dyadic nodes that hold data, as a compressed trie, and the cuts they propose.

proof: docs/proofs/interior_point.md, docs/proofs/threshold_learner.md

Throughout this file
    b       bits of the domain 0 … 2^b − 1; the node at depth d with prefix π holds the values that begin with π
    z, y    the bit at which an inner node splits: b − 1 at the root, 0 above the leaves
    p(v)    the split of node v: the last value of its left half, π01…1; of a leaf, the leaf itself
    weight  records in v          balance   min(#{x ≤ p}, #{x > p}) for inner nodes, min(#{x ≤ p}, #{x ≥ p}) for leaves
    gap g   the place between the record values number g − 1 and g
    k       a node of at least 2^k values proposes the 2^k − 1 splits of itself and the nodes less than k levels below

A chain is a run of inner nodes that hold the same records. If all records of a node lie in its right half, its split is
in the gap before these records; if in its left half, in the gap after them. So two entries stand for the whole chain,
however long it is. The two entries also count the splits of nodes in the chain's empty halves. A node j bits above
proposes 2^(k−1−j) splits there, including the chain node's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from privpac.data.samples.sample import Ints
from privpac.exact.exponential_weights import Integers

BitRange = tuple[Ints, Ints]  # for each entry, the two ends of a range of bits


class Proposal(NamedTuple):
    """A node with at least ``crowd`` records proposes the 2^depth − 1 cuts that divide it in 2^depth equal parts.

    Its records beyond the first ``crowd`` − 1 support them. Both numbers are at least 1.
    """

    depth: int
    crowd: int


MIDDLE = Proposal(1, 1)


def most_supported(bits: int, proposals: Iterable[Proposal]) -> int:
    """The most cuts that one record supports: it lies in one node per bit.

    >>> most_supported(64, (MIDDLE,)), most_supported(64, (MIDDLE, Proposal(2, 10)))
    (64, 253)
    """
    return sum((2**k - 1) * max(bits - k + 1, 0) for k, _ in proposals)


class Nodes(NamedTuple):
    """Entry j stands for ``length`` splits in one ``gap`` with equal ``support``: part of what a chain's nodes propose.

    They are splits of the chain's nodes at bits z strictly between ``low`` and ``high``, and of nodes in their empty
    halves. Only those z count where ``value``, the first value in the chain, has this ``bit``. The proposals come from
    the nodes above that split at the bits y = ``bottom`` … ``top``; each of these proposes 2^(depth − 1 − (y − z)).
    """

    value: Integers
    low: Ints
    high: Ints
    bit: Ints
    bottom: Ints
    top: Ints
    depth: Ints
    gap: Ints
    length: Ints
    support: Ints

    def splits(self, entry: int) -> Splits:
        return Splits(int(self.value[entry]), *(int(column[entry]) for column in self[1:7]))  # low … depth


NO_NODES = Nodes(*[np.zeros(0, dtype=np.int64)] * len(Nodes._fields))


@dataclass(frozen=True)
class Splits(Sequence[int]):
    """The splits of one entry of Nodes.

    >>> [bin(p) for p in Splits(0b1011, -1, 4, 1, 0, 3, 1)]
    ['0b1010', '0b1001', '0b111']
    >>> [bin(p) for p in Splits(0b10, -1, 2, 1, 1, 1, 2)]  # the split of the empty lower half is proposed, too
    ['0b0', '0b1']
    """

    value: int
    low: int
    high: int
    bit: int
    bottom: int
    top: int
    depth: int

    def _runs(self) -> Iterator[tuple[int, int]]:
        """Every z, with log₂ of the number of splits that a node above proposes there."""
        octets = self.value.to_bytes(max(self.value.bit_length(), self.high) // 8 + 1, "little")
        bits = np.unpackbits(np.frombuffer(octets, dtype=np.uint8), bitorder="little")[self.low + 1 : self.high]
        for z in (self.low + 1 + np.flatnonzero(bits == self.bit)).tolist():
            for y in range(max(z, self.bottom), min(z + self.depth - 1, self.top) + 1):
                yield z, self.depth - 1 - (y - z)

    def __len__(self) -> int:
        return sum(self._proposals_from(j) << self.depth - 1 - j for j in range(self.depth))

    def _proposals_from(self, j: int) -> int:
        """The number of bits z with a proposal from y = z + j."""
        first, end = max(self.low + 1, self.bottom - j), min(self.high, self.top + 1 - j)
        ones = (self.value >> first & (1 << max(end - first, 0)) - 1).bit_count()
        return ones if self.bit else max(end - first, 0) - ones

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        for z, e in self._runs():
            if index < 1 << e:
                # The empty half lies below the split, which then comes last, or above it.
                return split_at(self.value, z) + ((index + 1 - (1 << e) if self.bit else index) << z - e)
            index -= 1 << e
        raise IndexError("the index is beyond the last split")


class NodeEntry(NamedTuple):
    """``len(splits)`` nodes with ``weight`` records each and ``balance`` on the lighter side of each split."""

    splits: Sequence[int]
    weight: int
    balance: int


def split_at(value: int, bit: int) -> int:
    """p(v) of the inner node that holds ``value`` and splits at ``bit``.

    >>> bin(split_at(0b1011, 1))
    '0b1001'
    """
    return (value >> bit | 1) - 1 << bit | (1 << bit) - 1


def inner_nodes(values: Integers, below: Ints, bits: int, proposal: Proposal = MIDDLE) -> Nodes:
    """The proposals of all inner nodes that hold at least one of the distinct, sorted ``values``.

    Values are unsigned integers, or Python's. ``below[g]`` records lie before gap g.

    >>> nodes = inner_nodes(np.array([0, 3], dtype=np.uint64), np.array([0, 1, 2]), 2)
    >>> [(list(nodes.splits(j)), int(nodes.gap[j]), int(nodes.support[j])) for j in range(len(nodes.gap))]
    [([0], 1, 1), ([2], 1, 1), ([1], 1, 2)]
    """
    m, (k, crowd) = len(values), proposal
    first, last, low, high, parent = _chains(values, bits)
    support = below[last + 1] - below[first] - (crowd - 1)
    parts: list[Nodes] = []

    def propose(chain: Ints, proposer: Ints, z: BitRange, y: BitRange, *, bit: int, gap: Ints, depth: int) -> None:
        """Add splits of each ``chain`` strictly between the bits z; the ``proposer`` chains propose from the bits y."""
        entries = Nodes(
            value=values[first[chain]],
            low=z[0],
            high=z[1],
            bit=np.full_like(gap, bit),
            bottom=np.maximum(y[0], k - 1),
            top=y[1],
            depth=np.full_like(gap, depth),
            gap=gap,
            length=np.zeros_like(gap),  # computed below, for valid entries
            support=support[proposer],
        )
        valid = np.flatnonzero((entries.support > 0) & (entries.top < bits))
        parts.append(_with_lengths(Nodes(*(column[valid] for column in entries))))

    chains = proposer = np.arange(len(first))
    for i in range(k):  # a chain's own nodes propose; then the first node above the chain, the second, …
        bottom, top = (low + 1, high - 1) if i == 0 else (high + i - 1, high + i - 1)
        proposer = np.where(top >= high[proposer], parent[proposer], proposer)
        for bit, gap in enumerate((last + 1, first)):
            propose(chains, proposer, (low, high), (bottom, top), bit=bit, gap=gap, depth=k)
    nodes = proposer = chains[m:]
    for j in range(k):  # the split of a node that divides its values: proposed by itself, by the node above it, …
        y = low[nodes] + j
        proposer = np.where(y >= high[proposer], parent[proposer], proposer)
        propose(nodes, proposer, (low[nodes] - 1, low[nodes] + 1), (y, y), bit=0, gap=np.arange(1, m), depth=j + 1)
    return joined_entries(parts)


def bits(size: int) -> int:
    """b: the number of bits that number the values of a line."""
    return (size - 1).bit_length()


def joined_entries(parts: Iterable[Nodes]) -> Nodes:
    """The entries of all parts."""
    return Nodes(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def trie_entries(values: Sequence[int], counts: Sequence[int], bits: int) -> Iterator[NodeEntry]:
    """The leaves and inner nodes of the trie of a sample with these distinct, sorted values and their multiplicities.

    >>> [(list(e.splits), e.weight, e.balance) for e in trie_entries([0, 3], [2, 2], 2)]
    [([0], 2, 2), ([3], 2, 2), ([0], 2, 2), ([2], 2, 2), ([1], 4, 2)]
    """
    below = np.append(0, np.cumsum(counts))
    n = int(below[-1])
    for i, value in enumerate(values):
        yield NodeEntry((value,), counts[i], min(int(below[i + 1]), n - int(below[i])))
    nodes = inner_nodes(np.array(values, dtype=np.uint64 if bits <= 64 else object), below, bits)
    for j, before in enumerate(below[nodes.gap].tolist()):
        yield NodeEntry(nodes.splits(j), int(nodes.support[j]), min(before, n - before))


class Chains(NamedTuple):
    """Chains: the values number ``first`` … ``last`` that each holds, and the bits between which it splits.

    ``parent`` is the number of the chain to which the node above a chain belongs. The root has no node above it.
    """

    first: Ints
    last: Ints
    low: Ints
    high: Ints
    parent: Ints


def _chains(values: Integers, bits: int) -> Chains:
    """The chains above the values, then those above the nodes of gaps 1, 2, …, which include these nodes."""
    m = len(values)
    level = np.full(m + 1, bits)  # for each gap, the highest bit in which the two values beside it differ
    level[1:m] = _bit_lengths(values[:-1] ^ values[1:]) - 1
    first, last = (np.append(np.arange(m), ends) for ends in _ends_of_nodes(level))
    low, high = np.append(np.full(m, -1), level[1:m]), np.minimum(level[first], level[last + 1])
    above = np.where(level[first] < level[last + 1], first, last + 1)  # the gap of the node above the chain
    return Chains(first, last, low, high, m - 1 + np.minimum(above, m - 1))


def _ends_of_nodes(level: Ints) -> tuple[Ints, Ints]:
    """The first and the last value that the node splitting in gap 1, 2, … holds: up to gaps of higher levels."""
    first, last = np.zeros(len(level), dtype=np.int64), np.zeros(len(level), dtype=np.int64)
    for z in np.unique(level[1:-1]):
        gaps, higher = np.flatnonzero(level == z), np.flatnonzero(level > z)
        place = np.searchsorted(higher, gaps)
        first[gaps], last[gaps] = higher[place - 1], higher[place] - 1
    return first[1:-1], last[1:-1]


def _bit_lengths(numbers: Integers) -> Ints:
    if numbers.dtype.kind == "O":
        return np.array([int(x).bit_length() for x in numbers], dtype=np.int64)
    for shift in (1, 2, 4, 8, 16, 32):
        numbers = numbers | numbers >> np.uint64(shift)
    lengths: Ints = np.bitwise_count(numbers).astype(np.int64)
    return lengths


def _with_lengths(nodes: Nodes) -> Nodes:
    """The entries with their lengths, without entries that stand for no split."""
    length = np.zeros_like(nodes.low)
    for j in range(nodes.depth.max(initial=0)):
        least, end = np.maximum(nodes.low + 1, nodes.bottom - j), np.minimum(nodes.high, nodes.top + 1 - j)  # z = y − j
        end = np.maximum(least, end)
        ones = _ones(nodes.value, least, end)
        length += np.where(nodes.bit, ones, end - least - ones) << nodes.depth - 1 - j
    return Nodes(*(column[length > 0] for column in nodes._replace(length=length)))


def _ones(numbers: Integers, low: Ints, high: Ints) -> Ints:
    """The number of ones among the bits low … high − 1."""
    if numbers.dtype.kind == "O":
        parts = zip(numbers, low.tolist(), high.tolist(), strict=True)
        return np.array([(int(x) >> a & (1 << b - a) - 1).bit_count() for x, a, b in parts], dtype=np.int64)
    width = (high - low).astype(np.uint64)
    mask = (np.uint64(1) << width) - np.uint64(1)  # a shift by 64 gives 0, and 0 − 1 has all bits
    ones: Ints = np.bitwise_count(numbers >> low.astype(np.uint64) & mask).astype(np.int64)
    return ones
