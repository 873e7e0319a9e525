"""The candidates of a sample on a tree, with their supports and errors, and the errors of the root's rule.

proof: docs/proofs/tree_learner.md

Throughout this file
    f          the root's rule: labels of root paths are read as y XOR f(x), so that this rule is 0 everywhere
    H          the height of the tree
    levels     how many levels can hold a candidate (None: any number); a record supports at most one on each
    fallback   the root's rule; for subtrees, never, the rule that answers 0 everywhere
    legs       paths from the root, in a tree that is a union of such paths
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privpac.classes.finite.explicit import Listed
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.data.domains.hierarchy import table_sums
from privpac.data.samples.sample import Ints, Sample
from privpac.learners.tree_orders.chains import Chains, NameOf, chains_of_paths, chains_of_table, stable
from privpac.mechanisms.selection.public_stable import Stable

if TYPE_CHECKING:
    from privpac.dimensions.tree_orders.laminar import TreeOrder


class Counts(NamedTuple):
    """The errors of the fallback, and the candidates with their supports and errors."""

    fallback: int
    stable: Stable


class TreeCandidates(ABC):
    """A class of rules on a tree, in the form that a learner needs."""

    legs: ClassVar[bool] = False  # whether rules are cuts of legs; several of a level may then label too much 1

    @property
    @abstractmethod
    def levels(self) -> int | None:
        """The number of levels that can hold a candidate."""

    @property
    @abstractmethod
    def fallback(self) -> Any:
        """The name of the fallback, which is a candidate for every sample."""

    @abstractmethod
    def counts(self, sample: Sample) -> Counts:
        """The fallback and the candidates of a sample, with their errors."""

    @abstractmethod
    def rule(self, v: Any) -> Hypothesis:
        """The rule of a candidate or of the fallback."""


@dataclass(frozen=True)
class Texts(TreeCandidates):
    """Paths, prefixes, and suffixes of text.

    >>> tree = Texts(RootPaths("/", height=2))
    >>> tree.levels, str(tree.rule(("usr",)))
    (2, 'x lies on the path to usr')
    """

    tree: RootPaths | StartsWith

    @property
    def below(self) -> bool:
        """Whether rules are subtrees."""
        return self.tree.kind == "subtree"

    @property
    def levels(self) -> int | None:
        """H; one more for subtrees, since the root holds a candidate, too."""
        return None if self.tree.height is None else self.tree.height + self.below

    @property
    def fallback(self) -> Any:
        """The root for root paths; None, no node, for subtrees."""
        return None if self.below else self.tree.root

    def counts(self, sample: Sample) -> Counts:
        """Supports and errors of all nodes above a record with label 1."""
        points, zeros, ones = sample.tally()
        nodes = points.tolist()
        if not self.below:
            zeros, ones = _relabeled(np.array([not node for node in nodes], dtype=bool), zeros, ones)
        chains = chains_of_paths(nodes, zeros, ones, self.below)
        level_0 = int(not self.below) if self.levels is None else None
        return chain_counts(ones, chains, lambda i, d, k: nodes[i][: d + k], level_0)

    def rule(self, v: Any) -> Hypothesis:
        """h_v; never if v is None."""
        return Constant(False) if v is None else self.tree.hypothesis(v)


@dataclass(frozen=True)
class Taxa(TreeCandidates):
    """Taxonomies, whose tree is public.

    >>> Taxa(Taxonomy({"J10": "J", "J11": "J"}, kind="subtree")).levels
    2
    """

    tree: Taxonomy

    @property
    def below(self) -> bool:
        """Whether rules are subtrees."""
        return self.tree.kind == "subtree"

    @cached_property
    def levels(self) -> int:
        """H; one more for subtrees, since the root holds a candidate, too; at least 1."""
        return max(self.tree.height + self.below, 1)

    @property
    def fallback(self) -> Any:
        """The root for root paths; None, no name, for subtrees."""
        return None if self.below else 0

    def counts(self, sample: Sample) -> Counts:
        """Supports and errors of all names above a record with label 1."""
        zeros, ones = self._labels(sample)
        names = self.tree.domain
        chains = chains_of_table(names.parent_numbers, names.depths, zeros, ones, self.below)
        return chain_counts(ones, chains, lambda v, *_: v)

    def errors(self, sample: Sample) -> Ints:
        """The errors of every name's rule."""
        zeros, ones = self._labels(sample)
        names = self.tree.domain
        return np.asarray(ones.sum() - table_sums(names.parent_numbers, names.depths, zeros, ones, self.below)[1])

    def _labels(self, sample: Sample) -> tuple[Ints, Ints]:
        """How many records at each name have label 0, and label 1; for root paths, labels are y XOR f."""
        zeros, ones = _at_nodes(sample.points, sample, self.tree.domain.size)
        return (zeros, ones) if self.below else _relabeled(self.tree.domain.depths == 0, zeros, ones)

    def rule(self, v: Any) -> Hypothesis:
        """h_v; never if v is None."""
        return Constant(False) if v is None else self.tree.hypothesis(self.tree.decode(v))


