"""Decision trees of small depth over the columns of a table.

[MT07]  docs/references.bib        proof: docs/proofs/tree_draw.md

Throughout this file
    T      the number of public tests: cuts on a grid, equality with declared values, concepts of listed classes
    K      the number of labels                     θ    0 < θ ≤ 1; the bound holds for each, and we take the best
    k      the depth; if it is free, the largest depth
    A_k    Σ prior(t)^θ over all trees              C    the largest −ln prior(t)
    v      how far the errors of the best tree may exceed their mean        σ    √n/2
"""

from __future__ import annotations

from math import log
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, logsumexp

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.rules import Answer, LabelSplit, Split, simplified
from privpac.classes.decision_trees.trees import AUTO, Trees
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.deviation import (
    DEVIATIONS,
    LARGEST_LOGARITHM,
    ROUNDING,
    by_kinds,
    by_small_costs,
    log_moment,
)
from privpac.learners.decision_trees.public_tests import TreeTests, tree_tests
from privpac.learners.grids.grids import ColumnPart
from privpac.learners.universe import CROWDED, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.tree_exponential import ROUNDING as WEIGHTS_ROUNDED
from privpac.mechanisms.decision_trees.tree_exponential import Tree, TreeExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records
from privpac.refusals.option_words import Regime

THETAS = np.geomspace(1e-4, 1, 300)  # the values of θ to try
BITS = Thresholds(0, 1).on(0), Thresholds(0, 1).on(1)
OPTIONAL = Thresholds(0, 1).on(0, missing=True)


class DecisionTreeLearner(Learner):
    """Learn a decision tree: every tree over the public tests is a candidate, and all of them cost one ε.

    More than two labels, and a depth that is left open, cost the same: one draw.

    Privacy   ε, for all inputs: tree draw, Theorem 1
    Utility   noisy labels or not, against the best tree over the tests: tree draw, Theorem 2
    Time      O(n + T^depth); for depth 3, O(n·columns³ + T³)

    >>> from privpac import PrivateClassifier
    >>> people = {"age": list(range(20, 70)) * 40, "hours": [20, 30, 40, 50] * 500}
    >>> rich = [age >= 40 and hours >= 40 for age, hours in zip(people["age"], people["hours"])]
    >>> trees = Trees(Thresholds(17, 90).on("age"), Thresholds(0, 99).on("hours"), depth=2)
    >>> clf = PrivateClassifier(trees, method="DecisionTreeLearner", epsilon=3).fit(people, rich)
    >>> bool((clf.predict(people) == rich).all())
    True
    """

    concept_class: Trees
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Trees,)
    title: ClassVar[str] = "exponential mechanism over all trees"
    theorem: ClassVar[str] = "tree draw, Theorem 2"
    pure: ClassVar[bool] = True
    several: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    reads_missing: ClassVar[bool] = True
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Trees(*BITS, depth=2), "2 columns, depth 2, 3 labels", ((0, 0), (1, 1)), CROWDED[:1], labels=3),
        Universe(Trees(BITS[0], depth=1), "1 column, 3 labels", ((0,), (1,)), labels=3),
        Universe(Trees(BITS[0], depth="auto"), "1 column, any depth", ((0,), (1,)), CROWDED[:1]),
        Universe(Trees(OPTIONAL, depth=1), "1 column, missing entries", ((None,), (1,)), CROWDED[:2]),
        Universe(Trees(*BITS, depth=2), "2 columns, depth 2", ((0, 0), (1, 1))),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Trees) and public_tests_of(concept_class) is not None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tests: TreeTests = public_tests_of(self.concept_class)
        return tree_rule(tests, ask(self._draw(tests), records.see(tests.view)), self.terms.labels)

    def failure(self, n: int, alpha: float) -> float:
        tests: TreeTests = public_tests_of(self.concept_class)
        draw = self._draw(tests)
        size = TreesInDraw(tests.public.number, draw.depth, draw.labels, draw.free)
        return tree_chance(size, n, alpha, self.log_r, self.terms.regime, self.copies, self.cheapest)

    @property
    def log_r(self) -> float:
        return float(self.cost.epsilon - WEIGHTS_ROUNDED) / 2

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        tests: TreeTests = public_tests_of(self.concept_class)
        return tests.first_codes

    def _draw(self, tests: TreeTests) -> TreeExponential:
        return tree_draw(self.concept_class, tests, self.cost, self.terms.labels)

    @property
    def automatic(self) -> bool:  # type: ignore[override]
        """Whether no line is far longer than these cuts can resolve."""
        tests: TreeTests = public_tests_of(self.concept_class)
        return not tests.long

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """The trees over the public tests."""
        tests: TreeTests = public_tests_of(self.concept_class)
        return tests.reference_rules


