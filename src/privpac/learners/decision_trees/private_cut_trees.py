"""Decision trees over long columns: cuts are found privately first, and then a tree that asks for such cuts is drawn.

[MT07]  docs/references.bib        proof: docs/proofs/private_cuts.md

Throughout this file
    T      the most tests of all columns together
    K      the number of labels
    m      the most tests on long columns that a tree asks: one for each of its inner nodes
    M      twice 1/(the least prior of a tree); the factor 2 is more than the rounding of weights costs
    r      e^(ε₃'/2), ε₃' being what the draw of a tree costs, less what pays for the rounding of weights
"""

from __future__ import annotations

from typing import Any, ClassVar

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.trees import AUTO, Trees
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.data.samples.sample import Sample
from privpac.learners.decision_trees.public_tests import MOST_TESTS, PartTests, TreeTests
from privpac.learners.decision_trees.trees import DecisionTreeLearner, drawn_tree, public_tests_of, tree_rule
from privpac.learners.grids.private_cuts import LONGEST, PrivateCuts
from privpac.learners.rules.private_cut_rules import PrivateCutLearner, possible
from privpac.learners.universe import Tried, Universe
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.tree_exponential import ROUNDING
from privpac.privacy.ledger import Records

SHARES = (1, 1)  # of ε: cuts, tree
CELLS = 160  # of a long column, if there is room for as many tests
ENOUGH = Tried(30, 1e-6, 1, 30), Tried(6, 0.3, 1, 150)  # audits see the first release


class PrivateCutTrees(PrivateCutLearner):
    """Learn a decision tree if some numeric column is far longer than public cuts can resolve.

    Privacy   ε, for all inputs: private cuts, Theorem 2, and tree draw, Theorem 1
    Utility   noisy labels or not: private cuts, Theorem 5
    Time      O(n·log N + T^depth) for each column; for depth 3, O(n·columns³ + T³)

    >>> from privpac import PrivateClassifier
    >>> people = {"income": list(range(300, 800)) * 10, "age": [20, 30, 40, 50] * 1250}
    >>> rich = [income >= 450 and age >= 40 for income, age in zip(people["income"], people["age"])]
    >>> trees = Trees(Thresholds(0, 10**18).on("income"), Thresholds(17, 90).on("age"), depth=2)
    >>> clf = PrivateClassifier(trees, method="PrivateCutTrees", epsilon=3).fit(people, rich)
    >>> bool((clf.predict(people) != rich).mean() < 0.02)
    True
    """

    concept_class: Trees
    kinds: ClassVar[tuple[type[ConceptClass], ...]] = (Trees,)
    title: ClassVar[str] = "exponential mechanism over all trees with private cuts"
    theorem: ClassVar[str] = "private cuts, Theorem 5"
    shares: ClassVar[tuple[int, int]] = SHARES
    several: ClassVar[bool] = True
    reads_missing: ClassVar[bool] = True  # in columns with public tests
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(
            Trees(Thresholds(0, 2**16 - 1, direction="above").on(0), depth=1), "1 column", ((0,), (2**16 - 1,)), ENOUGH
        ),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if not DecisionTreeLearner.supports(concept_class):
            return False
        assert isinstance(concept_class, Trees)
        tests: TreeTests = public_tests_of(concept_class)
        return possible([int(part.domain.size) for part in _long(tests)], _cells(tests, concept_class.deepest))

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tests, cost, found = self._tests, self.cost, self.found(records, ask)
        if found:
            columns = [part.source.column for part in _long(tests)]
            cuts = {column: starts[1:] for column, starts in zip(columns, found, strict=True)}
            tests, cost = tests.cut_at(cuts), self.costs[1]
        tree = ask(drawn_tree(self.concept_class, tests, cost, self.terms.labels), records.see(tests.view))
        return tree_rule(tests, tree, self.terms.labels)

    @property
    def cuts(self) -> PrivateCuts:
        whole, parts = self.concept_class.domain, _long(self._tests)

        def read(sample: Sample) -> list[Any]:
            return [part.source.codes(sample, whole) for part in parts]

        lines = tuple(line for part in parts if (line := part.domain.line))
        return PrivateCuts(self.costs[0], lines, read, _cells(self._tests, self.concept_class.deepest))

    @property
    def log_r(self) -> float:
        return float(self.costs[1].epsilon - ROUNDING) / 2

    @property
    def ends(self) -> int:
        return int(2**self.concept_class.deepest - 1)

    @property
    def most(self) -> int:  # type: ignore[override]
        depths = self.concept_class.deepest if self.concept_class.depth == AUTO else 1  # that are drawn from
        leaves = self.terms.labels ** (1 + self.ends)
        return int(2 * depths * leaves * (2 * MOST_TESTS[self.concept_class.deepest]) ** self.ends)

    @property
    def ways(self) -> int:
        """The trees with a long column, without a cut, in place of each test of it."""
        kept, K = sum(len(part.rules) for part in _others(self._tests)) + len(_long(self._tests)), self.terms.labels
        trees = K
        for _ in range(self.concept_class.deepest):
            trees = K + kept * trees**2
        return trees

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """If other columns have more cuts than are tests, the trees over those tests."""
        others = TreeTests(_others(self._tests), self.concept_class.domain)
        text = "the best rule means the best tree that cuts the shorter columns on a public grid"
        return (text,) if others.coarse else ()

    @property
    def _tests(self) -> TreeTests:
        tests: TreeTests = public_tests_of(self.concept_class)
        return tests


def _long(tests: TreeTests) -> tuple[PartTests, ...]:
    """The columns with private cuts."""
    return tuple(part for part in tests.long if part.domain.size <= LONGEST)


def _others(tests: TreeTests) -> tuple[PartTests, ...]:
    """The columns with public tests."""
    return tuple(part for part in tests.parts if part not in _long(tests))


def _cells(tests: TreeTests, depth: int) -> int:
    """How many cells a long column may have: one more than tests."""
    room = MOST_TESTS[depth] - sum(len(part.rules) for part in _others(tests))
    return min(CELLS, 1 + room // max(len(_long(tests)), 1))
