"""Decision trees of small depth over the columns of a table.

[MT07]  docs/references.bib        proof: docs/proofs/tree_draw.md

Throughout this file
    T      the number of public tests: cuts on a grid, equality with declared values, concepts of listed classes
    K      the number of labels
"""

from __future__ import annotations

from typing import ClassVar, cast

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.rules import Answer, LabelSplit, Split, simplified
from privpac.classes.decision_trees.trees import AUTO, Trees
from privpac.classes.hypothesis import Constant, Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.algorithm import Learner
from privpac.learners.audit_cases import CROWDED, Universe
from privpac.learners.decision_trees.public_tests import TreeTests, tree_tests
from privpac.learners.decision_trees.tree_bounds import TreesInDraw, tree_chance
from privpac.learners.grids.grids import ColumnPart
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.tree_exponential import ROUNDING as WEIGHTS_ROUNDED
from privpac.mechanisms.decision_trees.tree_exponential import Tree, TreeExponential
from privpac.privacy.budget import Budget
from privpac.privacy.ledger import Records

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
        return tree_rule(self._tests, ask(self._draw, records.see(self._tests.view)), self.terms.labels)

    def failure(self, n: int, alpha: float) -> float:
        draw = self._draw
        size = TreesInDraw(self._tests.public.number, draw.depth, draw.labels, draw.draws_depth)
        return tree_chance(size, n, alpha, self.log_r, self.terms.regime, self.copies, self.cheapest)

    @property
    def log_r(self) -> float:
        return float(self.cost.epsilon - WEIGHTS_ROUNDED) / 2

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        return self._tests.first_codes

    @property
    def _tests(self) -> TreeTests:
        return cast(TreeTests, public_tests_of(self.concept_class))

    @property
    def _draw(self) -> TreeExponential:
        return tree_draw(self.concept_class, self._tests, self.cost, self.terms.labels)

    @property
    def automatic(self) -> bool:  # type: ignore[override]
        """Whether no line is far longer than public cuts can resolve."""
        return not self._tests.long

    @property
    def reference_rules(self) -> tuple[str, ...]:
        return self._tests.reference_rules


def tree_draw(concept_class: Trees, tests: TreeTests, cost: Budget, K: int) -> TreeExponential:
    """The mechanism that draws a tree over these tests."""
    return TreeExponential(cost, tests.public, concept_class.deepest, K, concept_class.depth == AUTO)


def public_tests_of(concept_class: Trees) -> TreeTests | None:
    """The public tests; None if some part cannot be listed."""
    return tree_tests(tuple(map(ColumnPart.of, concept_class.parts)), concept_class.domain, concept_class.deepest)


def tree_rule(tests: TreeTests, tree: Tree, K: int = 2) -> Hypothesis:
    """A drawn tree as a rule; tests that an earlier one decides, or that have equal sides, are left out.

    With more than two labels, leaves hold the labels' numbers.
    """
    split = LabelSplit if K > 2 else Split

    def grown(tree: Tree) -> Hypothesis:
        if isinstance(tree, tuple):
            return split(tests.rules[tree[0]], *map(grown, tree[1:]))
        return Answer(tree) if K > 2 else Constant(bool(tree))

    return simplified(grown(tree))
