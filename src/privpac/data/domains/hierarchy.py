"""A tree of names, such as codes of diseases: each name but one, the root, has a parent."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privpac.data.domains.listing import Names
from privpac.data.values.allowed_types import missing
from privpac.data.values.equal_values import hashables
from privpac.refusals.refusal import Refused

Ints = NDArray[np.int64]
TWO_PARENTS = "some names are missing or have two parents; give every name exactly one parent"


@dataclass(frozen=True)
class Hierarchy(Names):
    """Names under one root; ``pairs`` holds (name, parent) for every name, None for the parent of the root.

    >>> tree = Hierarchy.read({"J10": "J", "J11": "J"})
    >>> tree.root, tree.names, tree.depth["J11"], tree.below("J")
    ('J', ('J', 'J10', 'J11'), 1, ('J', 'J10', 'J11'))
    """

    pairs: tuple[tuple[Hashable, Hashable], ...]

    def __post_init__(self) -> None:
        if len(self.parent) < len(self.pairs) or any(missing(name) for name, _ in self.pairs):
            raise Refused("parents", TWO_PARENTS)  # ``read`` checks this too, but not if the pairs come from a file
        if sum(parent is None for _, parent in self.pairs) != 1:
            one_root = "there must be exactly one root, a name without a parent; put one name above all others"
            raise Refused("parents", one_root)
        if len(self.names) < len(self.pairs):
            raise Refused("parents", "the parents form a cycle; every name must lead up to the root")

    @classmethod
    def read(cls, parents: object) -> Hierarchy:
        """The tree in a mapping of names to parents, a DataFrame of two columns, or pairs (name, parent).

        The root is the name without a parent, or whose parent is missing.
        """
        entries = hashables(list(parents.items()) if isinstance(parents, Mapping) else parents, "parents")
        pairs = [entry for entry in entries if isinstance(entry, tuple) and len(entry) == 2]
        if len(pairs) < len(entries) or not pairs:
            raise Refused(
                "parents", "parents must be a mapping of names to parents, two columns, or (name, parent) pairs"
            )
        parent_of: dict[Hashable, Hashable] = {}
        for name, declared_parent in pairs:
            parent = None if missing(declared_parent) else declared_parent
            if missing(name) or parent_of.setdefault(name, parent) != parent:
                raise Refused("parents", TWO_PARENTS)
        parent_of |= {parent: None for parent in parent_of.values() if parent is not None and parent not in parent_of}
        return cls(tuple(parent_of.items()))

    @cached_property
    def parent(self) -> dict[Hashable, Hashable]:
        return dict(self.pairs)

    @cached_property
    def root(self) -> Hashable:
        """The name above all others."""
        return next(name for name, parent in self.pairs if parent is None)

    @cached_property
    def children(self) -> dict[Hashable, list[Hashable]]:
        """The children of each name, in the order they were given."""
        children: dict[Hashable, list[Hashable]] = {name: [] for name, _ in self.pairs}
        for name, parent in self.pairs:
            if parent is not None:
                children[parent].append(name)
        return children

    @cached_property
    def names(self) -> tuple[Hashable, ...]:  # type: ignore[override]
        """All names that lead up to the root, in preorder: a name, then the subtrees of its children, in order."""
        order, stack = [], [self.root]
        while stack:
            order.append(stack.pop())
            stack += reversed(self.children[order[-1]])
        return tuple(order)

    @cached_property
    def depth(self) -> dict[Hashable, int]:
        """How many steps each name lies below the root."""
        depth = {self.root: 0}
        for name in self.names[1:]:
            depth[name] = depth[self.parent[name]] + 1
        return depth

    @cached_property
    def parent_numbers(self) -> Ints:
        """The number of each name's parent; for the root, its own."""
        number = {name: i for i, name in enumerate(self.names)}
        return np.array([number.get(self.parent[name], 0) for name in self.names], dtype=np.int64)

    @cached_property
    def depths(self) -> Ints:
        """The depth of each name, in the order of the names."""
        return np.array([self.depth[name] for name in self.names], dtype=np.int64)

    def path(self, name: Hashable) -> tuple[Hashable, ...]:
        upward = [name]
        while (parent := self.parent[upward[-1]]) is not None:
            upward.append(parent)
        return tuple(reversed(upward))

    def below(self, name: Hashable) -> tuple[Hashable, ...]:
        """``name`` and everything below it: in preorder, the names up to the next one that is not deeper."""
        start = self.encode([name])[0]
        later = range(start + 1, len(self.names))
        end = next((i for i in later if self.depth[self.names[i]] <= self.depth[name]), len(self.names))
        return self.names[start:end]


def table_sums(parents: Ints, depth: Ints, zeros: Ints, ones: Ints, below: bool) -> tuple[Ints, Ints]:
    """The support q and the gain of every node v of a tree.

    ``parents[v]`` is the parent of v; ``depth[v]`` is 0 at the root; ``zeros[v]`` and ``ones[v]`` count the records at
    v with each label. q(v) sums ``ones`` over the nodes at or below v. The gain sums ``ones`` − ``zeros`` over the
    nodes at or below v if ``below``, else over the path to v without the root.

    >>> table_sums(np.array([0, 0, 1]), np.array([0, 1, 2]), np.array([0, 1, 0]), np.array([0, 0, 3]), below=False)
    (array([3, 3, 3]), array([ 0, -1,  2]))
    """
    order = np.argsort(depth, kind="stable")
    layers = np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)[1:]
    q, gain = ones.copy(), np.where((depth > 0) | below, ones - zeros, 0)
    for layer in reversed(layers):
        np.add.at(q, parents[layer], q[layer])
        if below:
            np.add.at(gain, parents[layer], gain[layer])
    for layer in () if below else layers:
        gain[layer] += gain[parents[layer]]
    return q, gain
