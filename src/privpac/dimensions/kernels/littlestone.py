"""The search for mistake trees, compiled.

Throughout this file
    S      the stack of sub-classes in normal form, and the memo     t      a level of the stack
    A      the sub-class on a level; n is its number of concepts     k      the depth that A must have, ≥ 3 on the stack
    part   the concepts of A that say b on point j, written 2j + b   half   2^(k − 1), the concepts that a part needs
    f      the fields of a level: see FIELDS                         minority   the size of the smaller part of a point

The search is that of :class:`privpac.dimensions.littlestone.Littlestone`, with a memo of normal forms: sub-classes that
differ by names alone, such as translated intervals, share an entry.

The recursion is a loop over a stack that can be left and resumed: between two visits the caller checks the clock and
makes room. (Compiled functions that call themselves cannot be kept on disk.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.dimensions.kernels.compiler import compiled
from privpac.dimensions.kernels.memo import LEVELS, Memo, empty, recall, remember
from privpac.dimensions.kernels.normal_form import (
    Integers,
    Words,
    balance,
    everyone,
    inside,
    normalize,
    ones,
    pack,
    restrict,
)

MEMORY = 1 << 30  # bytes for the memo
FAILURES = 16  # the most failed parts that a level remembers, to skip parts that they contain
VISIT = 1 << 24  # words examined between two checks of the clock: some hundredths of a second
PAUSED, CRAMPED = 2, 3  # why a visit may end without an answer: to check the clock, or for lack of room

# The fields of a level: n and k; the number of its points; where its matrix starts; the point j under trial; how many
# parts of j are known to have depth k − 1 (deep); how many parts are known to fail; whether its answer takes more than
# counting (hard); its node in the heap of the tree.
FIELDS = ("n", "k", "points", "start", "j", "deep", "failures", "hard", "node")
LEVEL = np.dtype([(name, np.int64) for name in FIELDS])
# The level on top of the stack, whether a tree is being built, and the number of parts examined so far.
TALLY = np.dtype([(name, np.int64) for name in ("top", "building", "nodes")])


class Stack(NamedTuple):
    """Everything that a search remembers."""

    levels: NDArray[Any]
    room: Words  # the matrices of the levels, one after the other
    names: Integers  # by level: 2·point of the whole class, + 1 if it is flipped
    minority: Integers  # by level: the size of the smaller part of each point
    failures: Integers  # by level: parts known to fail
    tally: NDArray[Any]
    memo: Memo
    tree: Integers  # a heap of points; filled only while a tree is built


class Search:
    """Mistake trees of the sub-classes of one matrix; one memo for all of them.

    ``columns`` has for each point, as a bitset, which of the ``concepts`` concepts say 1 on it.
    """

    def __init__(self, columns: Sequence[int], concepts: int) -> None:
        self.A = pack(columns, concepts)
        points = self.A.shape[1]
        self.stack = Stack(
            levels=np.zeros(LEVELS, LEVEL),
            room=np.empty(self.A.size, np.uint64),
            names=np.empty((LEVELS, points), np.int64),
            minority=np.empty((LEVELS, points), np.int64),
            failures=np.empty((LEVELS, FAILURES), np.int64),
            tally=np.zeros(1, TALLY),
            memo=empty(MEMORY),
            tree=np.empty(0, np.int64),
        )

    @property
    def nodes(self) -> int:
        """The parts examined so far."""
        return int(self.stack.tally["nodes"][0])

    @property
    def octets(self) -> int:
        """The size of the memo so far."""
        return 8 * int(self.stack.memo.counts["used"][0])

    def split(self, rows: int, k: int, tick: Callable[[], None], building: bool = False) -> int | None:
        """A point that leaves two parts of Ldim ≥ k − 1 ≥ 2, or None. ``tick`` is called now and then and may raise."""
        n = rows.bit_count()
        mask = pack([rows], 64 * len(self.A))[:, 0].copy()
        minority = np.empty(self.A.shape[1], np.int64)
        balance(self.A, mask, n, minority)
        self.stack.tally["building"], self.stack.tally["top"] = building, 0
        while not push(self.stack, 0, self.A, 2 * np.arange(len(minority)), minority, mask, n, k):
            self._make_room()
        while (status := search(self.stack, VISIT)) >= PAUSED:
            if status == CRAMPED:
                self._make_room()
            tick()
        return int(self.stack.names[0, self.stack.levels["j"][0]] >> 1) if status else None

    def tree(self, rows: int, k: int) -> list[int]:
        """The points of a mistake tree of depth k ≥ 3, as a heap, without those of the deepest level."""
        self.split(rows, k, lambda: None)
        self.stack = self.stack._replace(tree=np.empty(2 ** (k - 1) - 1, np.int64))
        self.split(rows, k, lambda: None, building=True)
        return [int(x) for x in self.stack.tree]

    def _make_room(self) -> None:
        """Double the space for the matrices of the levels."""
        self.stack = self.stack._replace(room=np.concatenate([self.stack.room, np.empty_like(self.stack.room)]))


@compiled
def search(S: Stack, work: int) -> int:
    """Continue the search on the stack. Return 1 or 0 if it is decided, otherwise PAUSED or CRAMPED."""
    tally = S.tally[0]
    while work > 0:
        t = tally.top
        f = S.levels[t]
        A = matrix(S, t)
        half = 1 << (f.k - 1)
        work -= A.size
        if f.deep == 2 or f.j == f.points or S.minority[t, f.j] < half:  # a point is found, or no other can be one
            conclude(S, t, A)
            if t == 0:
                return int(f.deep == 2)
            tally.top -= 1
            report_part(S, t - 1, f.deep == 2)
            continue
        part, mask, size = part_to_try(S, t, A)
        if f.deep == 0 and is_hopeless(S, t, A, part):
            f.j += 1
            continue
        tally.nodes += 1
        minority = np.empty(f.points, np.int64)
        largest = balance(A, mask, size, minority)
        child = 2 * f.node + 1 + (part & 1 ^ S.names[t, f.j] & 1)  # the label of the part, as it was before flips
        if largest < half >> 1 or f.k == 3:  # counting decides
            if largest >= half >> 1 and tally.building:
                S.tree[child] = S.names[t, np.argmax(minority)] >> 1
            report_part(S, t, largest >= half >> 1)
            continue
        if not push(S, t + 1, A, S.names[t], minority, mask, size, f.k - 1):
            return CRAMPED
        f.hard = 1
        low, high, j = recall(S.memo, matrix(S, t + 1), size)
        if high < f.k - 1 or (low >= f.k - 1 and not tally.building):  # the memo decides
            report_part(S, t, low >= f.k - 1)
            continue
        S.levels[t + 1].node = child
        S.levels[t + 1].j = j if low >= f.k - 1 else 0
        tally.top += 1
    return PAUSED


@compiled
def matrix(S: Stack, t: int) -> Words:
    """The sub-class on level t."""
    f = S.levels[t]
    W = (f.n + 63) >> 6
    return S.room[f.start : f.start + W * f.points].reshape((W, f.points))


@compiled
def push(S: Stack, t: int, A: Words, names: Integers, minority: Integers, mask: Words, n: int, k: int) -> bool:  # noqa: PLR0917
    """Put the n concepts of A in ``mask``, in normal form, on level t; False if there is no room for that."""
    start = 0
    if t > 0:
        start = S.levels[t - 1].start + A.size
    if start + ((n + 63) >> 6) * A.shape[1] > S.room.size:
        return False
    raw = restrict(A, mask, n)
    kept, flipped = normalize(raw, n, minority)
    f = S.levels[t]
    f.n, f.k, f.points, f.start = n, k, kept.size, start
    f.j, f.deep, f.failures, f.hard, f.node = 0, 0, 0, 0, 0
    B = matrix(S, t)
    for w in range(raw.shape[0]):
        for i in range(kept.size):
            B[w, i] = raw[w, kept[i]]
    for i in range(kept.size):
        S.names[t, i] = names[kept[i]] ^ flipped[kept[i]]
        S.minority[t, i] = minority[kept[i]]
    return True


@compiled
def part_to_try(S: Stack, t: int, A: Words) -> tuple[int, Words, int]:
    """The part of the point under trial that comes next, the smaller one first; its mask; its size."""
    f = S.levels[t]
    size = 0
    for w in range(A.shape[0]):
        size += ones(A[w, f.j])
    b = np.int64((size == S.minority[t, f.j]) == (f.deep == 0))
    mask = np.empty(A.shape[0], np.uint64)
    for w in range(mask.size):
        mask[w] = A[w, f.j] if b else A[w, f.j] ^ everyone(f.n, w)
    return 2 * f.j + b, mask, size if b else f.n - size


@compiled
def is_hopeless(S: Stack, t: int, A: Words, part: int) -> bool:
    """Whether this part, or the other part of its point, is contained in a part that failed."""
    f = S.levels[t]
    for i in range(f.failures):
        if inside(A, f.n, part, S.failures[t, i]) or inside(A, f.n, part ^ 1, S.failures[t, i]):
            return True
    return False


@compiled
def report_part(S: Stack, t: int, holds: bool) -> None:
    """Note on level t whether the part that it tries has the depth k − 1."""
    f = S.levels[t]
    if holds:
        f.deep += 1
        return
    if f.failures < FAILURES:
        part, _, _ = part_to_try(S, t, matrix(S, t))
        S.failures[t, f.failures] = part
        f.failures += 1
    f.j += 1
    f.deep = 0


@compiled
def conclude(S: Stack, t: int, A: Words) -> None:
    """Note the answer of level t in the tree and, unless counting alone gives it, in the memo."""
    f = S.levels[t]
    if f.deep == 2 and S.tally[0].building:
        S.tree[f.node] = S.names[t, f.j] >> 1
    if f.hard:
        low, high, j = recall(S.memo, A, f.n)
        remember(S.memo, A, f.n, (f.k, high, f.j) if f.deep == 2 else (low, f.k - 1, j))
