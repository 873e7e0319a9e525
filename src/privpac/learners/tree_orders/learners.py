"""Private learning on tree orders and on subtrees. Every class of VC dimension 1 has a tree order.

[Yan25]  docs/references.bib        proof: docs/proofs/tree_learner.md

Throughout this file
    candidate    the rule of a node at or above a record with label 1: 1 on the path from the root to the node, or on
                 all that lies at or below it
    fallback     the root's rule; for subtrees, never, the rule that answers 0 everywhere
    stable       the candidates of a sample, which exist because records support them
    levels       how many levels can hold candidates: a record supports at most one on each; None for any number
    legs         paths from the root; if rules are cuts of legs, several candidates of a level may label too much 1
    T            a candidate that T records support weighs as much as the fallback
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any, ClassVar, cast

from privpac.classes.concept_class import ConceptClass
from privpac.classes.finite.explicit import ExplicitClass
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.tree_orders.paths import EndsWith, RootPaths, StartsWith
from privpac.classes.tree_orders.spider import Spider
from privpac.classes.tree_orders.taxonomy import Taxonomy
from privpac.classes.tree_orders.tree_class import TwoSided
from privpac.data.samples.sample import Sample
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import ALONE, Path, Universe
from privpac.learners.certificates.tree_orders import cap, never_failure, regret_failure, release_failures, selection
from privpac.learners.tree_orders.candidates import OrderCandidates, Taxa, Texts, TreeCandidates
from privpac.learners.tree_orders.spider_legs import Sides, Spiders
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.selection.exponential import Selection
from privpac.mechanisms.selection.permute_and_flip import PermuteAndFlip
from privpac.mechanisms.selection.public_stable import NO_PUBLIC, DiscountedExponential, PublicStableExponential
from privpac.mechanisms.selection.regret import RegretExponential
from privpac.privacy.ledger import Records

RULES = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], points="abc")
# Twelve steps. Without a declared height, level l gets δ/((l + 1)(l + 2)), so the first twelve levels get 12/13 of δ.
DEEP = "abcdefghijkl"
TREE = {"b": "a", "c": "b", "d": "a"}


class PathLearner(Learner):
    """Learn the path from the root to an unknown node.

    Privacy   (ε, δ), for all inputs: tree learner, Theorem 1
    Utility   noisy labels or not, if the height is declared: tree learner, Theorem 2
    Time      a few passes over the distinct points for each step of the longest path

    >>> from privpac import PrivateClassifier
    >>> paths, labels = ["/usr"] * 300 + ["/usr/lib"] * 400 + ["/var"] * 300, [1] * 700 + [0] * 300
    >>> clf = PrivateClassifier(RootPaths("/", height=32), method="PathLearner", regime="realizable", feature=None)
    >>> print(clf.fit(paths, labels).hypothesis_, clf.certified_n())
    x lies on the path to usr/lib 655
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (RootPaths, Taxonomy, TwoSided)
    title: ClassVar[str] = "private selection on the tree"
    theorem: ClassVar[str] = "tree learner, Theorem 2"
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(RootPaths("/", height=2), "2 steps", ("", "a", "a/b"), path=Path("a", off="")),
        Universe(RootPaths("/"), "any number of steps", ("", "a", "/".join(DEEP)), path=Path("a", off="")),
        Universe(Taxonomy(TREE), "4 names", "abc", path=Path("b", off="d")),
        Universe(TwoSided(0, 4, center=2), "5 values around 2", (2, 3), path=Path(3, off=1)),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return getattr(concept_class, "kind", "") == "root_path"  # also of spiders and two-sided intervals

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tree = _tree(self.concept_class)

        def candidates(sample: Sample) -> Any:
            counts = tree.counts(sample)
            if self.terms.regime == "agnostic":  # RegretExponential takes a single fallback
                return (tree.fallback, counts.fallback), counts.stable
            return {tree.fallback: counts.fallback}, counts.stable, NO_PUBLIC

        return tree.rule(ask(self._selection(tree), records.see(candidates)))

    def _selection(self, tree: TreeCandidates) -> Selection:
        if self.terms.regime == "agnostic":
            return RegretExponential(self.cost, tree.levels, near=not tree.legs)
        return PublicStableExponential(self.cost, tree.levels, cap(self.cost, tree.levels, float(self.terms.beta)))

    def failure(self, n: int, alpha: float) -> float:
        tree = _tree(self.concept_class)
        if tree.levels is None:
            return 1.0
        if self.terms.regime == "agnostic":
            return regret_failure(self.cost, tree.levels, not tree.legs, n, alpha, self.copies)
        failures = release_failures(self.cost, tree.levels, float(self.terms.beta), tree.legs)
        return min(1.0, sum(failure.mean(n, alpha) for failure in failures))


class SpiderLearner(PathLearner):
    """Learn a group and a cut of its leg, like PathLearner. The fallback is never, which is not a rule of the class.

    >>> from privpac import PrivateClassifier
    >>> planes = [("Boeing", 1998)] * 500 + [("Boeing", 1990)] * 300 + [("Airbus", 2001)] * 400
    >>> clf = PrivateClassifier(Spider(bits=16), method="SpiderLearner", feature=[0, 1])
    >>> print(clf.fit(planes, [1] * 500 + [0] * 700).hypothesis_)
    group = Boeing and value ≥ 19...
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Spider,)
    title: ClassVar[str] = "private selection on the legs"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Spider(1), "any groups, 2 values", [("a", 1), (1, 0), (True, 0)], path=Path(("a", 1), off=("k", 1))),
    )


class OrderLearner(PathLearner):
    """Learn from an explicit class of VC dimension at most 1, by its tree order. Its rule may end between two concepts.

    >>> from privpac import PrivateClassifier
    >>> rules = ExplicitClass([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]], points="abc")
    >>> clf = PrivateClassifier(rules, method="OrderLearner", feature=None)
    >>> print(clf.fit(list("abc") * 300, [1, 1, 0] * 300).hypothesis_)
    x is one of a, b
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (ExplicitClass,)
    title: ClassVar[str] = "private selection on the tree order"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (Universe(RULES, "4 rules", "abc", path=Path("a", off="c")),)

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, ExplicitClass) and _tree_of(_ByIdentity(concept_class)) is not None


