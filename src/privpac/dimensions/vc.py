"""VC dimension, exactly: the largest number of points on which a class shows all patterns.

Throughout this file
    k        the number of points sought                  t        the number of points chosen
    block    a set of concepts that agree on the chosen points, as a bitset; t shattered points make 2^t blocks

k points are shattered only if every t of them leave blocks of 2^(k − t) concepts or more. So points are chosen one by
one, and only those stay in play that leave every block enough concepts on both sides; as in a clique search, a point
once ruled out stays out further down.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import comb
from os import cpu_count
from threading import Event

import numpy as np

from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, explicit
from privpac.classes.hypothesis import Labels
from privpac.dimensions.bitset import bitsets
from privpac.dimensions.dimension import Dimension, closed_form
from privpac.dimensions.time_limit import Clock, OutOfTime, Progress
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair, vc_of_tree
from privpac.dimensions.witnesses import ShatteredSet

COMPILED_FROM = 1 << 12  # labels in the matrix; below that, the plain search ends before compiled code is loaded


def vc_dimension(
    concept_class: ClassOrMatrix, *, time_limit: float | None = None, progress: Progress | None = None
) -> Dimension:
    """VC dimension of a class, with a shattered set as its witness; −1 for a class without concepts.

    A time limit (in seconds) may end the search early; then the bounds are those proved so far.

    >>> intervals = [[i <= x < j for x in range(6)] for i in range(7) for j in range(i, 7)]
    >>> vc_dimension(intervals).value
    2
    """
    clock = Clock(time_limit, progress)
    if (known := closed_form(concept_class, "VC")) is not None:
        return known
    c = explicit(concept_class)
    if c.size == 0:
        return Dimension("VC", -1, -1, ShatteredSet((), ()), "there is no concept")
    shape = tree_or_shattered_pair(c)
    if isinstance(shape, TreeOrder):
        return vc_of_tree(shape)
    points = _distinct_columns(c.matrix)
    columns = bitsets(c.matrix[:, points].T)
    best, upper = c.columns(shape.points).tolist(), ceiling(c.matrix)
    reason = "the concepts are too few, or too close to one of them, for more"
    with suppress(OutOfTime):
        for k in range(3, upper + 1):
            clock.say(f"VC ≥ {k - 1}; trying {k}")
            places = _search(columns, c.size, k, clock)
            if places is None:
                upper, reason = k - 1, f"no {k} points are shattered"
                break
            best = [points[x] for x in places]
    return Dimension("VC", len(best), upper, _witness(c, best), reason if len(best) == upper else "time limit")


def ceiling(matrix: Labels) -> int:
    """An upper bound by counting, for m ≥ 1 concepts.

    If k points are shattered, then C(k, i) patterns differ from a concept c on i of them. So at least
    Σ_{i ≥ j} C(k, i) concepts differ from c on j points or more, for every j. Here c is the one nearest the majority.

    >>> ceiling(np.eye(8, dtype=bool))
    2
    """
    m, n = matrix.shape
    majority = 2 * np.count_nonzero(matrix, axis=0) > m
    c = matrix[np.count_nonzero(matrix ^ majority, axis=1).argmin()]
    distances = np.bincount(np.count_nonzero(matrix ^ c, axis=1), minlength=n + 1)
    at_least = distances[::-1].cumsum()[::-1].tolist()
    k = 0
    while k < n and all(at_least[j] >= sum(comb(k + 1, i) for i in range(j, k + 2)) for j in range(k + 2)):
        k += 1
    return k


def shattered(columns: Sequence[int], m: int, k: int, clock: Clock) -> list[int] | None:
    """Some ``k`` ≥ 1 points that ``m`` concepts shatter, or None; a column is the bitset of concepts that say 1.

    >>> shattered([0b1100, 0b1010, 0b1000], 4, 2, Clock(None, None))
    [0, 1]
    """

    def extend(blocks: list[tuple[int, int]], points: Sequence[int], missing: int) -> list[int] | None:
        """``missing`` of the ``points`` that split every block into all patterns; ``blocks``: pairs (block, size)."""
        clock.tick()
        quota = 1 << (missing - 1)
        fits = [x for x in points if all(quota <= (b & columns[x]).bit_count() <= size - quota for b, size in blocks)]
        if missing == 1:
            return fits[:1] or None
        for i in range(len(fits) - missing + 1):
            halves = [half for b, _ in blocks for half in (b & columns[fits[i]], b & ~columns[fits[i]])]
            smallest_first = sorted((half.bit_count(), half) for half in halves)
            others = extend([(half, size) for size, half in smallest_first], fits[i + 1 :], missing - 1)
            if others is not None:
                return [fits[i], *others]
        return None

    return extend([((1 << m) - 1, m)], range(len(columns)), k)


def _search(columns: Sequence[int], m: int, k: int, clock: Clock) -> list[int] | None:
    if m * len(columns) < COMPILED_FROM:
        return shattered(columns, m, k, clock)
    try:
        from privpac.dimensions.kernels.vc import VcSearch  # noqa: PLC0415  (numba is optional, and slow to load)
    except ImportError:
        return shattered(columns, m, k, clock)
    search, stop = VcSearch(columns, m, k), Event()
    first = search.run()
    if first:  # one slice is often enough to find a set
        return search.shattered

    def finish(start: int) -> list[int] | None:
        search, decided = VcSearch(columns, m, k, start), None
        while decided is None and not stop.is_set():
            clock.tick()
            decided = search.run()
        return search.shattered if decided else None

    with ThreadPoolExecutor(cpu_count()) as threads:
        try:
            return next(filter(None, threads.map(finish, range(first is False, max(1, k - 1)))), None)
        finally:
            stop.set()


def _distinct_columns(matrix: Labels) -> list[int]:
    """The columns that are not equal or complementary to an earlier one, the most balanced first.

    A column and its complement are equal where both are read relative to the first concept.
    """
    relative = np.packbits(matrix ^ matrix[0], axis=0)
    first = np.unique(relative, axis=1, return_index=True)[1]
    ones = np.count_nonzero(matrix[:, first], axis=0)
    columns: list[int] = first[np.argsort(np.abs(2 * ones - len(matrix)), kind="stable")].tolist()
    return columns


def _witness(c: ExplicitClass, columns: list[int]) -> ShatteredSet:
    pattern = c.matrix[:, columns] @ (1 << np.arange(len(columns))[::-1])
    rows = np.unique(pattern, return_index=True)[1]
    return ShatteredSet(tuple(c.points[x] for x in columns), tuple(c.concepts[row] for row in rows))
