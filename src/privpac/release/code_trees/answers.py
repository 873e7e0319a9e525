"""The counts of nodes of a tree of codes, as a public value that answers queries.

proof: docs/proofs/pruned_trie.md

Throughout this file
    node    the steps of a prefix, as a text or a tuple; or a name of a taxonomy
    kind    "subtree": a node's number counts the records at or below it, and that is what a query asks for.
            "root_path": it counts the records exactly at it, and a query adds up the numbers on the path from the root
            to its node; the answer is at most n, the number of records
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privpac.classes.compositions.rules import ColumnRule
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.tree_orders.paths import EndsWith, HasPrefix, HasSuffix, OnPath, RootPaths, StartsWith
from privpac.classes.tree_orders.taxonomy import AtOrAbove, AtOrBelow, Taxonomy
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.data.counting.prefixes import PrefixesInEngine
from privpac.data.domains.domain import Domain
from privpac.data.domains.hierarchy import Hierarchy, table_sums
from privpac.data.domains.paths import Paths, PathsFromEnd
from privpac.data.samples.prefix_counts import Codes
from privpac.data.samples.sample import Ints, Sample
from privpac.data.values.value_text import value_text
from privpac.exact.entropy import Entropy
from privpac.refusals.option_words import TreeKind
from privpac.release.charts import Chart, count_tree, key_bars
from privpac.release.code_trees.forest import forest, in_preorder
from privpac.release.code_trees.true_counts import node_counts, subtree_counts, tallied_codes
from privpac.release.postprocessing.synthetic import spread
from privpac.release.sanitizer import RECORDS, Answers, Frame, headings, unanswered

EVERY = "all records"  # the name of the root in pictures
CLASSES: dict[tuple[type[Domain], str], Callable[[Any], TreeClass]] = {
    (Paths, "subtree"): lambda paths: StartsWith(paths.separator, paths.height),
    (PathsFromEnd, "subtree"): lambda paths: EndsWith(paths.separator, paths.height),
    (Paths, "root_path"): lambda paths: RootPaths(paths.separator, paths.height),
    (Hierarchy, "subtree"): lambda names: Taxonomy(names, "subtree"),
    (Hierarchy, "root_path"): lambda names: Taxonomy(names, "root_path"),
}


@dataclass(frozen=True)
class CodeCounts(Answers):
    """Nodes in preorder, with their numbers. Other nodes count 0.

    >>> counts = CodeCounts(1000, Paths(None, 7), "subtree", ("", "J", "J1"), (1000, 600, 400))
    >>> counts.count(HasPrefix("J1", None)), counts.count(HasPrefix("K", None))
    (400, 0)
    """

    n: int
    domain: Domain
    kind: TreeKind
    nodes: tuple[Hashable, ...]
    numbers: tuple[int, ...]
    declared: tuple[Hashable, ...] | None = None  # the nodes that queries may be about; None if they are all nodes

    def __post_init__(self) -> None:
        if len(self.nodes) != len(self.numbers) or len(set(self.nodes)) < len(self.nodes):
            raise ValueError("give every node once, with its number")
        if not all(0 <= number <= self.n for number in self.numbers):
            raise ValueError("numbers must lie between 0 and n")
        if not in_preorder(self.nodes, self.tree):
            raise ValueError("nodes must be those of the tree, in preorder")

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The name of the column; () if the records are a bare column, not a table."""
        return self.domain.column_names

    @cached_property
    def tree(self) -> TreeClass:
        """All queries on the column, declared or not."""
        return tree_on(self.domain.columns[0], self.kind)

    @cached_property
    def _count_of(self) -> dict[Hashable, int]:
        return dict(zip(self.nodes, self.numbers, strict=True))

    def count(self, query: Hypothesis) -> int:
        node = self._node(query)
        if self.kind == "subtree":
            return self._count_of.get(node, 0)
        return min(self.n, self._sum_on_path(node))

    def _sum_on_path(self, node: Hashable) -> int:
        return sum(self._count_of.get(on_path, 0) for on_path in _path(self.tree, node))

    def gap(self, sample: Sample | PrefixesInEngine) -> int:
        """The largest error of all queries; in subtrees, nodes that are not shown have the answer 0."""
        numbers = np.array(self.numbers, dtype=np.int64)
        if self.kind == "subtree":
            counts, largest_unlisted = subtree_counts(sample, self.domain, self.tree, self.nodes)
            off = np.abs(numbers - counts)
            if self.declared is not None:
                declared = set(self.declared)
                return int(off[[node in declared for node in self.nodes]].max(initial=0))
            return max(int(off.max(initial=0)), largest_unlisted)
        if isinstance(self.tree, Taxonomy):
            released = _sums_on_paths(self.tree.domain, numbers)
            true = _sums_on_paths(self.tree.domain, node_counts(sample, self.domain, self.tree, self.nodes))
            return int(np.abs(np.minimum(released, self.n) - true).max(initial=0))
        return self._largest_on_paths(tallied_codes(sample, self.domain))

    def _largest_on_paths(self, codes: Codes) -> int:
        """The largest |answer − count| over all paths; if nodes are declared, over the paths to them."""
        true: dict[Any, int] = dict(zip(codes.nodes, codes.counts.tolist(), strict=True))
        if self.declared is not None:
            paths = [_path(self.tree, node) for node in self.declared]
            sums = [(sum(self._count_of.get(v, 0) for v in path), sum(true.get(v, 0) for v in path)) for path in paths]
        else:
            # Sorted nodes are in preorder, so a parent's sums are known before those of its children.
            nodes = sorted({**self._count_of, **true})
            parents, sums = forest(nodes, self.tree).parents.tolist(), []
            for node, parent in zip(nodes, parents, strict=True):
                above = sums[parent] if parent >= 0 else (0, 0)
                sums.append((above[0] + self._count_of.get(node, 0), above[1] + true.get(node, 0)))
        return max((abs(min(released, self.n) - count) for released, count in sums), default=0)

    def counts(self) -> Frame:
        texts = [node if isinstance(self.tree, Taxonomy) else str(self._text(node)) for node in self.nodes]
        if self.kind == "root_path":
            return self._table("value", texts)
        depth = forest(self.nodes, self.tree).depth.tolist()
        indented = ["  " * d + str(text) for d, text in zip(depth, texts, strict=True)]
        title = "name" if isinstance(self.tree, Taxonomy) else "suffix" if isinstance(self.tree, EndsWith) else "prefix"
        return self._table(title, indented)

    def _table(self, title: str, texts: list[object]) -> Frame:
        (heading,) = headings([self._title(title)], RECORDS)
        return {heading: texts, RECORDS: list(self.numbers)}

    @property
    def answers_per_entry(self) -> int | None:
        """1 for subtrees. For root paths 2: the count exactly at a node is its path's answer minus its parent's.

        None if some of these paths may not be asked for, or if the numbers on one add up to more than n, since the
        answer is then n.
        """
        if self.kind == "subtree":
            return 1
        return 2 if self.declared is None and all(self._sum_on_path(node) <= self.n for node in self.nodes) else None

    @property
    def subject(self) -> str:
        if self.kind == "root_path":
            return f"How many records have each {self._title('value')}"
        if isinstance(self.tree, Taxonomy):
            return f"How many records lie at or below each {self._title('name')}"
        part = "suffix" if isinstance(self.tree, EndsWith) else "prefix"
        return f"How many records have each {part}{''.join(f' of {name}' for name in self.columns)}"

    def drawing(self) -> tuple[Chart, ...]:
        unlisted = self.declared is None and not isinstance(self.tree, Taxonomy)
        if self.kind == "root_path":
            keys = [(self._text(node),) for node in self.nodes]
            return (key_bars(self._title(""), keys, self.numbers, unlisted=unlisted),)

        def name_of(i: int) -> str:
            return EVERY if self.nodes[i] == self.tree.root else value_text(self._text(self.nodes[i]))

        depths = (1 + forest(self.nodes, self.tree).depth).tolist()
        return (count_tree(self._title(""), depths, self.numbers, name_of, unlisted=unlisted),)

    def _text(self, node: Hashable) -> Hashable:
        return node if isinstance(self.tree, Taxonomy) else self.tree.decode(node)

    def rows(self, size: int, coins: Entropy) -> Frame:
        """Synthetic codes. A record at or below a node, but below none of its shown children, gets the node's code."""
        # The last entry is for records without any of the declared prefixes.
        numbers, nodes = np.array((*self.numbers, 0), dtype=np.int64), (*self.nodes, self.tree.root)
        if self.kind == "subtree":
            parents = forest(self.nodes, self.tree).parents
            np.subtract.at(numbers, parents[parents >= 0], numbers[:-1][parents >= 0])
            if self.tree.root not in self._count_of:
                numbers[-1] = self.n - sum(self.numbers[i] for i in np.flatnonzero(parents < 0).tolist())
        chosen = [nodes[i] for i in spread(numbers.tolist(), size, coins).tolist()]
        return {self._title("value"): [self._text(node) for node in chosen]}

    def _title(self, default: str) -> str:
        return str(self.columns[0]) if self.columns else default

    def _node(self, query: Hypothesis) -> Hashable:
        """The node that a query is about; Refused if the release does not answer it."""
        rule: Hypothesis | None = query
        if self.columns:
            rule = query.part if isinstance(query, ColumnRule) and query.column == self.columns[0] else None
        node: Hashable = node_of(rule, self.tree)
        if node is None or (self.declared is not None and node not in self.declared):
            on = f" on the column {self.columns[0]}" if self.columns else ""
            which = "declared values" if self.declared is not None else "the nodes of its tree"
            raise unanswered(f"{which}{on}")
        return node


