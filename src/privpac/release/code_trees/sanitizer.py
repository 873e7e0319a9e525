"""How many codes start with each prefix, or lie on each path: heavy prefixes of an unknown tree, or all declared nodes.

proof: docs/proofs/pruned_trie.md

Throughout this file
    tree     the class of queries on one column: StartsWith, EndsWith, RootPaths, or Taxonomy
    below    whether counts are those of subtrees; for root paths, they are those of single nodes
    H        the most counts that one record is in, without that of the root: one for each step of its code
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privpac.classes.compositions.compose import OnColumn
from privpac.classes.concept_class import ConceptClass
from privpac.classes.tree_orders.paths import RootPaths, StartsWith
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TreeClass
from privpac.classes.values.declared_values import Candidates
from privpac.data.counting.prefixes import PrefixesInEngine
from privpac.data.domains.paths import MOST_STEPS
from privpac.data.samples.prefix_counts import Codes, Prefixes
from privpac.data.samples.sample import Ints, Sample
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.histograms.pruned_trie import PrunedTrie
from privpac.mechanisms.noise.gaussian import GaussianCounts
from privpac.privacy.accounting.gaussian_counts import worth
from privpac.privacy.ledger import Records
from privpac.refusals.refusal import Refused, Setting
from privpac.release.code_trees.answers import CodeCounts
from privpac.release.code_trees.forest import forest, within_parents
from privpac.release.code_trees.true_counts import node_counts, prefixes_of, tallied_codes
from privpac.release.noise_choice import Noise, noise_for, public_total
from privpac.release.sanitizer import Sanitizer
from privpac.requests.conditions import Terms


@dataclass(frozen=True)
class CodeTreeSanitizer(Sanitizer):
    """Counts of all prefixes of codes, of all subtrees of a taxonomy, or of all paths from the root.

    Privacy   (ε, δ), for all inputs: pruned trie, Theorems 1 and 2; ε, if the tree is declared and δ = 0
    Utility   measured; at ε = 1, δ = 10⁻⁶, and 7 steps, a prefix of 140 or more records is almost always shown
    Time      O(distinct codes) for each step, as far down as prefixes are shown

    >>> from privpac.release.private_release import PrivateRelease
    >>> codes = ["J10.1"] * 700 + ["J10.8"] * 500 + ["K20"] * 800 + ["Z99"]
    >>> release = PrivateRelease(StartsWith(height=5), epsilon=1, delta=1e-6).fit(codes)
    >>> [text.strip() for text in release.counts()["prefix"]][:4]
    ['', 'J', 'J1', 'J10']
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (StartsWith, RootPaths, Taxonomy, Candidates, OnColumn)
    title: ClassVar[str] = "noisy counts of a tree of codes"
    theorem: ClassVar[str] = "pruned trie, Theorems 1 to 3"

    extra_weight: Fraction = Fraction(0)  # κ: how many counts a certificate at the same cost is worth; 0 without one

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return _tree_and_declared(concept_class)[0] is not None

    @classmethod
    def for_class(cls, concept_class: ConceptClass, terms: Terms) -> Self | None:
        tree, declared = _tree_and_declared(concept_class)
        if isinstance(tree, StartsWith) and declared is None and not 1 <= (tree.height or 0) <= MOST_STEPS:
            H = Setting.to("height", 7)
            raise Refused("height", f"declare how many steps a code has, at most {MOST_STEPS}, for example ", H)
        declared_tree = declared is not None or isinstance(tree, Taxonomy)
        return cls(concept_class, terms) if declared_tree else super().for_class(concept_class, terms)

    @cached_property
    def tree(self) -> TreeClass:
        """The class of queries, without the column that they read."""
        tree, _ = _tree_and_declared(self.concept_class)
        assert tree is not None  # for_class refuses other classes
        return tree

    @cached_property
    def listed(self) -> tuple[Any, ...] | None:
        """The public nodes whose counts are released, in preorder; None if nobody declared them."""
        tree, declared = _tree_and_declared(self.concept_class)
        if isinstance(tree, Taxonomy):
            return tree.domain.names
        if declared is None or self.tree.kind == "subtree":
            return declared
        return tuple(sorted({node[:depth] for node in declared for depth in range(len(node) + 1)}))

    @property
    def records_in_engine(self) -> type[PrefixesInEngine] | None:
        return PrefixesInEngine if isinstance(self.tree, StartsWith) else None

    @property
    def all_have_codes(self) -> bool:
        """Whether each of the n records has a code."""
        return public_total(self.terms, 1) is not None

    @property
    def mechanism(self) -> Noise | PrunedTrie:
        """Noisy counts of the listed nodes; if nobody declared them, of the nodes that have enough records."""
        below, tree = self.tree.kind == "subtree", self.tree
        if self.listed is None:
            root = tree.root if below and not self.all_have_codes else None
            H = (tree.height or 1) if below else 1  # for root paths, a whole code is a single step
            return PrunedTrie(self.cost, H, root, self.extra_weight)
        H = 1
        if below:  # all nodes on the longest path, without the root
            H = max(int(forest(self.listed, tree).depth.max()) + (tree.root not in self.listed), 1)
        return noise_for(self.cost, 2 * H, len(self.listed), self.extra_weight)

    def with_certificate(self, share: Fraction) -> tuple[Self, Fraction] | None:
        """With ``extra_weight`` worth ``share`` of the cost, if the noise is Gaussian; one record changes d counts."""
        match self.mechanism:
            case PrunedTrie(height=H):
                d = 2 * H
            case GaussianCounts(squared_sensitivity=d):
                pass
            case _:
                return None
        noisier = replace(self, extra_weight=worth(share, d))
        match noisier.mechanism:
            case PrunedTrie() | GaussianCounts() as counts:
                return noisier, counts.variance / noisier.extra_weight
        return None

    def run(self, records: Records, ask: Ask) -> CodeCounts:
        n, below, nodes = records.size, self.tree.kind == "subtree", self.listed
        released = ask(self.mechanism, records.see(self._counts))
        shown = released if nodes is None else dict(zip(nodes, released.tolist(), strict=True))
        if below and self.all_have_codes and (nodes is None or self.tree.root in nodes):  # the root's count is public
            shown = {self.tree.root: n} | {node: c for node, c in shown.items() if node != self.tree.root}
        if not below and nodes is None:
            shown = {node: number for (node,), number in shown.items()}  # ``_counts`` made each code a single step
        numbers = np.array([min(max(number, 0), n) for number in shown.values()], dtype=np.int64)
        if below:
            numbers = within_parents(numbers, forest(list(shown), self.tree), n)
        declared = _tree_and_declared(self.concept_class)[1]
        return CodeCounts(n, self.domain, self.tree.kind, tuple(shown), tuple(numbers.tolist()), declared)

    def _counts(self, sample: Sample | PrefixesInEngine) -> Ints | Prefixes:
        """The counts that the mechanism sees; for root paths, whole codes are single steps."""
        if self.listed is not None:
            return node_counts(sample, self.domain, self.tree, self.listed)
        if self.tree.kind == "subtree":
            return prefixes_of(sample, self.domain)
        codes = tallied_codes(sample, self.domain)
        return Codes([(node,) for node in codes.nodes], codes.counts)


def _tree_and_declared(concept_class: ConceptClass) -> tuple[TreeClass | None, tuple[Any, ...] | None]:
    """The tree, None if the class is not one of codes; and the declared nodes, if only these are queries."""
    inner = concept_class.concept_class if isinstance(concept_class, OnColumn) else concept_class
    if isinstance(inner, Candidates) and isinstance(inner.concept_class, (StartsWith, RootPaths)):
        return inner.concept_class, tuple(sorted(inner.domain.encode(inner.values).tolist()))
    return (inner, None) if isinstance(inner, (StartsWith, RootPaths, Taxonomy)) else (None, None)
