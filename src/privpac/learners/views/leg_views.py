"""The learner's view of a sample on spiders and on two-sided intervals: cuts of legs.

proof: docs/proofs/tree_learner.md

Throughout this file
    b      bits of a position on a leg; there are b + 1 levels: the splits of b depths, and the whole leg

Main declarations
    Spiders    a leg for each group
    Sides      a leg to the left and one to the right
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from privpac.classes.base import Hypothesis
from privpac.classes.spider import Spider
from privpac.classes.tree import TwoSided
from privpac.data.sample import Sample
from privpac.learners.views.leg_counts import Legs, cut, leg_chains
from privpac.learners.views.tree_views import Counts, TreeView, chain_counts


@dataclass(frozen=True)
class Spiders(TreeView):
    """A leg for each group, from its largest value down.

    >>> view = Spiders(Spider(bits=8))
    >>> view.levels, str(view.rule(("Boeing", 6)))
    (9, 'group = Boeing and value ≥ 250')
    """

    tree: Spider
    legs: ClassVar[bool] = True
    fallback: ClassVar[tuple[()]] = ()

    @property
    def levels(self) -> int:
        """b splits, and the whole leg."""
        return self.tree.bits + 1

    def counts(self, sample: Sample) -> Counts:
        """Supports and errors of splits and legs above a record with label 1."""
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
class Sides(TreeView):
    """Two legs, to the left and to the right of a center.

    >>> view = Sides(TwoSided(0, 9, center=4))
    >>> view.levels, str(view.rule(7))
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
        """Supports and errors of splits and legs beyond which a record with label 1 lies."""
        points, zeros, ones = sample.tally()
        wide = points.dtype.kind == "O"
        c = self.fallback if wide else np.uint64(self.fallback)
        codes = points if wide else points.astype(np.uint64)
        off, right = codes != c, codes > c
        position = np.where(right, codes - c, c - codes)[off] - (1 if wide else np.uint64(1))
        legs = Legs.of(right[off].astype(np.int64), position, zeros[off], ones[off])
        last = self.tree.domain.size - 1

        def end(leg: int, t: int) -> int:
            return min(self.fallback + t, last) if leg else max(self.fallback - t, 0)

        return _counts(legs, self.bits, int(zeros[~off].sum()), end)

    def rule(self, v: Any) -> Hypothesis:
        """The values from the center to this code."""
        return self.tree.hypothesis(self.tree.decode(v))


def _counts(legs: Legs, bits: int, always: int, tell: Callable[[int, int], Any]) -> Counts:
    """The counts of legs, where every rule errs on ``always`` more records; ``tell`` names (leg, t)."""

    def name(point: int, top: int, index: int) -> Any:
        return tell(int(legs.leg[point]), cut(int(legs.position[point]), bits, top, index))

    ones = np.append(legs.ones, always)
    return chain_counts(ones, leg_chains(legs, bits), name)
