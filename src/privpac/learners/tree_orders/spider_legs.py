"""The candidates of a sample on spiders and on two-sided intervals: cuts of legs, with their supports and gains.

proof: docs/proofs/tree_learner.md

Throughout this file
    leg        a branch of the tree: positions 0, 1, … 2^b − 1, counted from the root
    b          bits of a position on a leg; there are b + 1 levels: the splits of b depths, and the whole leg
    (g, t)     the rule that is 1 on the first t positions of leg g; t = 0 is the root's rule, the same for all legs
    w          a dyadic node of a leg, at depth l < b: the positions with the same l leading bits. Its split t is the
               first position of its right half, which is a cut t
    q(w)       ones of the leg in w; the split of w is a candidate if q(w) ≥ 1, and so is the whole leg, t = 2^b
    gain       errors of the root's rule minus errors of (g, t): ones − zeros, summed over the first t positions
    chain      candidates with equal supports and gains (chains.py)
    top        says which candidates are in a chain. 4·l: the split of one node at depth l. 4·l + 2·bit + 1: the splits
               of the nodes from depth l on that hold a single point, at the depths where the point's next bit is
               ``bit``. WHOLE_LEG: the whole leg
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.tree_orders.candidates import Counts, TreeCandidates, chain_counts
from privpac.learners.tree_orders.chains import Chains

WHOLE_LEG = -1  # the top of a chain that is a whole leg


@dataclass(frozen=True)
class Spiders(TreeCandidates):
    """A leg for each group, from its largest value down.

    >>> tree = Spiders(Spider(bits=8))
    >>> tree.levels, str(tree.rule(("Boeing", 6)))
    (9, 'group = Boeing and value ≥ 250')
    """

    tree: Spider
    legs: ClassVar[bool] = True
    fallback: ClassVar[tuple[()]] = ()

    @property
    def levels(self) -> int:
        """b + 1: the splits of b depths, and the whole leg."""
        return self.tree.bits + 1

    def counts(self, sample: Sample) -> Counts:
        points, zeros, ones = sample.tally()
        groups, values = zip(*points, strict=True) if len(points) else ((), ())
        names, b = list(dict.fromkeys(groups)), self.tree.bits
        number = {group: i for i, group in enumerate(names)}
        leg = np.fromiter(map(number.__getitem__, groups), dtype=np.int64, count=len(groups))
        position = (1 << b) - 1 - np.array(values, dtype=object)
        position = position.astype(np.uint64) if b <= 64 else position
        return _counts(Legs.of(leg, position, zeros, ones), b, 0, lambda leg, t: (names[leg], t))

    def rule(self, v: Any) -> Hypothesis:
        """The group from a value on."""
        return self.tree.hypothesis((v[0], (1 << self.tree.bits) - v[1]) if v else v)


@dataclass(frozen=True)
class Sides(TreeCandidates):
    """Two legs, to the left and to the right of a center.

    >>> tree = Sides(TwoSided(0, 9, center=4))
    >>> tree.levels, str(tree.rule(7))
    (4, '4 ≤ x ≤ 7')
    """

    tree: TwoSided
    legs: ClassVar[bool] = True

    @property
    def bits(self) -> int:
        """b: the longer leg has at most 2^b positions."""
        return max(self.tree.height - 1, 0).bit_length()

    @property
    def levels(self) -> int:
        return self.bits + 1

    @cached_property
    def fallback(self) -> int:
        """The code of the center."""
        return int(self.tree.encode([self.tree.center])[0])

    def counts(self, sample: Sample) -> Counts:
        points, zeros, ones = sample.tally()
        wide = points.dtype.kind == "O"
        c = self.fallback if wide else np.uint64(self.fallback)
        codes = points if wide else points.astype(np.uint64)
        on_leg, right = codes != c, codes > c
        position = np.where(right, codes - c, c - codes)[on_leg] - (1 if wide else np.uint64(1))
        legs = Legs.of(right[on_leg].astype(np.int64), position, zeros[on_leg], ones[on_leg])
        last = self.tree.domain.size - 1

        def end(leg: int, t: int) -> int:
            """The code of the last value of the rule (leg, t)."""
            return min(self.fallback + t, last) if leg else max(self.fallback - t, 0)

        return _counts(legs, self.bits, int(zeros[~on_leg].sum()), end)

    def rule(self, v: Any) -> Hypothesis:
        """The values from the center to this code."""
        return self.tree.hypothesis(self.tree.decode(v))


class Legs(NamedTuple):
    """Points sorted by leg and position, with the records of each label."""

    leg: Ints
    position: NDArray[Any]
    zeros: Ints
    ones: Ints

    @classmethod
    def of(cls, leg: Ints, position: NDArray[Any], zeros: Ints, ones: Ints) -> Legs:
        """The points in order."""
        order = np.lexsort((position, leg))
        return cls(leg[order], position[order], zeros[order], ones[order])

    @property
    def starts(self) -> Ints:
        """For every point, the first one of its leg."""
        return np.searchsorted(self.leg, self.leg)

    @property
    def gains(self) -> Ints:
        """ones − zeros, summed over all points before each point; and over all points."""
        return np.concatenate([[0], np.cumsum(self.ones - self.zeros)])


def leg_chains(legs: Legs, bits: int) -> Chains:
    """The candidates of all legs; a record supports at most one at each of b + 1 levels.

    This walks down the dyadic nodes. A node with several points is a chain by itself. A node with a single point stands
    for all nodes from there down to the point: two chains, by whether the point lies left or right of the split.
    """
    begin, gains = legs.starts, legs.gains
    group = np.unique(legs.leg, return_inverse=True)[1]
    alive, chains = np.arange(len(group)), [_whole_legs(legs)]
    # At depth l, ``alive`` are the points whose nodes are not chains yet, and ``group`` is the node of each. For each
    # node, ``run`` is where its points begin, ``first`` is its first point, ``size`` is their number, and ``right`` is
    # how many of them lie right of its split.
    for l in range(bits):
        if not alive.size:
            break
        run = np.flatnonzero(np.concatenate([[True], np.diff(group) != 0]))
        size, first = np.diff(np.append(run, len(group))), alive[run]
        bit = _bit(legs.position[alive], bits - 1 - l)
        q, right = np.add.reduceat(legs.ones[alive], run), np.add.reduceat(bit, run)
        several, alone = (size > 1) & (q > 0), (size == 1) & (q > 0)
        point, s = first[alone], first[several]
        gain = gains[s + (size - right)[several]] - gains[begin[s]]
        chains.append(Chains(s, np.full_like(s, 4 * l), np.ones_like(s), q[several], gain, np.zeros_like(s)))
        right_turns = _popcounts(legs.position[point], bits - l)
        for side, length in ((0, bits - l - right_turns), (1, right_turns)):  # the point lies left (0) or right (1)
            at = point[length > 0]
            gain = gains[at + 1 - side] - gains[begin[at]]
            top = np.full_like(at, 4 * l + 2 * side + 1)
            chains.append(Chains(at, top, length[length > 0], legs.ones[at], gain, np.zeros_like(at)))
        stays = np.repeat(several, size)
        alive, group = alive[stays], 2 * group[stays] + bit[stays]
        group = np.cumsum(np.concatenate([[0], np.diff(group) != 0]))[: len(group)]
    return Chains(*map(np.concatenate, zip(*chains, strict=True)))


def cut(position: int, bits: int, top: int, index: int) -> int:
    """The t of candidate ``index`` of a chain above this position.

    >>> cut(1, 2, WHOLE_LEG, 0), cut(1, 2, 0, 0), cut(1, 2, 7, 0)
    (4, 2, 1)
    """
    if top == WHOLE_LEG:
        return 1 << bits
    l, bit, single = top >> 2, top >> 1 & 1, top & 1
    if single:
        l = [depth for depth in range(l, bits) if position >> (bits - 1 - depth) & 1 == bit][index]
    return (position >> (bits - l) << (bits - l)) + (1 << (bits - 1 - l))


def _whole_legs(legs: Legs) -> Chains:
    """The candidates t = 2^b: the legs with ones."""
    first = np.unique(legs.starts)
    q = np.add.reduceat(legs.ones, first) if first.size else first
    gain = np.diff(np.append(legs.gains[first], legs.gains[-1]))
    positive = q > 0
    leg = first[positive]
    top = np.full_like(leg, WHOLE_LEG)
    return Chains(leg, top, np.ones_like(leg), q[positive], gain[positive], np.zeros_like(leg))


def _bit(position: NDArray[Any], place: int) -> Ints:
    """The bit at this place of each position, counted from the last bit."""
    one = 1 if position.dtype.kind == "O" else position.dtype.type(1)
    return np.asarray(position >> (one * place) & one).astype(np.int64)


def _popcounts(position: NDArray[Any], places: int) -> Ints:
    """The number of ones among the last ``places`` bits."""
    if position.dtype.kind == "O":
        return np.array([(p & ((1 << places) - 1)).bit_count() for p in position], dtype=np.int64)
    return np.asarray(np.bitwise_count(position & position.dtype.type((1 << places) - 1)).astype(np.int64))


def _counts(legs: Legs, bits: int, always: int, name_of: Callable[[int, int], Any]) -> Counts:
    """The counts of legs if every rule also errs on ``always`` more records; ``name_of`` names the rule (leg, t)."""

    def name(point: int, top: int, index: int) -> Any:
        return name_of(int(legs.leg[point]), cut(int(legs.position[point]), bits, top, index))

    ones = np.append(legs.ones, always)
    return chain_counts(ones, leg_chains(legs, bits), name)
