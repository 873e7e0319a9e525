"""Split trees that are deliberately broken, each in one place, and the crowds among which this shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb

from privpac.audit.claims.case import Case, Records
from privpac.data.samples.sample import InOrder
from privpac.mechanisms.lines.line_tree import LineTree
from privpac.mechanisms.lines.split_tree import SplitTree
from privpac.privacy.budget import Budget
from privpac.privacy.rounding import ball

EIGHT = LineTree(8)
PLACES = (*range(8), None)


def in_order(records: Records) -> InOrder:
    """Values on a line, None if void, as the split tree sees them.

    >>> in_order((3, None, 1)).values.tolist()
    [1, 3]
    """
    return InOrder.of(np.array([value for value in records if value is not None], dtype=np.uint64), None)


def two_paths(tree: SplitTree, gaining: int = 4, losing: int = 0) -> Records:
    """Records at two values of a line of eight, in different halves.

    At ``gaining``, the node of depth 2 lies exactly at its floor, where one record more helps most.
    At ``losing`` there are enough records to make a cut almost certain, and so a cell very unlikely.
    """
    return (gaining,) * (tree.theta + 2 * tree.step - tree.floor) + (losing,) * (tree.theta + 4 * tree.step)


def split_tree_cases() -> Iterator[Case]:
    """Claims that are almost reached: three levels add up to all but a few percent of infinitely many."""
    for ε, θ, d, w in ((Fraction(1, 5), 12, 20, 10), (1, 3, 4, 2), (6, 1, 1, 1)):
        cost = Budget(ε)
        for tree in (EIGHT, LineTree(8, 4)):
            split = SplitTree(cost, tree, θ, d, w)
            crowd = two_paths(split)
            about = f"8 values from {-tree.origin} on, θ = {θ}, d = {d}, w = {w}, {len(crowd)} more records"
            yield Case(split, in_order, about, PLACES, 1, cost, crowd=crowd)


@dataclass(frozen=True)
class SameThreshold(SplitTree):
    """d = 0, at the price of d."""

    def threshold(self, depth: int) -> int:
        """θ + d at all depths."""
        return super().threshold(1)


@dataclass(frozen=True)
class NoLeast(SplitTree):
    """Nodes are cut by their own counts, however small."""

    def least(self, depth: int) -> int:
        """None."""
        return 0


@dataclass(frozen=True)
class OnePath(SplitTree):
    """The larger of the two prices, not their sum."""

    def price(self, x: Fraction) -> arb:
        """Of adding or removing a record."""
        return self.gains(x)  # which is at least x


@dataclass(frozen=True)
class FirstLevel(SplitTree):
    """A price that leaves out all levels but one."""

    def gains(self, x: Fraction) -> arb:
        """g(w)."""
        return ball(x)
