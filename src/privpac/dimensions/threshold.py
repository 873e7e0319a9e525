"""Threshold dimension: the longest x₁ … x_d, c₁ … c_d with c_i(x_j) = 1 iff i ≤ j.

Throughout this file
    R, C     the concepts and the points that are left, as bitsets
    rows     for each pattern on C that is not 0, a concept of R that has it
    columns  for each pattern on R that is not 0, a point of C that has it
    (c, x)   the first pair: c says 1 on x and on all points after it; all concepts after c say 0 on x
    k        the number of pairs sought

The first pair (c, x) leaves the points where c says 1 and the concepts that say 0 on x. So a concept is worth trying
only if no other one says 1 on all its points and more. Among the points where c says 1, only those are worth trying
where a minimal set of concepts says 1. Read backward, a sequence is one of the dual class, so the last pair can be
chosen in the same way. The search continues at the end where fewer pairs are worth trying.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from itertools import groupby
from typing import NamedTuple

from privpac.classes.finite.explicit import ClassOrMatrix, explicit
from privpac.classes.hypothesis import Labels
from privpac.dimensions.bitset import bitset, bitsets, members
from privpac.dimensions.dimension import Dimension, closed_form
from privpac.dimensions.time_limit import Clock, OutOfTime, Progress
from privpac.dimensions.tree_orders.chains import threshold_of_tree
from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair
from privpac.dimensions.witnesses import ThresholdSequence

BEAM = 32  # how many beginnings the heuristic search keeps at each length
MEMO = 1 << 20  # the most failed searches remembered; they save time, and the search is exact without them

NumberPairs = tuple[tuple[int, int], ...]


def threshold_dimension(
    concept_class: ClassOrMatrix, *, time_limit: float | None = None, progress: Progress | None = None
) -> Dimension:
    """Threshold dimension of a class, with a sequence as its witness; 0 if no concept says 1 anywhere.

    A time limit (in seconds) may end the search early; then the bounds are those proved so far.

    >>> threshold_dimension([[0, 0, 1], [0, 1, 1], [1, 1, 1]]).witness
    ThresholdSequence(points=(0, 1, 2), concepts=(2, 1, 0))
    >>> threshold_dimension([[1, 1]]).value, threshold_dimension([[0, 0]]).value
    (1, 0)
    """
    clock = Clock(time_limit, progress)
    if (known := closed_form(concept_class, "threshold")) is not None:
        return known
    explicit_class = explicit(concept_class)
    search = _Search(explicit_class.matrix, clock)
    upper = search.upper_bound(search.remainder(search.R, search.C))
    reason = "counting: too few concepts or points have the labels that a longer sequence needs"
    stop = "time limit"
    shape = tree_or_shattered_pair(explicit_class) if explicit_class.size else None
    if isinstance(shape, TreeOrder):
        search.best, longest = threshold_of_tree(shape)
        if longest < upper:
            upper, reason = longest, "the class is a tree, and no path crosses more points from 1 to 0"
    try:
        search.beam(1)
        if len(search.best) < upper and (bound := gf2_rank(search.rows, clock)) < upper:
            upper, reason = bound, "rank over GF(2): the sequence is a triangular matrix"
        if len(search.best) < upper:
            search.beam(BEAM)
        while len(search.best) < upper:
            clock.say(f"threshold between {len(search.best)} and {upper}; trying {upper}")
            longer = search.sequence(search.R, search.C, upper)
            if longer is None:
                upper, reason = upper - 1, f"there is no sequence of length {upper}"
            else:
                search.best = longer
    except OutOfTime:
        pass  # the bounds so far stand
    except RecursionError:
        stop = "the search became too deep"
    best = search.best
    points = tuple(explicit_class.points[x] for _, x in best)
    concepts = tuple(explicit_class.concepts[row] for row, _ in best)
    reason = reason if len(best) == upper else stop
    return Dimension("threshold", len(best), upper, ThresholdSequence(points, concepts), reason)


def gf2_rank(rows: Iterable[int], clock: Clock) -> int:
    """Rank over GF(2) of a matrix, its rows given as bitsets."""
    basis: dict[int, int] = {}  # reduced rows, by their number of bits
    for row in rows:
        clock.tick()
        remainder = row
        while remainder and (pivot := basis.setdefault(remainder.bit_length(), remainder)) != remainder:
            remainder ^= pivot
    return len(basis)


class _Remainder(NamedTuple):
    """The concepts and points that are left, by their patterns."""

    rows: dict[int, int]
    columns: dict[int, int]


class _Search:
    """The search for a longest sequence, from both ends."""

    def __init__(self, matrix: Labels, clock: Clock) -> None:
        self.clock = clock
        self.rows, self.columns = bitsets(matrix), bitsets(matrix.T)
        self.R, self.C = (1 << len(self.rows)) - 1, (1 << len(self.columns)) - 1
        self.best: NumberPairs = ()
        self._failed: dict[tuple[int, int], int] = {}  # for (R, C), the least length known to be impossible

    def remainder(self, R: int, C: int) -> _Remainder:
        """R and C without duplicates, and without concepts and points that have no label 1 there."""
        columns: dict[int, int] = {}
        for x in members(C):
            columns.setdefault(self.columns[x] & R, x)
        columns.pop(0, None)
        C = bitset(columns.values())
        rows: dict[int, int] = {}
        for c in members(R):
            rows.setdefault(self.rows[c] & C, c)
        rows.pop(0, None)
        R = bitset(rows.values())
        return _Remainder(rows, {pattern & R: x for pattern, x in columns.items()})

    def upper_bound(self, remainder: _Remainder) -> int:
        """An upper bound by counting: the concepts have at least k, k − 1, … labels 1, and 0, 1, … labels 0."""
        rows, columns = remainder
        bound = min(len(rows), len(columns))
        for patterns, width in ((rows, len(columns)), (columns, len(rows))):
            sizes = sorted(map(int.bit_count, patterns))
            for i, (largest, smallest) in enumerate(zip(reversed(sizes), sizes, strict=True)):
                bound = min(bound, largest + i, width - smallest + i + 1)
        return bound

    def sequence(self, R: int, C: int, k: int) -> NumberPairs | None:
        """A sequence of length k ≥ 1 within R and C, None if there is none."""
        beginning: NumberPairs = ()
        end: NumberPairs = ()
        while True:
            self.clock.tick()
            remainder = self.remainder(R, C)
            key = bitset(remainder.rows.values()), bitset(remainder.columns.values())
            if self.upper_bound(remainder) < k or self._failed.get(key, k + 1) <= k:
                return None
            first = _first_pairs(remainder.rows, remainder.columns, k, self.clock)
            last = [(c, x) for x, c in _first_pairs(remainder.columns, remainder.rows, k, self.clock)]
            forward = len(first) <= len(last)
            choices = first if forward else last
            if len(choices) != 1 or k == 1:
                break
            (pair,) = choices  # the only choice, so the search never returns to this point
            beginning, end = ((*beginning, pair), end) if forward else (beginning, (pair, *end))
            R, C = self._continuation(key, pair, forward)
            k -= 1
        for pair in choices:
            rest = () if k == 1 else self.sequence(*self._continuation(key, pair, forward), k - 1)
            if rest is not None:
                return (*beginning, *((pair, *rest) if forward else (*rest, pair)), *end)
        if len(self._failed) < MEMO:
            self._failed[key] = k
        return None

    def _continuation(self, key: tuple[int, int], pair: tuple[int, int], forward: bool) -> tuple[int, int]:
        """The concepts and points, of those in ``key``, that can follow a pair or, backward, precede it."""
        R, C = key
        points, concepts = self.rows[pair[0]], self.columns[pair[1]]  # where c says 1, and which concepts say 1 on x
        return (R & ~concepts, C & points) if forward else (R & concepts, C & ~points)

    def beam(self, width: int) -> None:
        """Improve ``best`` by a heuristic: of the beginnings of one length, keep the ``width`` that leave the most."""
        states: dict[tuple[int, int], NumberPairs] = {(self.R, self.C): ()}
        while states:
            self.best = max(self.best, *states.values(), key=len)
            longer: dict[tuple[int, int], tuple[NumberPairs, tuple[int, int]]] = {}  # a beginning and its next pair
            for state, pairs in states.items():
                self.clock.tick()
                remainder = self.remainder(*state)
                R, C = bitset(remainder.rows.values()), bitset(remainder.columns.values())
                by_size = sorted(remainder.rows, key=int.bit_count, reverse=True)
                for x in remainder.columns.values():
                    c = remainder.rows[next(pattern for pattern in by_size if pattern >> x & 1)]
                    longer[R & ~self.columns[x], C & self.rows[c]] = pairs, (c, x)
            states = {}
            for state in nlargest(width, longer, key=lambda state: state[0].bit_count() * state[1].bit_count()):
                pairs, next_pair = longer[state]
                states[state] = (*pairs, next_pair)


def _first_pairs(rows: dict[int, int], columns: dict[int, int], k: int, clock: Clock) -> list[tuple[int, int]]:
    """The pairs (c, x) that may begin a sequence of length k; those that leave the most points come first."""
    everyone = bitset(rows.values())
    # For each point, the concepts that say 0 on it, if there are at least k − 1 to follow.
    zeros = {x: everyone ^ ones for ones, x in columns.items() if len(rows) - ones.bit_count() >= k - 1}
    pairs = []
    for pattern in _maximal([pattern for pattern in rows if pattern.bit_count() >= k], clock):
        inside = {zeros[x]: x for x in zeros if pattern >> x & 1}
        pairs += [(rows[pattern], inside[zero]) for zero in _maximal(list(inside), clock)]
    return pairs


def _maximal(sets: list[int], clock: Clock) -> list[int]:
    """The sets that no other one contains, the largest first."""
    maximal: list[int] = []
    for _, same_size in groupby(sorted(sets, key=int.bit_count, reverse=True), key=int.bit_count):
        larger = tuple(maximal)  # sets of one size never contain each other
        for bits in same_size:
            clock.tick()
            if not any(bits & superset == bits for superset in larger):
                maximal.append(bits)
    return maximal
