"""Codes counted prefix by prefix, from the root down: only the prefixes that extend a chosen one are counted.

Throughout this file
    node     a prefix of a code, as its first steps; its count is the number of records whose codes begin with it
    layer    the nodes of one depth that are counted, in an order that does not depend on the order of records
    choose   the caller's function: from the (noisy) counts of a layer, a mask of the nodes below which to go on
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.paths import PathNode, next_groups, path_steps
from privpac.data.samples.sample import Ints
from privpac.data.values.columns import totals


class Layer(Protocol):
    """The nodes of one depth, and how many records each has; every node has at least one."""

    @property
    def depth(self) -> int: ...
    @property
    def counts(self) -> Ints: ...
    def nodes_at(self, which: Ints) -> list[Any]:
        """The nodes with these numbers in the layer."""

    def places(self, nodes: Sequence[Any]) -> Ints:
        """The numbers of these nodes in the layer, −1 for those that it does not have."""


Choose = Callable[[Layer], NDArray[np.bool_]]


@runtime_checkable
class Prefixes(Protocol):
    """Codes whose prefixes can be counted."""

    @property
    def total(self) -> int:
        """How many records have a code."""

    def descend(self, choose: Choose) -> None:
        """Pass ``choose`` the nodes of depth 1, then those of depth 2 below the nodes that it chooses, and so on."""


class Codes(NamedTuple):
    """Distinct codes as nodes, all texts or all tuples, and how many records have each.

    >>> codes = Codes(["ab", "ac", "b"], np.array([3, 2, 1]))
    >>> codes.descend(lambda layer: print(layer.counts) or layer.counts > 1)
    [5 1]
    [3 2]
    """

    nodes: Sequence[Any]
    counts: Ints

    @property
    def total(self) -> int:
        return int(self.counts.sum())

    def descend(self, choose: Choose) -> None:
        steps, start, length = path_steps(self.nodes)
        alive, depth = np.flatnonzero(length), 1  # the codes that reach this depth below chosen nodes
        group = np.zeros_like(alive)  # codes in one group have the same prefix
        while alive.size:
            group, parent = next_groups(group, steps[start[alive] + depth - 1])
            code = np.zeros(len(parent), dtype=np.int64)
            code[group] = alive  # one code of each group
            layer = _CodeLayer(depth, totals(group, self.counts[alive], len(parent)), self.nodes, code)
            stays = choose(layer)[group] & (length[alive] > depth)
            alive, group, depth = alive[stays], group[stays], depth + 1


@dataclass(frozen=True, eq=False)
class _CodeLayer:
    """A layer in which node i is the prefix of the code ``codes[code[i]]``."""

    depth: int
    counts: Ints
    codes: Sequence[PathNode]
    code: Ints

    def nodes_at(self, which: Ints) -> list[Any]:
        return [self.codes[i][: self.depth] for i in self.code[which].tolist()]

    def places(self, nodes: Sequence[Any]) -> Ints:
        number = {node: i for i, node in enumerate(self.nodes_at(np.arange(len(self.code))))}
        return np.array([number.get(node, -1) for node in nodes], dtype=np.int64)
