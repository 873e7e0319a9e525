"""Candidates on the legs of a spider with their supports and gains.

proof: docs/proofs/tree_learner.md

Throughout this file
    leg        a branch of the tree: positions 0, 1, … 2^b − 1, counted from the root
    (g, t)     the rule that is 1 on the first t positions of leg g; t = 0 is the root's rule, the same for all legs
    w          a dyadic node of a leg, at depth l < b: the positions with the same l leading bits. Its split t is the
               first position of its right half
    q(w)       ones of the leg in w; the split of w is a candidate if q(w) ≥ 1, and so is the whole leg, t = 2^b
    gain       errors of the root's rule minus errors of (g, t): ones − zeros, summed over the first t positions

Main declarations
    Legs        the points of a sample, leg by leg
    leg_chains  all candidates, in chains as in tree_counts. The top of a chain is 4·l for one node, or
                4·l + 2·bit + 1 for all nodes from depth l down to a point whose next bit is ``bit``
    cut         t of a candidate
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.data.sample import Ints
from privpac.learners.views.tree_counts import Chains

WHOLE_LEG = -1  # the top of a chain that is a whole leg


class Legs(NamedTuple):
    """Points sorted by leg and position, with the records of each label."""

    leg: Ints
    position: NDArray[Any]
    zeros: Ints
    ones: Ints

    @classmethod
    def of(cls, leg: Ints, position: NDArray[Any], zeros: Ints, ones: Ints) -> Legs:
        """The points in order.

        >>> Legs.of(np.array([1, 0]), np.array([5, 7]), np.array([0, 2]), np.array([3, 0])).position
        array([7, 5])
        """
        order = np.lexsort((position, leg))
        return cls(leg[order], position[order], zeros[order], ones[order])

    @property
    def starts(self) -> Ints:
        """For every point, the first one of its leg."""
        return np.searchsorted(self.leg, self.leg)

    @property
    def gains(self) -> Ints:
        """ones − zeros, summed over all points before each, and over all."""
        return np.concatenate([[0], np.cumsum(self.ones - self.zeros)])


def leg_chains(legs: Legs, bits: int) -> Chains:
    """The candidates of all legs; a record supports at most one at each of b + 1 levels.

    A node that holds a single point is a chain of all nodes down to that point, divided by whether the point lies
    before the split.

    >>> leg_chains(Legs.of(*np.array([[0, 0], [1, 2], [0, 1], [3, 0]])), 2)
    Chains(point=array([0, 0, 0]), top=array([-1,  0,  7]), length=array([1, 1, 1]), support=array([3, 3, 3]),
    gain=array([2, 3, 0]), spare=array([0, 0, 0]))
    """
    begin, gains = legs.starts, legs.gains
    group = np.unique(legs.leg, return_inverse=True)[1]
    alive, found = np.arange(len(group)), [_whole(legs)]
    for l in range(bits):
        if not alive.size:
            break
        run = np.flatnonzero(np.concatenate([[True], np.diff(group) != 0]))
        size, first = np.diff(np.append(run, len(group))), alive[run]
        bit = _bit(legs.position[alive], bits - 1 - l)
        q, right = np.add.reduceat(legs.ones[alive], run), np.add.reduceat(bit, run)
        several, alone = (size > 1) & (q > 0), (size == 1) & (q > 0)
        i, s = first[alone], first[several]
        gain = gains[s + (size - right)[several]] - gains[begin[s]]
        found.append(Chains(s, 4 * l + 0 * s, np.ones_like(s), q[several], gain, 0 * s))
        after = _popcounts(legs.position[i], bits - l)
        for b, length in ((0, bits - l - after), (1, after)):
            at = i[length > 0]
            gain = gains[at + 1 - b] - gains[begin[at]]
            found.append(Chains(at, 4 * l + 2 * b + 1 + 0 * at, length[length > 0], legs.ones[at], gain, 0 * at))
        stays = np.repeat(several, size)
        alive, group = alive[stays], 2 * group[stays] + bit[stays]
        group = np.cumsum(np.concatenate([[0], np.diff(group) != 0]))[: len(group)]
    return Chains(*map(np.concatenate, zip(*found, strict=True)))


def cut(position: int, bits: int, top: int, index: int) -> int:
    """t of the candidate number ``index`` of a chain above this position.

    >>> cut(1, 2, WHOLE_LEG, 0), cut(1, 2, 0, 0), cut(1, 2, 7, 0)
    (4, 2, 1)
    """
    if top == WHOLE_LEG:
        return 1 << bits
    l, bit, down = top >> 2, top >> 1 & 1, top & 1
    if down:
        l = [each for each in range(l, bits) if position >> (bits - 1 - each) & 1 == bit][index]
    return (position >> (bits - l) << (bits - l)) + (1 << (bits - 1 - l))


def _whole(legs: Legs) -> Chains:
    first = np.unique(legs.starts)
    q = np.add.reduceat(legs.ones, first) if first.size else first
    gain = np.diff(np.append(legs.gains[first], legs.gains[-1]))
    kept = q > 0
    whole = first[kept]
    return Chains(whole, WHOLE_LEG + 0 * whole, np.ones_like(whole), q[kept], gain[kept], 0 * whole)


def _bit(position: NDArray[Any], place: int) -> Ints:
    one = 1 if position.dtype.kind == "O" else position.dtype.type(1)
    return np.asarray(position >> (one * place) & one).astype(np.int64)


def _popcounts(position: NDArray[Any], places: int) -> Ints:
    """The number of trailing bits that are 1."""
    if position.dtype.kind == "O":
        return np.array([(p & ((1 << places) - 1)).bit_count() for p in position], dtype=np.int64)
    counts: Ints = np.bitwise_count(position & position.dtype.type((1 << places) - 1)).astype(np.int64)
    return counts
