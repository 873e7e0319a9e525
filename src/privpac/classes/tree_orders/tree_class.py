"""Classes whose concepts are the nodes of a tree.

Throughout this file
    T      a tree; u ≥ v when u lies on the path from the root to v        l      a depth
    h_v    the concept of node v. Kind "root_path": 1 on all u ≥ v. Kind "subtree": 1 on all u ≤ v
    f      the reference concept: 1 on the root alone for root paths, 0 everywhere for subtrees
    N(v)   the weight of v: the largest d with 2^d ≤ N(v) is the Littlestone dimension of the root paths through v
    μ      the function that combines the weights of the children of v, and a 1 for h_v itself, into N(v)

The classes of kind "root_path" are the classes of VC dimension 1 [Yan25, §4]; those of kind "subtree" are laminar and
have VC dimension at most 2. A missing value is not a node: its label is False.
"""

from __future__ import annotations

from abc import abstractmethod
from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from privpac.classes.concept_class import ConceptClass, Known
from privpac.classes.hypothesis import Hypothesis, Value
from privpac.classes.lines.intervals import Intervals
from privpac.classes.lines.rules import Interval
from privpac.data.domains.line import Line
from privpac.refusals.option_words import TreeKind

PAGE = "docs/proofs/dimensions.md"
Node = Any  # a hashable value: a text, a tuple of steps, a name, …


class TreeClass(ConceptClass):
    """A class with a concept for each node of a tree, or only for its proper nodes (see :meth:`is_proper`)."""

    kind: TreeKind = "root_path"

    @property
    def size(self) -> int | float:
        """The number of concepts: one for each value of the domain."""
        return self.domain.size

    @property
    @abstractmethod
    def height(self) -> int | None:
        """The largest depth of a node; None if depth is unbounded."""

    @property
    @abstractmethod
    def root(self) -> Node:
        """The node above all others."""

    @abstractmethod
    def canon(self, x: Value) -> Node:
        """The node of a point; None if all concepts have the label :meth:`ref_label` there."""

    @abstractmethod
    def hypothesis(self, v: Node) -> Hypothesis:
        """The concept h_v of a node."""

    @abstractmethod
    def depth(self, v: Node) -> int:
        """The number of steps from the root to ``v``."""

    @abstractmethod
    def ancestor(self, v: Node, l: int) -> Node:
        """The node at depth ``l`` on the path from the root to ``v``, for 0 ≤ l ≤ depth(v)."""

    @abstractmethod
    def children(self, v: Node) -> Iterable[Node]:
        """The nodes one step below ``v``; ValueError if they cannot be listed."""

    def parent(self, v: Node) -> Node:
        """The node one step above ``v``; None above the root."""
        return self.ancestor(v, self.depth(v) - 1) if self.depth(v) else None

    def ref_label(self, x: Value) -> bool:
        """f(x)."""
        return self.kind == "root_path" and self.canon(x) is None

    def is_proper(self, v: Node) -> bool:
        """Whether h_v belongs to the class."""
        return True

    def closure(self, points: Iterable[Value]) -> Node:
        """The node of the least concept that contains ``points``; None if there is no such concept."""
        nodes = self._nodes(points)
        if self.kind == "subtree":
            return self._meet(nodes) if nodes else None
        v = max(nodes, key=self.depth, default=self.root)
        on_one_path = all(self.ancestor(v, self.depth(u)) == u for u in nodes)
        return v if on_one_path and self.is_proper(v) else None

    def representatives(self, points: Sequence[Value]) -> list[Hypothesis]:
        """The concepts of the points' nodes (for subtrees, also of all nodes above), and one that contains no point."""
        nodes = self._nodes(self.named(points))
        if self.kind == "subtree":
            nodes = list(dict.fromkeys(self.ancestor(v, l) for v in nodes for l in range(self.depth(v) + 1)))
        concepts = [self.hypothesis(v) for v in nodes]
        return list(dict.fromkeys([*concepts, *self._concept_without(set(nodes))]))

    def _concept_without(self, nodes: set[Node]) -> list[Hypothesis]:
        """A list of one concept that contains none of ``nodes``; empty if there is none.

        For subtrees, ``nodes`` must include all their ancestors. For root paths, it is the path of the root alone:
        no node in ``nodes`` is the root (see :meth:`canon`).
        """
        return [self.hypothesis(self.root)]

    def _nodes(self, points: Iterable[Value]) -> list[Node]:
        """The distinct nodes of points, without None."""
        nodes = dict.fromkeys(map(self.canon, points))
        nodes.pop(None, None)
        return list(nodes)

    def _meet(self, nodes: Sequence[Node]) -> Node:
        """The deepest node above all ``nodes``."""
        l = min(map(self.depth, nodes))
        while len({self.ancestor(v, l) for v in nodes}) > 1:
            l -= 1
        return self.ancestor(nodes[0], l)


