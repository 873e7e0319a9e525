"""Decision trees of small depth over the columns of a table.

[MT07]  docs/references.bib        proof: docs/proofs/tree_draw.md

Throughout this file
    T      the number of public tests: cuts on a grid, equality with declared values, concepts of listed classes
    k      the depth                                θ    0 < θ ≤ 1; the bound holds for each, and we take the best
    A_k    Σ prior(t)^θ over all trees              C    the largest −ln prior(t)
    v      how far the errors of the best tree may exceed their mean        σ    √n/2
"""

from __future__ import annotations

from math import log
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.rules import Split, simplified
from privpac.classes.decision_trees.trees import Trees
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.deviation import DEVIATIONS, LARGEST_LOGARITHM, ROUNDING, log_moment
from privpac.learners.decision_trees.public_tests import TreeTests, tree_tests
from privpac.learners.grids.grids import ColumnPart
from privpac.learners.universe import Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.tree_exponential import Tree, TreeExponential
from privpac.privacy.ledger import Records
from privpac.refusals.option_words import Regime

THETAS = np.geomspace(1e-4, 1, 300)  # that are tried


class DecisionTreeLearner(Learner):
    """Learn a decision tree: every tree over the public tests is a candidate, and all of them cost one ε.

    Privacy   ε, for all inputs: tree draw, Theorem 1
    Utility   noisy labels or not, against the best tree over the tests: tree draw, Theorem 2
    Cost      O(n + T^depth); for depth 3, O(n·columns³ + T³)

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
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            Trees(Thresholds(0, 1).on(0), Thresholds(0, 1).on(1), depth=2), "2 columns, depth 2", ((0, 0), (1, 1))
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Trees) and public_tests_of(concept_class) is not None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tests: TreeTests = public_tests_of(self.concept_class)
        tree = ask(TreeExponential(self.cost, tests.public, self.concept_class.depth), records.see(tests.view))
        return tree_rule(tests, tree)

    def failure(self, n: int, alpha: float) -> float:
        tests: TreeTests = public_tests_of(self.concept_class)
        drawn = TreeExponential(self.cost, tests.public, self.concept_class.depth)
        log_r = float(2 * drawn.rate)
        return tree_chance(tests.public.number, drawn.depth, n, alpha, log_r, self.terms.regime, self.copies)

    @property
    def automatic(self) -> bool:  # type: ignore[override]
        """Not where a line is far longer than these cuts can resolve."""
        tests: TreeTests = public_tests_of(self.concept_class)
        return not tests.long

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """The trees over the public tests."""
        tests: TreeTests = public_tests_of(self.concept_class)
        return tests.reference_rules


def tree_chance(  # noqa: PLR0917  (the numbers of the theorem, in its order)
    T: int, k: int, n: int, alpha: float, log_r: float, regime: Regime, copies: int = 1
) -> float:
    """The bound of Theorem 2, with r = e^(ε'/2); with weights of errors, r is that of one of the copies of a record.

    >>> [round(tree_chance(150, k, 10_000, 0.035, 0.5, "agnostic"), 3) for k in (1, 2, 3)]
    [0.02, 0.35, 1.0]
    """
    if n <= 0 or alpha <= 0:
        return 1.0
    k, log_r = k if T else 0, copies * log_r
    θ = THETAS[THETAS * log_r <= LARGEST_LOGARITHM]
    log_m, log_s = log_priors(T, k, θ) + θ * ((2**k - 1) * log(2 * T or 1) + 2**k * log(2)), θ * log_r
    failure = np.exp(np.minimum(log_m + n * log_moment(log_s, alpha, regime), 0)).min()
    if regime == "agnostic":
        v = np.linspace(0, min(n * alpha, 4 * n**0.5), DEVIATIONS)[:, None]
        bad = (log_m + log_s * (v + (copies == 1) - n * alpha) + n * log_s**2 / 8).min(axis=1)
        good = np.exp(log_ndtr(-2 * v[:, 0] / n**0.5) if copies == 1 else -2 * v[:, 0] ** 2 / n)
        failure = min(failure, (good + np.exp(np.minimum(bad, 0))).min())
    return min(1.0, float(failure) * ROUNDING)


def log_priors(T: int, k: int, theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln A_k.

    >>> log_priors(200, 3, np.array([1.0]))
    array([0.])
    """
    A = 2 ** (1 - theta)
    for _ in range(k):
        A = 2 * 4**-theta + T * (2 * T) ** -theta * A**2
    return np.asarray(np.log(A))


def public_tests_of(concept_class: Trees) -> Any:
    """The public tests; None if some part cannot be listed."""
    return tree_tests(tuple(map(ColumnPart.of, concept_class.parts)), concept_class.domain, concept_class.depth)


def tree_rule(tests: TreeTests, tree: Tree) -> Hypothesis:
    """A drawn tree as a rule, without tests that its path has decided, and without those whose sides are equal."""

    def grown(tree: Tree) -> Hypothesis:
        return Constant(tree) if isinstance(tree, bool) else Split(tests.rules[tree[0]], *map(grown, tree[1:]))

    return simplified(grown(tree))
