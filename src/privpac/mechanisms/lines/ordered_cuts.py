"""Labeled records of a line in order, and the cuts of the line grouped by their errors.

proof: docs/proofs/threshold_learner.md

Throughout this file
    N         the size of the line 0 … N − 1, up to 2^64 in unsigned integers and beyond it in Python's; b bits
    p         a split: the values up to p are below the cut, those from t = p + 1 on are above it
    err(p)    records that "1 above the cut" gets wrong: ones up to p and zeros beyond it
    gap g     the splits between the values number g − 1 and g; they err alike
    mark      one of a few thousand values of records; a cell holds the values between two neighboring marks
    near      a value beside a gap with few errors: at most a bound

Only near values matter. Within a cell, err falls by at most the number of zeros in it, so most cells can be skipped. A
few *stand-ins* replace the skipped records: one value for all records whose bits first differ from those of the
neighboring near value at the same place. So every node of the trie that holds a near value has the right number of
records.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.samples.sample import InOrder, Ints, Sample
from privpac.exact.exponential_weights import Integers
from privpac.mechanisms.lines.dyadic_trie import MIDDLE, NO_NODES, Nodes, Proposal, bits, inner_nodes, joined_entries

MARKS = 4096  # the number of marks for each label
MARKS_WITHIN = 64  # the number of marks within a cell at the second look
EVERYTHING = 2**62  # a bound on errors that every cut satisfies


class Gaps(NamedTuple):
    """Gap g holds ``lengths[g]`` splits from ``starts[g]`` on, and each of them has ``errors[g]`` errors.

    This holds if the gap is ``whole``. A gap beside a stand-in, or with skipped records, is not whole.
    """

    starts: Integers
    lengths: Integers
    errors: Ints
    whole: NDArray[np.bool_]
    nodes: Nodes


@dataclass(frozen=True, eq=False)
class OrderedCuts:
    """The records of a line of ``size`` values with labels 0 and 1; void ones are in neither.

    >>> records = ordered(Sample(np.array([1, 5, 6], dtype=np.uint64), np.array([False, False, True]), None, 3), 8)
    >>> s = records.splits()
    >>> list(zip(s.starts.tolist(), s.lengths.tolist(), s.errors.tolist()))
    [(0, 1, 2), (1, 4, 1), (5, 1, 0), (6, 1, 1)]
    """

    size: int
    zeros: InOrder
    ones: InOrder

    @property
    def records(self) -> int:
        """The number of records that have a point."""
        return self.zeros.number + self.ones.number

    def errors(self, values: Integers) -> Ints:
        """err of the split at each value."""
        return self.ones.up_to(values) + self.zeros.number - self.zeros.up_to(values)

    def least(self, directions: tuple[bool, ...]) -> int:
        """The fewest errors of any cut or constant; directions are the labels that rules may give above a cut."""

        def least_at(values: Integers, bound: int) -> int:
            upward = self.errors(values)
            by_direction = (upward if above else self.records - upward for above in directions)
            return min(bound, *(int(errors.min(initial=bound)) for errors in by_direction))

        bound = least_at(self._marks, min(self.zeros.number, self.ones.number))  # tells where to look for the least
        return least_at(self._near_values(bound, directions), bound)

    def splits(
        self,
        bound: int = EVERYTHING,
        directions: tuple[bool, ...] = (True,),
        proposals: tuple[Proposal, ...] = (MIDDLE,),
    ) -> Gaps:
        """At least all gaps that err on at most ``bound`` in one of the directions, and what nodes propose."""
        near = self._near_values(bound, directions)
        values = _distinct([near, *self._stand_ins(near)]) if proposals else near
        real = np.zeros(len(values) + 2, dtype=bool)
        real[[0, -1]] = True  # the ends of the line are not stand-ins
        real[1 + np.searchsorted(values, near)] = True
        zeros, ones = (np.append(0, side.up_to(values)) for side in (self.zeros, self.ones))
        below = zeros + ones
        skips_records = self._below(values) > below[:-1]
        ends = np.array([0, self.size - 1], dtype=values.dtype)
        starts, stops = np.append(ends[:1], values), np.append(values, ends[1:])
        nodes = [inner_nodes(values, below, bits(self.size), proposal) for proposal in proposals]
        return Gaps(
            starts,
            stops - starts,
            ones + self.zeros.number - zeros,
            real[1:] & real[:-1] & ~np.append(skips_records, False),
            joined_entries(nodes) if nodes else NO_NODES,
        )

    def _below(self, values: Integers) -> Ints:
        return self.zeros.below(values) + self.ones.below(values)

    def _up_to(self, values: Integers) -> Ints:
        return self.zeros.up_to(values) + self.ones.up_to(values)

    @property
    def _stride(self) -> int:
        return max(len(self.zeros.values), len(self.ones.values)) // MARKS + 1

    @cached_property
    def _marks(self) -> Integers:
        """A few thousand of the values, including the smallest and the largest."""
        sides = self.zeros.values, self.ones.values
        return _distinct([part for side in sides for part in (side[:: self._stride], side[-1:])])

    def _near_values(self, bound: int, directions: tuple[bool, ...]) -> Integers:
        """The values around all gaps that err on at most ``bound`` records, and the least and the largest value."""
        # ``runs``: the first and the last mark of each run of cells that may have few errors, in order. Within these
        # runs, the marks become finer in the first round, and all values in the second.
        marks, runs = self._marks, self._marks[[0, -1]] if len(self._marks) else self._marks
        for stride in (self._stride // MARKS_WITHIN + 1, 1):
            inside = np.searchsorted(runs, marks, "right") % 2 == 1  # cells that begin within a run
            near = inside[:-1] & self._near_cells(marks, bound, directions)
            runs = marks[np.flatnonzero(np.diff(near, prepend=False, append=False))] if len(near) else marks[:0]
            parts = [marks[:1], marks[-1:], runs]
            for side in (self.zeros, self.ones):
                places = np.searchsorted(side.values, runs).reshape(-1, 2)
                parts += [side.values[begin:end:stride] for begin, end in places]
            marks = _distinct(parts)
        return marks

    def _near_cells(self, marks: Integers, bound: int, directions: tuple[bool, ...]) -> NDArray[np.bool_]:
        """In which cells between neighboring marks a cut may err on at most ``bound`` records."""
        fall, rise = (side.below(marks[1:]) - side.up_to(marks[:-1]) for side in (self.zeros, self.ones))
        errors = self.errors(marks[:-1])
        least = [errors - fall if above else self.records - errors - rise for above in directions]
        return np.asarray(np.min(least, axis=0) <= bound)

    def _stand_ins(self, near: Integers) -> list[Integers]:
        """Stand-ins for the records skipped between neighboring near values u < v.

        For every bit z, they are the last values between u and v whose highest bit that differs from u, or from v, is
        bit z.
        """
        gaps = np.flatnonzero(self._below(near[1:]) - self._up_to(near[:-1]))
        if near.dtype.kind == "O":
            return [np.array(self._long_stand_ins(near[g], near[g + 1]), dtype=object) for g in gaps]
        u, v = near[gaps, None], near[gaps + 1, None]
        one = np.ones(1, dtype=near.dtype)
        z = np.arange(bits(self.size)).astype(near.dtype)
        after, before = u | (one << z) * 2 - 1, (v >> z << z) - 1  # modulo 2^64: what wraps is not between u and v
        return [rows[(rows > u) & (rows < v)] for rows in (after, before)]

    def _long_stand_ins(self, u: int, v: int) -> list[int]:
        """Stand-ins between big integers u and v, only at bits where records differ: there may be millions of bits."""
        values: list[int] = []
        for from_below in (True, False):
            x = self._next(u)
            while x < v:
                length = ((u if from_below else v) ^ x).bit_length()  # z + 1
                last = x | (1 << length) - 1 if from_below else (v >> length - 1 << length - 1) - 1
                values += [last] if last < v else []
                x = self._next(min(last, v - 1))
        return values

    def _next(self, value: int) -> int:
        """The first record beyond this value; there is one."""
        places = [(side.values, int(np.searchsorted(side.values, value, "right"))) for side in (self.zeros, self.ones)]
        return min(int(values[place]) for values, place in places if place < len(values))


def _distinct(parts: list[Integers]) -> Integers:
    """All values in order, each once. Sorting is fifty times faster than numpy's hash table."""
    values = np.sort(np.concatenate(parts))
    first: NDArray[np.bool_] = np.append(np.ones(min(len(values), 1), dtype=bool), values[1:] != values[:-1])
    return np.compress(first, values)


def ordered(sample: Sample, size: int) -> OrderedCuts:
    """The records of ``sample``, whose points are numbers of a line of this size, in order."""

    def of_label(mask: NDArray[np.bool_]) -> InOrder:
        counts = None if sample.counts is None else np.compress(mask, sample.counts)
        return InOrder.of(np.compress(mask, sample.points), counts)  # faster than a mask in brackets

    return OrderedCuts(size, of_label(~sample.labels), of_label(sample.labels))
