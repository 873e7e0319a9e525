"""Explicit classes, thresholds and points as trees [Yan25, §4].

Throughout this file
    ∅       the root, above all points        d(v)    how many steps v lies below ∅        f    the reference concept
    l       a depth
    canon, ref_label, closure, …    see TreeClass, whose contract these classes implement
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.classes.values.points import OneOf, Points
from privpac.data.domains.anything import Anything
from privpac.data.domains.line import Line
from privpac.data.domains.listing import Listing
from privpac.data.values.equal_values import canonical
from privpac.dimensions.tree_orders.laminar import TreeOrder


@dataclass(frozen=True, eq=False, repr=False)
class TreeOrderClass(TreeOrder, TreeClass):
    """The tree of an explicit class. Some of its paths may not be concepts [Yan25, Def. 17] (E-Yan25-8).

    >>> from privpac.classes.finite.explicit import ExplicitClass
    >>> from privpac.dimensions.tree_orders.laminar import tree_order
    >>> order = tree_order(ExplicitClass([[0, 0, 1], [1, 0, 1], [1, 1, 1]], points="abc"))
    >>> print(TreeOrderClass.of(order).hypothesis(1))
    x is one of a, c
    """

    @classmethod
    def of(cls, order: TreeOrder) -> TreeOrderClass:
        """The same tree, as a class."""
        return cls(order.concept_class, order.reference, order.parents, order.homes, order.ends)

    @property
    def size(self) -> int:
        return self.concept_class.size

    @property
    def domain(self) -> Listing:
        return self.concept_class.domain

    def hypothesis(self, v: int) -> Listed:
        """1 on the path to v, XOR f."""
        C, path = self.concept_class, [self.ancestor(v, depth) for depth in range(1, self.depth(v) + 1)]
        columns = C.columns(C.all_points)  # points that no concept tells apart share a column
        on_path = np.isin(self.homes, path)  # ``homes`` has the node of each column
        labels = (C[self.reference] ^ on_path)[columns]
        return Listed(C.all_points, tuple(labels.tolist()))


@dataclass(frozen=True)
class Chain(TreeClass):
    """Thresholds in one direction, as a chain of nodes.

    The node of a value is its number, and ∅ is the number after the last one (direction "above") or before the first.

    >>> chain = Chain(Thresholds(0, 9, direction="above"))
    >>> chain.height, chain.depth(7), str(chain.hypothesis(chain.ancestor(3, 3)))
    (10, 3, 'x ≥ 7')
    """

    thresholds: Thresholds

    @cached_property
    def _above(self) -> bool:
        return self.thresholds.direction == "above"

    @property
    def size(self) -> int:
        return self.thresholds.size

    @property
    def domain(self) -> Line:
        return self.thresholds.domain

    @cached_property
    def height(self) -> int:
        return self.domain.size

    @cached_property
    def root(self) -> int:
        return self.height if self._above else -1

    def canon(self, x: Hashable) -> int:
        return int(self.encode([x])[0])

    def ref_label(self, x: Hashable) -> bool:
        return False

    def hypothesis(self, v: int) -> Hypothesis:
        """All values from v on, or up to v."""
        return self.thresholds.at(v, above=True) if self._above else self.thresholds.at(v + 1, above=False)

    def depth(self, v: int) -> int:
        """How many values the rule of v contains."""
        return abs(v - self.root)

    def ancestor(self, v: int, l: int) -> int:
        return self.root - l if self._above else self.root + l

    def children(self, v: int) -> list[int]:
        return [self.ancestor(v, self.depth(v) + 1)] if self.depth(v) < self.height else []


@dataclass(frozen=True)
class Star(TreeClass):
    """Points: every value is a leaf below ∅. The rule of ∅ is "never", which is not a concept of the class.

    >>> print(Star(Points()).hypothesis(("EV",)))
    x = EV
    """

    points: Points
    height: ClassVar[int] = 1
    root: ClassVar[tuple[()]] = ()

    @property
    def domain(self) -> Anything:
        return self.points.domain

    def canon(self, x: Hashable) -> tuple[Hashable]:
        """The value in canonical form, so that equal values such as 1 and 1.0 have the same node."""
        return (canonical(x),)

    def hypothesis(self, v: tuple[Hashable, ...]) -> Hypothesis:
        """x = v; never, at the root."""
        return OneOf(frozenset(v)) if v else Constant(False)

    def depth(self, v: tuple[Hashable, ...]) -> int:
        return len(v)

    def ancestor(self, v: tuple[Hashable, ...], l: int) -> tuple[Hashable, ...]:
        return v[:l]

    def children(self, v: tuple[Hashable, ...]) -> Iterable[tuple[Hashable, ...]]:
        if v:
            return ()
        raise ValueError("the values of points are not listed; list some points of the class with materialize(points)")

    def is_proper(self, v: tuple[Hashable, ...]) -> bool:
        return bool(v)