def tree_draw(concept_class: Trees, tests: TreeTests, cost: Budget, K: int) -> TreeExponential:
    """The mechanism that draws a tree over these tests."""
    return TreeExponential(cost, tests.public, concept_class.deepest, K, concept_class.depth == AUTO)


class TreesInDraw(NamedTuple):
    """All trees that a draw chooses from: T, k, K, and whether the depth is free.

    >>> TreesInDraw(200, 1).cost.__round__(3), np.exp(TreesInDraw(200, 1).kinds[0]).round().tolist()
    (7.378, [2.0, 400.0])
    """

    T: int
    k: int
    K: int = 2
    free: bool = False

    @property
    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Trees of which no test has the same label on both sides, by kind: ln of their number, ln of their prior."""
        T, K = self.T, self.K
        numbers, priors = np.array([log(K)]), np.array([-log(K)])
        depths = [(numbers, priors)]
        for _ in range(self._k):
            i, j = np.triu_indices(len(numbers))
            pairs = log(T) + numbers[i] + numbers[j] + np.where(i < j, log(2), 0)
            pairs[0] = log(T * K * (K - 1))  # two different labels
            label = np.logaddexp(-log(2 * K), 2 * priors[0] - log(2))
            numbers, priors = np.append(log(K), pairs), np.append(label, priors[i] + priors[j] - log(2 * T))
            depths.append((numbers, priors))
        if not self._several_depths:
            return numbers, priors
        return np.concatenate([m for m, _ in depths[1:]]), np.concatenate([p for _, p in depths[1:]]) - log(self._k)

    def log_priors(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """ln A_k."""
        numbers, priors = self.kinds
        return np.asarray(logsumexp(numbers + theta[:, None] * priors, axis=1))

    @property
    def cost(self) -> float:
        """C: the largest −ln prior(t) of the best tree."""
        k, T = self._k, self.T
        return float((2**k - 1) * log(2 * T or 1) + 2**k * log(self.K) + log(k if self._several_depths else 1))

    @property
    def _k(self) -> int:
        return self.k if self.T else 0

    @property
    def _several_depths(self) -> bool:
        return self.free and self._k > 0


def tree_chance(  # noqa: PLR0917  (the numbers of the theorem, in its order)
    size: TreesInDraw, n: int, alpha: float, log_r: float, regime: Regime, copies: int = 1, cheapest: float = 0.5
) -> float:
    """The bound of Theorem 2 on the probability of an error above α; with weights of errors, r is that of one copy.

    >>> [round(tree_chance(TreesInDraw(150, k), 10_000, 0.035, 0.5, "agnostic"), 3) for k in (1, 2, 3)]
    [0.007, 0.171, 1.0]
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    log_r = copies * log_r
    θ = THETAS[THETAS * log_r <= LARGEST_LOGARITHM]
    log_m, log_s = size.log_priors(θ) + θ * size.cost, θ * log_r
    failure = np.exp(np.minimum(log_m + n * log_moment(log_s, alpha, regime), 0)).min()
    if regime == "agnostic":
        v = np.linspace(0, min(n * alpha, 4 * n**0.5), DEVIATIONS)[:, None]
        bad = (log_m + log_s * (v + (copies == 1) - n * alpha) + n * log_s**2 / 8).min(axis=1)
        good = np.exp(log_ndtr(-2 * v[:, 0] / n**0.5) if copies == 1 else -2 * v[:, 0] ** 2 / n)
        failure = min(failure, (good + np.exp(np.minimum(bad, 0))).min())
        if log_r <= LARGEST_LOGARITHM:
            numbers, priors = size.kinds
            kinds = numbers, (size.cost + priors) / log_r, n, alpha, log_r
            by_kind = by_kinds(*kinds) if copies == 1 else float(by_small_costs(*kinds, cheapest))
            failure = min(failure, by_kind)
    return min(1.0, float(failure) * ROUNDING)


def public_tests_of(concept_class: Trees) -> Any:
    """The public tests; None if some part cannot be listed."""
    return tree_tests(tuple(map(ColumnPart.of, concept_class.parts)), concept_class.domain, concept_class.deepest)


def tree_rule(tests: TreeTests, tree: Tree, K: int = 2) -> Hypothesis:
    """A drawn tree as a rule, without tests that an earlier one decides, or whose two sides are equal.

    With more than two labels, leaves have the numbers of labels.
    """
    split = LabelSplit if K > 2 else Split

    def grown(tree: Tree) -> Hypothesis:
        if isinstance(tree, tuple):
            return split(tests.rules[tree[0]], *map(grown, tree[1:]))
        return Answer(tree) if K > 2 else Constant(bool(tree))

    return simplified(grown(tree))
