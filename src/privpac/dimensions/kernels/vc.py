"""The search for a shattered set, compiled: what :func:`privpac.dimensions.vc.shattered` does, on 64-bit words.

Throughout this file
    k          the number of points sought                  t        the number of points chosen
    blocks     the sets of concepts that agree on the t chosen points, as bits, numbered like a heap from 2^t on: with
               half = 2^(t − 1), block b of t − 1 points splits into half + b, the smaller part, and 2·half + b
    fits       fits[t] are the points, after the last chosen one, that leave every block enough concepts on both sides
    says_one   says_one[i, b] is the number of concepts of block b, one of 2^t, that say 1 on the point fits[t, i]
    at         at[t] is the place in fits[t] of the next point to try; left[t] is the number of points there
    due        due[x] is the number of points of a set that come before x, at least, if x is one of them

The points stand around a circle in k − 1 groups. For every set of k points there is a group from which, going around,
the first g groups hold more than g of them, for every g < k (docs/proofs, *dimensions*). So every group takes a turn as
the first one, and points that lag behind are given up. A fifteenth of all sets of eight points out of 60 can begin a
set of eleven.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.dimensions.kernels.compiler import compiled
from privpac.dimensions.kernels.normal_form import Integers, Words, ones, pack
from privpac.dimensions.kernels.small_blocks import BLOCKS, CANDIDATES, CONCEPTS, SmallBlocks, lowest, refuted

SLICE = 1 << 22  # words examined between two checks of the clock: some hundredths of a second
ATTEMPT = 1 << 18  # pairs examined for one proof by small blocks: some thousandths of a second


class State(NamedTuple):
    """The state of a search."""

    columns: Words
    blocks: Words
    sizes: Integers
    fits: Integers
    says_one: NDArray[np.int32]
    left: Integers
    at: Integers
    due: Integers


class VcSearch:
    """The search for ``k`` ≥ 1 points that ``m`` concepts shatter, from one of max(1, k − 1) groups of points on."""

    def __init__(self, columns: Sequence[int], m: int, k: int, start: int = 0) -> None:
        n = len(columns)
        words = np.ascontiguousarray(pack([*columns, (1 << m) - 1], m).T)
        self.k, self.t = k, 0
        self.S = S = State(
            columns=words[:n],
            blocks=np.zeros((2**k, words.shape[1]), dtype=np.uint64),
            sizes=np.zeros(2**k, dtype=np.int64),
            fits=np.zeros((k, n), dtype=np.int64),
            says_one=np.zeros((n, 2**k), dtype=np.int32),
            left=np.zeros(k, dtype=np.int64),
            at=np.zeros(k, dtype=np.int64),
            due=np.zeros(n, dtype=np.int64),
        )
        self.B = SmallBlocks.empty(k)
        size = [column.bit_count() for column in columns]
        fits = [x for x in range(n) if min(size[x], m - size[x]) >= 2 ** (k - 1)]
        groups = np.array_split(np.array(fits, np.int64), max(1, k - 1))
        groups = groups[start:] + groups[:start]
        for g in range(1, len(groups)):
            S.due[groups[g]] = g + 1
        fits = np.concatenate(groups).tolist()
        S.blocks[1], S.sizes[1], S.left[0] = words[n], m, len(fits)
        S.fits[0, : len(fits)], S.says_one[: len(fits), 1] = fits, [size[x] for x in fits]

    def run(self) -> bool | None:
        """Continue the search for one slice: True if a set is found, False if there is none, None if time is up."""
        self.t = vc_search(self.S, self.B, self.k, self.t, SLICE)
        return True if self.t == self.k else False if self.t < 0 else None

    @property
    def shattered(self) -> list[int]:
        """The points of the set that :meth:`run` found."""
        return [int(self.S.fits[t, self.S.at[t] - 1]) for t in range(self.k)]


@compiled
def vc_search(S: State, B: SmallBlocks, k: int, t: int, work: int) -> int:
    """Depth first from where the last slice ended; the new t, which is k if a set is found and −1 if there is none."""
    while work > 0:
        if S.left[t] - S.at[t] < k - t or S.due[S.fits[t, S.at[t]]] > t:
            t -= 1
            if t < 0:
                return t
            continue
        S.at[t] += 1
        t += 1
        if t == k:
            return t
        work -= (S.left[t - 1] - S.at[t - 1] + (1 << t)) * S.columns.shape[1]
        halve(S, t)
        sift(S, k, t)
        if S.left[t] >= k - t:
            complete(S, t)
            if k - t >= 3 and load(S, B, t):
                rest = refuted(B, S.left[t], k, t, ATTEMPT)
                work -= 2 * (ATTEMPT - rest)
                if rest:
                    S.left[t] = 0
    return t


@compiled
def halve(S: State, t: int) -> None:
    """Halve every block by the point just chosen. The smaller halves come first; the larger ones can wait."""
    half = 1 << (t - 1)
    i = S.at[t - 1] - 1
    x = S.fits[t - 1, i]
    for b in range(half, 2 * half):
        one = S.says_one[i, b]
        zero = S.sizes[b] - one
        flip = np.uint64(0) if one <= zero else ~np.uint64(0)
        S.sizes[half + b] = min(one, zero)
        S.sizes[2 * half + b] = max(one, zero)
        for w in range(S.columns.shape[1]):
            S.blocks[half + b, w] = S.blocks[b, w] & (S.columns[x, w] ^ flip)


@compiled
def complete(S: State, t: int) -> None:
    """The larger halves, which are not needed before enough points have passed the smaller ones."""
    half = 1 << (t - 1)
    for b in range(half, 2 * half):
        for w in range(S.columns.shape[1]):
            S.blocks[2 * half + b, w] = S.blocks[b, w] ^ S.blocks[half + b, w]


@compiled
def sift(S: State, k: int, t: int) -> None:
    """Keep the points of t − 1 that leave 2^(k − t − 1) concepts or more on both sides of every block.

    That many are needed because k − t − 1 further points must split each side into 2^(k − t − 1) nonempty blocks. The
    count in a larger half is its block's count minus that of the smaller half. The search stops when fewer than k − t
    points can remain, or too few come before the next one.
    """
    half = 1 << (t - 1)
    quota = 1 << (k - t - 1)
    kept = 0
    for i in range(S.at[t - 1], S.left[t - 1]):
        if kept + S.left[t - 1] - i < k - t:
            break
        x = S.fits[t - 1, i]
        if t + kept < S.due[x]:
            break
        fits = True
        for b in range(half, 2 * half):
            one = overlap(S, half + b, x)
            other = S.says_one[i, b] - one
            if one < quota or other < quota or S.sizes[half + b] - one < quota or S.sizes[2 * half + b] - other < quota:
                fits = False
                break
            S.says_one[kept, half + b] = one
            S.says_one[kept, 2 * half + b] = other
        if fits:
            S.fits[t, kept] = x
            kept += 1
    S.left[t] = kept
    S.at[t] = 0


@compiled
def overlap(S: State, b: int, x: int) -> int:
    """The number of concepts of block b that say 1 on x."""
    one = 0
    for w in range(S.columns.shape[1]):
        one += ones(S.blocks[b, w] & S.columns[x, w])
    return one


@compiled
def load(S: State, B: SmallBlocks, t: int) -> bool:
    """Fill B with the smallest blocks and the points that fit, if the former are small and the latter few enough."""
    first, n = 1 << t, S.left[t]
    smallest = np.argsort(S.sizes[first : 2 * first])[:BLOCKS] + first
    if first < BLOCKS or S.sizes[smallest[-1]] > CONCEPTS or n > CANDIDATES:
        return False
    columns, packed = np.zeros((S.columns.shape[1], CANDIDATES), np.uint64), np.empty((3, CANDIDATES), np.uint64)
    for i in range(n):
        B.due[t, i] = S.due[S.fits[t, i]]
        for w in range(len(columns)):
            columns[w, i] = S.columns[S.fits[t, i], w]
    for b in range(BLOCKS):
        packed[:] = 0
        size = 0
        for w in range(len(columns)):
            bits = S.blocks[smallest[b], w]
            while bits:
                c, place = np.uint64(lowest(bits)), np.uint64(size & 63)
                for i in range(CANDIDATES):
                    packed[size >> 6, i] |= ((columns[w, i] >> c) & np.uint64(1)) << place
                bits &= bits - np.uint64(1)
                size += 1
        B.sizes[t, b] = size
        for i in range(n):
            for w in range(3):
                B.rows[t, i, w, b] = packed[w, i]
            B.rows[t, i, 3, b] = np.uint64(S.says_one[i, smallest[b]])
    return True
