"""The true counts of nodes of a tree of codes, for records in memory or in an engine.

A layer is all prefixes of one length that some records have, with their counts. ``Prefixes.descend`` shows the layers
from the root down, and goes on only below the prefixes that its visitor asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.data.counting.prefixes import PrefixesInEngine
from privpac.data.domains.domain import Domain
from privpac.data.domains.hierarchy import table_sums
from privpac.data.samples.prefix_counts import Codes, Layer, Prefixes
from privpac.data.samples.sample import Ints, Sample


def tallied_codes(sample: Sample | PrefixesInEngine, domain: Domain) -> Codes:
    """How many records have each code. A code is given by its path; in a taxonomy, by the number of its name."""
    assert isinstance(sample, Sample)  # an engine counts only prefixes of characters, never whole codes
    points, _, counts = sample.tally()
    column = points[:, 0] if domain.column_names and points.ndim > 1 else points
    return Codes(column.tolist(), counts)


def node_counts(sample: Sample | PrefixesInEngine, domain: Domain, tree: TreeClass, nodes: Sequence[Any]) -> Ints:
    """How many records lie at or below each of the ``nodes``; for root paths, exactly at each."""
    if tree.kind == "subtree":
        return subtree_counts(sample, domain, tree, nodes)[0]
    codes = tallied_codes(sample, domain)
    keys = range(len(nodes)) if isinstance(tree, Taxonomy) else nodes  # in a taxonomy, nodes are always all names
    at_node = dict(zip(codes.nodes, codes.counts.tolist(), strict=True))
    return np.array([at_node.get(key, 0) for key in keys], dtype=np.int64)


def subtree_counts(
    sample: Sample | PrefixesInEngine, domain: Domain, tree: TreeClass, nodes: Sequence[Any]
) -> tuple[Ints, int]:
    """How many records lie at or below each of the ``nodes``; and the largest such count of all other nodes.

    The search goes down only along the paths to ``nodes``: below a node that is on none of them, all counts are at most
    that of the node itself.
    """
    counts = np.zeros(len(nodes), dtype=np.int64)
    if isinstance(tree, Taxonomy):
        codes = tallied_codes(sample, domain)
        hierarchy = tree.domain
        counts[np.array(codes.nodes, dtype=np.int64)] = codes.counts  # here, nodes are always all names
        none = np.zeros_like(counts)
        return table_sums(hierarchy.parent_numbers, hierarchy.depths, none, counts, below=True)[0], 0
    prefixes, largest_unlisted, number = prefixes_of(sample, domain), 0, {node: i for i, node in enumerate(nodes)}
    on_paths: dict[int, list[Any]] = {}  # by depth, the nodes on the paths from the root to ``nodes``
    for prefix in {node[:depth] for node in nodes for depth in range(len(node) + 1)}:
        on_paths.setdefault(len(prefix), []).append(prefix)
    if tree.root in number:
        counts[number[tree.root]] = prefixes.total
    else:
        largest_unlisted = prefixes.total

    def look(layer: Layer) -> NDArray[np.bool_]:
        """Note the counts of one layer, and return which of its nodes to descend below."""
        nonlocal largest_unlisted
        nodes_of_layer = on_paths.get(layer.depth, [])
        in_layer = layer.places(nodes_of_layer)  # −1 if no record lies there
        in_list = np.array([number.get(node, -1) for node in nodes_of_layer], dtype=np.int64)  # −1 if only on a path
        occurring = in_layer >= 0
        listed = occurring & (in_list >= 0)
        counts[in_list[listed]] = layer.counts[in_layer[listed]]
        others = layer.counts.copy()
        others[in_layer[listed]] = 0
        largest_unlisted = max(largest_unlisted, int(others.max(initial=0)))
        below = np.zeros(len(layer.counts), bool)
        below[in_layer[occurring]] = True
        return below

    prefixes.descend(look)
    return counts, largest_unlisted


def prefixes_of(sample: Sample | PrefixesInEngine, domain: Domain) -> Prefixes:
    """The codes of the records, in memory or in an engine, in a form whose prefixes can be counted."""
    return sample if isinstance(sample, PrefixesInEngine) else tallied_codes(sample, domain)
