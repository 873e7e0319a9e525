"""Candidates on trees with their supports and gains, for all nodes together.

proof: docs/proofs/tree_learner.md

Throughout this file
    v          a node; d is its depth, 0 at the root; h_v is its rule
    ones, zeros    records with label 1 and 0 at each point
    q(v)       ones at or below v; v is a candidate if q(v) ≥ 1
    gain(v)    errors of the rule that is 0 everywhere minus errors of h_v: ones − zeros, summed over all points at or
               below v (subtrees) or over the points on the path to v, except those at the root (root paths)
    s(v)       (``spare``) for root paths: ones at or below the node two steps above v, but not at or below v; UNLIMITED
               if that node is the root, or there is none. For subtrees 0, because nothing depends on it
    chain      candidates that follow each other on one path, with equal supports, gains, and s
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from privpac.data.domains.hierarchy import table_sums
from privpac.data.domains.paths import next_groups, path_steps
from privpac.data.samples.sample import Ints
from privpac.data.values.columns import totals
from privpac.mechanisms.selection.public_stable import NO_STABLE, Stable

NameOf = Callable[[int, int, int], Any]  # (point, top, i) → the i-th candidate of a chain
UNLIMITED = 2**59  # s of nodes one and two steps below the root: more than any number of records


class Chains(NamedTuple):
    """Chains: ``length`` candidates at or above ``point``, from depth ``top`` down, with equal support, gain, and s."""

    point: Ints
    top: Ints
    length: Ints
    support: Ints
    gain: Ints
    spare: Ints


def chains_of_paths(nodes: Sequence[Any], zeros: Ints, ones: Ints, below: bool) -> Chains:
    """The candidates above distinct ``nodes`` with these records: subtrees if ``below``, else root paths.

    This walks down the tree. At depth d, the nodes that share their first d steps are a group: they lie at or below one
    node of the tree, a candidate if the group has ones. The next step divides the group. A group of one node is a chain
    down to it; for root paths two chains, because the gain changes at the node itself. While no group divides and no
    node ends, the walk skips depths, and each group is a chain.

    At depth d, ``alive`` are the nodes in groups, ``group`` is the group of each, and ``member`` is one node of each
    group. ``q`` and ``gain`` belong to the node of the tree that the group lies at or below; names with "parent" belong
    to the node above that one.

    >>> chains = chains_of_paths(["ab", "a"], np.array([0, 1]), np.array([3, 0]), below=False)
    >>> chains.point, chains.top, chains.support, chains.gain
    (array([1, 0]), array([1, 2]), array([3, 3]), array([-1,  2]))
    """
    steps, start, depth = path_steps(nodes)
    net, d = ones - zeros, 0 if below else 1
    alive = np.flatnonzero(depth >= d)
    group, parent = next_groups(np.zeros_like(alive), steps[start[alive]] if d else np.zeros_like(alive))
    parent_gain, all_chains = np.zeros(len(parent), dtype=np.int64), [Chains(*np.zeros((6, 0), dtype=np.int64))]
    parent_q = grandparent_q = np.full(len(parent), UNLIMITED)
    while alive.size:
        size, q, member = np.bincount(group), totals(group, ones[alive], len(parent)), np.zeros(len(parent), np.int64)
        member[group] = alive
        counts_here = below | (depth[alive] == d)  # a root path gains only the points at its own node here
        gain = totals(group, net[alive] * counts_here, len(parent)) + (0 if below else parent_gain)
        alone, several = np.flatnonzero((size == 1) & (q > 0)), np.flatnonzero((size > 1) & (q > 0))
        end, in_several = depth[member[alone]], np.isin(group, several)  # ``end``: the depth of a node that is alone
        run = max(1, _common_steps((steps, start, depth), alive[in_several], member[group[in_several]], d))
        # For ``run`` depths from d on, no group of several nodes divides, and none of their nodes ends.
        # The chain of a node that is alone ends at the node; for root paths one step above it, unless it is at depth d.
        alone_length = end - d + (below | (end == d))
        for groups, length in (several, np.full(len(several), run)), (alone, alone_length):
            chains = Chains(
                member[groups],
                top=np.full_like(groups, d),
                length=length,
                support=q[groups],
                gain=gain[groups],
                spare=np.zeros_like(groups),
            )
            all_chains += [chains] if below else _divided_by_spare(chains, parent_q[groups], grandparent_q[groups])
        if not below:  # the nodes themselves, below the chains of their groups
            ending = alone[end > d]
            node = member[ending]
            spare = np.where(depth[node] == d + 1, _spare(parent_q[ending], q[ending]), 0)
            all_chains.append(Chains(node, depth[node], np.ones_like(node), q[ending], gain[ending] + net[node], spare))
        stays, d = in_several & (depth[alive] > d), d + run
        alive = alive[stays]
        group, parent = next_groups(group[stays], steps[start[alive] + d - 1])
        parent_gain, parent_q, grandparent_q = gain[parent], q[parent], (q if run > 1 else parent_q)[parent]
    return Chains(*map(np.concatenate, zip(*all_chains, strict=True)))


def _divided_by_spare(chains: Chains, parent_q: Ints, grandparent_q: Ints) -> list[Chains]:
    """Each chain as up to three of equal s, by the supports one and two steps above its top."""
    point, top, length, q, gain, _ = chains
    parts = [
        Chains(point, top, np.minimum(length, 1), q, gain, _spare(grandparent_q, q)),
        Chains(point, top + 1, np.clip(length - 1, 0, 1), q, gain, _spare(parent_q, q)),
        Chains(point, top + 2, np.maximum(length - 2, 0), q, gain, np.zeros_like(q)),
    ]
    return [Chains(*(column[part.length > 0] for column in part)) for part in parts]


def _spare(above: Ints, q: Ints) -> Ints:
    """s of nodes with support q, two steps below nodes with the support ``above``."""
    return np.where(above == UNLIMITED, UNLIMITED, above - q)


def chains_of_table(parents: Ints, depth: Ints, zeros: Ints, ones: Ints, below: bool) -> Chains:
    """The candidates of a tree that is a table of parents, each as a chain of its own."""
    q, gain = table_sums(parents, depth, zeros, ones, below)
    v = np.flatnonzero((q > 0) & ((depth > 0) | below))
    spare = np.zeros_like(v) if below else np.where(depth[v] <= 2, UNLIMITED, q[parents[parents[v]]] - q[v])
    return Chains(v, depth[v], np.ones_like(v), q[v], gain[v], spare)


def stable(chains: Chains, never: int, name_of: NameOf, level_0: int | None = None) -> Stable:
    """The candidates as a selection takes them; ``never`` is how often the rule that is 0 everywhere errs.

    Candidates of equal support, gain, and s are of one kind. Without ``level_0``, candidates of a kind weigh the same,
    and a kind is one entry. With it, each depth of a kind is an entry; ``level_0`` is the depth that counts as level 0.

    >>> two = Chains(*np.array([[0, 1], [1, 1], [2, 1], [7, 7], [5, 5], [0, 0]]))
    >>> (entry,), *rest = stable(two, 9, lambda point, top, i: "ab"[point] * (top + i))
    >>> list(entry), rest
    (['a', 'aa', 'b'], [array([0]), array([7]), array([4]), array([3]), array([0])])
    """
    if not chains.point.size:
        return NO_STABLE
    chains = Chains(*(column[np.lexsort((chains.spare, chains.gain, chains.support))] for column in chains))
    changes = (np.diff(chains.support) != 0) | (np.diff(chains.gain) != 0) | (np.diff(chains.spare) != 0)
    bounds = np.concatenate([[0], np.flatnonzero(changes) + 1, [len(chains.point)]])
    if level_0 is None:
        ends = np.concatenate([[0], np.cumsum(chains.length)])
        kind, depth, counts = np.arange(len(bounds) - 1), None, np.diff(ends[bounds])
    else:
        kind, depth, counts = _kinds_by_depth(chains, np.repeat(np.arange(len(bounds) - 1), np.diff(bounds)))
    level = np.zeros_like(kind) if depth is None or level_0 is None else depth - level_0
    names = Entries(name_of, chains, bounds, kind, depth, counts)
    first = bounds[kind]
    return Stable(names, level, chains.support[first], never - chains.gain[first], counts, chains.spare[first])


def _kinds_by_depth(chains: Chains, kind: Ints) -> tuple[Ints, Ints, Ints]:
    """Each kind at each depth of its chains, sorted by depth: the kind, the depth, and the number of its chains there.

    A chain opens at its top and closes below its last depth. From one such event of a kind to the next, the number of
    open chains stays the same.
    """
    kinds, event = np.tile(kind, 2), np.concatenate([chains.top, chains.top + chains.length])
    order = np.lexsort((event, kinds))
    kinds, event = kinds[order], event[order]
    open_chains = np.cumsum(np.where(order < len(kind), 1, -1))
    depths = np.where(open_chains > 0, np.diff(event, append=0), 0)  # how many depths from each event to the next
    last = np.repeat(np.arange(len(event)), depths)  # the last event at or above each depth
    since_event = np.arange(len(last)) - np.repeat(np.cumsum(depths) - depths, depths)
    depth = event[last] + since_event
    by_depth = np.lexsort((kinds[last], depth))
    last = last[by_depth]
    return kinds[last], depth[by_depth], open_chains[last]


@dataclass(frozen=True, eq=False)
class Entries(Sequence[Any]):
    """The candidates of all entries, as a sequence of sequences; a candidate is named only when it is looked up.

    Entry j has the kind ``kind[j]``, the depth ``depth[j]`` (None: all depths), and ``counts[j]`` candidates. Chains
    ``bounds[k]`` … ``bounds[k + 1]`` − 1 are those of kind k.
    """

    name_of: NameOf
    chains: Chains
    bounds: Ints
    kind: Ints
    depth: Ints | None
    counts: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def __getitem__(self, j: Any) -> Members:
        if not 0 <= j < len(self):
            raise IndexError("the index is beyond the last entry")
        return Members(self, j)


@dataclass(frozen=True, eq=False)
class Members(Sequence[Any]):
    """The candidates of entry ``number``."""

    entries: Entries
    number: int

    def __len__(self) -> int:
        return int(self.entries.counts[self.number])

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < len(self):
            raise IndexError("the index is beyond the last candidate")
        point, top, ends = self._chains
        k = int(np.searchsorted(ends, index, side="right"))
        before = int(ends[k - 1]) if k else 0
        return self.entries.name_of(int(point[k]), int(top[k]), index - before)

    @cached_property
    def _chains(self) -> tuple[Ints, Ints, Ints]:
        """The points and tops of the entry's chains, and how many candidates there are up to the end of each chain."""
        entries, kind = self.entries, self.entries.kind[self.number]
        own = slice(*entries.bounds[kind : kind + 2])
        point, top, length = (column[own] for column in entries.chains[:3])
        if entries.depth is None:
            return point, top, np.cumsum(length)
        d = entries.depth[self.number]
        point = point[(top <= d) & (d < top + length)]
        return point, np.full_like(point, d), 1 + np.arange(len(point))


def _common_steps(paths: tuple[Ints, Ints, Ints], nodes: Ints, leaders: Ints, d: int) -> int:
    """How many steps after depth d all ``nodes`` share with their ``leaders``, but not beyond the end of any node."""
    steps, start, depth = paths
    most, shared, width = int(depth[nodes].min()) - d if nodes.size else 0, 0, 1
    while shared < most:
        width = min(width, most - shared)  # how many steps to compare now
        ahead = np.arange(d + shared, d + shared + width)
        differs = (steps[start[nodes, None] + ahead] != steps[start[leaders, None] + ahead]).any(axis=0)
        if differs.any():
            return shared + int(differs.argmax())
        shared, width = shared + width, 2 * width
    return shared