class SubtreeLearner(Learner):
    """Learn a prefix or a subtree: all that lies at or below an unknown node.

    Privacy   (ε, δ), for all inputs: tree learner, Theorem 3
    Utility   noisy labels or not, if the height is declared: tree learner, Theorem 4
    Time      a few passes over the distinct points for each step of the longest path

    >>> from privpac import PrivateClassifier
    >>> codes, labels = ["J10.1"] * 300 + ["J10.8"] * 200 + ["J11"] * 300, [1] * 500 + [0] * 300
    >>> clf = PrivateClassifier(StartsWith(height=7), method="SubtreeLearner", feature=None)
    >>> print(clf.fit(codes, labels).hypothesis_)
    x starts with J10...
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (StartsWith, EndsWith, Taxonomy)
    title: ClassVar[str] = "discounted selection of subtrees"
    theorem: ClassVar[str] = "tree learner, Theorem 4"
    proper: ClassVar[bool] = False
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(StartsWith(height=2), "2 letters", ("", "a", "ab"), ALONE),
        Universe(StartsWith(), "any number of letters", (DEEP, "a", ""), ALONE),
        Universe(Taxonomy(TREE, kind="subtree"), "4 names", "abc", ALONE),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return getattr(concept_class, "kind", "") == "subtree"

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tree = _tree(self.concept_class)

        def candidates(sample: Sample) -> Any:
            counts = tree.counts(sample)
            return {tree.fallback: counts.fallback}, counts.stable

        return tree.rule(ask(DiscountedExponential(self.cost, tree.levels), records.see(candidates)))

    def failure(self, n: int, alpha: float) -> float:
        levels = _tree(self.concept_class).levels
        if levels is None or n < 2 or selection(self.cost, levels).T < 0:
            return 1.0
        T = selection(self.cost, levels).T
        # Either a bad candidate is released, which a record and a level determine, or the fallback.
        bad_candidate = self.chance(log(n * levels), n, alpha, determined_by=1)
        if self.terms.regime == "realizable":
            return min(1.0, bad_candidate + never_failure(self.cost, levels).mean(n, alpha))
        return min(1.0, bad_candidate + self.chance(0.0, n, alpha, T))


class NameLearner(Learner):
    """Learn a path or a subtree of a taxonomy: every name is a candidate.

    Privacy   ε, for all inputs: selection, Theorem 5
    Utility   noisy labels or not: certificates, Theorem 4
    Time      one pass over the records and one over the names

    >>> from privpac import PrivateClassifier
    >>> icd = Taxonomy({"J10": "J", "J11": "J", "J": "ICD", "K": "ICD"}, kind="subtree")
    >>> codes, labels = ["J10"] * 200 + ["J11"] * 200 + ["K"] * 200, [1] * 400 + [0] * 200
    >>> clf = PrivateClassifier(icd, method="NameLearner", feature=None)
    >>> print(clf.fit(codes, labels).hypothesis_)
    x is J or below it
    """

    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Taxonomy,)
    title: ClassVar[str] = "permute-and-flip over all names"
    theorem: ClassVar[str] = "certificates, Theorem 4"
    pure: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (Universe(Taxonomy(TREE), "4 names", "abc", ALONE),)

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tree = cast(Taxa, _tree(self.concept_class))
        return tree.rule(ask(PermuteAndFlip(self.cost), records.see(lambda sample: -tree.errors(sample))))

    def failure(self, n: int, alpha: float) -> float:
        return self.chance(self.log_flipped(int(self.concept_class.domain.size)), n, alpha)


@dataclass(frozen=True, eq=False)
class _ByIdentity:
    """An object compared by identity, because comparing large trees is slower than reading them."""

    object: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and self.object is other.object

    def __hash__(self) -> int:
        return id(self.object)


def _tree(concept_class: ConceptClass) -> TreeCandidates:
    return cast(TreeCandidates, _tree_of(_ByIdentity(concept_class)))


@lru_cache(maxsize=64)
def _tree_of(key: _ByIdentity) -> TreeCandidates | None:
    """The class as its learner needs it; None for explicit classes of VC dimension 2 or more."""
    concept_class = key.object
    if isinstance(concept_class, ExplicitClass):
        from privpac.dimensions.tree_orders.laminar import TreeOrder, tree_or_shattered_pair  # noqa: PLC0415  (which loads all dimensions)

        order = tree_or_shattered_pair(concept_class) if concept_class.size else None
        return OrderCandidates(order) if isinstance(order, TreeOrder) else None
    texts = dict.fromkeys((RootPaths, StartsWith, EndsWith), Texts)
    kinds: dict[Any, Any] = {**texts, Taxonomy: Taxa, Spider: Spiders, TwoSided: Sides}
    return cast(TreeCandidates, kinds[type(concept_class)](concept_class))