def merge(weights: Iterable[int]) -> int:
    """μ of some weights. If the two largest have the same top bit 2^b, they add 2^(b + 1), and the rest add nothing.

    Otherwise the largest adds its top bit; its other bits stay among the weights, and the same rule applies again.

    >>> merge([1, 1]), merge([3, 2]), merge([5, 3]), merge([4, 1, 1, 1]), merge([])
    (2, 4, 8, 6, 0)
    """
    entries, total = sorted(weights), 0
    while entries and (largest := entries.pop()):
        top_bit = 1 << (largest.bit_length() - 1)
        if entries and entries[-1] >= top_bit:
            return total + 2 * top_bit
        total += top_bit
        insort(entries, largest - top_bit)
    return total


@dataclass(frozen=True)
class TwoSided(TreeClass):
    """All values between ``center`` and t, inclusive, for every t from ``low`` to ``high``, on any line but text.

    The tree has the center as its root and two branches, to the left and to the right.

    >>> around = TwoSided(0, 9, center=4)
    >>> print(around.hypothesis(7), around.hypothesis(1), around.known("Littlestone").value)
    4 ≤ x ≤ 7 1 ≤ x ≤ 4 3
    >>> around.canon(4), around.ref_label(4), around.depth(1), around.ancestor(1, 2)
    (None, True, 3, 2)
    """

    low: Value
    high: Value
    center: Value

    def __post_init__(self) -> None:
        Intervals(self.low, self.high)  # refuses invalid bounds
        if self.domain.sides([self.center])[0] != 0:
            raise ValueError("center must lie between low and high")
        object.__setattr__(self, "center", self.root)

    @property
    def domain(self) -> Line:
        return Line(self.low, self.high)

    @property
    def height(self) -> int:
        return max(self._branches)

    @property
    def root(self) -> Node:
        return self.decode(self._code(self.center))

    @property
    def _branches(self) -> tuple[int, int]:
        """The numbers of values below the center and above it."""
        below = self._code(self.center)
        return below, self.domain.size - 1 - below

    def _code(self, v: Node) -> int:
        return int(self.encode([v])[0])

    def canon(self, x: Value) -> Node:
        """The value; None at the center, which every concept contains."""
        v = self.decode(self._code(x))
        return None if v == self.root else v

    def hypothesis(self, v: Node) -> Interval:
        return Interval(*sorted([self.root, v]))

    def depth(self, v: Node) -> int:
        return abs(self._code(v) - self._code(self.center))

    def ancestor(self, v: Node, l: int) -> Node:
        """The value ``l`` steps from the center toward ``v``."""
        center = self._code(self.center)
        return self.decode(center + (l if self._code(v) > center else -l))

    def children(self, v: Node) -> list[Node]:
        """The next value outward; two values at the center."""
        code, center = self._code(v), self._code(self.center)
        outward = [code - 1] * (code <= center) + [code + 1] * (code >= center)
        return [self.decode(c) for c in outward if 0 <= c < self.domain.size]

    def known(self, kind: str) -> Known | None:
        """All dimensions but the dual VC and Littlestone ones."""
        value = {
            "VC": min(1, self.size - 1),
            "Littlestone": merge([*self._branches, 1]).bit_length() - 1,
            "threshold": self.height + 1,
            "dual threshold": self.height + 1,
        }.get(kind)
        return None if value is None else Known(value, f"{PAGE}, Tree orders")