def tree_on(domain: Domain, kind: TreeKind) -> TreeClass:
    """The class of all queries of a kind on a domain.

    >>> tree_on(Paths("/", 3), "root_path")
    RootPaths(separator='/', height=3)
    """
    if (class_on := CLASSES.get((type(domain), kind))) is None:
        raise ValueError("counts of codes need paths or a taxonomy, and their subtrees or root paths")
    return class_on(domain)


def _path(tree: TreeClass, node: Hashable) -> Sequence[Hashable]:
    """The nodes from the root to ``node``."""
    return [tree.ancestor(node, depth) for depth in range(tree.depth(node) + 1)]


def _sums_on_paths(hierarchy: Hierarchy, numbers: Ints) -> Ints:
    """For each node of a taxonomy, the sum of the numbers on the path from the root to it."""
    _, gain = table_sums(hierarchy.parent_numbers, hierarchy.depths, np.zeros_like(numbers), numbers, below=False)
    return np.asarray(gain + numbers[0])  # table_sums leaves out the root, which lies on every path


def node_of(rule: Hypothesis | None, tree: TreeClass) -> Hashable:
    """The node of a rule of ``tree``; None if it is not one of its rules."""
    match rule:
        case Constant(True):
            node = tree.root
        case HasPrefix() | HasSuffix() | OnPath():
            node = rule.steps
        case AtOrAbove(path):
            node = path[-1]
        case AtOrBelow(name):
            node = name
        case _:
            return None
    if isinstance(tree, Taxonomy):
        known = node in tree.domain.parent
    else:
        known = isinstance(node, type(tree.root)) and len(node) <= (tree.height or len(node))
    return node if known and tree.hypothesis(node) == rule else None
