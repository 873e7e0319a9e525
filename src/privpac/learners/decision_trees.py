"""Decision trees of small depth over the columns of a table.

[MT07]  docs/references.bib        proof: docs/proofs/tree_draw.md

Throughout this file
    T      the number of public tests: cuts on a grid, equality with declared values, concepts of listed classes
    b      the number of a test

Main declarations
    DecisionTreeLearner    all trees of depth at most 3, by one draw; pure ε, noisy labels or not
"""

from __future__ import annotations

from typing import Any, ClassVar

from privpac.classes.base import ConceptClass, Constant, Hypothesis
from privpac.classes.decision_trees import Split, Trees
from privpac.classes.line import Thresholds
from privpac.classes.tree_rules import simplified
from privpac.learners.algorithm import Learner
from privpac.learners.certificates.decision_trees import tree_chance
from privpac.learners.universe import Universe
from privpac.learners.views.grids import Reads
from privpac.learners.views.public_tests import TreeTests, tree_tests
from privpac.mechanisms.adaptive import Ask
from privpac.mechanisms.decision_trees import Tree, TreeExponential
from privpac.privacy.ledger import Records


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
    def learns(cls, concept_class: ConceptClass) -> bool:
        return isinstance(concept_class, Trees) and public_tests_of(concept_class) is not None

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tests: TreeTests = public_tests_of(self.concept_class)
        tree = ask(TreeExponential(self.cost, tests.public, self.concept_class.depth), records.see(tests.view))
        return tree_rule(tests, tree)

    def failure(self, n: int, alpha: float) -> float:
        tests: TreeTests = public_tests_of(self.concept_class)
        drawn = TreeExponential(self.cost, tests.public, self.concept_class.depth)
        return tree_chance(tests.public.number, drawn.depth, n, alpha, float(2 * drawn.rate), self.terms.regime)

    @property
    def automatic(self) -> bool:  # type: ignore[override]
        """Not where a line is far longer than these cuts can resolve."""
        tests: TreeTests = public_tests_of(self.concept_class)
        return not tests.long

    @property
    def meant(self) -> tuple[str, ...]:
        """The trees over the public tests."""
        tests: TreeTests = public_tests_of(self.concept_class)
        return tests.meant


def public_tests_of(concept_class: Trees) -> Any:
    """The public tests; None if some part cannot be listed."""
    return tree_tests(tuple(map(Reads.of, concept_class.parts)), concept_class.domain, concept_class.depth)


def tree_rule(tests: TreeTests, tree: Tree) -> Hypothesis:
    """A drawn tree as a rule, without tests that its path has decided, and without those whose sides are equal."""

    def grown(tree: Tree) -> Hypothesis:
        return Constant(tree) if isinstance(tree, bool) else Split(tests.rules[tree[0]], *map(grown, tree[1:]))

    return simplified(grown(tree))
