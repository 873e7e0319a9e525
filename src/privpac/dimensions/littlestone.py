"""Littlestone dimension, exactly: the depth of the deepest mistake tree that a class shatters.

Throughout this file
    H      a class: a boolean matrix with distinct rows; a row is a concept, a column is a point
    c      the class as an explicit class, with names of points and concepts
    rows   a sub-class of H as a bitset: bit i of the integer is concept i
    k      the depth in question: the search decides whether Ldim ≥ k
    cut    how a point splits a sub-class: the part without the first concept, as a bitset

Ldim ≥ k iff some point splits the sub-class into two parts of Ldim ≥ k − 1 each. These facts keep the search small:
depth k takes 2^k concepts; for k ≤ 1 they suffice, and for k = 2 a point with two concepts on either side does; a point
with fewer than two concepts on a side is useless for k ≥ 2, here and further down; points with equal cuts count once;
if a part fails, so do its parts. The most balanced point is tried first, its smaller part before the larger.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from privpac.classes.finite.explicit import ClassOrMatrix, ExplicitClass, explicit
from privpac.classes.matrices import boolean, packed_columns
from privpac.dimensions.dimension import Dimension, closed_form
from privpac.dimensions.time_limit import Clock, OutOfTime, Progress
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair
from privpac.dimensions.tree_orders.littlestone import littlestone_of_tree
from privpac.dimensions.witnesses import MistakeTree

if TYPE_CHECKING:
    from privpac.dimensions.kernels.littlestone import Search

EFFORT = 1 << 28  # points × (bits + 1024) examined before compiled code takes over; loading it takes about as long


class Finding(NamedTuple):
    """Ldim ≥ low, because both parts of ``point`` have Ldim ≥ low − 1, and Ldim ≤ high."""

    low: int
    high: int
    point: int | None


class TooLong(Exception):
    """The search takes so long that compiled code should answer the question."""


class Littlestone:
    """The Littlestone dimensions of the sub-classes of one class; questions share their findings.

    ``matrix`` is boolean, concepts × points, with distinct rows. A sub-class is a bitset: an integer whose bit i says
    that concept i belongs to it. ``everything`` is the whole class, ``columns[x]`` the concepts that say 1 on point x,
    so that ``rows & H.columns[x]`` and ``rows & ~H.columns[x]`` are the two parts that point x leaves of ``rows``.

    A long question goes to compiled code, if numba is installed. Every search checks ``clock``.

    >>> H = Littlestone([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> H.dimension(H.everything), H.dimension(H.everything & ~H.columns[1]), H.dimension(0)
    (2, 1, -1)
    >>> H.at_least(0b1001, 2)
    False
    >>> H.tree(H.everything, 2)
    ([1, 0, 2], [0, 1, 2, 3])
    """

    def __init__(self, matrix: ArrayLike) -> None:
        self._matrix = matrix if isinstance(matrix, np.ndarray) and matrix.dtype == bool else boolean(matrix)
        m = len(self._matrix)
        if len({row.tobytes() for row in np.packbits(self._matrix, axis=1)}) < m:
            raise ValueError("two concepts are equal; merge them, as ExplicitClass does")
        packed = packed_columns(self._matrix[::-1])  # the last concept is the highest bit
        self.columns = tuple(int.from_bytes(column.tobytes(), "big") >> (-m % 8) for column in packed)
        self.everything = (1 << m) - 1
        self._points = [(column, x) for x, column in enumerate(self.columns)]
        self.clock = Clock(None, None)
        self._findings: dict[int, Finding] = {}
        self._dimensions: dict[int, int] = {}
        self._effort: float = EFFORT
        self._hard: float = math.inf  # sub-classes of this size or larger go straight to compiled code
        self._compiled: Search | None = None
        self._nodes = 0

    def dimension(self, rows: int) -> int:
        """Ldim of the sub-class; −1 if it is empty."""
        if rows not in self._dimensions:
            k = self._findings[rows].low if rows in self._findings else -1
            while self.at_least(rows, k + 1):
                k += 1
            self._dimensions[rows] = k
        return self._dimensions[rows]

    def soa(self, rows: int, ones: int) -> bool:
        """The label whose part of the sub-class has the larger Ldim, 1 if they are equal [GGKM21, Def. 4.2].

        ``ones`` are the concepts that say 1: ``columns[x]`` for the point x.
        """
        return self.dimension(rows & ones) >= self.dimension(rows & ~ones)

    def at_least(self, rows: int, k: int) -> bool:
        """Whether Ldim of the sub-class is at least ``k``."""
        if not 0 <= rows <= self.everything:
            raise ValueError("a sub-class is a bitset of concepts of this class")
        size = rows.bit_count()
        if k <= 2 or size < self._hard:
            self._effort = EFFORT
            try:
                return self._search(rows, k, self._points)
            except TooLong:
                self._hard = size
        return self._search_compiled(rows, k)

    def split(self, rows: int, k: int) -> int:
        """A point that leaves two parts of Ldim ≥ k − 1; ValueError if there is none."""
        if k < 1 or not self.at_least(rows, k):
            raise ValueError(f"the sub-class cannot be split for k = {k}; ask for 1 ≤ k ≤ its dimension")
        return self._point(rows, k)

    def tree(self, rows: int, k: int) -> tuple[list[int], list[int]]:
        """A mistake tree of depth ``k``: its points as a heap, its concepts from left to right.

        Node i has the children 2i + 1, for label 0, and 2i + 2, for label 1.
        """
        if not self.at_least(rows, k):
            raise ValueError(f"the sub-class has no mistake tree of depth {k}; ask for at most its dimension")
        # The compiled search gives the points of all levels but the deepest.
        upper = self._compiled.tree(rows, k) if self._compiled and k > 2 and rows.bit_count() >= self._hard else []
        points = [0] * (2 ** max(k, 0) - 1)
        concepts: list[int] = []

        def grow(node: int, rows: int, k: int) -> None:
            if k == 0:
                concepts.append(_lowest(rows))
                return
            points[node] = x = upper[node] if node < len(upper) else self._point(rows, k)
            grow(2 * node + 1, rows & ~self.columns[x], k - 1)
            grow(2 * node + 2, rows & self.columns[x], k - 1)

        if k >= 0:
            grow(0, rows, k)
        return points, concepts

    @property
    def effort(self) -> str:
        """The effort so far, in words."""
        nodes, octets = self._nodes, 0
        if self._compiled:
            nodes, octets = nodes + self._compiled.nodes, self._compiled.octets
        return f"{nodes} sub-classes examined" + (f", {octets / 1e6:.0f} MB of them remembered" if octets else "")

    def _point(self, rows: int, k: int) -> int:
        """A point that leaves two parts of Ldim ≥ k − 1. One must exist; for k ≥ 3, the search has noted it."""
        if k == 1:
            first, second = _lowest(rows), _lowest(rows & (rows - 1))
            return int(np.argmax(self._matrix[first] != self._matrix[second]))
        size = rows.bit_count()
        if k == 2:
            return next(x for column, x in self._points if 2 <= (column & rows).bit_count() <= size - 2)
        point = self._findings[rows].point
        assert point is not None
        return point

    def _search(self, rows: int, k: int, points: Collection[tuple[int, int]]) -> bool:
        """Whether Ldim ≥ k. ``points`` are pairs: a cut of a larger sub-class, and a point that makes it."""
        size = rows.bit_count()
        if k < 0:
            return True
        if size < 1 << k or k <= 1:
            return size >= 1 << k
        if k == 2:
            return any(2 <= (column & rows).bit_count() <= size - 2 for column, _ in points)
        low, high, point = self._findings.get(rows, Finding(1, size.bit_length() - 1, None))
        if low >= k or high < k:
            return low >= k
        self._pay(len(points) * (rows.bit_length() + 1024))
        first = rows & -rows
        cuts: dict[int, int] = {}
        for column, x in points:
            cut = rows & ~column if column & first else rows & column
            if 2 <= cut.bit_count() <= size - 2:
                cuts[cut] = x
        parts = [(cut, rows ^ cut) if 2 * cut.bit_count() <= size else (rows ^ cut, cut) for cut in cuts]
        failed: list[int] = []
        for small, large in sorted(parts, key=lambda pair: -pair[0].bit_count()):
            if small.bit_count() < 1 << (k - 1):
                break
            if any(small & ~part == 0 or large & ~part == 0 for part in failed):  # part of a part that failed
                continue
            for part in (small, large):
                if not self._search(part, k - 1, cuts.items()):
                    failed.append(part)
                    break
            else:
                self._findings[rows] = Finding(k, high, cuts[large if small & first else small])
                return True
        self._findings[rows] = Finding(low, k - 1, point)
        return False

    def _pay(self, steps: int) -> None:
        """Check the clock, and count this many steps; TooLong if no effort is left and there is compiled code."""
        self.clock.tick()
        self._nodes += 1
        self._effort -= steps
        if self._effort < 0 and (self._compiled or self._compile()):
            raise TooLong

    def _compile(self) -> bool:
        """Load the compiled search; False if numba is not installed."""
        try:
            from privpac.dimensions.kernels.littlestone import Search  # noqa: PLC0415  numba is optional and slow to import
        except ImportError:
            self._effort = math.inf
            return False
        self._compiled = Search(self.columns, len(self._matrix))
        return True

    def _search_compiled(self, rows: int, k: int) -> bool:
        """Whether Ldim ≥ k, by compiled code."""
        low, high, point = self._findings.get(rows, Finding(1, rows.bit_count().bit_length() - 1, None))
        if low < k <= high:
            assert self._compiled is not None
            split = self._compiled.split(rows, k, self.clock.tick)
            low, high, point = (low, k - 1, point) if split is None else (k, high, split)
            self._findings[rows] = Finding(low, high, point)
        return low >= k


def littlestone_dimension(
    concept_class: ClassOrMatrix, *, time_limit: float | None = None, progress: Progress | None = None
) -> Dimension:
    """The Littlestone dimension of a class, with a mistake tree that proves it is not smaller.

    For a class given by a rule the answer comes from a theorem where there is one, without a witness; for a class of VC
    dimension at most 1, from its tree order; any other class is searched. When ``time_limit`` (seconds) ends the
    search, bounds are returned. Writing down the tree takes extra time, and so does the very first use of compiled
    code. The memo of the compiled search takes at most ``privpac.dimensions.kernels.littlestone.MEMORY`` bytes.

    >>> print(littlestone_dimension([[0, 0], [1, 0], [0, 1], [1, 1]]))
    Littlestone dimension 2 (exhaustive search; 0 sub-classes examined)
    """
    clock = Clock(time_limit, progress)
    if (known := closed_form(concept_class, "Littlestone")) is not None:
        return known
    c = explicit(concept_class)
    shape = tree_or_shattered_pair(c) if c.size else None
    return littlestone_of_tree(shape) if isinstance(shape, TreeOrder) else by_search(c, clock)


def by_search(c: ExplicitClass, clock: Clock) -> Dimension:
    """The Littlestone dimension of any class, by the search alone."""
    H = Littlestone(c.matrix)
    low, high = min(c.size, 1) - 1, c.size.bit_length() - 1
    high = _from_above(H, high, clock.share(1 / 4)) if clock.limited else high
    low, high = _from_below(H, low, high, clock)
    points, concepts = H.tree(H.everything, low)
    tree = MistakeTree(tuple(c.points[x] for x in points), tuple(c.concepts[i] for i in concepts))
    reason = "exhaustive search" if low == high else "time limit, larger depths are ruled out"
    return Dimension("Littlestone", low, high, tree, f"{reason}; {H.effort}")


def _from_above(H: Littlestone, high: int, clock: Clock) -> int:
    """An upper bound: rule out depths from ``high`` down while time permits. The largest are the easiest."""
    H.clock = clock
    with suppress(OutOfTime):
        while not H.at_least(H.everything, high):
            high -= 1
    return high


def _from_below(H: Littlestone, low: int, high: int, clock: Clock) -> tuple[int, int]:
    """The bounds after a search for deeper and deeper trees, while time permits."""
    H.clock = clock
    with suppress(OutOfTime):
        while low < high:
            clock.say(f"Littlestone ≥ {low}; trying {low + 1}")
            if H.at_least(H.everything, low + 1):
                low += 1
            else:
                high = low
    return low, high


def _lowest(rows: int) -> int:
    """The first concept of a sub-class."""
    return (rows & -rows).bit_length() - 1