@dataclass(frozen=True)
class OrderCandidates(TreeCandidates):
    """The tree order of an explicit class of VC dimension at most 1. Some nodes may not be concepts of the class."""

    order: TreeOrder

    @cached_property
    def levels(self) -> int:
        """H, at least one."""
        return max(self.order.height, 1)

    @property
    def fallback(self) -> int:
        """The root: the reference concept."""
        return self.order.root

    @cached_property
    def parents(self) -> Ints:
        """The node above each node; for the root, itself."""
        return np.array(self.order.parents, dtype=np.int64)

    @cached_property
    def depth(self) -> Ints:
        """The depth of each node."""
        return np.array([self.order.depth(v) for v in range(len(self.order.parents))], dtype=np.int64)

    @cached_property
    def reference(self) -> NDArray[np.bool_]:
        """f, on all points."""
        c = self.order.concept_class
        return c[self.order.reference][c.columns(c.all_points)]

    @cached_property
    def home(self) -> Ints:
        """The node of every point."""
        c = self.order.concept_class
        return np.array(self.order.homes, dtype=np.int64)[c.columns(c.all_points)]

    def counts(self, sample: Sample) -> Counts:
        """Supports and errors of all nodes above a record whose label differs from f."""
        labels = sample.labels ^ self.reference[sample.points]
        relabeled = Sample(sample.points, labels, sample.counts, sample.size)
        zeros, ones = _at_nodes(self.home[sample.points], relabeled, len(self.parents))
        return chain_counts(ones, chains_of_table(self.parents, self.depth, zeros, ones, below=False), lambda v, *_: v)

    def rule(self, v: Any) -> Hypothesis:
        """h_v XOR f, written out."""
        path = [self.order.ancestor(v, l) for l in range(1, self.order.depth(v) + 1)]
        labels = self.reference ^ np.isin(self.home, path)
        return Listed(self.order.concept_class.all_points, tuple(labels.tolist()))


def chain_counts(ones: Ints, chains: Chains, name_of: NameOf, level_0: int | None = None) -> Counts:
    """The counts for chains of candidates if the fallback errs on all ``ones``."""
    errors = int(ones.sum())
    return Counts(errors, stable(chains, errors, name_of, level_0))


def _relabeled(f: NDArray[np.bool_], zeros: Ints, ones: Ints) -> tuple[Ints, Ints]:
    """The zeros and ones of the labels y XOR f."""
    return np.where(f, ones, zeros), np.where(f, zeros, ones)


def _at_nodes(nodes: Ints, sample: Sample, size: int) -> tuple[Ints, Ints]:
    """How many records at each node of a public tree have label 0, and label 1."""
    counts = np.ones(len(nodes), dtype=np.int64) if sample.counts is None else sample.counts
    totals = np.zeros((2, size), dtype=np.int64)
    np.add.at(totals, (sample.labels.astype(np.intp), nodes), counts)
    return totals[0], totals[1]
