"""Decision trees over long columns: cuts are found privately first, and then a tree with such cuts is drawn.

[MT07]  docs/references.bib        proof: docs/proofs/private_cuts.md

Throughout this file
    T      the most tests of all columns together
    K      the number of labels
    M      2/(the least prior of a tree); the factor 2 covers the rounding of weights (``most``)
    r      e^(ε₃'/2), where ε₃' is what the draw of a tree costs, less what pays for the rounding of weights
"""

from __future__ import annotations

from typing import ClassVar, cast

from privpac.classes.concept_class import ConceptClass
from privpac.classes.decision_trees.trees import AUTO, Trees
from privpac.classes.hypothesis import Hypothesis
from privpac.classes.lines.thresholds import Thresholds
from privpac.learners.audit_cases import Trial, Universe
from privpac.learners.decision_trees.public_tests import MOST_TESTS, PartTests, TreeTests
from privpac.learners.decision_trees.trees import public_tests_of, tree_draw, tree_rule
from privpac.learners.grids.private_cuts import FEWEST, LONGEST, PrivateCuts
from privpac.learners.rules.private_cut_rules import PrivateCutLearner
from privpac.mechanisms.algorithm import Ask
from privpac.mechanisms.decision_trees.tree_exponential import ROUNDING
from privpac.privacy.ledger import Records

CELLS = 160  # the most cells of a long column
ENOUGH = Trial(30, 1e-6, 1, 30), Trial(6, 0.3, 1, 150)  # enough records for private cuts; audits try the first release


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
    shares: ClassVar[tuple[int, int]] = (1, 1)
    several: ClassVar[bool] = True
    with_constants: ClassVar[bool] = True
    reads_missing: ClassVar[bool] = True  # in columns with public tests
    audited: ClassVar[tuple[Universe, ...]] = (
        Universe(Trees(Thresholds(0, 65535, direction="above").on(0), depth=1), "1 column", ((0,), (65535,)), ENOUGH),
    )

    @classmethod
    def _supports(cls, concept_class: ConceptClass) -> bool:
        if not isinstance(concept_class, Trees) or (tests := public_tests_of(concept_class)) is None:
            return False
        return bool(_long_parts(tests)) and _cells(tests, concept_class.deepest) >= FEWEST

    def run(self, records: Records, ask: Ask) -> Hypothesis:
        tests, cost, starts = self._tests, self.cost, self.released_starts(records, ask)
        if starts:
            columns = [part.source.column for part in _long_parts(tests)]
            cuts = {column: cells[1:] for column, cells in zip(columns, starts, strict=True)}
            tests, cost = tests.cut_at(cuts), self.costs[1]
        tree = ask(tree_draw(self.concept_class, tests, cost, self.terms.labels), records.see(tests.view))
        return tree_rule(tests, tree, self.terms.labels)

    @property
    def cuts(self) -> PrivateCuts:
        H, columns = self.concept_class, [part.source for part in _long_parts(self._tests)]
        return PrivateCuts.of_columns(self.costs[0], columns, H.domain, _cells(self._tests, H.deepest))

    @property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """Cells of columns with public tests; on long columns, private cuts need each record's place on the line."""
        long = {part.source.column for part in _long_parts(self._tests)}
        columns = zip(self.concept_class.domain.column_names or (None,), self._tests.first_codes, strict=True)
        return tuple(() if name in long else codes for name, codes in columns)

    @property
    def log_r(self) -> float:
        return float(self.costs[1].epsilon - ROUNDING) / 2

    @property
    def long_cuts(self) -> int:
        return int(2**self.concept_class.deepest - 1)

    @property
    def most(self) -> int:  # type: ignore[override]
        depths = self.concept_class.deepest if self.concept_class.depth == AUTO else 1
        leaves = self.terms.labels ** (1 + self.long_cuts)
        return int(2 * depths * leaves * (2 * MOST_TESTS[self.concept_class.deepest]) ** self.long_cuts)

    @property
    def other_choices(self) -> int:
        """The number of trees if each long column counted as a single test."""
        tests = sum(len(part.rules) for part in _public_parts(self._tests)) + len(_long_parts(self._tests))
        trees = K = self.terms.labels
        for _ in range(self.concept_class.deepest):
            trees = K + tests * trees**2
        return trees

    @property
    def reference_rules(self) -> tuple[str, ...]:
        """The best tree is the best one over the tests, if the other columns have cuts that are not tests."""
        public = TreeTests(_public_parts(self._tests), self.concept_class.domain)
        text = "the best rule means the best tree that cuts the shorter columns on a public grid"
        return (text,) if public.coarse else ()

    @property
    def _tests(self) -> TreeTests:
        return cast(TreeTests, public_tests_of(self.concept_class))


def _long_parts(tests: TreeTests) -> tuple[PartTests, ...]:
    """The columns with private cuts."""
    return tuple(part for part in tests.long if part.domain.size <= LONGEST)


def _public_parts(tests: TreeTests) -> tuple[PartTests, ...]:
    """The columns with public tests."""
    return tuple(part for part in tests.parts if part not in _long_parts(tests))


def _cells(tests: TreeTests, depth: int) -> int:
    """The most cells of a long column: one more than the tests that public tests leave to it."""
    room = MOST_TESTS[depth] - sum(len(part.rules) for part in _public_parts(tests))
    return min(CELLS, 1 + room // max(len(_long_parts(tests)), 1))
